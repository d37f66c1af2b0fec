package agents

import (
	"context"
	"errors"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/run"
)

var (
	errIdle  = errors.New("the model gave no sign of life")
	errTotal = errors.New("the model took too long")
)

// heard is what came of one model request, also of one that failed.
type heard struct {
	folded   bool
	estimate domain.Usage // of the request, for when the provider does not say
	words    strings.Builder
	calls    []Block // calls whose writing began
	alive    bool
}

// orphans are calls that were begun and will never be executed.
func (h *heard) orphans() []ending {
	out := make([]ending, len(h.calls))
	for i, c := range h.calls {
		out[i] = orphan(c)
	}
	return out
}

// ask requests one round and retries it once, as long as nothing of it was
// shown. Every request is a round of its own in the record.
func (s *session) ask(ctx context.Context, folded bool) (Response, *heard, error) {
	for retried := false; ; retried = true {
		req, err := s.asm.Request()
		if err != nil {
			return Response{}, nil, err
		}
		s.result.Rounds++
		h := &heard{folded: folded, estimate: s.budget.forecast(s.asm)}
		req.MaxTokens = s.budget.output(s.caps.Output, h.estimate)
		s.shown.begin(s.result.Rounds)
		if s.Gate != nil {
			s.Gate.Open(s.result.Rounds)
		}
		s.shown.status(StatusThinking, "", "")
		resp, err := s.stream(ctx, req, h)
		if err == nil {
			s.asm.Observe(resp.Usage)
			s.budget.observe(resp.Usage)
			return resp, h, nil
		}
		var failed *ModelError
		again := !retried && ctx.Err() == nil && errors.As(err, &failed) && failed.Retry &&
			!s.shown.any && s.result.Rounds < s.caps.Rounds
		delay := s.caps.RetryDelay
		if again {
			delay = max(delay, failed.RetryAfter)
			again = !s.tooLong(delay)
		}
		s.gaveUp(ctx, h, err, again)
		if !again {
			return Response{}, h, err
		}
		s.shown.status(StatusWaiting, "", "")
		if err := wait(ctx, delay); err != nil {
			return Response{}, h, err
		}
	}
}

// gaveUp records a failed request. What was said stays; what the gate still
// holds is decided without receipts, unless the round is asked again.
func (s *session) gaveUp(ctx context.Context, h *heard, err error, again bool) {
	orphans := h.orphans()
	resp := Response{Stop: StopReason("cancelled")}
	var failed *ModelError
	if ctx.Err() == nil && errors.As(err, &failed) {
		resp.Stop = StopReason(failed.Kind)
		// Refused before the model began: nothing was used.
		resp.Usage.Known = !h.alive && failed.Kind != Interrupted && failed.Kind != Timeout
	}
	if again {
		s.record(ctx, resp, h, orphans)
		return
	}
	if h.words.Len() > 0 {
		s.asm.Respond([]Block{{Type: TextBlock, Text: h.words.String()}})
	}
	for _, o := range orphans {
		s.shown.start(o.call)
		s.shown.end(o)
	}
	s.close(ctx, resp, h, nil, orphans)
}

// stream makes one request under the idle and the total limit.
func (s *session) stream(parent context.Context, req Request, h *heard) (Response, error) {
	ctx, stop := context.WithTimeoutCause(parent, s.caps.Total, errTotal)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(s.caps.Idle, func() { cancel(errIdle) })
	defer idle.Stop()

	resp, err := s.Model.Stream(ctx, req, func(d Delta) {
		idle.Reset(s.caps.Idle)
		h.alive = true
		if d.Text != "" {
			h.words.WriteString(d.Text)
			if s.Gate == nil {
				s.shown.text(d.Text)
			} else {
				s.shown.pieces(s.Gate.Text(d.Text))
			}
		}
		if d.Tool != "" {
			h.calls = append(h.calls, Block{Type: ToolUse, ID: d.Call, Name: d.Tool})
			s.shown.status(StatusPreparing, d.Call, d.Tool)
		}
	})
	if err == nil {
		return resp, nil
	}
	if parent.Err() != nil {
		return Response{}, parent.Err()
	}
	if cause := context.Cause(ctx); errors.Is(cause, errIdle) || errors.Is(cause, errTotal) {
		return Response{}, &ModelError{Kind: Timeout, Message: cause.Error(), Retry: true, Err: err}
	}
	var failed *ModelError
	if !errors.As(err, &failed) {
		err = &ModelError{Kind: ServerError, Message: "the model could not be asked", Err: err}
	}
	return Response{}, err
}

// fold folds the transcript when it has grown to its limit.
func (s *session) fold() (bool, error) {
	if s.asm.Tokens() < s.caps.FoldAt || s.result.Folds >= s.caps.Folds {
		return false, nil
	}
	return true, s.foldTo(s.caps.FoldTo)
}

func (s *session) foldTo(tokens int) error {
	s.shown.status(StatusFolding, "", "")
	if err := s.asm.Fold(tokens); err != nil {
		return err
	}
	s.result.Folds++
	s.budget.cold()
	s.watch.forget()
	return nil
}

// shrink answers a provider that found the prompt too large, once a run.
func (s *session) shrink(cause error) (run.Reason, error) {
	if s.shrunk || s.result.Folds >= s.caps.Folds {
		return run.ReasonTokens, cause
	}
	s.shrunk = true
	if err := s.foldTo(min(s.caps.FoldTo, s.asm.Tokens()/2)); err != nil {
		return run.ReasonTokens, errors.Join(err, cause)
	}
	return "", nil
}

// tooLong says that waiting so long would outlast the run or, where no clock ends
// it, a whole request.
func (s *session) tooLong(d time.Duration) bool {
	if s.caps.Hard <= 0 {
		return d > s.caps.Total
	}
	return s.Now().Add(d).After(s.started.Add(s.caps.Hard))
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// uses are the calls of a response, words its text and thinking.
func uses(blocks []Block) []Block {
	var out []Block
	for _, b := range blocks {
		if b.Type == ToolUse {
			out = append(out, b)
		}
	}
	return out
}

func words(blocks []Block) []Block {
	var out []Block
	for _, b := range withoutEmpty(blocks) {
		if b.Type == TextBlock {
			out = append(out, b)
		}
	}
	return out
}
