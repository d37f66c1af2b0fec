package butler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

type orderOutput struct {
	Order    domain.ID `json:"order"`
	State    string    `json:"state"`
	CostYuan float64   `json:"expected_cost_yuan,omitempty"`
	Note     string    `json:"note,omitempty"`
}

func (s *shift) orderSearch() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolOrderSearch, "Proposes an order for a search; it runs only after a person confirms it. One a minute, at most 5 orders wait at a time. "+
			`Example: {"what":"高空视角的集体混战","why":"小王要再找一批","source":"fast","target":12}`, schemaOrderSearch),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			in, err := input[struct {
				What   string `json:"what"`
				Why    string `json:"why"`
				Source string `json:"source"`
				Target int    `json:"target"`
			}](call)
			if err != nil {
				return agents.Output{}, err
			}
			return s.order(ctx, call, run.Search, run.Request{
				What: strings.TrimSpace(in.What), Why: strings.TrimSpace(in.Why), Source: in.Source, Target: in.Target,
			})
		},
	}
}

func (s *shift) proposeOrder() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolProposeOrder, "Proposes an order for a board (made from cited materials) or a film (made from a board); it runs only after a person confirms it. "+
			`Example: {"work":"board","what":"竖版 15 秒，开场爆炸","why":"Anna asked for it","cites":[{"type":"material","id":"01J…"}]}`, schemaProposeOrder),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			in, err := input[struct {
				Work   run.Work   `json:"work"`
				What   string     `json:"what"`
				Why    string     `json:"why"`
				Mode   string     `json:"mode"`
				Board  string     `json:"board"`
				Cites  []refInput `json:"cites"`
				Target int        `json:"target"`
			}](call)
			if err != nil {
				return agents.Output{}, err
			}
			refused := agents.Output{Object: domain.Clip(in.What, 80)}
			if in.Work != run.Board && in.Work != run.Film {
				return refused, domain.Errorf(domain.Invalid, "work is board or film, not %q", in.Work)
			}
			request := run.Request{What: strings.TrimSpace(in.What), Why: strings.TrimSpace(in.Why), Mode: in.Mode, Target: max(in.Target, 1)}
			if request.Cites, err = refsOf(in.Cites); err != nil {
				return refused, err
			}
			needed := slices.Clone(request.Cites)
			if in.Board != "" {
				board, err := refInput{Type: domain.Board, ID: in.Board}.ref()
				if err != nil {
					return refused, err
				}
				request.Board = board.ID
				needed = append(needed, board)
			}
			switch {
			case in.Work == run.Film && request.Board == "":
				return refused, (&domain.Error{Code: domain.Invalid, Reason: "needs_board"}).With(nil,
					"a film is made from a board: name the board, or order a board first")
			case in.Work == run.Board && len(needed) == 0:
				return refused, (&domain.Error{Code: domain.Invalid, Reason: "needs_cites"}).With(nil,
					"a board is made from something: cite the materials or assets, or name a base board")
			}
			// Only what was viewed is known to exist and to be this agent's.
			if unseen := s.unseen(needed); len(unseen) > 0 {
				return refused, errUnseen(unseen)
			}
			return s.order(ctx, call, in.Work, request)
		},
	}
}

// order proposes an order card. One that an earlier attempt of the turn left for
// the same work is met again instead.
func (s *shift) order(ctx context.Context, call agents.Call, work run.Work, request run.Request) (agents.Output, error) {
	about := domain.Clip(request.What, 80)
	refused := agents.Output{Object: about}
	if old, ok := s.inherited(work, request.Board); ok {
		return orderResult(orderOutput{
			Order: old.ID, State: old.State, CostYuan: old.Request.CostHint.Yuan(),
			Note: "an earlier attempt of this turn proposed it; it was not proposed again",
		}, about)
	}
	if err := s.borrowed(request.What+"\n"+request.Why, nil); err != nil {
		return refused, err
	}
	cost, err := s.expectedCost(ctx, work)
	if err != nil {
		return refused, err
	}
	request.CostHint = cost
	id := s.derive(fmt.Sprintf("order %d %s", s.attempt, call.ID))
	_, err = s.decide(ctx, call.ID, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		if st.Agent.Archived {
			return nil, domain.Errorf(domain.Conflict, "the agent is archived; nothing can be ordered")
		}
		r := request
		if work == run.Search {
			var err error
			if r.Source, err = sourceFor(r.Source, st.Agent.Sources); err != nil {
				return nil, err
			}
		}
		return st.Run.ProposeOrder(run.OrderProposed{Order: id, Work: work, Request: r, Turn: s.turn}, now)
	})
	if err != nil {
		return refused, err
	}
	return orderResult(orderOutput{Order: id, State: run.StatePending, CostYuan: cost.Yuan()}, about)
}

func orderResult(made orderOutput, about string) (agents.Output, error) {
	out, err := object(made, about, fmt.Sprintf("order %s: %s", made.Order, about))
	out.Receipt = agents.Receipt{Kind: receiptOrder, ID: string(made.Order)}
	return out, err
}

// sourceFor is the source of a search: the one that is named, if the agent has
// it, else the fast one.
func sourceFor(named string, has []string) (string, error) {
	const fast = "fast"
	if named == "" && (len(has) == 0 || slices.Contains(has, fast)) {
		return fast, nil
	}
	if named == "" {
		return has[0], nil
	}
	if slices.Contains(has, named) || len(has) == 0 && named == fast {
		return named, nil
	}
	return "", (&domain.Error{Code: domain.Invalid, Reason: "no_such_source"}).With(map[string]any{"sources": has},
		"this agent does not search %q", named)
}

// inherited takes up an order of an earlier attempt, once.
func (s *shift) inherited(work run.Work, board domain.ID) (run.OrderCard, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.orders {
		if o.Work == work && o.Request.Board == board {
			s.orders = slices.Delete(s.orders, i, i+1)
			return o, true
		}
	}
	return run.OrderCard{}, false
}

// expectedCost is the mean cost of the last runs of that work; 0 if there were none.
func (s *shift) expectedCost(ctx context.Context, work run.Work) (domain.Money, error) {
	tasks, err := s.env.Store.Tasks(ctx, projections.TaskFilter{
		Product: s.key.Product, Agents: []domain.ID{s.key.Agent}, Works: []run.Work{work},
		States: []projections.TaskState{projections.TaskDone}, Limit: 10,
	})
	if err != nil {
		return 0, err
	}
	var sum domain.Money
	for _, t := range tasks {
		sum += t.Cost
	}
	return sum / domain.Money(cmp.Or(len(tasks), 1)), nil
}
