package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sozai/agents"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/step"
	"sozai/projections"
)

const (
	perPage     = 10
	maxAnalyses = 4  // materials come into the library analysed; this is for old stock
	maxScenes   = 40 // stretches of a clip that are listed
	maxComments = 10 // of a material that are shown
)

// errMaterial refuses an id that is none of the agent's.
var errMaterial = domain.Rule(domain.NotFound, "not_ours", "this agent has no such material; take the ids from read_materials")

type materialLine struct {
	Material domain.ID `json:"material"`
	Title    string    `json:"title"`
	Seconds  float64   `json:"seconds"`
	Rating   string    `json:"highlight"`
	Verdict  string    `json:"verdict,omitempty"`
	Rhythm   string    `json:"shot_rhythm,omitempty"`
	Likes    int       `json:"likes,omitempty"`
	Dislikes int       `json:"dislikes,omitempty"`
	Comments int       `json:"comments,omitempty"`
	Boards   int       `json:"boards,omitempty"`
	Must     bool      `json:"must_use,omitempty"`
}

func (s *session) readMaterials(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[struct {
		Page int    `json:"page"`
		Text string `json:"text"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	out, err := s.page(line(in.Text, 80), max(in.Page, 1))
	if err == nil {
		s.mu.Lock()
		s.pages++
		read := s.pages
		s.mu.Unlock()
		s.report(ctx, step.Progressed{Done: read, Unit: "pages"}, false)
	}
	return out, err
}

// page is one page of the usable videos, of those that have a word in them if one
// is given.
func (s *session) page(text string, page int) (agents.Output, error) {
	s.mu.Lock() // analyses may come in meanwhile
	defer s.mu.Unlock()
	hits := s.clips
	if text != "" {
		hits = slices.DeleteFunc(slices.Clone(hits), func(c *clip) bool { return !c.has(text) })
	}
	pages := max((len(hits)+perPage-1)/perPage, 1)
	out := agents.Output{Object: strings.TrimSpace(fmt.Sprintf("%s · %d", text, page))}
	if page > pages {
		return out, domain.Errorf(domain.Invalid, "there is no page %d; the last is page %d", page, pages)
	}
	from := (page - 1) * perPage
	hits, total := hits[from:min(from+perPage, len(hits))], len(hits)
	out.Text = fitPage(hits, func(items []materialLine) string {
		return encode(struct {
			Page   int            `json:"page"`
			Pages  int            `json:"pages"`
			Total  int            `json:"total"`
			Items  []materialLine `json:"items"`
			Quoted []string       `json:"quoted_fields"`
		}{page, pages, total, items, []string{"items.title", "items.verdict"}})
	})
	out.Fold = fmt.Sprintf("read_materials %q page %d of %d: %d of %d clips", text, page, pages, len(hits), total)
	return out, nil
}

// fitPage writes a page in at most MaxPageTokens: words give way first, then the
// rhythm; never a clip.
func fitPage(hits []*clip, write func([]materialLine) string) string {
	text := ""
	for _, cut := range []struct{ title, verdict, rhythm int }{{40, 60, 40}, {28, 40, 24}, {20, 24, 0}, {12, 12, 0}} {
		items := make([]materialLine, len(hits))
		for i, c := range hits {
			items[i] = materialLine{
				Material: c.ID, Title: line(c.Title, cut.title), Seconds: floor(c.Seconds), Rating: "not analysed",
				Likes: c.Reactions.Likes, Dislikes: c.Reactions.Dislikes, Comments: c.Reactions.Comments, Boards: c.Boards, Must: c.Must,
			}
			if a := c.Analysis; a != nil {
				items[i].Rating = string(a.Digest.Highlight)
				if a.Digest.Highlight == library.Unrated {
					items[i].Rating = "unrated"
				}
				items[i].Verdict = line(a.Digest.Verdict, cut.verdict)
				if cut.rhythm > 0 {
					items[i].Rhythm = line(a.Digest.ShotRhythm, cut.rhythm)
				}
			}
		}
		if text = write(items); agents.EstimateTokens(text) <= domain.MaxPageTokens {
			break
		}
	}
	return text
}

// has says whether a word stands in what is known of a clip.
func (c *clip) has(word string) bool {
	texts := append([]string{c.Title, c.Author}, c.Tags...)
	if a := c.Analysis; a != nil {
		texts = append(texts, a.Digest.Verdict, a.Digest.SpokenHook, a.Digest.Captions, a.Digest.ShotRhythm)
	}
	return strings.Contains(strings.ToLower(strings.Join(texts, "\n")), strings.ToLower(word))
}

// scene is a stretch between two cuts.
type scene struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

func (s *session) viewMaterial(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[struct {
		Material domain.ID `json:"material"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	c := s.byID[in.Material]
	if why, unusable := s.unusable[in.Material]; unusable {
		return agents.Output{}, domain.Errorf(domain.Unprocessable, "this material cannot be used: %s", why)
	}
	if c == nil {
		return agents.Output{}, errMaterial
	}
	out := agents.Output{Object: line(c.Title, 60)}
	analysis, err := s.understand(ctx, call.ID, c)
	if err != nil {
		return out, err
	}
	comments, err := s.comments(ctx, c)
	if err != nil {
		return out, err
	}
	view := struct {
		Material domain.ID         `json:"material"`
		Type     domain.ObjectType `json:"type"`
		Title    string            `json:"title"`
		Author   string            `json:"author,omitempty"`
		Tags     []string          `json:"tags,omitempty"`
		Seconds  float64           `json:"seconds"`
		Aspect   string            `json:"aspect,omitempty"`
		Digest   *library.Digest   `json:"digest,omitempty"`
		Cuts     []float64         `json:"cuts,omitempty"`
		Scenes   []scene           `json:"scenes,omitempty"`
		Likes    int               `json:"likes,omitempty"`
		Dislikes int               `json:"dislikes,omitempty"`
		Comments []string          `json:"comments_of_the_team,omitempty"`
		Boards   int               `json:"boards,omitempty"`
		Missing  []string          `json:"missing,omitempty"`
		Quoted   []string          `json:"quoted_fields"`
	}{
		Material: c.ID, Type: c.Type, Title: line(c.Title, 120), Author: line(c.Author, 40), Seconds: floor(c.Seconds),
		Likes: c.Reactions.Likes, Dislikes: c.Reactions.Dislikes, Comments: comments, Boards: c.Boards,
		Quoted: []string{"title", "author", "tags", "digest.spoken_hook", "digest.captions"},
	}
	for _, tag := range c.Tags[:min(len(c.Tags), 12)] {
		view.Tags = append(view.Tags, line(tag, 24))
	}
	rating := "not analysed"
	switch {
	case analysis == nil:
		view.Missing = []string{"digest", "cuts"}
	case analysis.Metrics == nil:
		view.Digest, view.Missing = &analysis.Digest, []string{"cuts"}
	default:
		view.Digest, view.Aspect = &analysis.Digest, analysis.Metrics.Aspect
		view.Scenes = scenes(analysis.Metrics.Cuts, c.Seconds)
		view.Cuts = analysis.Metrics.Cuts[:min(len(analysis.Metrics.Cuts), maxScenes)]
	}
	if analysis != nil {
		rating = string(analysis.Digest.Highlight)
	}
	out.Text = encode(view)
	out.Fold = fmt.Sprintf("view_material %s: %s, %s s, highlight %s", c.ID, line(c.Title, 30), number(floor(c.Seconds)), rating)
	return out, nil
}

// scenes are the stretches between cuts, at most maxScenes.
func scenes(cuts []float64, seconds float64) []scene {
	var out []scene
	from := 0.0
	for _, cut := range append(slices.Clone(cuts), floor(seconds)) {
		if cut = floor(cut); cut > from && cut <= seconds {
			out = append(out, scene{from, cut})
			from = cut
		}
		if len(out) == maxScenes {
			break
		}
	}
	return out
}

// understand is a clip's analysis. Old stock that has none is analysed now and
// the analysis recorded, a few a run; nil if that cannot be done here.
func (s *session) understand(ctx context.Context, id string, c *clip) (*projections.Analysis, error) {
	s.mu.Lock()
	a := c.Analysis
	mine := a == nil && s.env.Analyzer != nil && s.analyses < maxAnalyses
	if mine {
		s.analyses++
	}
	s.mu.Unlock()
	if !mine {
		return a, nil
	}
	made, err := s.env.Analyzer.AnalyseMedia(ctx, c.Media, video.Text{Title: c.Title, Tags: c.Tags})
	if err != nil {
		return nil, err
	}
	s.env.Errors.Warn("a video without analysis was met", "material", c.ID, "agent", s.task.Key.Agent, "run", s.task.Run)
	fact := made.Fact(c.ID)
	fact.Run, fact.Attempt = s.task.Run, s.task.Attempt
	if err := s.record(ctx, id, fact); err != nil {
		return nil, err
	}
	a = &projections.Analysis{Analyser: made.Analyser, Ruleset: made.Ruleset, Digest: made.Digest, Metrics: made.Metrics, At: s.env.Now()}
	s.mu.Lock()
	c.Analysis = a
	s.mu.Unlock()
	return a, nil
}

// comments are what the team wrote about a material, newest first.
func (s *session) comments(ctx context.Context, c *clip) ([]string, error) {
	if c.Reactions.Comments == 0 {
		return nil, nil
	}
	items, err := s.reactions(ctx, domain.Ref{Type: domain.Material, ID: c.ID})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range items {
		if f.Words != "" && len(out) < maxComments {
			out = append(out, line(f.Words, 120))
		}
	}
	return out, nil
}
