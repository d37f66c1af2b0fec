package web

import (
	"context"
	"slices"

	"sozai/domain"
	"sozai/projections"
)

type filmsView struct {
	Films  []projections.Film                  `json:"films"`
	Boards map[domain.ID]projections.BoardHead `json:"boards" doc:"Of these films, with all that they were made from"`
	More   bool                                `json:"more"`
}

func (s *Server) listFilms(ctx context.Context, r *request, in *struct {
	ListQuery
	Board domain.ID `query:"board"`
}) (filmsView, error) {
	page := in.page()
	page.Board = in.Board
	list, err := s.deps.Store.Films(ctx, r.key, page)
	if err != nil {
		return filmsView{}, err
	}
	if list == nil {
		list = []projections.Film{}
	}
	heads, err := s.headsOf(ctx, r.key, list)
	return filmsView{Films: list, Boards: heads, More: len(list) == in.Limit}, err
}

func (s *Server) headsOf(ctx context.Context, key domain.Key, films []projections.Film) (map[domain.ID]projections.BoardHead, error) {
	ids := make([]domain.ID, len(films))
	for i, f := range films {
		ids[i] = f.Board
	}
	slices.Sort(ids)
	return s.deps.Store.BoardHeads(ctx, key, slices.Compact(ids))
}

// filmKin is a film of the same family of boards.
type filmKin struct {
	projections.Film
	Title string `json:"title" doc:"Of its board"`
}

type filmView struct {
	projections.Film
	Title     string                     `json:"title" doc:"Of its board"`
	MadeFrom  *projections.Board         `json:"made_from,omitempty" doc:"Its board as it is now"`
	Materials thumbs                     `json:"materials" doc:"Of that board"`
	Feedback  []projections.FeedbackItem `json:"feedback" doc:"Standing reactions to it, newest first; object.from and object.to are 0 for the whole film"`
	Versions  []filmKin                  `json:"versions" doc:"The films of its board, of that board's bases and of what was made from those, itself included; newest first"`
	People    map[domain.ID]string       `json:"people"`
}

func (s *Server) getFilm(ctx context.Context, r *request, in *struct {
	Film string `path:"film"`
}) (filmView, error) {
	id, err := parseID("film", in.Film)
	if err != nil {
		return filmView{}, err
	}
	v := filmView{Materials: thumbs{}, Versions: []filmKin{}}
	if v.Film, err = s.deps.Store.Film(ctx, r.key, id); err != nil {
		return v, err
	}
	board, err := s.deps.Store.Board(ctx, r.key, v.Board)
	switch {
	case err == nil:
		v.MadeFrom, v.Title = &board, board.Title
		if v.Materials, err = s.thumbsOf(ctx, r.key, board); err != nil {
			return v, err
		}
	case domain.CodeOf(err) != domain.NotFound:
		return v, err
	}
	related, err := s.deps.Store.FamilyFilms(ctx, r.key, v.Board)
	if err != nil {
		return v, err
	}
	heads, err := s.headsOf(ctx, r.key, related)
	if err != nil {
		return v, err
	}
	for _, f := range slices.Backward(related) {
		v.Versions = append(v.Versions, filmKin{Film: f, Title: heads[f.Board].Title})
	}
	v.Feedback, v.People, err = s.reactions(ctx, r.key, domain.Ref{Type: domain.Film, ID: id}, board.EditedBy)
	return v, err
}
