package planner

import (
	"encoding/json"
	"fmt"
	"strings"

	"sozai/domain"
	"sozai/domain/library"
)

// geneContext is what is the same for every board of an agent until its gene
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
	block("creative_rules", fmt.Sprintf(" version=%q", fmt.Sprint(t.Gene.Version)), t.Gene.Steer)
	block("search_document", "", t.Gene.Search)
	if t.Gene.Constraints != (domain.Constraints{}) {
		block("constraints", "", encode(t.Gene.Constraints))
	}
	return b.String()
}

// clipLine is a clip as the opening names it.
type clipLine struct {
	Material domain.ID `json:"material"`
	Title    string    `json:"title"`
	Seconds  float64   `json:"seconds"`
}

// baseLine is the base board as the opening names it.
type baseLine struct {
	Board  domain.ID `json:"board"`
	Title  string    `json:"title"`
	Panels int       `json:"panels"`
}

// taskLine is the opening's one JSON object.
type taskLine struct {
	What       string          `json:"what,omitempty"`
	Why        string          `json:"why,omitempty"`
	Mode       string          `json:"mode,omitempty"`
	Trigger    string          `json:"trigger,omitempty"`
	MaxSeconds int             `json:"max_seconds,omitempty"`
	Aspect     string          `json:"aspect,omitempty"`
	Clips      int             `json:"clips"`
	MustUse    []clipLine      `json:"must_use,omitempty"`
	Base       *baseLine       `json:"base,omitempty"`
	Keep       []library.Panel `json:"keep,omitempty"`
	Change     []int           `json:"change,omitempty"`
	Quoted     []string        `json:"quoted_fields"`
}

// opening is the first message: the task.
func (s *session) opening() string {
	r, k := s.task.Request, s.task.Gene.Constraints
	task := taskLine{
		What: r.What, Why: r.Why, Mode: r.Mode, Trigger: string(s.task.Trigger),
		MaxSeconds: k.MaxFilmSeconds, Aspect: k.Aspect, Clips: len(s.clips), Change: s.change,
		Quoted: []string{"must_use.title", "base.title", "keep.caption"},
	}
	for _, id := range s.must {
		c := s.byID[id]
		task.MustUse = append(task.MustUse, clipLine{id, line(c.Title, 60), floor(c.Seconds)})
	}
	if s.base != nil {
		task.Base = &baseLine{s.base.Board, line(s.base.Title, 80), len(s.base.Panels)}
		for _, p := range s.base.Panels {
			if _, kept := s.kept[p.Number]; kept {
				task.Keep = append(task.Keep, p)
			}
		}
	}
	text := "<task>\n" + strings.ReplaceAll(encode(task), "</", `<\/`) + "\n</task>\n按创意规则和这一单的要求写一份方案，用 write_board 收尾。"
	if s.base != nil {
		text += "\n这一单从 base 方案改起：先 read_board。keep 的格子原样留在原来的位置，change 的格子要改。"
	}
	return text
}

// encode writes JSON without escaping < and >, for the model to read. The values
// are plain structs, whose encoding cannot fail.
func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("encode for the model: %v", err))
	}
	return strings.TrimSpace(b.String())
}

// line is a text on one line, at most n runes long.
func line(text string, n int) string {
	return domain.Clip(strings.Join(strings.Fields(text), " "), n)
}

// floor is a length as it is told: never longer than it is.
func floor(seconds float64) float64 { return float64(int(seconds*100)) / 100 }
