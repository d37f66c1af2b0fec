package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"sozai/domain"
)

// Headers of JetStream publishes.
const (
	headerGuard       = "Nats-Expected-Last-Subject-Sequence"
	headerBatchID     = "Nats-Batch-Id"
	headerBatchSeq    = "Nats-Batch-Sequence"
	headerBatchCommit = "Nats-Batch-Commit"
)

// appendTimeout bounds one publish; a full disk makes publishes time out
// without an error.
const appendTimeout = 5 * time.Second

// append publishes events as one unit and returns the sequence of the last.
// guards holds, for each guarded kind, the last sequence of its subject; it goes
// with the first message of that subject. The publish is not cut off by the
// caller's context, so that a client that hangs up does not leave an unknown
// outcome.
func (l *Log) append(ctx context.Context, events []domain.Recorded, guards map[domain.Kind]uint64) (uint64, error) {
	msgs := make([]*nats.Msg, len(events))
	guarded := map[domain.Kind]bool{}
	index := map[domain.Kind]int{}
	for i, e := range events {
		msg, err := l.codec.Encode(e, index[e.Kind])
		if err != nil {
			return 0, err
		}
		index[e.Kind]++
		if seq, ok := guards[e.Kind]; ok && !guarded[e.Kind] {
			msg.Header[headerGuard] = []string{strconv.FormatUint(seq, 10)}
			guarded[e.Kind] = true
		}
		msgs[i] = msg
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTimeout)
	defer cancel()
	if len(msgs) == 1 {
		return l.publishOne(ctx, msgs[0])
	}
	return l.publishBatch(ctx, msgs)
}

func (l *Log) publishOne(ctx context.Context, msg *nats.Msg) (uint64, error) {
	ack, err := l.js.PublishMsg(ctx, msg)
	if err != nil {
		return 0, publishError(err)
	}
	if ack.Duplicate {
		return ack.Sequence, errDuplicate
	}
	return ack.Sequence, nil
}

// errDuplicate comes with the sequence of the first publish.
var errDuplicate = errors.New("append: the message is in the log already")

type batchReply struct {
	Error    *jetstream.APIError `json:"error"`
	Sequence uint64              `json:"seq"`
	Count    int                 `json:"count"`
}

// publishBatch sends an atomic batch (ADR-50): the first and the last message
// are requests, the server stores all or none.
func (l *Log) publishBatch(ctx context.Context, msgs []*nats.Msg) (uint64, error) {
	id := nuid.Next()
	for i, msg := range msgs {
		msg.Header[headerBatchID] = []string{id}
		msg.Header[headerBatchSeq] = []string{strconv.Itoa(i + 1)}
		switch i {
		case len(msgs) - 1:
			msg.Header[headerBatchCommit] = []string{"1"}
			reply, err := l.nc.RequestMsgWithContext(ctx, msg)
			if err != nil {
				return 0, publishError(err)
			}
			var ack batchReply
			if err := json.Unmarshal(reply.Data, &ack); err != nil {
				return 0, fmt.Errorf("append batch: reply: %w", err)
			}
			if ack.Error != nil {
				return 0, publishError(ack.Error)
			}
			if ack.Count != len(msgs) {
				return 0, fmt.Errorf("append batch: %d of %d messages stored", ack.Count, len(msgs))
			}
			return ack.Sequence, nil
		case 0:
			reply, err := l.nc.RequestMsgWithContext(ctx, msg)
			if err != nil {
				return 0, publishError(err)
			}
			if len(reply.Data) > 0 {
				var ack batchReply
				if err := json.Unmarshal(reply.Data, &ack); err == nil && ack.Error != nil {
					return 0, publishError(ack.Error)
				}
			}
		default:
			if err := l.nc.PublishMsg(msg); err != nil {
				return 0, publishError(err)
			}
		}
	}
	return 0, errors.New("append batch: empty")
}

// publishError keeps what the server said and turns silence into
// ErrLogUnavailable.
func publishError(err error) error {
	if apiCode(err) == codeTooManyBatches {
		return ErrContended
	}
	if apiCode(err) != 0 {
		return fmt.Errorf("append: %w", err)
	}
	return fmt.Errorf("append: %w: %w", ErrLogUnavailable, err)
}
