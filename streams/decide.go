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
// before gets its first events. decide runs under the agent's lock, must not
// keep or change the state, may run more than once, and may return no events.
func (l *Log) Decide(ctx context.Context, key domain.Key, cmd Command, decide func(s *State, now time.Time) ([]domain.Decision, error)) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if err := l.check(key, cmd, l.now()); err != nil {
		return Result{}, err
	}
	f := l.fold(key)
	f.mu.Lock()
	defer f.mu.Unlock()
	fresh := !f.loaded
	if fresh {
		if _, err := l.catchUp(ctx, key, f); err != nil {
			return Result{}, err
		}
	}
	for range maxTries {
		if done := f.commands[cmd.ID]; len(done) > 0 {
			return Result{Events: done, Seq: done[len(done)-1].Seq, Replayed: true}, nil
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
			return Result{Seq: f.newest()}, refusal
		}
		events := make([]domain.Recorded, len(decisions))
		guards := map[domain.Kind]uint64{}
		for i, d := range decisions {
			events[i] = l.record(key, cmd, now, d)
			guards[events[i].Kind] = f.heads[events[i].Kind]
		}
		last, err := l.append(ctx, events, guards)
		switch {
		case err == nil:
			number(events, last)
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
			if _, err := l.catchUp(ctx, key, f); err != nil {
				return Result{}, err
			}
			fresh = true
			if errors.Is(err, ErrLogUnavailable) && len(f.commands[cmd.ID]) == 0 {
				return Result{}, err
			}
			pause(ctx)
		default:
			return Result{}, err
		}
	}
	return Result{}, ErrContended
}

func (f *fold) newest() uint64 {
	var seq uint64
	for _, s := range f.heads {
		seq = max(seq, s)
	}
	return seq
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
