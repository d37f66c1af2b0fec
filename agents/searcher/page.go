package searcher

import (
	"strings"

	"sozai/agents"
	"sozai/domain"
)

// found is a page of results as the model sees it.
type found struct {
	Query        string      `json:"query"`
	Platform     string      `json:"platform,omitempty"`
	Page         int         `json:"page"`
	Pages        int         `json:"pages"` // known so far
	Total        int         `json:"total,omitempty"`
	More         bool        `json:"more"`
	PagesLeft    int         `json:"pages_left"`
	New          int         `json:"new"`
	AlreadySaved int         `json:"already_saved,omitempty"`
	SeenBefore   int         `json:"seen_before,omitempty"`
	LeftOut      int         `json:"left_out,omitempty"`
	Items        []foundItem `json:"items"`
}

// fitting encodes a page in at most MaxPageTokens: titles and tags give way
// first, then author and counts. What still does not fit is left out and counted.
func fitting(p found) string {
	for _, cut := range []struct{ title, tags int }{{80, 8}, {60, 5}, {40, 3}, {28, 2}, {20, 0}, {12, 0}} {
		small := p
		small.Items = make([]foundItem, len(p.Items))
		for i, it := range p.Items {
			it.Title = clip(it.Title, cut.title)
			it.Author = clip(it.Author, 20)
			if it.Platform == p.Platform {
				it.Platform = ""
			}
			it.Tags = clipAll(it.Tags[:min(len(it.Tags), cut.tags)], 20)
			if cut.tags == 0 {
				it.Author, it.Plays, it.Likes = "", 0, 0
			}
			small.Items[i] = it
		}
		text := string(encode(small))
		for cut.title == 12 && agents.EstimateTokens(text) > domain.MaxPageTokens && len(small.Items) > 0 {
			small.Items = small.Items[:len(small.Items)-1]
			small.LeftOut++
			text = string(encode(small))
		}
		if agents.EstimateTokens(text) <= domain.MaxPageTokens {
			return text
		}
	}
	return string(encode(found{Query: p.Query, Page: p.Page, LeftOut: len(p.Items), Items: []foundItem{}}))
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
