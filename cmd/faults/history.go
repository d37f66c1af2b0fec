package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/streams"
)

// history is the whole log, read by an independent reader.
type history struct {
	events []domain.Recorded
	agents []domain.Key
}

// readLog opens the log as a fresh process would and reads it all.
func readLog(ctx context.Context, nc *nats.Conn) (*history, *streams.Log, error) {
	log, err := streams.Open(ctx, nc, streams.Config{Replicas: 1})
	if err != nil {
		return nil, nil, err
	}
	h := &history{}
	known := map[domain.Key]bool{}
	err = log.Read(ctx, 0, 0, domain.Key{}, nil, func(events []domain.Recorded) error {
		for _, e := range events {
			h.events = append(h.events, e)
			if !known[e.Key] {
				known[e.Key] = true
				h.agents = append(h.agents, e.Key)
			}
		}
		return nil
	})
	return h, log, err
}

// attempts tells, walking the log, which attempt of a run or turn is live.
type attempts struct {
	last map[domain.ID]int
	live map[domain.ID]bool
	done map[domain.ID]bool
}

func newAttempts() *attempts {
	return &attempts{last: map[domain.ID]int{}, live: map[domain.ID]bool{}, done: map[domain.ID]bool{}}
}

// see takes an event into account.
func (a *attempts) see(e domain.Event) {
	switch v := e.(type) {
	case run.Started:
		a.last[v.Run], a.live[v.Run] = v.Attempt, true
	case turn.Started:
		a.last[v.Turn], a.live[v.Turn] = v.Attempt, true
	case run.AttemptLost:
		a.live[v.Run] = false
	case turn.AttemptLost:
		a.live[v.Turn] = false
	case run.Finished:
		a.live[v.Run], a.done[v.Run] = false, true
	case turn.Finished:
		a.live[v.Turn], a.done[v.Turn] = false, true
	}
}

// counts says whether a fact of an attempt still counts.
func (a *attempts) counts(id domain.ID, attempt int) bool {
	return id == "" || a.live[id] && a.last[id] == attempt
}

// kept are the materials whose fact counts, in log order, and how many facts came
// too late.
func (h *history) kept() (kept []library.Saved, keys []domain.Key, late int) {
	at := newAttempts()
	for _, e := range h.events {
		at.see(e.Event)
		saved, ok := e.Event.(library.Saved)
		if !ok {
			continue
		}
		if !at.counts(saved.Run, saved.Attempt) {
			late++
			continue
		}
		kept, keys = append(kept, saved), append(keys, e.Key)
	}
	return kept, keys, late
}

// waiting says what keeps the system from being quiet: open runs and turns,
// unanswered messages, occupied slots, events that nobody dispatched. It returns
// how far the log goes.
func waiting(ctx context.Context, nc *nats.Conn) (last uint64, err error) {
	h, log, err := readLog(ctx, nc)
	if err != nil {
		return 0, err
	}
	for _, key := range h.agents {
		err := log.View(ctx, key, func(s *streams.State) error {
			for _, r := range s.Run.Open() {
				return fmt.Errorf("run %s (%s) is open, attempt %d, live %t", r.ID, r.Work, r.Attempt, r.Live)
			}
			if t := s.Turn.Current; t != nil {
				return fmt.Errorf("turn %s is open, attempt %d, live %t", t.ID, t.Attempt, t.Live)
			}
			for _, m := range s.Chat.After(s.Turn.Settled) {
				return fmt.Errorf("message %s waits for an answer", m.ID)
			}
			return nil
		})
		if err != nil && !errors.Is(err, streams.ErrNoAgent) {
			return 0, err
		}
	}
	return uint64(len(h.events)), undone(ctx, nc)
}

// undone looks at the queue and at the dispatcher.
func undone(ctx context.Context, nc *nats.Conn) error {
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(2*time.Second))
	if err != nil {
		return err
	}
	work, err := js.Stream(ctx, streams.WorkStream)
	if err != nil {
		return err
	}
	if n := work.CachedInfo().State.Msgs; n > 0 {
		return fmt.Errorf("%d slots are occupied", n)
	}
	events, err := js.Stream(ctx, streams.EventsStream)
	if err != nil {
		return err
	}
	for info := range events.ListConsumers(ctx).Info() {
		if info.Config.Durable != "" && info.NumPending+uint64(max(info.NumAckPending, 0)) > 0 { //nolint:gosec // not negative
			return fmt.Errorf("consumer %s has %d events to come and %d in hand", info.Name, info.NumPending, info.NumAckPending)
		}
	}
	return nil
}
