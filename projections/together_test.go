package projections_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/projections"
	"sozai/projections/projectionstest"
)

// Small chunks are applied to all projections in two transactions, once the session
// knows where they stand; a large one to each by itself.
func TestSmallChunksGoTogether(t *testing.T) {
	b := setup(t)
	wheel(b.log, key)
	wheel(b.log, other)
	var after [][]string
	b.inChunks(func(int) { after = append(after, b.groups()) })
	b.catchUp()
	if len(after[1]) < 4 {
		t.Errorf("the first chunk went in %v, want each by itself: where they stand was not known", after[1])
	}
	for i, got := range append(after[2:], b.groups()) {
		if diff := cmp.Diff(two, got); diff != "" {
			t.Errorf("chunk %d (-want +got):\n%s", i+1, diff)
		}
	}
	for i := range 5 {
		wheel(b.log, domain.Key{Product: "demo", Agent: id("agent", i)})
	}
	end, next := uint64(len(b.log.Events())), 0
	b.runner = projections.NewRunner(b.store, pieces{b.log, &end, func() int {
		next++
		switch next {
		case 2:
			return 251
		case 3:
			if got := b.groups(); len(got) < 4 {
				t.Errorf("251 events went in %v, want each by itself", got)
			}
		}
		return stride
	}}, projectionstest.Quiet())
	b.catchUp()
	if diff := cmp.Diff(two, b.groups()); diff != "" {
		t.Errorf("after that (-want +got):\n%s", diff)
	}
	b.same()
}

// Whose control row or table somebody holds waits alone; the others go on together.
func TestWhoIsHeldGoesAlone(t *testing.T) {
	for name, hold := range map[string]string{
		"a control row": `SELECT * FROM control.projections WHERE projection = 'library' FOR UPDATE`,
		"a table":       `LOCK TABLE library_g1.standing IN ACCESS EXCLUSIVE MODE`,
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			ctx := context.Background()
			wheel(b.log, key)
			holder := b.holder()
			b.inChunks(func(chunk int) {
				if chunk != 2 {
					return
				}
				if _, err := holder.Exec(ctx, hold); err != nil {
					t.Errorf("hold: %v", err)
				}
			})
			done := b.catchingUp()
			eventually(t, "the others have gone on", func() bool { return b.allAt(3*stride, projections.Library) })
			if got := b.positions()[projections.Library]; got != 2*stride {
				t.Errorf("the library stands at %d, want %d", got, 2*stride)
			}
			if name == "a control row" {
				want := []string{"directory feedback tasks", "genes performance timeline", "library"}
				if diff := cmp.Diff(want, b.groups()); diff != "" {
					t.Errorf("while it is held (-want +got):\n%s", diff)
				}
			}
			if err := holder.Rollback(ctx); err != nil {
				t.Fatalf("let go: %v", err)
			}
			if err := <-done; err != nil {
				t.Fatalf("catch up: %v", err)
			}
			if diff := cmp.Diff(two, b.groups()); diff != "" {
				t.Errorf("in the end (-want +got):\n%s", diff)
			}
			b.same()
		})
	}
}

// Whom another runner has moved, within a chunk or beyond it, is brought up to the
// others alone, and goes with them again.
func TestWhoWasMovedGoesAlone(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	wheel(b.log, other)
	events := b.log.Events()
	elsewhere := projections.NewRunner(projections.NewStore(b.store.Pool()), b.log, projectionstest.Quiet())
	ahead := func(name string, from, to int) {
		if err := elsewhere.ApplyBatch(ctx, name, uint64(from), events[from:to]); err != nil {
			t.Errorf("another runner: %v", err)
		}
	}
	var after []string
	b.inChunks(func(chunk int) {
		switch chunk {
		case 2:
			ahead(projections.Library, 2*stride, 2*stride+5)
			ahead(projections.Tasks, 2*stride, 3*stride+1)
		case 3:
			after = b.groups()
			if !b.allAt(3*stride, projections.Tasks) {
				t.Errorf("after chunk 2: %v", b.positions())
			}
		}
	})
	b.catchUp()
	if diff := cmp.Diff([]string{"genes performance timeline", "directory feedback", "library", "tasks"}, after); diff != "" {
		t.Errorf("while two were ahead (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(two, b.groups()); diff != "" {
		t.Errorf("in the end (-want +got):\n%s", diff)
	}
	b.same()
}

// Who is told to stop in the middle of a transaction leaves nothing of it.
func TestCancelledTogether(t *testing.T) {
	b := setup(t)
	ctx, cancel := context.WithCancel(context.Background())
	wheel(b.log, key)
	holder := b.holder()
	var said bytes.Buffer
	b.inChunks(func(chunk int) {
		if chunk == 2 { // between the locks and the rows
			if _, err := holder.Exec(context.Background(), `LOCK TABLE control.parked IN ACCESS EXCLUSIVE MODE`); err != nil {
				t.Errorf("hold: %v", err)
			}
		}
	})
	b.runner = b.runner.Saying(slog.New(slog.NewTextHandler(&said, nil)))
	done := make(chan error, 1)
	go func() { done <- b.runner.CatchUp(ctx) }()
	eventually(t, "both transactions wait", func() bool { return b.waitingFor(holder) >= 2 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("catch up: %v, want what it was cancelled with", err)
	}
	if err := holder.Rollback(context.Background()); err != nil {
		t.Fatalf("let go: %v", err)
	}
	if strings.Contains(said.String(), "by itself") {
		t.Errorf("a cancelled runner complains:\n%s", &said)
	}
	if !b.allAt(2 * stride) {
		t.Errorf("positions: %v, want all at %d", b.positions(), 2*stride)
	}
	b.catchUp()
	b.same()
}
