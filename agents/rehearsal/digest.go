package rehearsal

import (
	"strings"

	"sozai/domain"
)

// playDigest is the butler's unattended shift: it reads everything, looks at
// what the strong feedback is about, and ends with one card or with a reason.
func playDigest(t transcript) move {
	c := chat{t: t, zh: true}
	c.known = t.result("read_gene", &c.gene)
	if c.known {
		c.zh = chinese(c.gene.Search.Text+c.gene.Steer.Text) || strings.TrimSpace(c.gene.Search.Text+c.gene.Steer.Text) == ""
	}
	hurry := strings.Contains(t.hints, "Start nothing new")
	if !hurry {
		if calls := c.digestReads(); len(calls) > 0 {
			return move{calls: calls}
		}
	}
	var waiting feedbackView
	if !t.result("read_feedback", &waiting) || !c.known {
		return c.noUpdate(c.say("没能读到反馈或基因，这次不提修改。", "The feedback or the gene could not be read; no change is proposed this time."))
	}
	strong := waiting.strong()
	if len(strong) == 0 {
		return c.noUpdate(c.say("只有点击类的弱信号，没有文字反馈：不改方向。", "There are clicks only and no feedback with words: the direction stays."))
	}
	if n, refused := t.tried("propose_update"); n > 0 && refused >= maxTries {
		return c.noUpdate(c.say("提案被拒绝：", "The proposal was refused: ") + firstSentence(last(t, "propose_update").output))
	} else if n > 0 && strings.Contains(last(t, "propose_update").output, "base_moved") && last(t, "read_gene").round < last(t, "propose_update").round {
		return move{calls: []call{{"read_gene", struct{}{}}}}
	}

	var list []targeted
	quiet := 0
	for _, u := range strong {
		if r := u.Object; r.Type != domain.Whole && r.ID != "" && !c.saw(r) {
			quiet++ // not seen: not judged
			continue
		}
		before := len(list)
		if list = weigh(list, u, true); len(list) == before && !joins(list, u) {
			quiet++
		}
	}
	ch := draft(c.gene, list, c.zh)
	in, ok := c.card(ch)
	if !ok {
		if len(ch.disputed) > 0 {
			return c.noUpdate(c.say("大家对这些的意见相反，要由人来定：", "People want opposite things here, which is theirs to settle: ") + strings.Join(ch.disputed, c.say("、", ", ")))
		}
		if len(ch.already) > 0 {
			return c.noUpdate(c.say("文字反馈要的已经写在基因里：", "What the feedback asks for stands in the gene already: ") + strings.Join(ch.already, c.say("、", ", ")))
		}
		return c.noUpdate(c.say("文字反馈里没有可以写成规则的要求。", "The feedback holds nothing that could become a rule."))
	}
	if hurry || !c.called("propose_update", in) {
		return move{text: c.say("文字反馈足以说明要改什么。", "The feedback with words says what to change."), calls: []call{{"propose_update", in}}}
	}
	return c.noUpdate(c.say("提案没有被接受，不重复提交。", "The proposal was not accepted and is not repeated."))
}

// digestReads are the reading tools not called yet, then the objects of the
// strong feedback that were not looked at.
func (c chat) digestReads() []call {
	var calls []call
	for _, tool := range []string{"read_gene", "read_feedback", "read_performance", "read_behavior"} {
		if n, _ := c.t.tried(tool); n == 0 && c.t.offers(tool) {
			calls = append(calls, call{tool, struct{}{}})
		}
	}
	if len(calls) > 0 {
		return calls
	}
	var waiting feedbackView
	c.t.result("read_feedback", &waiting)
	for _, u := range waiting.strong() {
		in := viewInput{u.Object.Type, u.Object.ID}
		switch u.Object.Type {
		case domain.Material, domain.Board, domain.Film:
			if u.Object.ID != "" && len(calls) < 8 && !c.called("view_object", in) && !planned(calls, in) {
				calls = append(calls, call{"view_object", in})
			}
		}
	}
	return calls
}

func planned(calls []call, in viewInput) bool {
	for _, k := range calls {
		if k.input == any(in) {
			return true
		}
	}
	return false
}

// joins says whether a wish of the feedback stands in the list already.
func joins(list []targeted, u feedbackItem) bool {
	for _, w := range list {
		for _, id := range w.feedback {
			if id == u.ID {
				return true
			}
		}
	}
	return false
}

func (c chat) noUpdate(reason string) move {
	return move{calls: []call{{"no_update", map[string]string{"reason": reason}}}}
}

func last(t transcript, tool string) done {
	all := t.of(tool)
	if len(all) == 0 {
		return done{}
	}
	return all[len(all)-1]
}
