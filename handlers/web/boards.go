package web

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/projections"
	"sozai/streams"
)

// The refusals of a person's edit.
var (
	errBoardMoved  = domain.Rule(domain.Conflict, "board_moved", "the board was changed meanwhile")
	errBoardCut    = domain.Rule(domain.Unprocessable, "board_cut", "a panel shows more than its clip has")
	errBoardLength = domain.Rule(domain.Unprocessable, "board_length", "the board is longer than a film may be")
)

// aLittle is what two lengths may differ by and still be the same, in seconds.
const aLittle = 0.05

// thumb is what a panel shows of its material.
type thumb struct {
	Type     domain.ObjectType `json:"type" enum:"material,asset"`
	Title    string            `json:"title"`
	Platform string            `json:"platform,omitempty"`
	Source   string            `json:"source,omitempty"`
	Hash     string            `json:"hash,omitempty" doc:"The clip is /api/media/{hash}, its picture {hash}.poster; empty: there is no file"`
	Poster   bool              `json:"poster,omitempty"`
	Preview  bool              `json:"preview,omitempty"`
	Seconds  float64           `json:"seconds,omitempty"`
	Rating   library.Rating    `json:"rating,omitempty"`
}

type thumbs map[domain.ID]thumb

// thumbsOf looks up what boards are made of. What is not the agent's is missing.
func (s *Server) thumbsOf(ctx context.Context, key domain.Key, boards ...projections.Board) (thumbs, error) {
	ids := map[domain.ID]bool{}
	for _, b := range boards {
		for _, p := range b.Panels {
			if p.Material != "" {
				ids[p.Material] = true
			}
		}
	}
	clips, err := s.deps.Store.Clips(ctx, key, slices.Sorted(maps.Keys(ids)))
	if err != nil {
		return nil, err
	}
	out := thumbs{}
	for id, c := range clips {
		out[id] = thumb{
			Type: c.Type, Title: c.Title, Platform: c.Platform, Source: c.Source, Rating: c.Rating,
			Hash: c.Media.Hash, Poster: c.Media.Poster, Preview: c.Media.Preview, Seconds: c.Media.Seconds,
		}
	}
	return out, nil
}

type boardsView struct {
	Boards    []projections.Board `json:"boards"`
	Materials thumbs              `json:"materials"`
	More      bool                `json:"more"`
}

func (s *Server) listBoards(ctx context.Context, r *request, in *ListQuery) (boardsView, error) {
	list, err := s.deps.Store.Boards(ctx, r.key, in.page())
	if err != nil {
		return boardsView{}, err
	}
	if list == nil {
		list = []projections.Board{}
	}
	clips, err := s.thumbsOf(ctx, r.key, list...)
	return boardsView{Boards: list, Materials: clips, More: len(list) == in.Limit}, err
}

// kin is a board of the same family.
type kin struct {
	Board       domain.ID `json:"board"`
	Base        domain.ID `json:"base,omitempty"`
	Title       string    `json:"title"`
	GeneVersion int       `json:"gene_version"`
	At          time.Time `json:"at"`
	Edited      bool      `json:"edited,omitempty" doc:"By a person's hand"`
	Films       int       `json:"films"`
}

type boardView struct {
	projections.Board
	Seconds    float64                    `json:"seconds" doc:"Of all panels"`
	MaxSeconds int                        `json:"max_seconds" doc:"The current gene's limit; 0: none"`
	Materials  thumbs                     `json:"materials"`
	Feedback   []projections.FeedbackItem `json:"feedback" doc:"Standing reactions to it, newest first; object.panel is 0 for the whole board"`
	FilmList   []projections.Film         `json:"film_list"`
	Versions   []kin                      `json:"versions" doc:"Its bases, what was made from those, and itself; newest first"`
	People     map[domain.ID]string       `json:"people"`
}

type BoardPath struct {
	Board string `path:"board"`
}

func (s *Server) getBoard(ctx context.Context, r *request, in *BoardPath) (boardView, error) {
	id, err := parseID("board", in.Board)
	if err != nil {
		return boardView{}, err
	}
	v := boardView{FilmList: []projections.Film{}, Versions: []kin{}}
	if v.Board, err = s.deps.Store.Board(ctx, r.key, id); err != nil {
		return v, err
	}
	v.Seconds = lengthOf(v.Panels)
	if v.MaxSeconds, err = s.maxSeconds(ctx, r.key); err != nil {
		return v, err
	}
	if v.Materials, err = s.thumbsOf(ctx, r.key, v.Board); err != nil {
		return v, err
	}
	films, err := s.deps.Store.Films(ctx, r.key, projections.ListPage{Board: id})
	if err != nil {
		return v, err
	}
	v.FilmList = append(v.FilmList, films...)
	related, err := s.deps.Store.BoardFamily(ctx, r.key, id)
	if err != nil {
		return v, err
	}
	for _, b := range slices.Backward(related) {
		v.Versions = append(v.Versions, kin{
			Board: b.Board, Base: b.Base, Title: b.Title, GeneVersion: b.GeneVersion, At: b.At, Edited: b.EditedBy != "", Films: b.Films,
		})
	}
	v.Feedback, v.People, err = s.reactions(ctx, r.key, domain.Ref{Type: domain.Board, ID: id}, v.EditedBy)
	return v, err
}

// mostReactions bounds the reactions that come with an object.
const mostReactions = 500

// reactions are the standing reactions to an object and the names of their
// people, and of others.
func (s *Server) reactions(ctx context.Context, key domain.Key, object domain.Ref, others ...domain.Actor) ([]projections.FeedbackItem, map[domain.ID]string, error) {
	list, err := s.deps.Store.Feedback(ctx, key, projections.FeedbackFilter{Object: object, Limit: mostReactions})
	if err != nil {
		return nil, nil, err
	}
	standing := []projections.FeedbackItem{}
	for _, f := range list {
		if f.State != "withdrawn" {
			standing = append(standing, f)
			others = append(others, domain.User(f.By))
		}
	}
	people, err := s.nameOf(ctx, others...)
	return standing, people, err
}

func lengthOf(panels []library.Panel) (seconds float64) {
	for _, p := range panels {
		seconds += p.Seconds
	}
	return seconds
}

// maxSeconds is the longest film that the current gene allows; 0 for any.
func (s *Server) maxSeconds(ctx context.Context, key domain.Key) (most int, err error) {
	err = s.deps.Log.View(ctx, key, func(st *streams.State) error {
		most = st.Gene.Constraints.MaxFilmSeconds
		return nil
	})
	return most, err
}

// editBoard puts a person's panels in place of the board's. What the person saw is
// named by rev and edited_at: another's edit in between is not overwritten unseen.
func (s *Server) editBoard(ctx context.Context, r *request, in *struct {
	BoardPath
	Body struct {
		Rev      uint64          `json:"rev,omitempty" doc:"Of the board that was edited; 0: whatever it is"`
		EditedAt time.Time       `json:"edited_at,omitzero" doc:"Of the board that was edited: reactions move rev too, and are no edits"`
		Title    string          `json:"title"`
		Panels   []library.Panel `json:"panels"`
	}
}) (done, error) {
	id, err := parseID("board", in.Board)
	if err != nil {
		return done{}, err
	}
	edited := library.BoardEdited{Board: id, Title: in.Body.Title, Panels: in.Body.Panels}
	if err := edited.Check(r.cmd.Actor); err != nil {
		return done{}, err
	}
	if err := s.active(ctx, r); err != nil {
		return done{}, err
	}
	was, err := s.deps.Store.Board(ctx, r.key, id)
	if err != nil {
		return done{}, err
	}
	if was.EditedBy == r.cmd.Actor && was.Title == edited.Title && reflect.DeepEqual(was.Panels, edited.Panels) {
		return done{Seq: was.Rev}, nil // said again, or nothing to change
	}
	if in.Body.Rev != 0 && in.Body.Rev != was.Rev && !was.EditedAt.Equal(in.Body.EditedAt) {
		return done{}, errBoardMoved.With(map[string]any{"rev": was.Rev, "by": was.EditedBy, "at": was.EditedAt}, "%s", errBoardMoved.Message)
	}
	if err := s.checkPanels(ctx, r, edited.Panels); err != nil {
		return done{}, err
	}
	events, err := s.deps.Log.Record(ctx, r.key, r.cmd, edited)
	if err != nil {
		return done{}, err
	}
	return done{Seq: events[0].Seq}, nil
}

// checkPanels refuses what could not be rendered: clips that are not the agent's,
// ranges that they do not have, more than a film may last.
func (s *Server) checkPanels(ctx context.Context, r *request, panels []library.Panel) error {
	clips, err := s.thumbsOf(ctx, r.key, projections.Board{Panels: panels})
	if err != nil {
		return err
	}
	var foreign []domain.Ref
	for _, p := range panels {
		if _, ours := clips[p.Material]; !ours && p.Material != "" {
			foreign = append(foreign, domain.Ref{Type: domain.Material, ID: p.Material})
		}
	}
	if len(foreign) > 0 {
		return s.foreign(foreign)
	}
	for _, p := range panels {
		if has := clips[p.Material].Seconds; has > 0 && max(p.From, p.To) > has+aLittle {
			return errBoardCut.With(map[string]any{"panel": p.Number, "seconds": has},
				"panel %d shows its clip up to %.1f s, and the clip ends at %.1f s", p.Number, max(p.From, p.To), has)
		}
	}
	most, err := s.maxSeconds(ctx, r.key)
	if err != nil {
		return err
	}
	if long := lengthOf(panels); most > 0 && long > float64(most)+aLittle {
		return errBoardLength.With(map[string]any{"seconds": long, "max_seconds": most},
			"the panels last %.1f s together, and a film may last %d s", long, most)
	}
	return nil
}
