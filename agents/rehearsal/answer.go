package rehearsal

import (
	"strings"

	"sozai/domain"
)

// close says, shortly and only from receipts and results, what came of the turn.
func (c chat) close() string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(c.t.calls) == 0 && !c.t.spoken {
		add(c.say(noticeZH, noticeEN))
	}
	several := len(c.speakers()) > 1
	if several {
		add(strings.Join(c.speakers(), c.say("、", ", ")) + c.say("，一起回答：", ", one answer for all of you:"))
	}
	prefaces := len(parts)
	for i, a := range c.asks {
		one := c
		one.zh = a.zh()
		if text := one.told(a, c.does[i]); text != "" && several {
			add(a.speaker + one.say("：", ": ") + text)
		} else {
			add(text)
		}
	}
	add(c.noted())
	add(c.carded())
	if c.any(wantsChange) {
		if names := c.change(false).disputed; len(names) > 0 {
			add(c.say("关于%s，大家的意见相反，我不站队：请你们定一个方向，定了我再提卡。", "About %s you want opposite things and I take no side: please settle on one, then I can propose it.", strings.Join(names, c.say("、", ", "))))
		}
	}
	add(c.ordered())
	if c.any(func(d intent) bool { return d.rollback }) {
		add(c.say("回滚要由人在版本页上操作，我不能直接改基因。", "A roll-back is done by a person on the versions page; I cannot change the gene myself."))
	} else if c.any(func(d intent) bool { return d.apply }) {
		add(c.say("卡片要由人点「应用」「确认」或「驳回」，我不能代点。", "A card is applied, confirmed or rejected by a person's click; I cannot do that for you."))
	}
	if len(parts) == prefaces {
		add(c.smallTalk())
	}
	return strings.Join(parts, "\n")
}

// told is what one message wanted to know.
func (c chat) told(a ask, d intent) string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	for _, r := range a.objects() {
		if why := c.failure(r); why != "" {
			add(c.say("引用的%s没能打开：%s", "The %s you cited could not be opened: %s", c.noun(r.Type), why))
		} else if d.object || d.numbers {
			add(c.describe(r))
		}
	}
	if d.numbers {
		add(c.numbers(a))
	}
	if d.rules {
		add(c.rules())
	}
	if d.behaviour {
		add(c.activity())
	}
	return strings.Join(parts, "\n")
}

// speakers are the people who wait for an answer, in order.
func (c chat) speakers() []string {
	var out []string
	for _, a := range c.asks {
		if a.speaker != "" {
			out = append(out, a.speaker)
		}
	}
	return unique(out)
}

func (c chat) smallTalk() string {
	switch {
	case c.any(func(d intent) bool { return d.hello }):
		return c.say("你好！你可以告诉我对素材、方案或成片的意见，问某个版本的数字，或者让我再找一批素材。",
			"Hello! Tell me what you think of a material, board or film, ask for a version's numbers, or ask for another batch of material.")
	case c.any(func(d intent) bool { return d.thanks }):
		return c.say("不客气。", "You are welcome.")
	case len(c.asks) == 0:
		return c.say("没有看到要回答的消息。", "There is no message to answer.")
	}
	return c.say("这句话我没能归类。你可以用 @ 引用一条素材并说哪里不对，问「V2 比 V1 好吗」，或者说「再找一批」。",
		"I could not place that. Cite a material with @ and say what is wrong with it, ask “is V2 better than V1?”, or say “find more clips”.")
}

// noted reports the feedback that was written down, or why it was not.
func (c chat) noted() string {
	n, refused, why := 0, 0, ""
	for _, d := range c.t.of("record_feedback") {
		if d.failed {
			refused++
			why = c.refusal(d.output)
			continue
		}
		n++
	}
	switch {
	case n == 1:
		return c.say("意见已记下。", "Your feedback is recorded.")
	case n > 1:
		return c.say("%d 条意见已记下。", "%d pieces of feedback are recorded.", n)
	case refused > 0:
		return c.say("意见没能记下：%s", "The feedback could not be recorded: %s", why)
	}
	return ""
}

// carded reports the card of this turn, or why there is none.
func (c chat) carded() string {
	if !c.any(wantsChange) {
		return ""
	}
	var made struct {
		Card string `json:"card"`
	}
	if c.t.result("propose_gene_card", &made) {
		return c.say("修改建议在卡片里，点「应用」之后才会生成新版本。", "The proposed change is on the card; a new version exists only after someone applies it.")
	}
	if n, refused := c.t.tried("propose_gene_card"); n > 0 && refused == n {
		for i := len(c.t.calls) - 1; i >= 0; i-- {
			if d := c.t.calls[i]; d.tool == "propose_gene_card" {
				return c.say("这张卡没能提出：%s", "The card could not be proposed: %s", c.refusal(d.output))
			}
		}
	}
	if !c.known {
		return c.say("没能读到现在的基因，所以没有提出修改。", "The present gene could not be read, so no change is proposed.")
	}
	ch := c.change(false)
	switch {
	case ch.empty() && len(ch.disputed) > 0:
		return ""
	case len(ch.already) > 0:
		return c.say("现在的基因里已经写着：%s，不用再改一次。", "The gene says this already: %s; no change is needed.", strings.Join(ch.already, c.say("、", ", ")))
	case ch.empty() && c.any(func(d intent) bool { return d.settle }):
		return c.say("没有等待处理的文字反馈，所以没有提出修改。", "No feedback with words is waiting, so no change is proposed.")
	case ch.empty():
		return c.say("没看到引用的内容，所以没有提出修改。", "What you cited could not be seen, so no change is proposed.")
	}
	return ""
}

// ordered reports the orders of this turn, or why they were refused.
func (c chat) ordered() string {
	var out []string
	for _, tool := range []string{"order_search", "propose_order"} {
		var made struct {
			Order string `json:"order"`
		}
		n, refused := c.t.tried(tool)
		switch {
		case n == 0:
		case c.t.result(tool, &made) && refused > 0 && tool == "propose_order":
			out = append(out, c.say("成片要从方案做，所以先下了方案的单，等有人点「确认」才会执行。", "A film is made from a board, so this is an order for the board first; nothing runs until someone confirms it."))
		case c.t.result(tool, &made):
			out = append(out, c.say("下单卡在这里，等有人点「确认」才会执行。", "The order card is here; nothing runs until someone confirms it."))
		case refused == n:
			for i := len(c.t.calls) - 1; i >= 0; i-- {
				if d := c.t.calls[i]; d.tool == tool {
					out = append(out, c.say("下单卡没能提出：%s", "The order could not be proposed: %s", c.refusal(d.output)))
					break
				}
			}
		}
	}
	return strings.Join(out, "\n")
}

// rules says what the gene says.
func (c chat) rules() string {
	if !c.known {
		return c.say("没能读到现在的基因。", "The present gene could not be read.")
	}
	list := func(d docView) string {
		var out []string
		for _, l := range linesOf(d) {
			if t := strings.TrimSpace(l.Text); t != "" {
				out = append(out, "- "+strings.TrimLeft(t, "-*·• "))
			}
		}
		if len(out) == 0 {
			return c.say("- （空）", "- (empty)")
		}
		return strings.Join(out, "\n")
	}
	return c.say("现在是 V%d。\n检索需求：\n%s\n创意规则：\n%s", "This is V%d.\nSearch document:\n%s\nCreative rules:\n%s",
		c.gene.Version, list(c.gene.Search), list(c.gene.Steer))
}

func (c chat) activity() string {
	var b struct {
		Rows []struct {
			At   string `json:"at"`
			By   string `json:"by"`
			Text string `json:"text"`
		} `json:"rows"`
		Viewed     int `json:"viewed"`
		Ignored    int `json:"ignored"`
		Downloaded int `json:"downloaded"`
	}
	if !c.t.result("read_behavior", &b) {
		return c.say("没能读到操作记录。", "The activity could not be read.")
	}
	out := []string{c.say("看过 %d 条素材，忽略 %d 条，下载 %d 条成片；最近的操作有 %d 条。",
		"%d materials viewed, %d passed over, %d films downloaded; %d recent actions.", b.Viewed, b.Ignored, b.Downloaded, len(b.Rows))}
	for _, r := range b.Rows[max(0, len(b.Rows)-5):] {
		out = append(out, "- "+clip(strings.Join(strings.Fields(r.Text), " "), 120))
	}
	return strings.Join(out, "\n")
}

func (c chat) noun(t domain.ObjectType) string {
	switch t {
	case domain.Material:
		return c.say("素材", "material")
	case domain.Board:
		return c.say("方案", "board")
	case domain.Film:
		return c.say("成片", "film")
	}
	return c.say("内容", "object")
}

// describe says what was seen of an object: its understanding and exact counts.
func (c chat) describe(r domain.Ref) string {
	for _, v := range c.views() {
		if v.ref.ID != r.ID {
			continue
		}
		var out []string
		if title := v.text("title"); title != "" {
			out = append(out, c.say("《%s》", "“%s”", clip(title, 60)))
		}
		for _, s := range []struct{ key, zh, en string }{
			{"shot_rhythm", "镜头节奏：", "Shot rhythm: "}, {"spoken_hook", "口播开场：", "Spoken hook: "},
			{"captions", "字幕：", "Captions: "}, {"verdict", "一句话：", "In a line: "},
		} {
			if t := v.text("digest", s.key); t != "" && t != "无" && t != "none" {
				out = append(out, c.say(s.zh, s.en)+t)
			}
		}
		if n, ok := v.count("boards"); ok {
			out = append(out, c.say("出过 %d 个方案", "%d boards made from it", n))
		}
		if n, ok := v.count("films"); ok {
			out = append(out, c.say("出过 %d 条成片", "%d films made", n))
		}
		for _, p := range v.panels() {
			out = append(out, c.say("第 %d 格：%s", "panel %d: %s", p.Number, p.said(c.zh)))
		}
		return strings.Join(out, c.say("；", "; "))
	}
	return ""
}

// count finds a derived number, whether it is one or a list.
func (v viewed) count(name string) (int, bool) {
	for _, path := range [][]string{{name}, {"counts", name}, {"derived", name}} {
		switch x := v.at(path...).(type) {
		case float64:
			return int(x), true
		case []any:
			return len(x), true
		}
	}
	return 0, false
}
