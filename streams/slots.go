package streams

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

// SlotStatus is one message in WORK: a slot that waits or is being worked on.
type SlotStatus struct {
	Slot
	Seq   uint64
	Since time.Time // when it was offered
	// Taken says that it has been delivered; whether its worker lives is for the
	// liveness keys to say. A slot that no consumer serves waits.
	Taken bool
}

// Slots lists every message in WORK, oldest first. It reads them one by one
// through the leader: a second consumer on a work queue would be refused.
func (q *Queue) Slots(ctx context.Context) ([]SlotStatus, error) {
	stream, err := ask(ctx, func(ctx context.Context) (jetstream.Stream, error) { return q.js.Stream(ctx, WorkStream) })
	if err != nil {
		return nil, fmt.Errorf("slots: %w", silence(err))
	}
	consumers, err := consumersOf(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("slots: %w", silence(err))
	}
	var slots []SlotStatus
	for seq := uint64(1); ; {
		msg, err := ask(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject("work.>"))
		})
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return slots, nil
		}
		if err != nil {
			return nil, fmt.Errorf("slots: %w", silence(err))
		}
		seq = msg.Sequence + 1
		slot, ok := parseSlot(msg.Subject)
		if !ok {
			continue
		}
		slots = append(slots, SlotStatus{
			Slot: slot, Seq: msg.Sequence, Since: msg.Time.UTC(), Taken: delivered(consumers, msg.Subject, msg.Sequence),
		})
	}
}

// parseSlot reads work.<product>.<work>.<agent>.<id>.
func parseSlot(subject string) (Slot, bool) {
	token := strings.Split(subject, ".")
	if len(token) != 5 {
		return Slot{}, false
	}
	return Slot{Key: domain.Key{Product: token[1], Agent: domain.ID(token[3])}, Work: Work(token[2]), ID: token[4]}, true
}

// delivered: what a consumer has delivered and is still in a work queue has not
// been answered.
func delivered(consumers []*jetstream.ConsumerInfo, subject string, seq uint64) bool {
	for _, c := range consumers {
		for _, filter := range append(c.Config.FilterSubjects, c.Config.FilterSubject) {
			if covers(filter, subject) {
				return seq <= c.Delivered.Stream
			}
		}
	}
	return false
}

// covers reports whether a filter of literal tokens and "*" covers a subject.
func covers(filter, subject string) bool {
	want, have := strings.Split(filter, "."), strings.Split(subject, ".")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != "*" && want[i] != have[i] {
			return false
		}
	}
	return true
}
