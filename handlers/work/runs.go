package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/streams"
)

// begun is a run's attempt that the log has accepted.
type begun struct {
	run     run.Run // as folded after the start
	attempt int
	seq     uint64 // of run.started
}

// begin starts an attempt of a run. ok is false when there is nothing to work
// on; the job has been answered then.
func (w *Workers) begin(ctx context.Context, job *streams.Job, id domain.ID) (b begun, ok bool) {
	log := w.Logger.With("run", id, "agent", job.Agent)
	var current run.Run
	known := false
	err := w.Log.View(ctx, job.Key, func(s *streams.State) error {
		if r := s.Run.Runs[id]; r != nil {
			current, known = *r, true
		}
		return nil
	})
	switch {
	case errors.Is(err, streams.ErrNoAgent), err == nil && !known:
		// A slot that the log knows nothing about cannot be worked on.
		log.Error("work without a run in the log; slot freed")
		w.settle(ctx, job, "")
		return b, false
	case err != nil:
		log.Error("read run", "error", err)
		w.back(ctx, job, time.Second)
		return b, false
	case current.Finished != nil:
		w.settle(ctx, job, id)
		return b, false
	case current.Live && w.aliveElsewhere(ctx, id, current.Attempt):
		w.back(ctx, job, w.Queue.AckWait()/5)
		return b, false
	}
	result, err := w.Log.Decide(ctx, job.Key, streams.Command{ID: string(w.Log.NewID()), Actor: domain.Worker(w.Name)},
		func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
			return s.Run.Start(id, job.Seq, s.Gene.Version)
		})
	switch {
	case errors.Is(err, run.ErrFinished):
		w.settle(ctx, job, id)
		return b, false
	case err != nil:
		log.Error("start attempt", "error", err)
		w.back(ctx, job, time.Second)
		return b, false
	}
	for _, r := range result.Events {
		switch e := r.Event.(type) {
		case run.Started:
			b.attempt, b.seq = e.Attempt, r.Seq
			b.run = current
			b.run.Attempt, b.run.GeneVersion, b.run.Live = e.Attempt, e.GeneVersion, true
			return b, true
		case run.Finished:
			log.Warn("run ended", "outcome", e.Outcome, "reason", e.Reason)
		}
	}
	w.settle(ctx, job, id)
	return b, false
}

// runJob is one delivery of a run: it starts an attempt, lets play work on it
// and appends how it ended. play's context ends when the attempt does; what it
// returns then is the partial result.
func (w *Workers) runJob(ctx context.Context, job *streams.Job, id domain.ID, play func(ctx context.Context, b begun) (run.Finished, error)) {
	b, ok := w.begin(ctx, job, id)
	if !ok {
		return
	}
	log := w.Logger.With("run", id, "agent", job.Agent, "attempt", b.attempt)
	log.Info("attempt started", "work", b.run.Requested.Work, "gene_version", b.run.GeneVersion)
	hold := w.hold(ctx, job, id, b.attempt)
	finished, err := guard(func() (run.Finished, error) { return play(hold.ctx, b) })
	why := hold.cause()
	hold.release()

	switch {
	case errors.Is(why, errFenced):
		log.Warn("attempt fenced; its worker stops without a word")
		return
	case errors.Is(why, errDraining):
		w.handOver(ctx, job, id, func(s *streams.State) ([]domain.Decision, error) {
			return s.Run.Lose(id, b.attempt, run.HandedOver)
		})
		return
	case err != nil && !errors.Is(why, errCancelled):
		log.Error("attempt failed", "error", err)
		if finished.Outcome == "" {
			finished.Outcome, finished.Reason, finished.Summary = run.Failed, failure(err), explain(err)
		}
	}
	finished.Run, finished.Attempt = id, b.attempt
	if errors.Is(why, errCancelled) {
		finished.Outcome = run.Cancelled
	}
	if w.finish(ctx, job, id, b.attempt, finished) {
		w.settle(ctx, job, id)
		log.Info("run finished", "outcome", finished.Outcome, "reason", finished.Reason)
	}
}

// finish appends run.finished; false means that the attempt was not ours any
// more or the log did not answer: the slot stays, for whoever takes over.
func (w *Workers) finish(ctx context.Context, job *streams.Job, id domain.ID, attempt int, finished run.Finished) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*lastWord)
	defer cancel()
	_, err := w.Log.Decide(ctx, job.Key,
		streams.Command{ID: fmt.Sprintf("%s/%d/finish", id, attempt), Actor: domain.Worker(w.Name)},
		func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
			f := finished
			if r := s.Run.Runs[id]; r != nil && r.Cancel != "" {
				f.Outcome, f.Reason = run.Cancelled, cancelReason(r.Cancel)
			}
			return s.Run.Finish(f)
		})
	if err != nil {
		w.Logger.Warn("finish refused", "run", id, "attempt", attempt, "error", err)
		return false
	}
	return true
}

func cancelReason(cause string) run.Reason {
	if cause == string(run.ReasonPeopleCame) {
		return run.ReasonPeopleCame
	}
	return run.ReasonCancelled
}

// handOver closes the attempt of a draining worker and gives its job to the
// next one at once. It does not count as a lost attempt.
func (w *Workers) handOver(ctx context.Context, job *streams.Job, id domain.ID, lose func(s *streams.State) ([]domain.Decision, error)) {
	over, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer cancel()
	_, err := w.Log.Decide(over, job.Key, streams.Command{ID: string(w.Log.NewID()), Actor: domain.Worker(w.Name)},
		func(s *streams.State, _ time.Time) ([]domain.Decision, error) { return lose(s) })
	if err != nil {
		w.Logger.Warn("hand over", "id", id, "error", err)
		return
	}
	if err := w.Alive.Clear(over, id); err != nil {
		w.Logger.Warn("clear liveness key", "id", id, "error", err)
	}
	w.back(ctx, job, 0)
}

// failure is the end reason of an error that play returned.
func failure(err error) run.Reason {
	switch domain.CodeOf(err) {
	case domain.Invalid, domain.NotFound, domain.Unprocessable, domain.Forbidden:
		return run.ReasonInput
	case domain.TooMany, domain.Unavailable:
		return run.ReasonSource
	default:
		return run.ReasonInternal
	}
}

// explain is what people read about an error: its own sentence if it was
// written for them.
func explain(err error) string {
	var e *domain.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return "内部错误，已记录 · an internal error, it has been logged"
}

// guard turns a panic into an error, so that one run's defect ends that run only.
func guard[T any](play func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return play()
}

// unable ends runs of a kind that this build has no worker for.
func (w *Workers) unable(ctx context.Context, job *streams.Job) {
	w.runJob(ctx, job, domain.ID(job.ID), func(context.Context, begun) (run.Finished, error) {
		return run.Finished{}, domain.Errorf(domain.Unprocessable,
			"这个版本还不能执行「%s」任务 · this version cannot carry out %s runs yet", job.Work, job.Work)
	})
}
