package agentstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"sozai/agents"
	"sozai/domain"
)

// ServerKey is the key that an AnthropicServer accepts.
const ServerKey = "key-of-the-contract-server"

// Scene is what an AnthropicServer does with one request. The zero Scene answers
// with an empty turn.
type Scene struct {
	// Status other than 0 and 200 answers with an error of that Type.
	Status     int
	Type       string
	RetryAfter string
	SpendLimit bool // marks the error as an enforced spending limit

	Reply Reply

	Pings     bool   // a ping between all events
	Split     int    // bytes a TCP write; 0 = an event a write
	CutAfter  int    // ends the body after so many events; 0 = never
	Abort     bool   // with CutAfter: breaks the connection instead
	FailAfter int    // sends an error event of FailWith after so many events
	FailWith  string // its type
	HangAfter int    // sends only keep-alives from there on, until the client leaves
	Silent    bool   // with HangAfter: not even keep-alives
}

// Reply is the message of a Scene.
type Reply struct {
	Thinking string // with a signature
	Redacted string // encrypted thinking
	Text     string
	Calls    []Call
	RawInput string // instead of the last call's input: sent as it is
	Stop     string // "" = tool_use with calls, else end_turn
	NoUsage  bool   // no counters at all
}

// AnthropicServer speaks the Messages API, streaming, as the vendor does or, with
// Zen, as the ZenMux gateway does: its error bodies, usage inside the delta, no
// pings but comments. It refuses what the API refuses and counts usage with a
// prompt cache.
type AnthropicServer struct {
	URL string
	Zen bool

	play  func(agents.Request) Scene
	cache Cache

	mu       sync.Mutex
	requests []agents.Request
	bodies   [][]byte
}

// NewAnthropicServer starts a server that asks play for a scene a request.
func NewAnthropicServer(t *testing.T, zen bool, play func(agents.Request) Scene) *AnthropicServer {
	t.Helper()
	s := &AnthropicServer{Zen: zen, play: play}
	mux := http.NewServeMux()
	base := ""
	if zen {
		base = "/api/anthropic"
	}
	mux.HandleFunc("POST "+base+"/v1/messages", s.messages)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL + base
	return s
}

// Requests are the valid requests so far, Bodies what was on the wire.
func (s *AnthropicServer) Requests() []agents.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]agents.Request(nil), s.requests...)
}

// Bodies are the raw bodies of the valid requests so far.
func (s *AnthropicServer) Bodies() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.bodies...)
}

func (s *AnthropicServer) messages(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Api-Key") != ServerKey || r.Header.Get("Authorization") != "" {
		if s.Zen {
			s.fail(w, Scene{Status: http.StatusForbidden, Type: "access_denied"}, "the key is not valid")
		} else {
			s.fail(w, Scene{Status: http.StatusUnauthorized, Type: "authentication_error"}, "invalid x-api-key")
		}
		return
	}
	body, req, model, err := readRequest(r)
	if err != nil {
		word := "invalid_request_error"
		if s.Zen {
			word = "invalid_params"
		}
		s.fail(w, Scene{Status: http.StatusBadRequest, Type: word}, err.Error())
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.bodies = append(s.bodies, body)
	n := len(s.requests)
	s.mu.Unlock()
	scene := s.play(req)
	if scene.Status != 0 && scene.Status != http.StatusOK {
		s.fail(w, scene, "scripted")
		return
	}
	usage := s.cache.Serve(req)
	events := s.script(n, model, scene, usage)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Request-Id", fmt.Sprintf("req_%d", n))
	w.WriteHeader(http.StatusOK)
	send(w, r, scene, events)
}

func (s *AnthropicServer) fail(w http.ResponseWriter, scene Scene, message string) {
	if scene.RetryAfter != "" {
		w.Header().Set("Retry-After", scene.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(scene.Status)
	inner := map[string]any{"type": scene.Type, "message": message}
	body := map[string]any{"type": "error", "error": inner, "request_id": "req_failed"}
	if s.Zen {
		inner["code"] = fmt.Sprint(scene.Status)
		body = map[string]any{"error": inner}
	}
	if scene.SpendLimit {
		inner["details"] = map[string]any{"error_code": "enforced_spend_limit_reached"}
	}
	// A client that is gone needs no answer.
	_ = json.NewEncoder(w).Encode(body)
}

// script lists the events of a message in the order of the API.
func (s *AnthropicServer) script(n int, model string, scene Scene, u domain.Usage) []sse {
	r := scene.Reply
	var out []sse
	add := func(kind string, fields map[string]any) {
		fields["type"] = kind
		out = append(out, newSSE(kind, fields))
	}
	start := map[string]any{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil}
	if !r.NoUsage {
		start["usage"] = map[string]any{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite,
			"cache_read_input_tokens": u.CacheRead, "output_tokens": 1}
	}
	add("message_start", map[string]any{"message": start})
	index := 0
	block := func(begin map[string]any, deltas ...map[string]any) {
		add("content_block_start", map[string]any{"index": index, "content_block": begin})
		for _, d := range deltas {
			add("content_block_delta", map[string]any{"index": index, "delta": d})
		}
		add("content_block_stop", map[string]any{"index": index})
		index++
	}
	output := 1
	if r.Thinking != "" {
		var deltas []map[string]any
		for _, part := range parts(r.Thinking, 6) {
			deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": part})
		}
		deltas = append(deltas, map[string]any{"type": "signature_delta", "signature": "sig-" + fmt.Sprint(len(r.Thinking))})
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	}
	if r.Redacted != "" {
		block(map[string]any{"type": "redacted_thinking", "data": r.Redacted})
	}
	if r.Text != "" {
		var deltas []map[string]any
		for _, part := range parts(r.Text, 4) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": part})
		}
		block(map[string]any{"type": "text", "text": ""}, deltas...)
		output += agents.EstimateTokens(r.Text)
	}
	for i, c := range r.Calls {
		input := inputText(c.Input)
		if r.RawInput != "" && i == len(r.Calls)-1 {
			input = r.RawInput
		}
		deltas := []map[string]any{{"type": "input_json_delta", "partial_json": ""}}
		for _, part := range parts(input, 5) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": part})
		}
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("toolu_%d_%d", n, i)
		}
		block(map[string]any{"type": "tool_use", "id": id, "name": c.Tool, "input": map[string]any{}}, deltas...)
		output += agents.EstimateTokens(input)
	}
	stop := r.Stop
	if stop == "" {
		stop = "end_turn"
		if len(r.Calls) > 0 {
			stop = "tool_use"
		}
	}
	delta := map[string]any{"stop_reason": stop, "stop_sequence": nil}
	fields := map[string]any{"delta": delta}
	switch usage := map[string]any{"output_tokens": output}; {
	case r.NoUsage:
	case s.Zen:
		delta["usage"] = usage
	default:
		fields["usage"] = usage
	}
	add("message_delta", fields)
	add("message_stop", map[string]any{})
	if !s.Zen {
		return out
	}
	return append([]sse{": ZENMUX PROCESSING\n\n"}, out...)
}
