package web

import (
	"context"
	"sync"
	"time"

	"sozai/domain"
	"sozai/projections"
)

type healthView struct {
	Status string `json:"status"`
}

func (s *Server) health(context.Context, *request, *struct{}) (healthView, error) {
	return healthView{Status: "ok"}, nil
}

// ready answers 503 with the reason while the log cannot be read or a projection
// of this version is still being built.
func (s *Server) ready(ctx context.Context, _ *request, _ *struct{}) (healthView, error) {
	if _, err := s.deps.Log.Last(ctx); err != nil {
		return healthView{}, domain.Rule(domain.Unavailable, "log_unavailable", "the event log cannot be read")
	}
	if err := s.deps.Store.Ready(ctx); err != nil {
		return healthView{}, err
	}
	return healthView{Status: "ready"}, nil
}

type positionView struct {
	Name       string    `json:"name"`
	Version    int       `json:"version"`
	Generation int       `json:"generation"`
	Position   uint64    `json:"position"`
	Lag        uint64    `json:"lag" doc:"Events of the log that are not applied yet"`
	Status     string    `json:"status" enum:"building,running,diverged,failed"`
	Error      string    `json:"error,omitempty"`
	Parked     int       `json:"parked"`
	UpdatedAt  time.Time `json:"updated_at"`
}

type logView struct {
	Last    uint64    `json:"last"`
	Stream  string    `json:"stream"`
	Created time.Time `json:"created"`
}

type systemView struct {
	Version     string                    `json:"version"`
	Model       Model                     `json:"model"`
	Log         logView                   `json:"log"`
	Projections []positionView            `json:"projections"`
	Parked      []projections.ParkedAgent `json:"parked,omitempty" doc:"For administrators"`
	Refused     map[string]int            `json:"refused" doc:"Refusals of foreign or unknown objects since this process started"`
}

func (s *Server) system(ctx context.Context, r *request, _ *struct{}) (systemView, error) {
	last, err := s.deps.Log.Last(ctx)
	if err != nil {
		return systemView{}, err
	}
	list, err := s.deps.Store.Status(ctx)
	if err != nil {
		return systemView{}, err
	}
	id := s.deps.Log.Identity()
	v := systemView{
		Version: s.deps.Version, Model: s.deps.Model, Refused: s.refusals.counts(),
		Log:         logView{Last: last, Stream: id.Stream, Created: id.Created},
		Projections: make([]positionView, len(list)),
	}
	for i, p := range list {
		v.Projections[i] = positionView{
			Name: p.Name, Version: p.Version, Generation: p.Generation, Position: p.Position,
			Lag: last - min(last, p.Position), Status: p.Status, Parked: p.Parked, UpdatedAt: p.UpdatedAt,
		}
		if r.caller.Admin {
			v.Projections[i].Error = p.Error
		}
	}
	if r.caller.Admin {
		v.Parked, err = s.deps.Store.Parked(ctx)
	}
	return v, err
}

// refusals counts what was refused without an event, so that nothing is dropped
// unseen.
type refusals struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *refusals) add(what string, n int) {
	if n == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[what] += n
}

func (c *refusals) counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := make(map[string]int, len(c.n))
	for k, v := range c.n {
		m[k] = v
	}
	return m
}
