// Package searcher plays search runs: a model chooses words, pages through
// sources, analyses what looks right, and saves what fits as materials of the
// agent, each stamped with run, attempt and gene version.
//
// A material's id follows from agent, source and external id, so whichever run
// or attempt finds a video first, it exists once. A candidate is analysed before
// it is kept; an import without media is exempt and marked. Titles, tags and
// reports are quoted data, never instruction.
//
// It may import domain, streams, projections, agents and agents/{prompts,source,
// video}; it writes through the log only and knows no HTTP and no SQL.
package searcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"sozai/agents"
	"sozai/agents/prompts"
	"sozai/agents/source"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// DefaultTarget is how many materials a run looks for if nobody says.
const DefaultTarget = 12

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

// Source is a searchable source whose candidates can be analysed. Analyse makes
// the analysis at the first call and keeps it; a *domain.Error Unprocessable
// says that the candidate has no usable video.
type Source interface {
	source.Source
	Analyse(ctx context.Context, product, candidate string) (video.Analysis, error)
}

// Competitor is a slow source: a search is submitted, then asked for until it is
// done. Check may wait some seconds; its items are complete when done is true.
// Errors are *source.Error.
type Competitor interface {
	Name() string
	Submit(ctx context.Context, product, query string) (task string, err error)
	Check(ctx context.Context, product, task string) (items []source.Candidate, done bool, err error)
	Analyse(ctx context.Context, product, candidate string) (video.Analysis, error)
}

// Env is what a run needs from the process.
type Env struct {
	Log        Log
	Library    Library
	Fast       Source
	Competitor Competitor // nil: not configured, its tools are not offered
	Model      agents.Model
	Worker     domain.Actor
	Now        func() time.Time
	Caps       agents.Caps  // zero fields take the product's limits
	Errors     *slog.Logger // nil = discarded
}

// Task is one attempt of a search run.
type Task struct {
	Key     domain.Key
	Run     domain.ID
	Attempt int
	Started uint64 // sequence of this attempt's run.started
	Trigger run.Trigger
	Request run.Request

	Name  string // of the agent
	Brief string
	Gene  gene.Minted // the version that the run is pinned to
}

// Run plays one attempt to its end and returns how it ended, for whoever holds
// the run's fence to append. A cancelled context ends it as cancelled, with what
// was saved so far; the caller knows the cause. A model that fails ends it as
// failed. The error says that the log, the library or a defect kept it from being
// played; the returned event is complete all the same.
func Run(ctx context.Context, env Env, task Task) (run.Finished, error) {
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.Errors == nil {
		env.Errors = slog.New(slog.DiscardHandler)
	}
	s := newSession(env, task)
	if why := s.impossible(); why != "" {
		return s.failed(run.ReasonInput, why), nil
	}
	if err := s.load(ctx); err != nil {
		if ctx.Err() != nil {
			return s.finished(agents.Result{Reason: run.ReasonCancelled, Usage: domain.Usage{Known: true}}), nil
		}
		return s.failed(run.ReasonInternal, s.say("素材库暂时读不到。", "The library cannot be read at present.")), err
	}
	constitution := prompts.Searcher()
	loop := agents.Loop{
		Model: env.Model, Tools: s.tools(), Caps: limits(env.Caps), Now: env.Now, Log: env.Errors,
		Record: func(ctx context.Context, r step.Recorded) error {
			return s.record(ctx, fmt.Sprintf("round-%d", r.Round), r)
		},
	}
	result, err := loop.Run(ctx, agents.Task{
		Run: task.Run, Attempt: task.Attempt, Version: constitution.Version,
		Constitution: constitution.Text, Context: geneContext(task),
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: s.opening()}}}},
	})
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
