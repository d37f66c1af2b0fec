package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/projections"
)

// copySource is the timeline's rows in memory, ready for COPY.
type copySource struct {
	table   string // that they came from
	columns []string
	rows    [][]any
}

// copyChunk is how many rows go in a transaction.
const copyChunk = 5_000

// loadRows reads the rows of the serving timeline in the order of the log.
func loadRows(ctx context.Context, pool *pgxpool.Pool) (*copySource, error) {
	s := &copySource{}
	var generation int
	err := pool.QueryRow(ctx, `SELECT generation FROM control.projections WHERE projection = $1`, projections.Timeline).Scan(&generation)
	if err != nil {
		return nil, err
	}
	s.table = fmt.Sprintf("%s_g%d.rows", projections.Timeline, generation)
	fields, err := pool.Query(ctx, `SELECT * FROM `+s.table+` LIMIT 0`)
	if err != nil {
		return nil, err
	}
	var selected []string
	for _, f := range fields.FieldDescriptions() {
		name := pgx.Identifier{f.Name}.Sanitize()
		s.columns = append(s.columns, f.Name)
		if f.DataTypeOID == jsonb {
			name += "::text" // as bytes, so that COPY need not encode it again
		}
		selected = append(selected, name)
	}
	fields.Close()
	rows, err := pool.Query(ctx, `SELECT `+strings.Join(selected, ", ")+` FROM `+s.table+` ORDER BY seq`)
	if err != nil {
		return nil, err
	}
	s.rows, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
	return s, err
}

const jsonb = 3802 // the type's number, fixed for ever

// copy makes an empty table like the rows' own, with its indexes, and copies
// them into it; rows a second.
func (s *copySource) copy(ctx context.Context, pool *pgxpool.Pool) (float64, error) {
	if _, err := pool.Exec(ctx, `
		CREATE SCHEMA IF NOT EXISTS bench;
		DROP TABLE IF EXISTS bench.rows;
		CREATE TABLE bench.rows (LIKE `+s.table+` INCLUDING ALL);
		CHECKPOINT`); err != nil {
		return 0, err
	}
	began := time.Now()
	for from := 0; from < len(s.rows); from += copyChunk {
		chunk := s.rows[from:min(from+copyChunk, len(s.rows))]
		err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			// As a projection commits: what a crash loses is made again.
			if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
				return err
			}
			_, err := tx.CopyFrom(ctx, pgx.Identifier{"bench", "rows"}, s.columns, pgx.CopyFromRows(chunk))
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("copy: %w", err)
		}
	}
	return float64(len(s.rows)) / time.Since(began).Seconds(), nil
}
