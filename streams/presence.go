package streams

import (
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"sozai/domain"
)

// SubscribeFrame calls each, from one goroutine, for every live frame of a name
// in any agent's room until the returned cancel is called.
func (v *Live) SubscribeFrame(frame string, each func(key domain.Key, body []byte)) (cancel func(), err error) {
	sub, err := v.nc.Subscribe("live.tmp.*.*."+frame, func(msg *nats.Msg) {
		token := strings.SplitN(msg.Subject, ".", 5)
		each(domain.Key{Product: token[2], Agent: domain.ID(token[3])}, msg.Data)
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s frames: %w", frame, err)
	}
	if err := v.nc.Flush(); err != nil {
		return nil, fmt.Errorf("subscribe to %s frames: %w", frame, err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}
