package planner

import (
	"maps"
	"slices"
	"strings"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
)

// finished tells how the loop's result ends the run. A board makes a run done
// whatever cap ended it; without one it failed.
func (s *session) finished(r agents.Result) run.Finished {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := run.Finished{
		Run: s.task.Run, Attempt: s.task.Attempt, Outcome: run.Failed, Reason: r.Reason, Usage: r.Usage, Cost: r.Cost,
	}
	var said []string
	if s.made != nil {
		f.Outcome = run.Done
		f.Products = []domain.Ref{{Type: domain.Board, ID: s.made.Board}}
		said = append(said, s.describe(*s.made), s.why)
		if f.Reason == run.ReasonInternal {
			f.Reason = run.ReasonFinished // the board stands; what went wrong after it is in the log file
		}
	}
	if r.Reason == run.ReasonCancelled {
		f.Outcome = run.Cancelled
	}
	if f.Reason != run.ReasonFinished {
		said = append(said, s.endedBy(f.Reason))
	}
	said = slices.DeleteFunc(append(said, s.notes...), func(t string) bool { return t == "" })
	f.Summary = strings.Join(said, s.say("", " "))
	return f
}

func (s *session) failed(reason run.Reason, summary string) run.Finished {
	return run.Finished{
		Run: s.task.Run, Attempt: s.task.Attempt, Outcome: run.Failed, Reason: reason,
		Summary: summary, Usage: domain.Usage{Known: true},
	}
}

// describe is a board in one sentence: its numbers are counted here.
func (s *session) describe(b library.BoardCreated) string {
	clips := map[domain.ID]bool{}
	for _, p := range b.Panels {
		if p.Material != "" {
			clips[p.Material] = true
		}
	}
	text := s.say("方案「%s」：%d 格，%s 秒，用了 %d 条素材。", "Board “%s”: %d panels, %s s, from %d clips.",
		b.Title, len(b.Panels), number(lasts(b.Panels)), len(clips))
	if len(s.kept) > 0 {
		text += s.say("第 %s 格按大家的意思原样保留。", " Kept as people wanted: panel %s.", s.numbers(slices.Collect(maps.Keys(s.kept))))
	}
	return text
}

func (s *session) endedBy(reason run.Reason) string {
	switch reason {
	case run.ReasonRounds:
		return s.say("轮数用完。", "The rounds are used up.")
	case run.ReasonTokens:
		return s.say("token 预算用完。", "The token budget is used up.")
	case run.ReasonCost:
		return s.say("费用上限已到。", "The cost limit is reached.")
	case run.ReasonTime:
		return s.say("时间用完。", "The time is used up.")
	case run.ReasonStuck:
		return s.say("没有写成方案，已停止。", "No board came of it; stopped.")
	case run.ReasonModel:
		return s.say("模型无法使用。", "The model could not be used.")
	case run.ReasonCancelled:
		return s.say("已取消。", "Cancelled.")
	}
	return s.say("内部错误。", "An error of ours.")
}
