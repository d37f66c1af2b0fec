package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/domain"
)

const (
	applyChunk    = 500                    // events a transaction
	applyAtOnce   = 4                      // projections that apply at the same time
	retryFirst    = 20 * time.Millisecond  // pause after trouble that may pass,
	retryMost     = 2 * time.Second        // doubled up to this,
	retryFor      = 30 * time.Second       // before the projection is stopped as failed,
	failedPause   = 30 * time.Second       // to be tried again after this
	restartFirst  = 100 * time.Millisecond // pause after the feed broke, doubled up to
	restartMost   = 5 * time.Second        // this while it breaks again at once
	watchInterval = 500 * time.Millisecond // look for stopped projections that may go on
	sweepInterval = time.Minute
)

// errRestart ends a session so that the next begins at the right position.
var errRestart = errors.New("start again from the positions")

// Runner keeps the projections up with the log: one ordered reader, one decode,
// each projection in transactions of its own. Any number of runners may work on
// one database.
type Runner struct {
	store  *Store
	log    Log
	logger *slog.Logger
}

// NewRunner applies to the store's generations and wakes its waiting readers.
func NewRunner(store *Store, log Log, logger *slog.Logger) *Runner {
	return &Runner{store: store, log: log, logger: logger}
}

// Run follows the log until ctx ends; it then returns nil. A projection that does
// not match the log or fails is stopped, visibly, while the others go on.
func (r *Runner) Run(ctx context.Context) error {
	defer r.store.attach()()
	pause := restartFirst
	for {
		begun := time.Now()
		err := r.session(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, errRestart) {
			continue
		}
		if time.Since(begun) > restartMost {
			pause = restartFirst
		}
		r.logger.Error("projections: the feed broke", "error", err, "again_in", pause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, restartMost)
	}
}

// session follows the log once.
func (r *Runner) session(ctx context.Context) error {
	s, err := r.prepare(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watcher sync.WaitGroup
	watcher.Go(func() { s.watch(ctx, cancel) })
	defer watcher.Wait()
	defer cancel(nil)
	if len(s.going()) == 0 {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	err = r.log.Follow(ctx, s.cursor, func(events []domain.Recorded) error { return s.apply(ctx, events) })
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err == nil {
		err = errors.New("the feed ended")
	}
	return err
}

// CatchUp applies the log up to its present end and returns. It is an error if a
// projection is or gets stopped.
func (r *Runner) CatchUp(ctx context.Context) error {
	s, err := r.prepare(ctx)
	if err != nil {
		return err
	}
	if err := r.log.Read(ctx, s.cursor, s.last, domain.Key{}, nil, func(events []domain.Recorded) error {
		return s.apply(ctx, events)
	}); err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	var all []error
	for _, st := range s.states {
		if st.stopped != nil {
			all = append(all, fmt.Errorf("%s: %w", st.Name, st.stopped))
		}
	}
	return errors.Join(all...)
}

// session is one pass over the log from the lowest position.
type session struct {
	*Runner
	cursor uint64 // last sequence delivered
	last   uint64 // the log's end when the session began
	states []*progress
}

// progress is a projection within a session.
type progress struct {
	target
	mu         sync.Mutex
	seq        uint64
	generation int
	ready      bool
	stopped    error
	since      time.Time
}

// prepare makes missing generations, checks every position against the log and
// finds where to begin.
func (r *Runner) prepare(ctx context.Context) (*session, error) {
	last, err := r.log.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("end of the log: %w", err)
	}
	s := &session{Runner: r, last: last, cursor: last}
	for _, p := range r.store.list {
		c, err := r.store.ensure(ctx, p, r.log.Identity())
		if err != nil {
			return nil, err
		}
		st := &progress{target: target{Projection: p}, seq: c.seq, generation: c.generation, ready: c.ready}
		s.states = append(s.states, st)
		err = c.check(ctx, r.log, last)
		var diverged *divergedError
		switch {
		case errors.As(err, &diverged):
			if err := s.stop(ctx, st, err); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, err
		}
		if err := r.store.setStatus(ctx, p, statusRunning, ""); err != nil {
			return nil, err
		}
		if c.seq == 0 {
			if err := r.store.adopt(ctx, p, r.log.Identity()); err != nil {
				return nil, err
			}
		}
		if err := s.passed(ctx, st, c.seq); err != nil {
			return nil, err
		}
		s.cursor = min(s.cursor, c.seq)
	}
	return s, nil
}

// passed notes a position, wakes readers, and opens a generation that has caught up.
func (s *session) passed(ctx context.Context, st *progress, seq uint64) error {
	st.seq = seq
	if !st.ready && seq >= s.last {
		if err := s.store.markReady(ctx, st.Projection); err != nil {
			return err
		}
		st.ready = true
	}
	if seq > 0 {
		s.store.moved(st.Name, seq)
	}
	return nil
}

// stop takes a projection out of the session and says so to everyone who asks.
func (s *session) stop(ctx context.Context, st *progress, reason error) error {
	st.mu.Lock()
	st.stopped, st.since = reason, time.Now()
	st.mu.Unlock()
	s.logger.Error("projections: stopped", "projection", st.Name, "error", reason)
	err := s.store.setStatus(ctx, st.Projection, stopReason(reason), reason.Error())
	s.store.moved(st.Name, 0)
	return err
}

// going lists the projections that have not stopped.
func (s *session) going() []*progress {
	var out []*progress
	for _, st := range s.states {
		st.mu.Lock()
		if st.stopped == nil {
			out = append(out, st)
		}
		st.mu.Unlock()
	}
	return out
}

// apply brings all projections to the end of a batch.
func (s *session) apply(ctx context.Context, events []domain.Recorded) error {
	for len(events) > 0 {
		chunk := events[:min(applyChunk, len(events))]
		events = events[len(chunk):]
		end := chunk[len(chunk)-1].Seq
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(applyAtOnce)
		for _, st := range s.going() {
			if st.seq < end {
				g.Go(func() error { return s.applyTo(gctx, st, chunk) })
			}
		}
		if err := g.Wait(); err != nil {
			return err
		}
		s.cursor = end
	}
	return nil
}

// applyTo applies a chunk to one projection, again and again while the trouble
// may pass.
func (s *session) applyTo(ctx context.Context, st *progress, chunk []domain.Recorded) error {
	begun := time.Now()
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		c, err := s.store.apply(ctx, st.target, s.log.Identity(), s.cursor, chunk)
		if err == nil {
			return s.passed(ctx, st, c.seq)
		}
		var diverged *divergedError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errGap):
			return errRestart
		case errors.As(err, &diverged), isDefect(err), time.Since(begun) > retryFor:
			return s.stop(ctx, st, err)
		}
		s.logger.Warn("projections: trying again", "projection", st.Name, "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// watch ends the session when a stopped projection may go on, says that this
// version is in use, and drops what nobody needs any more.
func (s *session) watch(ctx context.Context, restart context.CancelCauseFunc) {
	look, sweep := time.NewTicker(watchInterval), time.NewTicker(sweepInterval)
	defer look.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			if err := errors.Join(s.store.touch(ctx), s.store.sweep(ctx, grace)); err != nil && ctx.Err() == nil {
				s.logger.Warn("projections: sweep", "error", err)
			}
		case <-look.C:
			if s.mayGoOn(ctx) {
				restart(errRestart)
				return
			}
		}
	}
}

// mayGoOn reports whether a stopped projection should be tried again: it failed a
// while ago, or a rebuild has given it another generation.
func (s *session) mayGoOn(ctx context.Context) bool {
	for _, st := range s.states {
		st.mu.Lock()
		stopped, since := st.stopped, st.since
		st.mu.Unlock()
		if stopped == nil {
			continue
		}
		if stopReason(stopped) == statusFailed && time.Since(since) > failedPause {
			return true
		}
		var generation int
		err := s.store.pool.QueryRow(ctx, `SELECT generation FROM control.projections WHERE projection = $1 AND version = $2`,
			st.Name, st.Version).Scan(&generation)
		if err == nil && generation != st.generation {
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
