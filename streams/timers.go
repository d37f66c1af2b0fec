package streams

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

// dueFor is how long a fired timer waits for its reader; timers only wake, the
// domain decides by the clock, and the reconciler arms a lost one again.
const dueFor = time.Hour

// Timers is the TIMERS stream: one schedule a subject, a new one replaces the
// old. Safe for concurrent use.
type Timers struct {
	js jetstream.JetStream
}

// OpenTimers returns the timers; the streams must have been ensured (see Open).
func OpenTimers(nc *nats.Conn) (*Timers, error) {
	js, err := newJetStream(nc)
	if err != nil {
		return nil, fmt.Errorf("open timers: %w", err)
	}
	return &Timers{js: js}, nil
}

// Arm sets a timer to fire once at a time; a past time fires at once. name is
// one subject token, for example "card-<id>".
func (t *Timers) Arm(ctx context.Context, key domain.Key, name string, at time.Time) error {
	suffix := key.Product + "." + string(key.Agent) + "." + name
	_, err := t.js.PublishMsg(ctx, &nats.Msg{Subject: "timer." + suffix, Header: nats.Header{
		"Nats-Schedule":        {"@at " + at.UTC().Format(time.RFC3339)},
		"Nats-Schedule-Target": {"due." + suffix},
		"Nats-Schedule-TTL":    {dueFor.String()},
	}})
	if err != nil {
		return fmt.Errorf("arm timer %s: %w", suffix, err)
	}
	return nil
}

// Due is a timer that fired. It may be delivered more than once.
type Due struct {
	domain.Key
	Name string
}

// Consume calls each for every fired timer until ctx ends; a timer whose each
// fails is delivered again.
func (t *Timers) Consume(ctx context.Context, deployment string, each func(ctx context.Context, due Due) error) error {
	consumer, err := t.js.CreateOrUpdateConsumer(ctx, TimersStream, jetstream.ConsumerConfig{
		Durable: deployment + "-timers", FilterSubject: "due.*.*.*",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: 30 * time.Second, MaxDeliver: -1,
	})
	if err != nil {
		return fmt.Errorf("consume timers: %w", err)
	}
	consuming, err := consumer.Consume(func(msg jetstream.Msg) {
		token := strings.Split(msg.Subject(), ".")
		if len(token) != 4 {
			_ = msg.Term()
			return
		}
		due := Due{Key: domain.Key{Product: token[1], Agent: domain.ID(token[2])}, Name: token[3]}
		if err := each(ctx, due); err != nil {
			_ = msg.NakWithDelay(time.Second)
			return
		}
		_ = msg.Ack()
	})
	if err != nil {
		return fmt.Errorf("consume timers: %w", err)
	}
	<-ctx.Done()
	consuming.Stop()
	<-consuming.Closed()
	return ctx.Err()
}
