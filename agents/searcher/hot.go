package searcher

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sozai/agents"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
)

// hotRetry is the least time before an engine that failed is asked again.
const hotRetry = 5 * time.Second

// hotRun is one attempt of a deep search.
type hotRun struct {
	*session
	engine string           // the engine's task
	got    source.HotReport // what it last reported
	why    string           // what the engine said when it refused
	tally  tally
}

// Hot plays one attempt of a run that is for the deep-search engine: it hands the
// whole request over, once a run whatever the attempts, waits for at most
// domain.HotWait, and imports what the engine reports, analysed, as materials of
// the agent. What is there already is not imported again, so an attempt goes on
// where the one before was lost. It ends like Run.
func Hot(ctx context.Context, env Env, task Task) (run.Finished, error) {
	h := &hotRun{session: newSession(env.ready(), task)}
	if task.Request.Source == "" {
		h.task.Request.Source = hotSource
	}
	if end, err := h.prepare(ctx); end != nil {
		return *end, err
	}
	ctx = h.meter.billed(ctx)
	reason, err := h.handOver(ctx)
	if reason == "" && err == nil {
		if reason, err = h.wait(ctx); err == nil {
			err = h.bring(ctx)
		}
	}
	if ctx.Err() != nil {
		return h.ended(run.ReasonCancelled), nil
	}
	if err != nil {
		return h.ended(run.ReasonInternal), err
	}
	return h.ended(reason), nil
}

// handOver starts the search. A reason says that the engine did not take it.
func (h *hotRun) handOver(ctx context.Context) (run.Reason, error) {
	request := source.HotRequest{
		What: h.task.Request.What, Why: h.task.Request.Why, Target: h.target,
		Brief: strings.TrimSpace(h.task.Name + "\n" + h.task.Brief), Search: h.task.Gene.Search,
	}
	for try := 1; ; try++ {
		task, err := h.env.Hot.Start(ctx, h.task.who(), request)
		if err == nil {
			h.engine = task
			return "", h.step(ctx, 1, "hand_over", request, task)
		}
		again, err := h.failing(err)
		if err != nil {
			return "", err
		}
		if again == 0 || try >= patience {
			return run.ReasonSource, nil
		}
		if err := pause(ctx, again); err != nil {
			return "", err
		}
	}
}

// wait asks for the report as often as the engine says, until it is complete. The
// engine may be away for a while: what it was handed is paid for.
func (h *hotRun) wait(ctx context.Context) (run.Reason, error) {
	until := h.env.Now().Add(domain.HotWait)
	for {
		report, done, wait, err := h.env.Hot.Check(ctx, h.task.who(), h.engine)
		if err != nil {
			again, err := h.failing(err)
			if err != nil {
				return "", err
			}
			if again == 0 {
				return run.ReasonSource, nil
			}
			wait = again
		} else {
			h.got, h.why = report, ""
		}
		if done {
			return run.ReasonFinished, h.step(ctx, 2, "report", h.engine, fmt.Sprintf("%d items. %s", len(report.Items), report.Summary))
		}
		left := until.Sub(h.env.Now())
		if left <= 0 {
			return run.ReasonTime, nil
		}
		h.report(ctx, step.Progressed{Done: h.got.Done, Target: h.got.Total, Unit: "steps"})
		if err := pause(ctx, min(wait, left)); err != nil {
			return "", err
		}
	}
}

// failing takes note of what the engine said and returns when to ask again: 0 for
// never. Errors that are not the engine's are returned.
func (h *hotRun) failing(err error) (time.Duration, error) {
	var failed *source.Error
	if !errors.As(err, &failed) {
		return 0, err
	}
	h.why = failed.Message
	if failed.Kind == source.Refused {
		return 0, nil
	}
	return max(failed.RetryAfter, hotRetry), nil
}

// step keeps in the run's transcript what was exchanged with the engine, and what
// that was charged.
func (h *hotRun) step(ctx context.Context, round int, tool string, in any, out string) error {
	return h.record(ctx, fmt.Sprintf("round-%d", round), step.Recorded{
		Run: h.task.Run, Attempt: h.task.Attempt, Round: round, Model: h.env.Hot.Name(), Stop: string(agents.StopToolUse),
		Usage: domain.Usage{Known: true}, Cost: h.meter.round(0),
		Calls: []step.Call{{
			ID: tool, Tool: tool, Input: clip(string(encode(in)), 500), Output: clip(out, 500), Outcome: agents.OutcomeOK,
		}},
	})
}

// ended tells how the run ends. What was imported makes it done, whatever ended
// the wait.
func (h *hotRun) ended(reason run.Reason) run.Finished {
	f := h.finished(agents.Result{Reason: reason, Usage: domain.Usage{Known: true}, Cost: h.meter.spent()})
	n := len(f.Products)
	said := h.say("存下 %d 条创意源", "%d materials kept", n) + h.tally.words(h.session)
	switch reason {
	case run.ReasonFinished:
		said = h.say("深度搜索引擎交回 %d 条：", "The deep search reported %d: ", len(h.got.Items)) + said
		if h.got.Summary != "" {
			said += h.say("。引擎的话：「%s」", ". The engine says: “%s”", clip(h.got.Summary, 300))
		}
	case run.ReasonTime:
		said = h.say("等了 %g 分钟，深度搜索引擎还没有做完；", "The deep search was not complete after %g minutes; ", domain.HotWait.Minutes()) + said
	case run.ReasonSource:
		said = h.say("深度搜索引擎没有做成：%s；", "The deep search failed: %s; ", h.why) + said
		if n > 0 {
			f.Outcome = run.Done
		}
	default:
		return f
	}
	f.Summary = strings.TrimSuffix(said, "。") + h.say("。", ".")
	return f
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
