package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"sozai/domain"
	"sozai/streams"
)

// The limits of the log: what the server does with the same messages by the
// shortest way there is.

// encoder makes the messages that our own append would publish for an event.
type encoder struct{ codec *streams.Codec }

func newEncoder() encoder { return encoder{streams.NewCodec()} }

// message is the event as it goes over the wire, with the message id that a
// single append has.
func (e encoder) message(r domain.Recorded) (*nats.Msg, error) { return e.codec.Encode(r, 0) }

// stored is the event as an export carries it.
func (e encoder) stored(r domain.Recorded) (streams.Stored, error) {
	msg, err := e.codec.Encode(r, 0)
	if err != nil {
		return streams.Stored{}, err
	}
	delete(msg.Header, nats.MsgIdHdr)
	return streams.Stored{Subject: msg.Subject, Header: msg.Header, Data: msg.Data}, nil
}

// bare copies a message of an export, without a message id.
func bare(s streams.Stored) *nats.Msg {
	header := make(nats.Header, len(s.Header)+3)
	for name, values := range s.Header {
		header[name] = values
	}
	return &nats.Msg{Subject: s.Subject, Header: header, Data: s.Data}
}

// publishBatch sends an atomic batch (ADR-50) and waits for its commit only: the
// server's word on the first message is not awaited, which is as fast as the
// protocol goes.
func publishBatch(ctx context.Context, nc *nats.Conn, msgs []*nats.Msg) error {
	id := nuid.Next()
	for i, msg := range msgs {
		msg.Header["Nats-Batch-Id"] = []string{id}
		msg.Header["Nats-Batch-Sequence"] = []string{strconv.Itoa(i + 1)}
		if i < len(msgs)-1 {
			if err := nc.PublishMsg(msg); err != nil {
				return err
			}
			continue
		}
		msg.Header["Nats-Batch-Commit"] = []string{"1"}
		reply, err := nc.RequestMsgWithContext(ctx, msg)
		if err != nil {
			return fmt.Errorf("bare batch: %w", err)
		}
		var ack struct {
			Error *jetstream.APIError `json:"error"`
			Count int                 `json:"count"`
		}
		if err := json.Unmarshal(reply.Data, &ack); err != nil {
			return fmt.Errorf("bare batch: %w", err)
		}
		if ack.Error != nil {
			return fmt.Errorf("bare batch: %w", ack.Error)
		}
		if ack.Count != len(msgs) {
			return fmt.Errorf("bare batch: %d of %d messages stored", ack.Count, len(msgs))
		}
	}
	return nil
}

// publishOne is one raw publish, acknowledged after its sync.
func publishOne(ctx context.Context, js jetstream.JetStream, msg *nats.Msg) error {
	ack, err := js.PublishMsg(ctx, msg)
	if err != nil {
		return fmt.Errorf("raw publish: %w", err)
	}
	if ack.Duplicate {
		return errors.New("raw publish: taken for a duplicate")
	}
	return nil
}
