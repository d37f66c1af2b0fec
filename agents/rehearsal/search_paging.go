package rehearsal

import (
	"encoding/json"
	"slices"
	"strings"
)

const (
	dryPages   = 6 // pages running without anything new that fits, if there is one platform
	dryOfMany  = 3 // on each platform, if there are several
	searchFail = 3 // failures running after which a platform is left alone
)

type searchInput struct {
	Query    string `json:"query"`
	Platform string `json:"platform,omitempty"`
	Page     int    `json:"page"`
}

// paging is where each search stands at each platform of the fast source.
type paging struct {
	platforms []string // as offered; one "" if there is no choice
	at        map[string]*platformState
	asked     map[string]*searchInput // query and platform → the page that comes next; nil = done
	last      string                  // what was asked last
	pages     int                     // answered
	pagesOut  bool                    // the run's pages are used up
	over      bool                    // nothing can be asked any more
}

type platformState struct {
	dry   int // pages running that brought nothing
	fails int // failures running
	away  bool
}

func newPaging(t transcript) paging {
	p := paging{platforms: []string{""}, at: map[string]*platformState{}, asked: map[string]*searchInput{}}
	var schema struct {
		Properties struct {
			Platform struct {
				Enum []string `json:"enum"`
			} `json:"platform"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.tools["search_fast"].Schema, &schema) == nil && len(schema.Properties.Platform.Enum) > 1 {
		p.platforms = schema.Properties.Platform.Enum
	}
	for _, name := range p.platforms {
		p.at[name] = &platformState{}
	}
	return p
}

func lane(query, platform string) string { return strings.ToLower(query) + "\n" + platform }

// answered takes up a page that brought so many candidates.
func (p *paging) answered(in searchInput, more bool, fresh int) {
	p.pages++
	p.last = lane(in.Query, in.Platform)
	p.asked[p.last] = nil
	at := p.at[in.Platform]
	if at == nil {
		return
	}
	at.fails = 0
	if at.dry++; fresh > 0 {
		at.dry = 0
		if more {
			p.asked[p.last] = &searchInput{in.Query, in.Platform, in.Page + 1}
		}
	}
}

// failed takes up a refusal: of this request, of the platform, or of all.
func (p *paging) failed(in searchInput, output string) {
	p.last = lane(in.Query, in.Platform)
	p.asked[p.last] = nil
	at := p.at[in.Platform]
	switch {
	case strings.Contains(output, "[no_pages_left]"):
		p.pagesOut, p.over = true, true
	case at == nil, strings.Contains(output, "[effect_unknown]"):
	case strings.Contains(output, "[request_refused]"):
		at.dry++
	case strings.Contains(output, "[source_away]"), strings.Contains(output, "[cost_limit]"):
		at.fails++
		at.away = true
	default:
		at.fails++
		p.asked[p.last] = &in
	}
}

// open says whether a platform is worth asking.
func (p *paging) open(name string) bool {
	at, limit := p.at[name], dryPages
	if len(p.platforms) > 1 {
		limit = dryOfMany
	}
	return !at.away && at.fails < searchFail && at.dry < limit
}

// broken says that no platform answered, or that all failed in the end.
func (p *paging) broken() bool {
	if p.pages == 0 {
		return len(p.asked) > 0
	}
	for _, at := range p.at {
		if at.fails == 0 && !at.away {
			return false
		}
	}
	return true
}

// next is the page to ask for: on with the search that brought something last,
// else the next query at the next platform; what failed is tried again last. first
// says that it begins a search.
func (p *paging) next(queries []query) (page searchInput, q query, first, ok bool) {
	if p.over {
		return page, q, false, false
	}
	if on := p.asked[p.last]; on != nil && p.open(on.Platform) && p.at[on.Platform].fails == 0 {
		return *on, q, false, true
	}
	var later *searchInput
	for _, q := range queries {
		for _, name := range p.order(q.text) {
			on, begun := p.asked[lane(q.text, name)]
			switch {
			case !p.open(name), begun && on == nil:
			case p.at[name].fails > 0:
				if on != nil && later == nil {
					later = on
				}
			case begun:
				return *on, q, false, true
			default:
				return searchInput{q.text, name, 1}, q, true, true
			}
		}
	}
	if later != nil {
		return *later, q, false, true
	}
	return page, q, false, false
}

// order is where to search for a query, first what costs nothing, then where
// people write like that.
func (p *paging) order(text string) []string {
	if len(p.platforms) == 1 {
		return p.platforms
	}
	likely := []string{"local", "tiktok", "instagram", "douyin"}
	if hasHan(text) {
		likely = []string{"local", "douyin", "tiktok", "instagram"}
	}
	out := slices.DeleteFunc(likely, func(name string) bool { return !slices.Contains(p.platforms, name) })
	for _, name := range p.platforms {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
