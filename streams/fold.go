package streams

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/chat"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/turn"
)

// State is the fold of one agent's decisions, and of its chat messages.
type State struct {
	Agent agent.State
	Gene  gene.State
	Run   run.State
	Turn  turn.State
	Chat  chat.State
}

// The kinds that State is folded from. Each evolves its own part, so that the
// order of events of different kinds does not matter.
const foldedKinds = 5

func folded() [foldedKinds]domain.Kind {
	return [...]domain.Kind{domain.KindAgent, domain.KindGene, domain.KindRun, domain.KindTurn, domain.KindChat}
}

// place of a kind among the folded ones.
func place(kind domain.Kind) (int, bool) {
	kinds := folded()
	i := slices.Index(kinds[:], kind)
	return i, i >= 0
}

// fold applies one event; poison does not fold.
func (s *State) fold(r domain.Recorded) (err error) {
	if poison, ok := r.Event.(Poison); ok {
		return fmt.Errorf("fold %s/%s: %w", r.Product, r.Agent, poison.Err)
	}
	switch r.Kind {
	case domain.KindAgent:
		s.Agent, err = agent.Evolve(s.Agent, r)
	case domain.KindGene:
		s.Gene, err = gene.Evolve(s.Gene, r)
	case domain.KindRun:
		s.Run, err = run.Evolve(s.Run, r)
	case domain.KindTurn:
		s.Turn, err = turn.Evolve(s.Turn, r)
	case domain.KindChat:
		s.Chat, err = chat.Evolve(s.Chat, r)
	}
	if err != nil {
		return fmt.Errorf("fold %s/%s: event %d: %w", r.Product, r.Agent, r.Seq, err)
	}
	return nil
}

// fold is one agent's cached state. Whoever holds the place in lock decides on
// the agent; the guard in the log catches other processes.
type fold struct {
	lock chan struct{}
	cached
}

// cached is what the lock protects.
type cached struct {
	loaded bool
	state  State
	// heads is the last folded sequence of each subject: the next guard.
	heads [foldedKinds]uint64
	// newest is the newest folded event, and life that of the log in which it was
	// last known to stand.
	newest struct {
		seq uint64
		id  domain.ID
	}
	life uint64
	// commands says where the events of each command of the last days stand, so
	// that a repeated one gets its first answer from the log.
	commands map[string]carried
	sweepAt  int // how many commands make it worth to drop old ones
}

// carried is where the events of a command stand.
type carried struct {
	first, last uint64
	day         int // of their time, since 1970
}

const (
	// maxFolds bounds the cache; beyond it idle folds are dropped and read again.
	maxFolds = 20_000
	// lockWait bounds how long a caller stands in line for an agent.
	lockWait = 5 * time.Second
	// fewEvents of a subject are read one by one, which is quicker than to set up
	// a reader for them.
	fewEvents = 6
)

func (l *Log) fold(key domain.Key) *fold {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.folds[key]
	if ok {
		return f
	}
	if len(l.folds) >= maxFolds {
		for k, old := range l.folds {
			if len(old.lock) == 0 {
				delete(l.folds, k)
				break
			}
		}
	}
	f = &fold{lock: make(chan struct{}, 1)}
	l.folds[key] = f
	return f
}

// acquire waits in line for the agent: ErrBusy if that takes too long, as when
// the log does not answer to those before.
func (f *fold) acquire(ctx context.Context) error {
	select {
	case f.lock <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(lockWait)
	defer timer.Stop()
	select {
	case f.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ErrBusy
	}
}

func (f *fold) release() { <-f.lock }

func (f *fold) reset() { f.cached = cached{} }

func (f *fold) apply(r domain.Recorded, now time.Time) error {
	i, ok := place(r.Kind)
	if !ok || r.Seq <= f.heads[i] {
		return nil
	}
	if err := f.state.fold(r); err != nil {
		return err
	}
	f.heads[i] = r.Seq
	if r.Seq > f.newest.seq {
		f.newest.seq, f.newest.id = r.Seq, r.ID
	}
	if r.Kind != domain.KindChat && now.Sub(r.Time) < domain.CommandLifetime {
		f.remember(r, now)
	}
	return nil
}

const day = 24 * time.Hour

// commandDays is the lifetime of a command in days.
const commandDays = int(domain.CommandLifetime / day)

func dayOf(t time.Time) int { return int(t.Unix() / int64(day/time.Second)) }

// remember notes where a command's events stand. They were one batch, so they
// are consecutive, though kinds are folded one after the other.
func (f *fold) remember(r domain.Recorded, now time.Time) {
	if f.commands == nil {
		f.commands = map[string]carried{}
	}
	c, today := carried{first: r.Seq, last: r.Seq, day: dayOf(r.Time)}, dayOf(now)
	if known, ok := f.commands[r.Command]; ok && today-known.day <= commandDays {
		c.first, c.last = min(c.first, known.first), max(c.last, known.last)
	}
	f.commands[r.Command] = c
	if len(f.commands) > max(f.sweepAt, 256) {
		for id, c := range f.commands {
			if today-c.day > commandDays {
				delete(f.commands, id)
			}
		}
		f.sweepAt = 2 * len(f.commands)
	}
}

// View folds up to the log's end and calls see under the agent's lock; the
// state must not be kept or changed. ErrNoAgent if the agent does not exist,
// ErrBusy if others hold the agent for too long.
func (l *Log) View(ctx context.Context, key domain.Key, see func(s *State) error) error {
	if err := checkKey(key); err != nil {
		return err
	}
	f := l.fold(key)
	if err := f.acquire(ctx); err != nil {
		return err
	}
	defer f.release()
	if err := l.verify(ctx, f, false); err != nil {
		return err
	}
	if _, err := l.catchUp(ctx, key, f); err != nil {
		return err
	}
	if !f.state.Agent.Exists {
		return ErrNoAgent
	}
	return see(&f.state)
}
