package agents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/domain"
)

func text(role agents.Role, words string) agents.Message {
	return agents.Message{Role: role, Blocks: []agents.Block{{Type: agents.TextBlock, Text: words}}}
}

func use(id string) agents.Block {
	return agents.Block{Type: agents.ToolUse, ID: id, Name: "look", Input: json.RawMessage(`{"id":"` + id + `"}`)}
}

func spec(name string) agents.ToolSpec {
	return agents.ToolSpec{Name: name, Description: name, Schema: json.RawMessage(`{"type": "object"}`)}
}

func assembler(t *testing.T) *agents.Assembler {
	t.Helper()
	a, err := agents.NewAssembler(agents.Prompt{
		Constitution: "You are a butler.", Context: "The gene.", Output: 1000,
		Tools: []agents.ToolSpec{spec("look"), spec("ask")}, Opening: []agents.Message{text(agents.User, "hello")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func request(t *testing.T, a *agents.Assembler) agents.Request {
	t.Helper()
	r, err := a.Request()
	if err != nil {
		t.Fatal(err)
	}
	if err := agentstest.CheckRequest(r); err != nil {
		t.Fatalf("the request is not valid: %v", err)
	}
	return r
}

// marks are the indexes of the message blocks with a breakpoint.
func marks(r agents.Request) []int {
	var out []int
	i := 0
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Breakpoint {
				out = append(out, i)
			}
			i++
		}
	}
	return out
}

func TestAssemblerRefusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	hello := []agents.Message{text(agents.User, "hello")}
	for name, p := range map[string]agents.Prompt{
		"no opening":            {},
		"assistant first":       {Opening: []agents.Message{text(agents.Assistant, "a")}},
		"assistant last":        {Opening: []agents.Message{text(agents.User, "a"), text(agents.Assistant, "b")}},
		"roles that repeat":     {Opening: []agents.Message{text(agents.User, "a"), text(agents.User, "b"), text(agents.User, "c")}},
		"an empty message":      {Opening: []agents.Message{text(agents.User, " \n")}},
		"two tools of a name":   {Opening: hello, Tools: []agents.ToolSpec{spec("a"), spec("a")}},
		"a schema of no JSON":   {Opening: hello, Tools: []agents.ToolSpec{{Name: "a", Schema: json.RawMessage(`{`)}}},
		"a schema of no object": {Opening: hello, Tools: []agents.ToolSpec{{Name: "a", Schema: json.RawMessage(`[]`)}}},
	} {
		if _, err := agents.NewAssembler(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	a := assembler(t)
	a.Respond([]agents.Block{{Type: agents.TextBlock, Text: "bye"}})
	if _, err := a.Request(); err == nil {
		t.Error("a request that ends with the model's own words was built")
	}
}

func TestAssemblerBreakpoints(t *testing.T) {
	t.Parallel()
	a := assembler(t)
	r := request(t, a)
	if !r.System[0].Breakpoint || !r.System[1].Breakpoint {
		t.Fatalf("L0 and L1 are not marked: %+v", r.System)
	}
	if diff := cmp.Diff([]int{0}, marks(r)); diff != "" {
		t.Fatalf("marks (-want +got):\n%s", diff)
	}
	var cache agentstest.Cache
	cache.Serve(r)
	// A small round: the rolling mark finds the one before by looking back. A
	// large one (2 × 12 blocks) needs the older mark again.
	for i, calls := range []int{2, 12, 30, 1} {
		var blocks []agents.Block
		var results []agents.ResultOf
		for j := range calls {
			id := fmt.Sprintf("c%d-%d", i, j)
			blocks = append(blocks, use(id))
			results = append(results, agents.ResultOf{Call: id, Text: "result of " + id})
		}
		before := marks(r)[len(marks(r))-1]
		a.Respond(blocks)
		a.Results(results)
		r = request(t, a)
		want := []int{before + 2*calls}
		if 2*calls > 15 {
			want = []int{before, before + 2*calls}
		}
		if diff := cmp.Diff(want, marks(r)); diff != "" {
			t.Fatalf("round %d, marks (-want +got):\n%s", i, diff)
		}
		u := cache.Serve(r)
		if u.Input != 0 || u.CacheRead == 0 || u.CacheWrite == 0 {
			t.Fatalf("round %d: usage %+v, want only what is new to be written", i, u)
		}
	}
}

// T13: a parallel call without its result, at the fold threshold.
func TestFoldKeepsPairsTogether(t *testing.T) {
	t.Parallel()
	a := assembler(t)
	page := strings.Repeat("a row of the page; ", 400)
	for i := range 10 {
		x, y := fmt.Sprintf("x%d", i), fmt.Sprintf("y%d", i)
		a.Respond([]agents.Block{{Type: agents.TextBlock, Text: fmt.Sprintf("thought %d", i)}, use(x), use(y)})
		// The result of y is missing, one of a call that was never made is there.
		a.Results([]agents.ResultOf{{Call: "stranger", Text: page}, {Call: x, Text: page, Fold: fmt.Sprintf("page %d\nof castles", i)}})
		request(t, a)
	}
	a.Respond([]agents.Block{use("open1"), use("open2")}) // crossing the threshold between call and result
	before := a.Tokens()
	if err := a.Fold(before / 2); err != nil {
		t.Fatal(err)
	}
	if after := a.Tokens(); after > before/2 {
		t.Fatalf("folded from %d to %d tokens, want at most %d", before, after, before/2)
	}
	r := request(t, a) // valid: every call has its result
	last := r.Messages[len(r.Messages)-1].Blocks
	if len(last) != 2 || !last[0].IsError || !strings.Contains(last[1].Text, "interrupted") {
		t.Fatalf("open calls were answered with %+v", last)
	}
	folded, full := 0, 0
	for i, m := range r.Messages[1 : len(r.Messages)-2] {
		for _, b := range m.Blocks {
			switch {
			case b.Type == agents.TextBlock && b.Text != fmt.Sprintf("thought %d", i/2):
				t.Fatalf("the model's words were changed: %q", b.Text)
			case b.Type == agents.ToolResult && b.Text == fmt.Sprintf("[folded] page %d of castles", i/2):
				folded++
			case b.Type == agents.ToolResult && b.Text == page:
				if full++; folded == 0 {
					t.Fatal("a newer result was folded before an older one")
				}
			}
		}
	}
	if folded+full != 10 || folded < 4 || full < 4 {
		t.Fatalf("%d results folded, %d kept", folded, full)
	}
}

// T13: a second fold without gain is an error, not a loop.
func TestFoldWithoutGainIsAnError(t *testing.T) {
	t.Parallel()
	a := assembler(t)
	a.Respond([]agents.Block{use("c1")})
	a.Results([]agents.ResultOf{{Call: "c1", Text: strings.Repeat("words ", 1000)}})
	if err := a.Fold(10); !errors.Is(err, agents.ErrFold) {
		t.Fatalf("the newest result was folded away before the model saw it: %v", err)
	}
	a.Respond([]agents.Block{{Type: agents.TextBlock, Text: strings.Repeat("my own words ", 500)}, use("c2")})
	a.Results([]agents.ResultOf{{Call: "c2", Text: "{}"}})
	if err := a.Fold(10); err != nil {
		t.Fatalf("first fold: %v", err)
	}
	if err := a.Fold(10); !errors.Is(err, agents.ErrFold) {
		t.Fatalf("second fold: %v, want ErrFold", err)
	}
	request(t, a)
}

func TestFoldReachesTheOpening(t *testing.T) {
	t.Parallel()
	a, err := agents.NewAssembler(agents.Prompt{Output: 1, Opening: []agents.Message{
		text(agents.User, "hello"),
		{Role: agents.Assistant, Blocks: []agents.Block{use("c1")}},
		{Role: agents.User, Blocks: []agents.Block{{Type: agents.ToolResult, ID: "c1", Text: strings.Repeat("words ", 500)}}},
		text(agents.Assistant, "well"),
		text(agents.User, "go on"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Fold(10); err != nil {
		t.Fatal(err)
	}
	if got := request(t, a).Messages[2].Blocks[0].Text; !strings.HasPrefix(got, `[folded] look {"id":"c1"}`) {
		t.Fatalf("folded to %q", got)
	}
}

// T14: thirty turns of a chat, the gene changed before the twelfth.
func TestPrefixIsStable(t *testing.T) {
	t.Parallel()
	properties := map[string]any{"query": 1, "page": 2, "platform": 3, "why": 4}
	var cache agentstest.Cache
	var prefixes [][][32]byte
	cold := 0
	for i := range 30 {
		gene := "The gene, version 1: fast cuts. " + strings.Repeat("rule ", 200)
		if i >= 11 {
			gene = "The gene, version 2: no music. " + strings.Repeat("rule ", 200)
		}
		// The tools come in any order, their schemas from a map.
		tools := map[string]agents.ToolSpec{}
		for _, name := range []string{"view", "look", "ask", "order", "propose"} {
			schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
			if err != nil {
				t.Fatal(err)
			}
			tools[name] = agents.ToolSpec{Name: name, Description: name, Schema: schema}
		}
		list := slices.Collect(maps.Values(tools))
		rand.Shuffle(len(list), func(x, y int) { list[x], list[y] = list[y], list[x] })
		a, err := agents.NewAssembler(agents.Prompt{
			Constitution: strings.Repeat("principle ", 500), Tools: list, Context: gene, Output: 1000,
			Opening: []agents.Message{text(agents.User, fmt.Sprintf("%s message %d", time.Now(), i))},
		})
		if err != nil {
			t.Fatal(err)
		}
		for round := range 3 {
			r := request(t, a)
			if err := agentstest.CheckPrefix(r); err != nil {
				t.Fatal(err)
			}
			u := cache.Serve(r)
			a.Observe(u)
			if round == 0 {
				prefixes = append(prefixes, agentstest.Prefixes(r))
				if u.CacheWrite > 250 { // more than the message: L1, and at first L0, is written
					cold++
				}
			} else if u.CacheWrite > 100 || u.Input > 0 {
				t.Fatalf("turn %d, round %d is cold: %+v", i+1, round, u)
			}
			id := fmt.Sprintf("call-%d-%d", i, round)
			a.Respond([]agents.Block{use(id)})
			a.Results([]agents.ResultOf{{Call: id, Text: "fine"}})
		}
	}
	if cold != 2 {
		t.Fatalf("%d cold starts, want one at the beginning and one after the change", cold)
	}
	for i, p := range prefixes {
		same := prefixes[0]
		if i >= 11 {
			same = prefixes[11]
		}
		if p[0] != prefixes[0][0] || p[1] != same[1] {
			t.Fatalf("the prefix of turn %d differs", i+1)
		}
	}
	if prefixes[0][1] == prefixes[11][1] {
		t.Fatal("the changed gene does not show in the prefix")
	}
}

func TestCheckPrefixFindsClocksAndIDs(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"It is 2026-03-01T10:20:30Z.", "now: 2026-03-01 10:20", "run 01J9Z3K6V8QW2N4R5T7Y9B1C3D",
		"at 9:05:07", "at 1767225600000", "trace 3f2504e0-4f89-41d3-9a0c-0305e82c3301"} {
		if agentstest.CheckPrefix(agents.Request{System: []agents.Segment{{Text: words}}}) == nil {
			t.Errorf("not found: %s", words)
		}
	}
}

// A fold costs one cold write; after it the cache holds again.
func TestFoldCostsOneColdWrite(t *testing.T) {
	t.Parallel()
	a := assembler(t)
	var cache agentstest.Cache
	cold := 0
	for i := range 20 {
		if i == 10 {
			if err := a.Fold(a.Tokens() / 2); err != nil {
				t.Fatal(err)
			}
		}
		u := cache.Serve(request(t, a))
		if u.CacheWrite > 900 {
			cold++
		}
		if i == 10 && u.CacheRead == 0 {
			t.Fatal("the fold cost L0 and L1 too")
		}
		id := fmt.Sprintf("c%d", i)
		a.Respond([]agents.Block{use(id)})
		a.Results([]agents.ResultOf{{Call: id, Text: strings.Repeat("words ", 300)}})
	}
	if cold != 1 {
		t.Fatalf("%d cold writes, want the one of the fold", cold)
	}
}

func TestTokenEstimate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "four": 1, "seventeen letters": 5, "创意基因": 4, "节奏太慢，爆炸感不够。": 11, "かな カナ": 5, "💥💥": 2, "мир": 2,
	} {
		if got := agents.EstimateTokens(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
	a := assembler(t)
	before := a.Tokens()
	request(t, a)
	a.Observe(domain.Usage{Known: true, Input: before / 2, CacheRead: before})
	if got, want := a.Tokens(), before*3/2; got < want-2 || got > want+2 {
		t.Fatalf("corrected to %d, want about %d", got, want)
	}
	a.Observe(domain.Usage{})
	if got := a.Tokens(); got == before {
		t.Fatal("an unknown usage undid the correction")
	}
}
