package rehearsal

import "strings"

// mustEnd says whether the loop has told to end, after which only what is
// worth keeping may be saved.
func (h *hunt) mustEnd() bool { return strings.Contains(h.t.hints, "Start nothing new") }

// toAnalyse are analyses of the best open candidates, no more than are wanted.
func (h *hunt) toAnalyse() []call {
	var calls []call
	room := min(batch, h.task.Target-h.kept-len(h.ready()))
	for _, c := range h.found {
		if len(calls) < room && !c.closed && !c.NoVideo && c.digest == nil && !c.unusable {
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
		case c.NoVideo && c.digest == nil:
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

// reasonToEnd says why the run stops.
func (h *hunt) reasonToEnd(cause string) string {
	switch {
	case cause == "target":
		return phrase{"达到目标数", "the target is met"}.in(h.zh)
	case cause == "time":
		return phrase{"时间或预算将尽", "time or budget is nearly used up"}.in(h.zh)
	case h.paging.pagesOut:
		return phrase{"页数用完", "all pages are used"}.in(h.zh)
	case h.paging.broken():
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
