package projections

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sozai/domain"
	"sozai/streams/fault"
)

// build is a generation under way. A build of generation 0 is the serving one,
// filled in large chunks because it lies far behind.
type build struct {
	target
	upto  uint64 // apply nothing beyond; 0: no bound
	seq   atomic.Uint64
	goal  atomic.Uint64 // what it works towards now, for those who watch
	first uint64        // where this process began,
	begun time.Time     // and when

	ctx    context.Context // ends when this one is cancelled or stopped
	cancel context.CancelCauseFunc
	reason error // after the pass: why it stopped
}

// stopped is why a build does not go on, nil if it does.
func (b *build) stopped() error {
	if b.ctx.Err() == nil {
		return nil
	}
	return context.Cause(b.ctx)
}

func (b *build) rate() float64 {
	if spent := time.Since(b.begun).Seconds(); spent > 0 {
		return float64(b.seq.Load()-b.first) / spent
	}
	return 0
}

func (b *build) report(done bool) RebuildProgress {
	seq, goal, rate := b.seq.Load(), b.goal.Load(), b.rate()
	return RebuildProgress{
		Projection: b.Name, Generation: b.build, Seq: seq, Target: max(goal, seq), Rate: rate, Done: done,
		ETA: eta(goal-min(goal, seq), rate),
	}
}

func lowest(builds []*build) uint64 {
	low := builds[0].seq.Load()
	for _, b := range builds {
		low = min(low, b.seq.Load())
	}
	return low
}

// pass is one reading of the log for several builds.
type pass struct {
	*Runner
	lease    *lease // nil: it is short and needs no slots
	builds   []*build
	key      domain.Key // zero: all agents
	most     int        // events to read at most; 0: no bound
	read     int        // events read so far
	carry    bool
	progress func(RebuildProgress)
	reported time.Time
}

// run runs work while it keeps the record of the builds and cancels those that
// somebody wants cancelled. Why single builds stopped is left in them.
func (p *pass) run(ctx context.Context, work func(ctx context.Context) error) error {
	for _, b := range p.builds {
		b.ctx, b.cancel = context.WithCancelCause(ctx)
		defer b.cancel(nil)
	}
	reading, end := context.WithCancelCause(ctx)
	defer end(nil)
	var watcher sync.WaitGroup
	watching, stop := context.WithCancel(reading)
	watcher.Go(func() { p.watch(watching, end) })
	err := work(reading)
	stop()
	watcher.Wait()
	if ctx.Err() != nil { // then no build has a reason of its own
		return ctx.Err()
	}
	if err != nil && !errors.Is(context.Cause(reading), errNobodyLeft) {
		return err
	}
	for _, b := range p.builds {
		if b.reason = b.stopped(); b.reason != nil {
			if err := p.leave(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// reasons says why builds stopped, nil if none did.
func (p *pass) reasons() error {
	var all []error
	for _, b := range p.builds {
		if b.reason != nil {
			all = append(all, b.reason)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// leave drops a cancelled build and records why any other stopped.
func (p *pass) leave(ctx context.Context, b *build) error {
	switch {
	case b.build == 0:
		return nil
	case errors.Is(b.reason, ErrBuildCancelled):
		return p.store.drop(ctx, b.Name, b.build)
	}
	_, err := p.store.pool.Exec(ctx, `UPDATE control.progress SET error = $3, updated_at = now() WHERE projection = $1 AND generation = $2`,
		b.Name, b.build, clean(b.reason.Error()))
	if err != nil {
		return fmt.Errorf("record why %s stopped: %w", b.Name, err)
	}
	return nil
}

// watch keeps the record of the builds until ctx ends; if all are cancelled it
// ends the reading.
func (p *pass) watch(ctx context.Context, end context.CancelCauseFunc) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, b := range p.going(p.builds) {
			if b.build == 0 {
				continue
			}
			if err := p.note(ctx, b); err != nil && ctx.Err() == nil {
				p.logger.Warn("projections: record of a build", "projection", b.Name, "error", err)
			}
		}
		if len(p.going(p.builds)) == 0 {
			end(errNobodyLeft)
		}
	}
}

// note records where a build stands. If somebody wants it cancelled it is stopped
// and dropped at once, however long the others of the pass will take.
func (p *pass) note(ctx context.Context, b *build) error {
	var cancelled bool
	err := p.store.pool.QueryRow(ctx, `
		UPDATE control.progress SET target = $3, rate = $4, updated_at = now()
		WHERE projection = $1 AND generation = $2 RETURNING cancelled`,
		b.Name, b.build, int64(b.goal.Load()), b.rate()).Scan(&cancelled)
	if errors.Is(err, pgx.ErrNoRows) { // it has been finished
		return nil
	}
	if err != nil || !cancelled {
		return err
	}
	b.cancel(ErrBuildCancelled.With(map[string]any{"projection": b.Name}, "the build of %s was cancelled", b.Name))
	return p.store.drop(ctx, b.Name, b.build)
}

// going lists those builds that have not stopped.
func (p *pass) going(builds []*build) []*build {
	var out []*build
	for _, b := range builds {
		if b.stopped() == nil {
			out = append(out, b)
		}
	}
	return out
}

// approach fills the builds until the log's end is near.
func (p *pass) approach(ctx context.Context, builds []*build) error {
	for {
		builds = p.going(builds)
		if len(builds) == 0 {
			return nil
		}
		last, err := p.log.Last(ctx)
		if err != nil {
			return fmt.Errorf("end of the log: %w", err)
		}
		from := lowest(builds)
		if last <= from+nearEnough && from > 0 || last <= from {
			return nil
		}
		if err := p.fill(ctx, builds, last); err != nil {
			return err
		}
	}
}

// errNobodyLeft ends a reading whose builds have all stopped.
var errNobodyLeft = errors.New("every build has stopped")

// piece is a part of the log on its way to builds: events that follow the one at
// after, which nobody changes any more.
type piece struct {
	after  uint64
	events []domain.Recorded
}

// fill applies the log to builds up to a sequence, each at its own pace: who is
// through with a piece takes the next, which is read meanwhile, so that nobody waits
// for the slowest before it is two pieces behind. It fails if the log or the locks are
// gone; what happens to one build stops that build.
func (p *pass) fill(ctx context.Context, builds []*build, upto uint64) error {
	queues := make([]chan piece, len(builds))
	turns := make(chan struct{}, buildSlots)
	g, gctx := errgroup.WithContext(ctx)
	for i, b := range builds {
		b.goal.Store(upto)
		queues[i] = make(chan piece, 1)
		g.Go(func() error { return p.consume(gctx, b, queues[i], turns) })
	}
	g.Go(func() error {
		defer func() {
			for _, queue := range queues {
				close(queue)
			}
		}()
		return p.cut(gctx, lowest(builds), upto, func(c piece) error {
			if len(p.going(builds)) == 0 {
				return errNobodyLeft
			}
			for _, queue := range queues {
				select {
				case queue <- c:
				case <-gctx.Done():
					return gctx.Err()
				}
			}
			p.tell(builds)
			return nil
		})
	})
	if err := g.Wait(); !errors.Is(err, errNobodyLeft) { // of these; others of the pass may go on
		return err
	}
	return nil
}

// cut reads the log in pieces of the size of a chunk.
func (p *pass) cut(ctx context.Context, after, upto uint64, each func(c piece) error) error {
	c := piece{after: after, events: make([]domain.Recorded, 0, p.buildChunk)}
	err := p.log.Read(ctx, after, upto, p.key, nil, func(events []domain.Recorded) error {
		p.read += len(events)
		if p.most > 0 && p.read > p.most {
			return ErrTooLong.With(map[string]any{"most": p.most}, "there are more than %d events; `sozai rebuild --as-of` makes tables of them", p.most)
		}
		for len(events) > 0 {
			n := min(p.buildChunk-len(c.events), len(events))
			c.events = append(c.events, events[:n]...)
			events = events[n:]
			if len(c.events) < p.buildChunk {
				continue
			}
			if err := each(c); err != nil {
				return err
			}
			c = piece{after: c.events[len(c.events)-1].Seq, events: make([]domain.Recorded, 0, p.buildChunk)}
		}
		return nil
	})
	if err != nil || len(c.events) == 0 {
		return err
	}
	return each(c)
}

// consume applies pieces to a build; those that come after it has stopped are lost
// on it. turns bounds how many builds apply at once.
func (p *pass) consume(ctx context.Context, b *build, queue <-chan piece, turns chan struct{}) error {
	for c := range queue {
		if b.stopped() != nil {
			continue
		}
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := p.apply(ctx, b, c.after, c.events)
		<-turns
		if err != nil {
			return err
		}
		fault.Point("build.chunk")
	}
	return nil
}

// tell reports the builds that go on, unless it just has.
func (p *pass) tell(builds []*build) {
	if p.progress == nil || time.Since(p.reported) < progressEvery {
		return
	}
	p.reported = time.Now()
	for _, b := range p.going(builds) {
		p.progress(b.report(false))
	}
}

// apply applies a chunk to one build, again and again while the trouble may pass;
// what does not pass stops the build. An error is the end of the whole pass.
func (p *pass) apply(ctx context.Context, b *build, after uint64, chunk []domain.Recorded) error {
	for b.upto > 0 && len(chunk) > 0 && chunk[len(chunk)-1].Seq > b.upto {
		chunk = chunk[:len(chunk)-1]
	}
	if len(chunk) == 0 || b.seq.Load() >= chunk[len(chunk)-1].Seq {
		return nil
	}
	if p.lease != nil {
		free, err := p.lease.slot(b.ctx)
		if err != nil {
			return whole(ctx, b, err)
		}
		defer free()
	}
	begun, carried := time.Now(), uint64(0)
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		c, err := p.store.apply(b.ctx, b.target, p.log.Identity(), after, chunk)
		if err == nil {
			b.seq.Store(max(b.seq.Load(), c.seq))
			return nil
		}
		var poison *PoisonError
		var diverged *divergedError
		if errors.As(err, &poison) && p.carry && poison.Seq > carried {
			known, failed := p.store.carryOver(b.ctx, b, poison, chunk)
			if failed == nil && known {
				carried = poison.Seq
				continue
			}
			err = errors.Join(err, failed)
		}
		switch {
		case b.ctx.Err() != nil:
			return whole(ctx, b, context.Cause(b.ctx))
		case poison != nil, errors.As(err, &diverged), errors.Is(err, errGap), isDefect(err), time.Since(begun) > retryFor:
			b.cancel(err)
			return nil
		}
		p.logger.Warn("projections: trying again", "projection", b.Name, "build", b.build, "error", err)
		select {
		case <-b.ctx.Done():
			return whole(ctx, b, context.Cause(b.ctx))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// whole tells the end of one build (nil) from that of the pass.
func whole(ctx context.Context, b *build, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if b.ctx.Err() != nil {
		return nil
	}
	return err
}
