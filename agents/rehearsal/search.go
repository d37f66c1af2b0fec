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
)

// searchTask is what the first message of a search run says.
type searchTask struct {
	Target  int      `json:"target"`
	What    string   `json:"what"`
	Prefer  string   `json:"prefer_source"`
	Trigger string   `json:"trigger"`
	Saved   []string `json:"saved"` // candidates that an earlier attempt of this run kept
}

var (
	taskBlock   = regexp.MustCompile(`(?s)<task>\s*(\{.*?\})\s*</task>`)
	searchBlock = regexp.MustCompile(`(?s)<search_document[^>]*>(.*?)</search_document>`)
)

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
	paging   paging
	rival    rival
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
	h := &hunt{t: t, byID: map[string]*candidate{}, paging: newPaging(t)}
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
