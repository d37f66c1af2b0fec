package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
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
)

// turns is a script that makes these calls over and over, one a round.
func turns(n int, calls ...agentstest.Call) *agentstest.Scripted {
	script := make([]round, n)
	for i := range script {
		script[i].Calls = []agentstest.Call{calls[i%len(calls)]}
	}
	return agentstest.Script(script...)
}

// Two calls that take turns make no more progress than one that repeats.
func TestLoopEndsStuckOnCallsThatTakeTurns(t *testing.T) {
	t.Parallel()
	left := 99
	page := func(n int) agentstest.Call {
		return agentstest.Call{Tool: "look", Input: map[string]int{"page": n}}
	}
	for _, c := range []struct {
		name     string
		calls    []agentstest.Call
		answer   func(input string) (agents.Output, error)
		executed int
		rounds   int
	}{
		{"two pages of one tool", []agentstest.Call{page(1), page(2)},
			func(in string) (agents.Output, error) { return agents.Output{Text: in}, nil }, 5, 8},
		{"two tools", []agentstest.Call{page(1), {Tool: "view"}},
			func(in string) (agents.Output, error) { return agents.Output{Text: in}, nil }, 6, 9},
		{"three in a circle", []agentstest.Call{page(1), page(2), {Tool: "view"}},
			func(in string) (agents.Output, error) { return agents.Output{Text: in}, nil }, 8, 12},
		{"two failures in other words", []agentstest.Call{page(1), page(2)},
			func(in string) (agents.Output, error) {
				return agents.Output{}, &agents.ToolError{Message: "no answer to " + in}
			}, 5, 8},
		{"two failures that say when to come back", []agentstest.Call{page(1), page(2)},
			func(in string) (agents.Output, error) {
				left--
				return agents.Output{}, &domain.Error{Code: domain.TooMany, Message: "not now: " + in, RetryAfter: left}
			}, 5, 8},
		{"a result and a failure", []agentstest.Call{page(1), page(2)},
			func(in string) (agents.Output, error) {
				if strings.Contains(in, "1") {
					return agents.Output{Text: in}, nil
				}
				return agents.Output{}, domain.Errorf(domain.Invalid, "page 2 is wrong")
			}, 5, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			executed := 0
			execute := func(_ context.Context, call agents.Call) (agents.Output, error) {
				executed++
				return c.answer(string(call.Input))
			}
			b := newBench(turns(40, c.calls...), tool("look", execute), tool("view", execute), finish())
			result, err := b.run(t.Context())
			if err != nil || result.Reason != run.ReasonStuck || executed != c.executed || result.Rounds != c.rounds {
				t.Fatalf("ended with %s, %v after %d rounds and %d executions", result.Reason, err, result.Rounds, executed)
			}
		})
	}
}

// A model that talks between its vain calls is stuck like one that does not.
func TestLoopEndsStuckOnTalkBetweenRefusedCalls(t *testing.T) {
	t.Parallel()
	script := make([]round, 40)
	for i := range script {
		if i%2 == 0 {
			script[i].Calls = call("look", nil)
		} else {
			script[i].Text = "Once more."
		}
	}
	same := tool("look", func(context.Context, agents.Call) (agents.Output, error) { return agents.Output{Text: "{}"}, nil })
	b := newBench(agentstest.Script(script...), same, finish())
	if result, _ := b.run(t.Context()); result.Reason != run.ReasonStuck || result.Rounds > 12 {
		t.Fatalf("ended with %s after %d rounds", result.Reason, result.Rounds)
	}
}

// What moves is progress: another page, or a wait that grows.
func TestLoopLetsGoOnWhatMoves(t *testing.T) {
	t.Parallel()
	n := 0
	poll := tool("check", func(context.Context, agents.Call) (agents.Output, error) {
		n++
		return agents.Output{Text: fmt.Sprintf(`{"waited_seconds":%d}`, 10*n)}, nil
	})
	script := make([]round, 20)
	for i := range script {
		script[i].Calls = []agentstest.Call{{Tool: "check"}, {Tool: "look", Input: map[string]int{"page": i}}}
	}
	b := newBench(agentstest.Script(append(script, round{Calls: call("finish", nil)})...), poll, echo("look"), finish())
	if result, err := b.run(t.Context()); err != nil || result.Reason != run.ReasonFinished || n != 20 {
		t.Fatalf("ended with %s, %v after %d polls", result.Reason, err, n)
	}
}

// A tool closes after three failures of its own, whatever it was asked; refusals
// of three different inputs are no failure of the tool.
func TestLoopTellsFailuresFromRefusals(t *testing.T) {
	t.Parallel()
	limit := 60
	for _, c := range []struct {
		name     string
		fail     func() error
		executed int
	}{
		{"the source is down", func() error { return &agents.ToolError{Message: "down"} }, 3},
		{"the source says for how long", func() error {
			limit--
			return &agents.ToolError{Message: "slow down", RetryAfter: time.Duration(limit) * time.Millisecond}
		}, 3},
		{"an error of ours", func() error { return errors.New("dial tcp") }, 3},
		{"a limit that counts down", func() error {
			limit--
			return &domain.Error{Code: domain.TooMany, Message: "one a minute", RetryAfter: limit}
		}, 3},
		{"a dependency that is down", func() error { return domain.Errorf(domain.Unavailable, "the library is behind") }, 3},
		{"inputs that are refused", func() error { return domain.Errorf(domain.Unprocessable, "this one has no video") }, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			executed := 0
			look := tool("look", func(context.Context, agents.Call) (agents.Output, error) {
				executed++
				return agents.Output{}, c.fail()
			})
			b := newBench(endless(40, round{}), look, finish())
			if result, _ := b.run(t.Context()); result.Reason != run.ReasonStuck || executed != c.executed {
				t.Fatalf("ended with %s after %d executions, want %d", result.Reason, executed, c.executed)
			}
		})
	}
}

// T11: calls made together do not storm a source that has told one of them to wait.
func TestLoopSparesASourceThatAskedToWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Duration
		began := time.Now()
		source := tool("look", func(context.Context, agents.Call) (agents.Output, error) {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(began))
			return agents.Output{}, &agents.ToolError{Message: "429", RetryAfter: 30 * time.Second}
		})
		var many []agentstest.Call
		for i := range 10 {
			many = append(many, agentstest.Call{Tool: "look", Input: map[string]int{"n": i}})
		}
		b := newBench(agentstest.Script(round{Calls: many}, round{Calls: call("look", nil)}, round{Calls: call("finish", nil)}), source, finish())
		b.loop.Caps.Parallel = 2
		if result, err := b.run(t.Context()); err != nil || result.Reason != run.ReasonFinished {
			t.Fatalf("ended with %s, %v", result.Reason, err)
		}
		if diff := cmp.Diff([]time.Duration{0, 0, 30 * time.Second}, at); diff != "" {
			t.Fatalf("executed at (-want +got):\n%s", diff)
		}
		if got := b.steps[0].Calls[9]; got.Outcome != agents.OutcomeError || !strings.Contains(got.Output, "not executed") {
			t.Fatalf("the last call of the round: %+v", got)
		}
	})
}

// Without a clock on the run, a wait of hours is still not waited for.
func TestLoopDoesNotWaitForHours(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		b := newBench(agentstest.Script(round{Err: &agents.ModelError{
			Kind: agents.RateLimited, Message: "come back tomorrow", Retry: true, RetryAfter: 24 * time.Hour,
		}}, round{Text: "Hello."}))
		if result, _ := b.run(t.Context()); result.Reason != run.ReasonModel || time.Since(began) > 0 {
			t.Fatalf("ended with %s after %s", result.Reason, time.Since(began))
		}
	})
}

// A tool whose goroutine ends without an answer has failed.
func TestLoopToolThatVanishes(t *testing.T) {
	t.Parallel()
	look := tool("look", func(context.Context, agents.Call) (agents.Output, error) {
		runtime.Goexit()
		return agents.Output{}, nil
	})
	b := newBench(agentstest.Script(round{Calls: call("look", nil)}, round{Calls: call("finish", nil)}), look, finish())
	if _, err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.steps[0].Calls[0]; got.Outcome != agents.OutcomeError || !strings.Contains(got.Output, "assume that nothing was done") {
		t.Fatalf("recorded %+v", got)
	}
}

// One call that panics does not take the others of its round with it.
func TestLoopPanicAmongParallelCalls(t *testing.T) {
	t.Parallel()
	look := tool("look", func(_ context.Context, c agents.Call) (agents.Output, error) {
		if string(c.Input) == `{"n":1}` {
			panic("nil map")
		}
		return agents.Output{Text: string(c.Input)}, nil
	})
	calls := make([]agentstest.Call, 3)
	for i := range calls {
		calls[i] = agentstest.Call{Tool: "look", Input: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))}
	}
	b := newBench(agentstest.Script(round{Calls: calls}, round{Calls: call("finish", nil)}), look, finish())
	if result, err := b.run(t.Context()); err != nil || result.Reason != run.ReasonFinished {
		t.Fatalf("ended with %s, %v", result.Reason, err)
	}
	var outcomes []string
	for _, c := range b.steps[0].Calls {
		outcomes = append(outcomes, c.Outcome)
	}
	if diff := cmp.Diff([]string{"ok", "error", "ok"}, outcomes); diff != "" {
		t.Fatalf("outcomes (-want +got):\n%s", diff)
	}
}

// The nudge to finish comes after any round that another one follows.
func TestLoopTellsATalkingModelThatItsTimeIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		talk := func(agents.Request) round {
			<-time.After(11 * time.Minute)
			return round{Text: "Hm."}
		}
		b := newBench(agentstest.Script(round{Then: talk}, round{Calls: call("finish", nil)}), finish())
		b.loop.Caps = agents.Caps{Soft: 10 * time.Minute, Hard: 15 * time.Minute, Idle: time.Hour, Total: time.Hour}
		if result, err := b.run(t.Context()); err != nil || result.Reason != run.ReasonFinished {
			t.Fatalf("ended with %s, %v", result.Reason, err)
		}
		if words := b.lastWords(); !strings.Contains(words, "The time for this is nearly over") || !strings.Contains(words, "Nothing was done") {
			t.Fatalf("the model was told %q", words)
		}
	})
}
