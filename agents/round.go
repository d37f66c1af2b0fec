package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
)

// session is one run being played. It belongs to one goroutine.
type session struct {
	*Loop
	caps     Caps
	task     Task
	tools    map[string]Tool
	finish   []string // names of the finishing tools, sorted
	asm      *Assembler
	started  time.Time
	watch    watch
	holds    map[string]time.Time // tools told to come back later
	shown    display
	result   Result
	budget   budget
	idle     int  // rounds running that ended in talk without action
	cut      int  // rounds running that ended at the output limit
	shrunk   bool // the provider once found the prompt too large
	objected bool
	recorded error
}

func (l *Loop) begin(task Task) (*session, error) {
	own := *l
	if own.Now == nil {
		own.Now = time.Now
	}
	if own.Log == nil {
		own.Log = slog.New(slog.DiscardHandler)
	}
	s := &session{
		Loop: &own, caps: l.Caps.withDefaults(), task: task, started: own.Now(),
		tools: map[string]Tool{}, holds: map[string]time.Time{}, watch: newWatch(),
		result: Result{Usage: domain.Usage{Known: true}},
	}
	s.shown = display{emit: l.Emit}
	s.budget = newBudget(s.caps, l.Model)
	specs := make([]ToolSpec, len(l.Tools))
	for i, t := range l.Tools {
		specs[i] = t.ToolSpec
		s.tools[t.Name] = t
	}
	asm, err := NewAssembler(Prompt{
		Constitution: task.Constitution, Tools: specs, Context: task.Context,
		Opening: task.Opening, Output: s.caps.Output,
	})
	if err != nil {
		return nil, fmt.Errorf("assemble prompt: %w", err)
	}
	s.asm = asm
	for _, t := range asm.tools {
		if s.tools[t.Name].EndsRun {
			s.finish = append(s.finish, t.Name)
		}
	}
	return s, nil
}

var errHard = errors.New("the run's wall clock is used up")

func (s *session) play(ctx context.Context) (Result, error) {
	if s.caps.Hard > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.caps.Hard, errHard)
		defer cancel()
	}
	for {
		reason, err := s.round(ctx)
		if s.recorded != nil {
			reason, err = run.ReasonInternal, s.recorded
		}
		if reason == "" {
			continue
		}
		s.result.Reason = reason
		s.result.Blocks = s.shown.blocks
		s.result.Transcript = s.asm.Transcript()
		return s.result, err
	}
}

// ended is the reason of a context that is done: the wall clock, or whoever
// cancelled it.
func ended(ctx context.Context) run.Reason {
	if errors.Is(context.Cause(ctx), errHard) {
		return run.ReasonTime
	}
	return run.ReasonCancelled
}

// round plays one round. An empty reason means that the run goes on.
func (s *session) round(ctx context.Context) (run.Reason, error) {
	if ctx.Err() != nil {
		return ended(ctx), nil
	}
	folded, err := s.fold()
	if err != nil {
		return run.ReasonTokens, err
	}
	if reason := s.over(); reason != "" {
		return reason, nil
	}
	resp, h, err := s.ask(ctx, folded)
	var failed *ModelError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ended(ctx), nil
	case errors.As(err, &failed) && failed.Kind == TooLarge && h.words.Len() == 0:
		return s.shrink(err)
	case failed != nil:
		return run.ReasonModel, err
	default:
		return run.ReasonInternal, err
	}
	calls := uses(resp.Blocks)
	switch resp.Stop {
	case EndTurn, StopToolUse, StopSequence:
		s.cut = 0
		s.asm.Respond(resp.Blocks)
		if len(calls) > 0 {
			return s.act(ctx, resp, h, calls)
		}
		s.close(ctx, resp, h, nil, nil)
		return s.talked(resp), nil
	case MaxTokens:
		return s.cutOff(ctx, resp, h), nil
	case ContextWindow:
		s.asm.Respond(words(resp.Blocks))
		s.close(ctx, resp, h, nil, h.orphans())
		s.asm.Tell("The context was full and has been folded. Go on.")
		return s.shrink(&ModelError{Kind: TooLarge, Message: "the context window is full"})
	default: // a refusal, or a reason that this loop cannot play
		s.asm.Respond(words(resp.Blocks))
		s.close(ctx, resp, h, nil, h.orphans())
		return run.ReasonModel, &ModelError{Kind: BadRequest, Message: fmt.Sprintf("the model stopped with %q", resp.Stop)}
	}
}

// act executes the calls of a round and gives their results to the model.
func (s *session) act(ctx context.Context, resp Response, h *heard, calls []Block) (run.Reason, error) {
	s.idle = 0
	done := s.execute(ctx, calls)
	s.watch.observe(done)
	var receipts []Receipt
	results := make([]ResultOf, 0, len(done))
	for i, d := range done {
		results = append(results, ResultOf{Call: d.call.ID, Text: d.text, IsError: d.outcome != OutcomeOK, Fold: d.out.Fold})
		if d.outcome == OutcomeOK && d.out.Receipt != (Receipt{}) {
			receipts = append(receipts, d.out.Receipt)
		}
		if d.outcome == OutcomeOK && s.tools[d.call.Name].EndsRun && s.result.Final == nil {
			s.result.Final = &FinalCall{ID: d.call.ID, Tool: d.call.Name, Input: calls[i].Input, Output: d.out}
		}
	}
	s.asm.Results(results)
	s.close(ctx, resp, h, receipts, done)
	switch {
	case s.result.Final != nil:
		return run.ReasonFinished, nil
	case ctx.Err() != nil:
		return ended(ctx), nil
	case s.watch.hopeless(s.finish):
		return run.ReasonStuck, nil
	}
	return s.goOn(), nil
}

// goOn ends a round that another one follows: near a cap the model is told to end.
func (s *session) goOn() run.Reason {
	if near := s.near(); near != "" {
		s.asm.Tell(s.finishNow(near))
	}
	return ""
}

// talked ends a round without calls: that is the end where no finishing tool is
// asked for; else the model is told once, and the second time it is stuck.
func (s *session) talked(resp Response) run.Reason {
	said := len(words(resp.Blocks)) > 0
	if len(s.finish) == 0 && said {
		if s.Objection != nil && !s.objected {
			if text := s.Objection(); text != "" {
				s.objected = true
				s.asm.Tell(text)
				return s.goOn()
			}
		}
		return run.ReasonFinished
	}
	if s.idle++; s.idle > 1 {
		if len(s.finish) == 0 && s.shown.offset > 0 {
			return run.ReasonFinished
		}
		return run.ReasonStuck
	}
	if len(s.finish) == 0 {
		s.asm.Tell("[loop] You stopped without a word. Tell the people in the room what came of it.")
	} else {
		s.asm.Tell("[loop] Nothing was done in this round. Go on with the tools, or end with " + s.finishers() + ".")
	}
	return s.goOn()
}

// cutOff handles an answer that reached the output limit: its calls may be
// incomplete and are never executed.
func (s *session) cutOff(ctx context.Context, resp Response, h *heard) run.Reason {
	s.asm.Respond(words(resp.Blocks))
	s.close(ctx, resp, h, nil, h.orphans())
	if s.cut++; s.cut > 1 {
		return run.ReasonTokens
	}
	s.asm.Tell("[loop] Your answer was cut off at the output limit; no call of it was executed. Go on from there, in smaller pieces.")
	return s.goOn()
}

// close ends a round: what the gate still holds is shown or withheld, and the
// round is recorded.
func (s *session) close(ctx context.Context, resp Response, h *heard, receipts []Receipt, done []ending) {
	s.result.Receipts = append(s.result.Receipts, receipts...)
	if s.Gate != nil {
		s.shown.pieces(s.Gate.Close(receipts))
	}
	s.record(ctx, resp, h, done)
}

func (s *session) record(ctx context.Context, resp Response, h *heard, done []ending) {
	calls := make([]step.Call, len(done))
	for i, d := range done {
		calls[i] = d.preview()
	}
	s.result.Usage = s.result.Usage.Add(resp.Usage)
	s.result.Cost += resp.Cost
	for _, b := range resp.Blocks {
		h.estimate.Output = max(h.estimate.Output, EstimateTokens(b.Text)+EstimateTokens(string(b.Input)))
	}
	h.estimate.Output = max(h.estimate.Output, EstimateTokens(h.words.String()))
	s.budget.spend(resp, h.estimate)
	if s.Record == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := s.Record(ctx, step.Recorded{
		Run: s.task.Run, Turn: s.task.Turn, Attempt: s.task.Attempt, Round: s.result.Rounds,
		Model: or(resp.Model, s.Model.Name()), Prompt: s.task.Version, Stop: string(resp.Stop),
		Usage: resp.Usage, Cost: resp.Cost, Why: shorten(redact(strings.TrimSpace(s.shown.why)), whyRunes),
		Calls: calls, Folded: h.folded,
	})
	if err != nil && s.recorded == nil {
		s.recorded = fmt.Errorf("record round %d: %w", s.result.Rounds, err)
	}
}
