package agentstest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/domain"
)

// Subject is a Model under test and what makes it talk and act.
type Subject struct {
	New  func(t *testing.T) agents.Model
	Talk agents.Request // answered in words, long enough for several pieces
	Act  agents.Request // answered with at least one call of its tools
	// Result is what the tools of Act return; nil = an empty object.
	Result func(call agents.Block) string
}

// Conformance is what every Model must do, whatever plays behind it.
func Conformance(t *testing.T, s Subject) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, Subject)
	}{
		{"has a name", hasName},
		{"pieces add up to the text", piecesAddUp},
		{"calls are announced, named and valid", callsAreValid},
		{"answers the results of its calls", answersResults},
		{"ends at once when cancelled", endsWhenCancelled},
		{"does not begin when cancelled before", endsBeforeItBegins},
		{"counts usage or says that it is unknown", countsUsage},
		{"plays two streams at a time", twoStreams},
		{"leaves the request alone", leavesRequest},
		{"says nothing after it returned", silentAfterwards},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, s)
		})
	}
}

// listen collects what a stream emits.
type listen struct {
	text   strings.Builder
	pieces int
	calls  []agents.Delta
}

func (l *listen) hear(d agents.Delta) {
	if d.Text != "" {
		l.text.WriteString(d.Text)
		l.pieces++
	}
	if d.Tool != "" {
		l.calls = append(l.calls, d)
	}
}

func play(t *testing.T, m agents.Model, req agents.Request) (agents.Response, *listen) {
	t.Helper()
	if err := CheckRequest(req); err != nil {
		t.Fatalf("the request of the test is not valid: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var l listen
	resp, err := m.Stream(ctx, req, l.hear)
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	valid := []agents.StopReason{agents.EndTurn, agents.StopToolUse, agents.StopSequence}
	if !slices.Contains(valid, resp.Stop) {
		t.Fatalf("stopped with %q, want one of %v", resp.Stop, valid)
	}
	if calls := use(resp); (len(calls) > 0) != (resp.Stop == agents.StopToolUse) {
		t.Fatalf("%d calls but stopped with %q", len(calls), resp.Stop)
	}
	return resp, &l
}

func use(r agents.Response) []agents.Block {
	return slices.DeleteFunc(slices.Clone(r.Blocks), func(b agents.Block) bool { return b.Type != agents.ToolUse })
}

func textOf(r agents.Response) string {
	var b strings.Builder
	for _, block := range r.Blocks {
		if block.Type == agents.TextBlock {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

func hasName(t *testing.T, s Subject) {
	m := s.New(t)
	resp, _ := play(t, m, s.Talk)
	if m.Name() == "" || resp.Model == "" {
		t.Fatalf("name %q, model of the response %q", m.Name(), resp.Model)
	}
}

func piecesAddUp(t *testing.T, s Subject) {
	resp, l := play(t, s.New(t), s.Talk)
	if textOf(resp) == "" || l.pieces < 2 {
		t.Fatalf("%d pieces of %q, want several", l.pieces, textOf(resp))
	}
	if diff := cmp.Diff(textOf(resp), l.text.String()); diff != "" {
		t.Fatalf("pieces differ from the text (-text +pieces):\n%s", diff)
	}
}

func callsAreValid(t *testing.T, s Subject) {
	resp, l := play(t, s.New(t), s.Act)
	calls := use(resp)
	if len(calls) == 0 {
		t.Fatalf("no calls; it said %q", textOf(resp))
	}
	var announced []agents.Delta
	ids := map[string]bool{}
	for _, c := range calls {
		announced = append(announced, agents.Delta{Tool: c.Name, Call: c.ID})
		known := slices.ContainsFunc(s.Act.Tools, func(t agents.ToolSpec) bool { return t.Name == c.Name })
		var object map[string]any
		if err := json.Unmarshal(c.Input, &object); err != nil || object == nil || !known || c.ID == "" || ids[c.ID] {
			t.Fatalf("bad call %+v (input %s): %v", c, c.Input, err)
		}
		ids[c.ID] = true
	}
	if diff := cmp.Diff(announced, l.calls); diff != "" {
		t.Fatalf("calls and their announcements differ (-calls +announced):\n%s", diff)
	}
}

func answersResults(t *testing.T, s Subject) {
	m := s.New(t)
	req := s.Act
	resp, _ := play(t, m, req)
	req.Messages = append(slices.Clone(req.Messages),
		agents.Message{Role: agents.Assistant, Blocks: resp.Blocks},
		agents.Message{Role: agents.User, Blocks: results(s, resp)})
	next, _ := play(t, m, req)
	if len(next.Blocks) == 0 {
		t.Fatal("no answer to the results")
	}
	if before, after := resp.Usage, next.Usage; before.Known && after.Known && promptOf(after) <= promptOf(before) {
		t.Fatalf("the prompt grew, its count did not: %+v, then %+v", before, after)
	}
	for _, c := range use(next) {
		if slices.ContainsFunc(use(resp), func(b agents.Block) bool { return b.ID == c.ID }) {
			t.Fatalf("call id %s was used again", c.ID)
		}
	}
}

func promptOf(u domain.Usage) int { return u.Input + u.CacheWrite + u.CacheRead }

func results(s Subject, resp agents.Response) []agents.Block {
	var out []agents.Block
	for _, c := range use(resp) {
		text := "{}"
		if s.Result != nil {
			text = s.Result(c)
		}
		out = append(out, agents.Block{Type: agents.ToolResult, ID: c.ID, Name: c.Name, Text: text})
	}
	return out
}

func endsWhenCancelled(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	_, err := s.New(t).Stream(ctx, s.Talk, func(d agents.Delta) {
		if d.Text != "" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled at the first piece, it returned %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Fatalf("it took %s to end", took)
	}
}

func endsBeforeItBegins(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var l listen
	if _, err := s.New(t).Stream(ctx, s.Talk, l.hear); !errors.Is(err, context.Canceled) || l.pieces > 0 {
		t.Fatalf("error %v after %d pieces, want context.Canceled and none", err, l.pieces)
	}
}

func countsUsage(t *testing.T, s Subject) {
	m := s.New(t)
	for _, req := range []agents.Request{s.Talk, s.Act} {
		resp, _ := play(t, m, req)
		u := resp.Usage
		if min(u.Input, u.CacheRead, u.CacheWrite, u.Output) < 0 || resp.Cost < 0 {
			t.Fatalf("negative usage %+v or cost %d", u, resp.Cost)
		}
		if u.Known && (u.Input+u.CacheRead+u.CacheWrite == 0 || u.Output == 0) {
			t.Fatalf("usage is said to be known but is empty: %+v", u)
		}
		if !u.Known && resp.Cost != 0 {
			t.Fatalf("unknown usage with a cost of %d", resp.Cost)
		}
	}
}

func twoStreams(t *testing.T, s Subject) {
	m := s.New(t)
	var wg sync.WaitGroup
	for _, req := range []agents.Request{s.Talk, s.Act} {
		wg.Go(func() {
			var l listen
			resp, err := m.Stream(t.Context(), req, l.hear)
			if err != nil {
				t.Errorf("stream: %v", err)
			} else if got := l.text.String(); got != textOf(resp) {
				t.Errorf("streams were mixed: pieces %q, text %q", got, textOf(resp))
			}
		})
	}
	wg.Wait()
}

func leavesRequest(t *testing.T, s Subject) {
	before, err := json.Marshal(s.Act)
	if err != nil {
		t.Fatal(err)
	}
	play(t, s.New(t), s.Act)
	after, err := json.Marshal(s.Act)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Fatalf("the request was changed (-before +after):\n%s", diff)
	}
}

func silentAfterwards(t *testing.T, s Subject) {
	m := s.New(t)
	var mu sync.Mutex
	returned := false
	_, err := m.Stream(t.Context(), s.Act, func(agents.Delta) {
		mu.Lock()
		defer mu.Unlock()
		if returned {
			t.Error("emit was called after Stream returned")
		}
	})
	mu.Lock()
	returned = true
	mu.Unlock()
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	play(t, m, s.Talk) // gives a stray goroutine the time to be noticed
}
