package projections

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// column is one column of a table whose rows are R in memory: how a value is
// written and read. name is an SQL expression if the column is only looked up.
type column[R any] struct {
	name string
	kind string // its SQL type
	put  func(w *wire, r *R)
	take func(raw []byte, r *R)
	// literal is put for an array parameter, if that differs; the parameter is
	// then text[] and cast.
	literal func(w *wire, r *R)
}

// element is the type of a column's values in an array parameter.
func (c column[R]) element() uint32 {
	switch c.kind {
	case "integer":
		return pgtype.Int4OID
	case "bigint":
		return pgtype.Int8OID
	case "boolean":
		return pgtype.BoolOID
	case "double precision":
		return pgtype.Float8OID
	case "timestamptz":
		return pgtype.TimestamptzOID
	case "jsonb":
		return pgtype.JSONBOID
	}
	return pgtype.TextOID
}

// text is a column of text. A field read back has U+FFFD where NUL was: a key that
// may hold NUL is to be cleaned first.
func text[S ~string, R any](name string, at func(*R) *S) column[R] {
	return column[R]{
		name: name, kind: "text",
		put:  func(w *wire, r *R) { w.text(string(*at(r))) },
		take: func(raw []byte, r *R) { *at(r) = S(raw) },
	}
}

// optionalText is text in which nil is NULL.
func optionalText[R any](name string, at func(*R) **string) column[R] {
	return column[R]{
		name: name, kind: "text",
		put: func(w *wire, r *R) {
			if s := *at(r); s != nil {
				w.text(*s)
				return
			}
			w.null()
		},
		take: func(raw []byte, r *R) {
			*at(r) = nil
			if raw != nil {
				s := string(raw)
				*at(r) = &s
			}
		},
	}
}

// integer refuses what does not fit 32 bits.
func integer[I ~int, R any](name string, at func(*R) *I) column[R] {
	return column[R]{
		name: name, kind: "integer",
		put:  func(w *wire, r *R) { w.integer(int(*at(r))) },
		take: func(raw []byte, r *R) { *at(r) = I(readInteger(raw)) },
	}
}

func bigint[I ~int | ~int64 | ~uint64, R any](name string, at func(*R) *I) column[R] {
	return column[R]{
		name: name, kind: "bigint",
		put:  func(w *wire, r *R) { w.bigint(int64(*at(r))) },
		take: func(raw []byte, r *R) { *at(r) = I(readBigint(raw)) },
	}
}

// optionalBigint is bigint in which 0 is NULL.
func optionalBigint[I ~int | ~int64 | ~uint64, R any](name string, at func(*R) *I) column[R] {
	c := bigint(name, at)
	put := c.put
	c.put = func(w *wire, r *R) {
		if *at(r) == 0 {
			w.null()
			return
		}
		put(w, r)
	}
	return c
}

func flag[R any](name string, at func(*R) *bool) column[R] {
	return column[R]{
		name: name, kind: "boolean",
		put:  func(w *wire, r *R) { w.flag(*at(r)) },
		take: func(raw []byte, r *R) { *at(r) = readFlag(raw) },
	}
}

func double[R any](name string, at func(*R) *float64) column[R] {
	return column[R]{
		name: name, kind: "double precision",
		put:  func(w *wire, r *R) { w.real(*at(r)) },
		take: func(raw []byte, r *R) { *at(r) = readReal(raw) },
	}
}

// moment is timestamptz; a zero time is NULL.
func moment[R any](name string, at func(*R) *time.Time) column[R] {
	return column[R]{
		name: name, kind: "timestamptz",
		put:  func(w *wire, r *R) { w.moment(*at(r)) },
		take: func(raw []byte, r *R) { *at(r) = readMoment(raw) },
	}
}

// document is jsonb. The field holds any value that marshals, only when the row is
// written; nil is NULL. What was read is json.RawMessage: see as.
func document[R any](name string, at func(*R) *any) column[R] {
	return column[R]{
		name: name, kind: "jsonb",
		put:  func(w *wire, r *R) { w.document(*at(r)) },
		take: func(raw []byte, r *R) { *at(r) = readDocument(raw) },
	}
}

// list is text[], never NULL.
func list[S ~string, R any](name string, at func(*R) *[]S) column[R] {
	strings := func(r *R) []string {
		out := make([]string, len(*at(r)))
		for i, s := range *at(r) {
			out[i] = string(s)
		}
		return out
	}
	return column[R]{
		name: name, kind: "text[]",
		put:     func(w *wire, r *R) { w.list(strings(r)) },
		literal: func(w *wire, r *R) { w.literal(strings(r)) },
		take: func(raw []byte, r *R) {
			items := readList(raw)
			*at(r) = make([]S, len(items))
			for i, s := range items {
				(*at(r))[i] = S(s)
			}
		},
	}
}
