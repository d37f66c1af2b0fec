package anthropic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/anthropic"
	"sozai/domain"
)

const words = "I will look at the clips of the castle first, 然后再看节奏。"

// long is more than the model's shortest prefix.
var long = strings.Repeat("words ", 1_000)

var search = agents.ToolSpec{
	Name: "search_fast", Description: "Searches.",
	Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"page":{"type":"integer"}},"required":["query"],"additionalProperties":false}`),
}

func say(text string, tools ...agents.ToolSpec) agents.Request {
	return agents.Request{
		System:    []agents.Segment{{Text: "You are a butler.", Breakpoint: true}, {Text: "The gene.", Breakpoint: true}},
		Tools:     tools,
		Messages:  []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: text, Breakpoint: true}}}},
		MaxTokens: 1000,
	}
}

// model plays the scene on every request.
func model(t *testing.T, zen bool, play func(agents.Request) agentstest.Scene) (*anthropic.Model, *agentstest.AnthropicServer) {
	t.Helper()
	server := agentstest.NewAnthropicServer(t, zen, play)
	m, err := anthropic.New(anthropic.Config{
		Key: agentstest.ServerKey, BaseURL: server.URL, Model: "anthropic/claude-sonnet-4.5:anthropic",
		Prices: anthropic.DefaultPrices(), YuanPerUSD: 7,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, server
}

func always(s agentstest.Scene) func(agents.Request) agentstest.Scene {
	return func(agents.Request) agentstest.Scene { return s }
}

func TestConformance(t *testing.T) {
	t.Parallel()
	play := func(split int) func(agents.Request) agentstest.Scene {
		return func(r agents.Request) agentstest.Scene {
			s := agentstest.Scene{Split: split, Pings: split > 0, Reply: agentstest.Reply{Text: words}}
			if len(r.Tools) > 0 && len(r.Messages) == 1 {
				s.Reply.Thinking = "which words?"
				s.Reply.Calls = []agentstest.Call{
					{Tool: "search_fast", Input: map[string]any{"query": "城堡 castle", "page": 1}},
					{Tool: "search_fast", Input: map[string]any{"query": "siege"}},
				}
			}
			return s
		}
	}
	for name, c := range map[string]struct {
		zen   bool
		split int
	}{"vendor": {}, "vendor in pieces": {split: 7}, "zenmux": {zen: true}, "zenmux in pieces": {zen: true, split: 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agentstest.Conformance(t, agentstest.Subject{
				New: func(t *testing.T) agents.Model {
					m, _ := model(t, c.zen, play(c.split))
					return m
				},
				Talk: say("hello"), Act: say("find castles", search),
			})
		})
	}
}

func TestUsageAndCost(t *testing.T) {
	t.Parallel()
	for name, zen := range map[string]bool{"vendor": false, "zenmux, usage inside the delta": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := model(t, zen, always(agentstest.Scene{Reply: agentstest.Reply{Text: words}}))
			ctx := t.Context()
			cold, err := m.Stream(ctx, say(long), func(agents.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			warm, err := m.Stream(ctx, say(long), func(agents.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			if !cold.Usage.Known || cold.Usage.CacheWrite == 0 || cold.Usage.CacheRead != 0 || cold.Usage.Output < 10 {
				t.Fatalf("cold usage %+v", cold.Usage)
			}
			if warm.Usage.CacheRead != cold.Usage.CacheWrite || warm.Usage.CacheWrite != 0 {
				t.Fatalf("warm usage %+v after cold %+v", warm.Usage, cold.Usage)
			}
			// $3.75 a million written, $15 a million out, ¥7 a dollar.
			want := domain.Money(float64(cold.Usage.CacheWrite)*3.75*7 + float64(cold.Usage.Output)*15*7)
			if diff := cold.Cost - want; diff < 0 || diff > 1 {
				t.Fatalf("cost %d, want %d (rounded up)", cold.Cost, want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	reply := agentstest.Reply{Text: words, Calls: []agentstest.Call{{Tool: "search_fast", Input: map[string]any{"query": "castle"}}}}
	for _, c := range []struct {
		name  string
		zen   bool
		scene agentstest.Scene
		kind  agents.ErrorKind
		retry bool
		after time.Duration
	}{
		{"overloaded", false, agentstest.Scene{Status: 529, Type: "overloaded_error"}, agents.Overloaded, true, 0},
		{"overloaded in mid-stream", false, agentstest.Scene{Reply: reply, FailAfter: 3, FailWith: "overloaded_error"}, agents.Overloaded, true, 0},
		{"an unknown error in mid-stream", false, agentstest.Scene{Reply: reply, FailAfter: 3, FailWith: "strange_error"}, agents.ServerError, true, 0},
		{"rate limit", false, agentstest.Scene{Status: 429, Type: "rate_limit_error", RetryAfter: "17"}, agents.RateLimited, true, 17 * time.Second},
		{"spending limit", false, agentstest.Scene{Status: 429, Type: "rate_limit_error", SpendLimit: true}, agents.Spent, false, 0},
		{"credit used up", false, agentstest.Scene{Status: 402, Type: "billing_error"}, agents.Spent, false, 0},
		{"no permission", false, agentstest.Scene{Status: 403, Type: "permission_error"}, agents.Denied, false, 0},
		{"unknown model", false, agentstest.Scene{Status: 404, Type: "not_found_error"}, agents.BadRequest, false, 0},
		{"too large", false, agentstest.Scene{Status: 413, Type: "request_too_large"}, agents.TooLarge, false, 0},
		{"server error", false, agentstest.Scene{Status: 500, Type: "api_error"}, agents.ServerError, true, 0},
		{"gateway timeout", false, agentstest.Scene{Status: 504, Type: "timeout_error"}, agents.Timeout, true, 0},
		{"the stream ends too early", false, agentstest.Scene{Reply: reply, CutAfter: 6}, agents.Interrupted, true, 0},
		{"the stream ends before the stop event", false, agentstest.Scene{Reply: agentstest.Reply{Text: "a"}, CutAfter: 5}, agents.Interrupted, true, 0},
		{"the connection breaks", false, agentstest.Scene{Reply: reply, CutAfter: 6, Abort: true}, agents.Interrupted, true, 0},
		{"zenmux: rate limit", true, agentstest.Scene{Status: 429, Type: "rate_limit"}, agents.RateLimited, true, 0},
		{"zenmux: credit", true, agentstest.Scene{Status: 402, Type: "insufficient_credit"}, agents.Spent, false, 0},
		{"zenmux: quota", true, agentstest.Scene{Status: 402, Type: "quote_exceeded"}, agents.Spent, false, 0},
		{"zenmux: unprocessable", true, agentstest.Scene{Status: 422, Type: "provider_unprocessable_entity_error"}, agents.BadRequest, false, 0},
		{"zenmux: too large", true, agentstest.Scene{Status: 413, Type: "invalid_params"}, agents.TooLarge, false, 0},
		{"zenmux: no provider", true, agentstest.Scene{Status: 502, Type: "no_provider_available"}, agents.ServerError, true, 0},
		{"zenmux: provider failed", true, agentstest.Scene{Status: 520, Type: "provider_internal_server_error"}, agents.ServerError, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, server := model(t, c.zen, always(c.scene))
			_, err := m.Stream(t.Context(), say("find", search), func(agents.Delta) {})
			var got *agents.ModelError
			if !errors.As(err, &got) {
				t.Fatalf("error %v is not a ModelError", err)
			}
			if got.Kind != c.kind || got.Retry != c.retry || got.RetryAfter != c.after {
				t.Fatalf("got %s retry %t after %s, want %s %t %s (%v)", got.Kind, got.Retry, got.RetryAfter, c.kind, c.retry, c.after, got)
			}
			if n := len(server.Requests()); n != 1 {
				t.Fatalf("%d requests: the adapter must not retry", n)
			}
			if strings.Contains(got.Message, agentstest.ServerKey) || strings.Contains(got.Message, "http") {
				t.Fatalf("the message tells too much: %s", got.Message)
			}
		})
	}
}

func TestBadKeyIsDenied(t *testing.T) {
	t.Parallel()
	for name, zen := range map[string]bool{"vendor answers 401": false, "zenmux answers 403": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, server := model(t, zen, always(agentstest.Scene{}))
			m, err := anthropic.New(anthropic.Config{
				Key: "wrong", BaseURL: server.URL, Model: "claude-sonnet-4-5", Prices: anthropic.DefaultPrices(), YuanPerUSD: 7,
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Stream(t.Context(), say("hello"), func(agents.Delta) {})
			var got *agents.ModelError
			if !errors.As(err, &got) || got.Kind != agents.Denied || got.Retry {
				t.Fatalf("got %v, want denied without retry", err)
			}
		})
	}
}

func TestEnvironmentIsIgnored(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "from-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "from-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	m, _ := model(t, false, always(agentstest.Scene{Reply: agentstest.Reply{Text: words}}))
	if _, err := m.Stream(t.Context(), say("hello"), func(agents.Delta) {}); err != nil {
		t.Fatal(err)
	}
}

func TestToolInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, raw, want string }{
		{"in fragments", `{"query":"城堡 \"siege\"","page":2}`, `{"query":"城堡 \"siege\"","page":2}`},
		{"empty is an empty object", "", "{}"},
		{"broken is kept for the loop to refuse", `{"query":"cas`, `{"query":"cas`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, _ := model(t, false, always(agentstest.Scene{Split: 5, Reply: agentstest.Reply{
				RawInput: c.raw, Calls: []agentstest.Call{{ID: "toolu_x", Tool: "search_fast"}},
			}}))
			resp, err := m.Stream(t.Context(), say("find", search), func(agents.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			want := []agents.Block{{Type: agents.ToolUse, ID: "toolu_x", Name: "search_fast", Input: json.RawMessage(c.want)}}
			if diff := cmp.Diff(want, resp.Blocks); diff != "" {
				t.Fatalf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestThinkingReturnsUnchanged(t *testing.T) {
	t.Parallel()
	m, server := model(t, false, func(r agents.Request) agentstest.Scene {
		if len(r.Messages) > 1 {
			return agentstest.Scene{Reply: agentstest.Reply{Text: words}}
		}
		return agentstest.Scene{Reply: agentstest.Reply{
			Thinking: "the castle, 也许是夜景", Redacted: "b64-of-hidden-thought", Text: words,
			Calls: []agentstest.Call{{ID: "toolu_1", Tool: "search_fast", Input: map[string]any{"query": "castle"}}},
		}}
	})
	req := say("find", search)
	resp, err := m.Stream(t.Context(), req, func(agents.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, agents.Message{Role: agents.Assistant, Blocks: resp.Blocks},
		agents.Message{Role: agents.User, Blocks: []agents.Block{{Type: agents.ToolResult, ID: "toolu_1", Text: "none", IsError: true, Breakpoint: true}}})
	if _, err := m.Stream(t.Context(), req, func(agents.Delta) {}); err != nil {
		t.Fatal(err)
	}
	var body struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(server.Bodies()[1], &body); err != nil {
		t.Fatal(err)
	}
	got := string(body.Messages[1].Content)
	for _, want := range []string{
		`"thinking":"the castle, 也许是夜景"`, `"signature":"sig-27"`, `"data":"b64-of-hidden-thought"`, `"type":"redacted_thinking"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the assistant's turn lacks %s: %s", want, got)
		}
	}
	if result := string(body.Messages[2].Content); !strings.Contains(result, `"is_error":true`) || !strings.Contains(result, `"cache_control":{"type":"ephemeral"}`) {
		t.Errorf("the result on the wire is %s", result)
	}
}

func TestPrefixBytes(t *testing.T) {
	t.Parallel()
	m, server := model(t, false, always(agentstest.Scene{Reply: agentstest.Reply{Text: words}}))
	for range 2 {
		if _, err := m.Stream(t.Context(), say("hello", search), func(agents.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	bodies := server.Bodies()
	if !bytes.Equal(bodies[0], bodies[1]) {
		t.Fatalf("the same request has other bytes:\n%s\n%s", bodies[0], bodies[1])
	}
	if !bytes.Contains(bodies[0], search.Schema) {
		t.Fatalf("the schema was not sent as it is: %s", bodies[0])
	}
	if n := bytes.Count(bodies[0], []byte("cache_control")); n != 3 {
		t.Fatalf("%d cache marks on the wire, want 3", n)
	}
}

func TestKeepAlivesAreSignsOfLife(t *testing.T) {
	t.Parallel()
	m, _ := model(t, true, always(agentstest.Scene{Reply: agentstest.Reply{Text: words}, HangAfter: 3}))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	beats := 0
	_, err := m.Stream(ctx, say("hello"), func(d agents.Delta) {
		if d == (agents.Delta{}) {
			if beats++; beats == 20 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) || beats < 20 {
		t.Fatalf("%d signs of life, error %v", beats, err)
	}
}
