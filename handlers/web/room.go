package web

import (
	"context"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/projections"
	"sozai/streams"
)

// errForeign answers a reference to what is not this agent's.
var errForeign = domain.Rule(domain.Unprocessable, "foreign_object", "an object that is cited is not this agent's")

type timelineView struct {
	Rows   []projections.Row    `json:"rows"`
	People map[domain.ID]string `json:"people" doc:"Names of the people among the actors"`
	More   bool                 `json:"more" doc:"There are rows beyond these in the direction asked for"`
	AsOf   uint64               `json:"as_of,omitempty" doc:"The rows are those that stood after this sequence"`
}

func (s *Server) timeline(ctx context.Context, r *request, in *struct {
	AsOf
	Before uint64 `query:"before"`
	After  uint64 `query:"after"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (timelineView, error) {
	if in.Before > 0 && in.After > 0 {
		return timelineView{}, domain.Errorf(domain.Invalid, "ask for rows before or after a sequence, not both")
	}
	store, seq, done, err := s.at(ctx, r, in.AsOf.AsOf, projections.Timeline)
	if err != nil {
		return timelineView{}, err
	}
	defer done()
	rows, err := store.Timeline(ctx, r.key, projections.Page{Before: in.Before, After: in.After, Limit: in.Limit})
	if err != nil {
		return timelineView{}, err
	}
	people, err := s.peopleIn(ctx, rows)
	if rows == nil {
		rows = []projections.Row{}
	}
	return timelineView{Rows: rows, People: people, More: len(rows) == in.Limit, AsOf: seq}, err
}

// peopleIn names everybody whom rows mention.
func (s *Server) peopleIn(ctx context.Context, rows []projections.Row) (map[domain.ID]string, error) {
	var actors []domain.Actor
	for _, row := range rows {
		actors = append(actors, row.Actor)
		for _, c := range row.Cards {
			actors = append(actors, c.By, c.ClosedBy)
		}
		for _, o := range row.Orders {
			actors = append(actors, o.ClosedBy)
		}
	}
	return s.nameOf(ctx, actors...)
}

type said struct {
	Message domain.ID `json:"message"`
	Seq     uint64    `json:"seq"`
}

// say records a message. Its place in the room is the log's order, whatever the
// sender's clock says.
func (s *Server) say(ctx context.Context, r *request, in *struct {
	Body struct {
		Text string       `json:"text,omitempty"`
		Refs []domain.Ref `json:"refs,omitempty"`
	}
}) (said, error) {
	var m chat.Said
	var earlier *chat.Message
	err := s.deps.Log.View(ctx, r.key, func(st *streams.State) error {
		if err := st.Agent.Active(); err != nil {
			return err
		}
		var err error
		m, err = st.Chat.Say(chat.Said{Message: r.newID("message"), Text: in.Body.Text, Refs: in.Body.Refs}, r.cmd.Actor)
		if err != nil {
			return err
		}
		earlier = saidBefore(st.Chat.Messages, m.Message)
		return nil
	})
	switch {
	case err != nil:
		return said{}, err
	case earlier != nil:
		return said{Message: m.Message, Seq: earlier.Seq}, nil
	}
	if err := s.checkRefs(ctx, r, m.Refs); err != nil {
		return said{}, err
	}
	events, err := s.deps.Log.Record(ctx, r.key, r.cmd, m)
	if err != nil {
		return said{}, err
	}
	return said{Message: m.Message, Seq: events[0].Seq}, nil
}

// saidBefore looks for a message among those that its key's time allows.
func saidBefore(messages []chat.Message, id domain.ID) *chat.Message {
	oldest := id.Time().Add(-25 * time.Hour) // a key may lie a day ahead
	for i := len(messages) - 1; i >= 0 && messages[i].At.After(oldest); i-- {
		if messages[i].ID == id {
			m := messages[i]
			return &m
		}
	}
	return nil
}

func (s *Server) takeBack(ctx context.Context, r *request, in *struct {
	Message string `path:"message"`
}) (done, error) {
	id, err := parseID("message", in.Message)
	if err != nil {
		return done{}, err
	}
	var t chat.TakenBack
	err = s.deps.Log.View(ctx, r.key, func(st *streams.State) error {
		t, err = st.Chat.TakeBack(id, r.cmd.Actor, st.Turn.Settled, st.Turn.Running())
		return err
	})
	if err != nil {
		return done{}, err
	}
	events, err := s.deps.Log.Record(ctx, r.key, r.cmd, t)
	if err != nil {
		return done{}, err
	}
	return done{Seq: events[0].Seq}, nil
}

func (s *Server) getTurn(ctx context.Context, r *request, in *struct {
	Turn string `path:"turn"`
}) (projections.TurnDetail, error) {
	id, err := parseID("turn", in.Turn)
	if err != nil {
		return projections.TurnDetail{}, err
	}
	return s.deps.Store.Turn(ctx, r.key, id)
}

// stopTurn stops this very turn: a late stop of an earlier one is refused and
// leaves the running one alone.
func (s *Server) stopTurn(ctx context.Context, r *request, in *struct {
	Turn string `path:"turn"`
}) (done, error) {
	id, err := parseID("turn", in.Turn)
	if err != nil {
		return done{}, err
	}
	res, err := s.decide(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Turn.RequestStop(id)
	})
	return done{Seq: res.Seq}, err
}

type readView struct {
	Seq    uint64 `json:"seq" doc:"The caller has read up to here"`
	Unread int    `json:"unread" doc:"Rows of the butler and the system after that"`
}

func (s *Server) readMark(ctx context.Context, r *request, _ *struct{}) (readView, error) {
	return s.readOf(ctx, r)
}

func (s *Server) readOf(ctx context.Context, r *request) (readView, error) {
	at, err := s.deps.Access.ReadMark(ctx, r.caller.User, r.key.Agent)
	if err != nil {
		return readView{}, err
	}
	return s.unread(ctx, r, at)
}

func (s *Server) unread(ctx context.Context, r *request, at uint64) (readView, error) {
	n, err := s.deps.Store.Unread(ctx, r.key, at)
	return readView{Seq: at, Unread: n}, err
}

func (s *Server) markRead(ctx context.Context, r *request, in *struct {
	Body struct {
		Seq uint64 `json:"seq" maximum:"9007199254740991"`
	}
}) (readView, error) {
	last, err := s.deps.Log.Last(ctx)
	if err != nil {
		return readView{}, err
	}
	// What is not written yet cannot have been read.
	at, err := s.deps.Access.MarkRead(ctx, r.caller.User, r.key.Agent, min(in.Body.Seq, last))
	if err != nil {
		return readView{}, err
	}
	return s.unread(ctx, r, at)
}

// checkRefs refuses references to what is not this agent's, and counts them.
func (s *Server) checkRefs(ctx context.Context, r *request, refs []domain.Ref) error {
	var stored []domain.Ref
	var foreign []domain.Ref
	err := s.deps.Log.View(ctx, r.key, func(st *streams.State) error {
		for _, ref := range refs {
			var known bool
			switch ref.Type {
			case domain.Material, domain.Board, domain.Film, domain.Asset:
				stored = append(stored, bare(ref))
				continue
			case domain.RunObj:
				_, known = st.Run.Runs[ref.ID]
			case domain.OrderObj:
				_, known = st.Run.Orders[ref.ID]
			case domain.CardObj:
				_, known = st.Gene.Cards[ref.ID]
			case domain.Version:
				v, err := versionOf(string(ref.ID))
				known = err == nil && v >= 1 && v <= st.Gene.Version
			case domain.Whole:
				known = true
			}
			if !known {
				foreign = append(foreign, ref)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	found, err := s.deps.Store.Objects(ctx, r.key, stored)
	if err != nil {
		return err
	}
	for _, ref := range stored {
		if _, ok := found[ref]; !ok {
			foreign = append(foreign, ref)
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	return s.foreign(foreign)
}

// foreign counts a refusal of objects that are not the agent's.
func (s *Server) foreign(refs []domain.Ref) error {
	s.refusals.add(errForeign.Reason, len(refs))
	return errForeign.With(map[string]any{"refs": refs}, "%d of the objects cited are not this agent's", len(refs))
}

// bare is a reference to the object as a whole.
func bare(ref domain.Ref) domain.Ref { return domain.Ref{Type: ref.Type, ID: ref.ID} }
