package agents_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
)

func TestLoopRetriesOnceWhenNothingWasShown(t *testing.T) {
	t.Parallel()
	busy := &agents.ModelError{Kind: agents.Overloaded, Message: "busy", Retry: true}
	later := &agents.ModelError{Kind: agents.RateLimited, Message: "slow down", Retry: true, RetryAfter: 20 * time.Second}
	denied := &agents.ModelError{Kind: agents.Denied, Message: "bad key"}
	cut := &agents.ModelError{Kind: agents.Interrupted, Message: "cut", Retry: true}
	fine := round{Text: "Hello."}
	for _, c := range []struct {
		name   string
		script []round
		hard   time.Duration
		want   run.Reason
		waited time.Duration
		text   string
		stops  []string
	}{
		{"after two seconds", []round{{Err: busy}, fine}, 0, run.ReasonFinished, 2 * time.Second, "Hello.", []string{"overloaded", "end_turn"}},
		{"as long as it was told to wait", []round{{Err: later}, fine}, 0, run.ReasonFinished, 20 * time.Second, "Hello.", []string{"rate_limited", "end_turn"}},
		{"not a second time", []round{{Err: busy}, {Err: busy}, fine}, 0, run.ReasonModel, 2 * time.Second, "", []string{"overloaded", "overloaded"}},
		{"not what cannot get better", []round{{Err: denied}, fine}, 0, run.ReasonModel, 0, "", []string{"denied"}},
		{"not when words were shown", []round{{Text: "Hel", Err: cut}, fine}, 0, run.ReasonModel, 0, "Hel", []string{"interrupted"}},
		{"when only a call was begun", []round{{Calls: call("look", nil), Err: cut}, fine}, 0, run.ReasonFinished, 2 * time.Second, "Hello.", []string{"interrupted", "end_turn"}},
		{"not past the end of the run", []round{{Err: later}, fine}, 10 * time.Second, run.ReasonModel, 0, "", []string{"rate_limited"}},
		{"anew in a later round", []round{{Err: busy}, {Calls: call("look", nil)}, {Err: busy}, fine}, 0, run.ReasonFinished, 4 * time.Second, "Hello.", []string{"overloaded", "tool_use", "overloaded", "end_turn"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(agentstest.Script(c.script...), echo("look"))
				b.loop.Caps.Hard = c.hard
				began := time.Now()
				result, err := b.run(t.Context())
				if result.Reason != c.want || (err != nil) != (c.want == run.ReasonModel) {
					t.Fatalf("ended with %s, %v", result.Reason, err)
				}
				if got := time.Since(began); got != c.waited {
					t.Fatalf("waited %s, want %s", got, c.waited)
				}
				if result.Text() != c.text {
					t.Fatalf("said %q", result.Text())
				}
				var stops []string
				for _, s := range b.steps {
					stops = append(stops, s.Stop)
				}
				if diff := cmp.Diff(c.stops, stops); diff != "" {
					t.Fatalf("steps (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestLoopRecordsOrphanCalls(t *testing.T) {
	t.Parallel()
	cut := &agents.ModelError{Kind: agents.Interrupted, Message: "cut", Retry: true}
	b := newBench(agentstest.Script(round{Text: "I look.", Calls: call("look", nil), Err: cut}), echo("look"))
	result, err := b.run(t.Context())
	if result.Reason != run.ReasonModel || !errors.Is(err, cut) {
		t.Fatalf("ended with %s, %v", result.Reason, err)
	}
	want := step.Call{ID: "call_1_1", Tool: "look", Output: "interrupted: never executed", Outcome: "interrupted"}
	if diff := cmp.Diff([]step.Call{want}, b.steps[0].Calls); diff != "" {
		t.Fatalf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"text I look.", "start look", "end look interrupted"}, b.shown()); diff != "" {
		t.Fatalf("shown (-want +got):\n%s", diff)
	}
	if b.steps[0].Usage.Known || result.Usage.Known {
		t.Fatalf("the usage of a cut stream is not known: %+v", result.Usage)
	}
}

// slowModel gives a sign of life every step, for so many steps.
type slowModel struct {
	step  time.Duration
	steps int
}

func (slowModel) Name() string { return "slow" }

func (m slowModel) Stream(ctx context.Context, _ agents.Request, emit func(agents.Delta)) (agents.Response, error) {
	for range m.steps {
		select {
		case <-time.After(m.step):
			emit(agents.Delta{})
		case <-ctx.Done():
			return agents.Response{}, ctx.Err()
		}
	}
	return agents.Response{Stop: agents.EndTurn, Blocks: []agents.Block{{Type: agents.TextBlock, Text: "Hello."}}}, nil
}

func TestLoopRequestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		model slowModel
		want  run.Reason
		took  time.Duration
	}{
		{"a long answer with signs of life is healthy", slowModel{100 * time.Second, 5}, run.ReasonFinished, 500 * time.Second},
		{"silence ends it, once more, then for good", slowModel{130 * time.Second, 1}, run.ReasonModel, 242 * time.Second},
		{"there is a limit in total", slowModel{100 * time.Second, 50}, run.ReasonModel, 1202 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				result, err := (&agents.Loop{Model: c.model}).Run(t.Context(), task())
				if result.Reason != c.want || time.Since(began) != c.took {
					t.Fatalf("ended with %s, %v after %s", result.Reason, err, time.Since(began))
				}
				var failed *agents.ModelError
				if c.want == run.ReasonModel && (!errors.As(err, &failed) || failed.Kind != agents.Timeout) {
					t.Fatalf("error %v is not a timeout", err)
				}
			})
		})
	}
}

func TestLoopCancelledInMidAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := newBench(agentstest.Script(round{Text: "I have thought about it", Calls: call("look", nil), Hang: true}), echo("look"))
		b.loop.Record = func(ctx context.Context, s step.Recorded) error {
			b.steps = append(b.steps, s)
			return ctx.Err()
		}
		time.AfterFunc(time.Second, cancel)
		result, err := b.run(ctx)
		if err != nil || result.Reason != run.ReasonCancelled {
			t.Fatalf("ended with %s, %v", result.Reason, err)
		}
		if result.Text() != "I have thought about it" || b.steps[0].Stop != "cancelled" || b.steps[0].Calls[0].Outcome != "interrupted" {
			t.Fatalf("kept %q, recorded %+v", result.Text(), b.steps[0])
		}
		last := result.Transcript[len(result.Transcript)-1]
		if last.Role != agents.Assistant || last.Blocks[0].Text != "I have thought about it" {
			t.Fatalf("transcript ends with %+v", last)
		}
	})
}

func TestLoopCancelledDuringCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := tool("done", func(ctx context.Context, _ agents.Call) (agents.Output, error) {
			return agents.Output{Text: "{}", Receipt: agents.Receipt{Kind: "card", ID: "K"}}, nil
		})
		heeds := tool("heeds", func(ctx context.Context, _ agents.Call) (agents.Output, error) {
			<-ctx.Done()
			return agents.Output{}, ctx.Err()
		})
		deaf := tool("deaf", func(context.Context, agents.Call) (agents.Output, error) {
			<-time.After(time.Hour)
			return agents.Output{}, nil
		})
		b := newBench(agentstest.Script(round{Calls: []agentstest.Call{{Tool: "done"}, {Tool: "heeds"}, {Tool: "deaf"}, {Tool: "heeds"}, {Tool: "done"}}}), done, heeds, deaf)
		b.loop.Caps.Parallel = 3
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		result, err := b.run(ctx)
		if took := time.Since(began); err != nil || result.Reason != run.ReasonCancelled || took > 2*time.Second+time.Millisecond {
			t.Fatalf("ended with %s, %v after %s", result.Reason, err, took)
		}
		var outcomes []string
		for _, c := range b.steps[0].Calls {
			outcomes = append(outcomes, c.Tool+" "+c.Outcome)
		}
		want := []string{"done ok", "heeds interrupted", "deaf interrupted", "heeds interrupted", "done interrupted"}
		if diff := cmp.Diff(want, outcomes); diff != "" {
			t.Fatalf("calls (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]agents.Receipt{{Kind: "card", ID: "K"}}, result.Receipts); diff != "" {
			t.Fatalf("receipts (-want +got):\n%s", diff)
		}
		if err := agentstest.CheckRequest(agents.Request{Messages: result.Transcript, MaxTokens: 1}); err != nil {
			t.Fatalf("the transcript is not valid: %v", err)
		}
		<-time.After(2 * time.Hour)
	})
}

func TestLoopStopReasons(t *testing.T) {
	t.Parallel()
	executed := 0
	look := tool("look", func(context.Context, agents.Call) (agents.Output, error) {
		executed++
		return agents.Output{Text: "{}"}, nil
	})
	b := newBench(agentstest.Script(
		round{Text: "I will look", Calls: call("look", nil), Stop: agents.MaxTokens},
		round{Text: " for castles.", Stop: agents.EndTurn},
	), look)
	result, err := b.run(t.Context())
	if err != nil || result.Reason != run.ReasonFinished || executed != 0 {
		t.Fatalf("ended with %s, %v; the cut call was executed %d times", result.Reason, err, executed)
	}
	if b.steps[0].Stop != "max_tokens" || b.steps[0].Calls[0].Outcome != "interrupted" {
		t.Fatalf("recorded %+v", b.steps[0])
	}
	if !strings.Contains(b.lastWords(), "cut off at the output limit") {
		t.Fatalf("the model was told %q", b.lastWords())
	}
	for _, c := range []struct {
		name   string
		script []round
		want   run.Reason
		failed bool
	}{
		{"twice at the output limit", []round{{Text: "a", Stop: agents.MaxTokens}, {Text: "b", Stop: agents.MaxTokens}}, run.ReasonTokens, false},
		{"refusal", []round{{Text: "No.", Stop: agents.Refusal}}, run.ReasonModel, true},
		{"unknown", []round{{Text: "x", Stop: "new_reason"}}, run.ReasonModel, true},
		{"context full and nothing to fold", []round{{Text: "x", Stop: agents.ContextWindow}}, run.ReasonTokens, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(agentstest.Script(c.script...))
			result, err := b.run(t.Context())
			if result.Reason != c.want || (err != nil) != c.failed {
				t.Fatalf("ended with %s, %v", result.Reason, err)
			}
			if result.Text() == "" || len(b.steps) != len(c.script) {
				t.Fatalf("said %q in %d steps", result.Text(), len(b.steps))
			}
		})
	}
}

func TestLoopFoldsWhenTheProviderFindsItTooLarge(t *testing.T) {
	t.Parallel()
	large := tool("look", func(_ context.Context, c agents.Call) (agents.Output, error) {
		return agents.Output{Text: strings.Repeat("words ", 500)}, nil
	})
	tooLarge := &agents.ModelError{Kind: agents.TooLarge, Message: "413"}
	rounds := []round{{Calls: call("look", map[string]int{"n": 1})}, {Calls: call("look", map[string]int{"n": 2})}}
	b := newBench(agentstest.Script(append(rounds, round{Err: tooLarge}, round{Text: "Hello."})...), large)
	result, err := b.run(t.Context())
	if err != nil || result.Reason != run.ReasonFinished || result.Folds != 1 {
		t.Fatalf("ended with %s, %v after %d folds", result.Reason, err, result.Folds)
	}
	b = newBench(agentstest.Script(append(rounds, round{Err: tooLarge}, round{Err: tooLarge})...), large)
	if result, err = b.run(t.Context()); result.Reason != run.ReasonTokens || !errors.Is(err, tooLarge) {
		t.Fatalf("ended with %s, %v", result.Reason, err)
	}
}

func TestLoopEndsWhenItCannotRecord(t *testing.T) {
	t.Parallel()
	b := newBench(endless(10, round{}), echo("look"), finish())
	full := &domain.Error{Code: domain.Unavailable, Message: "the disk is full"}
	b.loop.Record = func(context.Context, step.Recorded) error { return full }
	result, err := b.run(t.Context())
	if result.Reason != run.ReasonInternal || !errors.Is(err, full) || result.Rounds != 1 {
		t.Fatalf("ended with %s, %v after %d rounds", result.Reason, err, result.Rounds)
	}
}

func TestLoopKeepsSecretsOutOfTheRecord(t *testing.T) {
	t.Parallel()
	look := tool("look", func(context.Context, agents.Call) (agents.Output, error) {
		return agents.Output{Text: `{"url":"https://user:hunter2@host/x?api_key=abcdefg&q=1","authorization":"Bearer abc.def.ghi-jkl","note":"sk-ai-v1-0123456789","long":"` + strings.Repeat("长", 400) + `"}`}, nil
	})
	b := newBench(agentstest.Script(
		round{Text: "The key is sk-ant-0123456789.", Calls: call("look", map[string]string{"password": "hunter2", "query": "castle"})},
		round{Calls: call("finish", nil)},
	), look, finish())
	if _, err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := b.steps[0]
	for _, secret := range []string{"hunter2", "abcdefg", "abc.def.ghi", "0123456789"} {
		if strings.Contains(s.Calls[0].Input+s.Calls[0].Output+s.Why, secret) {
			t.Errorf("%q is in the record: %+v", secret, s)
		}
	}
	if !strings.Contains(s.Calls[0].Input, "castle") || !strings.Contains(s.Calls[0].Output, "q=1") {
		t.Errorf("too much was blanked: %+v", s.Calls[0])
	}
	if n := len([]rune(s.Calls[0].Output)); n > 300 {
		t.Errorf("a preview of %d characters", n)
	}
}
