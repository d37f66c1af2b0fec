// Package migrations holds all DDL: numbered forward-only files for the schemas
// control, identity and catalogue, and one file a projection (unqualified names,
// run under the search path of the generation being made). It owns no queries
// and imports nothing of ours.
package migrations

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed *.sql projections/*.sql
var files embed.FS

// versionTable records what has been applied, in the schema public.
const versionTable = "sozai_migrations"

// Up brings the database to the newest version. Processes that start together
// take turns under an advisory lock; the pool needs two connections.
func Up(ctx context.Context, pool *pgxpool.Pool) error {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker), goose.WithTableName(versionTable), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}

// Newest is the version that Up brings the database to.
func Newest() (int64, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("migrations: %w", err)
	}
	var newest int64
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("migrations: %w", err)
		}
		newest = max(newest, version)
	}
	return newest, nil
}

// forQueries divides a read model's file: what follows are indexes that only queries
// need, so that whoever fills the tables makes them last.
const forQueries = "\n-- Only for queries: "

// Projection is the DDL of one read model, with unqualified names: its tables, and
// the indexes that only queries need, which may be made again.
func Projection(name string) (tables, indexes string, err error) {
	text, err := files.ReadFile("projections/" + name + ".sql")
	if err != nil {
		return "", "", fmt.Errorf("migrations: projection %s: %w", name, err)
	}
	tables, indexes, _ = strings.Cut(string(text), forQueries)
	_, indexes, _ = strings.Cut(indexes, "\n") // the rest of that line
	return tables, indexes, nil
}
