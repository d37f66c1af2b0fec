package butler

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"

	"sozai/agents"
	"sozai/agents/prompts"
	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/projections"
	"sozai/streams"
)

// Turn is one attempt of an answer, as its turn.started says.
type Turn struct {
	Key         domain.Key
	Turn        domain.ID
	Attempt     int
	Started     uint64 // sequence of this attempt's turn.started
	Messages    []domain.ID
	GeneVersion int
}

// Chat answers the turn's messages, all of them together, each speaker by name.
// It returns how the turn ended, to be appended by whoever holds its fence, with
// what was said so far if ctx ends (Reason turn.Stopped). A model that fails ends
// the turn with a note and no error; the error says that the log, the read models
// or a defect kept it from being played.
func Chat(ctx context.Context, env Env, t Turn, sink Sink) (turn.Finished, error) {
	end := turn.Finished{Turn: t.Turn, Attempt: t.Attempt, Usage: domain.Usage{Known: true}}
	s, opening, l1, err := openChat(ctx, env, t)
	if err != nil {
		if ctx.Err() != nil {
			end.Reason = turn.Stopped
			return end, nil //nolint:nilerr // being stopped is an end, not a failure
		}
		return end, fmt.Errorf("open turn %s: %w", t.Turn, err)
	}
	prompt := prompts.Butler()
	task := agents.Task{
		Turn: t.Turn, Attempt: t.Attempt, Version: prompt.Version,
		Constitution: prompt.Text, Context: l1, Opening: opening,
	}
	result, err := s.play(ctx, sink, chatTools(s), task)
	if n := s.gate.total; n > 0 {
		env.logger().Warn("sentences without evidence were withheld", "turn", t.Turn, "attempt", t.Attempt, "model", env.Model.Name(), "sentences", n)
	}
	end.Reason, end.Blocks, end.Usage, end.Cost = string(result.Reason), withInterrupted(result.Blocks), result.Usage, result.Cost
	if result.Reason == run.ReasonCancelled {
		end.Reason = turn.Stopped
		return end, nil
	}
	if note := endNote(result.Reason); note != "" {
		end.Blocks = append(end.Blocks, turn.Block{Type: turn.Note, Text: note})
	}
	var failed *agents.ModelError
	if errors.As(err, &failed) || errors.Is(err, agents.ErrFold) {
		env.logger().Warn("turn ended by its model", "turn", t.Turn, "attempt", t.Attempt, "error", err)
		err = nil
	}
	if err != nil {
		return end, fmt.Errorf("play turn %s: %w", t.Turn, err)
	}
	return end, nil
}

// withInterrupted adds a note when calls ended without a result: nobody knows
// whether they took effect.
func withInterrupted(blocks []turn.Block) []turn.Block {
	n := 0
	for _, b := range blocks {
		if b.Type == turn.Tool && b.Outcome == agents.OutcomeInterrupted {
			n++
		}
	}
	if n == 0 {
		return blocks
	}
	return append(blocks, turn.Block{Type: turn.Note, Text: fmt.Sprintf(
		"%d 个操作被中断，是否生效以时间流里的记录为准 · %d interrupted; the timeline shows whether anything came of it", n, n)})
}

// endNote tells the room why an answer ended early.
func endNote(reason run.Reason) string {
	switch reason {
	case run.ReasonFinished, run.ReasonCancelled:
		return ""
	case run.ReasonModel:
		return "模型没有应答，请稍后再说一次 · the model did not answer; please say it again later"
	case run.ReasonRounds, run.ReasonTokens, run.ReasonCost, run.ReasonTime:
		return fmt.Sprintf("这一轮到了上限（%s），回答到此为止 · this answer ended at a limit (%s)", reason, reason)
	case run.ReasonStuck:
		return "这一轮没有进展，已停下 · this answer made no progress and was ended"
	}
	return "这一轮出错了，已记录 · this answer failed; the error has been logged"
}

// maxPast is how many earlier messages a quotation may come from.
const maxPast = 200

// openChat reads what the model gets to see.
func openChat(ctx context.Context, env Env, t Turn) (s *shift, opening []agents.Message, l1 string, err error) {
	s = newShift(env, t.Key)
	s.turn, s.attempt, s.started, s.base = t.Turn, t.Attempt, t.Started, t.GeneVersion
	view, err := s.look(ctx, t.GeneVersion)
	if err != nil {
		return nil, nil, "", err
	}
	var open, older []chat.Message
	for _, m := range view.messages {
		switch {
		case slices.Contains(t.Messages, m.ID):
			open = append(open, m)
		case !m.TakenBack:
			older = append(older, m)
		}
	}
	slices.SortStableFunc(open, func(a, b chat.Message) int { return cmp.Compare(a.Seq, b.Seq) })
	older = older[max(0, len(older)-maxPast):]
	if len(open) == 0 {
		return nil, nil, "", domain.Errorf(domain.NotFound, "turn %s has no message to answer", t.Turn)
	}
	rows, err := s.room(ctx, 0)
	if err != nil {
		return nil, nil, "", err
	}
	// What waits is shown below, not in the history as well.
	rows = slices.DeleteFunc(rows, func(r projections.Row) bool {
		return r.Type == projections.RowChat && slices.Contains(t.Messages, r.Ref)
	})
	if err := s.introduce(ctx, rows, view, open, older); err != nil {
		return nil, nil, "", err
	}
	before, err := s.earlier(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	text, l1 := s.chatOpening(rows, open, before), view.context(s)
	s.gate.shown(text, l1)
	return s, []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: text}}}}, l1, nil
}

// chatOpening is L2 of a turn: the history that fits, then what is to be answered.
func (s *shift) chatOpening(rows []projections.Row, open []chat.Message, before predecessors) string {
	var asked []string
	budget := domain.ChatContext
	for _, m := range open {
		text := person(s.nameOf(m.Actor), m.Refs, m.At.UTC().Format("2006-01-02 15:04"), m.Text)
		budget -= agents.EstimateTokens(text)
		asked = append(asked, text)
	}
	var b strings.Builder
	if past := s.history(rows, budget); past != "" {
		fmt.Fprintf(&b, "<room>\n%s\n</room>\n", past)
	}
	if note := predecessorNote(before); note != "" {
		b.WriteString(note + "\n")
	}
	fmt.Fprintf(&b, "<unanswered>\n%s\n</unanswered>\n", strings.Join(asked, "\n"))
	if names := s.speakersOf(open); len(names) > 1 {
		fmt.Fprintf(&b, "请回答 <unanswered> 里的每一条消息，说话人有：%s。逐一称呼，谁的都不漏。", html.EscapeString(strings.Join(names, "、")))
	} else {
		b.WriteString("请回答 <unanswered> 里的每一条消息。")
	}
	return b.String()
}

func (s *shift) speakersOf(open []chat.Message) []string {
	var names []string
	for _, m := range open {
		if n := s.nameOf(m.Actor); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// play runs the loop. When everything that the last round said was withheld, the
// model is told so, once, and may put it right within the same caps.
func (s *shift) play(ctx context.Context, sink Sink, tools []agents.Tool, task agents.Task) (agents.Result, error) {
	loop := s.loop(sink, tools)
	loop.Objection = func() string {
		if !s.gate.silenced() {
			return ""
		}
		return "[gate] 你刚才说的话声称做了某件事，但这一轮没有工具回执能证明，或者说了工具没有给过的数字，所以没有给人看到。" +
			"要么现在用工具去做、去查，要么如实说没有做、不知道。不要重复原来的说法。"
	}
	return loop.Run(ctx, task)
}

// seen is what the log says about the agent at the start of a shift.
type seen struct {
	name, brief   string
	version       gene.Minted
	search, steer []gene.Line
	messages      []chat.Message
	sources       []string
	logged        logged
}

// context is L1.
func (v seen) context(s *shift) string {
	return geneContext(v.name, v.brief, v.version, v.search, v.steer, s.nameOf)
}

// look folds the log; version is the one that the shift is pinned to.
func (s *shift) look(ctx context.Context, version int) (seen, error) {
	var v seen
	err := s.env.Log.View(ctx, s.key, func(st *streams.State) error {
		if err := s.check(st); err != nil {
			return err
		}
		if version < 1 || version > len(st.Gene.Versions) {
			return gene.ErrNoVersion.With(nil, "there is no gene version %d", version)
		}
		v.name, v.brief, v.sources = st.Agent.Name, st.Agent.Brief, slices.Clone(st.Agent.Sources)
		v.version = st.Gene.Versions[version-1]
		v.search = slices.Clone(st.Gene.LinesAt(version, domain.Search))
		v.steer = slices.Clone(st.Gene.LinesAt(version, domain.Steer))
		v.messages = slices.Clone(st.Chat.Messages)
		v.logged = logOf(st)
		return nil
	})
	return v, err
}

// logOf is what sentences about the past may cite.
func logOf(st *streams.State) logged {
	var cards, orders, runs []domain.ID
	pendingCard, pendingOrder, running := false, false, false
	for id, c := range st.Gene.Cards {
		if c.By.IsButler() {
			cards = append(cards, id)
			pendingCard = pendingCard || c.State == gene.StatePending
		}
	}
	for id, o := range st.Run.Orders {
		if o.By.IsButler() {
			orders = append(orders, id)
			pendingOrder = pendingOrder || o.State == run.StatePending
		}
	}
	for id, r := range st.Run.Runs {
		runs = append(runs, id)
		running = running || r.Live && r.Requested.Work != run.Digest
	}
	l := loggedOf(st.Gene.Version, cards, orders, runs)
	l.pendingCard, l.pendingOrder, l.running = pendingCard, pendingOrder, running
	return l
}

// introduce learns the names and words of the people in the room and sets up the gate.
func (s *shift) introduce(ctx context.Context, rows []projections.Row, v seen, open, older []chat.Message) error {
	actors := []domain.Actor{}
	for _, lines := range [][]gene.Line{v.search, v.steer} {
		for _, l := range lines {
			actors = append(actors, l.Author)
		}
	}
	for _, m := range slices.Concat(older, open) {
		actors = append(actors, m.Actor)
		s.people = append(s.people, said{message: m.ID, by: m.Actor.ID(), text: m.Text})
	}
	for i := len(s.people) - len(open); i < len(s.people); i++ {
		s.people[i].open = true
	}
	var err error
	if s.names, err = s.env.names(ctx, speakers(rows, actors...)); err != nil {
		return fmt.Errorf("names of the room: %w", err)
	}
	var called []string
	for _, n := range s.names {
		called = append(called, n)
	}
	v.logged.viewed = slices.ContainsFunc(rows, lookedAt)
	if err := s.fresh(ctx, "feedback"); err != nil {
		return err
	}
	given, err := s.env.Store.Feedback(ctx, s.key, projections.FeedbackFilter{Limit: maxPast})
	if err != nil {
		return err
	}
	v.logged.feedback = slices.ContainsFunc(given, func(f projections.FeedbackItem) bool { return f.WrittenBy.IsButler() })
	s.gate = newGate(v.logged, called)
	return nil
}

// lookedAt says whether an answer looked at objects or numbers.
func lookedAt(r projections.Row) bool {
	var body projections.TurnBody
	if r.Type != projections.RowTurn || json.Unmarshal(r.Body, &body) != nil {
		return false
	}
	return slices.ContainsFunc(body.Blocks, func(b turn.Block) bool {
		return b.Type == turn.Tool && b.Outcome == agents.OutcomeOK &&
			(b.Tool == toolViewObject || b.Tool == toolAnalyzeVideo || b.Tool == toolReadPerformance || b.Tool == toolReadBehavior)
	})
}
