// Package planner plays board runs: a model reads the agent's materials under the
// gene and the request, and writes one storyboard of numbered panels, each a
// caption over a stretch of a clip, so that a film can be rendered from it as it
// stands.
//
// The board's id follows from the run's, so that whatever attempts a run needs,
// it makes one board. What people want kept of a base board is worked out by code
// (keep.go) and must come back unchanged; what a board must obey besides is one
// pure function (check.go). Titles, captions and digests are quoted data, never
// instruction.
//
// It may import domain, streams, projections, agents and agents/{prompts,video};
// it writes through the log only and knows no HTTP and no SQL.
package planner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"sozai/agents"
	"sozai/agents/prompts"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// The wall clock of a board run: the model is told to end, then it is ended.
const (
	softLimit = 6 * time.Minute
	hardLimit = 9 * time.Minute
)

// Log is the part of streams.Log that a board is written with.
type Log interface {
	View(ctx context.Context, key domain.Key, see func(s *streams.State) error) error
	Record(ctx context.Context, key domain.Key, cmd streams.Command, facts ...domain.Fact) ([]domain.Recorded, error)
	Last(ctx context.Context) (uint64, error)
}

// Library is the part of projections.Store that says what the agent has and what
// people said of it.
type Library interface {
	Wait(ctx context.Context, minSeq uint64, projections ...string) error
	Materials(ctx context.Context, key domain.Key, f projections.MaterialFilter) ([]projections.Material, error)
	Material(ctx context.Context, key domain.Key, id domain.ID) (projections.Material, error)
	Asset(ctx context.Context, key domain.Key, id domain.ID) (projections.Asset, error)
	Board(ctx context.Context, key domain.Key, id domain.ID) (projections.Board, error)
	Film(ctx context.Context, key domain.Key, id domain.ID) (projections.Film, error)
	Films(ctx context.Context, key domain.Key, page projections.ListPage) ([]projections.Film, error)
	Feedback(ctx context.Context, key domain.Key, f projections.FeedbackFilter) ([]projections.FeedbackItem, error)
}

// Analyzer looks into a stored video file.
type Analyzer interface {
	AnalyseMedia(ctx context.Context, m library.Media, text video.Text) (video.Analysis, error)
}

// Env is what a run needs from the process.
type Env struct {
	Log      Log
	Library  Library
	Analyzer Analyzer // nil: what is not analysed yet stays so
	Model    agents.Model
	Worker   domain.Actor
	Now      func() time.Time // nil = time.Now
	Caps     agents.Caps      // zero fields take the product's limits
	Errors   *slog.Logger     // nil = discarded
}

// Task is one attempt of a board run.
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
// the run's fence to append. A board that an earlier attempt recorded ends it at
// once. A request that cannot be carried out (nothing with media, a base board
// that is not there, people's wishes that exceed the limits) is refused before the
// model is asked. A cancelled context ends it as cancelled; the caller knows the
// cause. The error says that the log, the library or a defect kept it from being
// played; the returned event is complete all the same.
func Run(ctx context.Context, env Env, task Task) (run.Finished, error) {
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.Errors == nil {
		env.Errors = slog.New(slog.DiscardHandler)
	}
	s := newSession(env, task)
	if err := s.load(ctx); err != nil {
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			return s.failed(run.ReasonInput, refused.words), nil
		case ctx.Err() != nil:
			return s.finished(agents.Result{Reason: run.ReasonCancelled, Usage: domain.Usage{Known: true}}), nil
		}
		return s.failed(run.ReasonInternal, s.say("素材库暂时读不到。", "The library cannot be read at present.")), err
	}
	if s.made != nil {
		return s.finished(agents.Result{Reason: run.ReasonFinished, Usage: domain.Usage{Known: true}}), nil
	}
	constitution := prompts.Planner()
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
		env.Errors.Warn("board run ended by its model", "run", task.Run, "attempt", task.Attempt, "err", err)
		err = nil
	}
	s.lookBack(ctx)
	return s.finished(result), err
}

// limits fills in a board run's own clock.
func limits(c agents.Caps) agents.Caps {
	if c.Soft == 0 {
		c.Soft = softLimit
	}
	if c.Hard == 0 {
		c.Hard = hardLimit
	}
	return c
}
