package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
)

type round = agentstest.Round

func call(tool string, input any) []agentstest.Call {
	return []agentstest.Call{{Tool: tool, Input: input}}
}

// bench is a loop with everything it reported.
type bench struct {
	loop   agents.Loop
	model  *agentstest.Scripted
	events []agents.Event
	steps  []step.Recorded
}

func newBench(model *agentstest.Scripted, tools ...agents.Tool) *bench {
	b := &bench{model: model}
	b.loop = agents.Loop{
		Model: model, Tools: tools,
		Emit: func(e agents.Event) { b.events = append(b.events, e) },
		Record: func(_ context.Context, s step.Recorded) error {
			b.steps = append(b.steps, s)
			return nil
		},
	}
	return b
}

func task() agents.Task {
	return agents.Task{
		Run: "RUN", Attempt: 2, Version: "v1", Constitution: "You are a searcher.", Context: "The gene.",
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: "find castles"}}}},
	}
}

func (b *bench) run(ctx context.Context) (agents.Result, error) {
	return b.loop.Run(ctx, task())
}

// shown are the events that are part of the answer, a line each.
func (b *bench) shown() []string {
	var out []string
	for _, e := range b.events {
		switch e.Type {
		case agents.EventText:
			if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "text ") {
				out[n-1] += e.Text
			} else {
				out = append(out, "text "+e.Text)
			}
		case agents.EventNote:
			out = append(out, "note "+e.Text)
		case agents.EventStart:
			out = append(out, "start "+e.Tool)
		case agents.EventEnd:
			out = append(out, "end "+e.Tool+" "+e.Outcome)
		}
	}
	return out
}

func (b *bench) lastWords() string {
	requests := b.model.Requests()
	last := requests[len(requests)-1].Messages
	blocks := last[len(last)-1].Blocks
	return blocks[len(blocks)-1].Text
}

func tool(name string, execute func(context.Context, agents.Call) (agents.Output, error)) agents.Tool {
	return agents.Tool{
		ToolSpec: agents.ToolSpec{Name: name, Description: name, Schema: json.RawMessage(`{"type":"object"}`)},
		Execute:  execute,
	}
}

// echo answers with its input, so that no two results are the same by accident.
func echo(name string) agents.Tool {
	return tool(name, func(_ context.Context, c agents.Call) (agents.Output, error) {
		return agents.Output{Text: fmt.Sprintf(`{"round":%d,"input":%s}`, c.Round, c.Input), Object: string(c.Input)}, nil
	})
}

func finish() agents.Tool {
	f := tool("finish", func(_ context.Context, c agents.Call) (agents.Output, error) {
		return agents.Output{Text: `{"ok":true}`, Receipt: agents.Receipt{Kind: "finish", ID: "F"}}, nil
	})
	f.EndsRun = true
	return f
}

func TestLoopPlaysToItsFinishingTool(t *testing.T) {
	t.Parallel()
	order := tool("order", func(context.Context, agents.Call) (agents.Output, error) {
		return agents.Output{Text: "{}", Object: "castles", Receipt: agents.Receipt{Kind: "order", ID: "O1"}}, nil
	})
	b := newBench(agentstest.Script(
		round{Thinking: "hm", Text: "I look.", Calls: []agentstest.Call{{ID: "c1", Tool: "order"}, {ID: "c2", Tool: "look", Input: map[string]int{"n": 1}}}},
		round{Text: "Done.", Calls: []agentstest.Call{{ID: "c3", Tool: "finish", Input: map[string]int{"found": 3}}}},
	), order, echo("look"), finish())
	result, err := b.run(t.Context())
	if err != nil || result.Reason != run.ReasonFinished {
		t.Fatalf("ended with %s, %v", result.Reason, err)
	}
	for i := range result.Blocks {
		result.Blocks[i].Seconds = 0
	}
	want := []turn.Block{
		{Type: turn.Text, Text: "I look."},
		{Type: turn.Tool, Call: "c1", Tool: "order", Object: "castles", Outcome: "ok"},
		{Type: turn.Order, Ref: "O1", Call: "c1"},
		{Type: turn.Tool, Call: "c2", Tool: "look", Object: `{"n":1}`, Outcome: "ok"},
		{Type: turn.Text, Text: "Done."},
		{Type: turn.Tool, Call: "c3", Tool: "finish", Outcome: "ok"},
	}
	if diff := cmp.Diff(want, result.Blocks); diff != "" {
		t.Fatalf("blocks (-want +got):\n%s", diff)
	}
	if result.Final == nil || result.Final.Tool != "finish" || string(result.Final.Input) != `{"found":3}` {
		t.Fatalf("final call %+v", result.Final)
	}
	if diff := cmp.Diff([]agents.Receipt{{Kind: "order", ID: "O1"}, {Kind: "finish", ID: "F"}}, result.Receipts); diff != "" {
		t.Fatalf("receipts (-want +got):\n%s", diff)
	}
	offset := 0
	for _, e := range b.events {
		if e.Offset != offset {
			t.Fatalf("event %+v at offset %d, want %d", e, e.Offset, offset)
		}
		if e.Type == agents.EventText {
			offset += len(e.Text)
		}
	}
	if result.Text() != "I look.Done." || offset != len(result.Text()) {
		t.Fatalf("text %q, streamed %d bytes", result.Text(), offset)
	}
	if len(b.steps) != 2 || result.Rounds != 2 {
		t.Fatalf("%d steps of %d rounds", len(b.steps), result.Rounds)
	}
	s := b.steps[0]
	if s.Run != "RUN" || s.Attempt != 2 || s.Round != 1 || s.Prompt != "v1" || s.Stop != "tool_use" || s.Why != "I look." || len(s.Calls) != 2 {
		t.Fatalf("step %+v", s)
	}
	if s.Calls[1].Tool != "look" || s.Calls[1].Input != `{"n":1}` || s.Calls[1].Outcome != "ok" {
		t.Fatalf("call preview %+v", s.Calls[1])
	}
	if got := b.steps[0].Usage.Add(b.steps[1].Usage); got != result.Usage || !got.Known {
		t.Fatalf("usage of the steps %+v, of the run %+v", got, result.Usage)
	}
	if err := agentstest.CheckRequest(agents.Request{Messages: result.Transcript, MaxTokens: 1}); err != nil {
		t.Fatalf("the transcript is not valid: %v", err)
	}
}

func TestLoopRunsCallsOfARoundTogetherAndFinishesLast(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []string
	arrived := make(chan struct{}, 3)
	all := make(chan struct{})
	go func() {
		for range 3 {
			<-arrived
		}
		close(all)
	}()
	meet := tool("meet", func(ctx context.Context, _ agents.Call) (agents.Output, error) {
		arrived <- struct{}{}
		select {
		case <-all:
		case <-ctx.Done():
			return agents.Output{}, ctx.Err()
		}
		mu.Lock()
		defer mu.Unlock()
		order = append(order, "meet")
		return agents.Output{Text: "{}"}, nil
	})
	end := finish()
	end.Execute = func(context.Context, agents.Call) (agents.Output, error) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, "finish")
		return agents.Output{Text: "{}"}, nil
	}
	b := newBench(agentstest.Script(round{Calls: []agentstest.Call{
		{Tool: "finish"}, {Tool: "meet"}, {Tool: "meet"}, {Tool: "meet"}, {Tool: "finish"},
	}}), meet, end)
	b.loop.Caps.ToolTimeout = 20 * time.Second
	result, err := b.run(t.Context())
	if err != nil || result.Reason != run.ReasonFinished {
		t.Fatalf("ended with %s, %v", result.Reason, err)
	}
	if diff := cmp.Diff([]string{"meet", "meet", "meet", "finish"}, order); diff != "" {
		t.Fatalf("order (-want +got):\n%s", diff)
	}
	if got := b.steps[0].Calls[4].Outcome; got != agents.OutcomeInterrupted {
		t.Fatalf("the second finishing call is %s", got)
	}
}

// endless is a model that goes on with its tool for ever.
func endless(n int, r round) *agentstest.Scripted {
	script := make([]round, n)
	for i := range script {
		script[i] = r
		script[i].Calls = call("look", map[string]int{"n": i})
	}
	return agentstest.Script(script...)
}

func TestLoopCaps(t *testing.T) {
	t.Parallel()
	usage := &domain.Usage{Known: true, Input: 1_000, Output: 1_000}
	for _, c := range []struct {
		name string
		caps agents.Caps
		want run.Reason
	}{
		{"rounds", agents.Caps{Rounds: 7}, run.ReasonRounds},
		{"billed tokens", agents.Caps{Tokens: 20_000}, run.ReasonTokens},
		{"cost", agents.Caps{Cost: 100_000}, run.ReasonCost},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(endless(60, round{Usage: usage, Cost: 10_000}), echo("look"), finish())
			b.loop.Caps = c.caps
			result, err := b.run(t.Context())
			if err != nil || result.Reason != c.want {
				t.Fatalf("ended with %s, %v; want %s", result.Reason, err, c.want)
			}
			if billed := result.Usage.Billed(); c.caps.Tokens > 0 && billed > float64(c.caps.Tokens) {
				t.Fatalf("%.0f tokens billed, the cap is %d", billed, c.caps.Tokens)
			}
			if c.caps.Cost > 0 && result.Cost > c.caps.Cost {
				t.Fatalf("cost %d, the cap is %d", result.Cost, c.caps.Cost)
			}
			if words := b.lastWords(); !strings.Contains(words, "end now with finish") {
				t.Fatalf("the model was not told to end: %q", words)
			}
			if words := b.model.Requests()[1].Messages; strings.Contains(words[len(words)-1].Blocks[0].Text, "[loop]") {
				t.Fatalf("the model was told too early")
			}
		})
	}
}

// priced charges a micro-yuan a token.
type priced struct{ *agentstest.Scripted }

func (priced) Price(u domain.Usage) domain.Money { return domain.Money(u.Billed()) }

func TestLoopUnknownUsageCountsAgainstTheCaps(t *testing.T) {
	t.Parallel()
	m := endless(60, round{Usage: &domain.Usage{}})
	b := newBench(m, echo("look"), finish())
	b.loop.Model = priced{m}
	b.loop.Caps = agents.Caps{Cost: 6_000}
	result, _ := b.run(t.Context())
	if result.Reason != run.ReasonCost || result.Usage.Known || result.Cost != 0 {
		t.Fatalf("ended with %s, usage %+v, cost %d", result.Reason, result.Usage, result.Cost)
	}
}

func TestLoopWallClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := tool("look", func(_ context.Context, c agents.Call) (agents.Output, error) {
			<-time.After(2 * time.Minute)
			return agents.Output{Text: fmt.Sprint(c.Round)}, nil
		})
		b := newBench(endless(60, round{}), slow, finish())
		b.loop.Caps = agents.Caps{Soft: 10 * time.Minute, Hard: 15 * time.Minute}
		began := time.Now()
		result, err := b.run(t.Context())
		if err != nil || result.Reason != run.ReasonTime {
			t.Fatalf("ended with %s, %v", result.Reason, err)
		}
		if took := time.Since(began); took < 15*time.Minute || took > 15*time.Minute+2*time.Second {
			t.Fatalf("it took %s", took)
		}
		told := 0
		for _, r := range b.model.Requests() {
			last := r.Messages[len(r.Messages)-1].Blocks
			if strings.Contains(last[len(last)-1].Text, "The time for this is nearly over") {
				told++
			}
		}
		if told != 3 { // after 10, 12 and 14 minutes
			t.Fatalf("told %d times", told)
		}
		last := b.steps[len(b.steps)-1].Calls[0]
		if last.Outcome != agents.OutcomeInterrupted {
			t.Fatalf("the call at the end is %+v", last)
		}
		<-time.After(time.Hour) // lets the last call end inside the bubble
	})
}

// T11: a source that answers 429 for ever.
func TestLoopObeysRetryAfterAndClosesTheTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		began := time.Now()
		source := tool("look", func(context.Context, agents.Call) (agents.Output, error) {
			at = append(at, time.Since(began))
			return agents.Output{}, &agents.ToolError{Message: "429 from the source", RetryAfter: 30 * time.Second}
		})
		script := make([]round, 5, 6)
		for i := range script {
			script[i].Calls = call("look", map[string]string{"query": fmt.Sprint("castle ", i)})
		}
		b := newBench(agentstest.Script(append(script, round{Calls: call("finish", map[string]string{"reason": "source closed"})})...), source, finish())
		result, err := b.run(t.Context())
		if err != nil || result.Reason != run.ReasonFinished {
			t.Fatalf("ended with %s, %v", result.Reason, err)
		}
		if diff := cmp.Diff([]time.Duration{0, 30 * time.Second, time.Minute}, at); diff != "" {
			t.Fatalf("executed at (-want +got):\n%s", diff)
		}
		if got := b.steps[2].Calls[0].Output; !strings.Contains(got, "closed for the rest of this run") {
			t.Fatalf("the model was not told: %s", got)
		}
		if got := b.steps[4].Calls[0]; got.Outcome != agents.OutcomeError || !strings.Contains(got.Output, "closed") {
			t.Fatalf("a call after closing: %+v", got)
		}
	})
}

// T11: a source that gives the same empty page for ever, to a model that never ends.
func TestLoopEndsStuckOnTheSamePage(t *testing.T) {
	t.Parallel()
	n := 0
	source := tool("look", func(context.Context, agents.Call) (agents.Output, error) {
		n++
		return agents.Output{Text: `{"items":[]}`}, nil
	})
	script := make([]round, 30)
	for i := range script {
		input := json.RawMessage(`{"query":"castle","page":1}`)
		if i%2 == 1 {
			input = json.RawMessage(`{ "page": 1, "query": "castle" }`)
		}
		script[i].Calls = call("look", input)
	}
	b := newBench(agentstest.Script(script...), source, finish())
	result, err := b.run(t.Context())
	if err != nil || result.Reason != run.ReasonStuck || n != 3 || result.Rounds != 6 {
		t.Fatalf("ended with %s, %v after %d rounds and %d executions", result.Reason, err, result.Rounds, n)
	}
}

func TestLoopParallelFailuresCountOnceARound(t *testing.T) {
	t.Parallel()
	n := 0
	var mu sync.Mutex
	source := tool("look", func(context.Context, agents.Call) (agents.Output, error) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n <= 3 {
			return agents.Output{}, &agents.ToolError{Message: "busy"}
		}
		return agents.Output{Text: fmt.Sprint(n)}, nil
	})
	b := newBench(agentstest.Script(
		round{Calls: []agentstest.Call{{Tool: "look"}, {Tool: "look"}, {Tool: "look"}}},
		round{Calls: call("look", nil)}, round{Calls: call("finish", nil)},
	), source, finish())
	result, _ := b.run(t.Context())
	if result.Reason != run.ReasonFinished || n != 4 {
		t.Fatalf("ended with %s after %d executions", result.Reason, n)
	}
}

func TestLoopTalkWithoutAction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		tools  []agents.Tool
		script []round
		want   run.Reason
		rounds int
	}{
		{"is nudged once, then stuck", []agents.Tool{finish()}, []round{{Text: "Well."}, {Text: "Well, well."}}, run.ReasonStuck, 2},
		{"may act after the nudge", []agents.Tool{finish()}, []round{{Text: "Well."}, {Calls: call("finish", nil)}}, run.ReasonFinished, 2},
		{"is the end where nothing has to be finished", nil, []round{{Text: "Hello."}}, run.ReasonFinished, 1},
		{"silence is nudged", nil, []round{{}, {Text: "Hello."}}, run.ReasonFinished, 2},
		{"silence twice is stuck", nil, []round{{}, {}}, run.ReasonStuck, 2},
		{"silence after words and results ends", []agents.Tool{echo("look")}, []round{{Text: "I look.", Calls: call("look", nil)}, {}, {}}, run.ReasonFinished, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(agentstest.Script(c.script...), c.tools...)
			result, err := b.run(t.Context())
			if err != nil || result.Reason != c.want || result.Rounds != c.rounds {
				t.Fatalf("ended with %s after %d rounds, %v", result.Reason, result.Rounds, err)
			}
		})
	}
}

func TestLoopToolFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		execute func(context.Context, agents.Call) (agents.Output, error)
		tool    string
		input   any
		want    string
	}{
		{"panic", func(context.Context, agents.Call) (agents.Output, error) { panic("secret of the house") }, "look", nil, "failed for a reason of its own"},
		{"internal error", func(context.Context, agents.Call) (agents.Output, error) {
			return agents.Output{}, errors.New("dial tcp 10.0.0.1: secret of the house")
		}, "look", nil, "failed for a reason of its own"},
		{"refusal with details", func(context.Context, agents.Call) (agents.Output, error) {
			e := domain.Rule(domain.Conflict, "line_removed", "").With(map[string]any{"lines": []string{"keep it loud"}}, "a person's line was removed")
			return agents.Output{}, fmt.Errorf("propose: %w", e)
		}, "look", nil, `a person's line was removed [line_removed] {"lines":["keep it loud"]}`},
		{"limit", func(context.Context, agents.Call) (agents.Output, error) {
			return agents.Output{}, &domain.Error{Code: domain.TooMany, Message: "one a minute", RetryAfter: 42}
		}, "look", nil, "one a minute (possible again in 42 s)"},
		{"own timeout", func(ctx context.Context, _ agents.Call) (agents.Output, error) {
			<-ctx.Done()
			return agents.Output{}, ctx.Err()
		}, "look", nil, "it took longer than 30s"},
		{"deaf tool", func(context.Context, agents.Call) (agents.Output, error) {
			<-time.After(time.Hour)
			return agents.Output{Text: "too late"}, nil
		}, "look", nil, "it took longer than 30s"},
		{"unknown tool", nil, "peek", nil, `there is no tool "peek"; the tools are finish, look`},
		{"input that is no object", nil, "look", json.RawMessage(`[1]`), "not a JSON object"},
		{"input that is no JSON", nil, "look", json.RawMessage(`{"query":"cas`), "not a JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(agentstest.Script(round{Calls: call(c.tool, c.input)}, round{Calls: call("finish", nil)}),
					tool("look", c.execute), finish())
				b.loop.Caps.ToolTimeout = 30 * time.Second
				result, err := b.run(t.Context())
				if err != nil || result.Reason != run.ReasonFinished {
					t.Fatalf("ended with %s, %v", result.Reason, err)
				}
				got := b.model.Requests()[1].Messages[2].Blocks[0]
				if !got.IsError || !strings.Contains(got.Text, c.want) || strings.Contains(got.Text, "secret of the house") {
					t.Fatalf("the model was told %q (error %t), want %q", got.Text, got.IsError, c.want)
				}
				if b.steps[0].Calls[0].Outcome != agents.OutcomeError {
					t.Fatalf("recorded as %+v", b.steps[0].Calls[0])
				}
				<-time.After(2 * time.Hour) // lets the deaf tool end inside the bubble
			})
		})
	}
}
