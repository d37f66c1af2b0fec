package agentstest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"sozai/agents"
	"sozai/domain"
)

// Round is what a Scripted model answers to one request.
type Round struct {
	Thinking string
	Text     string
	Calls    []Call
	Stop     agents.StopReason // "" = tool_use with calls, else end_turn
	Usage    *domain.Usage     // nil = as a Cache would count it
	Cost     domain.Money

	// Err is returned after Text and Calls were streamed: a cut stream.
	Err error
	// Hang waits for the end of the context after Text was streamed.
	Hang bool
	// Then is asked for the round instead, with the request at hand.
	Then func(agents.Request) Round
}

// Call is a tool call of a Round. Input is marshalled, a json.RawMessage is kept
// as it is; ID is made up when empty.
type Call struct {
	ID    string
	Tool  string
	Input any
}

// Scripted is a Model that plays a list of rounds, one a request, and refuses
// requests that the Messages API would refuse. Safe for concurrent use.
type Scripted struct {
	mu       sync.Mutex
	script   []Round
	requests []agents.Request
	cache    Cache
}

// Script is a model that plays these rounds.
func Script(rounds ...Round) *Scripted { return &Scripted{script: rounds} }

// Name is "scripted".
func (s *Scripted) Name() string { return "scripted" }

// Requests are the requests so far, failed ones included.
func (s *Scripted) Requests() []agents.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Stream plays the next round.
func (s *Scripted) Stream(ctx context.Context, req agents.Request, emit func(agents.Delta)) (agents.Response, error) {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	if ctx.Err() != nil {
		return agents.Response{}, ctx.Err()
	}
	if err := CheckRequest(req); err != nil {
		return agents.Response{}, &agents.ModelError{Kind: agents.BadRequest, Message: err.Error()}
	}
	if n >= len(s.script) {
		return agents.Response{}, &agents.ModelError{Kind: agents.BadRequest, Message: fmt.Sprintf("the script has only %d rounds", n)}
	}
	r := s.script[n]
	if r.Then != nil {
		r = r.Then(req)
	}
	resp := s.respond(n, r)
	for _, b := range resp.Blocks {
		switch b.Type {
		case agents.TextBlock:
			words := []rune(b.Text)
			for piece := range slices.Chunk(words, max(3, len(words)/50)) {
				if ctx.Err() == nil {
					emit(agents.Delta{Text: string(piece)})
				}
			}
		case agents.ToolUse:
			emit(agents.Delta{Tool: b.Name, Call: b.ID})
		default:
			emit(agents.Delta{})
		}
		if ctx.Err() != nil {
			return agents.Response{}, ctx.Err()
		}
	}
	if r.Hang {
		<-ctx.Done()
		return agents.Response{}, ctx.Err()
	}
	if r.Err != nil {
		return agents.Response{}, r.Err
	}
	resp.Cost = r.Cost
	if r.Usage != nil {
		resp.Usage = *r.Usage
		return resp, nil
	}
	resp.Usage = s.cache.Serve(req)
	for _, b := range resp.Blocks {
		resp.Usage.Output += agents.EstimateTokens(b.Text) + agents.EstimateTokens(string(b.Input))
	}
	return resp, nil
}

func (s *Scripted) respond(n int, r Round) agents.Response {
	resp := agents.Response{Model: "scripted", Stop: r.Stop}
	if r.Thinking != "" {
		resp.Blocks = append(resp.Blocks, agents.Block{Type: agents.Thinking, Text: r.Thinking, Signature: "signed"})
	}
	if r.Text != "" {
		resp.Blocks = append(resp.Blocks, agents.Block{Type: agents.TextBlock, Text: r.Text})
	}
	for i, c := range r.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", n+1, i+1)
		}
		if c.Input == nil {
			c.Input = struct{}{}
		}
		input, ok := c.Input.(json.RawMessage)
		if !ok {
			var err error
			if input, err = json.Marshal(c.Input); err != nil {
				input = json.RawMessage(fmt.Sprintf("%q", err.Error()))
			}
		}
		resp.Blocks = append(resp.Blocks, agents.Block{Type: agents.ToolUse, ID: c.ID, Name: c.Tool, Input: input})
	}
	switch {
	case resp.Stop != "":
	case len(r.Calls) > 0:
		resp.Stop = agents.StopToolUse
	default:
		resp.Stop = agents.EndTurn
	}
	return resp
}
