package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/step"
)

// toolGrace is how long a tool may take to notice that its context has ended.
const toolGrace = time.Second

var errToolTimeout = errors.New("the tool took too long")

// ending is how one call ended: text is what the model is told.
type ending struct {
	call    Block
	out     Output
	text    string
	outcome string
	refused bool   // by the loop, without executing it
	gist    string // what counts when endings are compared: no seconds to wait in it
	ill     bool   // the tool failed, whatever its input
	seconds float64
	wait    time.Duration // the tool asked to come back later
}

// orphan is the ending of a call that was never executed.
func orphan(call Block) ending {
	return ending{call: call, outcome: OutcomeInterrupted, text: "interrupted: never executed"}
}

func (e ending) preview() step.Call {
	return step.Call{
		ID: e.call.ID, Tool: e.call.Name, Input: preview(string(e.call.Input)),
		Output: preview(e.text), Outcome: e.outcome, Seconds: e.seconds,
	}
}

// execute runs the calls of a round, finishing tools after all others and until
// one of them succeeds. The endings are in the order of the calls.
func (s *session) execute(ctx context.Context, calls []Block) []ending {
	done := make([]ending, len(calls))
	var first, last []int
	for i, c := range calls {
		done[i].call = c
		if s.tools[c.Name].EndsRun {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	s.together(ctx, first, done)
	for _, i := range last {
		if s.together(ctx, []int{i}, done); done[i].outcome == OutcomeOK {
			break
		}
	}
	for i := range done {
		if done[i].outcome == "" {
			done[i] = orphan(done[i].call)
			s.shown.start(done[i].call)
			s.shown.end(done[i])
		}
	}
	s.shown.refer(done)
	return done
}

// together executes the given calls at the same time, at most Parallel at once.
func (s *session) together(ctx context.Context, which []int, done []ending) {
	type at struct {
		i int
		ending
	}
	results := make(chan at, len(which))
	running := 0
	told := map[string]bool{} // tools that asked to come back later in this round
	receive := func() {
		r := <-results
		running--
		done[r.i] = r.ending
		if r.wait > 0 {
			s.holds[r.call.Name] = s.Now().Add(r.wait)
			told[r.call.Name] = true
		}
		s.shown.end(r.ending)
	}
	refuse := func(i int, text string) {
		done[i] = ending{call: done[i].call, outcome: OutcomeError, text: text, refused: true}
		s.shown.end(done[i])
	}
	for _, i := range which {
		for running >= s.caps.Parallel {
			receive()
		}
		if ctx.Err() != nil {
			break
		}
		call := done[i].call
		s.shown.start(call)
		if text := s.refusal(call); text != "" {
			refuse(i, text)
			continue
		}
		hold := s.holds[call.Name].Sub(s.Now())
		if s.tooLong(hold) {
			refuse(i, fmt.Sprintf("%s may be called again in %.0f s, later than this run may last", call.Name, hold.Seconds()))
			continue
		}
		if told[call.Name] {
			refuse(i, fmt.Sprintf("not executed: another call of this round was told to come back in %.0f s; so must this one", hold.Seconds()))
			continue
		}
		if hold > 0 {
			s.shown.status(StatusWaiting, call.ID, call.Name)
		}
		running++
		go func() { results <- at{i, s.call(ctx, s.tools[call.Name], call, s.result.Rounds, hold)} }()
	}
	for running > 0 {
		receive()
	}
}

// refusal says why a call is not executed at all, "" if it is.
func (s *session) refusal(call Block) string {
	if _, ok := s.tools[call.Name]; !ok {
		names := make([]string, len(s.asm.tools))
		for i, t := range s.asm.tools {
			names[i] = t.Name
		}
		return fmt.Sprintf("there is no tool %q; the tools are %s", call.Name, strings.Join(names, ", "))
	}
	if why := s.watch.closed[call.Name]; why != "" {
		return fmt.Sprintf("%s is closed for the rest of this run: %s", call.Name, why)
	}
	var object map[string]json.RawMessage
	if len(call.Input) > 0 && (json.Unmarshal(call.Input, &object) != nil || object == nil) {
		return "the input is not a JSON object; nothing was executed"
	}
	return ""
}

// call executes one call. It uses only what does not change while calls run.
func (s *session) call(ctx context.Context, tool Tool, call Block, round int, hold time.Duration) ending {
	e := ending{call: call}
	if hold > 0 {
		if err := wait(ctx, hold); err != nil {
			e.outcome, e.text = OutcomeInterrupted, "interrupted while waiting; never executed"
			return e
		}
	}
	input := call.Input
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	began := s.Now()
	out, err := s.bounded(ctx, tool, Call{ID: call.ID, Round: round, Input: input})
	e.seconds = s.Now().Sub(began).Seconds()
	switch {
	case err == nil:
		e.out, e.outcome, e.text, e.gist = out, OutcomeOK, out.Text, out.Text
	case ctx.Err() != nil:
		e.outcome, e.text = OutcomeInterrupted, "interrupted: whether it took effect is not known"
	default:
		e.outcome = OutcomeError
		s.explain(&e, err)
		e.out.Object = out.Object
	}
	return e
}

// bounded executes a tool within its time; a panic is an error. A tool that does
// not notice the end of its context is left behind.
func (s *session) bounded(parent context.Context, tool Tool, call Call) (Output, error) {
	ctx, cancel := context.WithTimeoutCause(parent, s.caps.ToolTimeout, errToolTimeout)
	defer cancel()
	type result struct {
		out Output
		err error
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: fmt.Errorf("tool %s ended its goroutine", tool.Name)}
		defer func() {
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("panic in tool %s: %v\n%s", tool.Name, p, debug.Stack())}
			}
			done <- r
		}()
		r.out, r.err = tool.Execute(ctx, call)
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		grace := time.NewTimer(toolGrace)
		defer grace.Stop()
		select {
		case r = <-done:
		case <-grace.C:
			r.err = ctx.Err()
		}
	}
	if r.err != nil && errors.Is(context.Cause(ctx), errToolTimeout) {
		r.err = &ToolError{Message: fmt.Sprintf("it took longer than %s and was stopped; whether it took effect is not known", s.caps.ToolTimeout)}
	}
	return r.out, r.err
}

// explain turns a tool's error into what the model reads. Refusals are told with
// their details; internal errors are only logged. A limit, a service that is down
// and an internal error are the tool's own failure; any other refusal is about
// the input.
func (s *session) explain(e *ending, err error) {
	var told *ToolError
	var rule *domain.Error
	switch {
	case errors.As(err, &told):
		e.gist, e.ill, e.wait = told.Message, true, told.RetryAfter
		e.text = e.gist
		if e.wait > 0 {
			e.text += fmt.Sprintf(" (come back in %.0f s; an earlier call of %s waits until then)", e.wait.Seconds(), e.call.Name)
		}
	case errors.As(err, &rule) && rule.Code != domain.Internal:
		e.ill = rule.Code == domain.TooMany || rule.Code == domain.Unavailable
		e.gist = rule.Message
		if rule.Reason != "" {
			e.gist += " [" + rule.Reason + "]"
		}
		if len(rule.Details) > 0 {
			if details, err := json.Marshal(rule.Details); err == nil {
				e.gist += " " + string(details)
			}
		}
		e.text = e.gist
		if rule.RetryAfter > 0 {
			e.text += fmt.Sprintf(" (possible again in %d s)", rule.RetryAfter)
		}
	default:
		s.Log.Error("tool failed", "tool", e.call.Name, "run", s.task.Run, "turn", s.task.Turn, "err", err)
		e.gist, e.ill = "the tool failed for a reason of its own; assume that nothing was done", true
		e.text = e.gist
	}
}
