package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"sozai/agents"
)

// event is what of a stream event matters here. It is read from the raw JSON
// because gateways put usage where the SDK does not look, and because a counter
// that is missing must not be taken for zero.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Model string `json:"model"`
		Usage counts `json:"usage"`
	} `json:"message"`
	Block struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Data      string          `json:"data"`
	} `json:"content_block"`
	Delta struct {
		Text       string `json:"text"`
		Partial    string `json:"partial_json"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		StopReason string `json:"stop_reason"`
		Usage      counts `json:"usage"`
	} `json:"delta"`
	Usage counts `json:"usage"`
}

// assembly puts a message together from its events. Deltas of several open
// blocks may interleave; they are told apart by index.
type assembly struct {
	model    string
	stop     string
	blocks   []*building
	byIndex  map[int]*building
	tally    tally
	begun    bool
	complete bool
}

type building struct {
	agents.Block
	text, partial strings.Builder
}

func (a *assembly) add(raw string, emit func(agents.Delta)) error {
	var e event
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		return fmt.Errorf("read stream event: %w", err)
	}
	a.begun = true
	switch e.Type {
	case "message_start":
		a.model = e.Message.Model
		a.tally.start(e.Message.Usage)
	case "content_block_start":
		return a.start(e, emit)
	case "content_block_delta":
		b := a.byIndex[e.Index]
		if b == nil {
			return fmt.Errorf("delta for block %d that was not started", e.Index)
		}
		switch b.Type {
		case agents.TextBlock:
			b.text.WriteString(e.Delta.Text)
			if e.Delta.Text != "" {
				emit(agents.Delta{Text: e.Delta.Text})
			}
		case agents.ToolUse:
			b.partial.WriteString(e.Delta.Partial)
		case agents.Thinking:
			b.text.WriteString(e.Delta.Thinking)
			b.Signature += e.Delta.Signature
		}
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.stop = e.Delta.StopReason
		}
		a.tally.end(e.Usage)
		a.tally.end(e.Delta.Usage)
	case "message_stop":
		a.tally.end(e.Usage)
		a.complete = a.stop != ""
	}
	return nil
}

func (a *assembly) start(e event, emit func(agents.Delta)) error {
	if a.byIndex == nil {
		a.byIndex = map[int]*building{}
	}
	if a.byIndex[e.Index] != nil {
		return fmt.Errorf("block %d was started twice", e.Index)
	}
	b := &building{}
	switch e.Block.Type {
	case "text":
		b.Type = agents.TextBlock
		b.text.WriteString(e.Block.Text)
		if e.Block.Text != "" {
			emit(agents.Delta{Text: e.Block.Text})
		}
	case "tool_use":
		b.Type, b.ID, b.Name, b.Input = agents.ToolUse, e.Block.ID, e.Block.Name, e.Block.Input
		emit(agents.Delta{Tool: b.Name, Call: b.ID})
	case "thinking":
		b.Type, b.Signature = agents.Thinking, e.Block.Signature
		b.text.WriteString(e.Block.Thinking)
	case redacted:
		b.Type, b.Name, b.Signature = agents.Thinking, redacted, e.Block.Data
	default: // a kind of block that was never asked for: its deltas are skipped
		a.byIndex[e.Index] = b
		return nil
	}
	a.byIndex[e.Index] = b
	a.blocks = append(a.blocks, b)
	return nil
}

// response is the message so far; sent estimates the prompt's tokens.
func (a *assembly) response(sent func() int) agents.Response {
	r := agents.Response{Model: a.model, Stop: agents.StopReason(a.stop)}
	for _, b := range a.blocks {
		block := b.Block
		if block.Type == agents.ToolUse {
			if partial := b.partial.String(); strings.TrimSpace(partial) != "" {
				block.Input = json.RawMessage(partial)
			} else if len(block.Input) == 0 {
				block.Input = json.RawMessage("{}")
			}
		} else {
			block.Text = b.text.String()
		}
		r.Blocks = append(r.Blocks, block)
	}
	r.Usage = a.tally.usage(sent, len(r.Blocks) > 0)
	return r
}
