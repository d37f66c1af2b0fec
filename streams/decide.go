package streams

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"sozai/domain"
)

// Result is what a decision left in the log.
type Result struct {
	Events []domain.Recorded
	// Seq is the sequence of the last event, or the newest folded one of the
	// agent's decisions if there was nothing to do.
	Seq uint64
	// Replayed says that the command had been carried out before; Events are
	// those of the first time.
	Replayed bool
}

// maxTries bounds how often a decision is made again after a conflict.
const maxTries = 10

// Decide calls decide with the folded state and the time of the decision, and
// appends what it returns under the guards of the subjects it writes: as one
// atomic batch if there are several events. After a conflict with another
// process it folds again and decides again; a refusal is only believed on a
// state that was read up to the log's end. A command that was carried out
// before gets its first events. ErrBusy and ErrContended mean that nothing was
// recorded. decide runs under the agent's lock, must not
// keep or change the state, may run more than once, and may return no events.
func (l *Log) Decide(ctx context.Context, key domain.Key, cmd Command, decide func(s *State, now time.Time) ([]domain.Decision, error)) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if err := l.check(key, cmd, l.now()); err != nil {
		return Result{}, err
	}
	f := l.fold(key)
	if err := f.acquire(ctx); err != nil {
		return Result{}, err
	}
	defer f.release()
	if err := l.verify(ctx, f, false); err != nil {
		return Result{}, err
	}
	fresh := false // the fold was read up to the log's end
	for range maxTries {
		if !f.loaded {
			if _, err := l.catchUp(ctx, key, f); err != nil {
				return Result{}, err
			}
			fresh = true
		}
		if done, ok := f.commands[cmd.ID]; ok {
			events, err := l.recall(ctx, done)
			return Result{Events: events, Seq: done.last, Replayed: true}, err
		}
		now := l.now().UTC()
		decisions, refusal := decide(&f.state, now)
		if refusal != nil || len(decisions) == 0 {
			if !fresh {
				fresh = true
				moved, err := l.catchUp(ctx, key, f)
				if err != nil {
					return Result{}, err
				}
				if moved {
					continue
				}
			}
			return Result{Seq: f.newest.seq}, refusal
		}
		events := make([]domain.Recorded, len(decisions))
		guards := make([]guard, 0, foldedKinds)
		for i, d := range decisions {
			events[i] = l.record(key, cmd, now, d)
			guards = guardOf(guards, events[i].Kind, f)
		}
		last, err := l.append(events, guards)
		switch {
		case err == nil:
			number(events, last)
			if events[0].Seq <= f.newest.seq {
				f.reset() // the log was rewound in this very moment
				return Result{Events: events, Seq: last}, nil
			}
			for _, e := range events {
				if err := f.apply(e, now); err != nil {
					f.reset()
					return Result{}, err
				}
			}
			return Result{Events: events, Seq: last}, nil
		case IsConflict(err), isDuplicate(err), errors.Is(err, ErrLogUnavailable):
			// A conflict: decide again on the newer state. A duplicate or a lost
			// reply: the earlier try may be in the log, which only the log can say.
			// Or the fold is of a log that was rewound.
			unknown := errors.Is(err, ErrLogUnavailable)
			asked := l.verify(ctx, f, true)
			if asked == nil {
				_, asked = l.catchUp(ctx, key, f)
			}
			if asked != nil {
				if unknown {
					return Result{}, err
				}
				return Result{}, asked
			}
			fresh = true
			if _, done := f.commands[cmd.ID]; unknown && !done {
				return Result{}, err
			}
			pause(ctx)
		default:
			return Result{}, err
		}
	}
	return Result{}, ErrContended
}

// guard is what the last sequence of a kind's subject must be.
type guard struct {
	kind domain.Kind
	seq  uint64
}

// guardOf adds the guard of a kind, once.
func guardOf(guards []guard, kind domain.Kind, f *fold) []guard {
	for _, g := range guards {
		if g.kind == kind {
			return guards
		}
	}
	i, _ := place(kind)
	return append(guards, guard{kind: kind, seq: f.heads[i]})
}

// pause waits a random moment of up to 5 ms, so that losers of a race spread.
func pause(ctx context.Context) {
	t := time.NewTimer(time.Duration(rand.Int64N(int64(5 * time.Millisecond))))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
