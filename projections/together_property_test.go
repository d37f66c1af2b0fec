package projections_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/projections"
	"sozai/projections/projectionstest"
)

// Whatever the history and however it is cut, what went together equals what is
// made anew: alone, and with others that move some projections on and flip some
// between chunks.
func TestAnyHistoryTogether(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	for seed, who := range []string{"alone", "with others"} {
		r := rand.New(rand.NewPCG(uint64(seed), 1)) //nolint:gosec // repeatable
		log := anyHistory(300, 300).Example(seed)
		events := log.Events()
		store, list := b.versioned(200 + seed)
		elsewhere := projections.NewRunner(store, log, projectionstest.Quiet())
		at, together := 0, 0
		disturb := func() {
			p := list[r.IntN(len(list))]
			switch from := b.position(p.Name, 200+seed); {
			case who == "alone":
			case r.IntN(3) == 0:
				to := min(from+r.Uint64N(60), uint64(len(events)))
				if err := elsewhere.ApplyBatch(ctx, p.Name, from, events[from:to]); err != nil {
					t.Errorf("history %d: another runner: %v", seed, err)
				}
			case from > 0 && r.IntN(5) == 0:
				cli := projections.NewRunner(store, pieces{log, &from, func() int { return 50 }}, projectionstest.Quiet())
				if err := cli.Rebuild(ctx, []string{p.Name}, nil); err != nil {
					t.Errorf("history %d: rebuild: %v", seed, err)
				}
			}
		}
		end := uint64(len(events))
		runner := projections.NewRunner(store, pieces{log, &end, func() int {
			if b.went(200+seed) <= 4 { // most of them
				together++
			}
			if at < len(events)*3/4 { // those that were moved come back
				disturb()
			}
			n := 1 + r.IntN(30)
			at = min(at+n, len(events))
			return n
		}}, projectionstest.Quiet())
		if err := runner.CatchUp(ctx); err != nil {
			t.Fatalf("history %d: %v", seed, err)
		}
		if together < 5 || b.went(200+seed) != 2 {
			t.Errorf("%s: together %d times, in the end in %d transactions", who, together, b.went(200+seed))
		}
		(&bundle{t, log, store, elsewhere}).same()
	}
}

// Two runners apply one history, cut differently, at the same time.
func TestTwoRunnersTogether(t *testing.T) {
	b := setup(t)
	b.log = anyHistory(300, 300).Example(10)
	b.runner = projections.NewRunner(b.store, b.log, projectionstest.Quiet())
	end := uint64(len(b.log.Events()))
	var both sync.WaitGroup
	for who := range 2 {
		r := rand.New(rand.NewPCG(uint64(who), 2)) //nolint:gosec // repeatable
		cut := pieces{b.log, &end, func() int { return 1 + r.IntN(25) }}
		runner := projections.NewRunner(projections.NewStore(b.store.Pool()), cut, projectionstest.Quiet())
		both.Go(func() {
			if err := runner.CatchUp(context.Background()); err != nil {
				t.Errorf("runner %d: %v", who, err)
			}
		})
	}
	both.Wait()
	b.same()
}

// A generation that was replaced between two chunks gets what follows, even if it
// stands where the old one did; what was kept of the old one is forgotten.
func TestAFlipBetweenChunks(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	wheel(b.log, other)
	var old []string
	b.inChunks(func(chunk int) {
		if chunk != 3 {
			return
		}
		here := uint64(3 * stride)
		elsewhere := projections.NewRunner(projections.NewStore(b.store.Pool()), pieces{b.log, &here, func() int { return stride }}, projectionstest.Quiet())
		if err := elsewhere.Rebuild(ctx, []string{projections.Library, projections.Tasks}, nil); err != nil {
			t.Errorf("rebuild: %v", err)
		}
		old = b.contents(map[string]string{"library": "library_g1"}, "")["library.materials"]
	})
	b.catchUp()
	if diff := cmp.Diff(two, b.groups()); diff != "" {
		t.Errorf("after the flip (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(old, b.contents(map[string]string{"library": "library_g1"}, "")["library.materials"]); diff != "" {
		t.Errorf("the old generation was written (-then +now):\n%s", diff)
	}
	if got := b.serving()[projections.Tasks]; got != "tasks_g2" {
		t.Errorf("%s serves", got)
	}
	b.same()
}
