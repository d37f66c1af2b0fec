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

// Verify rebuilds the named projections (none: all) beside the live ones, in one
// pass, and compares every table at one sequence a projection, that of a snapshot
// of the live tables, so nothing is held up and events may keep coming. Those that
// cannot be verified (stopped, not made yet, with parked agents) are errors
// beside the checks of the others.
func (r *Runner) Verify(ctx context.Context, names ...string) ([]TableCheck, error) {
	list, err := r.store.pick(names)
	if err != nil {
		return nil, err
	}
	lease, err := r.store.lease(ctx, list, forVerify)
	if err != nil {
		return nil, err
	}
	defer lease.release()
	var checks []TableCheck
	var problems []error
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, r.store.pool, options, func(live pgx.Tx) error {
		checks, problems, err = r.verify(ctx, lease, live, list)
		return err
	})
	if err != nil {
		return checks, fmt.Errorf("verify: %w", err)
	}
	return checks, errors.Join(problems...)
}

// verify compares what live sees with generations made for the purpose.
func (r *Runner) verify(ctx context.Context, lease *lease, live pgx.Tx, list []Projection) (checks []TableCheck, problems []error, err error) {
	pass := &pass{Runner: r, lease: lease}
	schemas := map[string]string{}
	defer func() {
		for _, b := range pass.builds {
			err = errors.Join(err, r.store.drop(context.WithoutCancel(ctx), b.Name, b.build))
		}
	}()
	var end uint64
	for _, p := range list {
		schema, seq, err := pin(ctx, live, p)
		if err != nil {
			problems = append(problems, fmt.Errorf("verify %s: %w", p.Name, err))
			continue
		}
		b, err := r.openBuild(ctx, p, forVerify, seq)
		if err != nil {
			return nil, nil, err
		}
		pass.builds = append(pass.builds, b)
		schemas[p.Name] = schema
		end = max(end, seq)
	}
	if len(pass.builds) == 0 {
		return nil, problems, nil
	}
	if end > 0 {
		err := pass.run(ctx, func(ctx context.Context) error { return pass.fill(ctx, pass.builds, end) })
		if err != nil {
			return nil, nil, err
		}
	}
	for _, b := range pass.builds {
		if b.reason != nil {
			problems = append(problems, fmt.Errorf("verify %s: %w", b.Name, b.reason))
			continue
		}
		var found []TableCheck
		err := r.store.write(ctx, func(scratch pgx.Tx) (err error) {
			found, err = compare(ctx, live, schemas[b.Name], scratch, schemaOf(b.Name, b.build))
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		for i := range found {
			found[i].Projection, found[i].Seq = b.Name, b.upto
		}
		checks = append(checks, found...)
	}
	return checks, problems, nil
}

// pin finds the generation that serves in a snapshot and up to where its rows are
// true, and keeps its tables from being dropped until the end of the transaction.
func pin(ctx context.Context, live pgx.Tx, p Projection) (schema string, seq uint64, err error) {
	var generation, parked int
	var position int64
	var status string
	err = live.QueryRow(ctx, `
		SELECT generation, seq, status, (SELECT count(*) FROM control.parked k
			WHERE k.projection = c.projection AND k.generation = c.generation)
		FROM control.projections c WHERE projection = $1 AND version = $2`, p.Name, p.Version).
		Scan(&generation, &position, &status, &parked)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", 0, errors.New("this version is not built yet")
	case err != nil:
		return "", 0, err
	case status != statusRunning:
		return "", 0, fmt.Errorf("it does not run (%s)", status)
	case parked > 0:
		return "", 0, fmt.Errorf("%d events of parked agents wait", parked)
	}
	schema = schemaOf(p.Name, generation)
	tables, err := tablesOf(ctx, live, schema)
	if err != nil || len(tables) == 0 {
		return schema, uint64(position), err
	}
	for i, table := range tables {
		tables[i] = pgx.Identifier{schema, table}.Sanitize()
	}
	if _, err := live.Exec(ctx, "LOCK TABLE "+strings.Join(tables, ", ")+" IN ACCESS SHARE MODE"); err != nil {
		return "", 0, fmt.Errorf("hold %s: %w", schema, err)
	}
	return schema, uint64(position), nil
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
