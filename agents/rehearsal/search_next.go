package rehearsal

import "strings"

// rivalEvery is how many pages are read between two looks at a competitor search.
const rivalEvery = 3

// rival is the competitor search of a run.
type rival struct {
	asked  int // submissions tried
	task   string
	over   bool // nothing more comes of it
	more   bool // results are ready
	looked int  // pages read when it was submitted or looked at last
}

func (r *rival) submitted(d done) {
	var out struct {
		Task string `json:"task"`
	}
	r.asked++
	if !d.failed && decode(d.output, &out) && out.Task != "" {
		r.task = out.Task
	}
}

// checked takes up a look; true if it brought something.
func (r *rival) checked(d done) bool {
	var out struct {
		Done bool `json:"done"`
		More bool `json:"more"`
	}
	switch {
	case d.failed:
		r.over = !strings.Contains(d.output, "[competitor_pending]") || strings.Contains(d.output, "check_competitor is closed")
		return false
	case !decode(d.output, &out):
		r.over = true
		return false
	}
	r.over, r.more = out.Done, out.More
	return true
}

func (r *rival) waits() bool { return r.task != "" && !r.over }

// nextSearch is what to ask next: a page of the fast source, and while a
// competitor search is on its way now and then a look at it. It is submitted
// first, so that its wait is used; once the pages run dry it is waited for.
func (h *hunt) nextSearch() (calls []call, why string, ok bool) {
	if h.t.offers("search_competitor") && h.rival.asked == 0 && len(h.queries) > 0 {
		calls = append(calls, call{"search_competitor", map[string]string{"query": h.queries[0].text}})
	}
	page, q, first, ok := h.paging.next(h.queries)
	if !ok {
		if h.rival.waits() && len(calls) == 0 {
			calls = append(calls, h.look())
		}
		return calls, "", len(calls) > 0
	}
	if h.rival.waits() && (h.rival.more || h.paging.pages >= h.rival.looked+rivalEvery) {
		calls = append(calls, h.look())
	}
	if first {
		why = phrase{"检索「" + q.text + "」：" + q.why.zh, "Searching “" + q.text + "”: " + q.why.en}.in(h.zh)
		if page.Platform != "" {
			why += phrase{"，平台 ", ", on "}.in(h.zh) + page.Platform
		}
		why += phrase{"。", "."}.in(h.zh)
	}
	return append(calls, call{"search_fast", page}), why, true
}

func (h *hunt) look() call {
	return call{"check_competitor", map[string]string{"task": h.rival.task}}
}
