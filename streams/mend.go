package streams

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// mend looks, every AckWait, whether the consumer knows of every slot that it
// serves, and takes it off the server if it does not, twice running: whoever pulls
// makes it again, and a new consumer begins with what is there. A consumer's state
// may come out of a full disk ahead of its stream, whose next slots it would never
// deliver. What is being worked on is delivered again; the fence in the log sees to
// the rest.
func (q *Queue) mend(ctx context.Context, config jetstream.ConsumerConfig) error {
	tick := time.NewTicker(q.ackWait)
	defer tick.Stop()
	for before := false; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		missed, err := q.misses(ctx, config)
		if err != nil {
			before = false
			continue // asked again; without the stream the pulls end
		}
		if missed && before {
			_ = q.js.DeleteConsumer(ctx, WorkStream, config.Durable)
		}
		before = missed && !before
	}
}

// misses says that there are slots for a consumer that it neither waits to deliver
// nor has delivered.
func (q *Queue) misses(ctx context.Context, config jetstream.ConsumerConfig) (bool, error) {
	stream, err := ask(ctx, func(ctx context.Context) (jetstream.Stream, error) { return q.js.Stream(ctx, WorkStream) })
	if err != nil {
		return false, err
	}
	known := func() (uint64, error) {
		consumer, err := ask(ctx, func(ctx context.Context) (jetstream.Consumer, error) {
			return stream.Consumer(ctx, config.Durable)
		})
		if err != nil {
			return 0, err
		}
		info := consumer.CachedInfo()
		return info.NumPending + uint64(max(info.NumAckPending, 0)), nil //nolint:gosec // not below zero
	}
	// Before and after: in between slots come and go.
	before, err := known()
	if err != nil {
		return false, err
	}
	slots := uint64(0)
	for _, filter := range config.FilterSubjects {
		info, err := ask(ctx, func(ctx context.Context) (*jetstream.StreamInfo, error) {
			return stream.Info(ctx, jetstream.WithSubjectFilter(filter))
		})
		if err != nil {
			return false, err
		}
		for _, n := range info.State.Subjects {
			slots += n
		}
	}
	after, err := known()
	return err == nil && slots > max(before, after), err
}
