package projections_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/behavior"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
	"sozai/projections"
	"sozai/projections/postgres/postgrestest"
	"sozai/projections/projectionstest"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == childVerb {
		rebuildAsChild(os.Args[2])
		return
	}
	if len(os.Args) == 3 && os.Args[1] == followVerb {
		followAsChild(os.Args[2])
		return
	}
	code := m.Run()
	if err := postgrestest.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the test database:", err)
		code = 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

const (
	lin  = domain.ID("01LIN00000000000000000000A")
	wang = domain.ID("01WANG0000000000000000000B")
)

var (
	key   = domain.Key{Product: "demo", Agent: "01AGENT0000000000000000001"}
	other = domain.Key{Product: "demo", Agent: "01AGENT0000000000000000002"}
)

func id(word string, n int) domain.ID { return projectionstest.ID(word, n) }

func ptr[T any](v T) *T { return &v }

// bundle is a store, its runner and the log in memory that it follows by hand.
type bundle struct {
	t      *testing.T
	log    *projectionstest.Log
	store  *projections.Store
	runner *projections.Runner
}

// setup gives an empty log and read models that follow it when told to.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	log := projectionstest.NewLog()
	store := projections.NewStore(projectionstest.Pool(t))
	return &bundle{t, log, store, projections.NewRunner(store, log, projectionstest.Quiet())}
}

func (b *bundle) catchUp() {
	b.t.Helper()
	if err := b.runner.CatchUp(context.Background()); err != nil {
		b.t.Fatalf("catch up: %v", err)
	}
}

// must returns a query's answer.
func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("query: %v", err)
		}
		return v
	}
}

// create opens an agent with its first version and first search (run 1).
func create(l *projectionstest.Log, k domain.Key) {
	l.Add(k, domain.User(lin),
		agent.Created{Name: "末日塔防", Brief: "tower defence", Creator: lin, Sources: []string{"fast"}},
		gene.Minted{Version: 1, Search: "爆炸\nzombies", Steer: "first three seconds", Origin: gene.OriginCreated, Summary: "first"},
		run.Requested{Run: id("run", 1), Work: run.Search, Trigger: run.First, Request: run.Request{What: "first", Target: 12}},
	)
}

func saved(n, searchRun, attempt, version int) library.Saved {
	return library.Saved{
		Material: id("mat", n), Run: id("run", searchRun), Attempt: attempt, GeneVersion: version, Source: "fast",
		External: string(id("ext", n)), Title: "clip " + string(rune('a'+n%26)), Author: "ann", Platform: "douyin",
		Tags: []string{"爆炸", "tower"}, Media: library.Media{Hash: "h" + string(id("mat", n)), Type: "video/mp4", Seconds: 8},
	}
}

func analyzed(n, searchRun, attempt int, rating library.Rating) library.Analyzed {
	return library.Analyzed{
		Material: id("mat", n), Run: id("run", searchRun), Attempt: attempt, Analyser: "local-ffmpeg", Ruleset: 1,
		Digest:  library.Digest{ShotRhythm: "fast", SpokenHook: "无", Highlight: rating, Verdict: "无", Missing: []string{"spoken_hook"}},
		Metrics: &library.Metrics{Duration: 8, Cuts: []float64{1, 2.5}, ShotCount: 3}, Report: "the whole report",
	}
}

// wheel plays one turn of the wheel: a first search that loses a worker, looks,
// feedback, a chat that proposes a card, its application, the gene check, an
// order, a board, a film, a digest, edits and withdrawals.
func wheel(l *projectionstest.Log, k domain.Key) {
	create(l, k)
	worker := domain.Worker("w1")
	l.Add(k, worker,
		run.Started{Run: id("run", 1), Attempt: 1, Slot: 7, GeneVersion: 1},
		step.Recorded{
			Run: id("run", 1), Attempt: 1, Round: 1, Model: "rehearsal", Stop: "tool_use", Cost: 1000, Why: "look",
			Usage: domain.Usage{Known: true, Input: 10, Output: 5}, Calls: []step.Call{{ID: "c1", Tool: "search_fast", Outcome: "ok"}},
		},
		saved(1, 1, 1, 1), analyzed(1, 1, 1, library.High), saved(2, 1, 1, 1), analyzed(2, 1, 1, library.Low),
		step.Progressed{Run: id("run", 1), Attempt: 1, Done: 2, Target: 12, Unit: "materials", Page: 1, Pages: 12},
		run.AttemptLost{Run: id("run", 1), Attempt: 1, Cause: run.WorkerLost},
		run.Started{Run: id("run", 1), Attempt: 2, Slot: 7, GeneVersion: 1},
		saved(3, 1, 1, 1), // of the lost attempt: late
		step.Recorded{Run: id("run", 1), Attempt: 1, Round: 2, Model: "rehearsal", Cost: 500, Usage: domain.Usage{Known: true, Input: 3}}, // late
		saved(3, 1, 2, 1), analyzed(3, 1, 2, library.Medium),
		step.Recorded{Run: id("run", 1), Attempt: 2, Round: 1, Model: "rehearsal", Cost: 2000, Usage: domain.Usage{Known: true, Input: 20, Output: 8}},
		run.Finished{
			Run: id("run", 1), Attempt: 2, Outcome: run.Done, Reason: run.ReasonFinished, Summary: "3 found",
			Products: []domain.Ref{{Type: domain.Material, ID: id("mat", 1)}, {Type: domain.Material, ID: id("mat", 2)}, {Type: domain.Material, ID: id("mat", 3)}},
			Cost:     2000,
		})
	l.Add(k, domain.User(lin), behavior.Observed{Beacon: id("beacon", 1), Observations: []behavior.Observation{
		{ID: id("obs", 1), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: id("mat", 1)}},
		{ID: id("obs", 2), Type: behavior.Ignored, Object: domain.Ref{Type: domain.Material, ID: id("mat", 2)}},
		{ID: id("obs", 3), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: "01NOTOURS00000000000000000"}},
	}},
		feedback.Given{Feedback: id("fb", 1), Object: domain.Ref{Type: domain.Material, ID: id("mat", 2)}, Verdict: feedback.Dislike, Words: "爆炸感不够"},
		feedback.Given{Feedback: id("fb", 2), Object: domain.Ref{Type: domain.Material, ID: id("mat", 1)}, Verdict: feedback.Like},
		feedback.Given{Feedback: id("fb", 3), Object: domain.Ref{Type: domain.Material, ID: id("mat", 3)}, Verdict: feedback.Like},
	)
	l.Add(k, domain.User(lin), chat.Said{Message: id("msg", 1), Text: "more explosions", Refs: []domain.Ref{{Type: domain.Material, ID: id("mat", 2)}}})
	l.Add(k, domain.User(wang), chat.Said{Message: id("msg", 2), Text: "oops"}, chat.TakenBack{Message: id("msg", 2)})
	butler := domain.Butler(id("turn", 1))
	l.Add(k, butler,
		turn.Started{Turn: id("turn", 1), Attempt: 1, Slot: 9, Messages: []domain.ID{id("msg", 1)}, Upto: id("msg", 1), GeneVersion: 1},
		gene.Proposed{
			Card: id("card", 1), BaseVersion: 1, Search: ptr("爆炸\nzombies\nmore explosions"), Summary: "more explosions", Reason: "lin said so",
			Feedback: []gene.Citation{{Feedback: id("fb", 1), Document: domain.Search}}, Turn: id("turn", 1), Expires: projectionstest.Start().AddDate(0, 0, 7),
		},
		run.OrderProposed{
			Order: id("order", 1), Work: run.Board, Request: run.Request{What: "a board", Cites: []domain.Ref{{Type: domain.Material, ID: id("mat", 1)}}},
			Turn: id("turn", 1), Expires: projectionstest.Start().AddDate(0, 0, 7),
		},
		turn.Finished{
			Turn: id("turn", 1), Attempt: 1, Upto: id("msg", 1), Reason: "finished", Cost: 700, Usage: domain.Usage{Known: true},
			Blocks: []turn.Block{{Type: turn.Text, Text: "here is a card"}, {Type: turn.Card, Ref: id("card", 1)}},
		})
	l.Add(k, domain.User(lin),
		gene.Applied{Card: id("card", 1), Version: 2, Documents: []string{"search"}, Settled: []domain.ID{id("fb", 1)}},
		gene.Minted{Version: 2, BaseVersion: 1, Search: "爆炸\nzombies\nmore explosions", Steer: "first three seconds", Origin: gene.OriginCard, Card: id("card", 1),
			Summary: "more explosions", Previous: &gene.Score{Version: 1, AsOf: 20, Found: 3, Shown: 2}},
		run.Requested{Run: id("run", 2), Work: run.Search, Trigger: run.GeneCheck, Card: id("card", 1), Request: run.Request{Target: 4}},
		run.OrderConfirmed{Order: id("order", 1), Run: id("run", 3)},
		run.Requested{Run: id("run", 3), Work: run.Board, Trigger: run.Order, Order: id("order", 1), Request: run.Request{What: "a board"}},
	)
	l.Add(k, worker,
		run.Started{Run: id("run", 2), Attempt: 1, Slot: 11, GeneVersion: 2},
		saved(4, 2, 1, 2), saved(1, 2, 1, 2), // the second one is there already
		run.Finished{Run: id("run", 2), Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Products: []domain.Ref{{Type: domain.Material, ID: id("mat", 4)}}, Cost: 90},
		run.Started{Run: id("run", 3), Attempt: 1, Slot: 12, GeneVersion: 2},
		library.BoardCreated{Board: id("board", 1), Run: id("run", 3), Attempt: 1, GeneVersion: 2, Title: "board", Panels: []library.Panel{
			{Number: 1, Caption: "boom", Material: id("mat", 1)}, {Number: 2, Caption: "again", Material: id("mat", 2)}, {Number: 3, Material: "01NOTOURS00000000000000000"},
		}},
		run.Finished{Run: id("run", 3), Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Products: []domain.Ref{{Type: domain.Board, ID: id("board", 1)}}, Cost: 50_000},
	)
	l.Add(k, domain.User(wang),
		library.BoardEdited{Board: id("board", 1), Title: "board 2", Panels: []library.Panel{{Number: 1, Material: id("mat", 1)}, {Number: 2, Material: id("mat", 3)}}},
		run.Requested{Run: id("run", 4), Work: run.Film, Trigger: run.Hand, Request: run.Request{Board: id("board", 1), Mode: "cut"}})
	l.Add(k, worker,
		run.Started{Run: id("run", 4), Attempt: 1, Slot: 13, GeneVersion: 2},
		library.FilmRendered{Film: id("film", 1), Board: id("board", 1), Run: id("run", 4), Attempt: 1, GeneVersion: 2, Media: library.Media{Hash: "film1", Seconds: 20}},
		run.Finished{Run: id("run", 4), Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Products: []domain.Ref{{Type: domain.Film, ID: id("film", 1)}}})
	l.Add(k, domain.User(wang),
		behavior.Observed{Beacon: id("beacon", 2), Observations: []behavior.Observation{
			{ID: id("obs", 4), Type: behavior.Downloaded, Object: domain.Ref{Type: domain.Film, ID: id("film", 1)}},
			{ID: id("obs", 5), Type: behavior.Downloaded, Object: domain.Ref{Type: domain.Film, ID: "01NOTOURS00000000000000000"}},
			{ID: id("obs", 6), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: id("mat", 3)}},
		}},
		feedback.Withdrawn{Feedback: id("fb", 3)},
		feedback.Given{Feedback: id("fb", 4), Object: domain.Ref{Type: domain.Film, ID: id("film", 1)}, Verdict: feedback.Like},
		library.AssetUploaded{Asset: id("asset", 1), Title: "our own", File: "../x.mp4", Media: library.Media{Hash: "asset1"}},
		agent.MemberAdded{User: wang, Role: "member"}, agent.ScheduleSet{Daily: true, At: "09:00", Zone: "Asia/Shanghai"},
	)
	l.Add(k, domain.System("digest"), run.Requested{Run: id("run", 5), Work: run.Digest, Trigger: run.Threshold})
	l.Add(k, domain.Butler(id("run", 5)),
		run.Started{Run: id("run", 5), Attempt: 1, Slot: 20, GeneVersion: 2},
		gene.Proposed{Card: id("card", 2), BaseVersion: 2, Steer: ptr("slower"), Summary: "slower", Reason: "films", Run: id("run", 5), Expires: projectionstest.Start().AddDate(0, 0, 7)},
		run.Finished{Run: id("run", 5), Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Products: []domain.Ref{{Type: domain.CardObj, ID: id("card", 2)}}})
	l.Add(k, domain.User(wang),
		gene.Minted{Version: 3, BaseVersion: 2, Search: "爆炸", Steer: "first three seconds", Origin: gene.OriginEdit, Summary: "shorter", Previous: &gene.Score{Version: 2}},
		gene.Expired{Card: id("card", 2), Cause: gene.CauseBaseMoved, MovedTo: 3},
		chat.Said{Message: id("msg", 3), Text: "and now?"},
		run.Requested{Run: id("run", 6), Work: run.Search, Trigger: run.Hand},
		run.CancelRequested{Run: id("run", 6), Cause: "person"},
		run.Finished{Run: id("run", 6), Outcome: run.Cancelled, Reason: run.ReasonCancelled})
}

// eventually polls until ok or a deadline.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
		<-time.After(2 * time.Millisecond)
	}
}
