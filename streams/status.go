package streams

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// StreamStatus is one stream as the server sees it.
type StreamStatus struct {
	Name      string           `json:"name"`
	Messages  uint64           `json:"messages"`
	Bytes     uint64           `json:"bytes"`
	First     uint64           `json:"first"`
	Last      uint64           `json:"last"`
	Created   time.Time        `json:"created"`
	Replicas  int              `json:"replicas"`
	Consumers []ConsumerStatus `json:"consumers"`
}

// ConsumerStatus is one reader of a stream. Pending has not been delivered yet,
// AckPending is being worked on, Waiting are pulls that wait for something to do.
type ConsumerStatus struct {
	Name        string `json:"name"`
	Pending     uint64 `json:"pending"`
	AckPending  int    `json:"ack_pending"`
	Redelivered int    `json:"redelivered"`
	Waiting     int    `json:"waiting"`
	Delivered   uint64 `json:"delivered"` // newest stream sequence delivered
	AckFloor    uint64 `json:"ack_floor"` // everything up to this stream sequence is done
}

// Status lists every stream with its consumers, in the order of their definition.
func (l *Log) Status(ctx context.Context) ([]StreamStatus, error) {
	names := []string{}
	for _, def := range definitions(1) {
		names = append(names, def.Name)
	}
	var all []StreamStatus
	for _, name := range append(names, "KV_"+aliveBucket) {
		stream, err := ask(ctx, func(ctx context.Context) (jetstream.Stream, error) { return l.js.Stream(ctx, name) })
		if err != nil {
			return nil, fmt.Errorf("status of %s: %w", name, silence(err))
		}
		info := stream.CachedInfo()
		status := StreamStatus{
			Name: name, Messages: info.State.Msgs, Bytes: info.State.Bytes,
			First: info.State.FirstSeq, Last: info.State.LastSeq,
			Created: info.Created.UTC(), Replicas: info.Config.Replicas, Consumers: []ConsumerStatus{},
		}
		consumers, err := consumersOf(ctx, stream)
		if err != nil {
			return nil, fmt.Errorf("consumers of %s: %w", name, silence(err))
		}
		for _, c := range consumers {
			status.Consumers = append(status.Consumers, consumerStatus(c))
		}
		all = append(all, status)
	}
	return all, nil
}

func consumersOf(ctx context.Context, stream jetstream.Stream) ([]*jetstream.ConsumerInfo, error) {
	return ask(ctx, func(ctx context.Context) ([]*jetstream.ConsumerInfo, error) {
		var all []*jetstream.ConsumerInfo
		list := stream.ListConsumers(ctx)
		for c := range list.Info() {
			all = append(all, c)
		}
		return all, list.Err()
	})
}

func consumerStatus(c *jetstream.ConsumerInfo) ConsumerStatus {
	return ConsumerStatus{
		Name: c.Name, Pending: c.NumPending, AckPending: c.NumAckPending, Redelivered: c.NumRedelivered,
		Waiting: c.NumWaiting, Delivered: c.Delivered.Stream, AckFloor: c.AckFloor.Stream,
	}
}
