package work

import (
	"context"
	"errors"
	"time"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
	"sozai/streams"
	"sozai/streams/fault"
)

// Why an attempt's context was cancelled.
var (
	errFenced    = errors.New("the attempt is not ours any more")
	errCancelled = errors.New("asked to stop")
	errDraining  = errors.New("this worker is shutting down")
)

// attempt is one worker's hold on a run or turn.
type attempt struct {
	w   *Workers
	job *streams.Job
	id  domain.ID // of the run or turn
	n   int       // the fence

	ctx    context.Context //nolint:containedctx // the life of the attempt, ended by its watcher
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// hold begins to heartbeat and to watch for the end of the attempt. ctx is the
// process's: when it ends, the attempt is drained.
func (w *Workers) hold(ctx context.Context, job *streams.Job, id domain.ID, n int) *attempt {
	a := &attempt{w: w, job: job, id: id, n: n, done: make(chan struct{})}
	a.ctx, a.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	watch := w.Hub.Watch(job.Key)
	go func() {
		defer close(a.done)
		defer watch.Close()
		a.keep(ctx, watch)
	}()
	return a
}

// release ends the heartbeats; the caller has the last word on the job.
func (a *attempt) release() {
	a.cancel(context.Canceled)
	<-a.done
}

// cause says why the attempt's context ended; nil while it lives.
func (a *attempt) cause() error { return context.Cause(a.ctx) }

// keep heartbeats at once and at every three tenths of AckWait, and cancels the
// attempt when two thirds of it pass without a confirmation by both the server
// and the log.
func (a *attempt) keep(process context.Context, watch *streams.Watch) {
	wait := a.w.Queue.AckWait()
	beat := time.NewTicker(wait * 3 / 10)
	defer beat.Stop()
	limit := time.Now().Add(wait * 2 / 3)
	fence := time.NewTimer(wait * 2 / 3)
	defer fence.Stop()
	events := watch.C
	for first := true; ; first = false {
		if !first {
			select {
			case <-a.ctx.Done():
				return
			case <-process.Done():
				a.cancel(errDraining)
				return
			case <-fence.C:
				a.cancel(errFenced)
				return
			case some, ok := <-events:
				if !ok {
					// Too slow for the hub, or the hub stopped: the heartbeat's
					// fold sees the same, a little later.
					events = nil
				}
				for _, r := range some {
					a.mark(r)
					if why := a.ends(r); why != nil {
						a.cancel(why)
						return
					}
				}
				continue
			case <-beat.C:
			}
		}
		why, ok := a.beat(limit)
		if why != nil {
			a.cancel(why)
			return
		}
		if ok {
			limit = time.Now().Add(wait * 2 / 3)
			fence.Reset(wait * 2 / 3)
		}
	}
}

// mark passes the fault suite's points inside an attempt.
func (a *attempt) mark(r domain.Recorded) {
	var made, round domain.ID // the run that made something, the turn that went a round
	switch e := r.Event.(type) {
	case library.Saved:
		made = e.Run
	case library.BoardCreated:
		made = e.Run
	case library.FilmRendered:
		made = e.Run
	case step.Recorded:
		round = e.Turn
	}
	switch a.id {
	case made:
		fault.Point("run.saved")
	case round:
		fault.Point("turn.round")
	}
}

// ends reports whether an event ends or stops this attempt.
func (a *attempt) ends(r domain.Recorded) error {
	switch e := r.Event.(type) {
	case run.CancelRequested:
		if e.Run == a.id {
			return errCancelled
		}
	case turn.StopRequested:
		if e.Turn == a.id {
			return errCancelled
		}
	case run.Started:
		if e.Run == a.id && e.Attempt > a.n {
			return errFenced
		}
	case turn.Started:
		if e.Turn == a.id && e.Attempt > a.n {
			return errFenced
		}
	case run.AttemptLost:
		if e.Run == a.id && e.Attempt >= a.n {
			return errFenced
		}
	case turn.AttemptLost:
		if e.Turn == a.id && e.Attempt >= a.n {
			return errFenced
		}
	case run.Finished:
		if e.Run == a.id && e.Attempt != a.n {
			return errFenced
		}
	}
	return nil
}

// beat re-reads the log, then tells the server and refreshes the liveness key:
// a worker that is fenced must not hold up the redelivery.
func (a *attempt) beat(limit time.Time) (why error, ok bool) {
	ctx, cancel := context.WithDeadline(a.ctx, limit)
	defer cancel()
	err := a.w.Log.View(ctx, a.job.Key, func(s *streams.State) error {
		if r := s.Run.Runs[a.id]; r != nil {
			switch {
			case r.Finished != nil || !r.Live || r.Attempt != a.n:
				why = errFenced
			case r.Cancel != "":
				why = errCancelled
			}
			return nil
		}
		switch t := s.Turn.Current; {
		case t == nil || t.ID != a.id || !t.Live || t.Attempt != a.n:
			why = errFenced
		case t.Stop:
			why = errCancelled
		}
		return nil
	})
	if err != nil || why != nil {
		return why, false
	}
	if err := a.job.Heartbeat(ctx); err != nil {
		return nil, false
	}
	if err := a.w.Alive.Set(ctx, a.id, streams.Beat{Attempt: a.n, Worker: a.w.Name}); err != nil {
		return nil, false
	}
	return nil, true
}

// aliveElsewhere reports whether another delivery of the same work is going on.
func (w *Workers) aliveElsewhere(ctx context.Context, id domain.ID, n int) bool {
	beat, ok, err := w.Alive.Get(ctx, id)
	return err == nil && ok && beat.Attempt == n
}

// settle has the last word on a job whose end stands in the log: the liveness
// key goes, the slot is freed.
func (w *Workers) settle(ctx context.Context, job *streams.Job, id domain.ID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer cancel()
	if id != "" {
		if err := w.Alive.Clear(ctx, id); err != nil {
			w.Logger.Warn("clear liveness key", "id", id, "error", err)
		}
	}
	if err := job.Done(ctx); err != nil {
		w.Logger.Warn("free slot", "id", id, "error", err)
	}
}

// back gives a job back for another delivery after d; at once if this worker is
// shutting down.
func (w *Workers) back(ctx context.Context, job *streams.Job, d time.Duration) {
	if ctx.Err() != nil {
		d = 0
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer cancel()
	if err := job.Later(ctx, d); err != nil {
		w.Logger.Warn("give job back", "work", job.Work, "agent", job.Agent, "error", err)
	}
}

// lastWord bounds what a worker still does after its context ended. With grace
// it stays below the ten seconds in which a draining process hands over.
const lastWord = 5 * time.Second
