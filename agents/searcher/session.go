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
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// progressEvery is the least time between two run.progressed of a run.
const progressEvery = 2 * time.Second

// session is the memory of one attempt. Tools of a round run at the same time:
// saving serialises on saving, submitting to the competitor source on submitting,
// everything else is guarded by mu.
type session struct {
	env    Env
	task   Task
	target int
	zh     bool
	cited  []cite
	meter  *meter
	notes  *notebook

	saving, submitting sync.Mutex

	mu        sync.Mutex
	met       map[string]*entry    // by the id that the model knows
	saved     map[string]domain.ID // external ids known to be materials of the agent
	unsure    map[string]bool      // external ids written, but not yet confirmed by the log
	own       []domain.Ref         // materials of this run, every attempt's, in order
	earlier   []string             // external ids that earlier attempts of this run kept
	analyses  int
	pages     int             // pages of the fast source that the run has used, every attempt's
	had       map[string]bool // of those, earlier attempts' that this one has not read again
	refused   int             // searches that a source has refused
	outages   map[string]*outage
	progress  time.Time
	submitted []*submission
	reason    string // given by finish
}

func newSession(env Env, task Task) *session {
	s := &session{
		env: env, task: task, target: task.Request.Target,
		zh:    chinese(cmp.Or(task.Gene.Search, task.Request.What, task.Brief, task.Name)),
		meter: newMeter(env.Model, env.Caps.Cost),
		notes: &notebook{ledger: env.ledger, who: task.who()}, had: map[string]bool{},
		met: map[string]*entry{}, saved: map[string]domain.ID{}, unsure: map[string]bool{}, outages: map[string]*outage{},
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

// prepare reads what the run begins with. It returns how the run ends if it
// cannot begin.
func (s *session) prepare(ctx context.Context) (*run.Finished, error) {
	if why := s.impossible(); why != "" {
		end := s.failed(run.ReasonInput, why)
		return &end, nil
	}
	err := s.load(ctx)
	switch {
	case err == nil:
		return nil, nil
	case ctx.Err() != nil:
		end := s.finished(agents.Result{Reason: run.ReasonCancelled, Usage: domain.Usage{Known: true}})
		return &end, nil
	}
	end := s.failed(run.ReasonInternal, s.say("素材库暂时读不到。", "The library cannot be read at present."))
	return &end, err
}

// impossible says in people's words why the request cannot be carried out here,
// "" if it can.
func (s *session) impossible() string {
	name := s.task.source()
	configured := map[string]bool{
		fastSource: s.env.Fast != nil, competitorSource: s.env.Competitor != nil, hotSource: s.env.Hot != nil,
	}
	if configured[name] {
		return ""
	}
	return s.say("没有配置「%s」来源，这一单没有开始。", "The source “%s” is not configured; the search was not started.", name)
}

// ofRun reads the materials that this run has saved, newest first.
func (s *session) ofRun(ctx context.Context) ([]projections.Material, error) {
	list, err := s.env.Library.Materials(ctx, s.task.Key, projections.MaterialFilter{Run: s.task.Run, Limit: 500})
	if err != nil {
		return nil, fmt.Errorf("materials of run %s: %w", s.task.Run, err)
	}
	return list, nil
}

// load reads what earlier attempts of this run have saved and used up, and what
// the request cites, as of this attempt's start or later.
func (s *session) load(ctx context.Context) error {
	if err := s.env.Library.Wait(ctx, s.task.Started, "library"); err != nil {
		return fmt.Errorf("search run %s: %w", s.task.Run, err)
	}
	if s.task.Attempt > 1 {
		before, err := s.ofRun(ctx)
		if err != nil {
			return err
		}
		for i := len(before) - 1; i >= 0; i-- { // newest first → oldest first
			m := before[i]
			s.saved[m.External] = m.Material
			s.own = append(s.own, domain.Ref{Type: domain.Material, ID: m.Material})
			s.earlier = append(s.earlier, m.External)
		}
		used, err := s.notes.earlier(ctx)
		if err != nil {
			return err
		}
		s.recall(used)
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

// report records progress, at most every two seconds. A report that cannot be
// written is only logged: it makes no row anywhere, and the run's end says more.
func (s *session) report(ctx context.Context, p step.Progressed) {
	s.mu.Lock()
	now := s.env.Now()
	if !s.progress.IsZero() && now.Sub(s.progress) < progressEvery {
		s.mu.Unlock()
		return
	}
	s.progress = now
	s.mu.Unlock()
	p.Run, p.Attempt = s.task.Run, s.task.Attempt
	if err := s.record(ctx, fmt.Sprintf("progress-%d", now.UnixMilli()), p); err != nil && ctx.Err() == nil {
		s.env.Errors.Error("progress not recorded", "run", s.task.Run, "err", err)
	}
}

// found is the progress of a model's search.
func (s *session) found() step.Progressed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return step.Progressed{
		Done: len(s.own), Target: s.target, Unit: "materials", Page: s.pages, Pages: domain.FastSourcePages,
	}
}

// clip is a text on one line, at most n runes long.
func clip(text string, n int) string {
	return domain.Clip(strings.Join(strings.Fields(text), " "), n)
}
