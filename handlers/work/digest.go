package work

import (
	"context"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// digestTimer is the name of an agent's timer for its next digest.
const digestTimer = "digest"

// digestAt is when the digest is due, on what is known now: enough new unsettled
// items wait, or the oldest of them has waited long enough, and the room is quiet
// or empty. False while a digest runs, its card waits, or nothing is new.
func digestAt(in projections.DigestInputs, empty bool) (at time.Time, ok bool) {
	if in.PendingCard != "" || in.Running != "" || in.Fresh == 0 {
		return at, false
	}
	if in.Fresh < domain.DigestMinItems {
		at = in.Oldest.Add(domain.DigestMaxAge)
	}
	if quiet := in.LastSpoke.Add(domain.DigestQuiet); !empty && quiet.After(at) {
		at = quiet
	}
	return at, true
}

// lookAtDigest asks for an agent's digest if it is due, and arms its timer if it
// will be. A timer that fires too early only looks again, so one that is armed
// is never moved to a later time: a busy room would move it with every message.
func (w *Workers) lookAtDigest(ctx context.Context, in projections.DigestInputs, now time.Time, armed map[domain.Key]time.Time) error {
	at, ok := digestAt(in, w.here.nobody(in.Key, now))
	switch {
	case !ok:
		return nil
	case !at.After(now):
		return w.askDigest(ctx, in.Key)
	}
	if known, is := armed[in.Key]; is && known.After(now) && !known.After(at) {
		return nil
	}
	if err := w.Timers.Arm(ctx, in.Key, digestTimer, at); err != nil {
		return err
	}
	armed[in.Key] = at
	return nil
}

// digestFired looks at the read model of an agent whose digest timer fired.
func (w *Workers) digestFired(ctx context.Context, key domain.Key) error {
	in, err := w.Store.DigestInputs(ctx, key)
	if err != nil {
		return err
	}
	return w.lookAtDigest(ctx, in, w.now(), map[domain.Key]time.Time{})
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
