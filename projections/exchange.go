package projections

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// exchange is what a chunk says to the database at once: COPYs, and statements
// that are prepared once a connection and sent in one round trip.
type exchange struct {
	wire
	schema     string // of what is added next
	statements []statement
	copies     []copying
	grown      []string
}

type statement struct {
	schema string
	name   string // without the schema
	sql    func(schema string) string
	params [][]byte
	read   func(raw [][]byte)
}

type copying struct {
	sql  string
	next func(*wire) bool // writes the next piece; false: there was none left
}

// query adds a SELECT; read gets each row, whose bytes are valid until it returns.
func (x *exchange) query(name string, sql func(schema string) string, params [][]byte, read func(raw [][]byte)) {
	x.statements = append(x.statements, statement{x.schema, name, sql, params, read})
}

// exec adds a statement that returns no rows.
func (x *exchange) exec(name string, sql func(schema string) string, params [][]byte) {
	x.query(name, sql, params, nil)
}

func (x *exchange) copy(sql func(schema string) string, next func(*wire) bool) {
	x.copies = append(x.copies, copying{sql(x.schema), next})
}

// analyse looks at a table once it has been written, so that the plans are right
// from the first rows on: an index that only begins with the agent must not pass
// for one that finds a row.
func (x *exchange) analyse(table string) { x.grown = append(x.grown, x.schema+"."+table) }

// reset makes room for the next exchange. The buffer stays, unless it has grown
// beyond what chunks usually need.
func (x *exchange) reset() {
	clear(x.statements)
	clear(x.copies)
	x.statements, x.copies, x.grown, x.err = x.statements[:0], x.copies[:0], nil, nil
	if x.buf = x.buf[:0]; cap(x.buf) > 16<<20 {
		x.buf = nil
	}
}

// send does it all: COPYs, statements, statistics.
func (x *exchange) send(ctx context.Context, tx pgx.Tx) error {
	if x.err != nil {
		return x.err
	}
	conn := tx.Conn()
	for _, c := range x.copies {
		rows := &pieces{next: c.next}
		if _, err := conn.PgConn().CopyFrom(ctx, rows, c.sql); rows.err != nil || err != nil {
			return cmp.Or(rows.err, err)
		}
	}
	if err := x.exchange(ctx, conn); err != nil {
		return err
	}
	for _, table := range x.grown {
		if _, err := tx.Exec(ctx, `SET LOCAL default_statistics_target = 10; ANALYZE (SKIP_LOCKED) `+table+` (product, agent)`,
			pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

// exchange sends the statements and reads what they return.
func (x *exchange) exchange(ctx context.Context, conn *pgx.Conn) error {
	if len(x.statements) == 0 {
		return nil
	}
	var batch pgconn.Batch
	binary := []int16{pgx.BinaryFormatCode}
	for _, s := range x.statements {
		name := s.schema + "." + s.name
		prepared, err := conn.Prepare(ctx, name, s.sql(s.schema))
		if err != nil {
			return fmt.Errorf("prepare %s: %w", name, err)
		}
		batch.ExecStatement(prepared, s.params, binary, binary)
	}
	results := conn.PgConn().ExecBatch(ctx, &batch)
	for _, s := range x.statements {
		if !results.NextResult() {
			break
		}
		rows := results.ResultReader()
		for rows.NextRow() {
			s.read(rows.Values())
		}
		if _, err := rows.Close(); err != nil {
			_ = results.Close()
			return err
		}
	}
	return results.Close()
}

// pieces gives the data of a COPY as they are made, so that the database works on
// the last piece while the next is written.
type pieces struct {
	wire
	next func(*wire) bool
	at   int
}

// pieceSize is what a piece is filled up to.
const pieceSize = 64 << 10

func (p *pieces) Read(out []byte) (int, error) {
	if p.at == len(p.buf) {
		p.buf, p.at = p.buf[:0], 0
		for len(p.buf) < pieceSize && p.next(&p.wire) {
		}
		switch {
		case p.err != nil:
			return 0, p.err
		case len(p.buf) == 0:
			return 0, io.EOF
		}
	}
	n := copy(out, p.buf[p.at:])
	p.at += n
	return n, nil
}
