package web

import (
	"context"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/run"
	"sozai/handlers/access"
	"sozai/projections"
	"sozai/streams"
)

// done is the answer of a command that creates nothing. Seq is the min_seq with
// which a read shows what the command did.
type done struct {
	Seq uint64 `json:"seq"`
}

type agentsView struct {
	Agents []projections.Agent `json:"agents"`
}

// listAgents shows an administrator all agents of the product, others those in
// which they have a role.
func (s *Server) listAgents(ctx context.Context, r *request, _ *struct{}) (agentsView, error) {
	user := r.caller.User
	if r.caller.Admin {
		user = ""
	}
	list, err := s.deps.Store.Agents(ctx, r.product, user)
	if list == nil {
		list = []projections.Agent{}
	}
	return agentsView{Agents: list}, err
}

type agentView struct {
	projections.Agent
	Role   access.Role               `json:"role" doc:"The caller's: creator, member, viewer, or empty for an administrator"`
	People map[domain.ID]string      `json:"people" doc:"Names of the creator and the members"`
	Counts projections.LibraryCounts `json:"counts"`
	Read   readView                  `json:"read"`
}

func (s *Server) getAgent(ctx context.Context, r *request, _ *struct{}) (agentView, error) {
	a, err := s.shown(ctx, func() (projections.Agent, error) { return s.deps.Store.Agent(ctx, r.key) })
	if err != nil {
		return agentView{}, err
	}
	v := agentView{Agent: a, Role: r.role}
	actors := []domain.Actor{domain.User(a.Creator)}
	for m := range a.Members {
		actors = append(actors, domain.User(m))
	}
	if v.People, err = s.nameOf(ctx, actors...); err != nil {
		return agentView{}, err
	}
	if v.Counts, err = s.deps.Store.LibraryCounts(ctx, r.key); err != nil {
		return agentView{}, err
	}
	v.Read, err = s.readOf(ctx, r)
	return v, err
}

type newAgent struct {
	Name        string             `json:"name"`
	Brief       string             `json:"brief,omitempty"`
	Search      string             `json:"search" doc:"The first search document"`
	Steer       string             `json:"steer,omitempty" doc:"The first steer document"`
	Constraints domain.Constraints `json:"constraints,omitzero"`
	Sources     []string           `json:"sources,omitempty"`
}

type createdAgent struct {
	Agent domain.ID `json:"agent"`
	Run   domain.ID `json:"run" doc:"The first search"`
	Seq   uint64    `json:"seq"`
}

// createAgent opens an agent with its gene and its first search in one batch.
func (s *Server) createAgent(ctx context.Context, r *request, in *struct{ Body newAgent }) (createdAgent, error) {
	b := in.Body
	out := createdAgent{Agent: r.newID("agent"), Run: r.newID("run")}
	key := domain.Key{Product: r.product, Agent: out.Agent}
	if b.Sources == nil {
		b.Sources = []string{"fast"}
	}
	res, err := s.deps.Log.Decide(ctx, key, r.cmd, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		created, err := st.Agent.Create(agent.Created{Name: b.Name, Brief: b.Brief, Creator: r.caller.User, Sources: b.Sources})
		if err != nil {
			return nil, err
		}
		minted, err := st.Gene.Create(b.Search, b.Steer, b.Constraints)
		if err != nil {
			return nil, err
		}
		asked, err := st.Run.Request(run.Requested{Run: out.Run, Work: run.Search, Trigger: run.First}, now)
		if err != nil {
			return nil, err
		}
		return append(append(created, minted...), asked...), nil
	})
	if err != nil {
		return createdAgent{}, err
	}
	out.Seq = res.Seq
	s.keys.Store(out.Agent, key)
	return out, nil
}

// decide runs a decision about the agent of the path.
func (s *Server) decide(ctx context.Context, r *request, what func(st *streams.State, now time.Time) ([]domain.Decision, error)) (streams.Result, error) {
	return s.deps.Log.Decide(ctx, r.key, r.cmd, what)
}

func (s *Server) editAgent(ctx context.Context, r *request, in *struct {
	Body struct {
		Name    *string  `json:"name,omitempty"`
		Brief   *string  `json:"brief,omitempty"`
		Sources []string `json:"sources,omitempty"`
	}
}) (done, error) {
	res, err := s.decide(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Agent.Edit(agent.Edited(in.Body))
	})
	return done{Seq: res.Seq}, err
}

type UserPath struct {
	User string `path:"user"`
}

// addMember gives a role. A member writes, so they must belong to the product;
// a viewer need not.
func (s *Server) addMember(ctx context.Context, r *request, in *struct {
	UserPath
	Body struct {
		Role string `json:"role" enum:"member,viewer"`
	}
}) (done, error) {
	user, err := parseID("account", in.User)
	if err != nil {
		return done{}, err
	}
	known, err := s.deps.Access.Names(ctx, []domain.ID{user})
	if err != nil {
		return done{}, err
	}
	if known[user] == "" {
		return done{}, domain.Errorf(domain.NotFound, "there is no such account")
	}
	belongs, err := s.deps.Access.Belongs(ctx, user, r.key.Product)
	if err != nil {
		return done{}, err
	}
	if in.Body.Role == agent.Member && !belongs {
		return done{}, domain.Rule(domain.Conflict, "not_in_product", "a member of the room must belong to its product first")
	}
	res, err := s.decide(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Agent.AddMember(user, in.Body.Role)
	})
	return done{Seq: res.Seq}, err
}

func (s *Server) removeMember(ctx context.Context, r *request, in *UserPath) (done, error) {
	user, err := parseID("account", in.User)
	if err != nil {
		return done{}, err
	}
	res, err := s.decide(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Agent.RemoveMember(user)
	})
	return done{Seq: res.Seq}, err
}

func (s *Server) setSchedule(ctx context.Context, r *request, in *struct {
	Body struct {
		Daily bool   `json:"daily"`
		At    string `json:"at,omitempty" example:"08:30"`
		Zone  string `json:"zone,omitempty" example:"Asia/Shanghai"`
	}
}) (done, error) {
	if z := in.Body.Zone; z != "" {
		if _, err := time.LoadLocation(z); err != nil {
			return done{}, agent.ErrSchedule.With(nil, "%q is no time zone this server knows", z)
		}
	}
	res, err := s.decide(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Agent.SetSchedule(agent.ScheduleSet(in.Body))
	})
	return done{Seq: res.Seq}, err
}

func (s *Server) archiveAgent(ctx context.Context, r *request, in *struct {
	Body struct {
		Reason string `json:"reason,omitempty"`
	}
}) (done, error) {
	res, err := s.decide(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Agent.Archive(in.Body.Reason)
	})
	return done{Seq: res.Seq}, err
}
