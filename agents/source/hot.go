package source

import (
	"context"
	"time"

	"sozai/domain"
)

// Engine is the hot source: a deep-search engine that is handed a whole run.
type Engine struct{ tasks *tasks }

// NewEngine checks the configuration; nothing is asked yet.
func NewEngine(c TaskConfig) (*Engine, error) {
	t, err := newTasks("hot", "searches", "search_id", c)
	if err != nil {
		return nil, err
	}
	return &Engine{t}, nil
}

// Name is the source's name in events.
func (e *Engine) Name() string { return e.tasks.kind }

// Status is how the engine is.
func (e *Engine) Status() Status { return e.tasks.guard.Status() }

// Start hands over the run's request, once a run.
func (e *Engine) Start(ctx context.Context, who Who, r HotRequest) (string, error) {
	if who.Run == "" {
		return "", refused(e.Name(), "only a run may start a deep search, since it costs money")
	}
	if line(r.What+r.Search, 200) == "" {
		return "", refused(e.Name(), "the request says neither what to look for nor where that is written")
	}
	for _, text := range []*string{&r.What, &r.Why, &r.Brief, &r.Search} {
		*text = domain.Clip(*text, domain.MaxDocRunes)
	}
	return e.tasks.submit(ctx, who, "hot/start/"+who.Product+"/"+string(who.Run), struct {
		HotRequest
		Product string `json:"product"`
	}{r, who.Product})
}

// Check asks for what the engine has found.
func (e *Engine) Check(ctx context.Context, who Who, task string) (HotReport, bool, time.Duration, error) {
	r, done, wait, err := e.tasks.check(ctx, who, task)
	return HotReport{Items: r.Items, Summary: r.Summary, Done: r.Done, Total: r.Total}, done, wait, err
}

// Examine fetches the candidate's video; what came analysed is not analysed
// again.
func (e *Engine) Examine(ctx context.Context, who Who, c Candidate) (Candidate, error) {
	return e.tasks.conf.Keeper.examine(ctx, who, c, nil)
}
