package searcher

import (
	"context"
	"fmt"
	"math"
	"time"

	"sozai/agents"
	"sozai/domain"
)

var (
	errSubmissions = domain.Rule(domain.TooMany, "no_submissions_left", "this run's competitor searches are used; go on with the fast source")
	errNoTask      = domain.Rule(domain.Invalid, "unknown_task", "no competitor search of this run has this id")
)

// submission is a competitor search on its way.
type submission struct {
	query, task string
	at          time.Time
}

// searchCompetitor submits a search, at most CompetitorSubmissions a run. The
// same query again gives the task that is on its way.
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
	s.saving.Lock() // one submission at a time: it may cost money
	defer s.saving.Unlock()
	s.mu.Lock()
	known := s.submitted
	s.mu.Unlock()
	task := ""
	for _, sub := range known {
		if sub.query == in.Query {
			task = sub.task
		}
	}
	if task == "" {
		if len(known) >= domain.CompetitorSubmissions {
			return out, errSubmissions
		}
		if task, err = s.env.Competitor.Submit(ctx, s.task.Key.Product, in.Query); err != nil {
			return out, refusal(err)
		}
		s.mu.Lock()
		s.submitted = append(s.submitted, submission{in.Query, task, s.env.Now()})
		s.mu.Unlock()
	}
	out.Text = string(encode(struct {
		Task string `json:"task"`
	}{task}))
	return out, nil
}

// checkCompetitor asks for a submitted search. After CompetitorWait it is given
// up; the time waited is in every answer, so that two answers differ.
func (s *session) checkCompetitor(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[struct {
		Task string `json:"task"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	var sub *submission
	s.mu.Lock()
	for i := range s.submitted {
		if s.submitted[i].task == in.Task {
			sub = &s.submitted[i]
		}
	}
	s.mu.Unlock()
	if sub == nil {
		return agents.Output{}, errNoTask
	}
	out := agents.Output{Object: sub.query}
	list, done, err := s.env.Competitor.Check(ctx, s.task.Key.Product, in.Task)
	if err != nil {
		return out, refusal(err)
	}
	waited := s.env.Now().Sub(sub.at)
	answer := struct {
		Task   string      `json:"task"`
		Done   bool        `json:"done"`
		GaveUp bool        `json:"gave_up,omitempty"`
		Waited float64     `json:"waited_seconds"`
		Items  []foundItem `json:"items"`
	}{in.Task, done, false, math.Round(waited.Seconds()*10) / 10, []foundItem{}}
	if !done && waited >= domain.CompetitorWait {
		answer.Done, answer.GaveUp = true, true
	}
	if done {
		if answer.Items, err = s.meet(ctx, s.env.Competitor.Name(), list, s.env.Competitor.Analyse); err != nil {
			return out, err
		}
	}
	out.Text = string(encode(answer))
	out.Fold = fmt.Sprintf("check_competitor %q: done %t, %d results", sub.query, answer.Done, len(answer.Items))
	return out, nil
}
