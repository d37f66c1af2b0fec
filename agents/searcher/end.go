package searcher

import (
	"slices"
	"strings"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/run"
)

// finished tells how the loop's result ends the run. What was kept makes a run
// done whatever cap ended it; a source that never gave anything makes it failed.
func (s *session) finished(r agents.Result) run.Finished {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := run.Finished{
		Run: s.task.Run, Attempt: s.task.Attempt, Outcome: run.Done, Reason: r.Reason,
		Products: s.own, Usage: r.Usage, Cost: r.Cost,
	}
	n := len(s.own)
	found := s.say("找到 %d 条创意源。", "%d materials found. ", n)
	switch r.Reason {
	case run.ReasonFinished:
		f.Summary = found + s.reason
		if n == 0 && len(s.met) == 0 && s.refused > 0 {
			f.Outcome, f.Reason = run.Failed, run.ReasonSource
		}
	case run.ReasonCancelled, run.ReasonPeopleCame:
		f.Outcome = run.Cancelled
		f.Summary = found + s.say("已按要求停止。", "Stopped as asked.")
	case run.ReasonModel, run.ReasonInternal, run.ReasonSource, run.ReasonInput:
		f.Outcome = run.Failed
		f.Summary = found + s.endedBy(r.Reason)
	default:
		if n == 0 {
			f.Outcome = run.Failed
		}
		f.Summary = found + s.endedBy(r.Reason)
	}
	f.Summary = strings.TrimSpace(f.Summary + s.missed())
	return f
}

// missed names the sources that could not be used, for the row that closes the
// run; mu is held.
func (s *session) missed() string {
	var names []string
	for name, o := range s.outages {
		if o.closed != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return s.say("（这次用不了：%s）", " (Not usable this time: %s)", strings.Join(names, s.say("、", ", ")))
}

func (s *session) failed(reason run.Reason, summary string) run.Finished {
	return run.Finished{
		Run: s.task.Run, Attempt: s.task.Attempt, Outcome: run.Failed, Reason: reason,
		Summary: summary, Usage: domain.Usage{Known: true}, Products: s.own,
	}
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
		return s.say("没有进展，已停止。", "No progress any more; stopped.")
	case run.ReasonModel:
		return s.say("模型无法使用。", "The model could not be used.")
	case run.ReasonSource:
		return s.say("来源没有回应。", "The source did not answer.")
	}
	return s.say("内部错误。", "An error of ours.")
}
