// Package butler plays the butler's two shifts: Chat answers the room, Digest
// works through unsettled feedback when nobody is there. Both have one
// constitution and see the same evidence.
//
// It owns what the model gets to see of a room (context.go), the tools
// (tools.go, tool_*.go) and the claim gate (claims.go): a sentence that says the
// butler did something is shown only if a receipt of this shift, or a logged
// event that it cites, proves it.
//
// Nothing here changes anything but through decisions and facts on the log, each
// under the fence of the shift's attempt. Text from outside (titles, captions,
// reports, file names) is quoted data for the model, never instruction.
//
// It may import domain, streams, projections, agents, agents/prompts and
// agents/video; no HTTP, no SQL.
package butler

import (
	"context"
	"log/slog"
	"time"

	"sozai/agents"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// Analyzer looks into a stored video file.
type Analyzer interface {
	AnalyseMedia(ctx context.Context, m library.Media, text video.Text) (video.Analysis, error)
}

// Env is what shifts need from the process. All fields are required unless they
// say otherwise. Safe for concurrent use.
type Env struct {
	Log      *streams.Log
	Store    *projections.Store
	Analyzer Analyzer
	Model    agents.Model

	// Names gives people's display names; nil, or a person missing from its
	// answer, means that ids are shown.
	Names       func(ctx context.Context, people []domain.ID) (map[domain.ID]string, error)
	Worker      domain.Actor     // records the rounds
	Caps        agents.Caps      // zero fields take the product's limits
	PlainDigest bool             // digests ask the model once, without tools
	Now         func() time.Time // nil = time.Now
	Logger      *slog.Logger     // nil = discarded
}

// Sink gets what may be shown while a shift plays: text after the claim gate with
// its byte offset, tool rows (Object is set on both ends), notes and the loop's
// status. Never called from two goroutines at once; it must not block for long.
type Sink func(agents.Event)

func (e Env) logger() *slog.Logger {
	if e.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Logger
}

func (e Env) now() time.Time {
	if e.Now == nil {
		return time.Now().UTC()
	}
	return e.Now().UTC()
}

// names resolves display names, ids standing for people without one.
func (e Env) names(ctx context.Context, people []domain.ID) (map[domain.ID]string, error) {
	out := make(map[domain.ID]string, len(people))
	if e.Names != nil && len(people) > 0 {
		known, err := e.Names(ctx, people)
		if err != nil {
			return nil, err
		}
		for id, name := range known {
			out[id] = name
		}
	}
	for _, id := range people {
		if out[id] == "" {
			out[id] = string(id)
		}
	}
	return out, nil
}

// loop is the loop of one shift, with its rounds recorded as facts.
func (s *shift) loop(sink Sink, tools []agents.Tool) *agents.Loop {
	return &agents.Loop{
		Model: s.env.Model, Tools: s.watched(tools), Caps: s.caps(), Now: s.env.now, Log: s.env.logger(),
		Gate: s.gate,
		Emit: func(e agents.Event) {
			if sink == nil {
				return
			}
			if e.Type == agents.EventStart {
				e.Object = s.objectOf(e.Tool, e.Input)
			}
			sink(e)
		},
		Record: func(ctx context.Context, r step.Recorded) error {
			_, err := s.env.Log.Record(ctx, s.key, streams.Command{
				ID: s.command("round-" + itoa(r.Round)), Actor: s.env.Worker,
			}, r)
			return err
		},
	}
}

// watched lets the gate see what the tools tell the model.
func (s *shift) watched(tools []agents.Tool) []agents.Tool {
	out := make([]agents.Tool, len(tools))
	for i, t := range tools {
		do := t.Execute
		t.Execute = func(ctx context.Context, call agents.Call) (agents.Output, error) {
			got, err := do(ctx, call)
			s.gate.shown(got.Text)
			if err != nil {
				s.gate.shown(err.Error())
			}
			return got, err
		}
		out[i] = t
	}
	return out
}
