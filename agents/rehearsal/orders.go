package rehearsal

import (
	"regexp"
	"strings"

	"sozai/domain"
)

type searchOrder struct {
	What   string `json:"what"`
	Why    string `json:"why"`
	Source string `json:"source,omitempty"`
	Target int    `json:"target,omitempty"`
}

type makeOrder struct {
	Work   string     `json:"work"`
	What   string     `json:"what"`
	Why    string     `json:"why"`
	Board  domain.ID  `json:"board,omitempty"`
	Cites  []evidence `json:"cites,omitempty"`
	Target int        `json:"target,omitempty"`
}

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

// makeOrder is a board, or a film when a board is cited or film is asked for.
func (c chat) makeOrder(a ask, d intent, film bool) makeOrder {
	in := makeOrder{Work: "board", What: clip(strings.Join(strings.Fields(a.text), " "), 200), Why: c.reason(a), Target: d.target}
	if film {
		in.Work = "film"
	}
	for _, r := range a.refs {
		switch r.Type {
		case domain.Board:
			if in.Board == "" {
				in.Board = r.ID
			}
			in.Cites = append(in.Cites, evidence{r.Type, r.ID})
		case domain.Material, domain.Film, domain.Asset:
			in.Cites = append(in.Cites, evidence{r.Type, r.ID})
		}
	}
	return in
}
