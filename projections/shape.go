package projections

import (
	"slices"
	"strconv"
	"strings"

	"sozai/domain"
)

// shape is the SQL side of a table: its columns, product and agent first, then the
// rest of the primary key (keys in all), then the others.
type shape[R any] struct {
	name    string
	columns []column[R]
	keys    int
}

func newShape[R any](name string, owner func(*R) *domain.Key, id, rest []column[R]) shape[R] {
	columns := []column[R]{
		text("product", func(r *R) *string { return &owner(r).Product }),
		text("agent", func(r *R) *domain.ID { return &owner(r).Agent }),
	}
	return shape[R]{name: name, columns: slices.Concat(columns, id, rest), keys: 2 + len(id)}
}

// read takes a row with the columns of the shape in order.
func (s *shape[R]) read(raw [][]byte) *R {
	r := new(R)
	for i, c := range s.columns {
		c.take(raw[i], r)
	}
	return r
}

// selectSQL reads the rows whose values of by are among the parameters.
func (s *shape[R]) selectSQL(schema string, by []column[R], where string) string {
	var on []string
	for i, c := range by {
		name := c.name
		if !strings.ContainsRune(name, '(') {
			name = "t." + name
		}
		on = append(on, name+" = k.c"+strconv.Itoa(i))
	}
	sql := "SELECT " + names(s.columns, "t.") + " FROM " + unnested(by) + " JOIN " + schema + "." + s.name +
		" t ON " + strings.Join(on, " AND ")
	if where != "" {
		sql += " WHERE " + where
	}
	return sql
}

// copySQL inserts rows in the binary form of COPY.
func (s *shape[R]) copySQL(schema string) string {
	return "COPY " + schema + "." + s.name + " (" + names(s.columns, "") + ") FROM STDIN BINARY"
}

// upsertSQL inserts rows, or replaces those whose key is there.
func (s *shape[R]) upsertSQL(schema string) string {
	var set []string
	for _, c := range s.columns[s.keys:] {
		set = append(set, c.name+" = excluded."+c.name)
	}
	then := "NOTHING"
	if len(set) > 0 {
		then = "UPDATE SET " + strings.Join(set, ", ")
	}
	return "INSERT INTO " + schema + "." + s.name + " (" + names(s.columns, "") + ") SELECT " + values(s.columns) +
		" FROM " + unnested(s.columns) + " ON CONFLICT (" + names(s.columns[:s.keys], "") + ") DO " + then
}

// deleteSQL deletes rows by key.
func (s *shape[R]) deleteSQL(schema string) string {
	var on []string
	for i, c := range s.columns[:s.keys] {
		on = append(on, "t."+c.name+" = k.c"+strconv.Itoa(i))
	}
	return "DELETE FROM " + schema + "." + s.name + " t USING " + unnested(s.columns[:s.keys]) +
		" WHERE " + strings.Join(on, " AND ")
}

// copyAbove is how many new rows are worth a COPY of their own.
const copyAbove = 50

// write queues what must be written of a table: a statement each at most.
func (s *shape[R]) write(w *exchange, created, updated, deleted []*R) {
	if len(deleted) > 0 {
		w.exec(s.name+".delete", s.deleteSQL, arrays(&w.wire, s.columns[:s.keys], deleted))
	}
	rows := updated
	if len(created) > copyAbove {
		w.copy(s.copySQL, fields(s.columns, created))
	} else {
		rows = append(rows, created...)
	}
	if len(rows) > 0 {
		w.exec(s.name+".put", s.upsertSQL, arrays(&w.wire, s.columns, rows))
	}
}

// arrays writes rows column by column, as the parameters of unnested.
func arrays[R any](w *wire, columns []column[R], rows []*R) [][]byte {
	params := make([][]byte, len(columns))
	for i, c := range columns {
		at, put := len(w.buf), c.put
		if c.literal != nil {
			put = c.literal
		}
		w.head(c.element(), len(rows))
		for _, r := range rows {
			put(w, r)
		}
		params[i] = w.buf[at:len(w.buf):len(w.buf)]
	}
	return params
}

// fields writes rows as COPY wants them, one a call.
func fields[R any](columns []column[R], rows []*R) func(w *wire) bool {
	i := -1
	return func(w *wire) bool {
		switch i++; {
		case i == 0:
			w.buf = append(w.buf, "PGCOPY\n\xff\r\n\x00"...)
			w.size(0) // no flags,
			w.size(0) // no extension
		case i <= len(rows):
			w.short(len(columns))
			for _, c := range columns {
				c.put(w, rows[i-1])
			}
		case i == len(rows)+1:
			w.short(-1)
		default:
			return false
		}
		return true
	}
}

// names lists columns.
func names[R any](columns []column[R], prefix string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = prefix + c.name
	}
	return strings.Join(list, ", ")
}

// unnested gives array parameters as rows of a table alias k with the columns c0,
// c1 and so on.
func unnested[R any](columns []column[R]) string {
	params, as := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		kind := c.kind
		if c.literal != nil {
			kind = "text"
		}
		params[i], as[i] = "$"+strconv.Itoa(i+1)+"::"+kind+"[]", "c"+strconv.Itoa(i)
	}
	return "unnest(" + strings.Join(params, ", ") + ") AS k(" + strings.Join(as, ", ") + ")"
}

// values lists the columns of unnested with their own types.
func values[R any](columns []column[R]) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = "k.c" + strconv.Itoa(i)
		if c.literal != nil {
			list[i] += "::" + c.kind
		}
	}
	return strings.Join(list, ", ")
}
