package work

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"sozai/agents/planner"
	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// stock gives the room two materials with media, by a search that has ended.
func (r *room) stock() {
	r.t.Helper()
	search := r.s.Log.NewID()
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: search, Work: run.Search, Trigger: run.Hand}, now)
	})
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) { return s.Run.Start(search, 1, 1) })
	for _, hash := range []string{"a", "b"} {
		id := r.s.Log.NewID()
		_, err := r.s.Log.Record(r.t.Context(), r.key, streams.Command{ID: string(id), Actor: domain.Worker("w")},
			library.Saved{
				Material: id, Run: search, Attempt: 1, GeneVersion: 1, Source: "fast", External: hash, Title: "爆炸 " + hash,
				Media: library.Media{Hash: strings.Repeat(hash, 64), Type: "video/mp4", Seconds: 8},
			},
			library.Analyzed{
				Material: id, Run: search, Attempt: 1, Analyser: "local-ffmpeg", Ruleset: 1,
				Digest: library.Digest{ShotRhythm: "快", SpokenHook: "无", Captions: "无", Highlight: library.High, Verdict: "好"},
			})
		if err != nil {
			r.t.Fatal(err)
		}
	}
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.Finish(run.Finished{Run: search, Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Usage: domain.Usage{Known: true}})
	})
	r.caughtUp()
}

// A worker is killed when its board stands in the log and the end of its run does
// not: the next one ends the run with that board and asks no model.
func TestBoardSurvivesItsWorker(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	r.stock()
	id := r.s.Log.NewID()
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: id, Work: run.Board, Trigger: run.Hand, Request: run.Request{What: "15 秒爆炸"}}, now)
	})

	// boards lets a process work on board runs; written is called before it appends
	// how one ended.
	boards := func(w *Workers, written func()) {
		w.Store, w.Model = r.w.Store, rehearsal.New(0)
		ctx, cancel := context.WithCancel(context.Background())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_ = w.Queue.Consume(ctx, w.Deployment, streams.Board, nil, 1, func(ctx context.Context, job *streams.Job) {
				if written == nil {
					w.board(ctx, job)
					return
				}
				w.runJob(ctx, job, id, func(ctx context.Context, b begun) (run.Finished, error) {
					f, err := w.plan(ctx, job.Key, id, b)
					written()
					return f, err
				})
			})
		}()
		t.Cleanup(func() { cancel(); <-gone })
	}
	first, kill := newWorkers(t, r.s, "first")
	made, dead := make(chan struct{}), make(chan struct{})
	t.Cleanup(sync.OnceFunc(func() { close(dead) }))
	boards(first, func() { close(made); <-dead })
	offerSearch(t, first, r.key, id)
	<-made
	kill()

	second, _ := newWorkers(t, r.s, "second")
	boards(second, nil)
	within(t, "the run ends", func() bool { return finishedOf(t, r.s, r.key, id) != nil })
	r.caughtUp()
	f := finishedOf(t, r.s, r.key, id)
	board := planner.BoardID(id)
	if f.Attempt != 2 || f.Outcome != run.Done || f.Reason != run.ReasonFinished || len(f.Products) != 1 || f.Products[0].ID != board {
		t.Fatalf("the run ended as %+v", f)
	}
	list, err := r.w.Store.Boards(t.Context(), r.key, projections.ListPage{})
	if err != nil || len(list) != 1 || list[0].Board != board || len(list[0].Panels) < 3 {
		t.Fatalf("boards %+v: %v", list, err)
	}
	written := 0
	err = r.s.Log.Read(t.Context(), 0, 0, r.key, []domain.Kind{domain.KindLibrary}, func(events []domain.Recorded) error {
		for _, e := range events {
			if _, ok := e.Event.(library.BoardCreated); ok {
				written++
			}
		}
		return nil
	})
	if err != nil || written != 1 {
		t.Fatalf("%d boards in the log: %v", written, err)
	}
}
