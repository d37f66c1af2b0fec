package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"sozai/domain"
)

// Live carries what is not stored: token deltas, tool calls and presence on
// live.tmp.<product>.<agent>.<frame>, and the question for an answer so far on
// ask.<product>.<agent>.turn. Safe for concurrent use.
type Live struct {
	nc *nats.Conn
}

// NewLive wraps a connection.
func NewLive(nc *nats.Conn) *Live { return &Live{nc: nc} }

func liveSubject(key domain.Key, frame string) string {
	return "live.tmp." + key.Product + "." + string(key.Agent) + "." + frame
}

func askSubject(key domain.Key) string {
	return "ask." + key.Product + "." + string(key.Agent) + ".turn"
}

// Publish sends a frame, fire and forget. A frame's name may hold dots.
func (v *Live) Publish(key domain.Key, frame string, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("live frame %s: %w", frame, err)
	}
	return v.nc.Publish(liveSubject(key, frame), data)
}

// Subscribe calls each, from one goroutine, for every frame of the agent until
// the returned cancel is called.
func (v *Live) Subscribe(key domain.Key, each func(frame string, body []byte)) (cancel func(), err error) {
	prefix := liveSubject(key, "")
	sub, err := v.nc.Subscribe(prefix+">", func(msg *nats.Msg) {
		each(strings.TrimPrefix(msg.Subject, prefix), msg.Data)
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to live frames: %w", err)
	}
	// The subscription stands at the server when this returns.
	if err := v.nc.Flush(); err != nil {
		return nil, fmt.Errorf("subscribe to live frames: %w", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// Answer serves the text so far of the agent's turn until cancel is called.
func (v *Live) Answer(key domain.Key, answer func() any) (cancel func(), err error) {
	sub, err := v.nc.Subscribe(askSubject(key), func(msg *nats.Msg) {
		if data, err := json.Marshal(answer()); err == nil {
			_ = msg.Respond(data)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("serve the answer so far: %w", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// Ask reads the text so far from the turn's worker into into; NotFound if no
// turn is being worked on.
func (v *Live) Ask(ctx context.Context, key domain.Key, into any) error {
	msg, err := v.nc.RequestWithContext(ctx, askSubject(key), nil)
	if errors.Is(err, nats.ErrNoResponders) {
		return domain.Errorf(domain.NotFound, "no answer is being written")
	}
	if err != nil {
		return fmt.Errorf("ask for the answer so far: %w", err)
	}
	return json.Unmarshal(msg.Data, into)
}
