package rehearsal

import (
	"regexp"
	"strings"

	"sozai/domain"
)

type searchOrder struct {
	What   string     `json:"what"`
	Why    string     `json:"why"`
	Source string     `json:"source,omitempty"`
	Cites  []evidence `json:"cites,omitempty"`
	Target int        `json:"target,omitempty"`
}

type makeOrder struct {
	Work  string     `json:"work"`
	What  string     `json:"what"`
	Why   string     `json:"why"`
	Board domain.ID  `json:"board,omitempty"`
	Cites []evidence `json:"cites,omitempty"`
}

// maxAlike bounds how many boards are ordered for one wish.
const maxAlike = 3

var (
	orderLead = regexp.MustCompile(`(?i)^(?:请|麻烦|帮我们?|帮忙|给我们?|能不能|可以|那就?|然后|再|去|多|先|来|下一?单|搜索?|检索|找|补|一下|一批|一些|一点|点|些|几[条个份支]|\d+\s*[条个份支款]|please|can you|could you|now|then|search(?: again)? for|search|look for|find|get|me|us|some|another batch(?: of)?|a batch of|more|\d+|of|run a)[\s，,:：]*`)
	orderTail = regexp.MustCompile(`(?i)[\s的]*(?:创意源|素材|视频|参考|吧|呀|啊|吗|好吗|一下|material|materials|clips?|videos?|references?|please)\s*[。.!！?？]*$`)
)

// searchWords are what a search order looks for: what the message names, else
// what the gene says.
func (c chat) searchWords(a ask) string {
	for _, clause := range clauseEnd.Split(a.text, -1) {
		if !searchAsk.MatchString(clause) {
			continue
		}
		if w := strip(clause); w != "" {
			return w
		}
	}
	if c.known {
		for _, l := range linesOf(c.gene.Search) {
			if text := strings.TrimLeft(strings.TrimSpace(l.Text), "-*·•# "); text != "" {
				return clip(text, 80)
			}
		}
	}
	return c.say("按当前检索需求再找一批", "Another batch by the present search document")
}

func strip(clause string) string {
	w := strings.TrimSpace(clause)
	for {
		cut := strings.TrimSpace(orderTail.ReplaceAllString(orderLead.ReplaceAllString(w, ""), ""))
		if cut == w || cut == "" {
			return clip(cut, 80)
		}
		w = cut
	}
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) > n {
		return string(r[:n])
	}
	return s
}

func (c chat) reason(a ask) string {
	if a.speaker == "" {
		return c.say("房间里有人提出：", "Asked in the room: ") + quoteOf(a, c.zh)
	}
	return quoteOf(a, c.zh)
}

// makeOrders are as many orders as boards are wanted: one order makes one.
func (c chat) makeOrders(a ask, d intent) []makeOrder {
	n := 1
	if !d.film {
		n = min(max(d.boards, 1), maxAlike)
	}
	var out []makeOrder
	for i := range n {
		in := c.makeOrder(a, d.film)
		if i > 0 {
			in.What = clip(in.What, 160) + c.say("（第 %d 份，换一种写法）", " (no. %d, written another way)", i+1)
		}
		out = append(out, in)
	}
	return out
}

// makeOrder is a board, or a film when film is asked for. The base board is the
// first that is cited; its panels are cited by number.
func (c chat) makeOrder(a ask, film bool) makeOrder {
	in := makeOrder{Work: "board", What: clip(strings.Join(strings.Fields(a.text), " "), 200), Why: c.reason(a)}
	if film {
		in.Work = "film"
	}
	for _, r := range a.refs {
		if r.Type == domain.Board && in.Board == "" {
			in.Board = r.ID
		}
	}
	in.Cites = citesOf(a)
	return in
}

// citesOf are the objects that a message cites, with panels and stretches.
func citesOf(a ask) []evidence {
	var out []evidence
	for _, r := range a.refs {
		switch r.Type {
		case domain.Board, domain.Material, domain.Film, domain.Asset:
			out = append(out, evidence{r.Type, r.ID, r.Panel, r.From, r.To})
		}
	}
	return out
}
