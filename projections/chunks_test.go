package projections_test

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"sozai/projections"
	"sozai/projections/projectionstest"
)

// stride is how many events the chunks of these tests have.
const stride = 20

// inChunks makes the runner read what is in the log now in small chunks; before is
// called with the number of the next one, from 0 on.
func (b *bundle) inChunks(before func(chunk int)) {
	end, next := uint64(len(b.log.Events())), -1
	size := func() int {
		next++
		before(next)
		return stride
	}
	b.runner = projections.NewRunner(b.store, pieces{b.log, &end, size}, projectionstest.Quiet())
}

// catchingUp catches up beside the test.
func (b *bundle) catchingUp() (done chan error) {
	done = make(chan error, 1)
	go func() { done <- b.runner.CatchUp(context.Background()) }()
	return done
}

// holder is a transaction that holds up others until it is rolled back, by the end
// of the test at the latest.
func (b *bundle) holder() pgx.Tx {
	b.t.Helper()
	tx, err := b.store.Pool().Begin(context.Background())
	if err != nil {
		b.t.Fatalf("begin: %v", err)
	}
	b.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// groups are the projections by the transaction that moved their position, the
// largest group first.
func (b *bundle) groups() []string {
	b.t.Helper()
	var out []string
	if err := b.store.Pool().QueryRow(context.Background(), `SELECT array_agg(names ORDER BY n DESC, names) FROM (
		SELECT string_agg(projection, ' ' ORDER BY projection) AS names, count(*) AS n FROM control.projections GROUP BY xmin::text) g`).Scan(&out); err != nil {
		b.t.Fatalf("groups: %v", err)
	}
	return out
}

// two are the groups when nobody goes alone.
var two = []string{"genes library performance timeline", "directory feedback tasks"}

// allAt reports whether the projections but some stand at a sequence.
func (b *bundle) allAt(seq uint64, but ...string) bool {
	for name, at := range b.positions() {
		if at != seq && !slices.Contains(but, name) {
			return false
		}
	}
	return true
}

// versioned is a store of generations of its own, empty ones.
func (b *bundle) versioned(version int) (*projections.Store, []projections.Projection) {
	b.t.Helper()
	list := projections.All()
	for i := range list {
		list[i].Version = version
	}
	store := projections.NewStoreOf(b.store.Pool(), list)
	if err := projections.NewRunner(store, projectionstest.NewLog(), projectionstest.Quiet()).CatchUp(context.Background()); err != nil {
		b.t.Fatalf("open version %d: %v", version, err)
	}
	return store, list
}

// went is in how many transactions the positions of a version were moved last.
func (b *bundle) went(version int) (n int) {
	b.t.Helper()
	if err := b.store.Pool().QueryRow(context.Background(), `SELECT count(DISTINCT xmin::text) FROM control.projections WHERE version = $1`,
		version).Scan(&n); err != nil {
		b.t.Fatalf("transactions: %v", err)
	}
	return n
}

// position is where a version of a projection stands.
func (b *bundle) position(name string, version int) (seq uint64) {
	b.t.Helper()
	if err := b.store.Pool().QueryRow(context.Background(), `SELECT seq FROM control.projections WHERE projection = $1 AND version = $2`,
		name, version).Scan(&seq); err != nil {
		b.t.Fatalf("position of %s: %v", name, err)
	}
	return seq
}

// busy counts the connections that are in a transaction.
func (b *bundle) busy() (n int) {
	b.t.Helper()
	if err := b.store.Pool().QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'`).Scan(&n); err != nil {
		b.t.Fatalf("who is busy: %v", err)
	}
	return n
}
