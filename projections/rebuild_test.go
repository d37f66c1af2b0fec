package projections_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/projections"
	"sozai/projections/projectionstest"
)

func (b *bundle) schemas(pattern string) int {
	b.t.Helper()
	var n int
	if err := b.store.Pool().QueryRow(context.Background(), `SELECT count(*) FROM pg_namespace WHERE nspname LIKE $1`, pattern).Scan(&n); err != nil {
		b.t.Fatalf("schemas: %v", err)
	}
	return n
}

func TestRebuildWhileEventsComeAndReadersRead(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	for i := range 20 {
		wheel(b.log, domain.Key{Product: "demo", Agent: id("agent", i)})
	}
	b.run(b.runner)
	done := make(chan struct{})
	var writers sync.WaitGroup
	var said int
	var last uint64
	writers.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
			said++
			last = b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 1000+said), Text: "x"})
			if err := b.store.Wait(ctx, last, projections.Timeline); err != nil {
				t.Errorf("wait for %d: %v", last, err)
				return
			}
			rows, err := b.store.Timeline(ctx, key, projections.Page{Limit: 1})
			if err != nil || len(rows) != 1 || rows[0].Seq != last {
				t.Errorf("after %d a reader sees %+v, %v", last, rows, err)
				return
			}
		}
	})
	cli := projections.NewRunner(projections.NewStore(b.store.Pool()), b.log, projectionstest.Quiet())
	var reports []projections.RebuildProgress
	for range 3 {
		if err := cli.Rebuild(ctx, []string{projections.Timeline, projections.Tasks}, func(p projections.RebuildProgress) { reports = append(reports, p) }); err != nil {
			t.Errorf("rebuild: %v", err)
		}
	}
	close(done)
	writers.Wait()
	if n := len(reports); n < 6 || !reports[n-1].Done || reports[n-1].Projection != projections.Tasks || reports[n-1].Generation != 4 {
		t.Errorf("reports: %+v", reports)
	}
	if err := b.store.Wait(ctx, last); err != nil {
		t.Fatalf("wait: %v", err)
	}
	b.same()
	if n := b.schemas("timeline\\_g%"); n != 4 {
		t.Errorf("%d generations stand within the grace, want 4", n)
	}
	if err := b.store.Sweep(ctx, 0); err != nil {
		t.Fatalf("sweep: %v", err)
	}
	if n := b.schemas("timeline\\_g%"); n != 1 {
		t.Errorf("%d generations are left, want the serving one", n)
	}
	var view, table int
	if err := b.store.Pool().QueryRow(ctx, `SELECT (SELECT count(*) FROM timeline.rows), (SELECT count(*) FROM timeline_g4.rows)`).
		Scan(&view, &table); err != nil || view != table || table < said {
		t.Errorf("the view shows %d rows, the serving generation has %d (%v)", view, table, err)
	}
}

// An analyst's long query on a view holds up neither the live rows nor, in the end,
// the rebuild that must move the view.
func TestALongQueryOnAView(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.run(b.runner)
	eventually(t, "applied", func() bool { return b.store.Wait(ctx, 62) == nil })
	analyst, err := b.store.Pool().Begin(ctx)
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	var n int
	if err := analyst.QueryRow(ctx, `SELECT count(*) FROM timeline.rows`).Scan(&n); err != nil || n == 0 {
		t.Fatalf("the view shows %d rows, %v", n, err)
	}
	done := make(chan error, 1)
	go func() {
		cli := projections.NewRunner(projections.NewStore(b.store.Pool()), b.log, projectionstest.Quiet())
		done <- cli.Rebuild(ctx, []string{projections.Timeline}, nil)
	}()
	eventually(t, "the rebuild waits for the view", func() bool {
		var n int
		err := b.store.Pool().QueryRow(ctx, `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
			WHERE NOT granted AND datname = current_database()`).Scan(&n)
		return err == nil && n > 0
	})
	last := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 70), Text: "meanwhile"})
	if err := b.store.Wait(ctx, last); err != nil {
		t.Errorf("the live rows wait for the analyst: %v", err)
	}
	if err := analyst.Rollback(ctx); err != nil {
		t.Fatalf("end: %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("rebuild: %v", err)
	}
	b.same()
}

func TestAnInterruptedRebuildGoesOn(t *testing.T) {
	b := setup(t)
	for i := range 30 { // more than one chunk of events
		wheel(b.log, domain.Key{Product: "demo", Agent: id("agent", i)})
	}
	b.catchUp()
	ctx, cancel := context.WithCancel(context.Background())
	half := interrupted{Log: b.log, upto: 700, cancel: cancel}
	cli := projections.NewRunner(b.store, half, projectionstest.Quiet()).Chunked(100)
	if err := cli.Rebuild(ctx, []string{projections.Library}, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted rebuild: %v", err)
	}
	if n := b.schemas("library\\_g%"); n != 2 {
		t.Fatalf("%d generations, want the serving one and the half built", n)
	}
	var seq uint64
	if err := b.store.Pool().QueryRow(context.Background(), `SELECT seq FROM control.builds`).Scan(&seq); err != nil || seq == 0 {
		t.Fatalf("the build stands at %d, %v", seq, err)
	}
	var report projections.RebuildProgress
	if err := b.runner.Rebuild(context.Background(), []string{projections.Library}, func(p projections.RebuildProgress) { report = p }); err != nil {
		t.Fatalf("rebuild: %v", err)
	}
	if report.Generation != 2 {
		t.Errorf("it made generation %d, want to go on with 2", report.Generation)
	}
	b.same()
}

// interrupted is a log whose reader is killed on the way.
type interrupted struct {
	projections.Log
	upto   uint64
	cancel context.CancelFunc
}

func (l interrupted) Read(ctx context.Context, after, upto uint64, k domain.Key, kinds []domain.Kind, each func([]domain.Recorded) error) error {
	if err := l.Log.Read(ctx, after, min(upto, l.upto), k, kinds, each); err != nil {
		return err
	}
	l.cancel()
	return ctx.Err()
}

func TestOnlyOneRebuildAtATime(t *testing.T) {
	b := setup(t)
	wheel(b.log, key)
	b.catchUp()
	inside := 0
	err := b.runner.Rebuild(context.Background(), []string{projections.Genes}, func(projections.RebuildProgress) {
		inside++
		if err := b.runner.Rebuild(context.Background(), []string{projections.Genes}, nil); !errors.Is(err, projections.ErrRebuilding) {
			t.Errorf("a second rebuild: %v, want rebuild_running", err)
		}
	})
	if err != nil || inside == 0 {
		t.Errorf("the first rebuild: %v, %d reports", err, inside)
	}
	if err := b.runner.Rebuild(context.Background(), []string{"nothing"}, nil); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("an unknown projection: %v, want not_found", err)
	}
}

// An upgrade: the new binary builds its own generation while the old one serves.
func TestANewVersionBuildsItsOwnGeneration(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.catchUp()
	list := projections.All()
	for i := range list {
		list[i].Version++
	}
	newer := projections.NewStoreOf(b.store.Pool(), list)
	if _, err := newer.Room(ctx, key); !errors.Is(err, projections.ErrBuilding) {
		t.Errorf("the new version reads before it has built: %v", err)
	}
	if err := newer.Ready(ctx); !errors.Is(err, projections.ErrBuilding) {
		t.Errorf("the new version is ready: %v", err)
	}
	if err := projections.NewRunner(newer, b.log, projectionstest.Quiet()).CatchUp(ctx); err != nil {
		t.Fatalf("catch up: %v", err)
	}
	if err := newer.Ready(ctx); err != nil {
		t.Errorf("the new version is not ready: %v", err)
	}
	b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 50), Text: "only the old one"})
	b.catchUp()
	old := must[[]projections.Row](t)(b.store.Timeline(ctx, key, projections.Page{}))
	rows := must[[]projections.Row](t)(newer.Timeline(ctx, key, projections.Page{}))
	if len(old) != len(rows)+1 {
		t.Errorf("the old version shows %d rows, the new one %d; want each its own position", len(old), len(rows))
	}
	if _, err := b.store.Pool().Exec(ctx, `UPDATE control.projections SET seen_at = now() - interval '2 days'`); err != nil {
		t.Fatalf("age: %v", err)
	}
	for range 2 { // the first retires the old version, the second drops its tables
		if err := newer.Sweep(ctx, 0); err != nil {
			t.Fatalf("sweep: %v", err)
		}
	}
	if n := b.schemas("timeline\\_g%"); n != 1 {
		t.Errorf("%d generations are left, want the new version's", n)
	}
}

func TestVerifyNamesTheFirstDifference(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.catchUp()
	schema := "library_g1"
	if _, err := b.store.Pool().Exec(ctx, `UPDATE `+schema+`.materials SET title = 'forged' WHERE material = $1`, id("mat", 2)); err != nil {
		t.Fatalf("forge: %v", err)
	}
	if _, err := b.store.Pool().Exec(ctx, `DELETE FROM `+schema+`.films`); err != nil {
		t.Fatalf("forge: %v", err)
	}
	checks := must[[]projections.TableCheck](t)(b.runner.Verify(ctx, projections.Library))
	for _, c := range checks {
		want := map[string]string{
			"materials": `["demo", "` + string(key.Agent) + `", "` + string(id("mat", 2)) + `"]`,
			"films":     `["demo", "` + string(key.Agent) + `", "` + string(id("film", 1)) + `"]`,
		}[c.Table]
		if c.FirstKey != want || c.Equal != (want == "") || c.Seq != 62 {
			t.Errorf("%s: %+v, want the first difference at %q", c.Table, c, want)
		}
	}
	if n := b.schemas("library\\_g%"); n != 1 {
		t.Errorf("%d generations are left after the check, want one", n)
	}
}
