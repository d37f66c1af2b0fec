package projections_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/projections"
	"sozai/projections/postgres/postgrestest"
	"sozai/projections/projectionstest"
)

// followVerb, before a database's address, makes this test binary a child that
// applies a short history, a small chunk whenever a line comes in.
const followVerb = "follow-as-child"

func followAsChild(dsn string) {
	pool, err := pgxpool.New(context.Background(), dsn)
	if err != nil {
		os.Exit(1)
	}
	log, lines := brief(), bufio.NewScanner(os.Stdin)
	end := uint64(len(log.Events()))
	next := func() int {
		lines.Scan()
		return stride
	}
	if err := projections.NewRunner(projections.NewStore(pool), pieces{log, &end, next}, projectionstest.Quiet()).CatchUp(context.Background()); err != nil {
		os.Exit(1)
	}
}

// brief is the history that parent and child both know.
func brief() *projectionstest.Log {
	log := projectionstest.NewLog()
	wheel(log, key)
	wheel(log, other)
	return log
}

// A process that applies a chunk to all projections together is killed with kill -9
// at every step of it, where the test holds it up. Rows and positions are those before
// or those after, and the next process goes on from there.
func TestKilledTogether(t *testing.T) {
	const before, after = 2 * stride, 3 * stride
	for name, hold := range map[string]string{
		"locked":           `LOCK TABLE control.parked IN ACCESS EXCLUSIVE MODE`,
		"rows sent":        `LOCK TABLE control.projections IN SHARE MODE`,
		"after the commit": "",
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.log = brief()
			b.runner = projections.NewRunner(b.store, b.log, projectionstest.Quiet())
			ctx := context.Background()
			child := exec.CommandContext(ctx, os.Args[0], followVerb, postgrestest.DSN(b.store.Pool()))
			lines := must[io.WriteCloser](t)(child.StdinPipe())
			if err := child.Start(); err != nil {
				t.Fatalf("start: %v", err)
			}
			t.Cleanup(func() { _ = child.Process.Kill() })
			more := func() {
				if _, err := lines.Write([]byte("\n")); err != nil {
					t.Fatalf("tell the child: %v", err)
				}
			}
			more()
			more()
			eventually(t, "two chunks are applied", func() bool { return b.allAt(before) })
			holder := b.holder()
			if _, err := holder.Exec(ctx, hold); err != nil {
				t.Fatalf("hold: %v", err)
			}
			more()
			left := uint64(before)
			if hold == "" {
				left = after
				eventually(t, "the third is applied", func() bool { return b.allAt(after) })
			} else {
				eventually(t, "both transactions wait", func() bool { return b.waitingFor(holder) >= 2 })
			}
			if err := child.Process.Kill(); err != nil {
				t.Fatalf("kill: %v", err)
			}
			_ = child.Wait()
			if err := holder.Rollback(ctx); err != nil {
				t.Fatalf("let go: %v", err)
			}
			eventually(t, "the database has noticed", func() bool { return b.busy() == 0 })
			if !b.allAt(left) {
				t.Errorf("positions %v, want all at %d", b.positions(), left)
			}
			last := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 50), Text: "on"})
			b.catchUp()
			if !b.allAt(last) {
				t.Errorf("positions %v, want all at %d", b.positions(), last)
			}
			b.same()
		})
	}
}
