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
	"sozai/streams/fault"
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

// append publishes events as one unit and returns the sequence of the last. Each
// guard goes with the first message of its subject.
func (l *Log) append(events []domain.Recorded, guards []guard) (uint64, error) {
	u := &unit{msgs: make([]*nats.Msg, len(events))}
	limit := int(l.nc.MaxPayload())
	for i, e := range events {
		index := 0 // among the unit's events of this kind
		for _, before := range events[:i] {
			if before.Kind == e.Kind {
				index++
			}
		}
		msg, err := l.codec.Encode(e, index)
		if err != nil {
			return 0, err
		}
		for _, g := range guards {
			if g.kind == e.Kind && index == 0 {
				msg.Header[headerGuard] = []string{strconv.FormatUint(g.seq, 10)}
				u.guarded = append(u.guarded, msg.Subject)
			}
		}
		if msg.Size() > limit-headerRoom {
			return 0, domain.Errorf(domain.TooLarge, "an event of %d bytes does not fit into the log", msg.Size())
		}
		u.msgs[i], u.size = msg, u.size+msg.Size()
	}
	fault.Point("append.before")
	last, err := l.commit.append(u)
	if err == nil {
		fault.Point("append.after")
	}
	return last, err
}

// headerRoom is left in a message for the headers of a batch.
const headerRoom = 256

// sender publishes messages. Nothing it sends is cut off by anybody's context,
// so that a client that hangs up does not leave an unknown outcome.
type sender struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	timeout time.Duration
}

// publish sends messages, one as it is, several as an atomic batch, and returns
// the sequence of the last.
func (s sender) publish(msgs []*nats.Msg) (uint64, error) {
	if len(msgs) == 1 {
		return s.publishOne(msgs[0])
	}
	return s.batch().commit(msgs)
}

func (s sender) publishOne(msg *nats.Msg) (uint64, error) {
	for _, name := range []string{headerBatchID, headerBatchSeq, headerBatchCommit} {
		delete(msg.Header, name) // it may have been part of a batch that was refused
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	ack, err := s.js.PublishMsg(ctx, msg)
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

// batch is an atomic batch being sent (ADR-50): the server stages its messages,
// and stores all or none when the last one says commit.
type batch struct {
	sender
	id   string
	sent int
	err  error
}

func (s sender) batch() *batch { return &batch{sender: s, id: nuid.Next()} }

// next puts a message into the batch.
func (b *batch) next(msg *nats.Msg) {
	b.sent++
	msg.Header[headerBatchID] = []string{b.id}
	msg.Header[headerBatchSeq] = []string{strconv.Itoa(b.sent)}
	delete(msg.Header, headerBatchCommit)
}

// stage sends messages that are not the last. A failure shows at the commit.
func (b *batch) stage(msgs []*nats.Msg) {
	for _, msg := range msgs {
		b.next(msg)
		if err := b.nc.PublishMsg(msg); err != nil {
			b.err = errors.Join(b.err, err)
		}
	}
}

type batchReply struct {
	Error    *jetstream.APIError `json:"error"`
	Sequence uint64              `json:"seq"`
	Count    int                 `json:"count"`
}

// commit sends the last messages and returns the sequence of the very last. The
// outcome is in the answer to that one alone: if an earlier one was refused, the
// batch is incomplete and refused.
func (b *batch) commit(msgs []*nats.Msg) (uint64, error) {
	b.stage(msgs[:len(msgs)-1])
	if b.err != nil {
		return 0, publishError(b.err)
	}
	last := msgs[len(msgs)-1]
	b.next(last)
	last.Header[headerBatchCommit] = []string{"1"}
	ctx, cancel := context.WithTimeout(context.Background(), b.timeout)
	defer cancel()
	reply, err := b.nc.RequestMsgWithContext(ctx, last)
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
	if ack.Count != b.sent {
		return 0, fmt.Errorf("append batch: %d of %d messages stored", ack.Count, b.sent)
	}
	return ack.Sequence, nil
}

// refused says that the server took nothing of what was sent, and why.
func refused(err error) bool { return apiCode(err) != 0 || errors.Is(err, ErrContended) }

// publishError keeps what the server said and turns silence into
// ErrLogUnavailable.
func publishError(err error) error {
	if apiCode(err) == codeTooManyBatches {
		return ErrContended
	}
	return fmt.Errorf("append: %w", silence(err))
}
