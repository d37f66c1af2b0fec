// Package searcher plays search runs. Run has a model choose words, page through
// sources, analyse what looks right, and save what fits as materials of the agent;
// Hot hands the whole request to the deep-search engine and imports what it
// reports. Every material is stamped with run, attempt and gene version.
//
// A material's id follows from agent, source and external id, so whichever run
// or attempt finds a video first, it exists once. A candidate is analysed before
// it is kept; an import of the catalogue without media is exempt and marked. What
// sources charge counts against the run's cap like the model's own cost. Titles,
// tags and reports are quoted data, never instruction.
//
// It may import domain, streams, projections, agents and agents/{effect,prompts,
// source,video}; it writes through the log only and knows no HTTP and no SQL.
package searcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"sozai/agents"
	"sozai/agents/effect"
	"sozai/agents/prompts"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// DefaultTarget is how many materials a run looks for if nobody says.
const DefaultTarget = 12

// The sources' names, in requests and events.
const (
	fastSource       = "fast"
	competitorSource = "competitor"
	hotSource        = "hot"
)

// Log is the part of streams.Log that a search writes with.
type Log interface {
	View(ctx context.Context, key domain.Key, see func(s *streams.State) error) error
	Record(ctx context.Context, key domain.Key, cmd streams.Command, facts ...domain.Fact) ([]domain.Recorded, error)
	Last(ctx context.Context) (uint64, error)
}

// Library is the part of projections.Store that says what the agent has.
type Library interface {
	Wait(ctx context.Context, minSeq uint64, projections ...string) error
	Materials(ctx context.Context, key domain.Key, f projections.MaterialFilter) ([]projections.Material, error)
	MaterialsByExternal(ctx context.Context, key domain.Key, source string, external []string) (map[string]domain.ID, error)
	Objects(ctx context.Context, key domain.Key, refs []domain.Ref) (map[domain.Ref]projections.Object, error)
}

// Env is what a run needs from the process. The ledger that the sources pay
// through must be Metered, or what they charge is not counted.
type Env struct {
	Log        Log
	Library    Library
	Fast       source.Source     // Remembered, or the caps hold for one attempt only
	Competitor source.Competitor // nil: not configured, its tools are not offered
	Hot        source.Hot        // nil: not configured, runs that name it fail
	Model      agents.Model
	Worker     domain.Actor
	Now        func() time.Time // nil = time.Now
	Caps       agents.Caps      // zero fields take the product's limits
	Errors     *slog.Logger     // nil = discarded

	ledger effect.Ledger // of Fast
}

func (e Env) ready() Env {
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.Errors == nil {
		e.Errors = slog.New(slog.DiscardHandler)
	}
	if fast, ok := e.Fast.(Remembered); ok {
		e.Fast, e.ledger = fast.Source, fast.Ledger
	}
	if e.ledger == nil {
		e.ledger = &effect.Memory{}
	}
	return e
}

// Task is one attempt of a search run.
type Task struct {
	Key     domain.Key
	Run     domain.ID
	Attempt int
	Started uint64 // sequence of this attempt's run.started
	Trigger run.Trigger
	Request run.Request

	Name    string // of the agent
	Brief   string
	Sources []string    // that the agent uses; empty = all that are configured
	Gene    gene.Minted // the version that the run is pinned to
}

// source is the one that the run is for: the one that is named, else the fast one
// if the agent uses it, else the agent's first.
func (t Task) source() string {
	switch {
	case t.Request.Source != "":
		return t.Request.Source
	case len(t.Sources) == 0 || slices.Contains(t.Sources, fastSource):
		return fastSource
	}
	return t.Sources[0]
}

// uses says whether the run may search there.
func (t Task) uses(name string) bool {
	return len(t.Sources) == 0 || slices.Contains(t.Sources, name) || t.Request.Source == name
}

func (t Task) who() source.Who {
	return source.Who{Product: t.Key.Product, Agent: t.Key.Agent, Run: t.Run, Attempt: t.Attempt}
}

// Run plays one attempt to its end and returns how it ended, for whoever holds
// the run's fence to append. A run that is for the hot source is Hot. A cancelled
// context ends it as cancelled, with what was saved so far; the caller knows the
// cause. A model that fails ends it as failed. The error says that the log, the
// library or a defect kept it from being played; the returned event is complete
// all the same.
func Run(ctx context.Context, env Env, task Task) (run.Finished, error) {
	if task.source() == hotSource {
		return Hot(ctx, env, task)
	}
	env = env.ready()
	s := newSession(env, task)
	if end, err := s.prepare(ctx); end != nil {
		return *end, err
	}
	constitution := prompts.Searcher()
	loop := agents.Loop{
		Model: s.meter, Tools: s.tools(), Caps: limits(env.Caps), Now: env.Now, Log: env.Errors,
		Record: func(ctx context.Context, r step.Recorded) error {
			r.Cost = s.meter.round(r.Cost)
			return s.record(ctx, fmt.Sprintf("round-%d", r.Round), r)
		},
	}
	result, err := loop.Run(s.meter.billed(ctx), agents.Task{
		Run: task.Run, Attempt: task.Attempt, Version: constitution.Version,
		Constitution: constitution.Text, Context: geneContext(task),
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: s.opening()}}}},
	})
	result.Cost += s.meter.rest()
	var failed *agents.ModelError
	if errors.As(err, &failed) || errors.Is(err, agents.ErrFold) {
		env.Errors.Warn("search ended by its model", "run", task.Run, "attempt", task.Attempt, "err", err)
		err = nil
	}
	return s.finished(result), err
}

// limits fills in a search run's own clock.
func limits(c agents.Caps) agents.Caps {
	if c.Soft == 0 {
		c.Soft = domain.SearchSoftLimit
	}
	if c.Hard == 0 {
		c.Hard = domain.SearchHardLimit
	}
	return c
}
