package butler

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/projections"
)

// What the model sees of a room. People's words stand in <person>, the butler's
// in <butler>, what the system recorded in <record>; text from outside in
// <quoted>. Everything that anybody wrote is escaped, so that no message can
// pretend to be another's, or a record.

// geneContext is L1: name, brief and the pinned gene version with the author of
// each line. It changes only with them.
func geneContext(name, brief string, version gene.Minted, search, steer []gene.Line, who func(domain.Actor) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<agent name=%s>\n%s\n</agent>\n", attr(name), html.EscapeString(strings.TrimSpace(brief)))
	fmt.Fprintf(&b, "<gene version=\"%d\">\n", version.Version)
	for _, doc := range []struct {
		name  string
		lines []gene.Line
	}{{"search", search}, {"steer", steer}} {
		fmt.Fprintf(&b, "<%s>\n", doc.name)
		for i, l := range doc.lines {
			fmt.Fprintf(&b, "%d [%s] %s\n", i+1, html.EscapeString(who(l.Author)), html.EscapeString(l.Text))
		}
		fmt.Fprintf(&b, "</%s>\n", doc.name)
	}
	fmt.Fprintf(&b, "<constraints>%s</constraints>\n</gene>\n", constraintWords(version.Constraints))
	return b.String()
}

func constraintWords(c domain.Constraints) string {
	var parts []string
	if c.MaxFilmSeconds > 0 {
		parts = append(parts, fmt.Sprintf("max_film_seconds=%d", c.MaxFilmSeconds))
	}
	if c.Aspect != "" {
		parts = append(parts, "aspect="+html.EscapeString(c.Aspect))
	}
	return cmp.Or(strings.Join(parts, " "), "none")
}

func attr(s string) string {
	return `"` + html.EscapeString(strings.Join(strings.Fields(s), " ")) + `"`
}

// history renders the newest rows that fit into a budget of tokens, oldest first.
func (s *shift) history(rows []projections.Row, budget int) string {
	var parts []string
	for _, row := range slices.Backward(rows) {
		text := s.row(row)
		if text == "" {
			continue
		}
		if budget -= agents.EstimateTokens(text); budget < 0 {
			break
		}
		parts = append(parts, text)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n")
}

// rowWords is a row as plain words, for tools that list rows, and apart from
// them what it holds of outside text.
func (s *shift) rowWords(r projections.Row) (text, quoted string) {
	marked := s.row(r)
	for _, m := range quotation.FindAllStringSubmatch(marked, -1) {
		quoted = strings.TrimSpace(quoted + " " + m[1])
	}
	text = tags.ReplaceAllString(quotation.ReplaceAllString(marked, ""), "")
	return strings.TrimSpace(html.UnescapeString(text)), html.UnescapeString(quoted)
}

var (
	tags      = regexp.MustCompile(`<[^>]*>`)
	quotation = regexp.MustCompile(`(?s)<quoted>(.*?)</quoted>`)
)

// row renders one row of the timeline; "" for rows that tell the model nothing.
func (s *shift) row(r projections.Row) string {
	who := s.nameOf(r.Actor)
	record := func(format string, args ...any) string {
		return fmt.Sprintf("<record at=%q>%s</record>", clock(r), html.EscapeString(fmt.Sprintf(format, args...)))
	}
	// Titles and summaries may hold words from outside.
	recordOf := func(outside, format string, args ...any) string {
		if outside == "" {
			return record(format, args...)
		}
		return strings.TrimSuffix(record(format, args...), "</record>") + " " + quoted(outside) + "</record>"
	}
	switch r.Type {
	case projections.RowChat:
		var body projections.ChatBody
		if json.Unmarshal(r.Body, &body) != nil || body.TakenBack {
			return ""
		}
		return person(who, r.Refs, clock(r), body.Text)
	case projections.RowTurn:
		return s.turnRow(r)
	case projections.RowCard:
		return joinLines(s.cardRecords(r))
	case projections.RowOrder:
		return joinLines(s.orderRecords(r))
	case projections.RowCardApplied, projections.RowCardRejected, projections.RowOrderConfirmed, projections.RowOrderDeclined:
		var b projections.DecisionBody
		_ = json.Unmarshal(r.Body, &b) // an empty body is told without its details
		switch r.Type {
		case projections.RowCardApplied:
			return record("%s 应用了基因卡 %s，生成 V%d（%s），结清 %d 条反馈", who, r.Ref, b.Version, strings.Join(b.Documents, "、"), b.Settled)
		case projections.RowCardRejected:
			return record("%s 驳回了基因卡 %s：%s", who, r.Ref, cmp.Or(b.Reason, "没有说理由"))
		case projections.RowOrderConfirmed:
			return record("%s 确认了下单卡 %s，任务 %s", who, r.Ref, b.Run)
		default:
			return record("%s 谢绝了下单卡 %s：%s", who, r.Ref, cmp.Or(b.Reason, "没有说理由"))
		}
	case projections.RowGeneEdited, projections.RowGeneRolledBack:
		var b projections.VersionBody
		_ = json.Unmarshal(r.Body, &b)
		if r.Type == projections.RowGeneRolledBack {
			return record("%s 把基因回滚到 V%d，成为 V%d", who, b.RolledBackTo, b.Version)
		}
		return record("%s 直接编辑了基因，成为 V%d：%s", who, b.Version, b.Summary)
	case projections.RowRunOrdered, projections.RowRunAsked:
		var b projections.RunBody
		_ = json.Unmarshal(r.Body, &b)
		return record("%s 发起了任务 %s（%s，%s）：%s", who, r.Ref, b.Work, b.Trigger, b.Request.What)
	case projections.RowRunFinished:
		var b projections.RunEndBody
		_ = json.Unmarshal(r.Body, &b)
		return recordOf(b.Summary, "任务 %s（%s，V%d）结束：%s，原因 %s%s", r.Ref, b.Work, b.GeneVersion, b.Outcome, b.Reason, countWords(b.Counts))
	case projections.RowFeedback:
		var b projections.FeedbackBody
		if json.Unmarshal(r.Body, &b) != nil || b.Withdrawn {
			return ""
		}
		return record("%s 对%s给出反馈 %s（%s）：%s", who, refWords(b.Object), r.Ref, cmp.Or(b.Verdict, "只有文字"), b.Words)
	case projections.RowReactions:
		var b projections.ReactionsBody
		_ = json.Unmarshal(r.Body, &b)
		return record("%s 点了 %d 个赞、%d 个踩，下载 %d 次（%s）", who, b.Likes, b.Dislikes, b.Downloads, b.Object)
	case projections.RowBoardEdited, projections.RowAssetUploaded:
		var b projections.TitleBody
		_ = json.Unmarshal(r.Body, &b)
		if r.Type == projections.RowAssetUploaded {
			return recordOf(b.Title, "%s 上传了资产 %s", who, r.Ref)
		}
		return recordOf(b.Title, "%s 修改了方案 %s", who, r.Ref)
	}
	return ""
}

// turnRow is an answer of the butler: its words, then what the system recorded
// of it. Cards and orders are told as they are now.
func (s *shift) turnRow(r projections.Row) string {
	var body projections.TurnBody
	if json.Unmarshal(r.Body, &body) != nil {
		return ""
	}
	var words []string
	var tools []string
	for _, b := range body.Blocks {
		switch b.Type {
		case turn.Text:
			if t := strings.TrimSpace(b.Text); t != "" {
				words = append(words, t)
			}
		case turn.Tool:
			tools = append(tools, strings.TrimSpace(b.Tool+" "+b.Object+" "+b.Outcome))
		}
	}
	var out []string
	if len(words) > 0 {
		out = append(out, fmt.Sprintf("<butler at=%q>%s</butler>", clock(r), html.EscapeString(strings.Join(words, "\n"))))
	}
	if len(tools) > 0 {
		out = append(out, fmt.Sprintf("<record at=%q>管家这一轮用过：%s</record>", clock(r), html.EscapeString(strings.Join(tools, "；"))))
	}
	if body.Reason != string(run.ReasonFinished) {
		out = append(out, fmt.Sprintf("<record at=%q>管家这一轮的回答没有说完：%s</record>", clock(r), html.EscapeString(body.Reason)))
	}
	out = append(out, s.cardRecords(r)...)
	out = append(out, s.orderRecords(r)...)
	return joinLines(out)
}

func (s *shift) cardRecords(r projections.Row) []string {
	var out []string
	for _, c := range r.Cards {
		state := ""
		switch c.State {
		case gene.StatePending:
			state = "等待人确认"
		case gene.StateApplied:
			state = fmt.Sprintf("已由 %s 应用，成为 V%d", s.nameOf(c.ClosedBy), c.Version)
		case gene.StateRejected:
			state = fmt.Sprintf("被 %s 驳回：%s", s.nameOf(c.ClosedBy), cmp.Or(c.Why, "没有说理由"))
		case gene.StateExpired:
			state = "按规则过期（" + expiryWords(c.Cause) + "），没有人拒绝它；引用的反馈仍然待处理"
		}
		out = append(out, fmt.Sprintf("<record at=%q>%s</record>", clock(r), html.EscapeString(fmt.Sprintf(
			"基因卡 %s（基于 V%d，改 %s）：%s —— %s", c.Card, c.BaseVersion, strings.Join(c.Documents, "、"), c.Summary, state))))
	}
	return out
}

// expiryWords says why a card or order expired: never a person's no.
func expiryWords(c gene.Cause) string {
	switch c {
	case gene.CauseAge:
		return "到期没有人处理"
	case gene.CauseBaseMoved:
		return "基因有了新版本"
	}
	return string(c)
}

func (s *shift) orderRecords(r projections.Row) []string {
	var out []string
	for _, o := range r.Orders {
		state := ""
		switch o.State {
		case run.StatePending:
			state = "等待人确认"
		case run.StateConfirmed:
			state = fmt.Sprintf("已由 %s 确认，任务 %s", s.nameOf(o.ClosedBy), o.Run)
		case run.StateDeclined:
			state = fmt.Sprintf("被 %s 谢绝：%s", s.nameOf(o.ClosedBy), cmp.Or(o.Why, "没有说理由"))
		case run.StateExpired:
			state = "按规则过期（" + expiryWords(gene.CauseAge) + "），没有人拒绝它"
		}
		out = append(out, fmt.Sprintf("<record at=%q>%s</record>", clock(r), html.EscapeString(fmt.Sprintf(
			"下单卡 %s（%s）：%s —— %s", o.Order, o.Work, o.Request.What, state))))
	}
	return out
}

// person renders what somebody said and cited.
func person(name string, refs []domain.Ref, at, text string) string {
	cites := make([]string, len(refs))
	for i, r := range refs {
		cites[i] = cite(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<person name=%s", attr(name))
	if at != "" {
		fmt.Fprintf(&b, " at=%q", at)
	}
	if len(cites) > 0 {
		fmt.Fprintf(&b, " cites=%s", attr(strings.Join(cites, "; ")))
	}
	fmt.Fprintf(&b, ">%s</person>", html.EscapeString(text))
	return b.String()
}

// cite names an object as tools take it.
func cite(r domain.Ref) string {
	out := strings.TrimSpace(string(r.Type) + " " + string(r.ID))
	if r.Panel > 0 {
		out += fmt.Sprintf(" panel %d", r.Panel)
	}
	if r.From > 0 || r.To > 0 {
		out += fmt.Sprintf(" from %g to %g", r.From, r.To)
	}
	return out
}

// refWords names an object for people and records.
func refWords(r domain.Ref) string {
	if r.Type == domain.Whole || r.Type == "" {
		return "整体"
	}
	return cite(r)
}

// quoted marks text from outside.
func quoted(text string) string { return "<quoted>" + html.EscapeString(text) + "</quoted>" }

func clock(r projections.Row) string { return r.Time.UTC().Format("2006-01-02 15:04") }

func joinLines(lines []string) string { return strings.Join(lines, "\n") }

func countWords(counts map[domain.ObjectType]int) string {
	var parts []string
	for _, t := range []domain.ObjectType{domain.Material, domain.Board, domain.Film, domain.CardObj} {
		if n := counts[t]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, t))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "，产出 " + strings.Join(parts, "、")
}

// predecessorNote tells a later attempt what is there already.
func predecessorNote(p predecessors) string {
	if p.empty() {
		return ""
	}
	var parts []string
	for _, c := range p.cards {
		parts = append(parts, fmt.Sprintf("基因卡 %s（%s）", c.ID, c.Summary))
	}
	for _, o := range p.orders {
		parts = append(parts, fmt.Sprintf("下单卡 %s（%s：%s）", o.ID, o.Work, o.Request.What))
	}
	for _, f := range p.feedback {
		parts = append(parts, fmt.Sprintf("反馈 %s（%s）", f.Feedback, f.Words))
	}
	return "<record>这项工作中断过，前一次尝试已经留下：" + html.EscapeString(strings.Join(parts, "；")) +
		"。它们有效，不要再提一次；需要时再调用同一工具，会得到原来的那一份。</record>"
}

// speakers lists the people in rows and messages, once each, in order.
func speakers(rows []projections.Row, more ...domain.Actor) []domain.ID {
	var out []domain.ID
	add := func(a domain.Actor) {
		if a.IsPerson() && !slices.Contains(out, a.ID()) {
			out = append(out, a.ID())
		}
	}
	for _, r := range rows {
		add(r.Actor)
		for _, c := range r.Cards {
			add(c.ClosedBy)
		}
		for _, o := range r.Orders {
			add(o.ClosedBy)
		}
	}
	for _, a := range more {
		add(a)
	}
	return out
}

// Rows are read a page at a time until they fill the context, or so many pages.
const (
	roomPage = 200
	maxPages = 5
)

// room reads the newest rows of the timeline after a sequence, as of this shift's
// start: as many as fill the context, oldest first.
func (s *shift) room(ctx context.Context, after uint64) ([]projections.Row, error) {
	if err := s.fresh(ctx, projections.Timeline); err != nil {
		return nil, err
	}
	var rows []projections.Row
	before, filled := uint64(0), 0
	for range maxPages {
		page, err := s.env.Store.Timeline(ctx, s.key, projections.Page{Before: before, Limit: roomPage})
		if err != nil {
			return nil, err
		}
		whole := len(page) < roomPage
		for len(page) > 0 && page[0].Seq <= after {
			page, whole = page[1:], true
		}
		for _, r := range page {
			filled += agents.EstimateTokens(s.row(r))
		}
		rows = append(page, rows...)
		if whole || filled > domain.ChatContext {
			break
		}
		before = page[0].Seq
	}
	return rows, nil
}

var spaces = regexp.MustCompile(`\s+`)

// squeezed is a text without blanks, for comparing what was quoted with what was said.
func squeezed(s string) string { return spaces.ReplaceAllString(s, "") }
