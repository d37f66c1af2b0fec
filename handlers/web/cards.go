package web

import (
	"context"
	"time"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// geneCheckTarget is how many materials the search after an applied card wants:
// enough to see where the new version leads.
const geneCheckTarget = 6

type cardsView struct {
	Cards  []projections.Card   `json:"cards"`
	People map[domain.ID]string `json:"people"`
}

func (s *Server) listCards(ctx context.Context, r *request, in *struct {
	State string `query:"state" enum:"pending,applied,rejected,expired"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (cardsView, error) {
	list, err := s.deps.Store.Cards(ctx, r.key, in.State, "", in.Limit)
	if err != nil {
		return cardsView{}, err
	}
	if list == nil {
		list = []projections.Card{}
	}
	var actors []domain.Actor
	for _, c := range list {
		actors = append(actors, c.By, c.ClosedBy)
	}
	people, err := s.nameOf(ctx, actors...)
	return cardsView{Cards: list, People: people}, err
}

type CardPath struct {
	Card string `path:"card"`
}

type cardView struct {
	projections.Card
	Base   projections.GeneVersion `json:"base" doc:"The version that the card was made from"`
	People map[domain.ID]string    `json:"people"`
}

func (s *Server) getCard(ctx context.Context, r *request, in *CardPath) (cardView, error) {
	id, err := parseID("card", in.Card)
	if err != nil {
		return cardView{}, err
	}
	c, err := s.deps.Store.Card(ctx, r.key, id)
	if err != nil {
		return cardView{}, err
	}
	base, err := s.deps.Store.GeneVersion(ctx, r.key, c.BaseVersion)
	if err != nil {
		return cardView{}, err
	}
	people, err := s.nameOf(ctx, c.By, c.ClosedBy, base.By)
	return cardView{Card: c, Base: base, People: people}, err
}

type applied struct {
	Version   int       `json:"version"`
	Documents []string  `json:"documents"`
	Run       domain.ID `json:"run" doc:"The search that checks the new version"`
	Seq       uint64    `json:"seq"`
}

// applyCard mints the card's version. Applying nods to the search that checks it,
// which is asked for in the same batch.
func (s *Server) applyCard(ctx context.Context, r *request, in *struct {
	CardPath
	Body struct {
		Documents   []string            `json:"documents,omitempty" doc:"search, steer, constraints; none: all of the card"`
		Search      *string             `json:"search,omitempty" doc:"The text instead of the card's"`
		Steer       *string             `json:"steer,omitempty"`
		Constraints *domain.Constraints `json:"constraints,omitempty"`
		Summary     string              `json:"summary,omitempty"`
	}
}) (applied, error) {
	id, err := parseID("card", in.Card)
	if err != nil {
		return applied{}, err
	}
	base, err := s.cardBase(ctx, r, id)
	if err != nil {
		return applied{}, err
	}
	previous, err := s.score(ctx, r, base)
	if err != nil {
		return applied{}, err
	}
	b := in.Body
	apply := gene.ApplyCard{Card: id, Documents: b.Documents, Summary: b.Summary, Previous: previous}
	if e := (gene.Edit{Search: b.Search, Steer: b.Steer, Constraints: b.Constraints}); e != (gene.Edit{}) {
		apply.Edit = &e
	}
	res, err := s.decide(ctx, r, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		if err := st.Agent.Active(); err != nil {
			return nil, err
		}
		events, err := st.Gene.Apply(apply, r.cmd.Actor, now)
		if err != nil {
			return nil, err
		}
		check, err := st.Run.Request(run.Requested{
			Run: r.newID("run"), Work: run.Search, Trigger: run.GeneCheck, Card: id, GeneVersion: st.Gene.Version + 1,
			Request: run.Request{Target: geneCheckTarget},
		}, now)
		if err != nil {
			return nil, err
		}
		return append(events, check...), nil
	})
	if err != nil {
		return applied{}, err
	}
	a := eventOf[gene.Applied](res)
	return applied{Version: a.Version, Documents: a.Documents, Run: eventOf[run.Requested](res).Run, Seq: res.Seq}, nil
}

// cardBase is the version that a card would replace.
func (s *Server) cardBase(ctx context.Context, r *request, id domain.ID) (version int, err error) {
	err = s.deps.Log.View(ctx, r.key, func(st *streams.State) error {
		c, known := st.Gene.Cards[id]
		if !known {
			return gene.ErrUnknownCard
		}
		version = c.BaseVersion
		return nil
	})
	return version, err
}

func (s *Server) rejectCard(ctx context.Context, r *request, in *struct {
	CardPath
	Body struct {
		Reason string   `json:"reason,omitempty"`
		Chips  []string `json:"chips,omitempty"`
	}
}) (done, error) {
	id, err := parseID("card", in.Card)
	if err != nil {
		return done{}, err
	}
	res, err := s.decide(ctx, r, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Gene.Reject(id, in.Body.Reason, in.Body.Chips, r.cmd.Actor, now)
	})
	return done{Seq: res.Seq}, err
}
