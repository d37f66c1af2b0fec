package web

import (
	"context"
	"time"

	"sozai/agents/source"
	"sozai/domain"
	"sozai/handlers/ledger"
)

// Effects is the part of ledger.Ledger that the System page shows.
type Effects interface {
	Sources(ctx context.Context) ([]source.Status, error)
	Unknown(ctx context.Context, limit int) (list []ledger.Unknown, total int, err error)
}

// Source is an outside service that Sozai can use.
type Source struct {
	Name       string
	Kind       string // search, competitor, hot, video, render
	Configured bool
	Price      domain.Money // of one use; 0 if it has no fixed one
}

// searchable is a source as an agent has it and a search names it.
type searchable struct {
	Name       string   `json:"name" enum:"fast,competitor,hot"`
	Configured bool     `json:"configured" doc:"Whether a search there can find anything; fast always can, in the product's own catalogue"`
	Platforms  []string `json:"platforms,omitempty" doc:"What fast searches besides the catalogue; it pays for those by the request"`
	PriceYuan  float64  `json:"price_yuan,omitempty" doc:"Of one search there; none if it has no fixed price"`
}

// searchables are fast, competitor and hot, with what is configured of each.
func (s *Server) searchables() []searchable {
	const fast, competitor, hot = 0, 1, 2
	list := []searchable{{Name: "fast", Configured: true}, {Name: "competitor"}, {Name: "hot"}}
	for _, one := range s.deps.Sources {
		switch {
		case !one.Configured:
		case one.Kind == "search":
			list[fast].Platforms = append(list[fast].Platforms, one.Name)
		case one.Kind == "competitor":
			list[competitor].Configured, list[competitor].PriceYuan = true, one.Price.Yuan()
		case one.Kind == "hot":
			list[hot].Configured, list[hot].PriceYuan = true, one.Price.Yuan()
		}
	}
	return list
}

// mostUnknown bounds the list of unknown calls; the newest are in it.
const mostUnknown = 100

// unused is the state of a source that is configured and was never called.
const unused source.State = "unused"

type sourceView struct {
	Name        string       `json:"name"`
	Kind        string       `json:"kind"`
	Configured  bool         `json:"configured"`
	State       source.State `json:"state" enum:"unused,ok,limited,open,down,off" doc:"off: not configured; limited: it asked for a pause; open: it failed too often in a row; down: it refuses us"`
	Since       time.Time    `json:"since,omitzero"`
	LastOK      time.Time    `json:"last_ok,omitzero"`
	LastError   string       `json:"last_error,omitempty"`
	LastErrorAt time.Time    `json:"last_error_at,omitzero"`
	Calls       int64        `json:"calls" doc:"Of all processes since the first"`
	Failures    int64        `json:"failures"`
	CostYuan    float64      `json:"cost_yuan"`
	Until       time.Time    `json:"until,omitzero" doc:"When a limited or open source is asked again"`
}

type unknownView struct {
	Key        string    `json:"key" doc:"What it was for; the same in every attempt"`
	Kind       string    `json:"kind"`
	Product    string    `json:"product"`
	Agent      domain.ID `json:"agent"`
	AgentName  string    `json:"agent_name"`
	Run        domain.ID `json:"run,omitempty"`
	Attempt    int       `json:"attempt"`
	Worker     string    `json:"worker"`
	Error      string    `json:"error" doc:"Why nobody knows"`
	IntendedAt time.Time `json:"intended_at"`
}

type sourcesView struct {
	Sources      []sourceView  `json:"sources"`
	Unknown      []unknownView `json:"unknown" doc:"Paid calls that may or may not have been done and are not repeated, newest first"`
	UnknownTotal int           `json:"unknown_total"`
}

// sources tells how the outside services are, those included that are not
// configured here, and what a person has to look up at one of them.
func (s *Server) sources(ctx context.Context, _ *request, _ *struct{}) (sourcesView, error) {
	v := sourcesView{Sources: []sourceView{}, Unknown: []unknownView{}}
	var known []source.Status
	var lost []ledger.Unknown
	var err error
	if s.deps.Effects != nil {
		if known, err = s.deps.Effects.Sources(ctx); err != nil {
			return v, err
		}
		if lost, v.UnknownTotal, err = s.deps.Effects.Unknown(ctx, mostUnknown); err != nil {
			return v, err
		}
	}
	at := map[string]int{}
	for _, one := range s.deps.Sources {
		at[one.Name] = len(v.Sources)
		view := sourceView{Name: one.Name, Kind: one.Kind, Configured: one.Configured, State: source.Off}
		if one.Configured {
			view.State = unused
		}
		v.Sources = append(v.Sources, view)
	}
	for _, k := range known {
		i, listed := at[k.Name]
		if !listed { // another process of the deployment has it, or had it once
			i = len(v.Sources)
			v.Sources = append(v.Sources, sourceView{Name: k.Name, Kind: k.Kind, State: source.Off})
		}
		v.Sources[i].is(k)
	}
	for _, u := range lost {
		v.Unknown = append(v.Unknown, unknownView{
			Key: u.Key, Kind: u.Kind, Product: u.Product, Agent: u.Agent, Run: u.Run, Attempt: u.Attempt,
			Worker: u.Worker, Error: u.Error, IntendedAt: u.IntendedAt,
			AgentName: s.agentName(ctx, domain.Key{Product: u.Product, Agent: u.Agent}),
		})
	}
	return v, nil
}

// is fills in what was reported; only one that is configured here has a state.
func (v *sourceView) is(k source.Status) {
	v.LastOK, v.LastError, v.LastErrorAt = k.LastOK, k.LastError, k.LastErrorAt
	v.Calls, v.Failures, v.CostYuan = k.Calls, k.Failures, k.Cost.Yuan()
	if v.Configured {
		v.State, v.Since, v.Until = k.State, k.Since, k.Until
	}
}
