package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/source"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/projections"
)

// searchReply is the model's answer to a search's request: it asks for pages of
// five queries, looks at what they gave and keeps twelve clips, a call or two a
// round, giving its reason each time.
func searchReply(r agents.Request) agentstest.Reply {
	n := 1 + len(r.Messages)/2 // the round
	reply := agentstest.Reply{Text: piece(n, 40+7*(n%4))}
	add := func(tool string, input any) {
		data, err := json.Marshal(input)
		if err != nil {
			data = fmt.Append(nil, err)
		}
		reply.Calls = append(reply.Calls, agentstest.Call{ID: fmt.Sprintf("toolu_%02d%d_%s", n, len(reply.Calls), r.Messages[0].Role), Tool: tool, Input: json.RawMessage(data)})
	}
	look := func(i int) { add("analyze_video", map[string]any{"candidate": clipID(i/6%5, i%6)}) }
	keep := func(i int) {
		add("save_materials", map[string]any{"items": []map[string]any{
			{"candidate": clipID(i/6%5, i%6), "why": "对上检索需求里的「" + piece(i, 12) + "」：" + piece(i+5, 28)},
		}})
	}
	switch {
	case n <= 10: // two pages a query
		add("search_fast", map[string]any{"query": piece((n-1)/2, 8), "page": 1 + (n-1)%2})
	case n <= 17: // two clips a round
		look(2 * (n - 11))
		look(2*(n-11) + 1)
	case n <= 29:
		keep(n - 18)
	default:
		add("finish", map[string]any{"found": 12, "reason": piece(n, 30)})
	}
	return reply
}

// piece is some of the words, the same for the same n.
func piece(n, runes int) string {
	all := []rune(words)
	var b strings.Builder
	for i := 0; i < runes; i++ {
		b.WriteRune(all[(n*17+i)%len(all)])
	}
	return b.String()
}

// clipID is the i-th clip that a query's first page finds.
func clipID(query, i int) string { return fmt.Sprintf("tiktok:73%017d", query*1_000+i) }

// shelf is a source whose pages and digests are as large as those of real ones.
type shelf struct{}

func (shelf) Name() string        { return "fast" }
func (shelf) Platforms() []string { return []string{"tiktok", "instagram", "douyin"} }

func (shelf) Search(_ context.Context, q source.Query) (source.Page, error) {
	page := source.Page{Platform: "tiktok", Page: q.Page, Pages: q.Page + 1, More: true}
	query := 0
	for query < 9 && piece(query, 8) != q.Text {
		query++
	}
	for i := range 12 {
		n := query*24 + q.Page*12 + i
		page.Items = append(page.Items, source.Candidate{
			ID: clipID(query, (q.Page-1)*12+i), Title: piece(n, 24+n%40), Author: fmt.Sprintf("creator-%04d", n*37%9_999), Platform: "tiktok",
			Tags:   []string{piece(n, 4), piece(n+3, 3), "fyp", "gaming", piece(n+7, 5)},
			Counts: library.Counts{Plays: int64(n*7_919 + 40_300), Likes: int64(n*613 + 900)},
			Media:  library.Media{Hash: fmt.Sprintf("%064x", n+1), Type: "video/mp4", Seconds: float64(8 + n%40)},
		})
	}
	return page, nil
}

// Examine gives a digest at the upper end of what the product allows.
func (shelf) Examine(_ context.Context, _ source.Who, c source.Candidate) (source.Candidate, error) {
	n := len(c.Title)
	c.Analysis = &video.Analysis{Analyser: video.LocalAnalyser, Ruleset: video.Ruleset, Digest: library.Digest{
		ShotRhythm: piece(n, 130), SpokenHook: piece(n+1, 70), Captions: piece(n+2, 90), Highlight: library.High,
		HighlightWhy: piece(n+3, 50), Verdict: piece(n+4, 40),
	}}
	return c, nil
}

// noLibrary is the library of an agent that has nothing yet.
type noLibrary struct{}

func (noLibrary) Wait(context.Context, uint64, ...string) error { return nil }

func (noLibrary) Materials(context.Context, domain.Key, projections.MaterialFilter) ([]projections.Material, error) {
	return nil, nil
}

func (noLibrary) MaterialsByExternal(context.Context, domain.Key, string, []string) (map[string]domain.ID, error) {
	return nil, nil
}

func (noLibrary) Objects(context.Context, domain.Key, []domain.Ref) (map[domain.Ref]projections.Object, error) {
	return nil, nil
}
