package rehearsal

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

const (
	searchTarget = 12  // if the task names none
	fitEnough    = 0.9 // a candidate below this does not belong
	batch        = 4   // analyses asked for at once
	dryPages     = 6   // pages running without anything new that fits
)

// searchTask is what the first message of a search run says.
type searchTask struct {
	Target  int      `json:"target"`
	What    string   `json:"what"`
	Trigger string   `json:"trigger"`
	Saved   []string `json:"saved"` // candidates that an earlier attempt of this run kept
}

var (
	taskBlock   = regexp.MustCompile(`(?s)<task>\s*(\{.*?\})\s*</task>`)
	searchBlock = regexp.MustCompile(`(?s)<search_document[^>]*>(.*?)</search_document>`)
)

type foundPage struct {
	Query string      `json:"query"`
	Page  int         `json:"page"`
	Pages int         `json:"pages"`
	Items []foundItem `json:"items"`
}

type foundItem struct {
	Candidate string   `json:"candidate"`
	Title     string   `json:"title"`
	Tags      []string `json:"tags"`
	Analyzed  bool     `json:"analyzed"`
	Media     bool     `json:"media"`
	Saved     bool     `json:"already_saved"`
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

// hunt is a search run, worked out anew each round from the transcript.
type hunt struct {
	t        transcript
	task     searchTask
	zh       bool
	concepts []concept
	queries  []query
	found    []*candidate
	byID     map[string]*candidate
	kept     int // saved by this run, earlier attempts included
	searches []searched
	asked    map[string]bool // competitor searches submitted
	pagesOut bool            // the run's pages are used up
}

type searched struct {
	foundPage
	query  string
	failed bool
	fresh  int // candidates that fit and were not met before, saved ones included
}

// playSearch decides the next round of a search run.
func playSearch(t transcript) move {
	h := newHunt(t)
	h.replay()
	if h.mustEnd() {
		return h.end(h.reasonToEnd("time"))
	}
	if todo := h.toAnalyse(); len(todo) > 0 {
		return move{calls: todo}
	}
	var calls []call
	keep, full := h.toSave()
	if len(keep) > 0 {
		calls = append(calls, call{"save_materials", map[string]any{"items": keep}})
	}
	if full {
		if len(calls) > 0 {
			return move{calls: calls}
		}
		return h.end(h.reasonToEnd("target"))
	}
	next, why, ok := h.nextSearch()
	if !ok {
		if len(calls) > 0 {
			return move{calls: calls}
		}
		return h.end(h.reasonToEnd("dry"))
	}
	calls = append(calls, next...)
	return move{text: why, calls: calls}
}

func newHunt(t transcript) *hunt {
	h := &hunt{t: t, byID: map[string]*candidate{}, asked: map[string]bool{}}
	for _, text := range t.asked {
		if m := taskBlock.FindStringSubmatch(text); m != nil {
			_ = json.Unmarshal([]byte(m[1]), &h.task) // a task that does not parse names nothing
		}
	}
	if h.task.Target <= 0 {
		h.task.Target = searchTarget
	}
	doc := ""
	if m := searchBlock.FindStringSubmatch(t.system); m != nil {
		doc = m[1]
	}
	// A bilingual gene is read by people who write Chinese; the searcher decides the same way.
	h.zh = strings.ContainsFunc(doc, isHan) || strings.TrimSpace(doc) == "" && chinese(h.task.What)
	words, ordered := h.task.What, concepts(h.task.What, 1.5)
	switch h.task.Trigger {
	case "first", "daily", "gene_check":
		// Nobody in particular asked: what the request says only shifts the
		// weight between things that are known to be searched for.
		words = ""
		ordered = slices.DeleteFunc(ordered, func(k concept) bool { return len(k.words) == 1 })
	}
	h.concepts = merge(append(ordered, concepts(doc, 1)...))
	h.queries = queries(words, h.concepts)
	h.kept = len(h.task.Saved)
	for _, id := range h.task.Saved {
		h.byID[id] = &candidate{foundItem: foundItem{Candidate: id}, closed: true}
	}
	return h
}

// replay reads what the calls so far have brought.
func (h *hunt) replay() {
	for _, d := range h.t.calls {
		switch d.tool {
		case "search_fast":
			var in struct {
				Query string `json:"query"`
				Page  int    `json:"page"`
			}
			_ = json.Unmarshal(d.input, &in) // own input
			if d.failed && strings.Contains(d.output, "no_pages_left") {
				h.pagesOut = true
				continue
			}
			s := searched{query: in.Query, failed: d.failed}
			if !d.failed && decode(d.output, &s.foundPage) {
				s.fresh = h.meet(s.Items)
			}
			s.Page = max(in.Page, 1)
			h.searches = append(h.searches, s)
		case "search_competitor":
			h.asked[string(d.input)] = true
		case "check_competitor":
			var page foundPage
			if !d.failed && decode(d.output, &page) {
				h.meet(page.Items)
			}
		case "analyze_video":
			h.analysed(d)
		case "save_materials":
			h.saved(d)
		}
	}
}

// meet takes up candidates; it returns how many fit and were not met before: a
// page of videos that are saved already still says that more may follow.
func (h *hunt) meet(items []foundItem) int {
	fresh := 0
	for _, it := range items {
		if h.byID[it.Candidate] != nil {
			continue
		}
		c := &candidate{foundItem: it, closed: it.Saved}
		h.byID[it.Candidate] = c
		score, hits, out := fit(h.concepts, it.Title, it.Tags)
		if c.score, c.hits = score, hits; out || score < fitEnough {
			c.closed = true
			continue
		}
		fresh++
		if !c.closed {
			h.found = append(h.found, c)
		}
	}
	return fresh
}

func (h *hunt) analysed(d done) {
	var in struct {
		Candidate string `json:"candidate"`
	}
	var out struct {
		Digest digestView `json:"digest"`
	}
	if json.Unmarshal(d.input, &in) != nil || h.byID[in.Candidate] == nil {
		return
	}
	if d.failed || !decode(d.output, &out) {
		h.byID[in.Candidate].unusable = true
		return
	}
	h.byID[in.Candidate].digest = &out.Digest
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

// mustEnd says whether the loop has told to end, after which only what is
// worth keeping may be saved.
func (h *hunt) mustEnd() bool { return strings.Contains(h.t.hints, "Start nothing new") }

// toAnalyse are analyses of the best open candidates, no more than are wanted.
func (h *hunt) toAnalyse() []call {
	var calls []call
	room := min(batch, h.task.Target-h.kept-len(h.ready()))
	for _, c := range h.found {
		if len(calls) < room && !c.closed && c.Media && c.digest == nil && !c.unusable {
			calls = append(calls, call{"analyze_video", map[string]string{"candidate": c.Candidate}})
		}
	}
	return calls
}

// ready are the candidates that may be kept: analysed and worth it, or without
// media, for which there is nothing to analyse.
func (h *hunt) ready() []*candidate {
	var out []*candidate
	for _, c := range h.found {
		switch {
		case c.closed || c.unusable:
		case !c.Media:
			out = append(out, c)
		case c.digest != nil && (c.digest.Highlight != "low" || len(c.hits) > 1):
			out = append(out, c)
		}
	}
	return out
}

type keepItem struct {
	Candidate string `json:"candidate"`
	Why       string `json:"why"`
}

// toSave are the candidates to save now; full says that the target is met by
// what was saved before this round.
func (h *hunt) toSave() (keep []keepItem, full bool) {
	for _, c := range h.ready() {
		if h.kept+len(keep) >= h.task.Target {
			break
		}
		keep = append(keep, keepItem{c.Candidate, h.why(c)})
	}
	return keep, h.kept+len(keep) >= h.task.Target
}

// why names what of the gene a candidate meets and what its analysis showed.
func (h *hunt) why(c *candidate) string {
	hits := unique(c.hits)
	if len(hits) > 4 {
		hits = hits[:4]
	}
	text := phrase{"对上：", "Matches: "}.in(h.zh) + strings.Join(hits, phrase{"、", ", "}.in(h.zh))
	switch {
	case c.digest == nil:
		text += phrase{"；没有视频文件，未分析", "; no video file, not analysed"}.in(h.zh)
	case c.digest.Highlight == "high":
		text += phrase{"；亮点评级高", "; high highlight rating"}.in(h.zh)
	}
	if c.digest != nil && c.digest.ShotRhythm != "" {
		text += phrase{"；", "; "}.in(h.zh) + clip(c.digest.ShotRhythm, 60)
	}
	return text
}

// nextSearch is the next page worth asking for: on with a query whose last page
// brought something, else the next query; with competitor tools, first a
// submission, and a look at it when the fast source is dry.
func (h *hunt) nextSearch() (calls []call, why string, ok bool) {
	if h.t.offers("search_competitor") && len(h.asked) == 0 && len(h.queries) > 0 {
		calls = append(calls, call{"search_competitor", map[string]string{"query": h.queries[0].text}})
	}
	used, running := map[string]bool{}, 0
	for _, s := range h.searches {
		used[strings.ToLower(s.query)] = true
		if running++; s.fresh > 0 {
			running = 0
		}
	}
	if n := len(h.searches); n > 0 {
		last := h.searches[n-1]
		if h.pagesOut || strings.Contains(h.t.hints, "search_fast is closed") {
			return h.competitor(calls)
		}
		if !last.failed && last.fresh > 0 && last.Page < last.Pages {
			return append(calls, h.page(last.query, last.Page+1)), "", true
		}
		if last.failed && h.failures() >= 3 || running >= dryPages {
			return h.competitor(calls)
		}
		if last.failed {
			return append(calls, h.page(last.query, last.Page)), "", true
		}
	}
	for _, q := range h.queries {
		if !used[strings.ToLower(q.text)] {
			why := phrase{"检索「" + q.text + "」：" + q.why.zh + "。", "Searching “" + q.text + "”: " + q.why.en + "."}.in(h.zh)
			return append(calls, h.page(q.text, 1)), why, true
		}
	}
	return h.competitor(calls)
}

func (h *hunt) page(text string, page int) call {
	return call{"search_fast", map[string]any{"query": text, "page": page}}
}

// failures counts the failed searches at the end of the run so far.
func (h *hunt) failures() int {
	n := 0
	for i := len(h.searches) - 1; i >= 0 && h.searches[i].failed; i-- {
		n++
	}
	return n
}

// competitor asks for the result of a submitted search that is not done yet.
func (h *hunt) competitor(calls []call) ([]call, string, bool) {
	if len(calls) > 0 {
		return calls, "", true
	}
	var submitted struct {
		Task string `json:"task"`
	}
	if !h.t.result("search_competitor", &submitted) || submitted.Task == "" {
		return nil, "", false
	}
	n, _ := h.t.tried("check_competitor")
	if d := last(h.t, "check_competitor"); n > 0 {
		var state struct {
			Done bool `json:"done"`
		}
		if d.failed || decode(d.output, &state) && state.Done {
			return nil, "", false
		}
	}
	return []call{{"check_competitor", map[string]string{"task": submitted.Task}}}, "", true
}

// reasonToEnd says why the run stops.
func (h *hunt) reasonToEnd(cause string) string {
	switch {
	case cause == "target":
		return phrase{"达到目标数", "the target is met"}.in(h.zh)
	case cause == "time":
		return phrase{"时间或预算将尽", "time or budget is nearly used up"}.in(h.zh)
	case h.pagesOut:
		return phrase{"页数用完", "all pages are used"}.in(h.zh)
	case h.failures() > 0:
		return phrase{"来源持续失败，无法继续检索", "the source keeps failing"}.in(h.zh)
	case h.kept == 0:
		return phrase{"没有找到对得上检索需求的新素材", "nothing new fits the search document"}.in(h.zh)
	}
	return phrase{"来源里没有更多对得上的新素材，宁缺毋滥", "the source has nothing more that fits; nothing was padded"}.in(h.zh)
}

// end saves what is ready, if told to end early, and finishes.
func (h *hunt) end(reason string) move {
	var calls []call
	kept := h.kept
	if keep, _ := h.toSave(); len(keep) > 0 {
		calls = append(calls, call{"save_materials", map[string]any{"items": keep}})
		kept += len(keep)
	}
	calls = append(calls, call{"finish", map[string]any{"found": kept, "reason": reason}})
	return move{calls: calls}
}
