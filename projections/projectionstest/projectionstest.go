// Package projectionstest gives tests a migrated database, a log in memory and
// read models that follow a log. Whoever uses it calls postgrestest.Main from
// TestMain, which stops the shared cluster. It may be imported by tests only.
package projectionstest

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/migrations"
	"sozai/projections"
	"sozai/projections/postgres/postgrestest"
)

// Migrated is a migrated database of this test's own, without read models.
func Migrated(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return postgrestest.Copy(t, "migrated", migrations.Up)
}

// Pool is a migrated database of this test's own with an empty generation of every
// read model, ready to be read.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return postgrestest.Copy(t, "read models", func(ctx context.Context, pool *pgxpool.Pool) error {
		if err := migrations.Up(ctx, pool); err != nil {
			return err
		}
		return projections.NewRunner(projections.NewStore(pool), NewLog(), Quiet()).CatchUp(ctx)
	})
}

// Store is a store on a database of this test's own, kept up with the log by a
// runner until the test ends. Reads of what was just appended need Store.Wait.
func Store(t testing.TB, log projections.Log) *projections.Store {
	t.Helper()
	store := projections.NewStore(Pool(t))
	runner := projections.NewRunner(store, log, Quiet())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("projections: %v", err)
		}
	})
	if err := runner.CatchUp(ctx); err != nil {
		t.Fatalf("projections: %v", err)
	}
	return store
}

// Quiet is a logger that says nothing.
func Quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
