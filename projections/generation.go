package projections

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sozai/migrations"
)

// grace is how long a generation outlives its service, for readers that resolved
// the pointer just before the flip; oldVersionAge is how long a version that no
// runner has touched is kept for a binary that might come back.
const (
	grace         = 5 * time.Minute
	oldVersionAge = 24 * time.Hour
)

// schemaOf names a generation's schema.
func schemaOf(projection string, generation int) string {
	return projection + "_g" + strconv.Itoa(generation)
}

// newGeneration makes the tables of a generation under the next number. Whoever
// lets people query them adds the indexes for it.
func newGeneration(ctx context.Context, tx pgx.Tx, projection string) (int, error) {
	var n int
	err := tx.QueryRow(ctx, `
		INSERT INTO control.numbers AS n (projection, generation) VALUES ($1, 1)
		ON CONFLICT (projection) DO UPDATE SET generation = n.generation + 1
		RETURNING generation`, projection).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("number a generation of %s: %w", projection, err)
	}
	tables, _, err := migrations.Projection(projection)
	if err != nil {
		return 0, err
	}
	schema := schemaOf(projection, n)
	return n, within(ctx, tx, schema, "CREATE SCHEMA "+schema+";", tables)
}

// addIndexes makes those that queries need, unless they are there.
func addIndexes(ctx context.Context, tx pgx.Tx, projection string, generation int) error {
	_, indexes, err := migrations.Projection(projection)
	if err != nil {
		return err
	}
	return within(ctx, tx, schemaOf(projection, generation), "", indexes)
}

// within runs DDL whose names are unqualified in a schema, after what makes it.
func within(ctx context.Context, tx pgx.Tx, schema, first, ddl string) error {
	text := first + "SET LOCAL search_path = " + schema + ";\n" + ddl + "\n; SET LOCAL search_path TO DEFAULT;"
	if _, err := tx.Exec(ctx, text, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("make generation %s: %w", schema, err)
	}
	return nil
}

// publishViews points the views of schema <name> at a generation. They are
// replaced in place, so that views which analysts built on them stay; only when
// the columns changed are they dropped with what depends on them.
func publishViews(ctx context.Context, tx pgx.Tx, projection string, generation int) error {
	schema := schemaOf(projection, generation)
	tables, err := tablesOf(ctx, tx, schema)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+projection); err != nil {
		return fmt.Errorf("views of %s: %w", projection, err)
	}
	for _, table := range tables {
		view := pgx.Identifier{projection, table}.Sanitize()
		as := " VIEW " + view + " AS SELECT * FROM " + pgx.Identifier{schema, table}.Sanitize()
		sub, err := tx.Begin(ctx)
		if err != nil {
			return fmt.Errorf("view %s: %w", view, err)
		}
		if _, err = sub.Exec(ctx, "CREATE OR REPLACE"+as); err == nil {
			if err := sub.Commit(ctx); err != nil {
				return fmt.Errorf("view %s: %w", view, err)
			}
			continue
		}
		if isHeld(err) {
			return fmt.Errorf("view %s: %w", view, err)
		}
		if err := sub.Rollback(ctx); err != nil {
			return fmt.Errorf("view %s: %w", view, err)
		}
		if _, err := tx.Exec(ctx, "DROP VIEW IF EXISTS "+view+" CASCADE"); err != nil {
			return fmt.Errorf("view %s: %w", view, err)
		}
		if _, err := tx.Exec(ctx, "CREATE"+as); err != nil {
			return fmt.Errorf("view %s: %w", view, err)
		}
	}
	return nil
}

// takeViews is publishViews for whoever must not wait long; it fails with isHeld.
func takeViews(ctx context.Context, tx pgx.Tx, projection string, generation int) error {
	if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', '2s', true)`); err != nil {
		return fmt.Errorf("views of %s: %w", projection, err)
	}
	if err := publishViews(ctx, tx, projection, generation); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', '0', true)`); err != nil {
		return fmt.Errorf("views of %s: %w", projection, err)
	}
	return nil
}

// tablesOf lists a schema's tables by name.
func tablesOf(ctx context.Context, tx pgx.Tx, schema string) ([]string, error) {
	rows, err := tx.Query(ctx, `
		SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY relname`, schema)
	if err != nil {
		return nil, fmt.Errorf("tables of %s: %w", schema, err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("tables of %s: %w", schema, err)
	}
	return names, nil
}

// retire gives a generation up: nobody resolves it any more, and it is dropped
// after the grace. What was parked in it goes with it.
func retire(ctx context.Context, tx pgx.Tx, projection string, generation int) error {
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO control.retired (projection, generation) VALUES ($1, $2) ON CONFLICT DO NOTHING`, projection, generation)
	batch.Queue(`DELETE FROM control.parked WHERE projection = $1 AND generation = $2`, projection, generation)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("retire %s: %w", schemaOf(projection, generation), err)
	}
	return nil
}

// sweep drops generations whose grace is over, retires versions that no runner has
// touched for a day, and drops what dead processes left behind. age replaces the
// grace in tests. A generation that somebody still holds is left to the next sweep.
func (s *Store) sweep(ctx context.Context, age time.Duration) error {
	for _, p := range s.list {
		err := s.sweepScratch(ctx, p, 2*age)
		if err != nil {
			return err
		}
		err = s.cleanUp(ctx, p, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `
				DELETE FROM control.projections
				WHERE projection = $1 AND version < $2 AND seen_at < now() - $3::interval
				RETURNING generation`, p.Name, p.Version, oldVersionAge)
			if err != nil {
				return fmt.Errorf("old versions of %s: %w", p.Name, err)
			}
			old, err := pgx.CollectRows(rows, pgx.RowTo[int])
			if err != nil {
				return fmt.Errorf("old versions of %s: %w", p.Name, err)
			}
			for _, generation := range old {
				if err := retire(ctx, tx, p.Name, generation); err != nil {
					return err
				}
			}
			rows, err = tx.Query(ctx, `
				DELETE FROM control.retired WHERE projection = $1 AND retired_at < now() - $2::interval
				RETURNING generation`, p.Name, age)
			if err != nil {
				return fmt.Errorf("retired generations of %s: %w", p.Name, err)
			}
			gone, err := pgx.CollectRows(rows, pgx.RowTo[int])
			if err != nil {
				return fmt.Errorf("retired generations of %s: %w", p.Name, err)
			}
			for _, generation := range gone {
				if err := dropGeneration(ctx, tx, p.Name, generation); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cleanUp runs fn as the only one who makes or drops generations of a projection.
// If others hold what it needs, all of it is left to the next sweep.
func (s *Store) cleanUp(ctx context.Context, p Projection, fn func(tx pgx.Tx) error) error {
	err := s.write(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', '2s', true)`); err != nil {
			return fmt.Errorf("clean up %s: %w", p.Name, err)
		}
		if err := lockName(ctx, tx, p.Name); err != nil {
			return err
		}
		return fn(tx)
	})
	if isHeld(err) {
		return nil
	}
	return err
}

// isHeld tells a lock that was not to be had in time.
func isHeld(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "55P03" // lock_not_available
}

func dropGeneration(ctx context.Context, tx pgx.Tx, projection string, generation int) error {
	schema := schemaOf(projection, generation)
	if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
		return fmt.Errorf("drop %s: %w", schema, err)
	}
	return nil
}

// lockName makes those who create, retire and drop generations of a projection
// take turns, until the end of the transaction.
func lockName(ctx context.Context, tx pgx.Tx, projection string) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('sozai generations ' || $1))`, projection); err != nil {
		return fmt.Errorf("lock %s: %w", projection, err)
	}
	return nil
}

// write runs fn in a transaction of its own.
func (s *Store) write(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, fn)
}
