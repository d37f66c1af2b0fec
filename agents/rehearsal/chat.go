package rehearsal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sozai/domain"
)

// maxTries bounds how often a refused proposal is tried again.
const maxTries = 2

// maxViews bounds the objects of waiting feedback that a turn looks at.
const maxViews = 8

// chat is one turn of the butler, planned anew each round from the transcript.
type chat struct {
	t     transcript
	asks  []ask
	does  []intent
	zh    bool
	gene  geneView
	known bool // gene was read
}

// playChat answers the messages of a room: it reads first, then writes down,
// then proposes, then says what came of it.
func playChat(t transcript) move {
	c := chat{t: t, asks: asks(t.asked)}
	for _, a := range c.asks {
		c.does = append(c.does, understand(a))
	}
	if len(c.asks) > 0 {
		c.zh = c.asks[len(c.asks)-1].zh()
	} else {
		c.zh = chinese(t.system)
	}
	c.known = t.result("read_gene", &c.gene)
	if strings.HasPrefix(t.hints, "[gate]") {
		return move{text: c.say("这一轮没有做任何改动。", "Nothing was changed in this turn.")}
	}
	if strings.Contains(t.hints, "[loop]") && strings.Contains(t.hints, "Start nothing new") {
		return move{text: c.close()}
	}
	for _, step := range []func() []call{c.reads, c.analyses, c.records, c.proposals, c.retries} {
		if calls := step(); len(calls) > 0 {
			return move{text: c.lead(calls), calls: calls}
		}
	}
	return move{text: c.close()}
}

// any says whether one of the messages asks for something.
func (c chat) any(test func(intent) bool) bool {
	for _, d := range c.does {
		if test(d) {
			return true
		}
	}
	return false
}

func wantsChange(d intent) bool { return len(d.wants) > 0 || d.settle }
func reacts(d intent) bool      { return len(d.wants) > 0 || len(d.liked) > 0 }

// object is what a message is about: what it cites, else the whole.
func (a ask) objects() []domain.Ref {
	var out []domain.Ref
	for _, r := range a.refs {
		switch r.Type {
		case domain.Material, domain.Board, domain.Film:
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return []domain.Ref{{Type: domain.Whole}}
	}
	return out
}

// reads are the reading tools that this turn needs and has not called.
func (c chat) reads() []call {
	var calls []call
	need := func(tool string, input any) {
		if c.t.offers(tool) && !c.called(tool, input) && !slices.Contains(calls, call{tool, input}) {
			calls = append(calls, call{tool, input})
		}
	}
	if c.any(wantsChange) || c.any(func(d intent) bool { return d.rules || d.search }) {
		need("read_gene", struct{}{})
	}
	if c.any(wantsChange) {
		need("read_feedback", struct{}{})
	}
	for i, a := range c.asks {
		if d := c.does[i]; !d.object && !reacts(d) && !d.board && !d.film && !d.search {
			continue
		}
		for _, r := range a.refs {
			switch r.Type {
			case domain.Material, domain.Board, domain.Film, domain.Asset:
				need("view_object", viewInput{r.Type, r.ID})
			}
		}
	}
	for _, r := range c.citedObjects() {
		need("view_object", viewInput{r.Type, r.ID})
	}
	if c.any(func(d intent) bool { return d.numbers }) && !c.any(func(d intent) bool { return d.object && !d.numbers }) {
		need("read_performance", struct{}{})
		for _, a := range c.asks {
			for _, r := range a.objects() {
				if r.Type != domain.Whole {
					need("view_object", viewInput{r.Type, r.ID})
				}
			}
		}
	}
	if c.any(func(d intent) bool { return d.behaviour }) {
		need("read_behavior", struct{}{})
	}
	return calls
}

// citedObjects are what the waiting feedback that a card would cite is about.
func (c chat) citedObjects() []domain.Ref {
	var waiting feedbackView
	if !c.any(wantsChange) || !c.known || !c.t.result("read_feedback", &waiting) {
		return nil
	}
	used := c.change(true).used
	var out []domain.Ref
	for _, u := range waiting.strong() {
		if used[u.ID] != nil && u.Object.Type != domain.Whole && len(out) < maxViews {
			out = append(out, domain.Ref{Type: u.Object.Type, ID: u.Object.ID})
		}
	}
	return out
}

type viewInput struct {
	Type domain.ObjectType `json:"type"`
	ID   domain.ID         `json:"id"`
}

// analyses asks for the understanding of a material that has none.
func (c chat) analyses() []call {
	if !c.t.offers("analyze_video") {
		return nil
	}
	var calls []call
	for _, v := range c.views() {
		in := map[string]string{"material": string(v.ref.ID)}
		if v.ref.Type == domain.Material && v.unanalysed() && !c.called("analyze_video", in) {
			calls = append(calls, call{"analyze_video", in})
		}
	}
	return calls
}

type recordInput struct {
	Object   domain.Ref      `json:"object"`
	Verdict  string          `json:"verdict,omitempty"`
	Words    string          `json:"words,omitempty"`
	Document domain.Document `json:"document,omitempty"`
}

// records writes down what people said about an object or the whole, in their
// own words.
func (c chat) records() []call {
	if !c.t.offers("record_feedback") {
		return nil
	}
	var calls []call
	for i, a := range c.asks {
		d := c.does[i]
		if !reacts(d) {
			continue
		}
		for _, r := range a.objects() {
			if r.Type != domain.Whole && !c.saw(r) {
				continue // evidence first; the closing words say why
			}
			in := recordInput{Object: r, Words: a.text}
			switch {
			case len(d.wants) > 0 && len(d.liked) == 0:
				in.Verdict = "dislike"
			case len(d.wants) == 0:
				in.Verdict = "like"
			}
			if r.Type == domain.Whole {
				in.Document = wholeDocument(d)
			}
			if !c.called("record_feedback", in) {
				calls = append(calls, call{"record_feedback", in})
			}
		}
	}
	return calls
}

// wholeDocument is the document that a reaction to the whole speaks to; "" if
// it speaks to both or to none.
func wholeDocument(d intent) domain.Document {
	var doc domain.Document
	for _, w := range d.wants {
		docs := documents(w, domain.Ref{Type: domain.Whole})
		if len(docs) > 1 || doc != "" && docs[0] != doc {
			return ""
		}
		doc = docs[0]
	}
	return doc
}

// proposals are the card and the orders of this turn, each once.
func (c chat) proposals() []call {
	var calls []call
	if c.any(wantsChange) && c.t.offers("propose_gene_card") {
		if n, _ := c.t.tried("propose_gene_card"); n == 0 {
			if in, ok := c.card(c.change(false)); ok {
				calls = append(calls, call{"propose_gene_card", in})
			}
		}
	}
	for i, a := range c.asks {
		d := c.does[i]
		if d.search && c.t.offers("order_search") {
			in := searchOrder{What: c.searchWords(a), Why: c.reason(a), Source: d.source, Cites: citesOf(a), Target: d.target}
			if n, _ := c.t.tried("order_search"); n == 0 {
				calls = append(calls, call{"order_search", in})
			}
		}
		if (d.board || d.film) && c.t.offers("propose_order") {
			if n, _ := c.t.tried("propose_order"); n == 0 {
				for _, in := range c.makeOrders(a, d) {
					calls = append(calls, call{"propose_order", in})
				}
			}
		}
	}
	return calls
}

// retries looks at what was refused in the last round and tries again where it
// can be put right: a base that moved, an object that was not looked at, a film
// that needs a board first.
func (c chat) retries() []call {
	var calls []call
	for _, d := range c.lastRound() {
		if !d.failed {
			continue
		}
		n, _ := c.t.tried(d.tool)
		switch {
		case d.tool == "propose_gene_card" && n < maxTries+1:
			if strings.Contains(d.output, "base_moved") || strings.Contains(d.output, "version") && strings.Contains(d.output, "moved") {
				return []call{{"read_gene", struct{}{}}}
			}
			if calls = c.unseen(d.output); len(calls) > 0 {
				return calls
			}
			if in, ok := c.card(c.change(false)); ok && !c.called("propose_gene_card", in) {
				calls = append(calls, call{"propose_gene_card", in})
			}
		case d.tool == "propose_order" && n < maxTries && strings.Contains(strings.ToLower(d.output), "board"):
			for i, a := range c.asks {
				if in := c.makeOrder(a, false); c.does[i].film && !c.called("propose_order", in) {
					calls = append(calls, call{"propose_order", in})
				}
			}
		case d.tool == "record_feedback" && n < maxTries*len(c.asks)+1 && strings.Contains(d.output, "view"):
			var in recordInput
			if json.Unmarshal(d.input, &in) == nil && in.Object.ID != "" && !c.called("view_object", viewInput{in.Object.Type, in.Object.ID}) {
				calls = append(calls, call{"view_object", viewInput{in.Object.Type, in.Object.ID}})
			}
		}
	}
	if n := len(c.t.calls); len(calls) == 0 && n > 0 && c.t.calls[n-1].round == c.t.rounds {
		// What was read or looked at just now was asked for by a refusal.
		switch tries, refused := c.t.tried("propose_gene_card"); {
		case c.t.calls[n-1].tool != "read_gene" && c.t.calls[n-1].tool != "view_object":
		case tries == refused && tries > 0 && tries <= maxTries:
			if in, ok := c.card(c.change(false)); ok && (c.t.calls[n-1].tool == "view_object" || !c.called("propose_gene_card", in)) {
				calls = append(calls, call{"propose_gene_card", in})
			}
		}
	}
	return calls
}

// unseen are looks at the objects that a refusal names.
func (c chat) unseen(refusal string) []call {
	if !strings.Contains(refusal, "[not_viewed]") {
		return nil
	}
	var calls []call
	for _, r := range refs(refusal) {
		if in := (viewInput{r.Type, r.ID}); !c.called("view_object", in) {
			calls = append(calls, call{"view_object", in})
		}
	}
	return calls
}

func (c chat) lastRound() []done {
	var out []done
	for _, d := range c.t.calls {
		if d.round == c.t.rounds {
			out = append(out, d)
		}
	}
	return out
}

// called says whether a tool was called with this input before.
func (c chat) called(tool string, input any) bool {
	want, err := json.Marshal(input)
	if err != nil {
		return false
	}
	for _, d := range c.t.calls {
		if d.tool == tool && sameJSON(d.input, want) {
			return true
		}
	}
	return false
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return string(a) == string(b)
	}
	m, _ := json.Marshal(x)
	n, _ := json.Marshal(y)
	return string(m) == string(n)
}

// lead is what is said before a round's calls: a plan, never a claim.
func (c chat) lead(calls []call) string {
	if c.t.rounds > 0 {
		return ""
	}
	greeting := ""
	if !c.t.spoken {
		greeting = c.say(noticeZH, noticeEN)
	}
	switch calls[0].tool {
	case "view_object":
		return greeting + c.say("我先看一下你引用的内容。", "Let me look at what you cited first.")
	case "read_performance":
		return greeting + c.say("我先查数字。", "Let me check the numbers.")
	case "read_gene":
		return greeting + c.say("我先对照现在的基因。", "Let me compare with the present gene first.")
	case "read_behavior":
		return greeting + c.say("我先查操作记录。", "Let me check the activity first.")
	}
	return greeting
}

func (c chat) say(zh, en string, args ...any) string {
	text := en
	if c.zh {
		text = zh
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}
