package searcher

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"sozai/agents"
	"sozai/agents/source"
	"sozai/domain"
)

// competitorPage is how many results one check gives at most.
const competitorPage = 12

var (
	errSubmissions = domain.Rule(domain.TooMany, "no_submissions_left", "this run's competitor searches are used; go on with search_fast")
	errNoTask      = domain.Rule(domain.Invalid, "unknown_task", "no competitor search of this run has this id; search_competitor gives one")
)

// submission is a competitor search on its way. Checks of one are serialised by
// the session's submitting lock.
type submission struct {
	query, task string // no task: an earlier attempt died before it knew
	at          time.Time
	over        string          // why it is not asked for any more; "" = it is
	trouble     string          // what the source last said instead of an answer
	shown       map[string]bool // results that the model has
	waiting     []source.Candidate
}

// Why a submission is not asked for any more.
const (
	overDone    = "done"
	overGivenUp = "given_up"
	overFailed  = "failed"
)

// searchCompetitor submits a search, at most CompetitorSubmissions a run. Words
// that are on their way already give their task.
func (s *session) searchCompetitor(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[struct {
		Query string `json:"query"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	if in.Query = clip(in.Query, 200); in.Query == "" {
		return agents.Output{}, domain.Errorf(domain.Invalid, "query is empty")
	}
	out := agents.Output{Object: in.Query}
	s.submitting.Lock() // one submission at a time: it costs money
	defer s.submitting.Unlock()
	sub := s.submission(func(sub *submission) bool { return sub.query == in.Query })
	if sub == nil && len(s.submitted) >= domain.CompetitorSubmissions {
		return out, errSubmissions
	}
	if sub == nil || sub.task == "" {
		if sub, err = s.submit(ctx, in.Query, sub); err != nil {
			return out, err
		}
	}
	out.Text = string(encode(struct {
		Task string `json:"task"`
		Left int    `json:"submissions_left"`
	}{sub.task, domain.CompetitorSubmissions - len(s.submitted)}))
	out.Fold = fmt.Sprintf("search_competitor %q: task %s", in.Query, sub.task)
	return out, nil
}

// submit hands over a search; sub is what is known of it, nil if it is new and has
// to be counted.
func (s *session) submit(ctx context.Context, query string, sub *submission) (*submission, error) {
	if err := s.ready(ctx, competitorSource); err != nil {
		return nil, err
	}
	if s.meter.over() {
		return nil, errCost
	}
	if sub == nil {
		sub = &submission{query: query, at: s.env.Now(), shown: map[string]bool{}}
		if err := s.notes.add(ctx, note{Query: query, At: sub.at}); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.submitted = append(s.submitted, sub)
		s.mu.Unlock()
		defer func() {
			if sub.task == "" && ctx.Err() == nil { // it came to nothing
				s.drop(query)
				s.noteBack(ctx, note{Query: query, Back: true})
			}
		}()
	}
	task, err := s.env.Competitor.Submit(ctx, s.task.who(), query)
	if err != nil {
		return nil, s.refusedBy(competitorSource, err)
	}
	s.answered(competitorSource)
	// The source may know the words by another spelling: that is no second search.
	if same := s.submission(func(sub *submission) bool { return sub.task == task }); same != nil {
		return same, nil
	}
	s.mu.Lock()
	sub.task, sub.at = task, s.env.Now()
	s.mu.Unlock()
	return sub, s.notes.add(ctx, note{Query: query, Task: task, At: sub.at})
}

// drop forgets a submission.
func (s *session) drop(query string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submitted = slices.DeleteFunc(s.submitted, func(sub *submission) bool { return sub.query == query })
}

func (s *session) submission(is func(*submission) bool) *submission {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sub := range s.submitted {
		if is(sub) {
			return sub
		}
	}
	return nil
}

// checkCompetitor gives what is new of a submitted search. When nothing is, the
// call is refused with when to come back, which the loop keeps to; after
// CompetitorWait the search is given up with what there is.
func (s *session) checkCompetitor(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[struct {
		Task string `json:"task"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	s.submitting.Lock()
	defer s.submitting.Unlock()
	sub := s.submission(func(sub *submission) bool { return sub.task == in.Task && in.Task != "" })
	if sub == nil {
		return agents.Output{}, errNoTask
	}
	out := agents.Output{Object: sub.query}
	wait := time.Duration(0)
	if sub.over == "" {
		if wait, err = s.look(ctx, sub); err != nil {
			return out, err
		}
	}
	waited := s.env.Now().Sub(sub.at)
	if len(sub.waiting) == 0 && sub.over == "" {
		return out, pending(sub, waited, wait)
	}
	some := sub.waiting[:min(len(sub.waiting), competitorPage)]
	page, err := s.meet(ctx, some, s.env.Competitor, false)
	if err != nil {
		return out, err
	}
	sub.waiting = sub.waiting[len(some):]
	out.Text = string(encode(struct {
		Task         string      `json:"task"`
		Done         bool        `json:"done"` // nothing more comes of it
		GaveUp       bool        `json:"gave_up,omitempty"`
		Waited       float64     `json:"waited_seconds"`
		New          int         `json:"new"`
		AlreadySaved int         `json:"already_saved,omitempty"`
		More         bool        `json:"more"` // is ready to be asked for
		Items        []foundItem `json:"items"`
	}{
		in.Task, sub.over != "" && len(sub.waiting) == 0, sub.over == overGivenUp, tenths(waited),
		page.fresh, page.saved, len(sub.waiting) > 0, clipItems(page.items),
	}))
	out.Fold = fmt.Sprintf("check_competitor %q: %d candidates, %d new, %d more", sub.query, len(page.items), page.fresh, len(sub.waiting))
	return out, nil
}

// look asks the source and takes up what is new. It returns when to ask again.
func (s *session) look(ctx context.Context, sub *submission) (time.Duration, error) {
	sub.trouble = ""
	items, done, wait, err := s.env.Competitor.Check(ctx, s.task.who(), sub.task)
	left := domain.CompetitorWait - s.env.Now().Sub(sub.at)
	var failed *source.Error
	switch {
	case err == nil:
	case !errors.As(err, &failed):
		return 0, err
	case failed.Kind == source.Refused:
		sub.over = overFailed
		return 0, domain.Rule(domain.Unavailable, "competitor_failed", "the competitor search failed: "+failed.Message+"; go on with search_fast")
	default: // it may answer later
		wait, sub.trouble = max(failed.RetryAfter, 5*time.Second), "; it cannot be asked at present: "+failed.Message
	}
	for _, c := range items {
		if !sub.shown[c.ID] {
			sub.shown[c.ID] = true
			sub.waiting = append(sub.waiting, c)
		}
	}
	switch {
	case done:
		sub.over = overDone
	case left <= 0:
		sub.over = overGivenUp
	}
	// Each look costs a round, so the longer it takes the rarer they get.
	return min(max(wait, (domain.CompetitorWait-left)/3), max(left, 0)), nil
}

// pending says that nothing is new; the time waited is in it, so that two such
// answers differ.
func pending(sub *submission, waited, wait time.Duration) error {
	return &agents.ToolError{RetryAfter: wait, Message: fmt.Sprintf(
		"the competitor search %q has nothing new yet: waited %g s of at most %g s%s. Page through search_fast meanwhile [competitor_pending]",
		sub.query, tenths(waited), domain.CompetitorWait.Seconds(), sub.trouble)}
}

func tenths(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }

// clipItems bounds the text of results.
func clipItems(items []foundItem) []foundItem {
	for i := range items {
		items[i].Title, items[i].Author = clip(items[i].Title, 60), clip(items[i].Author, 20)
		items[i].Tags = clipAll(items[i].Tags[:min(len(items[i].Tags), 5)], 20)
	}
	return items
}
