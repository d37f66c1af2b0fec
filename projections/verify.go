package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// TableCheck is the comparison of one table of the live generation with one made
// anew from the log.
type TableCheck struct {
	Projection string `json:"projection"`
	Table      string `json:"table"`
	Seq        uint64 `json:"seq"`
	Rows       int64  `json:"rows"` // in the live table
	Equal      bool   `json:"equal"`
	FirstKey   string `json:"first_key,omitempty"` // the first key that differs
}

// Verify rebuilds each named projection (none: all) beside the live one and
// compares every table at one sequence, that of a snapshot of the live tables, so
// nothing is held up. Parked agents and stopped projections cannot be verified
// and are errors.
func (r *Runner) Verify(ctx context.Context, names ...string) ([]TableCheck, error) {
	list, err := r.store.pick(names)
	if err != nil {
		return nil, err
	}
	unlock, err := r.store.exclusive(ctx, list, "verify")
	if err != nil {
		return nil, err
	}
	defer unlock()
	var out []TableCheck
	for _, p := range list {
		checks, err := r.verify(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("verify %s: %w", p.Name, err)
		}
		out = append(out, checks...)
	}
	return out, nil
}

func (r *Runner) verify(ctx context.Context, p Projection) (checks []TableCheck, err error) {
	b, err := r.openBuild(ctx, p, "verify")
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, r.store.write(context.WithoutCancel(ctx), func(tx pgx.Tx) error {
			return dropBuild(context.WithoutCancel(ctx), tx, p.Name, b.build)
		}))
	}()
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, r.store.pool, options, func(live pgx.Tx) error {
		var generation, parked int
		var seq int64
		var status string
		err := live.QueryRow(ctx, `
			SELECT generation, seq, status, (SELECT count(*) FROM control.parked k
				WHERE k.projection = c.projection AND k.generation = c.generation)
			FROM control.projections c WHERE projection = $1 AND version = $2`, p.Name, p.Version).
			Scan(&generation, &seq, &status, &parked)
		switch {
		case err != nil:
			return err
		case status != statusRunning:
			return fmt.Errorf("the projection has stopped (%s)", status)
		case parked > 0:
			return fmt.Errorf("%d events of parked agents wait", parked)
		}
		upto := uint64(seq)
		if upto > 0 {
			if err := r.fill(ctx, []*build{b}, upto, nil); err != nil {
				return err
			}
		}
		return r.store.write(ctx, func(scratch pgx.Tx) error {
			checks, err = compare(ctx, live, schemaOf(p.Name, generation), scratch, schemaOf(p.Name, b.build))
			for i := range checks {
				checks[i].Projection, checks[i].Seq = p.Name, upto
			}
			return err
		})
	})
	return checks, err
}

// compare compares two generations table by table, each in its own snapshot.
func compare(ctx context.Context, live pgx.Tx, liveSchema string, scratch pgx.Tx, scratchSchema string) ([]TableCheck, error) {
	tables, err := tablesOf(ctx, live, liveSchema)
	if err != nil {
		return nil, err
	}
	var out []TableCheck
	for _, table := range tables {
		a, err := digest(ctx, live, liveSchema, table)
		if err != nil {
			return nil, err
		}
		b, err := digest(ctx, scratch, scratchSchema, table)
		if err != nil {
			return nil, err
		}
		check := TableCheck{Table: table, Rows: a.rows, Equal: a == b}
		if !check.Equal {
			if check.FirstKey, err = firstDifference(ctx, live, liveSchema, scratch, scratchSchema, table); err != nil {
				return nil, err
			}
		}
		out = append(out, check)
	}
	return out, nil
}

// sum is a table's digest: the number of rows and the sums of both halves of
// every row's MD5, which need no order.
type sum struct {
	rows      int64
	high, low string
}

func digest(ctx context.Context, tx pgx.Tx, schema, table string) (sum, error) {
	var s sum
	name := pgx.Identifier{schema, table}.Sanitize()
	err := tx.QueryRow(ctx, `
		SELECT count(*), coalesce(sum(('x' || left(h, 16))::bit(64)::bigint::numeric), 0)::text,
			coalesce(sum(('x' || right(h, 16))::bit(64)::bigint::numeric), 0)::text
		FROM (SELECT md5(t::text) AS h FROM `+name+` t) d`).Scan(&s.rows, &s.high, &s.low)
	if err != nil {
		return s, fmt.Errorf("digest of %s: %w", name, err)
	}
	return s, nil
}

// firstDifference walks both tables in the order of their key and returns the
// first key whose row is missing or different on one side.
func firstDifference(ctx context.Context, live pgx.Tx, liveSchema string, scratch pgx.Tx, scratchSchema, table string) (string, error) {
	key, err := keyOf(ctx, live, liveSchema, table)
	if err != nil {
		return "", err
	}
	walk := func(tx pgx.Tx, schema string) (pgx.Rows, error) {
		return tx.Query(ctx, `SELECT k, h FROM (SELECT jsonb_build_array(`+key+`)::text AS k, md5(t::text) AS h FROM `+
			pgx.Identifier{schema, table}.Sanitize()+` t) d ORDER BY k COLLATE "C"`)
	}
	a, err := walk(live, liveSchema)
	if err != nil {
		return "", fmt.Errorf("walk %s: %w", table, err)
	}
	defer a.Close()
	b, err := walk(scratch, scratchSchema)
	if err != nil {
		return "", fmt.Errorf("walk %s: %w", table, err)
	}
	defer b.Close()
	for {
		keyA, hashA, err := nextRow(a)
		if err != nil {
			return "", err
		}
		keyB, hashB, err := nextRow(b)
		if err != nil {
			return "", err
		}
		switch {
		case keyA == "" && keyB == "":
			return "", nil
		case keyA != keyB && (keyB == "" || keyA != "" && keyA < keyB):
			return keyA, nil
		case keyA != keyB || hashA != hashB:
			return keyB, nil
		}
	}
}

// nextRow reads the next row; the key is "" at the end.
func nextRow(rows pgx.Rows) (key, hash string, err error) {
	if !rows.Next() {
		return "", "", rows.Err()
	}
	err = rows.Scan(&key, &hash)
	return key, hash, err
}

// keyOf lists a table's primary key columns, quoted.
func keyOf(ctx context.Context, tx pgx.Tx, schema, table string) (string, error) {
	rows, err := tx.Query(ctx, `
		SELECT a.attname FROM pg_index i
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = ($1 || '.' || quote_ident($2))::regclass AND i.indisprimary
		ORDER BY array_position(i.indkey::int2[], a.attnum)`, schema, table)
	if err != nil {
		return "", fmt.Errorf("key of %s: %w", table, err)
	}
	columns, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var name string
		err := row.Scan(&name)
		return "t." + pgx.Identifier{name}.Sanitize(), err
	})
	if err != nil {
		return "", fmt.Errorf("key of %s: %w", table, err)
	}
	return strings.Join(columns, ", "), nil
}
