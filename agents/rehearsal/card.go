package rehearsal

import (
	"fmt"
	"sort"
	"strings"

	"sozai/domain"
)

// feedbackView is what read_feedback returns.
type feedbackView struct {
	Unsettled []feedbackItem `json:"unsettled"`
}

type feedbackItem struct {
	ID       string          `json:"id"`
	Object   domain.Ref      `json:"object"`
	Verdict  string          `json:"verdict"`
	Words    string          `json:"words"`
	By       string          `json:"by"`
	Document domain.Document `json:"document"`
	Strong   bool            `json:"strong"`
}

// strong are the items with words, oldest first.
func (f feedbackView) strong() []feedbackItem {
	var out []feedbackItem
	for _, u := range f.Unsettled {
		if strings.TrimSpace(u.Words) != "" {
			out = append(out, u)
		}
	}
	return out
}

type cardInput struct {
	Search         *string     `json:"search,omitempty"`
	Steer          *string     `json:"steer,omitempty"`
	MaxFilmSeconds *int        `json:"max_film_seconds,omitempty"`
	Aspect         *string     `json:"aspect,omitempty"`
	Summary        string      `json:"summary"`
	Reason         string      `json:"reason"`
	Evidence       []evidence  `json:"evidence"`
	Feedback       []usedInput `json:"feedback"`
}

type evidence struct {
	Type  domain.ObjectType `json:"type"`
	ID    domain.ID         `json:"id"`
	Panel int               `json:"panel,omitempty"`
	From  float64           `json:"from,omitempty"`
	To    float64           `json:"to,omitempty"`
}

type usedInput struct {
	ID       string          `json:"id"`
	Document domain.Document `json:"document"`
}

// change works the wishes of this turn, and the waiting feedback that says the
// same, into the gene. Feedback about an object that was not looked at counts
// only with unseen set: to find out what there is to look at.
func (c chat) change(unseen bool) change {
	if !c.known {
		return change{}
	}
	recorded := c.recorded()
	var list []targeted
	settle := false
	for i, a := range c.asks {
		settle = settle || c.does[i].settle
		for _, r := range a.objects() {
			if r.Type != domain.Whole && !c.saw(r) {
				continue
			}
			for _, w := range c.does[i].wants {
				list = append(list, targeted{wish: w, docs: documents(w, r), feedback: recorded[recordKey(r, a.text)]})
			}
		}
	}
	var waiting feedbackView
	c.t.result("read_feedback", &waiting)
	for _, u := range waiting.strong() {
		if unseen || u.Object.Type == domain.Whole || c.saw(u.Object) {
			list = weigh(list, u, settle)
		}
	}
	return draft(c.gene, list, c.zh)
}

// weigh adds a waiting piece of feedback to the wishes it agrees with; with all
// set, it also counts where nobody has said the same in this turn.
func weigh(list []targeted, u feedbackItem, all bool) []targeted {
	want, _ := wishes(u.Words)
	for _, w := range want {
		docs := documents(w, u.Object)
		if u.Document != "" && len(docs) == 1 {
			docs = []domain.Document{u.Document}
		}
		joined := false
		for i := range list {
			if w.notion != nil && list[i].notion == w.notion && list[i].aim == w.aim {
				list[i].feedback = unique(append(append([]string{}, list[i].feedback...), u.ID))
				joined = true
			}
		}
		if !joined && all {
			list = append(list, targeted{wish: w, docs: docs, feedback: []string{u.ID}})
		}
	}
	return list
}

// card turns a change into a proposal; false if it changes nothing.
func (c chat) card(ch change) (cardInput, bool) {
	if ch.empty() {
		return cardInput{}, false
	}
	in := cardInput{Search: ch.search, Steer: ch.steer, Evidence: []evidence{}, Feedback: cite(ch)}
	if k := ch.constraints; k != nil {
		if k.MaxFilmSeconds != c.gene.Constraints.MaxFilmSeconds {
			in.MaxFilmSeconds = &k.MaxFilmSeconds
		}
		if k.Aspect != c.gene.Constraints.Aspect {
			in.Aspect = &k.Aspect
		}
	}
	for _, v := range c.views() {
		in.Evidence = append(in.Evidence, evidence{Type: v.ref.Type, ID: v.ref.ID})
	}
	in.Summary = summary(ch, c.zh)
	var said []string
	for i, a := range c.asks {
		if len(c.does[i].wants) > 0 {
			said = append(said, quoteOf(a, c.zh))
		}
	}
	switch {
	case len(said) > 0 && c.zh:
		in.Reason = "依据：" + strings.Join(said, "；")
	case len(said) > 0:
		in.Reason = "Based on: " + strings.Join(said, "; ")
	default:
		in.Reason = c.say("依据：%d 条尚未处理的文字反馈", "Based on %d pieces of waiting feedback with words", len(in.Feedback))
	}
	return in, true
}

// cite lists the feedback that a change uses, for documents that it alters.
func cite(ch change) []usedInput {
	out := []usedInput{}
	for id, docs := range ch.used {
		for _, d := range []domain.Document{domain.Search, domain.Steer} {
			if docs[d] && ch.alters(d) {
				out = append(out, usedInput{id, d})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].ID != out[j].ID {
			return out[i].ID < out[j].ID
		}
		return out[i].Document < out[j].Document
	})
	return out
}

// summary says in one sentence what moved.
func summary(ch change, zh bool) string {
	var docs []string
	if ch.search != nil {
		docs = append(docs, phrase{"检索需求", "search document"}.in(zh))
	}
	if ch.steer != nil {
		docs = append(docs, phrase{"创意规则", "creative rules"}.in(zh))
	}
	if ch.constraints != nil {
		docs = append(docs, phrase{"硬性约束", "constraints"}.in(zh))
	}
	if zh {
		return strings.Join(docs, "和") + "：" + strings.Join(ch.summary, "、")
	}
	s := strings.Join(docs, " and ") + ": " + strings.Join(ch.summary, ", ")
	return strings.ToUpper(s[:1]) + s[1:]
}

func quoteOf(a ask, zh bool) string {
	text := []rune(strings.Join(strings.Fields(a.text), " "))
	if len(text) > 120 {
		text = append(text[:120], '…')
	}
	switch {
	case zh && a.speaker != "":
		return fmt.Sprintf("%s说「%s」", a.speaker, string(text))
	case zh:
		return fmt.Sprintf("「%s」", string(text))
	case a.speaker != "":
		return fmt.Sprintf("%s said “%s”", a.speaker, string(text))
	default:
		return fmt.Sprintf("“%s”", string(text))
	}
}
