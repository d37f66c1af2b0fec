package work

import (
	"context"
	"errors"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/streams"
)

// reconcile offers, at the start and every ten seconds, the slot of every open
// run and unanswered message: whatever was lost between an event and its slot
// is made good here. Slots that exist refuse the offer. It also asks for the
// digests that are due, expires what no timer woke, and every minute arms the
// timers that are missing.
func (w *Workers) reconcile(ctx context.Context) error {
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	digests := map[domain.Key]time.Time{} // the timers that this process armed
	var armed time.Time
	for {
		err := shielded(func() error { return w.reconcileOnce(ctx, digests) })
		if err == nil && time.Since(armed) >= rearmEvery {
			if err = shielded(func() error { return w.rearm(ctx) }); err == nil {
				armed = time.Now()
			}
		}
		if err != nil && ctx.Err() == nil && domain.CodeOf(err) != domain.Unavailable { // read models that are being built come soon
			w.Logger.Error("reconcile", "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (w *Workers) reconcileOnce(ctx context.Context, digests map[domain.Key]time.Time) error {
	runs, rooms, err := w.Store.OpenWork(ctx)
	if err != nil {
		return err
	}
	var problems []error
	for _, r := range runs {
		if w.serves(r.Product) {
			problems = append(problems, w.offerRun(ctx, r.Key, r.Run))
		}
	}
	for _, room := range rooms {
		if w.serves(room.Product) {
			problems = append(problems, w.offerRoom(ctx, room.Key))
		}
	}
	now := w.now()
	inputs, err := w.Store.DigestDue(ctx)
	problems = append(problems, err)
	for _, in := range inputs {
		if w.serves(in.Product) {
			problems = append(problems, w.lookAtDigest(ctx, in, now, digests))
		}
	}
	old, err := w.Store.PendingExpiry(ctx, now)
	problems = append(problems, err)
	for _, e := range old {
		if w.serves(e.Product) {
			problems = append(problems, w.due(ctx, streams.Due{Key: e.Key, Name: string(e.Type) + "-" + string(e.ID)}))
		}
	}
	return errors.Join(problems...)
}

func (w *Workers) serves(product string) bool {
	for _, p := range w.Products {
		if p == product {
			return true
		}
	}
	return len(w.Products) == 0
}

// offerRoom offers the butler's slot if the log still has something for it.
func (w *Workers) offerRoom(ctx context.Context, key domain.Key) error {
	waiting := false
	err := w.Log.View(ctx, key, func(s *streams.State) error {
		waiting = butlerWaits(s)
		return nil
	})
	if err != nil || !waiting {
		return gone(err)
	}
	_, err = w.offer(ctx, slotOf(key, run.Digest, ""))
	return err
}

// butlerWaits reports whether the agent's butler has anything to do: an open
// turn, an unanswered message or an open digest.
func butlerWaits(s *streams.State) bool {
	if s.Turn.Current != nil || len(s.Chat.After(s.Turn.Settled)) > 0 {
		return true
	}
	return openDigest(s) != ""
}

func openDigest(s *streams.State) domain.ID {
	for _, r := range s.Run.Open() {
		if r.Requested.Work == run.Digest {
			return r.ID
		}
	}
	return ""
}
