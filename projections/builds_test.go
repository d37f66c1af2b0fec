package projections_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"sozai/domain"
	"sozai/projections"
	"sozai/projections/projectionstest"
)

// gated is a log whose reader stops before an event until it is let through.
type gated struct {
	projections.Log
	at      uint64
	reached chan struct{} // closed when a reader stands there
	open    chan struct{} // closed to let it through
	once    *sync.Once
}

func gate(log projections.Log, at uint64) gated {
	return gated{log, at, make(chan struct{}), make(chan struct{}), &sync.Once{}}
}

func (l gated) Read(ctx context.Context, after, upto uint64, k domain.Key, kinds []domain.Kind, each func([]domain.Recorded) error) error {
	if after < l.at && (upto == 0 || upto >= l.at) {
		if err := l.Log.Read(ctx, after, l.at-1, k, kinds, each); err != nil {
			return err
		}
		l.once.Do(func() { close(l.reached) })
		select {
		case <-l.open:
		case <-ctx.Done():
			return ctx.Err()
		}
		after = l.at - 1
	}
	return l.Log.Read(ctx, after, upto, k, kinds, each)
}

// history plays the wheel of many agents and brings the read models up to it.
func (b *bundle) history(agents int) {
	b.t.Helper()
	for i := range agents {
		wheel(b.log, domain.Key{Product: "demo", Agent: id("agent", i)})
	}
	b.catchUp()
}

func (b *bundle) builds() []projections.BuildStatus {
	b.t.Helper()
	return must[[]projections.BuildStatus](b.t)(b.store.Builds(context.Background()))
}

func TestABuildIsWatchedAndCancelledFromElsewhere(t *testing.T) {
	b := setup(t)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel) // before the database goes
	b.history(10)
	last := uint64(len(b.log.Events()))
	log := gate(b.log, 400)
	done := make(chan error, 1)
	go func() {
		runner := projections.NewRunner(projections.NewStore(b.store.Pool()), log, projectionstest.Quiet()).Chunked(100)
		done <- runner.Rebuild(ctx, []string{projections.Library, projections.Genes}, nil)
	}()
	<-log.reached
	eventually(t, "the record has moved", func() bool {
		list := b.builds()
		return len(list) == 2 && list[0].Seq == 300 && list[0].Rate > 0
	})
	for _, st := range b.builds() {
		if st.Target != last || !st.Running || st.Purpose != "rebuild" || st.Version < 1 ||
			st.Generation != 2 || st.ETA <= 0 || st.Process == "" || st.Error != "" || st.Cancelled {
			t.Errorf("the record of a build: %+v", st)
		}
	}
	begun := time.Now()
	if err := b.store.CancelBuild(ctx, projections.Library); err != nil {
		t.Fatalf("cancel: %v", err)
	}
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("the build stopped after %s", took)
	}
	if n := b.schemas("library\\_g%"); n != 1 {
		t.Errorf("%d generations of the cancelled one, want the serving one", n)
	}
	close(log.open)
	if err := <-done; !errors.Is(err, projections.ErrBuildCancelled) {
		t.Errorf("the rebuild ends with %v, want rebuild_cancelled", err)
	}
	generations := map[string]int{}
	for _, st := range must[[]projections.Status](t)(b.store.Status(ctx)) {
		generations[st.Name] = st.Generation
	}
	if generations[projections.Library] != 1 || generations[projections.Genes] != 2 {
		t.Errorf("generations %v, want the old library and the new genes", generations)
	}
	for _, name := range []string{projections.Library, projections.Genes} {
		if err := b.store.CancelBuild(ctx, name); !errors.Is(err, projections.ErrNoBuild) {
			t.Errorf("cancel when nothing is built: %v, want no_build", err)
		}
	}
	b.same()
}

func TestAStoppedBuildIsShownAndCancelled(t *testing.T) {
	b := setup(t)
	b.history(10)
	ctx, cancel := context.WithCancel(context.Background())
	half := interrupted{Log: b.log, upto: 300, cancel: cancel}
	err := projections.NewRunner(b.store, half, projectionstest.Quiet()).Chunked(100).Rebuild(ctx, []string{projections.Tasks}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted rebuild: %v", err)
	}
	list := b.builds()
	if len(list) != 1 || list[0].Running || list[0].Seq == 0 || list[0].ETA != 0 || list[0].Projection != projections.Tasks {
		t.Fatalf("builds: %+v, want the stopped one", list)
	}
	if err := b.store.CancelBuild(context.Background(), projections.Tasks); err != nil {
		t.Fatalf("cancel: %v", err)
	}
	if n := b.schemas("tasks\\_g%"); n != 1 || len(b.builds()) != 0 {
		t.Errorf("%d generations and %v are left", n, b.builds())
	}
}

// A rebuild that a poison event stopped says so to whoever looks, and the others
// of the same pass are finished.
func TestPoisonStopsOnlyItsProjection(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	bad := poisoned(b.log)
	b.catchUp()
	var poison *projections.PoisonError
	err := b.runner.Rebuild(ctx, []string{projections.Library, projections.Genes}, nil)
	if !errors.As(err, &poison) || poison.Seq != bad || poison.Projection != projections.Library {
		t.Fatalf("rebuild: %v, want the poison event named", err)
	}
	list := b.builds()
	if len(list) != 1 || list[0].Projection != projections.Library || list[0].Error != poison.Error() || list[0].Running || list[0].Seq != bad-1 {
		t.Errorf("builds: %+v, want the library's with its error", list)
	}
	if got := b.positions()[projections.Genes]; got != uint64(len(b.log.Events())) {
		t.Errorf("genes stands at %d", got)
	}
	if n := b.schemas("genes\\_g2"); n != 1 {
		t.Errorf("genes has no new generation")
	}
}

// Two processes build everything between them: never more than four builds apply at
// once, while each process may be flipping one.
func TestBuildsShareTheirSlots(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	b.history(30)
	var builders sync.WaitGroup
	for _, names := range [][]string{
		{projections.Timeline, projections.Tasks, projections.Genes, projections.Feedback},
		{projections.Library, projections.Directory, projections.Performance},
	} {
		builders.Go(func() {
			runner := projections.NewRunner(projections.NewStore(b.store.Pool()), b.log, projectionstest.Quiet()).Chunked(50)
			if err := runner.Rebuild(ctx, names, nil); err != nil {
				t.Errorf("rebuild: %v", err)
			}
		})
	}
	done := make(chan struct{})
	go func() { builders.Wait(); close(done) }()
	most := 0
	for {
		select {
		case <-done:
			if most == 0 || most > 4+2 {
				t.Errorf("up to %d transactions held builds at once, want 1 to 6", most)
			}
			b.same()
			return
		default:
		}
		var n int
		if err := b.store.Pool().QueryRow(ctx, `SELECT count(DISTINCT pid) FROM pg_locks
			WHERE relation = 'control.builds'::regclass AND mode = 'RowShareLock' AND granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&n); err != nil {
			t.Fatalf("locks: %v", err)
		}
		most = max(most, n)
	}
}

// The event at a build's position is checked when it is resumed.
func TestABuildOfAnotherLogIsNotResumed(t *testing.T) {
	b := setup(t)
	b.history(10)
	ctx, cancel := context.WithCancel(context.Background())
	half := interrupted{Log: b.log, upto: 500, cancel: cancel} // two chunks of 100 may not have been applied
	if err := projections.NewRunner(b.store, half, projectionstest.Quiet()).Chunked(100).Rebuild(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted rebuild: %v", err)
	}
	b.log.Restore(200)
	wheel(b.log, other)
	wheel(b.log, key)
	var generations []int
	if err := b.runner.Rebuild(context.Background(), nil, func(p projections.RebuildProgress) {
		if p.Done {
			generations = append(generations, p.Generation)
		}
	}); err != nil {
		t.Fatalf("rebuild: %v", err)
	}
	if len(generations) != len(projections.All()) || slices.Min(generations) != 3 {
		t.Errorf("generations %v, want new ones", generations)
	}
	b.same()
}
