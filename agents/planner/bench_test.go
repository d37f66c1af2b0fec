package planner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/planner"
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
	"sozai/streams/streamstest"
)

const person domain.Actor = "user:01J9ZZZZZZ00000000000000AA"

// books is the library: materials as they are given, boards, films and feedback
// as a fold of the real log, without a database.
type books struct {
	t         *testing.T
	log       *streams.Log
	materials []projections.Material // oldest first
	assets    []projections.Asset
	waits     []uint64
	err       error // what Wait answers, once
}

var errNone = domain.Errorf(domain.NotFound, "there is none")

func (b *books) Wait(_ context.Context, seq uint64, _ ...string) error {
	b.waits = append(b.waits, seq)
	err := b.err
	b.err = nil
	return err
}

func (b *books) fold(key domain.Key, kind domain.Kind, see func(domain.Recorded)) {
	err := b.log.Read(context.Background(), 0, 0, key, []domain.Kind{kind}, func(events []domain.Recorded) error {
		for _, e := range events {
			see(e)
		}
		return nil
	})
	if err != nil {
		b.t.Error(err)
	}
}

func (b *books) Materials(_ context.Context, _ domain.Key, f projections.MaterialFilter) ([]projections.Material, error) {
	var out []projections.Material
	for _, m := range slices.Backward(b.materials) {
		if (f.Before == 0 || m.Seq < f.Before) && len(out) < f.Limit {
			out = append(out, m)
		}
	}
	return out, nil
}

func (b *books) Material(_ context.Context, _ domain.Key, id domain.ID) (projections.Material, error) {
	for _, m := range b.materials {
		if m.Material == id {
			return m, nil
		}
	}
	return projections.Material{}, errNone
}

func (b *books) Asset(_ context.Context, _ domain.Key, id domain.ID) (projections.Asset, error) {
	for _, a := range b.assets {
		if a.Asset == id {
			return a, nil
		}
	}
	return projections.Asset{}, errNone
}

func (b *books) Board(_ context.Context, key domain.Key, id domain.ID) (projections.Board, error) {
	out, err := projections.Board{}, error(errNone)
	b.fold(key, domain.KindLibrary, func(r domain.Recorded) {
		switch e := r.Event.(type) {
		case library.BoardCreated:
			if e.Board == id && err != nil {
				err = nil
				out = projections.Board{Board: id, Run: e.Run, GeneVersion: e.GeneVersion, Base: e.Base, Title: e.Title, Panels: e.Panels}
			}
		case library.BoardEdited:
			if e.Board == id {
				out.Title, out.Panels = e.Title, e.Panels
			}
		}
	})
	return out, err
}

func (b *books) Film(_ context.Context, key domain.Key, id domain.ID) (projections.Film, error) {
	out, err := projections.Film{}, error(errNone)
	b.fold(key, domain.KindLibrary, func(r domain.Recorded) {
		if e, ok := r.Event.(library.FilmRendered); ok && e.Film == id {
			out, err = projections.Film{Film: id, Board: e.Board}, nil
		}
	})
	return out, err
}

func (b *books) Films(_ context.Context, key domain.Key, page projections.ListPage) ([]projections.Film, error) {
	var out []projections.Film
	b.fold(key, domain.KindLibrary, func(r domain.Recorded) {
		if e, ok := r.Event.(library.FilmRendered); ok && e.Board == page.Board {
			out = append(out, projections.Film{Film: e.Film, Board: e.Board})
		}
	})
	return out, nil
}

func (b *books) Feedback(_ context.Context, key domain.Key, f projections.FeedbackFilter) ([]projections.FeedbackItem, error) {
	var out []projections.FeedbackItem
	withdrawn := map[domain.ID]bool{}
	b.fold(key, domain.KindFeedback, func(r domain.Recorded) {
		switch e := r.Event.(type) {
		case feedback.Given:
			if e.Object.Type == f.Object.Type && e.Object.ID == f.Object.ID {
				out = append(out, projections.FeedbackItem{Feedback: e.Feedback, State: "open", Object: e.Object, Verdict: e.Verdict, Words: e.Words})
			}
		case feedback.Withdrawn:
			withdrawn[e.Feedback] = true
		}
	})
	for i := range out {
		if withdrawn[out[i].Feedback] {
			out[i].State = "withdrawn"
		}
	}
	slices.Reverse(out)
	return out, nil
}

// clip is material n, with media of some seconds; 0 has none.
func clip(n int, title string, seconds float64, rating library.Rating) projections.Material {
	m := projections.Material{
		Material: clipID(n), Seq: uint64(n), Title: title, Rating: rating,
		Analysis: &projections.Analysis{Analyser: "local-ffmpeg", Ruleset: 1, Digest: library.Digest{
			ShotRhythm: "6 个镜头", SpokenHook: "无", Captions: "无", Highlight: rating, Verdict: "快",
		}, Metrics: &library.Metrics{Duration: seconds, Cuts: []float64{1.5, 3.25}, ShotCount: 3, Aspect: "9:16"}},
	}
	if seconds > 0 {
		m.Media = library.Media{Hash: strings.Repeat("a", 64), Type: "video/mp4", Seconds: seconds}
	}
	return m
}

func clipID(n int) domain.ID { return domain.ID(fmt.Sprintf("01J9ZZZZZZ00000000000C%04d", n)) }

// bench is one agent with a started board run.
type bench struct {
	t     *testing.T
	log   *streams.Log
	books *books
	key   domain.Key
	env   planner.Env
	task  planner.Task
}

const (
	searchDoc = "末日塔防，要有爆炸\n丧尸成群\n不要真人口播"
	steerDoc  = "开头 3 秒内直接给出最强的画面或冲突\n节奏加快：3 秒内出现第一个变化"
)

func newBench(t *testing.T, model agents.Model, materials ...projections.Material) *bench {
	t.Helper()
	s := streamstest.Start(t)
	b := &bench{t: t, log: s.Log, books: &books{t: t, log: s.Log, materials: materials}, key: s.Key()}
	b.env = planner.Env{Log: s.Log, Library: b.books, Model: model, Worker: domain.Worker("w1"), Now: time.Now}
	b.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		made, err := st.Agent.Create(agent.Created{Name: "末日塔防", Brief: "手游买量", Creator: person.ID(), Sources: []string{"fast"}})
		if err != nil {
			return nil, err
		}
		minted, err := st.Gene.Create(searchDoc, steerDoc, domain.Constraints{MaxFilmSeconds: 15, Aspect: "9:16"})
		return append(made, minted...), err
	})
	b.newRun(run.Request{What: "竖版，开场爆炸"})
	return b
}

func (b *bench) decide(f func(*streams.State, time.Time) ([]domain.Decision, error)) streams.Result {
	b.t.Helper()
	r, err := b.log.Decide(b.t.Context(), b.key, streams.Command{ID: string(b.log.NewID()), Actor: person}, f)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// newRun asks for another board and starts it.
func (b *bench) newRun(request run.Request) {
	b.t.Helper()
	id := b.log.NewID()
	b.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: id, Work: run.Board, Trigger: run.Hand, Request: request}, now)
	})
	b.task = planner.Task{
		Key: b.key, Run: id, Trigger: run.Hand, Request: request, Name: "末日塔防", Brief: "手游买量",
		Gene: gene.Minted{Version: 1, Search: searchDoc, Steer: steerDoc, Constraints: domain.Constraints{MaxFilmSeconds: 15, Aspect: "9:16"}},
	}
	b.start()
}

// start begins the next attempt of the run.
func (b *bench) start() {
	b.t.Helper()
	r := b.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.Start(b.task.Run, 1, st.Gene.Version)
	})
	b.task.Started = r.Seq
	b.task.Attempt++
}

// run plays the current attempt and appends how it ended.
func (b *bench) run() run.Finished {
	b.t.Helper()
	f, err := planner.Run(b.t.Context(), b.env, b.task)
	if err != nil {
		b.t.Fatal(err)
	}
	b.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Run.Finish(f) })
	return f
}

func (b *bench) record(by domain.Actor, facts ...domain.Fact) {
	b.t.Helper()
	cmd := streams.Command{ID: string(b.log.NewID()), Actor: by}
	if _, err := b.log.Record(b.t.Context(), b.key, cmd, facts...); err != nil {
		b.t.Fatal(err)
	}
}

// says records a person's feedback on a panel of a board, 0 for the whole.
func (b *bench) says(board domain.ID, panel int, verdict feedback.Verdict, words string) {
	b.t.Helper()
	b.record(person, feedback.Given{
		Feedback: b.log.NewID(), Object: domain.Ref{Type: domain.Board, ID: board, Panel: panel}, Verdict: verdict, Words: words,
	})
}

// boards lists every board.created in log order.
func (b *bench) boards() []library.BoardCreated {
	b.t.Helper()
	var out []library.BoardCreated
	b.books.fold(b.key, domain.KindLibrary, func(r domain.Recorded) {
		if e, ok := r.Event.(library.BoardCreated); ok {
			out = append(out, e)
		}
	})
	return out
}

// board is the only board that a run made.
func (b *bench) board() library.BoardCreated {
	b.t.Helper()
	var out []library.BoardCreated
	for _, e := range b.boards() {
		if e.Run == b.task.Run {
			out = append(out, e)
		}
	}
	if len(out) != 1 {
		b.t.Fatalf("the run made %d boards", len(out))
	}
	return out[0]
}

// steps lists the rounds and the progress of the present run.
func (b *bench) steps() (rounds []step.Recorded, progress []step.Progressed) {
	b.t.Helper()
	b.books.fold(b.key, domain.KindStep, func(r domain.Recorded) {
		switch e := r.Event.(type) {
		case step.Recorded:
			if e.Run == b.task.Run {
				rounds = append(rounds, e)
			}
		case step.Progressed:
			if e.Run == b.task.Run {
				progress = append(progress, e)
			}
		}
	})
	return rounds, progress
}

// outcomes lists "tool outcome output" of every recorded call.
func (b *bench) outcomes() string {
	b.t.Helper()
	var out []string
	rounds, _ := b.steps()
	for _, r := range rounds {
		for _, c := range r.Calls {
			out = append(out, c.Tool+" "+c.Outcome+" "+c.Output)
		}
	}
	return strings.Join(out, "\n")
}
