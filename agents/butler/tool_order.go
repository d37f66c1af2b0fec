package butler

import (
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
			"Cite the objects that it should resemble. "+
			`Example: {"what":"高空视角的集体混战","why":"小王要再找一批","source":"fast","target":12,"cites":[{"type":"material","id":"01J…"}]}`, schemaOrderSearch),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			in, err := input[struct {
				What   string     `json:"what"`
				Why    string     `json:"why"`
				Source string     `json:"source"`
				Cites  []refInput `json:"cites"`
				Target int        `json:"target"`
			}](call)
			if err != nil {
				return agents.Output{}, err
			}
			request := run.Request{What: strings.TrimSpace(in.What), Why: strings.TrimSpace(in.Why), Source: in.Source, Target: in.Target}
			refused := agents.Output{Object: domain.Clip(request.What, 80)}
			if request.Cites, err = refsOf(in.Cites); err != nil {
				return refused, err
			}
			if unseen := s.unseen(request.Cites); len(unseen) > 0 {
				return refused, errUnseen(unseen)
			}
			return s.order(ctx, call, run.Search, request, "")
		},
	}
}

func (s *shift) proposeOrder() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolProposeOrder, "Proposes an order for a board (made from cited materials or assets, or from a board or film that it changes) or for a film (made from a board as it stands); "+
			"it runs only after a person confirms it. One order makes one board or film. Point at panels by their numbers, in the words and in cites. "+
			`Example: {"work":"board","what":"第 5 格保留，第 2 格换成爆炸","why":"Anna asked for it","board":"01J…","cites":[{"type":"board","id":"01J…","panel":2},{"type":"material","id":"01J…"}]}`, schemaProposeOrder),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			in, err := input[struct {
				Work   run.Work   `json:"work"`
				What   string     `json:"what"`
				Why    string     `json:"why"`
				Mode   string     `json:"mode"`
				Board  string     `json:"board"`
				Cites  []refInput `json:"cites"`
				Target int        `json:"target"` // not in the schema; 1 is what it always is
			}](call)
			if err != nil {
				return agents.Output{}, err
			}
			refused := agents.Output{Object: domain.Clip(in.What, 80)}
			switch {
			case in.Work != run.Board && in.Work != run.Film:
				return refused, domain.Errorf(domain.Invalid, "work is board or film, not %q", in.Work)
			case in.Target > 1:
				return refused, (&domain.Error{Code: domain.Invalid, Reason: "one_each"}).With(nil,
					"one order makes one %s: for more, order again, each with what sets it apart", in.Work)
			}
			request := run.Request{What: strings.TrimSpace(in.What), Why: strings.TrimSpace(in.Why), Mode: in.Mode, Target: 1}
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
			// Only what was viewed is known to exist and to be this agent's.
			if unseen := s.unseen(needed); len(unseen) > 0 {
				return refused, errUnseen(unseen)
			}
			note, err := s.feasible(ctx, in.Work, &request)
			if err != nil {
				return refused, err
			}
			return s.order(ctx, call, in.Work, request, note)
		},
	}
}

// order proposes an order card; note is told with it. One that an earlier attempt
// of the turn left for the same work is met again instead.
func (s *shift) order(ctx context.Context, call agents.Call, work run.Work, request run.Request, note string) (agents.Output, error) {
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
	cost, known, err := s.expectedCost(ctx, work)
	if err != nil {
		return refused, err
	}
	if request.CostHint = cost; !known {
		note = strings.TrimSpace(note + " no run of this kind has ended here yet, so its cost is not known")
	}
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
	return orderResult(orderOutput{Order: id, State: run.StatePending, CostYuan: cost.Yuan(), Note: note}, about)
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

// expectedCost is the mean cost of the last runs of that work; known is false if
// there were none.
func (s *shift) expectedCost(ctx context.Context, work run.Work) (mean domain.Money, known bool, err error) {
	tasks, err := s.env.Store.Tasks(ctx, projections.TaskFilter{
		Product: s.key.Product, Agents: []domain.ID{s.key.Agent}, Works: []run.Work{work},
		States: []projections.TaskState{projections.TaskDone}, Limit: 10,
	})
	if err != nil || len(tasks) == 0 {
		return 0, false, err
	}
	var sum domain.Money
	for _, t := range tasks {
		sum += t.Cost
	}
	return sum / domain.Money(len(tasks)), true, nil
}
