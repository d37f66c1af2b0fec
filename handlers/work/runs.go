package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sozai/agents/effect"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/streams"
	"sozai/streams/fault"
)

// begun is a run's attempt that the log has accepted.
type begun struct {
	run     run.Run // as folded after the start
	attempt int
	seq     uint64 // of run.started
}

// begin starts an attempt of a run. ok is false when there is nothing to work
// on; the job has been answered then. It decides on the fold as it stands: what
// that does not know yet, the guard and the refusal's second look find out.
func (w *Workers) begin(ctx context.Context, job *streams.Job, id domain.ID) (b begun, ok bool) {
	log := w.Logger.With("run", id, "agent", job.Agent)
	cmd := streams.Command{ID: string(w.Log.NewID()), Actor: domain.Worker(w.Name)}
	silent := 0 // the live attempt, if its worker gives no sign of life
	for {
		var current run.Run
		result, err := w.Log.Decide(ctx, job.Key, cmd, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
			if r := s.Run.Runs[id]; r != nil {
				if current = *r; r.Live && r.Attempt != silent {
					return nil, errLive
				}
			}
			return s.Run.Start(id, job.Seq, s.Gene.Version)
		})
		switch {
		case errors.Is(err, errLive):
			if w.aliveElsewhere(ctx, id, current.Attempt) {
				w.back(ctx, job, w.Queue.AckWait()/5)
				return b, false
			}
			silent = current.Attempt
			continue
		case errors.Is(err, run.ErrFinished):
			w.settle(ctx, job, id)
			return b, false
		case errors.Is(err, run.ErrUnknown):
			// A slot that the log knows nothing about cannot be worked on.
			log.Error("work without a run in the log; slot freed")
			w.settle(ctx, job, "")
			return b, false
		case err != nil:
			if ctx.Err() == nil {
				log.Error("start attempt", "error", err)
			}
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
}

// errLive: the log says that an attempt is being worked on.
var errLive = errors.New("an attempt is live")

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
	fault.Point("run.started")
	p, why := playOut(w.hold(ctx, job, id, b.attempt), func(ctx context.Context) (run.Finished, error) { return play(ctx, b) })
	finished, err := p.result, p.err
	if p.abandoned {
		log.Warn("attempt left behind: it does not notice that it ended", "why", why)
	}

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
	fault.Point("run.finishing")
	if w.finish(ctx, job, id, b.attempt, finished) {
		fault.Point("run.finished")
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
	if err := job.Later(over, 0); err != nil {
		w.Logger.Warn("give job back", "work", job.Work, "agent", job.Agent, "error", err)
	}
	fault.Point("handed.over")
}

// failure is the end reason of an error that play returned.
func failure(err error) run.Reason {
	if errors.Is(err, effect.ErrUnknown) {
		return run.ReasonSource
	}
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
