package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

// dispatchAckWait is how long one event or timer may take to be handled.
const dispatchAckWait = 30 * time.Second

// Dispatch runs the deployment's durable consumer on EVENTS for the given kinds
// and products (none: all): each is called once an event, again after a while
// if it returns a positive delay or an error. Several processes may run it; each
// event goes to one of them at a time. Events before the consumer was first made
// are included.
func (l *Log) Dispatch(ctx context.Context, deployment string, products []string, kinds []domain.Kind, each func(ctx context.Context, r domain.Recorded) (again time.Duration, err error)) error {
	var subjects []string
	if len(products) == 0 {
		products = []string{"*"}
	}
	for _, p := range products {
		for _, kind := range kinds {
			subjects = append(subjects, "evt."+p+".*."+string(kind))
		}
	}
	return consume(ctx, l.js, EventsStream, jetstream.ConsumerConfig{
		Durable: deployment + "-dispatch", FilterSubjects: subjects,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: dispatchAckWait, MaxDeliver: -1,
		// Messages of rooms whose turn is running wait here, a second at a time.
		MaxAckPending: 20_000,
	}, func(msg jetstream.Msg) {
		meta, err := msg.Metadata()
		if err != nil {
			return
		}
		r := l.codec.decodeOrPoison(msg.Subject(), header{parsed: msg.Headers()}, msg.Data(), meta.Sequence.Stream)
		again, err := each(ctx, r)
		switch {
		case ctx.Err() != nil:
			_ = msg.Nak() // the next process turns it into work at once
		case err != nil:
			_ = msg.NakWithDelay(time.Second)
		case again > 0:
			_ = msg.NakWithDelay(again)
		default:
			_ = msg.Ack()
		}
	})
}

// consume runs a durable consumer until ctx ends. One that is lost is made
// again; the stream is not: without it consume ends. What was fetched but not
// begun when ctx ends is given back at once.
func consume(ctx context.Context, js jetstream.JetStream, stream string, config jetstream.ConsumerConfig, handle func(jetstream.Msg)) error {
	first := true
	for {
		consumer, err := ensureConsumer(ctx, js, stream, config)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case first, errors.Is(err, jetstream.ErrStreamNotFound):
			return fmt.Errorf("consume %s: %w", config.Durable, silence(err))
		default:
			sleep(ctx, pullAgain)
			continue
		}
		first = false
		consuming, err := consumer.Consume(func(msg jetstream.Msg) {
			if ctx.Err() != nil {
				_ = msg.Nak()
				return
			}
			handle(msg)
		}, jetstream.PullMaxMessages(fetchAhead))
		if err != nil {
			return fmt.Errorf("consume %s: %w", config.Durable, err)
		}
		select {
		case <-ctx.Done():
			consuming.Drain()
			select {
			case <-consuming.Closed():
			case <-time.After(drainFor): // the connection is down
				consuming.Stop()
			}
			return ctx.Err()
		case <-consuming.Closed():
			sleep(ctx, pullAgain)
		}
	}
}

func ensureConsumer(ctx context.Context, js jetstream.JetStream, stream string, config jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	return ask(ctx, func(ctx context.Context) (jetstream.Consumer, error) {
		return js.CreateOrUpdateConsumer(ctx, stream, config)
	})
}

const (
	// fetchAhead is how many messages wait in the process that handles them.
	fetchAhead = 100
	drainFor   = 2 * time.Second
)
