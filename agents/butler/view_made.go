package butler

import (
	"context"
	"fmt"
	"time"

	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/library"
	"sozai/projections"
)

// maxOpinions is how many reactions to one object a view tells, the newest.
const maxOpinions = 40

// opinionOutput is one standing reaction to an object. Panels are those that a
// stretch of a film shows.
type opinionOutput struct {
	ID      domain.ID        `json:"id"`
	Panel   int              `json:"panel,omitempty"`
	From    float64          `json:"from,omitempty"`
	To      float64          `json:"to,omitempty"`
	Panels  []int            `json:"panels,omitempty"`
	Verdict feedback.Verdict `json:"verdict,omitempty"`
	Words   string           `json:"words,omitempty"`
	By      string           `json:"by"`
	State   string           `json:"state"` // open, settled
	At      string           `json:"at"`
}

// panelOutput is a panel as it is pointed at: its number, what it shows and where
// of the film, and what was said of it.
type panelOutput struct {
	library.Panel
	Starts   float64         `json:"starts"`          // second of the film at which it begins
	Shows    string          `json:"shows,omitempty"` // title of its clip
	NoVideo  bool            `json:"no_video,omitempty"`
	Feedback []opinionOutput `json:"feedback,omitempty"`
}

type boardOutput struct {
	Type         domain.ObjectType `json:"type"`
	ID           domain.ID         `json:"id"`
	Title        string            `json:"title"`
	Panels       []panelOutput     `json:"panels"`
	Seconds      float64           `json:"seconds"`
	MaxSeconds   int               `json:"max_film_seconds,omitempty"` // of the gene as it is now
	Base         domain.ID         `json:"base,omitempty"`
	Run          domain.ID         `json:"run"`
	GeneVersion  int               `json:"gene_version"`
	EditedBy     string            `json:"edited_by,omitempty"`
	Missing      []string          `json:"missing"`
	Films        int               `json:"films"`
	MadeInto     []domain.ID       `json:"film_ids,omitempty"`
	Likes        int               `json:"likes"`
	Dislikes     int               `json:"dislikes"`
	Comments     int               `json:"comments"`
	Feedback     []opinionOutput   `json:"feedback"` // of the board as a whole
	QuotedFields []string          `json:"quoted_fields"`
}

type filmOutput struct {
	Type         domain.ObjectType `json:"type"`
	ID           domain.ID         `json:"id"`
	Board        domain.ID         `json:"board"`
	Title        string            `json:"title,omitempty"`
	Panels       []panelOutput     `json:"panels,omitempty"`
	Seconds      float64           `json:"seconds,omitempty"`
	Aspect       string            `json:"aspect,omitempty"`
	Run          domain.ID         `json:"run"`
	GeneVersion  int               `json:"gene_version"`
	Missing      []string          `json:"missing"`
	Downloads    int               `json:"downloads"`
	Likes        int               `json:"likes"`
	Dislikes     int               `json:"dislikes"`
	Comments     int               `json:"comments"`
	Feedback     []opinionOutput   `json:"feedback"`
	QuotedFields []string          `json:"quoted_fields"`
}

func (s *shift) viewBoard(ctx context.Context, id domain.ID) (any, string, error) {
	b, err := s.env.Store.Board(ctx, s.key, id)
	if err != nil {
		return nil, "", err
	}
	said, err := s.opinions(ctx, domain.Ref{Type: domain.Board, ID: id})
	if err != nil {
		return nil, "", err
	}
	films, err := s.env.Store.Films(ctx, s.key, projections.ListPage{Board: id})
	if err != nil {
		return nil, "", err
	}
	out := boardOutput{
		Type: domain.Board, ID: b.Board, Title: b.Title, Base: b.Base, Run: b.Run, GeneVersion: b.GeneVersion,
		Missing: []string{}, Films: b.Films, Likes: b.Likes, Dislikes: b.Dislikes, Comments: b.Comments,
		Feedback: []opinionOutput{}, QuotedFields: []string{"title", "panels.caption", "panels.shows"},
	}
	if out.Panels, err = s.panels(ctx, b.Panels); err != nil {
		return nil, "", err
	}
	for _, f := range films {
		out.MadeInto = append(out.MadeInto, f.Film)
	}
	for _, p := range b.Panels {
		out.Seconds += p.Seconds
	}
	for _, o := range said {
		if o.Panel < 1 || o.Panel > len(out.Panels) {
			out.Feedback = append(out.Feedback, o)
			continue
		}
		p := &out.Panels[o.Panel-1]
		p.Feedback = append(p.Feedback, o)
	}
	if b.EditedBy != "" {
		if err := s.learn(ctx, []domain.ID{b.EditedBy.ID()}); err != nil {
			return nil, "", err
		}
		out.EditedBy = s.nameOf(b.EditedBy)
	}
	if len(b.Panels) == 0 {
		out.Missing = append(out.Missing, "panels")
	}
	out.MaxSeconds, err = s.longest(ctx)
	s.heard(b.Title)
	return out, b.Title, err
}

func (s *shift) viewFilm(ctx context.Context, id domain.ID) (any, string, error) {
	f, err := s.env.Store.Film(ctx, s.key, id)
	if err != nil {
		return nil, "", err
	}
	out := filmOutput{
		Type: domain.Film, ID: f.Film, Board: f.Board, Seconds: f.Media.Seconds, Run: f.Run, GeneVersion: f.GeneVersion,
		Missing: []string{"digest"}, Downloads: f.Downloads, Likes: f.Likes, Dislikes: f.Dislikes, Comments: f.Comments,
		QuotedFields: []string{"title", "panels.caption", "panels.shows"},
	}
	if out.Feedback, err = s.opinions(ctx, domain.Ref{Type: domain.Film, ID: id}); err != nil {
		return nil, "", err
	}
	if f.Media.Width > 0 && f.Media.Height > 0 {
		out.Aspect = fmt.Sprintf("%dx%d", f.Media.Width, f.Media.Height)
	}
	if f.Media.Seconds == 0 {
		out.Missing = append(out.Missing, "seconds")
	}
	b, err := s.env.Store.Board(ctx, s.key, f.Board)
	switch {
	case domain.CodeOf(err) == domain.NotFound:
		out.Missing = append(out.Missing, "title", "panels")
		return out, out.Title, nil
	case err != nil:
		return nil, "", err
	}
	out.Title = b.Title
	s.heard(b.Title)
	if b.EditedAt.After(f.At) {
		out.Missing = append(out.Missing, "panels") // the board has moved on: what the film shows is not known
		return out, out.Title, nil
	}
	if out.Panels, err = s.panels(ctx, b.Panels); err != nil {
		return nil, "", err
	}
	for i, o := range out.Feedback {
		if o.From > 0 || o.To > 0 {
			out.Feedback[i].Panels = shownAt(out.Panels, o.From, o.To)
		}
	}
	return out, out.Title, nil
}

// panels tells where each panel begins and what it shows.
func (s *shift) panels(ctx context.Context, panels []library.Panel) ([]panelOutput, error) {
	var ids []domain.ID
	for _, p := range panels {
		if p.Material != "" {
			ids = append(ids, p.Material)
		}
	}
	clips, err := s.env.Store.Clips(ctx, s.key, ids)
	if err != nil {
		return nil, err
	}
	out := make([]panelOutput, len(panels))
	at := 0.0
	for i, p := range panels {
		clip := clips[p.Material]
		out[i] = panelOutput{Panel: p, Starts: float64(int(at*100+0.5)) / 100, Shows: clip.Title, NoVideo: clip.Media.Hash == ""}
		at += p.Seconds
		s.heard(clip.Title)
	}
	return out, nil
}

// shownAt lists the numbers of the panels that a film shows between two times; a
// missing end is a moment.
func shownAt(panels []panelOutput, from, to float64) []int {
	var out []int
	for _, p := range panels {
		if p.Starts < max(to, from+0.01) && p.Starts+p.Seconds > from {
			out = append(out, p.Number)
		}
	}
	return out
}

// opinions reads what stands of people's reactions to an object, newest first.
func (s *shift) opinions(ctx context.Context, of domain.Ref) ([]opinionOutput, error) {
	items, err := s.env.Store.Feedback(ctx, s.key, projections.FeedbackFilter{Object: of, Limit: maxOpinions})
	if err != nil {
		return nil, err
	}
	out := []opinionOutput{}
	var people []domain.ID
	for _, f := range items {
		people = append(people, f.By)
	}
	if err := s.learn(ctx, people); err != nil {
		return nil, err
	}
	s.mu.Lock()
	for _, f := range items {
		s.words = append(s.words, f.Words)
	}
	s.mu.Unlock()
	for _, f := range items {
		if f.State == "withdrawn" {
			continue
		}
		out = append(out, opinionOutput{
			ID: f.Feedback, Panel: f.Object.Panel, From: f.Object.From, To: f.Object.To, Verdict: f.Verdict, Words: f.Words,
			By: s.name(f.By), State: f.State, At: f.At.UTC().Format(time.RFC3339),
		})
	}
	return out, nil
}
