package searcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sozai/agents"
	"sozai/agents/effect"
	"sozai/agents/source"
	"sozai/domain"
)

// localPlatform is the catalogue among the platforms of the fast source; it costs
// nothing.
const localPlatform = "local"

// patience is how often in a row a platform or source may fail before a run
// leaves it alone.
const patience = 3

// longestPause is how long a call waits for a platform that asked for a pause.
const longestPause = time.Minute

// outage is what a run knows of a platform or source that failed.
type outage struct {
	until  time.Time // it is not to be asked before
	fails  int       // in a row
	closed string    // why this run does not ask it any more; "" = it may
}

// Why a search was not made. Each names what else there is.
const (
	sourceAway   = "source_away"   // not in this run any more
	sourcePaused = "source_paused" // later
)

// ready returns once name may be asked: at once, or after a short pause that it
// asked for, since whoever comes back to it was told what else there is. It
// refuses, without asking, what is of no use in this run or for longer.
func (s *session) ready(ctx context.Context, name string) error {
	s.mu.Lock()
	o := s.outages[name]
	if o == nil {
		s.mu.Unlock()
		return nil
	}
	left := o.until.Sub(s.env.Now())
	var err error
	switch {
	case o.closed != "":
		err = s.told(name, sourceAway, "it is not asked any more in this run: "+o.closed, 0)
	case left > longestPause:
		err = s.told(name, sourcePaused, fmt.Sprintf("it asked to be left alone for %.0f s more", left.Seconds()), left)
	}
	s.mu.Unlock()
	if err != nil || left <= 0 {
		return err
	}
	return pause(ctx, left)
}

// refusedBy takes note of a source's error and makes it what the model reads: what
// happened, once in full, and what else to use. Other errors pass.
func (s *session) refusedBy(name string, err error) error {
	var e *source.Error
	if !errors.As(err, &e) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused++
	if errors.Is(err, effect.ErrUnknown) {
		return domain.Rule(domain.Conflict, "effect_unknown", name+": an earlier attempt of this run was broken off in the middle of this "+
			"very call, which may have been charged; it is shown to a person and not repeated. Use other words or another page")
	}
	stopped := e.Kind == source.Refused && s.stopped(name)
	if e.Kind == source.Refused && !stopped && e.Cost == 0 { // only this request
		return s.notLikeThis(name, e)
	}
	o := s.outages[name]
	if o == nil {
		o = &outage{}
		s.outages[name] = o
	}
	o.fails++
	switch {
	case stopped:
		o.closed = e.Message
	case o.fails >= patience:
		o.closed = fmt.Sprintf("it failed %d times: %s", o.fails, e.Message)
	case e.Kind == source.Refused: // charged for nothing
		return s.notLikeThis(name, e)
	default:
		o.until = s.env.Now().Add(e.RetryAfter)
		return s.told(name, sourcePaused, e.Message, e.RetryAfter)
	}
	return s.told(name, sourceAway, o.closed, 0)
}

// notLikeThis refuses a request that would fail, and perhaps be charged, again.
func (s *session) notLikeThis(name string, e *source.Error) error {
	return domain.Rule(domain.Invalid, "request_refused", name+": "+strings.TrimSuffix(e.Message, ".")+
		". Do not repeat it as it is: change the words, the page or the platform")
}

// answered forgets the failures of a source.
func (s *session) answered(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.outages, name)
}

// told makes the refusal; mu is held. The loop holds the tool only when there is
// no other platform to ask meanwhile.
func (s *session) told(name, code, what string, wait time.Duration) error {
	if name != competitorSource {
		wait = s.hold()
	}
	instead := s.elsewhere(name)
	switch {
	case instead != "":
		instead = "Use " + instead
	case code == sourcePaused && wait > 0:
		instead = "There is nothing else to search: ask again later, or finish"
	default:
		instead = "There is nothing else to search: save what fits and finish"
	}
	e := &agents.ToolError{Message: fmt.Sprintf("%s: %s. %s [%s]", name, strings.TrimSuffix(what, "."), instead, code)}
	if code == sourcePaused {
		e.RetryAfter = wait
	}
	return e
}

// elsewhere says what else there is to search, "" if nothing; mu is held.
func (s *session) elsewhere(name string) string {
	var platforms, ways []string
	for _, p := range s.env.Fast.Platforms() {
		if p != name && s.free(p) {
			platforms = append(platforms, p)
		}
	}
	if len(platforms) > 0 {
		ways = append(ways, "search_fast on "+strings.Join(platforms, ", "))
	}
	if name != competitorSource && s.competes() && s.free(competitorSource) && len(s.submitted) < domain.CompetitorSubmissions {
		ways = append(ways, "search_competitor")
	}
	return strings.Join(ways, " or ")
}

// free says that a platform or source may be asked now; mu is held.
func (s *session) free(name string) bool {
	o := s.outages[name]
	return o == nil || o.closed == "" && !o.until.After(s.env.Now())
}

// hold is how long it takes until some platform may be asked: 0 if one may be
// now, or none will be; mu is held.
func (s *session) hold() time.Duration {
	first := time.Duration(0)
	for _, p := range s.env.Fast.Platforms() {
		if s.free(p) {
			return 0
		}
		if o := s.outages[p]; o.closed == "" {
			if left := o.until.Sub(s.env.Now()); first == 0 || left < first {
				first = left
			}
		}
	}
	return first
}

// stopped says that a source refuses our key, or that the account is empty, as
// far as it tells.
func (s *session) stopped(name string) bool {
	var all []source.Status
	if name == competitorSource {
		if t, ok := s.env.Competitor.(interface{ Status() source.Status }); ok {
			all = append(all, t.Status())
		}
	} else if t, ok := s.env.Fast.(interface{ Status() []source.Status }); ok {
		all = t.Status()
	}
	return slices.ContainsFunc(all, func(st source.Status) bool { return st.Name == name && st.State == source.Stopped })
}
