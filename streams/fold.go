package streams

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

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

// folded are the kinds that State is folded from.
var folded = []domain.Kind{domain.KindAgent, domain.KindGene, domain.KindRun, domain.KindTurn, domain.KindChat}

func (s *State) evolve(r domain.Recorded) (err error) {
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
	default:
		return nil
	}
	if err != nil {
		return fmt.Errorf("fold %s/%s: event %d: %w", r.Product, r.Agent, r.Seq, err)
	}
	return nil
}

// fold is one agent's cached state. mu serialises decisions on the agent in
// this process; the guard in the log catches other processes.
type fold struct {
	mu     sync.Mutex
	loaded bool
	state  State
	// heads is the last folded sequence of each subject: the next guard.
	heads map[domain.Kind]uint64
	// commands are the events of each command of the last days, so that a
	// repeated one gets its first answer from the log.
	commands map[string][]domain.Recorded
}

// maxFolds bounds the cache; beyond it idle folds are dropped and read again.
const maxFolds = 20_000

func (l *Log) fold(key domain.Key) *fold {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.folds[key]
	if ok {
		return f
	}
	if len(l.folds) >= maxFolds {
		for k, old := range l.folds {
			if old.mu.TryLock() {
				delete(l.folds, k)
				old.mu.Unlock()
				break
			}
		}
	}
	f = &fold{}
	f.reset()
	l.folds[key] = f
	return f
}

func (f *fold) reset() {
	f.loaded, f.state = false, State{}
	f.heads = map[domain.Kind]uint64{}
	f.commands = map[string][]domain.Recorded{}
}

func (f *fold) apply(r domain.Recorded, now time.Time) error {
	if r.Seq <= f.heads[r.Kind] {
		return nil
	}
	if poison, ok := r.Event.(Poison); ok {
		return fmt.Errorf("fold %s/%s: %w", r.Product, r.Agent, poison.Err)
	}
	if err := f.state.evolve(r); err != nil {
		return err
	}
	f.heads[r.Kind] = r.Seq
	if r.Kind != domain.KindChat && now.Sub(r.Time) < domain.CommandLifetime {
		f.commands[r.Command] = append(f.commands[r.Command], r)
	}
	return nil
}

// catchUp folds what the log has beyond the cache and reports whether there was
// anything. The caller holds f.mu. After an error the fold starts afresh.
func (l *Log) catchUp(ctx context.Context, key domain.Key, f *fold) (moved bool, err error) {
	defer func() {
		if err != nil {
			f.reset()
		}
	}()
	now := l.now()
	if !f.loaded {
		err := l.Read(ctx, 0, 0, key, folded, func(events []domain.Recorded) error {
			for _, r := range events {
				if err := f.apply(r, now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		f.loaded = true
		return true, nil
	}
	for _, kind := range folded {
		for {
			r, ok, err := l.next(ctx, key, kind, f.heads[kind])
			if err != nil {
				return moved, err
			}
			if !ok {
				break
			}
			if err := f.apply(r, now); err != nil {
				return moved, err
			}
			moved = true
		}
	}
	return moved, nil
}

// next reads, from the leader, the first event of a subject after a sequence.
func (l *Log) next(ctx context.Context, key domain.Key, kind domain.Kind, after uint64) (domain.Recorded, bool, error) {
	subject := eventSubject(key, kind)
	msg, err := l.stream.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(subject))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return domain.Recorded{}, false, nil
	}
	if err != nil {
		return domain.Recorded{}, false, fmt.Errorf("read %s after %d: %w", subject, after, err)
	}
	return l.codec.decodeOrPoison(msg.Subject, msg.Header, msg.Data, msg.Sequence), true, nil
}

// View folds up to the log's end and calls see under the agent's lock; the
// state must not be kept or changed. ErrNoAgent if the agent does not exist.
func (l *Log) View(ctx context.Context, key domain.Key, see func(s *State) error) error {
	if err := checkKey(key); err != nil {
		return err
	}
	f := l.fold(key)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := l.catchUp(ctx, key, f); err != nil {
		return err
	}
	if !f.state.Agent.Exists {
		return ErrNoAgent
	}
	return see(&f.state)
}
