package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sozai/domain"
)

const (
	applyChunk   = 500                    // events a transaction
	applyAtOnce  = 4                      // projections that apply at the same time
	retryFirst   = 20 * time.Millisecond  // pause after trouble that may pass,
	retryMost    = 2 * time.Second        // doubled up to this,
	retryFor     = 30 * time.Second       // before the projection is stopped as failed,
	failedPause  = 30 * time.Second       // to be tried again after this
	restartFirst = 100 * time.Millisecond // pause after the feed broke, doubled up to
	restartMost  = 5 * time.Second        // this while it breaks again at once
)

// errRestart ends a session so that the next begins at the right position.
var errRestart = errors.New("start again from the positions")

// Runner keeps the projections up with the log: one ordered reader, one decode,
// each projection in transactions of its own. Any number of runners may work on
// one database.
type Runner struct {
	store      *Store
	log        Log
	logger     *slog.Logger
	buildChunk int
}

// NewRunner applies to the store's generations and wakes its waiting readers.
func NewRunner(store *Store, log Log, logger *slog.Logger) *Runner {
	return &Runner{store: store, log: log, logger: logger, buildChunk: buildChunk}
}

// Run follows the log until ctx ends; it then returns nil. A projection that does
// not match the log or fails is stopped, visibly, while the others go on; one that
// lies far behind is filled beside them.
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
	var helpers sync.WaitGroup
	helpers.Go(func() { s.watch(ctx, cancel) })
	helpers.Go(func() {
		if err := s.beside(ctx); err != nil {
			cancel(err)
		}
	})
	defer helpers.Wait()
	defer cancel(nil)
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
	if err := s.beside(ctx); err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	if err := r.log.Read(ctx, s.cursor, s.last, domain.Key{}, nil, func(events []domain.Recorded) error {
		return s.apply(ctx, events)
	}); err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	var all []error
	for _, st := range s.states {
		if err := st.halted(); err != nil {
			all = append(all, fmt.Errorf("%s: %w", st.Name, err))
		}
	}
	return errors.Join(all...)
}

// session is one pass over the log from the lowest position of those that are
// near its end.
type session struct {
	*Runner
	last   uint64 // the log's end when the session began
	states []*progress

	turn   sync.Mutex // held while a chunk is applied, or a projection joins
	cursor uint64     // last sequence applied,
	event  domain.ID  // and its event; "": not known
}

// progress is a projection within a session. Until it has joined it is the
// business of beside, after that of whoever has the session's turn.
type progress struct {
	target
	seq   uint64
	ready bool

	mu         sync.Mutex // of what the watcher looks at too
	generation int        // 0: there is none yet
	joined     bool       // applies what the session reads
	stopped    error
	since      time.Time
}

// halted is why the projection has stopped, nil if it has not.
func (st *progress) halted() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.stopped
}

// prepare checks every position against the log and finds where to begin. Those
// that lie far behind, or have no generation yet, join later (beside).
func (r *Runner) prepare(ctx context.Context) (*session, error) {
	last, err := r.log.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("end of the log: %w", err)
	}
	s := &session{Runner: r, last: last, cursor: last}
	for _, p := range r.store.list {
		st := &progress{target: target{Projection: p, memory: newMemory(p)}}
		s.states = append(s.states, st)
		c, err := r.store.control(ctx, p)
		if errors.Is(err, pgx.ErrNoRows) && last > 0 {
			continue
		}
		if errors.Is(err, pgx.ErrNoRows) {
			c, err = r.store.ensure(ctx, p, r.log.Identity())
		}
		if err != nil {
			return nil, err
		}
		if err := s.admit(ctx, st, c); err != nil {
			return nil, err
		}
		if st.halted() == nil && last-min(last, c.seq) <= nearEnough {
			st.joined = true
			s.cursor = min(s.cursor, c.seq)
		}
	}
	return s, nil
}

// admit checks a projection's position, and stops it if that is not true of the log.
func (s *session) admit(ctx context.Context, st *progress, c control) error {
	st.seq, st.ready = c.seq, c.ready
	st.mu.Lock()
	st.generation = c.generation
	st.mu.Unlock()
	err := c.check(ctx, s.log, s.last)
	var diverged *divergedError
	switch {
	case errors.As(err, &diverged):
		return s.stop(ctx, st, err)
	case err != nil:
		return err
	}
	if err := s.store.setStatus(ctx, st.Projection, statusRunning, ""); err != nil {
		return err
	}
	if c.seq == 0 {
		if err := s.store.adopt(ctx, st.Projection, s.log.Identity()); err != nil {
			return err
		}
	}
	return s.passed(ctx, st, c.seq)
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
	text := reason.Error()
	if stopReason(reason) == statusDiverged {
		text += "; run `sozai rebuild " + st.Name + "`"
	}
	err := s.store.setStatus(ctx, st.Projection, stopReason(reason), text)
	s.store.moved(st.Name, 0)
	return err
}

// going lists the projections that apply what the session reads.
func (s *session) going() []*progress {
	var out []*progress
	for _, st := range s.states {
		st.mu.Lock()
		if st.stopped == nil && st.joined {
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
		if err := s.applyChunk(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// applyChunk applies a chunk to the projections that look at its kinds and moves
// the positions of the others: together as far as they stand together, each of the
// rest by itself.
func (s *session) applyChunk(ctx context.Context, chunk []domain.Recorded) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	last := chunk[len(chunk)-1]
	var all, idle []*progress
	for _, st := range s.going() {
		if st.seq < last.Seq {
			all = append(all, st)
		}
	}
	if s.event != "" && len(chunk) <= togetherMost {
		var err error
		if all, err = s.together(ctx, all, chunk); err != nil {
			return err
		}
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(applyAtOnce)
	for _, st := range all {
		if s.event != "" && st.seq == s.cursor && !st.concerned(chunk) {
			idle = append(idle, st)
			continue
		}
		g.Go(func() error { return s.applyTo(gctx, st, s.cursor, chunk) })
	}
	if len(idle) > 0 {
		g.Go(func() error { return s.skip(gctx, idle, chunk) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.cursor, s.event = last.Seq, last.ID
	return nil
}

// concerned reports whether the projection looks at any of the events.
func (p Projection) concerned(events []domain.Recorded) bool {
	for _, r := range events {
		if slices.Contains(p.Kinds, r.Kind) {
			return true
		}
	}
	return false
}

// skip moves the positions of projections that a chunk does not concern. One that
// does not stand where this session left it is brought there the long way.
func (s *session) skip(ctx context.Context, idle []*progress, chunk []domain.Recorded) error {
	list := make([]Projection, len(idle))
	for i, st := range idle {
		list[i] = st.Projection
	}
	from, to := stamp(s.log.Identity()), chunk[len(chunk)-1]
	from.seq, from.event = s.cursor, s.event
	moved, err := movePositions(ctx, s.store.pool, list, from, to)
	if err != nil && ctx.Err() == nil {
		s.logger.Warn("projections: moving positions", "error", err)
	}
	for _, st := range idle {
		var err error
		if slices.Contains(moved, st.Name) {
			st.memory.skipped(s.cursor, to.Seq)
			err = s.passed(ctx, st, to.Seq)
		} else {
			err = s.applyTo(ctx, st, s.cursor, chunk)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// skipped notes that the generation's position was moved past events that do not
// concern it, so that what is known of its rows stays.
func (m *memory) skipped(from, to uint64) {
	if m.seq == from {
		m.seq = to
	}
}

// applyTo applies a chunk, which follows the event at after, to one projection,
// again and again while the trouble may pass.
func (s *session) applyTo(ctx context.Context, st *progress, after uint64, chunk []domain.Recorded) error {
	begun := time.Now()
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		c, err := s.store.apply(ctx, st.target, s.log.Identity(), after, chunk)
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
