package searcher

import (
	"encoding/json"
	"fmt"
	"strings"

	"sozai/domain"
)

// geneContext is what is the same for every search of an agent until its gene
// moves: the pinned version's texts and the brief.
func geneContext(t Task) string {
	var b strings.Builder
	block := func(tag, attrs, text string) {
		if text = strings.TrimSpace(text); text == "" {
			text = "（空）"
		}
		fmt.Fprintf(&b, "<%s%s>\n%s\n</%s>\n", tag, attrs, strings.ReplaceAll(text, "</", "< /"), tag)
	}
	block("agent", "", t.Name+"\n"+t.Brief)
	block("search_document", fmt.Sprintf(" version=%q", fmt.Sprint(t.Gene.Version)), t.Gene.Search)
	block("creative_rules", "", t.Gene.Steer)
	if t.Gene.Constraints != (domain.Constraints{}) {
		block("constraints", "", string(encode(t.Gene.Constraints)))
	}
	return b.String()
}

// cite is an object that the request cites, as the model sees it.
type cite struct {
	Type  domain.ObjectType `json:"type"`
	Title string            `json:"title"`
}

// opening is the first message: the task as one JSON object.
func (s *session) opening() string {
	sources := []string{fastSource}
	if s.competes() {
		sources = append(sources, competitorSource)
	}
	type submitted struct {
		Query string `json:"query"`
		Task  string `json:"task,omitempty"`
	}
	var searches []submitted
	for _, sub := range s.submitted {
		searches = append(searches, submitted{sub.query, sub.task})
	}
	task := struct {
		Target    int      `json:"target"`
		Pages     int      `json:"pages"`
		Sources   []string `json:"sources"`
		Platforms []string `json:"platforms"`
		What      string   `json:"what,omitempty"`
		Why       string   `json:"why,omitempty"`
		Prefer    string   `json:"prefer_source,omitempty"`
		Trigger   string   `json:"trigger,omitempty"`
		Cites     []cite   `json:"cites,omitempty"`
		Saved     []string `json:"saved,omitempty"`

		Searches []submitted `json:"competitor_searches,omitempty"`
	}{
		Target: s.target, Pages: max(domain.FastSourcePages-s.pages, 0), Sources: sources, Platforms: s.env.Fast.Platforms(),
		What: s.task.Request.What, Why: s.task.Request.Why, Prefer: s.task.Request.Source,
		Trigger: string(s.task.Trigger), Cites: s.cited, Saved: s.earlier, Searches: searches,
	}
	text := "<task>\n" + string(encode(task)) + "\n</task>\n按检索需求和这一单的要求找创意源。目标数是上限，宁缺毋滥。"
	if len(s.earlier) > 0 {
		text += "\nsaved 是这一单之前已经存下的，算在目标里，接着往下找。"
	}
	if len(searches) > 0 {
		text += "\ncompetitor_searches 是这一单之前已经提交的竞品检索，算在次数里：用 check_competitor 取结果，没有 task 的用原词再调一次 search_competitor。"
	}
	return text
}

// encode writes JSON without escaping < and >, for the model to read. The values
// are plain structs, whose encoding cannot fail.
func encode(v any) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("encode for the model: %v", err))
	}
	return json.RawMessage(strings.TrimSpace(b.String()))
}
