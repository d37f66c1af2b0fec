package searcher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sozai/agents"
	"sozai/agents/source"
	"sozai/domain"
)

// errNoPages ends the paging of a run.
var errNoPages = domain.Rule(domain.TooMany, "no_pages_left", "all pages of the fast source are used; save what fits and finish")

type searchInput struct {
	Query    string `json:"query"`
	Platform string `json:"platform"`
	Page     int    `json:"page"`
}

// found is a page of results as the model sees it.
type found struct {
	Query     string      `json:"query"`
	Page      int         `json:"page"`
	Pages     int         `json:"pages"`
	Total     int         `json:"total"`
	PagesLeft int         `json:"pages_left"`
	Items     []foundItem `json:"items"`
}

type foundItem struct {
	Candidate string   `json:"candidate"`
	Title     string   `json:"title"`
	Author    string   `json:"author,omitempty"`
	Platform  string   `json:"platform,omitempty"`
	Seconds   float64  `json:"seconds,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Plays     int64    `json:"plays,omitempty"`
	Likes     int64    `json:"likes,omitempty"`
	Analyzed  bool     `json:"analyzed"`
	Media     bool     `json:"media"`
	Saved     bool     `json:"already_saved,omitempty"`
}

func (s *session) searchFast(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[searchInput](call)
	if err != nil {
		return agents.Output{}, err
	}
	in.Query = clip(in.Query, 200)
	if in.Query == "" {
		return agents.Output{}, domain.Errorf(domain.Invalid, "query is empty")
	}
	in.Page = max(in.Page, 1)
	out := agents.Output{Object: fmt.Sprintf("%s · %d", in.Query, in.Page)}
	if !s.takePage() {
		return out, errNoPages
	}
	page, err := s.env.Fast.Search(ctx, source.Query{Product: s.task.Key.Product, Text: in.Query, Platform: in.Platform, Page: in.Page})
	if err != nil {
		s.mu.Lock()
		s.pages-- // an unanswered page does not count
		var failed *source.Error
		if errors.As(err, &failed) {
			s.refused++
		}
		s.mu.Unlock()
		return out, refusal(err)
	}
	items, err := s.meet(ctx, s.env.Fast.Name(), page.Items, s.env.Fast.Analyse)
	if err != nil {
		return out, err
	}
	s.mu.Lock()
	left := domain.FastSourcePages - s.pages
	s.mu.Unlock()
	out.Text = fitting(found{in.Query, in.Page, page.Pages, page.Total, left, items})
	out.Fold = fmt.Sprintf("search_fast %q page %d of %d: %d results, %d of them saved already", in.Query, in.Page, page.Pages, len(items), countSaved(items))
	s.report(ctx)
	return out, nil
}

// takePage counts a page before it is asked for, so that parallel calls cannot
// pass the limit together.
func (s *session) takePage() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages >= domain.FastSourcePages {
		return false
	}
	s.pages++
	return true
}

// meet remembers candidates and returns them as the model sees them.
func (s *session) meet(ctx context.Context, from string, list []source.Candidate, analyse analyseFunc) ([]foundItem, error) {
	ids := make([]string, len(list))
	s.mu.Lock()
	for i, c := range list {
		id := s.candidateID(from, c.ID)
		ids[i] = id
		if s.met[id] == nil {
			s.met[id] = &entry{Candidate: c, from: from, analyse: analyse}
		}
	}
	s.mu.Unlock()
	if err := s.known(ctx, ids); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	items := make([]foundItem, len(list))
	for i, c := range list {
		items[i] = foundItem{
			Candidate: ids[i], Title: c.Title, Author: c.Author, Platform: c.Platform,
			Seconds: float64(int(c.Media.Seconds*10)) / 10, Tags: c.Tags,
			Plays: c.Counts.Plays, Likes: c.Counts.Likes,
			Analyzed: s.met[ids[i]].Analysis != nil, Media: c.Media.Hash != "", Saved: s.saved[ids[i]] != "",
		}
	}
	return items, nil
}

// fitting encodes a page in at most MaxPageTokens: titles and tags give way
// first, then author and counts; never a candidate.
func fitting(page found) string {
	for _, cut := range []struct{ title, tags int }{{80, 8}, {60, 5}, {40, 3}, {28, 2}, {20, 0}} {
		small := page
		small.Items = make([]foundItem, len(page.Items))
		for i, it := range page.Items {
			it.Title = clip(it.Title, cut.title)
			it.Author = clip(it.Author, 20)
			if len(it.Tags) > cut.tags {
				it.Tags = it.Tags[:cut.tags]
			}
			it.Tags = clipAll(it.Tags, 20)
			if cut.tags == 0 {
				it.Author, it.Plays, it.Likes = "", 0, 0
			}
			small.Items[i] = it
		}
		text := string(encode(small))
		if agents.EstimateTokens(text) <= domain.MaxPageTokens || cut.tags == 0 {
			return text
		}
	}
	return ""
}

func clipAll(in []string, n int) []string {
	out := make([]string, 0, len(in))
	for _, s := range in {
		if s = clip(strings.TrimSpace(s), n); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func countSaved(items []foundItem) int {
	n := 0
	for _, it := range items {
		if it.Saved {
			n++
		}
	}
	return n
}
