package projections_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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
	"sozai/projections/projectionstest"
)

// histories is how many random histories are played.
const histories = 4

// anyEvent draws an event about a handful of ids, in an order that no domain
// would allow: facts before their run, two copies, attempts long closed.
func anyEvent(t *rapid.T) domain.Event {
	n := func(word string) domain.ID { return id(word, rapid.IntRange(1, 3).Draw(t, word)) }
	attempt := func() int { return rapid.IntRange(0, 3).Draw(t, "attempt") }
	version := func() int { return rapid.IntRange(0, 3).Draw(t, "version") }
	text := func() string {
		return rapid.SampledFrom([]string{"", "快一点", "nul\x00", `back\u0000slash`, "plain"}).Draw(t, "text")
	}
	when := projectionstest.Start().Add(time.Hour)
	object := func() domain.Ref {
		kind := rapid.SampledFrom([]domain.ObjectType{domain.Material, domain.Board, domain.Film, domain.Whole, domain.Asset}).Draw(t, "object")
		word := map[domain.ObjectType]string{domain.Material: "mat", domain.Board: "board", domain.Film: "film", domain.Whole: "whole", domain.Asset: "asset"}[kind]
		return domain.Ref{Type: kind, ID: n(word)}
	}
	panels := func() []library.Panel {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) library.Panel {
			word := rapid.SampledFrom([]string{"mat", "mat", "asset"}).Draw(t, "shows")
			return library.Panel{Number: 1, Material: id(word, rapid.IntRange(0, 4).Draw(t, word)), Caption: text()}
		}), 0, 3).Draw(t, "panels")
	}
	subject := func() (domain.ID, domain.ID) {
		if rapid.Bool().Draw(t, "of a turn") {
			return "", n("turn")
		}
		return n("run"), ""
	}
	works := []run.Work{run.Digest, run.Search, run.Board, run.Film}
	triggers := []run.Trigger{run.First, run.Hand, run.Order, run.Daily, run.GeneCheck, run.Threshold, run.Retry}
	verdicts := []feedback.Verdict{feedback.Like, feedback.Dislike, feedback.None}
	looks := []behavior.Type{behavior.Viewed, behavior.Ignored, behavior.Downloaded}
	ofRun, ofTurn := subject()
	return rapid.SampledFrom([]func() domain.Event{
		func() domain.Event { return agent.Created{Name: text(), Creator: lin, Sources: []string{text()}} },
		func() domain.Event { return agent.MemberAdded{User: n("user"), Role: "member"} },
		func() domain.Event { return agent.MemberRemoved{User: n("user")} },
		func() domain.Event {
			return gene.Minted{Version: version() + 1, Origin: gene.OriginEdit, Previous: &gene.Score{Version: version()}}
		},
		func() domain.Event {
			return gene.Proposed{Card: n("card"), Summary: text(), Turn: ofTurn, Run: ofRun, Steer: ptr(text()), Expires: when}
		},
		func() domain.Event {
			return gene.Applied{Card: n("card"), Version: version(), Settled: []domain.ID{n("fb")}}
		},
		func() domain.Event { return gene.Rejected{Card: n("card"), Reason: text()} },
		func() domain.Event { return gene.Expired{Card: n("card"), Cause: gene.CauseAge} },
		func() domain.Event {
			return run.Requested{Run: n("run"), Work: rapid.SampledFrom(works).Draw(t, "work"), Trigger: rapid.SampledFrom(triggers).Draw(t, "trigger")}
		},
		func() domain.Event { return run.Started{Run: n("run"), Attempt: attempt(), GeneVersion: version()} },
		func() domain.Event { return run.AttemptLost{Run: n("run"), Attempt: attempt(), Cause: run.WorkerLost} },
		func() domain.Event { return run.CancelRequested{Run: n("run"), Cause: "person"} },
		func() domain.Event {
			return run.Finished{Run: n("run"), Attempt: attempt(), Outcome: run.Failed, Reason: run.ReasonModel, Products: []domain.Ref{object()}, Cost: 3}
		},
		func() domain.Event {
			return run.OrderProposed{Order: n("order"), Work: run.Film, Turn: ofTurn, Expires: when}
		},
		func() domain.Event { return run.OrderConfirmed{Order: n("order"), Run: n("run")} },
		func() domain.Event { return run.OrderDeclined{Order: n("order"), Reason: text()} },
		func() domain.Event {
			return turn.Started{Turn: n("turn"), Attempt: attempt(), Messages: []domain.ID{n("msg")}, Upto: n("msg")}
		},
		func() domain.Event {
			return turn.AttemptLost{Turn: n("turn"), Attempt: attempt(), Cause: run.HandedOver}
		},
		func() domain.Event { return turn.StopRequested{Turn: n("turn")} },
		func() domain.Event {
			return turn.Finished{Turn: n("turn"), Attempt: attempt(), Upto: n("msg"), Reason: "finished", Blocks: []turn.Block{{Type: turn.Card, Ref: n("card")}}}
		},
		func() domain.Event { return chat.Said{Message: n("msg"), Text: text(), Refs: []domain.Ref{object()}} },
		func() domain.Event { return chat.TakenBack{Message: n("msg")} },
		func() domain.Event {
			return feedback.Given{Feedback: n("fb"), Object: object(), Verdict: rapid.SampledFrom(verdicts).Draw(t, "verdict"), Words: text()}
		},
		func() domain.Event { return feedback.Withdrawn{Feedback: n("fb")} },
		func() domain.Event {
			return behavior.Observed{Beacon: n("beacon"), Observations: []behavior.Observation{
				{ID: n("obs"), Type: rapid.SampledFrom(looks).Draw(t, "look"), Object: object()}, {ID: n("obs"), Type: behavior.Downloaded, Object: object()},
			}}
		},
		func() domain.Event {
			return library.Saved{Material: n("mat"), Run: ofRun, Attempt: attempt(), GeneVersion: version(), Source: "fast", External: text(), Title: text()}
		},
		func() domain.Event {
			return library.Analyzed{Material: n("mat"), Run: ofRun, Turn: ofTurn, Attempt: attempt(), Digest: library.Digest{Verdict: text()}, Report: text()}
		},
		func() domain.Event { return library.AssetUploaded{Asset: n("asset"), Title: text(), File: text()} },
		func() domain.Event {
			return library.BoardCreated{Board: n("board"), Run: ofRun, Attempt: attempt(), GeneVersion: version(), Panels: panels()}
		},
		func() domain.Event { return library.BoardEdited{Board: n("board"), Title: text(), Panels: panels()} },
		func() domain.Event {
			return library.FilmRendered{Film: n("film"), Board: n("board"), Run: ofRun, Attempt: attempt(), GeneVersion: version()}
		},
		func() domain.Event {
			return step.Recorded{Run: ofRun, Turn: ofTurn, Attempt: attempt(), Round: rapid.IntRange(1, 2).Draw(t, "round"), Cost: 7, Why: text()}
		},
		func() domain.Event {
			return step.Progressed{Run: n("run"), Attempt: attempt(), Done: 1, Unit: "materials"}
		},
	}).Draw(t, "event")()
}

// anyHistory draws a history of two agents.
func anyHistory(least, most int) *rapid.Generator[*projectionstest.Log] {
	return rapid.Custom(func(t *rapid.T) *projectionstest.Log {
		log := projectionstest.NewLog()
		actors := []domain.Actor{domain.User(lin), domain.User(wang), domain.Worker("w"), domain.Butler("b")}
		for range rapid.IntRange(least, most).Draw(t, "events") {
			if rapid.IntRange(0, 20).Draw(t, "pause") == 0 {
				log.Pass(7 * time.Minute)
			}
			k := rapid.SampledFrom([]domain.Key{key, other}).Draw(t, "agent")
			log.Add(k, rapid.SampledFrom(actors).Draw(t, "actor"), anyEvent(t))
		}
		return log
	})
}

// pieces is a log that ends early and is read in batches of given sizes.
type pieces struct {
	*projectionstest.Log
	end  *uint64
	size func() int
}

func (l pieces) Last(context.Context) (uint64, error) { return *l.end, nil }

func (l pieces) Read(ctx context.Context, after, upto uint64, k domain.Key, kinds []domain.Kind, each func([]domain.Recorded) error) error {
	if upto = min(upto, *l.end); upto == 0 {
		return nil
	}
	return l.Log.Read(ctx, after, upto, k, kinds, func(events []domain.Recorded) error {
		for len(events) > 0 {
			n := min(l.size(), len(events))
			if err := each(events[:n]); err != nil {
				return err
			}
			events = events[n:]
		}
		return nil
	})
}

// Laws, for any history: nothing is poison; tables do not depend on how the log
// was cut into batches, on batches that came twice, or on where the projector was
// stopped and started again (kept in mind or not), and equal those of a rebuild in
// chunks of any size and those built as of the last event; those built as of an
// event in the middle equal what was live then.
func TestAnyHistoryAnyBatches(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	version := 1
	cuts := rapid.SliceOfN(rapid.IntRange(1, 60), 300, 300)
	for seed := range histories {
		log := anyHistory(150, 250).Example(seed)
		version++
		list := projections.All()
		for i := range list {
			list[i].Version = version // generations of its own
		}
		store := projections.NewStoreOf(b.store.Pool(), list)
		sizes, next := cuts.Example(seed), 0
		size := func() int { next++; return sizes[next%len(sizes)] }
		end := uint64(0)
		runner := projections.NewRunner(store, pieces{log, &end, size}, projectionstest.Quiet()).Chunked(size())
		h := &bundle{t, log, store, runner}
		middle := uint64(len(log.Events()) / 2)
		then := h.play(list, seed, &end, middle, size)
		var parked int
		if err := b.store.Pool().QueryRow(ctx, `SELECT count(*) FROM control.parked`).Scan(&parked); err != nil || parked != 0 {
			t.Fatalf("history %d: %d events are poison (%v)", seed, parked, err)
		}
		live := h.contents(h.serving(), "")
		if err := runner.Chunked(size()).Rebuild(ctx, nil, nil); err != nil {
			t.Fatalf("history %d: rebuild: %v", seed, err)
		}
		built := must[map[string]string](t)(runner.Chunked(size()).BuildAt(ctx, nil, end, nil))
		earlier := must[map[string]string](t)(runner.Chunked(size()).BuildAt(ctx, nil, middle, nil))
		for what, other := range map[string][2]map[string][]string{
			"rebuilt":       {live, h.contents(h.serving(), "")},
			"as of the end": {live, h.contents(built, "")},
			"as of before":  {then, h.contents(earlier, "")},
		} {
			if diff := cmp.Diff(other[0], other[1]); diff != "" {
				t.Errorf("history %d, %s (-live +built):\n%s", seed, what, diff)
			}
		}
		for name := range built { // the next history is another log of the same name
			if err := errors.Join(store.DropAt(ctx, name, end), store.DropAt(ctx, name, middle)); err != nil {
				t.Fatalf("drop: %v", err)
			}
		}
	}
}

// play applies a history: one in batches that overlap, the next by projectors that
// are stopped at any moment and started again. It returns the tables in the middle.
func (b *bundle) play(list []projections.Projection, seed int, end *uint64, middle uint64, size func() int) (then map[string][]string) {
	b.t.Helper()
	ctx := context.Background()
	events := b.log.Events()
	last := uint64(len(events))
	b.catchUp() // nothing yet
	if seed%2 == 0 {
		*end = last
		for from, i := uint64(0), 0; from < last; i++ {
			to := min(from+uint64(size()), last)
			if from < middle {
				to = min(to, middle)
			}
			again := max(0, int(from)-3*(i%2)) // every other batch repeats the end of the last
			for _, p := range list {
				if err := b.runner.ApplyBatch(ctx, p.Name, uint64(again), events[again:to]); err != nil {
					b.t.Fatalf("history %d: %s: %v", seed, p.Name, err)
				}
			}
			if from = to; from == middle {
				then = b.contents(b.serving(), "")
			}
		}
		return then
	}
	for *end = middle; ; *end = last {
		for patience := 20 * time.Millisecond; ; patience *= 2 {
			stopped, stop := context.WithTimeout(ctx, patience)
			err := b.runner.CatchUp(stopped)
			stop()
			if err == nil {
				break
			}
			if patience > time.Minute {
				b.t.Fatalf("history %d: %v", seed, err)
			}
		}
		if *end == last {
			return then
		}
		then = b.contents(b.serving(), "")
	}
}
