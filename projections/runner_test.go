package projections_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/projections"
	"sozai/projections/projectionstest"
)

// same fails the test unless every table (of the named projections, if any are)
// equals one made anew from the log.
func (b *bundle) same(names ...string) {
	b.t.Helper()
	checks, err := b.runner.Verify(context.Background(), names...)
	if err != nil {
		b.t.Fatalf("verify: %v", err)
	}
	if len(checks) < 30 && len(names) == 0 {
		b.t.Errorf("only %d tables were compared", len(checks))
	}
	for _, c := range checks {
		if !c.Equal {
			b.t.Errorf("%s.%s differs from one made anew at %s", c.Projection, c.Table, c.FirstKey)
		}
	}
}

// positions reads every projection's position.
func (b *bundle) positions() map[string]uint64 {
	b.t.Helper()
	out := map[string]uint64{}
	for _, st := range must[[]projections.Status](b.t)(b.store.Status(context.Background())) {
		out[st.Name] = st.Position
	}
	return out
}

// run starts the runner until the test ends.
func (b *bundle) run(r *projections.Runner) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	b.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.t.Errorf("run: %v", err)
		}
	})
}

func TestApplyingTwiceChangesNothing(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.catchUp()
	before := b.timeline()
	for _, p := range projections.All() {
		for _, after := range []uint64{0, 10} {
			if err := b.runner.ApplyBatch(ctx, p.Name, after, b.log.Events()[after:]); err != nil {
				t.Errorf("apply %s again from %d: %v", p.Name, after, err)
			}
		}
	}
	if diff := cmp.Diff(before, b.timeline()); diff != "" {
		t.Errorf("the timeline changed (-once +twice):\n%s", diff)
	}
	b.same()
}

func TestABatchMustFollowThePosition(t *testing.T) {
	b := setup(t)
	wheel(b.log, key)
	err := b.runner.ApplyBatch(context.Background(), projections.Tasks, 5, b.log.Events()[5:])
	if err == nil || b.positions()[projections.Tasks] != 0 {
		t.Errorf("a batch that leaves out five events: %v, position %d; want an error and 0", err, b.positions()[projections.Tasks])
	}
}

func TestTwoRunnersNeverBothApply(t *testing.T) {
	b := setup(t)
	other := projections.NewStore(b.store.Pool())
	b.run(b.runner)
	b.run(projections.NewRunner(other, b.log, projectionstest.Quiet()))
	var last uint64
	for i := range 60 {
		last = b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", i), Text: fmt.Sprint(i)})
	}
	for _, s := range []*projections.Store{b.store, other} {
		if err := s.Wait(context.Background(), last); err != nil {
			t.Fatalf("wait: %v", err)
		}
	}
	b.same()
	if rows := must[[]projections.Row](t)(b.store.Timeline(context.Background(), key, projections.Page{Limit: 200})); len(rows) != 60 {
		t.Errorf("%d rows, want 60", len(rows))
	}
}

// J6: the projector is killed after the commit but before anybody heard of it,
// and after delivery before the commit. Connections are cut at random moments.
func TestAKilledProjectorSkipsAndRepeatsNothing(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	done := make(chan struct{})
	var killers sync.WaitGroup
	killers.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
			_, _ = b.store.Pool().Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.3`)
		}
	})
	b.run(b.runner)
	var last uint64
	for i := range 8 {
		k := domain.Key{Product: "demo", Agent: id("agent", i)}
		wheel(b.log, k)
		last = b.log.Add(k, domain.User(lin), chat.Said{Message: id("msg", 99), Text: "end"})
		eventually(t, "half of it applied", func() bool {
			var seq uint64
			err := b.store.Pool().QueryRow(ctx, `SELECT min(seq) FROM control.projections`).Scan(&seq)
			return err == nil && seq > last-31
		})
	}
	close(done)
	killers.Wait()
	b.store.Pool().Reset() // the connections that were cut while idle
	eventually(t, "all applied", func() bool { return b.store.Wait(ctx, last) == nil })
	b.same()
}

func TestWaitGivesUpInTime(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	last := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 1), Text: "x"})
	b.catchUp()
	if err := b.store.Wait(ctx, last, projections.Timeline, projections.Tasks); err != nil {
		t.Errorf("what has been applied: %v", err)
	}
	err := b.store.Wait(ctx, last+1, projections.Tasks)
	var shown *domain.Error
	if !errors.Is(err, projections.ErrBehind) || !errors.As(err, &shown) || shown.Details["projection"] != projections.Tasks {
		t.Errorf("what has not been: %v, want projection_behind of tasks", err)
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.store.Wait(stop, last+1); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that went away: %v, want its own error", err)
	}
}

// J10: the stream is restored to an earlier point, or made anew, while Postgres
// keeps later rows.
func TestALogThatLostEventsStopsTheProjections(t *testing.T) {
	for name, lose := range map[string]func(l *projectionstest.Log){
		"ahead of the log": func(l *projectionstest.Log) { l.Restore(20) },
		"another event there": func(l *projectionstest.Log) {
			l.Restore(20)
			wheel(l, other)
		},
		"made anew": func(l *projectionstest.Log) {
			l.Recreate()
			wheel(l, key)
			wheel(l, other)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			ctx := context.Background()
			wheel(b.log, key)
			b.catchUp()
			rows := b.timeline()
			lose(b.log)
			if err := b.runner.CatchUp(ctx); err == nil {
				t.Fatalf("the projections went on")
			}
			for _, st := range must[[]projections.Status](t)(b.store.Status(ctx)) {
				if st.Status != "diverged" || st.Error == "" {
					t.Errorf("%s is %s (%s), want diverged with its reason", st.Name, st.Status, st.Error)
				}
			}
			if err := b.store.Wait(ctx, 1); !errors.Is(err, projections.ErrDiverged) {
				t.Errorf("a waiting reader gets %v, want log_diverged at once", err)
			}
			if got := must[[]projections.Row](t)(b.store.Timeline(ctx, key, projections.Page{Limit: 200})); len(got) != len(rows) {
				t.Errorf("%d rows are left, want the old ones untouched", len(got))
			}
			b.run(b.runner) // stays stopped, until the rebuild that is offered
			cli := projections.NewRunner(projections.NewStore(b.store.Pool()), b.log, projectionstest.Quiet())
			if err := cli.Rebuild(ctx, nil, nil); err != nil {
				t.Fatalf("rebuild: %v", err)
			}
			last := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 77), Text: "goes on"})
			eventually(t, "the runner goes on after the rebuild", func() bool { return b.store.Wait(ctx, last) == nil })
			b.same()
		})
	}
}

func TestARunnerNoticesAnotherEventUnderItsFeet(t *testing.T) {
	b := setup(t)
	wheel(b.log, key)
	b.catchUp()
	b.log.Restore(20)
	wheel(b.log, other)
	err := b.runner.ApplyBatch(context.Background(), projections.Genes, 0, b.log.Events())
	if err == nil || b.positions()[projections.Genes] != 62 {
		t.Errorf("a batch with another event at the position: %v, position %d; want an error and 62", err, b.positions()[projections.Genes])
	}
}
