package streams

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

// dispatchAckWait is how long one event may take to be turned into work.
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
	consumer, err := l.js.CreateOrUpdateConsumer(ctx, EventsStream, jetstream.ConsumerConfig{
		Durable: deployment + "-dispatch", FilterSubjects: subjects,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: dispatchAckWait, MaxDeliver: -1,
		// Messages of rooms whose turn is running wait here, a second at a time.
		MaxAckPending: 20_000,
	})
	if err != nil {
		return fmt.Errorf("dispatch: %w", err)
	}
	consuming, err := consumer.Consume(func(msg jetstream.Msg) {
		meta, err := msg.Metadata()
		if err != nil {
			return
		}
		r := l.codec.decodeOrPoison(msg.Subject(), msg.Headers(), msg.Data(), meta.Sequence.Stream)
		again, err := each(ctx, r)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			_ = msg.NakWithDelay(time.Second)
		case again > 0:
			_ = msg.NakWithDelay(again)
		default:
			_ = msg.Ack()
		}
	})
	if err != nil {
		return fmt.Errorf("dispatch: %w", err)
	}
	<-ctx.Done()
	consuming.Stop()
	<-consuming.Closed()
	return ctx.Err()
}
