package postgrestest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/projections/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

func TestEveryTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	for range 2 {
		pool := postgrestest.Pool(t)
		if _, err := pool.Exec(t.Context(), `CREATE TABLE only_one (id int)`); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCopyStartsAsBuildLeftIt(t *testing.T) {
	t.Parallel()
	builds := 0
	build := func(ctx context.Context, pool *pgxpool.Pool) error {
		builds++
		_, err := pool.Exec(ctx, `CREATE TABLE seed AS SELECT 7 AS n`)
		return err
	}
	for range 2 {
		pool := postgrestest.Copy(t, "seed", build)
		var n int
		if err := pool.QueryRow(t.Context(), `UPDATE seed SET n = n + 1 RETURNING n`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n != 8 {
			t.Fatalf("got %d, want 8: copies share rows", n)
		}
	}
	if builds != 1 {
		t.Fatalf("built %d times, want 1", builds)
	}
}

func TestDSNReachesTheSameDatabase(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Pool(t)
	conn, err := pgx.Connect(t.Context(), postgrestest.DSN(pool))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var got, want string
	const name = `SELECT current_database()`
	if err := conn.QueryRow(t.Context(), name).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if err := pool.QueryRow(t.Context(), name).Scan(&want); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}
