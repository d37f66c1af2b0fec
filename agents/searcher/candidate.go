package searcher

import (
	"context"
	"fmt"
	"strings"

	"sozai/agents/source"
	"sozai/domain"
)

// entry is a candidate that this attempt has met. Its own ID is that of the
// video, which may turn out to be another than the one it was met under.
type entry struct {
	source.Candidate
	by       source.Examiner
	imported bool   // an entry of the catalogue, exempt from analysis without media
	lost     string // why its video cannot be had, for good
}

// unseen says that there is a video which nobody has looked at yet, or which is
// not here.
func (e *entry) unseen() bool {
	return e.HasVideo() && e.lost == "" && (e.Analysis == nil || e.Media.Hash == "")
}

// origin is the source that a video's material is kept under. What the catalogue
// holds of another source is that one's, so that it is one material however it is
// found.
func origin(external string) string {
	switch kind, _, _ := strings.Cut(external, ":"); kind {
	case competitorSource, hotSource:
		return kind
	}
	return fastSource
}

// page is a page of candidates after they were met.
type page struct {
	items []foundItem // those that are no materials of the agent yet
	fresh int         // of them, met for the first time
	saved int         // materials of the agent, met for the first time
	again int         // met before in this run
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
	Analyzed  bool     `json:"analyzed,omitempty"`
	NoVideo   bool     `json:"no_video,omitempty"`
}

// meet remembers candidates and returns them as the model sees them. One that is
// a material of the agent, whenever it was saved, is counted and not offered.
func (s *session) meet(ctx context.Context, list []source.Candidate, by source.Examiner, imported bool) (page, error) {
	ids := make([]string, len(list))
	first := map[string]bool{}
	s.mu.Lock()
	for i, c := range list {
		ids[i] = c.ID
		switch e := s.met[c.ID]; {
		case e == nil:
			s.met[c.ID], first[c.ID] = &entry{Candidate: c, by: by, imported: imported}, true
		case e.Media.Hash == "" && c.HasVideo(): // fetched meanwhile, or a newer address
			if c.Analysis == nil {
				c.Analysis = e.Analysis
			}
			e.Candidate, e.by, e.imported, e.lost = c, by, imported, ""
		}
	}
	s.mu.Unlock()
	if err := s.known(ctx, ids); err != nil {
		return page{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := page{items: []foundItem{}}
	shown := map[string]bool{}
	for _, id := range ids {
		e := s.met[id]
		saved := s.saved[e.ID] != ""
		switch {
		case shown[id]:
			continue
		case !first[id]:
			p.again++
		case saved:
			p.saved++
		default:
			p.fresh++
		}
		if shown[id] = true; !saved {
			p.items = append(p.items, e.item(id))
		}
	}
	return p, nil
}

// item is an entry as the model sees it.
func (e *entry) item(id string) foundItem {
	return foundItem{
		Candidate: id, Title: e.Title, Author: e.Author, Platform: e.Platform,
		Seconds: float64(int(e.Media.Seconds*10)) / 10, Tags: e.Tags,
		Plays: e.Counts.Plays, Likes: e.Counts.Likes,
		Analyzed: e.Analysis != nil && !e.unseen(), NoVideo: !e.HasVideo(),
	}
}

// known finds out which of the candidates are materials of the agent already.
func (s *session) known(ctx context.Context, candidates []string) error {
	bySource := map[string][]string{}
	s.mu.Lock()
	for _, id := range candidates {
		if e := s.met[id]; e != nil && s.saved[e.ID] == "" {
			from := origin(e.ID)
			bySource[from] = append(bySource[from], e.ID)
		}
	}
	s.mu.Unlock()
	for from, externals := range bySource {
		have, err := s.env.Library.MaterialsByExternal(ctx, s.task.Key, from, externals)
		if err != nil {
			return fmt.Errorf("known materials: %w", err)
		}
		s.mu.Lock()
		for external, material := range have {
			s.saved[external] = material
		}
		s.mu.Unlock()
	}
	return nil
}

// examine has an entry's video looked at, fetched first if it lies elsewhere. The
// error is a *domain.Error or a *source.Error; of a video that can never be had or
// used, the entry is marked as lost.
func (s *session) examine(ctx context.Context, id string) error {
	s.mu.Lock()
	e := s.met[id]
	c, by := e.Candidate, e.by
	s.mu.Unlock()
	got, err := by.Examine(ctx, s.task.who(), c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil && forGood(err) {
			e.lost = reasonOf(err)
		}
		return err
	}
	if c.Analysis == nil && got.Analysis != nil {
		s.meter.charge(got.Analysis.Cost)
	}
	e.Candidate = got
	if s.met[got.ID] == nil { // the catalogue had these very bytes under another id
		s.met[got.ID] = e
	}
	return nil
}

// forGood says that a video will not be had by asking again.
func forGood(err error) bool {
	switch domain.CodeOf(err) {
	case domain.NotFound, domain.Unprocessable, domain.TooLarge, domain.Invalid:
		return true
	}
	return false
}
