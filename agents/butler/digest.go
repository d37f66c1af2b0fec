package butler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sozai/agents"
	"sozai/agents/prompts"
	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// Run is one attempt of a digest, as its run.started says.
type Run struct {
	Key         domain.Key
	Run         domain.ID
	Attempt     int
	Started     uint64 // sequence of this attempt's run.started
	GeneVersion int
}

// Digest works through what is unsettled and ends with a card or with the reason
// for none. It returns how the run ended, to be appended by whoever holds its
// fence; a cancelled ctx gives ReasonCancelled. The error says that the log, the
// read models or a defect kept it from being played.
func Digest(ctx context.Context, env Env, r Run) (run.Finished, error) {
	end := run.Finished{Run: r.Run, Attempt: r.Attempt, Outcome: run.Failed, Reason: run.ReasonInternal, Usage: domain.Usage{Known: true}}
	s, opening, l1, err := openDigest(ctx, env, r)
	if err != nil {
		if ctx.Err() != nil {
			end.Outcome, end.Reason = run.Cancelled, run.ReasonCancelled
			return end, nil //nolint:nilerr // being stopped is an end, not a failure
		}
		return end, fmt.Errorf("open digest %s: %w", r.Run, err)
	}
	prompt := prompts.Butler()
	task := agents.Task{
		Run: r.Run, Attempt: r.Attempt, Version: prompt.Version,
		Constitution: prompt.Text, Context: l1, Opening: opening,
	}
	var result agents.Result
	if env.PlainDigest {
		result, err = s.plainDigest(ctx, task)
	} else {
		result, err = s.loop(nil, digestTools(s)).Run(ctx, task)
	}
	end.Reason, end.Usage, end.Cost = result.Reason, result.Usage, result.Cost
	if s.card != "" { // it stands, also when the run is cancelled afterwards
		end.Products = []domain.Ref{{Type: domain.CardObj, ID: s.card}}
	}
	switch result.Reason {
	case run.ReasonFinished:
		end.Outcome = run.Done
	case run.ReasonCancelled:
		end.Outcome = run.Cancelled
		return end, nil
	}
	end.Summary = domain.Clip(digestSummary(result), domain.MaxFeedback)
	var failed *agents.ModelError
	if errors.As(err, &failed) || errors.Is(err, agents.ErrFold) {
		env.logger().Warn("digest ended by its model", "run", r.Run, "attempt", r.Attempt, "error", err)
		err = nil
	}
	if err != nil {
		return end, fmt.Errorf("play digest %s: %w", r.Run, err)
	}
	return end, nil
}

// digestSummary is the one line of how a digest ended: the card's summary, or
// why there is none.
func digestSummary(r agents.Result) string {
	if r.Final == nil && r.Reason == run.ReasonModel && r.Text() != "" {
		return "模型的回答不是要求的格式，没有提卡 · the model's answer was not in the form that was asked for"
	}
	if r.Final == nil {
		return strings.TrimSpace(endNote(r.Reason))
	}
	var in struct {
		Summary string `json:"summary"`
		Reason  string `json:"reason"`
	}
	if json.Unmarshal(r.Final.Input, &in) != nil {
		return ""
	}
	if r.Final.Tool == toolNoUpdate {
		return in.Reason
	}
	return in.Summary
}

// openDigest reads what the model gets to see: the gene, and the chat since the
// last digest. Feedback, behavior and run outcomes it reads with its tools.
func openDigest(ctx context.Context, env Env, r Run) (s *shift, opening []agents.Message, l1 string, err error) {
	s = newShift(env, r.Key)
	s.run, s.attempt, s.started, s.base = r.Run, r.Attempt, r.Started, r.GeneVersion
	view, err := s.look(ctx, r.GeneVersion)
	if err != nil {
		return nil, nil, "", err
	}
	var last uint64
	err = env.Log.View(ctx, r.Key, func(st *streams.State) error {
		last = lastDigest(st.Run, r.Run)
		return nil
	})
	if err != nil {
		return nil, nil, "", err
	}
	rows, err := s.room(ctx, last)
	if err != nil {
		return nil, nil, "", err
	}
	var since []chat.Message
	for _, m := range view.messages {
		if !m.TakenBack && m.Seq > last {
			since = append(since, m)
		}
	}
	if err := s.introduce(ctx, rows, view, nil, since); err != nil {
		return nil, nil, "", err
	}
	before, err := s.earlier(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	text := s.digestOpening(rows, before)
	if !env.PlainDigest {
		text += howToDigest
	}
	return s, []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: text}}}}, view.context(s), nil
}

func (s *shift) digestOpening(rows []projections.Row, before predecessors) string {
	var b strings.Builder
	if past := s.history(rows, domain.ChatContext); past != "" {
		fmt.Fprintf(&b, "<room>\n%s\n</room>\n", past)
	}
	if note := predecessorNote(before); note != "" {
		b.WriteString(note + "\n")
	}
	b.WriteString("现在没有人在。请做一次消化")
	return b.String()
}

const howToDigest = "：读基因、反馈和任务结果、表现和行为，看过有文字反馈的对象，" +
	"再决定要不要改基因。最后用 propose_update 或 no_update 收尾并说明理由。"

// lastDigest is the sequence at which the last finished digest was asked for; a
// digest that made way for people has digested nothing.
func lastDigest(st run.State, but domain.ID) uint64 {
	var last uint64
	for _, r := range st.Runs {
		if r.ID != but && r.Requested.Work == run.Digest && r.Finished != nil && r.Finished.Outcome == run.Done {
			last = max(last, r.Seq)
		}
	}
	return last
}
