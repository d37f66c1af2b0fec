package run_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/run"
)

// history is everything that was decided on an agent's runs.
type history struct {
	state  run.State
	events []domain.Recorded
	now    time.Time
	ids    int
}

func (h *history) record(t *rapid.T, by domain.Actor, events []domain.Decision) {
	for _, e := range events {
		r := domain.Recorded{Meta: domain.Meta{Seq: uint64(len(h.events) + 1), Time: h.now, Actor: by}, Event: e}
		h.events = append(h.events, r)
		var err error
		if h.state, err = run.Evolve(h.state, r); err != nil {
			t.Fatalf("evolve %T: %v", e, err)
		}
	}
}

func (h *history) id() domain.ID { h.ids++; return domain.ID(fmt.Sprint("x", h.ids)) }

// some picks one of the ids used so far, of whatever it is.
func (h *history) some(t *rapid.T) domain.ID {
	return domain.ID(fmt.Sprint("x", rapid.IntRange(1, h.ids+1).Draw(t, "id")))
}

// step asks for one thing, sensible or not; refusals are part of the game.
func (h *history) step(t *rapid.T) {
	works := []run.Work{run.Digest, run.Search, run.Board}
	attempt := func() int { return rapid.IntRange(0, 4).Draw(t, "attempt") }
	s := h.state
	var events []domain.Decision
	switch rapid.SampledFrom([]string{"request", "retry", "start", "start", "lose", "cancel", "finish", "order", "confirm", "expire", "import"}).Draw(t, "step") {
	case "request":
		events, _ = s.Request(run.Requested{Run: h.id(), Work: rapid.SampledFrom(works).Draw(t, "work"), Trigger: run.Hand}, h.now)
	case "retry":
		events, _ = s.Request(run.Requested{Run: h.id(), Work: run.Search, Trigger: run.Retry, RetryOf: h.some(t)}, h.now)
	case "start":
		events, _ = s.Start(h.some(t), 1, rapid.IntRange(1, 9).Draw(t, "version"))
	case "lose":
		cause := rapid.SampledFrom([]string{run.WorkerLost, run.HandedOver}).Draw(t, "cause")
		events, _ = s.Lose(h.some(t), attempt(), cause)
	case "cancel":
		cause := rapid.SampledFrom([]string{run.CancelPerson, run.CancelPeopleCame}).Draw(t, "cause")
		events, _ = s.RequestCancel(h.some(t), cause)
	case "finish":
		f := run.Finished{Run: h.some(t), Attempt: attempt(), Outcome: run.Done, Reason: run.ReasonFinished}
		if rapid.Bool().Draw(t, "cancelled") {
			f.Outcome, f.Reason = run.Cancelled, run.ReasonCancelled
		}
		events, _ = s.Finish(f)
	case "order":
		events, _ = s.ProposeOrder(order(h.id(), rapid.SampledFrom(works).Draw(t, "work")), h.now)
	case "confirm":
		events, _ = s.ConfirmOrder(h.some(t), h.id(), domaintest.Ann, h.now)
	case "import":
		if rapid.IntRange(0, 9).Draw(t, "rare") == 0 {
			events = s.EndImported()
		}
	case "expire":
		events, _ = s.ExpireOrder(h.some(t), h.now)
	}
	h.record(t, domaintest.Ann, events)
	h.now = h.now.Add(time.Duration(rapid.IntRange(0, 90_000).Draw(t, "seconds")) * time.Second)
}

// Whatever is asked in whatever order, the invariants of runs and orders hold,
// and folding the history again gives the same state.
func TestPropertyInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := &history{now: domaintest.Now()}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			h.step(t)
			h.check(t)
		}
		var again run.State
		for _, r := range h.events {
			var err error
			if again, err = run.Evolve(again, r); err != nil {
				t.Fatalf("evolve again: %v", err)
			}
		}
		if !reflect.DeepEqual(h.state, again) {
			t.Fatalf("folded again:\n%+v\nwas\n%+v", again, h.state)
		}
	})
}

func (h *history) check(t *rapid.T) {
	digests, open, pending := 0, 0, 0
	for id, r := range h.state.Runs {
		if r.Finished != nil {
			if r.Live {
				t.Fatalf("run %s is finished and live", id)
			}
			continue
		}
		open++
		if r.Work == run.Digest {
			digests++
		}
		switch {
		case r.Lost >= domain.MaxAttempts:
			t.Fatalf("run %s was lost %d times and is open", id, r.Lost)
		case r.Cancel != "" && !r.Live:
			t.Fatalf("run %s is cancelled and waits for nobody", id)
		case r.Attempt > 0 && r.GeneVersion == 0:
			t.Fatalf("run %s started without a gene version", id)
		}
	}
	for _, o := range h.state.Orders {
		if o.State == run.StatePending && h.now.Before(o.Expires) {
			pending++
		}
		if (o.State == run.StateConfirmed) != (o.Run != "") || o.Run != "" && h.state.Runs[o.Run] == nil {
			t.Fatalf("order %s is %s with run %q", o.ID, o.State, o.Run)
		}
	}
	if digests > 1 || pending > domain.MaxPendingOrders || open != len(h.state.Open()) {
		t.Fatalf("%d open digests, %d pending orders, %d open runs of which %d are listed",
			digests, pending, open, len(h.state.Open()))
	}
	started := map[domain.ID]int{}
	versions := map[domain.ID]int{}
	for _, r := range h.events {
		e, is := r.Event.(run.Started)
		if !is {
			continue
		}
		if started[e.Run]++; e.Attempt != started[e.Run] {
			t.Fatalf("attempt %d of run %s is numbered %d", started[e.Run], e.Run, e.Attempt)
		}
		if was := versions[e.Run]; was != 0 && was != e.GeneVersion {
			t.Fatalf("run %s started with version %d, then %d", e.Run, was, e.GeneVersion)
		}
		versions[e.Run] = e.GeneVersion
	}
}
