package planner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/projections"
)

// remark is one reaction to the base board or a film of it; Panels are those that
// it is about, none for the whole.
type remark struct {
	Panels  []int
	Verdict feedback.Verdict
	Words   string
	OfFilm  bool
}

// loadCites takes up what the request cites: clips that must appear, the base
// board, and the panels of it that are meant.
func (s *session) loadCites(ctx context.Context) (panels []int, err error) {
	base, films := s.task.Request.Board, []domain.Ref{}
	var marked []domain.Ref
	for _, r := range s.task.Request.Cites {
		switch r.Type {
		case domain.Material, domain.Asset:
			if slices.Contains(s.must, r.ID) {
				continue
			}
			if err := s.ensure(ctx, r.ID); err != nil {
				return nil, err
			}
			switch c, title := s.byID[r.ID], s.titles[r.ID]; {
			case c != nil:
				c.Must = true
				s.must = append(s.must, r.ID)
			case s.unusable[r.ID] != "":
				s.notes = append(s.notes, s.say("引用的「%s」没有可用的视频，没有放进方案。", "The cited “%s” has no usable video and is not in the board.", line(title, 40)))
			default:
				s.notes = append(s.notes, s.say("引用的一条素材不在这个 Agent 的库里，没有放进方案。", "A cited material is not in this agent's library and is not in the board."))
			}
		case domain.Board:
			if base == "" {
				base = r.ID
			}
			marked = append(marked, r)
		case domain.Film:
			films = append(films, r)
		}
	}
	if len(s.must) == 0 && len(s.notes) > 0 {
		return nil, s.refuse("这一单引用的素材都没有可用的视频，做不了方案。", "None of the cited materials has a usable video; the board was not made.")
	}
	cut := map[domain.ID]domain.ID{} // film → its board
	for _, r := range films {
		f, err := s.env.Library.Film(ctx, s.task.Key, r.ID)
		if domain.CodeOf(err) == domain.NotFound {
			return nil, s.refuse("找不到引用的成片。", "The cited film does not exist here.")
		}
		if err != nil {
			return nil, fmt.Errorf("cited film of run %s: %w", s.task.Run, err)
		}
		if cut[r.ID] = f.Board; base == "" {
			base = f.Board
		}
	}
	if base == "" {
		return nil, nil
	}
	b, err := s.env.Library.Board(ctx, s.task.Key, base)
	if domain.CodeOf(err) == domain.NotFound {
		return nil, s.refuse("找不到作为基础的方案。", "The board to start from does not exist here.")
	}
	if err != nil {
		return nil, fmt.Errorf("base board of run %s: %w", s.task.Run, err)
	}
	s.base = &b
	for _, r := range marked {
		if r.ID == base && r.Panel > 0 {
			panels = append(panels, r.Panel)
		}
	}
	for _, r := range films {
		if cut[r.ID] == base && (r.From > 0 || r.To > 0) {
			panels = append(panels, panelsAt(b.Panels, r.From, r.To)...)
		}
	}
	return panels, nil
}

// loadBase reads what people said of the base board and works out what stays.
func (s *session) loadBase(ctx context.Context, cited []int) error {
	for _, p := range s.base.Panels {
		if p.Material != "" {
			if err := s.ensure(ctx, p.Material); err != nil {
				return err
			}
		}
	}
	items, err := s.reactions(ctx, domain.Ref{Type: domain.Board, ID: s.base.Board})
	if err != nil {
		return err
	}
	var said []Said
	for _, f := range items {
		r := remark{Verdict: f.Verdict, Words: f.Words}
		if f.Object.Panel > 0 {
			r.Panels = []int{f.Object.Panel}
		}
		s.said = append(s.said, r)
		said = append(said, Said{Panel: f.Object.Panel, Verdict: f.Verdict, Words: f.Words})
	}
	if err := s.loadFilms(ctx); err != nil {
		return err
	}
	w := Wish(len(s.base.Panels), strings.TrimSpace(s.task.Request.What+"\n"+s.task.Request.Why), cited, said)
	kept, dropped, ok := fitting(s.base.Panels, w, s.limit(), s.must)
	if !ok {
		return s.refuse("要保留的第 %s 格放不进 %s 秒的上限，先放宽时长或少留几格。",
			"The panels to keep (%s) do not fit into the limit of %s seconds; allow more time or keep fewer.",
			s.numbers(slices.Collect(maps.Keys(kept))), number(s.limit()))
	}
	if s.kept, s.change = kept, w.Change; len(dropped) > 0 {
		s.notes = append(s.notes, s.say("时长放不下，第 %s 格没有原样保留。", "For want of time these panels were not kept as they were: %s.", s.numbers(dropped)))
	}
	return nil
}

// loadFilms reads what was said of films of the base board, for the model to see.
func (s *session) loadFilms(ctx context.Context) error {
	films, err := s.env.Library.Films(ctx, s.task.Key, projections.ListPage{Board: s.base.Board, Limit: maxFilms})
	if err != nil {
		return fmt.Errorf("films of the base board of run %s: %w", s.task.Run, err)
	}
	for _, film := range films {
		items, err := s.reactions(ctx, domain.Ref{Type: domain.Film, ID: film.Film})
		if err != nil {
			return err
		}
		for _, f := range items {
			r := remark{Verdict: f.Verdict, Words: f.Words, OfFilm: true}
			if f.Object.From > 0 || f.Object.To > 0 {
				r.Panels = panelsAt(s.base.Panels, f.Object.From, f.Object.To)
			}
			s.said = append(s.said, r)
		}
	}
	return nil
}

// reactions lists the reactions to an object that stand, settled ones included,
// newest first.
func (s *session) reactions(ctx context.Context, object domain.Ref) ([]projections.FeedbackItem, error) {
	items, err := s.env.Library.Feedback(ctx, s.task.Key, projections.FeedbackFilter{Object: object, Limit: maxRemarks})
	if err != nil {
		return nil, fmt.Errorf("feedback for run %s: %w", s.task.Run, err)
	}
	return slices.DeleteFunc(items, func(f projections.FeedbackItem) bool { return f.State == "withdrawn" }), nil
}
