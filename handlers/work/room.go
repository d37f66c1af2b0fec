package work

import (
	"sync"

	"sozai/agents"
	"sozai/domain"
	"sozai/streams"
)

// The live frames of an answer that is being written, on
// live.tmp.<product>.<agent>.<frame>; handlers/web reads them. Offsets count
// bytes of shown text.
const (
	frameDelta = "chat.delta"
	frameTool  = "chat.toolcall"
	frameNote  = "chat.note"
	frameDoing = "chat.doing"
)

type delta struct {
	Turn    domain.ID `json:"turn"`
	Attempt int       `json:"attempt"`
	Offset  int       `json:"offset"`
	Text    string    `json:"text"`
}

type toolCall struct {
	Turn    domain.ID `json:"turn"`
	Attempt int       `json:"attempt"`
	Offset  int       `json:"offset"`
	Call    string    `json:"call"`
	Tool    string    `json:"tool"`
	Object  string    `json:"object,omitempty"`
	State   string    `json:"state"` // started, ended
	Outcome string    `json:"outcome,omitempty"`
	Seconds float64   `json:"seconds,omitempty"`
	Kind    string    `json:"kind,omitempty"` // of what it made: card, order, feedback
	Ref     domain.ID `json:"ref,omitempty"`
}

type soFar struct {
	Turn    domain.ID  `json:"turn"`
	Attempt int        `json:"attempt"`
	Text    string     `json:"text"`
	Calls   []toolCall `json:"calls,omitempty"`
}

type doing struct {
	Turn    domain.ID `json:"turn"`
	Attempt int       `json:"attempt"`
	Status  string    `json:"status"`
	Tool    string    `json:"tool,omitempty"`
}

// liveRoom shows one attempt of a turn while it is played, and answers gateways
// that come in the middle of it. A lost frame costs a moment: the finished turn
// replaces everything.
type liveRoom struct {
	live    *streams.Live
	key     domain.Key
	turn    domain.ID
	attempt int
	cancel  func()

	mu    sync.Mutex
	text  []byte
	calls []toolCall
}

func (w *Workers) openRoom(key domain.Key, id domain.ID, attempt int) *liveRoom {
	r := &liveRoom{live: w.Live, key: key, turn: id, attempt: attempt, cancel: func() {}}
	cancel, err := w.Live.Answer(key, func() any { return r.soFar() })
	if err != nil {
		w.Logger.Warn("late joiners will wait for the finished answer", "turn", id, "error", err)
		return r
	}
	r.cancel = cancel
	return r
}

func (r *liveRoom) close() { r.cancel() }

func (r *liveRoom) soFar() soFar {
	r.mu.Lock()
	defer r.mu.Unlock()
	return soFar{Turn: r.turn, Attempt: r.attempt, Text: string(r.text), Calls: append([]toolCall(nil), r.calls...)}
}

// show publishes one event of the shift.
func (r *liveRoom) show(e agents.Event) {
	frame, body := r.frame(e)
	if frame != "" {
		_ = r.live.Publish(r.key, frame, body)
	}
}

func (r *liveRoom) frame(e agents.Event) (string, any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Type {
	case agents.EventText:
		d := delta{Turn: r.turn, Attempt: r.attempt, Offset: len(r.text), Text: e.Text}
		r.text = append(r.text, e.Text...)
		return frameDelta, d
	case agents.EventNote:
		return frameNote, delta{Turn: r.turn, Attempt: r.attempt, Offset: len(r.text), Text: e.Text}
	case agents.EventStart:
		c := toolCall{Turn: r.turn, Attempt: r.attempt, Offset: len(r.text), Call: e.Call, Tool: e.Tool, Object: e.Object, State: "started"}
		r.calls = append(r.calls, c)
		return frameTool, c
	case agents.EventEnd:
		for i := range r.calls {
			c := &r.calls[i]
			if c.Call != e.Call {
				continue
			}
			c.State, c.Outcome, c.Seconds = "ended", e.Outcome, e.Seconds
			c.Kind, c.Ref = e.Receipt.Kind, domain.ID(e.Receipt.ID)
			if e.Object != "" {
				c.Object = e.Object
			}
			return frameTool, *c
		}
	case agents.EventStatus:
		return frameDoing, doing{Turn: r.turn, Attempt: r.attempt, Status: e.Status, Tool: e.Tool}
	}
	return "", nil
}
