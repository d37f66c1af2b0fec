package anthropic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/anthropic"
	"sozai/domain"
	"sozai/domain/run"
)

const prefixRounds = 30

// shuffled are tools as careless code would make them: in any order, with
// schemas, and with results, that were written key by key in any order.
func shuffled() []agents.Tool {
	var tools []agents.Tool
	for _, name := range []string{"search_fast", "analyze_video", "save_materials", "check_competitor"} {
		tools = append(tools, agents.Tool{
			ToolSpec: agents.ToolSpec{Name: name, Description: "Does <" + name + ">.", Schema: inAnyOrder(map[string]string{
				"type": `"object"`, "required": `["query"]`, "additionalProperties": "false",
				"properties": string(inAnyOrder(map[string]string{
					"query": `{"type":"string"}`, "page": `{"minimum":1,"type":"integer"}`, "platform": `{"type":"string"}`, "why": `{}`,
				})),
			})},
			Execute: func(_ context.Context, c agents.Call) (agents.Output, error) {
				items := map[string]any{"round": c.Round, "items": strings.Repeat("a clip; ", 60), "by": map[string]int{"plays": 9, "likes": 3, "age": 1}}
				text, err := json.Marshal(items)
				return agents.Output{Text: string(text)}, err
			},
		})
	}
	tools = append(tools, agents.Tool{
		ToolSpec: agents.ToolSpec{Name: "finish", Description: "Ends.", Schema: json.RawMessage(`{"type":"object"}`)}, EndsRun: true,
		Execute: func(context.Context, agents.Call) (agents.Output, error) { return agents.Output{Text: "{}"}, nil },
	})
	rand.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
	return tools
}

func inAnyOrder(members map[string]string) json.RawMessage {
	keys := slices.Collect(maps.Keys(members))
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%q : %s", k, members[k])
	}
	return json.RawMessage("{ " + strings.Join(parts, ", ") + " }")
}

// spoken is what of a request on the wire makes its prefix, without the marks.
type spoken struct{ tools, system, messages []byte }

// playWire plays thirty rounds at a contract server and returns what was sent.
func playWire(t *testing.T, gene string, at time.Time, id domain.ID) ([]spoken, []domain.Usage) {
	t.Helper()
	names := []string{"search_fast", "analyze_video", "save_materials"}
	rounds := 0
	server := agentstest.StartAnthropic(agentstest.Contract{Play: func(agents.Request) agentstest.Scene {
		rounds++
		if rounds == prefixRounds {
			return agentstest.Scene{Reply: agentstest.Reply{Calls: []agentstest.Call{{Tool: "finish"}}}}
		}
		return agentstest.Scene{Reply: agentstest.Reply{Thinking: fmt.Sprint("thought ", rounds), Text: fmt.Sprint("Round ", rounds), Calls: []agentstest.Call{
			{Tool: names[rounds%3], Input: json.RawMessage(fmt.Sprintf(`{"query":"城堡 %d", "page":%d}`, rounds, rounds))},
			{Tool: names[(rounds+1)%3], Input: map[string]any{"query": "siege", "why": rounds, "page": 2}},
		}}}
	}})
	defer server.Close()
	m, err := anthropic.New(anthropic.Config{Key: agentstest.ServerKey, BaseURL: server.URL, Model: "claude-sonnet-4-5", Prices: anthropic.DefaultPrices(), YuanPerUSD: 7})
	if err != nil {
		t.Fatal(err)
	}
	var ticks atomic.Int64
	loop := agents.Loop{Model: m, Tools: shuffled(), Now: func() time.Time { return at.Add(time.Duration(ticks.Add(1)) * time.Second) }}
	result, err := loop.Run(t.Context(), agents.Task{
		Run: id, Attempt: 1, Version: "v1", Constitution: strings.Repeat("principle ", 800), Context: gene,
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: "find castles"}}}},
	})
	if err != nil || result.Reason != run.ReasonFinished || result.Rounds != prefixRounds {
		t.Fatalf("ended with %s, %v after %d rounds", result.Reason, err, result.Rounds)
	}
	for _, r := range server.Requests() {
		if err := agentstest.CheckPrefix(r); err != nil {
			t.Fatal(err)
		}
	}
	var out []spoken
	for i, body := range server.Bodies() {
		if n := bytes.Count(body, []byte("cache_control")); n > agentstest.MaxBreakpoints {
			t.Fatalf("round %d carries %d marks", i+1, n)
		}
		var wire struct{ Tools, System, Messages json.RawMessage }
		if err := json.Unmarshal(bytes.ReplaceAll(body, []byte(`,"cache_control":{"type":"ephemeral"}`), nil), &wire); err != nil {
			t.Fatal(err)
		}
		out = append(out, spoken{wire.Tools, wire.System, wire.Messages})
	}
	return out, server.Usages()
}

// T14 on the wire: over thirty rounds no byte of what was sent before changes, and
// two runs that differ in clock, id and map order send the same bytes.
func TestThirtyRoundsKeepTheirPrefix(t *testing.T) {
	t.Parallel()
	gene := "The gene: fast cuts. " + strings.Repeat("rule ", 600)
	first, usages := playWire(t, gene, time.Now(), "01J9Z3K6V8QW2N4R5T7Y9B1C3D")
	for i := 1; i < len(first); i++ {
		before, now := first[i-1], first[i]
		if !bytes.Equal(before.tools, now.tools) || !bytes.Equal(before.system, now.system) {
			t.Fatalf("round %d has other tools or another system prompt", i+1)
		}
		if !bytes.HasPrefix(now.messages, bytes.TrimSuffix(before.messages, []byte("]"))) {
			t.Fatalf("round %d does not begin with what was sent before", i+1)
		}
	}
	cold, sum := 0, domain.Usage{Known: true}
	for i, u := range usages {
		if i == 0 || u.CacheRead < whole(usages[i-1]) {
			cold++
		}
		sum = sum.Add(u)
	}
	if share := float64(sum.CacheRead) / float64(whole(sum)); cold != 1 || share < 0.85 {
		t.Fatalf("%d cold writes, %.0f %% read from the cache", cold, 100*share)
	}
	again, _ := playWire(t, gene, time.Now().Add(400*24*time.Hour), "01K0000000AAAAAAAAAAAAAAAA")
	for i := range first {
		if !bytes.Equal(first[i].tools, again[i].tools) || !bytes.Equal(first[i].system, again[i].system) || !bytes.Equal(first[i].messages, again[i].messages) {
			t.Fatalf("round %d differs in a second run:\n%s\n%s", i+1, first[i], again[i])
		}
	}
	moved, _ := playWire(t, "The gene: no music. "+strings.Repeat("rule ", 600), time.Now(), "01J9Z3K6V8QW2N4R5T7Y9B1C3D")
	if !bytes.Equal(first[0].tools, moved[0].tools) || bytes.Equal(first[0].system, moved[0].system) {
		t.Fatal("a changed gene must change L1, and nothing before it")
	}
}
