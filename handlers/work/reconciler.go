package work

import (
	"context"
	"errors"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// reconcile offers, at the start and every ten seconds, the slot of every open
// run and unanswered message: whatever was lost between an event and its slot
// is made good here. Slots that exist refuse the offer. It also asks for the
// digests that are due, and expires what no timer woke.
func (w *Workers) reconcile(ctx context.Context) error {
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	for {
		err := w.reconcileOnce(ctx)
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

func (w *Workers) reconcileOnce(ctx context.Context) error {
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
	now := time.Now().UTC()
	inputs, err := w.Store.DigestDue(ctx)
	problems = append(problems, err)
	for _, in := range inputs {
		if w.serves(in.Product) && digestDue(in, now) {
			problems = append(problems, w.askDigest(ctx, in.Key))
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

// digestDue: enough new unsettled items, or one that has waited long enough,
// while the room is quiet and the last digest's card does not wait.
func digestDue(in projections.DigestInputs, now time.Time) bool {
	switch {
	case in.PendingCard != "" || in.Running != "" || in.Fresh == 0:
		return false
	case now.Sub(in.LastSpoke) < domain.DigestQuiet:
		return false
	}
	return in.Fresh >= domain.DigestMinItems || now.Sub(in.Oldest) >= domain.DigestMaxAge
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
	_, err = w.Queue.Offer(ctx, slotOf(key, run.Digest, ""))
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

// askDigest requests a digest run; the domain refuses a second open one.
func (w *Workers) askDigest(ctx context.Context, key domain.Key) error {
	_, err := w.Log.Decide(ctx, key, streams.Command{ID: string(w.Log.NewID()), Actor: domain.System("reconciler")},
		func(s *streams.State, now time.Time) ([]domain.Decision, error) {
			if s.Agent.Archived || butlerWaits(s) {
				return nil, nil
			}
			for _, card := range s.Gene.Cards {
				if card.State == "pending" && card.Proposed.Run != "" {
					return nil, nil // its last card still waits for a person
				}
			}
			return s.Run.Request(run.Requested{Run: w.Log.NewID(), Work: run.Digest, Trigger: run.Threshold}, now)
		})
	return gone(err)
}
