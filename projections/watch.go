package projections

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	watchInterval = 500 * time.Millisecond // look for stopped projections that may go on
	checkInterval = 5 * time.Second        // look whether log and database are still the same
	sweepInterval = time.Minute
)

// watch ends the session when a stopped projection may go on, the log was put in
// place of another or the database has lost what it had committed. It says that
// this version is in use, and drops what nobody needs any more.
func (s *session) watch(ctx context.Context, restart context.CancelCauseFunc) {
	look, check, sweep := time.NewTicker(watchInterval), time.NewTicker(checkInterval), time.NewTicker(sweepInterval)
	defer look.Stop()
	defer check.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			if err := errors.Join(s.store.touch(ctx), s.store.sweep(ctx, grace)); err != nil && ctx.Err() == nil {
				s.logger.Warn("projections: sweep", "error", err)
			}
		case <-check.C:
			if s.replaced(ctx) || s.undone(ctx) {
				restart(errRestart)
				return
			}
		case <-look.C:
			if s.mayGoOn(ctx) {
				restart(errRestart)
				return
			}
		}
	}
}

// replaced reports whether what was applied last is not in the log any more: a
// reader of such a log would wait for ever for the next event.
func (s *session) replaced(ctx context.Context) bool {
	s.turn.Lock()
	at := stamp(s.log.Identity())
	at.seq, at.event = s.cursor, s.event
	s.turn.Unlock()
	if at.event == "" {
		return false
	}
	last, err := s.log.Last(ctx)
	if err != nil {
		return false
	}
	var diverged *divergedError
	return errors.As(at.check(ctx, s.log, last), &diverged)
}

// undone reports whether a projection stands before what was committed: commits are
// not flushed, so a database that crashes loses the last of them. The next event
// would show it, but there may be none for long.
func (s *session) undone(ctx context.Context) bool {
	s.turn.Lock()
	defer s.turn.Unlock()
	var names []string
	var versions []int
	var seqs []int64
	for _, st := range s.going() {
		names, versions, seqs = append(names, st.Name), append(versions, st.Version), append(seqs, int64(st.seq)) //nolint:gosec // a sequence
	}
	var behind bool
	err := s.store.pool.QueryRow(ctx, `SELECT EXISTS (
		SELECT FROM control.projections p, unnest($1::text[], $2::int[], $3::bigint[]) AS n (projection, version, seq)
		WHERE (p.projection, p.version) = (n.projection, n.version) AND p.seq < n.seq)`, names, versions, seqs).Scan(&behind)
	return err == nil && behind
}

// mayGoOn reports whether a stopped projection should be tried again: it failed a
// while ago, or a rebuild has given it another generation.
func (s *session) mayGoOn(ctx context.Context) bool {
	for _, st := range s.states {
		st.mu.Lock()
		stopped, since, generation := st.stopped, st.since, st.generation
		st.mu.Unlock()
		if stopped == nil {
			continue
		}
		if stopReason(stopped) == statusFailed && time.Since(since) > failedPause {
			return true
		}
		var serving int
		err := s.store.pool.QueryRow(ctx, `SELECT generation FROM control.projections WHERE projection = $1 AND version = $2`,
			st.Name, st.Version).Scan(&serving)
		if err == nil && serving != generation {
			return true
		}
	}
	return false
}

// touch says that runners of this version exist.
func (s *Store) touch(ctx context.Context) error {
	for _, p := range s.list {
		if _, err := s.pool.Exec(ctx, `UPDATE control.projections SET seen_at = now() WHERE projection = $1 AND version = $2`,
			p.Name, p.Version); err != nil {
			return fmt.Errorf("touch %s: %w", p.Name, err)
		}
	}
	return nil
}
