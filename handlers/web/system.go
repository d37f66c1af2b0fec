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

type buildView struct {
	Projection string    `json:"projection"`
	Version    int       `json:"version"`
	Generation int       `json:"generation"`
	Purpose    string    `json:"purpose" enum:"rebuild,verify,at"`
	State      string    `json:"state" enum:"running,stopped,cancelled" doc:"stopped: asking for it again goes on where it was"`
	Seq        uint64    `json:"seq"`
	Target     uint64    `json:"target"`
	Rate       float64   `json:"rate" doc:"Events a second; 0: not known"`
	ETA        float64   `json:"eta" doc:"Seconds left; 0: not known"`
	Process    string    `json:"process,omitempty" doc:"Who builds, or built last"`
	Error      string    `json:"error,omitempty"`
	StartedAt  time.Time `json:"started_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}

type parkedView struct {
	projections.ParkedAgent
	AgentName string `json:"agent_name"`
}

type systemView struct {
	Version     string         `json:"version"`
	Model       Model          `json:"model"`
	Log         logView        `json:"log"`
	Projections []positionView `json:"projections"`
	Builds      []buildView    `json:"builds" doc:"Those under way or interrupted, whichever process runs them"`
	Parked      []parkedView   `json:"parked,omitempty" doc:"For administrators"`
	Refused     map[string]int `json:"refused" doc:"Refusals of foreign or unknown objects since this process started"`
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
	builds, err := s.deps.Store.Builds(ctx)
	if err != nil {
		return systemView{}, err
	}
	id := s.deps.Log.Identity()
	v := systemView{
		Version: s.deps.Version, Model: s.deps.Model, Refused: s.refusals.counts(),
		Log:         logView{Last: last, Stream: id.Stream, Created: id.Created},
		Projections: make([]positionView, len(list)), Builds: make([]buildView, len(builds)),
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
	for i, b := range builds {
		v.Builds[i] = buildOf(b, last)
		if !r.caller.Admin {
			v.Builds[i].Process, v.Builds[i].Error = "", ""
		}
	}
	if !r.caller.Admin {
		return v, nil
	}
	parked, err := s.deps.Store.Parked(ctx)
	if err != nil {
		return v, err
	}
	for _, p := range parked {
		v.Parked = append(v.Parked, parkedView{ParkedAgent: p, AgentName: s.agentName(ctx, p.Key)})
	}
	return v, nil
}

// buildOf shows a build, which before its first steps works towards the log's end.
func buildOf(b projections.BuildStatus, last uint64) buildView {
	if b.Target == 0 {
		b.Target = last
	}
	v := buildView{
		Projection: b.Projection, Version: b.Version, Generation: b.Generation, Purpose: b.Purpose, State: "stopped",
		Seq: b.Seq, Target: max(b.Target, b.Seq), Rate: b.Rate, ETA: b.ETA.Seconds(),
		Process: b.Process, Error: b.Error, StartedAt: b.StartedAt, UpdatedAt: b.UpdatedAt,
	}
	switch {
	case b.Cancelled:
		v.State = "cancelled"
	case b.Running:
		v.State = "running"
	}
	return v
}

// agentName is for a list of the machinery, which must be readable when the
// directory is not.
func (s *Server) agentName(ctx context.Context, key domain.Key) string {
	a, err := s.deps.Store.Agent(ctx, key)
	if err != nil {
		return ""
	}
	return a.Name
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
