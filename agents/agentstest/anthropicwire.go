package agentstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"sozai/agents"
)

// sse is one event, or a comment, as it stands on the wire.
type sse string

func newSSE(kind string, fields map[string]any) sse {
	data, err := json.Marshal(fields)
	if err != nil {
		data = []byte(fmt.Sprintf("%q", err))
	}
	return sse("event: " + kind + "\ndata: " + string(data) + "\n\n")
}

// send writes the events of a scene with its faults.
func send(w http.ResponseWriter, r *http.Request, scene Scene, events []sse) {
	flush := http.NewResponseController(w).Flush
	write := func(text string) bool {
		size := scene.Split
		if size == 0 {
			size = len(text)
		}
		for part := range slices.Chunk([]byte(text), max(size, 1)) {
			if _, err := w.Write(part); err != nil || flush() != nil {
				return false
			}
		}
		return true
	}
	for i, e := range events {
		switch {
		case scene.CutAfter > 0 && i == scene.CutAfter && scene.Abort:
			panic(http.ErrAbortHandler)
		case scene.CutAfter > 0 && i == scene.CutAfter:
			return
		case scene.FailAfter > 0 && i == scene.FailAfter:
			write(string(newSSE("error", map[string]any{
				"type": "error", "error": map[string]any{"type": scene.FailWith, "message": "scripted"},
			})))
			return
		case scene.HangAfter > 0 && i == scene.HangAfter:
			hang(r, scene.Silent, write)
			return
		}
		if scene.Pings && !write(string(newSSE("ping", map[string]any{"type": "ping"}))) {
			return
		}
		if !write(string(e)) {
			return
		}
	}
}

// hang keeps the connection open until the client leaves.
func hang(r *http.Request, silent bool, write func(string) bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			if !silent && !write(": ZENMUX PROCESSING\n\n") {
				return
			}
		}
	}
}

// parts cuts a text into pieces of n bytes, not inside a rune.
func parts(text string, n int) []string {
	var out []string
	for part := range slices.Chunk([]rune(text), n) {
		out = append(out, string(part))
	}
	return out
}

func inputText(input any) string {
	if raw, ok := input.(json.RawMessage); ok {
		return string(raw)
	}
	if input == nil {
		return ""
	}
	data, err := json.Marshal(input)
	if err != nil {
		return fmt.Sprintf("%q", err)
	}
	return string(data)
}

type wireBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   []wireBlock     `json:"content"`
	IsError   bool            `json:"is_error"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	Cache     *cacheControl   `json:"cache_control"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

type wireRequest struct {
	Model     string      `json:"model"`
	MaxTokens int         `json:"max_tokens"`
	Stream    bool        `json:"stream"`
	System    []wireBlock `json:"system"`
	Tools     []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
		Cache       *cacheControl   `json:"cache_control"`
	} `json:"tools"`
	Messages []struct {
		Role    string      `json:"role"`
		Content []wireBlock `json:"content"`
	} `json:"messages"`
	Thinking json.RawMessage `json:"thinking"`
}

// incoming is a valid request.
type incoming struct {
	body    []byte
	model   string
	request agents.Request
	blocks  []flatBlock
}

// readRequest takes a request apart as strictly as the API does: unknown fields
// are refused.
func readRequest(r *http.Request) (in incoming, err error) {
	if in.body, err = io.ReadAll(r.Body); err != nil {
		return in, err
	}
	if v := r.Header.Get("Anthropic-Version"); v != "2023-06-01" {
		return in, fmt.Errorf("anthropic-version is %q", v)
	}
	var wire wireRequest
	d := json.NewDecoder(bytes.NewReader(in.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&wire); err != nil {
		return in, err
	}
	if !wire.Stream || wire.Model == "" {
		return in, errors.New("stream and model are required here")
	}
	if err := wire.checkMarks(); err != nil {
		return in, err
	}
	in.model, in.request = wire.Model, wire.request()
	var f flattener
	f.hash(wire.Model)
	for _, t := range wire.Tools {
		f.tool(t.Cache != nil, t.Name, t.Description, t.Schema)
	}
	// Thinking that is switched on or off invalidates the messages only.
	in.blocks = f.rest(in.request, string(wire.Thinking))
	return in, CheckRequest(in.request)
}

// checkMarks refuses what the API refuses of cache_control.
func (w wireRequest) checkMarks() error {
	var marks []*cacheControl
	for _, t := range w.Tools {
		marks = append(marks, t.Cache)
	}
	for _, b := range w.System {
		marks = append(marks, b.Cache)
	}
	for _, m := range w.Messages {
		for _, b := range m.Content {
			marks = append(marks, b.Cache)
		}
	}
	marks = slices.DeleteFunc(marks, func(c *cacheControl) bool { return c == nil })
	for _, c := range marks {
		if c.Type != "ephemeral" || c.TTL != "" && c.TTL != "5m" {
			return fmt.Errorf("cache_control %q %q: only entries of five minutes are played here", c.Type, c.TTL)
		}
	}
	if len(marks) > MaxBreakpoints {
		return fmt.Errorf("A maximum of %d blocks with cache_control may be provided. Found %d.", MaxBreakpoints, len(marks)) //nolint:revive,staticcheck // the words of the API
	}
	return nil
}

func (w wireRequest) request() agents.Request {
	r := agents.Request{MaxTokens: w.MaxTokens}
	for _, s := range w.System {
		r.System = append(r.System, agents.Segment{Text: s.Text, Breakpoint: s.Cache != nil})
	}
	for _, t := range w.Tools {
		r.Tools = append(r.Tools, agents.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	for _, m := range w.Messages {
		out := agents.Message{Role: agents.Role(m.Role)}
		for _, b := range m.Content {
			out.Blocks = append(out.Blocks, b.block())
		}
		r.Messages = append(r.Messages, out)
	}
	return r
}

func (b wireBlock) block() agents.Block {
	out := agents.Block{Type: agents.BlockType(b.Type), Text: b.Text, ID: b.ID, Name: b.Name, Input: b.Input,
		IsError: b.IsError, Signature: b.Signature, Breakpoint: b.Cache != nil}
	switch b.Type {
	case "tool_result":
		out.ID = b.ToolUseID
		for _, c := range b.Content {
			out.Text += c.Text
		}
	case "thinking":
		out.Text = b.Thinking
	case "redacted_thinking":
		out.Type, out.Signature = agents.Thinking, b.Data
	}
	return out
}
