package projections

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// WaitLimit bounds how long a read waits for its min_seq.
const WaitLimit = 2 * time.Second

// How often a waiting reader looks at the positions: a runner of this process
// wakes it, so it then looks only in case another process applies.
const (
	pollAlone  = 5 * time.Millisecond
	pollRunner = 50 * time.Millisecond
)

// news passes on what a runner of this process has applied.
type news struct {
	mu      sync.Mutex
	runners int
	changed chan struct{} // closed and replaced at every change
	at      map[string]uint64
}

// moved wakes the readers that wait for a projection. seq 0 forgets what was
// known, so that they look for themselves.
func (s *Store) moved(name string, seq uint64) {
	s.news.mu.Lock()
	defer s.news.mu.Unlock()
	if seq == 0 {
		delete(s.news.at, name)
	} else if s.news.runners > 0 {
		s.news.at[name] = seq
	}
	close(s.news.changed)
	s.news.changed = make(chan struct{})
}

// attach says that a runner of this process wakes the readers, until detach.
func (s *Store) attach() (detach func()) {
	s.news.mu.Lock()
	defer s.news.mu.Unlock()
	s.news.runners++
	return func() {
		s.news.mu.Lock()
		defer s.news.mu.Unlock()
		s.news.runners--
		clear(s.news.at)
	}
}

// Wait returns when the projections (none named: all) have applied the log up to
// minSeq. After WaitLimit it gives up with ErrBehind; a stopped projection
// answers at once, with ErrDiverged or ErrFailed.
func (s *Store) Wait(ctx context.Context, minSeq uint64, projections ...string) error {
	if minSeq == 0 || s.past != nil {
		return nil
	}
	list, err := s.pick(projections)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, WaitLimit)
	defer cancel()
	last := ""
	for {
		s.news.mu.Lock()
		changed, poll := s.news.changed, pollAlone
		if s.news.runners > 0 {
			poll = pollRunner
		}
		known := true
		for _, p := range list {
			known = known && s.news.at[p.Name] >= minSeq
		}
		s.news.mu.Unlock()
		if known {
			return nil
		}
		behind, err := s.behind(limit, list, minSeq)
		if behind == "" && err == nil {
			return nil
		}
		if err == nil {
			last = behind
			select {
			case <-changed:
				continue
			case <-time.After(poll):
				continue
			case <-limit.Done():
			}
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("wait for %d: %w", minSeq, ctx.Err())
		case limit.Err() != nil:
			return ErrBehind.With(map[string]any{"projection": last, "min_seq": minSeq}, "%s has not reached %d yet", last, minSeq)
		}
		return err
	}
}

// behind names the first projection that has not reached minSeq, "" if all have.
func (s *Store) behind(ctx context.Context, list []Projection, minSeq uint64) (string, error) {
	states, err := s.states(ctx)
	if err != nil {
		return "", err
	}
	late := ""
	for _, p := range list {
		st, ok := states[p.Name]
		switch {
		case !ok:
			late = p.Name
		case st.Status == statusDiverged:
			return p.Name, ErrDiverged.With(map[string]any{"projection": p.Name}, "%s: %s", p.Name, st.Error)
		case st.Position < minSeq && st.Status == statusFailed:
			return p.Name, ErrFailed.With(map[string]any{"projection": p.Name}, "%s has stopped and will be tried again", p.Name)
		case st.Position < minSeq && late == "":
			late = p.Name
		}
	}
	return late, nil
}

// Status is the state of one projection of this binary's version.
type Status struct {
	Name       string    `json:"name"`
	Version    int       `json:"version"`
	Generation int       `json:"generation"`
	Position   uint64    `json:"position"`
	Status     string    `json:"status"` // building, running, diverged, failed
	Error      string    `json:"error,omitempty"`
	Parked     int       `json:"parked"` // agents parked
	UpdatedAt  time.Time `json:"updated_at"`
	ready      bool      // may be read
}

// Status lists all projections, those that nothing was ever applied to as building.
func (s *Store) Status(ctx context.Context) ([]Status, error) {
	states, err := s.states(ctx)
	if err != nil {
		return nil, err
	}
	parked, err := s.Parked(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Status, 0, len(s.list))
	for _, p := range s.list {
		st, ok := states[p.Name]
		if !ok {
			st = Status{Name: p.Name, Version: p.Version, Status: "building"}
		}
		for _, a := range parked {
			if a.Projection == p.Name {
				st.Parked++
			}
		}
		out = append(out, st)
	}
	return out, nil
}

func (s *Store) states(ctx context.Context) (map[string]Status, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT projection, version, generation, seq, CASE WHEN ready OR status <> 'running' THEN status ELSE 'building' END,
			error, updated_at, ready
		FROM control.projections
		UNION ALL
		SELECT b.projection, b.version, b.generation, b.seq, CASE WHEN coalesce(g.error, '') = '' THEN 'building' ELSE 'failed' END,
			coalesce(g.error, ''), coalesce(g.updated_at, b.started_at), false
		FROM control.builds b LEFT JOIN control.progress g USING (projection, generation)
		WHERE b.purpose = 'rebuild' AND NOT EXISTS (
			SELECT 1 FROM control.projections c WHERE c.projection = b.projection AND c.version = b.version)`)
	if err != nil {
		return nil, fmt.Errorf("projection status: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Status, error) {
		var st Status
		var seq int64
		err := row.Scan(&st.Name, &st.Version, &st.Generation, &seq, &st.Status, &st.Error, &st.UpdatedAt, &st.ready)
		st.Position, st.UpdatedAt = uint64(seq), st.UpdatedAt.UTC()
		return st, err
	})
	if err != nil {
		return nil, fmt.Errorf("projection status: %w", err)
	}
	out := map[string]Status{}
	for _, st := range list {
		if p, err := s.named(st.Name); err == nil && p.Version == st.Version {
			out[st.Name] = st
		}
	}
	return out, nil
}

// Ready is nil once every projection of this version may be read; else ErrBuilding
// with the positions in the details.
func (s *Store) Ready(ctx context.Context) error {
	list, err := s.Status(ctx)
	if err != nil {
		return err
	}
	positions, stopped := map[string]any{}, ""
	for _, st := range list {
		if st.ready {
			continue
		}
		positions[st.Name] = st.Position
		if st.Status != "building" && stopped == "" {
			stopped = st.Name
		}
	}
	switch {
	case len(positions) == 0:
		return nil
	case stopped != "":
		return ErrBuilding.With(positions, "the first build of %s has stopped; its status says why", stopped)
	}
	return ErrBuilding.With(positions, "%d read models are being built", len(positions))
}

// stopReason turns what stopped a projection into its status.
func stopReason(err error) string {
	var d *divergedError
	if errors.As(err, &d) {
		return statusDiverged
	}
	return statusFailed
}
