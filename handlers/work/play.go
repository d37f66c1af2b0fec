package work

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"sozai/streams"
	"sozai/streams/fault"
)

// played is what play came to. abandoned says that it was left behind: it had
// not noticed in time that its context ended. What it still appends is
// refused by its context, or late.
type played[T any] struct {
	result    T
	err       error
	abandoned bool
}

// grace is how long work may take to notice that its attempt ended: 3 s. Nothing
// is heartbeaten meanwhile, so with the beat before it and the last word after
// it, it stays below AckWait.
func (w *Workers) grace() time.Duration { return w.Queue.AckWait() * 3 / 10 }

// playOut lets play work until it is done or, after the attempt has ended, its
// grace is over. It ends the heartbeats.
func playOut[T any](a *attempt, play func(ctx context.Context) (T, error)) (p played[T], why error) {
	done := make(chan played[T], 1)
	go func() {
		var p played[T]
		p.err = shielded(func() (err error) {
			p.result, err = play(a.ctx)
			return err
		})
		done <- p
	}()
	select {
	case p = <-done:
	case <-a.ctx.Done():
		late := time.NewTimer(a.w.grace())
		defer late.Stop()
		select {
		case p = <-done:
		case <-late.C:
			p.abandoned = true
		}
	}
	why = a.cause()
	a.release()
	return p, why
}

// shielded turns a panic into an error, so that a defect ends only what it is in.
func shielded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// safely shields the process from a defect in the handling of a job. The job is
// not answered: another delivery tries again.
func (w *Workers) safely(work func(context.Context, *streams.Job)) func(context.Context, *streams.Job) {
	return func(ctx context.Context, job *streams.Job) {
		fault.Point("job.taken")
		err := shielded(func() error { work(ctx, job); return nil })
		if err != nil {
			w.Logger.Error("job", "work", job.Work, "agent", job.Agent, "id", job.ID, "error", err)
		}
	}
}
