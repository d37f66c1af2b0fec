package rehearsal

import (
	"encoding/json"
	"strings"
)

type foundPage struct {
	Page         int         `json:"page"`
	More         bool        `json:"more"`
	AlreadySaved int         `json:"already_saved"`
	Items        []foundItem `json:"items"`
}

type foundItem struct {
	Candidate string   `json:"candidate"`
	Title     string   `json:"title"`
	Tags      []string `json:"tags"`
	Analyzed  bool     `json:"analyzed"`
	NoVideo   bool     `json:"no_video"`
}

type digestView struct {
	ShotRhythm   string `json:"shot_rhythm"`
	Highlight    string `json:"highlight"`
	HighlightWhy string `json:"highlight_why"`
	Verdict      string `json:"verdict"`
}

// candidate is a found video on its way into the library, or out of it.
type candidate struct {
	foundItem
	score    float64
	hits     []string
	digest   *digestView
	unusable bool // its analysis failed
	closed   bool // saved or skipped
}

// replay reads what the calls so far have brought.
func (h *hunt) replay() {
	for _, d := range h.t.calls {
		switch d.tool {
		case "search_fast":
			var in searchInput
			_ = json.Unmarshal(d.input, &in) // own input
			in.Page = max(in.Page, 1)
			if d.failed {
				h.paging.failed(in, d.output)
				continue
			}
			var page foundPage
			if !decode(d.output, &page) {
				page = foundPage{}
			}
			// Videos that are saved already still say that more may follow.
			h.paging.answered(in, page.More, h.meet(page.Items)+page.AlreadySaved)
		case "search_competitor":
			h.rival.submitted(d)
			h.rival.looked = h.paging.pages
		case "check_competitor":
			var page foundPage
			if h.rival.checked(d) && decode(d.output, &page) {
				h.meet(page.Items)
			}
			h.rival.looked = h.paging.pages
		case "analyze_video":
			h.analysed(d)
		case "save_materials":
			h.saved(d)
		}
	}
	if strings.Contains(h.t.hints, "search_fast is closed") {
		h.paging.over = true
	}
}

// meet takes up candidates; it returns how many fit and were not met before.
func (h *hunt) meet(items []foundItem) int {
	fresh := 0
	for _, it := range items {
		if h.byID[it.Candidate] != nil {
			continue
		}
		c := &candidate{foundItem: it}
		h.byID[it.Candidate] = c
		score, hits, out := fit(h.concepts, it.Title, it.Tags)
		if c.score, c.hits = score, hits; out || score < fitEnough {
			c.closed = true
			continue
		}
		fresh++
		h.found = append(h.found, c)
	}
	return fresh
}

func (h *hunt) analysed(d done) {
	var in struct {
		Candidate string `json:"candidate"`
	}
	var out struct {
		Digest digestView `json:"digest"`
		Saved  bool       `json:"already_saved"`
	}
	if json.Unmarshal(d.input, &in) != nil || h.byID[in.Candidate] == nil {
		return
	}
	if d.failed || !decode(d.output, &out) {
		h.byID[in.Candidate].unusable = true
		return
	}
	c := h.byID[in.Candidate]
	c.digest = &out.Digest
	c.closed = c.closed || out.Saved
}

func (h *hunt) saved(d done) {
	var out struct {
		Saved   []struct{ Candidate string } `json:"saved"`
		Skipped []struct{ Candidate string } `json:"skipped"`
	}
	if d.failed || !decode(d.output, &out) {
		return
	}
	for _, s := range out.Saved {
		h.kept++
		if c := h.byID[s.Candidate]; c != nil {
			c.closed = true
		}
	}
	for _, s := range out.Skipped {
		if c := h.byID[s.Candidate]; c != nil {
			c.closed = true
		}
	}
}
