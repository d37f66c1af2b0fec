package searcher

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"sozai/agents"
	"sozai/agents/source"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// progressEvery is the least time between two run.progressed of a run.
const progressEvery = 2 * time.Second

// entry is a candidate that this attempt has met.
type entry struct {
	source.Candidate
	from    string // name of the source
	analyse func(ctx context.Context, product, candidate string) (video.Analysis, error)
}

// session is the memory of one attempt. Tools of a round run at the same time:
// saving serialises on saving, everything else is guarded by mu.
type session struct {
	env    Env
	task   Task
	target int
	zh     bool
	cited  []cite

	saving sync.Mutex

	mu        sync.Mutex
	met       map[string]*entry    // by candidate
	saved     map[string]domain.ID // candidates known to be materials of the agent
	unsure    map[string]bool      // written, but not yet confirmed by the log
	own       []domain.Ref         // materials of this run, every attempt's, in order
	earlier   []string             // candidates that earlier attempts of this run kept
	analyses  int
	pages     int // pages that the fast source has answered
	refused   int // searches that it has refused
	progress  time.Time
	submitted []submission
	reason    string // given by finish
}

func newSession(env Env, task Task) *session {
	s := &session{
		env: env, task: task, target: task.Request.Target,
		zh:  chinese(cmp.Or(task.Gene.Search, task.Request.What, task.Brief, task.Name)),
		met: map[string]*entry{}, saved: map[string]domain.ID{}, unsure: map[string]bool{},
	}
	if s.target <= 0 {
		s.target = DefaultTarget
	}
	return s
}

// chinese says whether people of this agent write Chinese.
func chinese(text string) bool {
	return text == "" || strings.IndexFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
}

func (s *session) say(zh, en string, args ...any) string {
	if s.zh {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
}

// errFenced ends an attempt that is not the live one any more.
var errFenced = domain.Rule(domain.Conflict, "stale_attempt", "this attempt is over; nothing was written")

// record appends facts as this attempt, if it is still the live one. A fact that
// slips through all the same is told by its attempt, and not applied.
func (s *session) record(ctx context.Context, part string, facts ...domain.Fact) error {
	err := s.env.Log.View(ctx, s.task.Key, func(st *streams.State) error {
		if r := st.Run.Runs[s.task.Run]; r == nil || r.Finished != nil || !r.Live || r.Attempt != s.task.Attempt {
			return errFenced
		}
		return nil
	})
	if err != nil {
		return err
	}
	cmd := streams.Command{ID: fmt.Sprintf("%s/%d/%s", s.task.Run, s.task.Attempt, part), Actor: s.env.Worker}
	_, err = s.env.Log.Record(ctx, s.task.Key, cmd, facts...)
	return err
}

// impossible says in people's words why the request cannot be carried out here,
// "" if it can.
func (s *session) impossible() string {
	switch s.task.Request.Source {
	case "", "fast":
		return ""
	case "competitor":
		if s.env.Competitor != nil {
			return ""
		}
	}
	return s.say("没有配置「%s」来源，这一单没有开始。", "The source “%s” is not configured; the search was not started.", s.task.Request.Source)
}

// load reads what earlier attempts of this run have saved and what the request
// cites, as of this attempt's start or later.
func (s *session) load(ctx context.Context) error {
	if err := s.env.Library.Wait(ctx, s.task.Started, "library"); err != nil {
		return fmt.Errorf("search run %s: %w", s.task.Run, err)
	}
	if s.task.Attempt > 1 {
		filter := projections.MaterialFilter{Run: s.task.Run, Limit: 500}
		before, err := s.env.Library.Materials(ctx, s.task.Key, filter)
		if err != nil {
			return fmt.Errorf("materials of run %s: %w", s.task.Run, err)
		}
		for i := len(before) - 1; i >= 0; i-- { // newest first → oldest first
			m := before[i]
			candidate := s.candidateID(m.Source, m.External)
			s.saved[candidate] = m.Material
			s.own = append(s.own, domain.Ref{Type: domain.Material, ID: m.Material})
			s.earlier = append(s.earlier, candidate)
		}
	}
	if len(s.task.Request.Cites) > 0 {
		objects, err := s.env.Library.Objects(ctx, s.task.Key, s.task.Request.Cites)
		if err != nil {
			return fmt.Errorf("cited objects of run %s: %w", s.task.Run, err)
		}
		for _, r := range s.task.Request.Cites {
			if o, ok := objects[domain.Ref{Type: r.Type, ID: r.ID}]; ok {
				s.cited = append(s.cited, cite{r.Type, clip(o.Title, 80)})
			}
		}
	}
	return nil
}

// candidateID names a candidate to the model: the external id at the fast
// source, prefixed by the source's name elsewhere, so that two sources' ids
// cannot meet.
func (s *session) candidateID(from, external string) string {
	if from == s.env.Fast.Name() {
		return external
	}
	return from + ":" + external
}

// known marks which of the candidates are materials of the agent already.
func (s *session) known(ctx context.Context, candidates []string) error {
	bySource := map[string][]string{}
	s.mu.Lock()
	for _, id := range candidates {
		if e := s.met[id]; e != nil && s.saved[id] == "" {
			bySource[e.from] = append(bySource[e.from], e.ID)
		}
	}
	s.mu.Unlock()
	for from, externals := range bySource {
		have, err := s.env.Library.MaterialsByExternal(ctx, s.task.Key, from, externals)
		if err != nil {
			return fmt.Errorf("known materials: %w", err)
		}
		s.mu.Lock()
		for external, material := range have {
			s.saved[s.candidateID(from, external)] = material
		}
		s.mu.Unlock()
	}
	return nil
}

// report records progress, at most every two seconds. A report that cannot be
// written is only logged: it makes no row anywhere, and the run's end says more.
func (s *session) report(ctx context.Context) {
	s.mu.Lock()
	now := s.env.Now()
	if !s.progress.IsZero() && now.Sub(s.progress) < progressEvery {
		s.mu.Unlock()
		return
	}
	s.progress = now
	p := step.Progressed{
		Run: s.task.Run, Attempt: s.task.Attempt, Done: len(s.own), Target: s.target,
		Unit: "materials", Page: s.pages, Pages: domain.FastSourcePages,
	}
	s.mu.Unlock()
	if err := s.record(ctx, fmt.Sprintf("progress-%d", now.UnixMilli()), p); err != nil && ctx.Err() == nil {
		s.env.Errors.Error("progress not recorded", "run", s.task.Run, "err", err)
	}
}

// finished tells how the loop's result ends the run. What was kept makes a run
// done whatever cap ended it; a source that never answered makes it failed.
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
		if n == 0 && s.pages == 0 && s.refused > 0 {
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
	f.Summary = strings.TrimSpace(f.Summary)
	return f
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

// clip is a text on one line, at most n runes long.
func clip(text string, n int) string {
	return domain.Clip(strings.Join(strings.Fields(text), " "), n)
}
