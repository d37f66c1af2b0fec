package projections_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"sozai/projections"
	"sozai/projections/projectionstest"
)

// Whatever a process remembers between chunks, the tables are those of a rebuild:
// it alone applies; others apply in between; it forgets now and then.
func TestMemoryChangesNothing(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	cuts := rapid.SliceOfN(rapid.IntRange(1, 70), 400, 400)
	for seed, who := range []string{"alone", "with another that keeps its own", "with another that keeps nothing"} {
		log := anyHistory(400, 400).Example(seed)
		list := projections.All()
		for i := range list {
			list[i].Version = 100 + seed
		}
		runner := projections.NewRunner(projections.NewStoreOf(b.store.Pool(), list), log, projectionstest.Quiet())
		mine, theirs := map[string]*projections.Memory{}, map[string]*projections.Memory{}
		for _, p := range list {
			mine[p.Name], theirs[p.Name] = runner.Remember(p.Name), runner.Remember(p.Name)
		}
		events, at := log.Events(), 0
		for i := 0; at < len(events); i++ {
			to := min(at+cuts.Example(seed)[i], len(events))
			for _, p := range list {
				m := mine[p.Name]
				switch {
				case seed == 0 || i%3 == 0:
				case seed == 1:
					m = theirs[p.Name]
				default:
					m = runner.Remember(p.Name)
				}
				if err := runner.ApplyWith(ctx, m, uint64(at), events[at:to]); err != nil {
					t.Fatalf("%s: %s: %v", who, p.Name, err)
				}
				if seed == 0 && !m.Complete() {
					t.Fatalf("%s has forgotten what it wrote by chunk %d", p.Name, i)
				}
			}
			at = to
		}
		for _, c := range must[[]projections.TableCheck](t)(runner.Verify(ctx)) {
			if !c.Equal {
				t.Errorf("%s: %s.%s differs at %s", who, c.Projection, c.Table, c.FirstKey)
			}
		}
	}
}
