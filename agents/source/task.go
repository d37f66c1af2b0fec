package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sozai/agents/effect"
	"sozai/domain"
)

// TaskConfig says how a service is used that is handed work and asked for it
// later. Both contracts are ours (sourcetest serves them): a submission carries
// an Idempotency-Key, so that sending it twice is one task. Zero fields take the
// defaults in brackets.
type TaskConfig struct {
	ServiceConfig
	Price     domain.Money // of a submission
	PerSecond float64      // requests [5]
	Parallel  int          // requests at a time [4]
	Ledger    effect.Ledger
	Keeper    *Keeper
	Health    Health // [nobody]

	Failures         int           // see GuardConfig
	OpenFor, StopFor time.Duration // see GuardConfig
}

// tasks is such a service.
type tasks struct {
	kind    string // also the prefix of its ids
	path    string // of the collection
	idField string
	conf    TaskConfig
	service *service
	guard   *Guard
}

func newTasks(kind, path, idField string, c TaskConfig) (*tasks, error) {
	s, err := newService(kind, c.ServiceConfig)
	if err != nil {
		return nil, err
	}
	pace, err := NewPace(cmp.Or(c.PerSecond, 5), cmp.Or(c.Parallel, 4))
	if err != nil {
		return nil, err
	}
	return &tasks{kind: kind, path: path, idField: idField, conf: c, service: s, guard: NewGuard(GuardConfig{
		Name: kind, Kind: kind, Pace: pace, Health: c.Health, Now: c.Now, Failures: c.Failures, OpenFor: c.OpenFor, StopFor: c.StopFor,
	})}, nil
}

// submit hands over body under a business key, and returns the task: the same
// one for the same key, whatever became of earlier attempts.
func (t *tasks) submit(ctx context.Context, who Who, key string, body any) (string, error) {
	d, _, err := once(ctx, t.conf.Ledger, t.kind, t.call(who, key), func(ctx context.Context) (effect.Done, error) {
		sum := sha256.Sum256([]byte(key))
		text, err := t.service.ask(ctx, t.guard, exchange{
			method: "POST", path: t.path, body: body, key: hex.EncodeToString(sum[:]), price: t.conf.Price,
		})
		if err != nil {
			return effect.Done{}, err
		}
		id := loose(text).at(t.idField).text()
		if !plainID.MatchString(id) {
			return effect.Done{}, &Error{Source: t.kind, Kind: Down, Message: "it took the search but named no task"}
		}
		kept, err := json.Marshal(id)
		return effect.Done{Answer: kept, Cost: t.conf.Price}, err
	})
	if err != nil {
		return "", err
	}
	var id string
	if err := json.Unmarshal(d.Answer, &id); err != nil {
		return "", fmt.Errorf("remembered task %s: %w", key, err)
	}
	return id, nil
}

// report is what a task has come to.
type report struct {
	Items   []Candidate `json:"items"`
	Summary string      `json:"summary,omitempty"`
	Done    int         `json:"done,omitempty"`
	Total   int         `json:"total,omitempty"`
	Failed  string      `json:"failed,omitempty"`
}

// pending is a task that is not finished.
type pending struct {
	report report
	wait   time.Duration
}

func (p *pending) Error() string { return "the task is not finished" }
func (p *pending) Unwrap() error { return effect.ErrNotDone }

// check asks for a task. What a finished one holds is remembered, so that the
// same task is not asked for again.
func (t *tasks) check(ctx context.Context, who Who, task string) (report, bool, time.Duration, error) {
	if !plainID.MatchString(task) {
		return report{}, false, 0, refused(t.kind, "this is no task")
	}
	var open *pending
	d, _, err := once(ctx, t.conf.Ledger, t.kind, t.call(who, t.kind+"/task/"+who.Product+"/"+task), func(ctx context.Context) (effect.Done, error) {
		text, err := t.service.ask(ctx, t.guard, exchange{method: "GET", path: t.path + "/" + task, repeat: true})
		if err != nil {
			return effect.Done{}, err
		}
		r, finished := t.read(loose(text))
		if !finished {
			open = &pending{r, waitOf(loose(text))}
			return effect.Done{}, open
		}
		kept, err := json.Marshal(r)
		return effect.Done{Answer: kept}, err
	})
	switch {
	case open != nil && errors.Is(err, open):
		return open.report, false, open.wait, nil
	case err != nil:
		return report{}, false, 0, err
	}
	var r report
	if err := json.Unmarshal(d.Answer, &r); err != nil {
		return report{}, false, 0, fmt.Errorf("remembered task %s: %w", task, err)
	}
	if r.Failed != "" {
		return report{}, true, 0, &Error{Source: t.kind, Kind: Refused, Message: "it gave up on this search: " + r.Failed}
	}
	return r, true, 0, nil
}

// read makes a report of an answer; false while the task goes on.
func (t *tasks) read(n node) (report, bool) {
	r := report{
		Items: []Candidate{}, Summary: line(n.at("summary").text(), 2_000),
		Done: int(min(n.at("progress", "done").count(), 1e6)), Total: int(min(n.at("progress", "total").count(), 1e6)),
	}
	seen := map[string]bool{}
	for _, item := range n.at("items").list(maxItems) {
		if c, ok := foreign(item, t.kind); ok && !seen[c.ID] {
			seen[c.ID] = true
			r.Items = append(r.Items, c)
		}
	}
	switch n.at("state").text() {
	case "succeeded":
		return r, true
	case "failed":
		r.Failed = line(firstText(n.at("reason"), n.at("error", "message"), n.at("error")), 200)
		if r.Failed == "" {
			r.Failed = "no reason given"
		}
		return r, true
	}
	return r, false
}

// waitOf is when a task wants to be asked for again.
func waitOf(n node) time.Duration {
	s := n.at("retry_after_s").number()
	if s <= 0 {
		s = 5
	}
	return time.Duration(min(max(s, 0.1), 60) * float64(time.Second))
}

// call is an effect that the other side recognises when it is repeated.
func (t *tasks) call(who Who, key string) effect.Call {
	return effect.Call{Key: key, Kind: t.kind, Product: who.Product, Agent: who.Agent, Run: who.Run, Attempt: who.Attempt}
}
