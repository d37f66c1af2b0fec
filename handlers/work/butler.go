package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sozai/agents/butler"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/streams"
	"sozai/streams/fault"
)

// butler works on an agent's one butler slot: the open turn if there is one,
// then unanswered messages, then an open digest; one of them a job. Afterwards
// it looks at the log's end for more.
func (w *Workers) butler(ctx context.Context, job *streams.Job) {
	var current *turn.Turn
	waiting := false
	var digest domain.ID
	err := w.Log.View(ctx, job.Key, func(s *streams.State) error {
		if s.Turn.Current != nil {
			copied := *s.Turn.Current
			current = &copied
		}
		waiting = len(s.Chat.After(s.Turn.Settled)) > 0
		digest = openDigest(s)
		return nil
	})
	switch {
	case errors.Is(err, streams.ErrNoAgent):
		w.settle(ctx, job, "")
		return
	case err != nil:
		w.Logger.Error("read room", "agent", job.Agent, "error", err)
		w.back(ctx, job, time.Second)
		return
	case current != nil && current.Live && w.aliveElsewhere(ctx, current.ID, current.Attempt):
		w.back(ctx, job, w.Queue.AckWait()/5)
		return
	case current != nil:
		w.turn(ctx, job, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
			return s.Turn.Resume(job.Seq)
		})
	case waiting:
		id := w.Log.NewID()
		w.turn(ctx, job, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
			return startTurn(s, id, job.Seq)
		})
	case digest != "":
		w.digest(ctx, job, digest)
	default:
		w.settle(ctx, job, "")
	}
	w.lookForMore(ctx, job.Key)
}

// startTurn covers every message that nobody has answered yet.
func startTurn(s *streams.State, id domain.ID, slot uint64) ([]domain.Decision, error) {
	open := s.Chat.After(s.Turn.Settled)
	if len(open) == 0 {
		return nil, nil
	}
	started := turn.Started{Turn: id, Attempt: 1, Slot: slot, GeneVersion: s.Gene.Version}
	for _, m := range open {
		started.Messages = append(started.Messages, m.ID)
	}
	started.Upto = started.Messages[len(started.Messages)-1]
	return s.Turn.Start(started)
}

// lookForMore offers the slot again if the log's end has more for it: messages
// that came during the turn, or a digest that waited.
func (w *Workers) lookForMore(ctx context.Context, key domain.Key) {
	if ctx.Err() != nil {
		return // draining: the job was given back, or the reconciler offers it
	}
	if err := w.offerRoom(ctx, key); err != nil {
		w.Logger.Error("look for more", "agent", key.Agent, "error", err)
	}
}

// turn starts (or resumes) an attempt of a turn, plays it and appends how it ended.
func (w *Workers) turn(ctx context.Context, job *streams.Job, start func(s *streams.State, now time.Time) ([]domain.Decision, error)) {
	result, err := w.Log.Decide(ctx, job.Key, streams.Command{ID: string(w.Log.NewID()), Actor: domain.Worker(w.Name)}, start)
	if err != nil {
		w.Logger.Error("start turn", "agent", job.Agent, "error", err)
		w.back(ctx, job, time.Second)
		return
	}
	var t butler.Turn
	var upto domain.ID
	for _, r := range result.Events {
		if e, ok := r.Event.(turn.Started); ok {
			t = butler.Turn{
				Key: job.Key, Turn: e.Turn, Attempt: e.Attempt, Started: r.Seq,
				Messages: e.Messages, GeneVersion: e.GeneVersion,
			}
			upto = e.Upto
		}
	}
	if t.Turn == "" {
		// Nothing to answer any more, or the third lost attempt ended the turn.
		w.settle(ctx, job, "")
		return
	}
	log := w.Logger.With("turn", t.Turn, "agent", job.Agent, "attempt", t.Attempt)
	log.Info("turn started", "messages", len(t.Messages))
	fault.Point("turn.started")
	room := w.openRoom(job.Key, t.Turn, t.Attempt)
	p, why := playOut(w.hold(ctx, job, t.Turn, t.Attempt), func(ctx context.Context) (turn.Finished, error) {
		return butler.Chat(ctx, w.shiftEnv(job.Key, "", t.Attempt), t, room.show)
	})
	finished, err := p.result, p.err
	if p.abandoned {
		log.Warn("turn left behind: it does not notice that it ended", "why", why)
		if text := room.soFar().Text; text != "" { // what people have read stays
			finished.Blocks = []turn.Block{{Type: turn.Text, Text: text}}
		}
	}
	room.close()

	switch {
	case errors.Is(why, errFenced):
		log.Warn("turn fenced; its worker stops without a word")
		return
	case errors.Is(why, errDraining):
		w.handOver(ctx, job, t.Turn, func(s *streams.State) ([]domain.Decision, error) {
			return s.Turn.Lose(t.Turn, t.Attempt, run.HandedOver)
		})
		return
	case err != nil:
		log.Error("turn failed", "error", err)
		finished.Reason = string(run.ReasonInternal)
		finished.Blocks = append(finished.Blocks, turn.Block{Type: turn.Note, Text: explain(err)})
	case errors.Is(why, errCancelled):
		finished.Reason = turn.Stopped
	}
	finished.Turn, finished.Attempt, finished.Upto = t.Turn, t.Attempt, upto
	fault.Point("turn.finishing")
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*lastWord)
	defer cancel()
	_, err = w.Log.Decide(last, job.Key,
		streams.Command{ID: fmt.Sprintf("%s/%d/finish", t.Turn, t.Attempt), Actor: domain.Butler(t.Turn)},
		func(s *streams.State, _ time.Time) ([]domain.Decision, error) { return s.Turn.Finish(finished) })
	if err != nil {
		log.Warn("finish refused", "error", err)
		return
	}
	fault.Point("turn.finished")
	w.settle(ctx, job, t.Turn)
	log.Info("turn finished", "reason", finished.Reason)
}

// digest works on a digest run in the butler's slot.
func (w *Workers) digest(ctx context.Context, job *streams.Job, id domain.ID) {
	w.runJob(ctx, job, id, func(ctx context.Context, b begun) (run.Finished, error) {
		return butler.Digest(ctx, w.shiftEnv(job.Key, id, b.attempt), butler.Run{
			Key: job.Key, Run: id, Attempt: b.attempt, Started: b.seq, GeneVersion: b.run.GeneVersion,
		})
	})
}

// shiftEnv is what a shift needs; run is empty for a turn.
func (w *Workers) shiftEnv(key domain.Key, run domain.ID, attempt int) butler.Env {
	return butler.Env{
		Log: w.Log, Store: w.Store, Model: w.Model, Names: w.Names,
		Analyzer: w.Catalogue.For(video.Who{Product: key.Product, Agent: key.Agent, Run: run, Attempt: attempt}),
		Worker:   domain.Worker(w.Name), PlainDigest: w.PlainDigest, Logger: w.Logger,
	}
}
