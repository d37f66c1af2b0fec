package butler

import (
	"context"
	"fmt"
	"strings"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// A nod is asked for only for work that can be done: what the planner or the
// renderer would refuse is refused here, before anybody confirms it.

// feasible checks the request of a board or film against what is in the library,
// and completes a film's board from a cited one. The note says what will be left
// out. All that the request names was viewed.
func (s *shift) feasible(ctx context.Context, work run.Work, r *run.Request) (note string, err error) {
	for _, c := range r.Cites {
		if c.Type == domain.Board && r.Board == "" {
			r.Board = c.ID
		}
	}
	switch {
	case work == run.Film && r.Board == "":
		return "", (&domain.Error{Code: domain.Invalid, Reason: "needs_board"}).With(nil,
			"a film is made from a board: name the board (view_object of a film says its board), or order a board first")
	case work == run.Board && r.Board == "" && len(r.Cites) == 0:
		return "", (&domain.Error{Code: domain.Invalid, Reason: "needs_cites"}).With(nil,
			"a board is made from something: cite the materials or assets, or name a base board")
	}
	if err := s.fresh(ctx, projections.Library); err != nil {
		return "", err
	}
	if err := s.placesExist(ctx, r.Cites); err != nil {
		return "", err
	}
	if work == run.Film {
		return "", s.filmable(ctx, r.Board)
	}
	return s.usable(ctx, r.Cites)
}

// placesExist checks the panels and stretches that are cited.
func (s *shift) placesExist(ctx context.Context, cites []domain.Ref) error {
	for _, c := range cites {
		switch {
		case c.Panel > 0:
			b, err := s.env.Store.Board(ctx, s.key, c.ID)
			if err != nil {
				return notOurs(c, err)
			}
			if c.Panel > len(b.Panels) {
				return (&domain.Error{Code: domain.Invalid, Reason: "no_such_panel"}).With(nil,
					"board %s has %d panels, there is no panel %d", c.ID, len(b.Panels), c.Panel)
			}
		case c.To > 0:
			f, err := s.env.Store.Film(ctx, s.key, c.ID)
			if err != nil {
				return notOurs(c, err)
			}
			if f.Media.Seconds > 0 && c.From >= f.Media.Seconds {
				return (&domain.Error{Code: domain.Invalid, Reason: "no_such_stretch"}).With(nil,
					"film %s is %.1f s long, there is nothing from %g to %g", c.ID, f.Media.Seconds, c.From, c.To)
			}
		}
	}
	return nil
}

// filmable refuses a board that no film can be made from as it stands.
func (s *shift) filmable(ctx context.Context, board domain.ID) error {
	b, err := s.env.Store.Board(ctx, s.key, board)
	if err != nil {
		return notOurs(domain.Ref{Type: domain.Board, ID: board}, err)
	}
	most, err := s.longest(ctx)
	if err != nil {
		return err
	}
	total := 0.0
	for _, p := range b.Panels {
		total += p.Seconds
	}
	switch {
	case len(b.Panels) == 0:
		return (&domain.Error{Code: domain.Conflict, Reason: "empty_board"}).With(nil,
			"board %s has no panels; order a board first", board)
	case most > 0 && total > float64(most)+0.05:
		return (&domain.Error{Code: domain.Conflict, Reason: "board_too_long"}).With(
			map[string]any{"seconds": total, "max_film_seconds": most},
			"board %s is %.1f s long and the gene allows %d s: order a shorter board from it first, or let a person edit it", board, total, most)
	}
	return nil
}

// usable refuses a board from videos of which none has a file, and names those
// that will be left out.
func (s *shift) usable(ctx context.Context, cites []domain.Ref) (note string, err error) {
	var ids []domain.ID
	for _, c := range cites {
		if c.Type == domain.Material || c.Type == domain.Asset {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return "", nil
	}
	clips, err := s.env.Store.Clips(ctx, s.key, ids)
	if err != nil {
		return "", err
	}
	var without []string
	for _, id := range ids {
		if clips[id].Media.Hash == "" {
			without = append(without, string(id))
		}
	}
	switch {
	case len(without) == len(ids):
		return "", (&domain.Error{Code: domain.Conflict, Reason: "no_video"}).With(map[string]any{"without_video": without},
			"none of the cited videos has a file, so nothing can be cut from them; cite others (view_object says media)")
	case len(without) > 0:
		note = fmt.Sprintf("without a video file, so left out: %s.", strings.Join(without, ", "))
	}
	return note, nil
}

// longest is the length that the gene allows now; 0 means any.
func (s *shift) longest(ctx context.Context) (seconds int, err error) {
	err = s.env.Log.View(ctx, s.key, func(st *streams.State) error {
		seconds = st.Gene.Constraints.MaxFilmSeconds
		return nil
	})
	return seconds, err
}
