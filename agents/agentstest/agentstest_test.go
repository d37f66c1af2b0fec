package agentstest_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"sozai/agents"
	"sozai/agents/agentstest"
)

func block(kind agents.BlockType, id string) agents.Block {
	b := agents.Block{Type: kind, ID: id, Name: "look", Text: "text"}
	if kind == agents.ToolUse {
		b.Input, b.Text = json.RawMessage(`{}`), ""
	}
	return b
}

func request(messages ...[]agents.Block) agents.Request {
	r := agents.Request{MaxTokens: 10}
	for i, blocks := range messages {
		r.Messages = append(r.Messages, agents.Message{Role: []agents.Role{agents.User, agents.Assistant}[i%2], Blocks: blocks})
	}
	return r
}

func TestCheckRequest(t *testing.T) {
	t.Parallel()
	said := []agents.Block{block(agents.TextBlock, "")}
	calls := []agents.Block{block(agents.ToolUse, "a"), block(agents.ToolUse, "b")}
	good := request(said, calls, []agents.Block{block(agents.ToolResult, "a"), block(agents.ToolResult, "b")})
	if err := agentstest.CheckRequest(good); err != nil {
		t.Fatal(err)
	}
	marked := func(n int) agents.Request {
		blocks := make([]agents.Block, n)
		for i := range blocks {
			blocks[i] = block(agents.TextBlock, "")
			blocks[i].Breakpoint = true
		}
		return request(blocks)
	}
	if err := agentstest.CheckRequest(marked(4)); err != nil {
		t.Fatal(err)
	}
	wrongRole := request(said)
	wrongRole.Messages[0].Role = agents.Assistant
	noTokens := request(said)
	noTokens.MaxTokens = 0
	unsorted := request(said)
	for _, name := range []string{"b", "a"} {
		unsorted.Tools = append(unsorted.Tools, agents.ToolSpec{Name: name, Schema: json.RawMessage(`{"type":"object"}`)})
	}
	for name, r := range map[string]agents.Request{
		"assistant first":       wrongRole,
		"assistant last":        request(said, said),
		"no messages":           request(),
		"no max_tokens":         noTokens,
		"unsorted tools":        unsorted,
		"five breakpoints":      marked(5),
		"empty text":            request([]agents.Block{{Type: agents.TextBlock, Text: " "}}),
		"a result is missing":   request(said, calls, []agents.Block{block(agents.ToolResult, "a")}),
		"a result of no call":   request(said, said, []agents.Block{block(agents.ToolResult, "x")}),
		"text before results":   request(said, calls, []agents.Block{block(agents.TextBlock, ""), block(agents.ToolResult, "a"), block(agents.ToolResult, "b")}),
		"a call id twice":       request(said, []agents.Block{calls[0], calls[0]}, []agents.Block{block(agents.ToolResult, "a")}),
		"a call by the user":    request(calls),
		"a result too late":     request(said, calls[:1], said, said, []agents.Block{block(agents.ToolResult, "a")}),
		"input of no object":    request(said, []agents.Block{{Type: agents.ToolUse, ID: "a", Name: "x", Input: json.RawMessage(`"x"`)}}, []agents.Block{block(agents.ToolResult, "a")}),
		"thinking by the user":  request([]agents.Block{block(agents.Thinking, "")}),
		"a block of no type":    request([]agents.Block{{Text: "x"}}),
		"a message of no block": request(nil),
	} {
		if agentstest.CheckRequest(r) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// marked is a body with so many marks, the first on a tool.
func marked(n int) string {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	blocks := make([]string, n-1)
	for i := range blocks {
		blocks[i] = `{"type":"text","text":"a"` + mark + `}`
	}
	blocks = append(blocks, `{"type":"text","text":"b"}`)
	return `{"model":"m","max_tokens":1,"stream":true,"tools":[{"name":"look","input_schema":{"type":"object"}` + mark +
		`}],"messages":[{"role":"user","content":[` + strings.Join(blocks, ",") + `]}]}`
}

func TestServerRefusesWhatTheAPIRefuses(t *testing.T) {
	t.Parallel()
	s := agentstest.NewAnthropicServer(t, false, func(agents.Request) agentstest.Scene { return agentstest.Scene{} })
	for name, c := range map[string]struct {
		key, version, body string
		want               int
	}{
		"no key":        {"", "2023-06-01", `{}`, http.StatusUnauthorized},
		"no version":    {agentstest.ServerKey, "", `{}`, http.StatusBadRequest},
		"unknown field": {agentstest.ServerKey, "2023-06-01", `{"model":"m","max_tokens":1,"stream":true,"messages":[],"strange":1}`, http.StatusBadRequest},
		"no messages":   {agentstest.ServerKey, "2023-06-01", `{"model":"m","max_tokens":1,"stream":true,"messages":[]}`, http.StatusBadRequest},
		"four marks":    {agentstest.ServerKey, "2023-06-01", marked(4), http.StatusOK},
		"five marks":    {agentstest.ServerKey, "2023-06-01", marked(5), http.StatusBadRequest},
		"a mark for an hour": {agentstest.ServerKey, "2023-06-01",
			strings.Replace(marked(1), `"ephemeral"`, `"ephemeral","ttl":"1h"`, 1), http.StatusBadRequest},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/messages", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", c.key)
		r.Header.Set("Anthropic-Version", c.version)
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", name, resp.StatusCode, c.want)
		}
	}
}

func TestScriptedConforms(t *testing.T) {
	t.Parallel()
	tools := []agents.ToolSpec{{Name: "look", Description: "Looks.", Schema: json.RawMessage(`{"type":"object"}`)}}
	talk := request([]agents.Block{block(agents.TextBlock, "")})
	act := talk
	act.Tools = tools
	play := func(r agents.Request) agentstest.Round {
		if len(r.Tools) > 0 && len(r.Messages) == 1 {
			return agentstest.Round{Text: "I look.", Calls: []agentstest.Call{{Tool: "look"}, {Tool: "look", Input: map[string]int{"n": 1}}}}
		}
		return agentstest.Round{Text: "A long enough answer."}
	}
	agentstest.Conformance(t, agentstest.Subject{
		New: func(*testing.T) agents.Model {
			return agentstest.Script(agentstest.Round{Then: play}, agentstest.Round{Then: play}, agentstest.Round{Then: play})
		},
		Talk: talk, Act: act,
	})
}

func TestScriptedSaysWhenItIsOver(t *testing.T) {
	t.Parallel()
	_, err := agentstest.Script().Stream(t.Context(), request([]agents.Block{block(agents.TextBlock, "")}), func(agents.Delta) {})
	var failed *agents.ModelError
	if !errors.As(err, &failed) || failed.Kind != agents.BadRequest {
		t.Fatalf("got %v", err)
	}
}
