package projections_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/domain"
	"sozai/projections"
	"sozai/projections/postgres/postgrestest"
	"sozai/projections/projectionstest"
)

// childVerb, before a database's address, makes this test binary a child that
// rebuilds (see rebuildAsChild).
const childVerb = "rebuild-as-child"

// told is the history that parent and child both know.
func told() *projectionstest.Log {
	log := projectionstest.NewLog()
	for i := range 30 {
		wheel(log, domain.Key{Product: "demo", Agent: id("agent", i)})
	}
	return log
}

// rebuildAsChild rebuilds two read models and is killed on the way.
func rebuildAsChild(dsn string) {
	pool, err := pgxpool.New(context.Background(), dsn)
	if err != nil {
		os.Exit(1)
	}
	runner := projections.NewRunner(projections.NewStore(pool), told(), projectionstest.Quiet()).Chunked(200)
	err = runner.Rebuild(context.Background(), []string{projections.Library, projections.Tasks}, nil)
	if err != nil {
		os.Exit(1)
	}
}

// A rebuild is killed with kill -9 at a step where the test holds it up: while it
// fills, while it waits for the serving generation, and in the middle of the flip.
func TestAKilledRebuildGoesOn(t *testing.T) {
	for name, hold := range map[string]string{
		"filling":              `LOCK TABLE control.builds IN EXCLUSIVE MODE`,
		"before the flip":      `SELECT * FROM control.projections FOR UPDATE`,
		"in the flip":          `LOCK TABLE control.retired IN ACCESS EXCLUSIVE MODE`,
		"before the views":     `CREATE VIEW hold AS SELECT * FROM library.materials; LOCK TABLE library.materials IN ACCESS EXCLUSIVE MODE`,
		"after the first flip": "",
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.log = told()
			b.runner = projections.NewRunner(b.store, b.log, projectionstest.Quiet()).Chunked(200)
			ctx := context.Background()
			b.catchUp()
			before := b.timeline()
			child := exec.CommandContext(ctx, os.Args[0], childVerb, postgrestest.DSN(b.store.Pool()))
			if hold == "" { // the second projection cannot flip
				hold = `SELECT * FROM control.projections WHERE projection = 'tasks' FOR UPDATE`
			}
			holder, err := b.store.Pool().Begin(ctx)
			if err != nil {
				t.Fatalf("begin: %v", err)
			}
			if name == "filling" { // it must have begun
				if err := child.Start(); err != nil {
					t.Fatalf("start: %v", err)
				}
				eventually(t, "the child has begun", func() bool {
					for _, st := range b.builds() {
						if st.Seq > 0 {
							return true
						}
					}
					return false
				})
			}
			if _, err := holder.Exec(ctx, hold); err != nil {
				t.Fatalf("hold: %v", err)
			}
			if child.Process == nil {
				if err := child.Start(); err != nil {
					t.Fatalf("start: %v", err)
				}
			}
			eventually(t, "the child waits for the holder", func() bool { return b.waitingFor(holder) > 0 })
			if err := child.Process.Kill(); err != nil {
				t.Fatalf("kill: %v", err)
			}
			_ = child.Wait()
			if err := holder.Rollback(ctx); err != nil {
				t.Fatalf("let go: %v", err)
			}
			eventually(t, "the database has noticed", func() bool {
				for _, st := range b.builds() {
					if st.Running {
						return false
					}
				}
				return true
			})
			begun := map[string]int{}
			for _, st := range b.builds() {
				begun[st.Projection] = st.Generation
			}
			if len(begun) == 0 {
				t.Fatalf("the child had finished")
			}
			if strings.HasPrefix(name, "after") == (begun[projections.Library] != 0) {
				t.Errorf("%s: the child left %v", name, begun)
			}
			b.same(projections.Library, projections.Tasks)
			err = b.runner.Rebuild(ctx, []string{projections.Library, projections.Tasks}, func(p projections.RebuildProgress) {
				if n, ok := begun[p.Projection]; ok && p.Generation != n {
					t.Errorf("%s builds generation %d, want to go on with %d", p.Projection, p.Generation, n)
				}
			})
			if err != nil {
				t.Fatalf("rebuild: %v", err)
			}
			b.same(projections.Library, projections.Tasks)
			if len(b.builds()) != 0 || len(before) != len(b.timeline()) {
				t.Errorf("left: %+v", b.builds())
			}
			if err := b.store.Sweep(ctx, 0); err != nil {
				t.Fatalf("sweep: %v", err)
			}
			if n := b.schemas("library\\_g%") + b.schemas("tasks\\_g%"); n != 2 {
				t.Errorf("%d generations are left, want two", n)
			}
		})
	}
}

// waitingFor counts the connections that wait for a transaction of the test.
func (b *bundle) waitingFor(holder pgx.Tx) int {
	b.t.Helper()
	var n int
	if err := b.store.Pool().QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND $1 = ANY (pg_blocking_pids(pid))`, int32(holder.Conn().PgConn().PID())).Scan(&n); err != nil { //nolint:gosec // a process id
		b.t.Fatalf("who waits: %v", err)
	}
	return n
}

// A process that has committed and dies before anything else, or dies between the
// delivery of events and the commit, has neither skipped nor repeated anything.
func TestCommittedThenDeadAndDeliveredNotCommitted(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	wheel(b.log, other)
	// Committed, and nobody heard of it: the same events come again.
	for _, p := range projections.All() {
		if err := b.runner.ApplyBatch(ctx, p.Name, 0, b.log.Events()[:40]); err != nil {
			t.Fatalf("apply: %v", err)
		}
	}
	b.runner = projections.NewRunner(projections.NewStore(b.store.Pool()), b.log, projectionstest.Quiet())
	b.catchUp()
	b.same()
	// Delivered, and cut off before the commit: the position has not moved.
	last := b.log.Add(key, domain.Worker("w"), saved(9, 6, 1, 3))
	holder, err := b.store.Pool().Begin(ctx)
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	if _, err := holder.Exec(ctx, `SELECT * FROM control.projections FOR UPDATE`); err != nil {
		t.Fatalf("hold: %v", err)
	}
	dying, die := context.WithTimeout(ctx, 100*time.Millisecond)
	defer die()
	if err := b.runner.CatchUp(dying); err == nil {
		t.Errorf("it applied what somebody else had locked")
	}
	if err := holder.Rollback(ctx); err != nil {
		t.Fatalf("let go: %v", err)
	}
	for name, seq := range b.positions() {
		if seq >= last {
			t.Errorf("%s stands at %d, above its rows", name, seq)
		}
	}
	b.same()
	b.catchUp()
	b.same()
}
