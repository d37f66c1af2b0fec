package web

import (
	"context"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

type ordersView struct {
	Orders []projections.Order  `json:"orders"`
	People map[domain.ID]string `json:"people"`
}

func (s *Server) listOrders(ctx context.Context, r *request, in *struct {
	State string `query:"state" enum:"pending,confirmed,declined,expired"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (ordersView, error) {
	list, err := s.deps.Store.Orders(ctx, r.key, in.State, "", in.Limit)
	if err != nil {
		return ordersView{}, err
	}
	if list == nil {
		list = []projections.Order{}
	}
	var actors []domain.Actor
	for _, o := range list {
		actors = append(actors, o.ClosedBy)
	}
	people, err := s.nameOf(ctx, actors...)
	return ordersView{Orders: list, People: people}, err
}

type OrderPath struct {
	Order string `path:"order"`
}

func (s *Server) getOrder(ctx context.Context, r *request, in *OrderPath) (projections.Order, error) {
	id, err := parseID("order", in.Order)
	if err != nil {
		return projections.Order{}, err
	}
	return s.deps.Store.Order(ctx, r.key, id)
}

type asked struct {
	Run domain.ID `json:"run"`
	Seq uint64    `json:"seq"`
}

func (s *Server) confirmOrder(ctx context.Context, r *request, in *OrderPath) (asked, error) {
	id, err := parseID("order", in.Order)
	if err != nil {
		return asked{}, err
	}
	res, err := s.decide(ctx, r, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		if err := st.Agent.Active(); err != nil {
			return nil, err
		}
		return st.Run.ConfirmOrder(id, r.newID("run"), r.cmd.Actor, now)
	})
	return asked{Run: eventOf[run.OrderConfirmed](res).Run, Seq: res.Seq}, err
}

func (s *Server) declineOrder(ctx context.Context, r *request, in *struct {
	OrderPath
	Body struct {
		Reason string `json:"reason,omitempty"`
	}
}) (done, error) {
	id, err := parseID("order", in.Order)
	if err != nil {
		return done{}, err
	}
	res, err := s.decide(ctx, r, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.DeclineOrder(id, in.Body.Reason, r.cmd.Actor, now)
	})
	return done{Seq: res.Seq}, err
}

type runsView struct {
	Runs   []projections.Task   `json:"runs"`
	People map[domain.ID]string `json:"people"`
}

func (s *Server) listRuns(ctx context.Context, r *request, in *struct {
	States  []projections.TaskState `query:"state,explode" doc:"requested, running, stopping, worker_lost, done, failed, cancelled"`
	Works   []run.Work              `query:"work,explode"`
	Trigger run.Trigger             `query:"trigger"`
	Version int                     `query:"version" minimum:"0"`
	Before  uint64                  `query:"before"`
	Limit   int                     `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (runsView, error) {
	list, err := s.deps.Store.Tasks(ctx, projections.TaskFilter{
		Product: r.key.Product, Agents: []domain.ID{r.key.Agent}, States: in.States, Works: in.Works,
		Trigger: in.Trigger, Version: in.Version, Before: in.Before, Limit: in.Limit,
	})
	if err != nil {
		return runsView{}, err
	}
	if list == nil {
		list = []projections.Task{}
	}
	var actors []domain.Actor
	for _, t := range list {
		actors = append(actors, t.Requester)
	}
	people, err := s.nameOf(ctx, actors...)
	return runsView{Runs: list, People: people}, err
}

type RunPath struct {
	Run string `path:"run"`
}

func (s *Server) getRun(ctx context.Context, r *request, in *RunPath) (projections.TaskDetail, error) {
	id, err := parseID("run", in.Run)
	if err != nil {
		return projections.TaskDetail{}, err
	}
	return s.deps.Store.Task(ctx, r.key, id)
}

type newRun struct {
	Work   run.Work     `json:"work" enum:"search,digest,board,film,analyze"`
	What   string       `json:"what,omitempty"`
	Why    string       `json:"why,omitempty"`
	Source string       `json:"source,omitempty"`
	Mode   string       `json:"mode,omitempty"`
	Board  domain.ID    `json:"board,omitempty"`
	Cites  []domain.Ref `json:"cites,omitempty"`
	Target int          `json:"target,omitempty"`
}

// createRun starts work by a person's button, which is a nod to its cost.
func (s *Server) createRun(ctx context.Context, r *request, in *struct{ Body newRun }) (asked, error) {
	b := in.Body
	cites := b.Cites
	if b.Board != "" {
		cites = append([]domain.Ref{{Type: domain.Board, ID: b.Board}}, cites...)
	}
	if err := s.checkRefs(ctx, r, cites); err != nil {
		return asked{}, err
	}
	return s.ask(ctx, r, func(*streams.State) (run.Requested, error) {
		return run.Requested{Work: b.Work, Trigger: run.Hand, Request: run.Request{
			What: b.What, Why: b.Why, Source: b.Source, Mode: b.Mode, Board: b.Board, Cites: b.Cites, Target: b.Target,
		}}, nil
	})
}

// retryRun asks for the same work again, with the gene that it had or with the
// current one.
func (s *Server) retryRun(ctx context.Context, r *request, in *struct {
	RunPath
	Body struct {
		SameGene bool `json:"same_gene,omitempty"`
	}
}) (asked, error) {
	id, err := parseID("run", in.Run)
	if err != nil {
		return asked{}, err
	}
	return s.ask(ctx, r, func(st *streams.State) (run.Requested, error) {
		old, known := st.Run.Runs[id]
		if !known {
			return run.Requested{}, run.ErrUnknown
		}
		again := run.Requested{Work: old.Work, Trigger: run.Retry, RetryOf: id}
		if in.Body.SameGene {
			again.GeneVersion = old.GeneVersion
		}
		return again, nil
	})
}

// continueRun gives a run that ended at a cap another budget; it keeps its gene.
func (s *Server) continueRun(ctx context.Context, r *request, in *RunPath) (asked, error) {
	id, err := parseID("run", in.Run)
	if err != nil {
		return asked{}, err
	}
	return s.ask(ctx, r, func(st *streams.State) (run.Requested, error) {
		old, known := st.Run.Runs[id]
		if !known {
			return run.Requested{}, run.ErrUnknown
		}
		return run.Requested{Work: old.Work, Trigger: run.Budget, Continues: id, GeneVersion: old.GeneVersion}, nil
	})
}

func (s *Server) ask(ctx context.Context, r *request, what func(*streams.State) (run.Requested, error)) (asked, error) {
	res, err := s.decide(ctx, r, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		if err := st.Agent.Active(); err != nil {
			return nil, err
		}
		q, err := what(st)
		if err != nil {
			return nil, err
		}
		q.Run = r.newID("run")
		return st.Run.Request(q, now)
	})
	return asked{Run: eventOf[run.Requested](res).Run, Seq: res.Seq}, err
}

type cancelled struct {
	Seq   uint64 `json:"seq"`
	Ended bool   `json:"ended" doc:"It had no live attempt and is over; else its worker stops it"`
}

func (s *Server) cancelRun(ctx context.Context, r *request, in *RunPath) (cancelled, error) {
	id, err := parseID("run", in.Run)
	if err != nil {
		return cancelled{}, err
	}
	res, err := s.decide(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.RequestCancel(id, run.CancelPerson)
	})
	return cancelled{Seq: res.Seq, Ended: eventOf[run.Finished](res).Run == id}, err
}
