package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/oklog/ulid/v2"

	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/chat"
	"sozai/streams"
)

func factsName(callers int) string {
	if callers == 1 {
		return "facts, 1 caller"
	}
	return fmt.Sprintf("facts, %d callers", callers)
}

func tableName(callers int) string { return fmt.Sprintf("facts, %d callers, beside Postgres", callers) }

const beaconsName = "observations in beacons of 50, 8 callers"

const (
	// span is how long one side of one round is hammered.
	span = 1200 * time.Millisecond
	// crowd is how many agents the facts are spread over.
	crowd = 100
	// bodySize is the size of a message's body on the wire.
	bodySize = 400
	// reserve is how many messages are made before a limit is measured, so that
	// making them costs it nothing.
	reserve = 12_000
)

// factsBy measures appending of messages by so many callers.
func factsBy(callers int) func(ctx context.Context, b *bench) error {
	return func(ctx context.Context, b *bench) error {
		p, _, err := b.openLog(ctx)
		if err != nil {
			return err
		}
		var table *eventTable
		if b.wants(tableName(callers)) {
			if table, err = b.openEventTable(ctx, p); err != nil {
				return err
			}
		}
		keys := newCrowd(crowd)
		ours := recordFacts(p, keys, func(int) domain.Fact { return said(bodySize) })
		limit, err := rawFacts(p, keys, func() domain.Fact { return said(bodySize) })
		if err != nil {
			return err
		}
		length := time.Duration(b.size(int(span), int(span/4)))
		if _, err := hammer(ctx, callers, length/4, ours); err != nil { // warm
			return err
		}
		return b.rounds(ctx, func() error {
			mine, err := hammer(ctx, callers, length, ours)
			if err != nil {
				return err
			}
			raw, err := limit(ctx, callers, length)
			if err != nil {
				return err
			}
			b.add(factsName(callers), mine, raw)
			if table == nil {
				return nil
			}
			inserted, err := hammer(ctx, callers, length, table.insert)
			if err != nil {
				return err
			}
			b.add(tableName(callers), mine, inserted)
			return nil
		})
	}
}

// beacons measures beacons of 50 observations, in observations a second.
func beacons(ctx context.Context, b *bench) error {
	const callers, each = 8, 50
	p, _, err := b.openLog(ctx)
	if err != nil {
		return err
	}
	keys := newCrowd(crowd)
	ours := recordFacts(p, keys, func(int) domain.Fact { return beacon(each) })
	limit, err := rawFacts(p, keys, func() domain.Fact { return beacon(each) })
	if err != nil {
		return err
	}
	length := time.Duration(b.size(int(span), int(span/4)))
	return b.rounds(ctx, func() error {
		mine, err := hammer(ctx, callers, length, ours)
		if err != nil {
			return err
		}
		raw, err := limit(ctx, callers, length)
		b.add(beaconsName, mine*each, raw*each)
		return err
	})
}

// newCrowd are the keys of agents; facts need no more of one.
func newCrowd(n int) []domain.Key {
	keys := make([]domain.Key, n)
	for i := range keys {
		keys[i] = domain.Key{Product: product, Agent: newID()}
	}
	return keys
}

func newID() domain.ID { return domain.ID(ulid.Make().String()) }

var person = domain.User("01HZ0000000000000000000009") //nolint:gochecknoglobals // a constant in all but name

func newCommand() streams.Command { return streams.Command{ID: string(newID()), Actor: person} }

// said is a message whose body has so many bytes.
func said(bytes int) chat.Said {
	const frame = len(`{"message":"01HZ0000000000000000000009","text":""}`)
	return chat.Said{Message: newID(), Text: strings.Repeat("a", bytes-frame)}
}

func beacon(n int) behavior.Observed {
	seen := behavior.Observed{Beacon: newID(), Observations: make([]behavior.Observation, n)}
	now := time.Now().UTC()
	for i := range seen.Observations {
		seen.Observations[i] = behavior.Observation{
			ID: newID(), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: newID()}, GeneVersion: 1, At: now,
		}
	}
	return seen
}

// recordFacts is ours: Log.Record, one fact a call.
func recordFacts(p *place, keys []domain.Key, fact func(n int) domain.Fact) func(ctx context.Context, caller, n int) error {
	return func(ctx context.Context, caller, n int) error {
		_, err := p.log.Record(ctx, keys[(caller*31+n)%len(keys)], newCommand(), fact(n))
		return err
	}
}

// rawFacts is the limit: publishes of the same messages to the same stream, made
// beforehand.
func rawFacts(p *place, keys []domain.Key, fact func() domain.Fact) (func(ctx context.Context, callers int, length time.Duration) (float64, error), error) {
	js, err := p.jetStream()
	if err != nil {
		return nil, err
	}
	enc := newEncoder()
	message := func(caller, n int) (*nats.Msg, error) {
		return enc.message(domain.Recorded{Event: fact(), Meta: domain.Meta{
			ID: newID(), Key: keys[(caller*31+n)%len(keys)], Time: time.Now(), Actor: person, Command: string(newID()),
		}})
	}
	return func(ctx context.Context, callers int, length time.Duration) (float64, error) {
		made := make([][]*nats.Msg, callers)
		for caller := range made {
			for n := range reserve/callers + 1 {
				msg, err := message(caller, n)
				if err != nil {
					return 0, err
				}
				made[caller] = append(made[caller], msg)
			}
		}
		return hammer(ctx, callers, length, func(ctx context.Context, caller, n int) error {
			if n < len(made[caller]) {
				return publishOne(ctx, js, made[caller][n])
			}
			msg, err := message(caller, n) // more than anybody expected
			if err != nil {
				return err
			}
			return publishOne(ctx, js, msg)
		})
	}, nil
}
