package work

import (
	"context"
	"errors"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/run"
	"sozai/streams"
	"sozai/streams/fault"
)

// chatRetry is how often a message whose room is being answered is offered again.
const chatRetry = time.Second

// justNow is the age below which an event is taken for open without a look at
// the fold. Should it have ended all the same, whoever gets the slot frees it.
const justNow = 2 * time.Second

// dispatch turns run.requested and chat.said into slots. It folds before it
// offers, so that nothing finished is asked for again, unless the event has only
// just been recorded.
func (w *Workers) dispatch(ctx context.Context) error {
	kinds := []domain.Kind{domain.KindRun, domain.KindChat}
	return w.Log.Dispatch(ctx, w.Deployment, w.Products, kinds, func(ctx context.Context, r domain.Recorded) (time.Duration, error) {
		var again time.Duration
		err := shielded(func() (err error) {
			again, err = w.dispatchOne(ctx, r)
			return err
		})
		if err != nil && ctx.Err() == nil {
			w.Logger.Error("dispatch", "event", r.Seq, "error", err)
		}
		return again, err
	})
}

func (w *Workers) dispatchOne(ctx context.Context, r domain.Recorded) (again time.Duration, err error) {
	switch e := r.Event.(type) {
	case run.Requested:
		if fresh(r) {
			_, err := w.offer(ctx, slotOf(r.Key, e.Work, e.Run))
			return 0, err
		}
		return 0, w.offerRun(ctx, r.Key, e.Run)
	case chat.Said:
		if fresh(r) {
			if taken, err := w.offer(ctx, slotOf(r.Key, run.Digest, "")); err != nil || !taken {
				return 0, err
			}
		}
		return w.offerChat(ctx, r.Key, e.Message)
	}
	return 0, nil
}

func fresh(r domain.Recorded) bool { return time.Since(r.Time) < justNow }

func (w *Workers) offer(ctx context.Context, slot streams.Slot) (taken bool, err error) {
	fault.Point("offer.before")
	taken, err = w.Queue.Offer(ctx, slot)
	fault.Point("offer.after")
	return taken, err
}

// offerRun offers the slot of an open run; a taken slot is someone's already.
func (w *Workers) offerRun(ctx context.Context, key domain.Key, id domain.ID) error {
	var kind run.Work
	err := w.Log.View(ctx, key, func(s *streams.State) error {
		if r := s.Run.Runs[id]; r != nil && r.Finished == nil {
			kind = r.Requested.Work
		}
		return nil
	})
	if err != nil || kind == "" {
		return gone(err)
	}
	_, err = w.offer(ctx, slotOf(key, kind, id))
	return err
}

// offerChat offers the butler's slot for an unanswered message. While the slot
// is taken the message comes back every second, until a turn covers it; a digest
// that holds the slot is asked to make way.
func (w *Workers) offerChat(ctx context.Context, key domain.Key, message domain.ID) (again time.Duration, err error) {
	waiting := false
	var digest domain.ID
	err = w.Log.View(ctx, key, func(s *streams.State) error {
		for _, m := range s.Chat.After(s.Turn.Settled) {
			waiting = waiting || m.ID == message
		}
		if t := s.Turn.Current; t != nil {
			for _, m := range t.Messages {
				if m == message {
					waiting = false // the running turn answers it
				}
			}
		}
		digest = liveDigest(s)
		return nil
	})
	if err != nil || !waiting {
		return 0, gone(err)
	}
	taken, err := w.offer(ctx, slotOf(key, run.Digest, ""))
	if err != nil || !taken {
		return 0, err
	}
	if digest != "" {
		if err := w.makeWay(ctx, key, digest); err != nil {
			return 0, err
		}
	}
	return chatRetry, nil
}

func liveDigest(s *streams.State) domain.ID {
	for _, r := range s.Run.Open() {
		if r.Requested.Work == run.Digest && r.Live && r.Cancel == "" {
			return r.ID
		}
	}
	return ""
}

func (w *Workers) makeWay(ctx context.Context, key domain.Key, digest domain.ID) error {
	_, err := w.Log.Decide(ctx, key, streams.Command{ID: string(digest) + "/people_came", Actor: domain.System("dispatcher")},
		func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
			return s.Run.RequestCancel(digest, string(run.ReasonPeopleCame))
		})
	if errors.Is(err, run.ErrFinished) {
		return nil
	}
	return err
}

// slotOf is where a run's work waits: chat and digest share the agent's one
// butler slot.
func slotOf(key domain.Key, kind run.Work, id domain.ID) streams.Slot {
	if kind == run.Digest {
		return streams.Slot{Key: key, Work: streams.Butler, ID: "-"}
	}
	return streams.Slot{Key: key, Work: streams.Work(kind), ID: string(id)}
}

// gone swallows the error of an agent that is not there: nothing to do then.
func gone(err error) error {
	if errors.Is(err, streams.ErrNoAgent) {
		return nil
	}
	return err
}
