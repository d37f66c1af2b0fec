package projections_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/migrations"
	"sozai/projections/postgres/postgrestest"
)

func applied(t *testing.T, pool *pgxpool.Pool) int {
	t.Helper()
	var n int
	if err := pool.QueryRow(context.Background(), `SELECT count(*) FROM sozai_migrations WHERE version_id > 0`).Scan(&n); err != nil {
		t.Fatalf("applied migrations: %v", err)
	}
	return n
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Pool(t)
	for range 2 {
		if err := migrations.Up(context.Background(), pool); err != nil {
			t.Fatalf("up: %v", err)
		}
		if n := applied(t, pool); n < 3 {
			t.Errorf("%d migrations are recorded, want all", n)
		}
	}
}

func TestProcessesThatStartTogetherTakeTurns(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Pool(t)
	var starters sync.WaitGroup
	for range 3 {
		starters.Go(func() {
			if err := migrations.Up(context.Background(), pool); err != nil {
				t.Errorf("up: %v", err)
			}
		})
	}
	starters.Wait()
	if n := applied(t, pool); n < 3 {
		t.Errorf("%d migrations are recorded, want all", n)
	}
}

func TestEveryProjectionHasItsDDL(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"timeline", "tasks", "genes", "feedback", "library", "directory", "performance"} {
		if tables, indexes, err := migrations.Projection(name); err != nil || tables == "" || indexes == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := migrations.Projection("nothing"); err == nil {
		t.Errorf("an unknown projection has DDL")
	}
}
