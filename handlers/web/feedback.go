package web

import (
	"context"

	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/projections"
	"sozai/streams"
)

type feedbackView struct {
	Items  []projections.FeedbackItem `json:"items"`
	People map[domain.ID]string       `json:"people"`
}

func (s *Server) listFeedback(ctx context.Context, r *request, in *struct {
	State  string            `query:"state" enum:"open,settled,withdrawn"`
	Type   domain.ObjectType `query:"type" doc:"Of the object, with id"`
	ID     domain.ID         `query:"id"`
	Before uint64            `query:"before"`
	Limit  int               `query:"limit" minimum:"1" maximum:"500" default:"50"`
}) (feedbackView, error) {
	list, err := s.deps.Store.Feedback(ctx, r.key, projections.FeedbackFilter{
		State: in.State, Object: domain.Ref{Type: in.Type, ID: in.ID}, Before: in.Before, Limit: in.Limit,
	})
	if err != nil {
		return feedbackView{}, err
	}
	if list == nil {
		list = []projections.FeedbackItem{}
	}
	var actors []domain.Actor
	for _, f := range list {
		actors = append(actors, domain.User(f.By))
	}
	people, err := s.nameOf(ctx, actors...)
	return feedbackView{Items: list, People: people}, err
}

type given struct {
	Feedback domain.ID `json:"feedback"`
	Seq      uint64    `json:"seq"`
}

func (s *Server) giveFeedback(ctx context.Context, r *request, in *struct {
	Body struct {
		Object   domain.Ref       `json:"object"`
		Verdict  feedback.Verdict `json:"verdict,omitempty" enum:"like,dislike,"`
		Words    string           `json:"words,omitempty"`
		Document domain.Document  `json:"document,omitempty" enum:"search,steer,"`
	}
}) (given, error) {
	g := feedback.Given{
		Feedback: r.newID("feedback"), Object: in.Body.Object, Verdict: in.Body.Verdict,
		Words: in.Body.Words, Document: in.Body.Document,
	}
	if err := g.Check(r.cmd.Actor); err != nil {
		return given{}, err
	}
	if err := s.active(ctx, r); err != nil {
		return given{}, err
	}
	if err := s.checkRefs(ctx, r, []domain.Ref{g.Object}); err != nil {
		return given{}, err
	}
	switch old, err := s.deps.Store.FeedbackItem(ctx, r.key, g.Feedback); {
	case err == nil && (old.Object != g.Object || old.Verdict != g.Verdict || old.Words != g.Words):
		return given{}, errKeyReused
	case err == nil:
		return given{Feedback: g.Feedback, Seq: old.Seq}, nil
	case domain.CodeOf(err) != domain.NotFound:
		return given{}, err
	}
	events, err := s.deps.Log.Record(ctx, r.key, r.cmd, g)
	if err != nil {
		return given{}, err
	}
	return given{Feedback: g.Feedback, Seq: events[0].Seq}, nil
}

// withdrawFeedback takes back what the caller gave, or what the butler wrote down
// for them.
func (s *Server) withdrawFeedback(ctx context.Context, r *request, in *struct {
	Feedback string `path:"feedback"`
}) (done, error) {
	id, err := parseID("feedback", in.Feedback)
	if err != nil {
		return done{}, err
	}
	item, err := s.deps.Store.FeedbackItem(ctx, r.key, id)
	if err != nil {
		return done{}, err
	}
	g := feedback.Given{Feedback: id}
	if !item.WrittenBy.IsPerson() {
		g.OnBehalf = item.By
	}
	w, err := g.Withdraw(item.WrittenBy, r.cmd.Actor)
	if err != nil {
		return done{}, err
	}
	if item.State == "settled" {
		return done{}, domain.Rule(domain.Conflict, "feedback_settled", "a gene version came of this feedback already").
			With(map[string]any{"card": item.SettledBy, "version": item.SettledIn}, "version %d came of this feedback already", item.SettledIn)
	}
	events, err := s.deps.Log.Record(ctx, r.key, r.cmd, w)
	if err != nil {
		return done{}, err
	}
	return done{Seq: events[0].Seq}, nil
}

// active refuses facts about an agent that is archived.
func (s *Server) active(ctx context.Context, r *request) error {
	return s.deps.Log.View(ctx, r.key, func(st *streams.State) error { return st.Agent.Active() })
}
