package projections

import "slices"

// index finds the rows of a table by something else than the primary key: those
// that share a value I. Its columns never change while a row is there.
type index[I comparable, K comparable, R any] struct {
	t       *table[K, R]
	name    string
	of      func(*R) (I, bool)
	example func(I) R
	by      []column[R]
	where   string
	buckets map[I]*bucket[R]
	asked   map[I]bool
	written filter
}

// bucket holds the rows of one value. whole: all of them, not only those that
// were made here.
type bucket[R any] struct {
	cells []*cell[R]
	whole bool
}

// lookup declares an index: the value of a row (false: it is in none), a row that
// has the value, and the columns or expressions, after product and agent, that
// hold it. where narrows what is read; rows may only ever leave it.
type lookup[I comparable, R any] struct {
	of      func(*R) (I, bool)
	example func(I) R
	by      []column[R]
	where   string
}

// newIndex adds an index to a table that is being opened.
func newIndex[I comparable, K comparable, R any](t *table[K, R], name string, l lookup[I, R]) *index[I, K, R] {
	x := &index[I, K, R]{
		t: t, name: t.name + "." + name, of: l.of, example: l.example, where: l.where,
		by: append(slices.Clone(t.columns[:2]), l.by...),
	}
	x.forget()
	t.indexes = append(t.indexes, x)
	t.m.tables = append(t.m.tables, x)
	return x
}

// find returns the rows of a value, in no order.
func (x *index[I, K, R]) find(v I) []*R {
	b := x.bucket(v)
	if !b.whole {
		x.asked[v] = true
		x.t.m.missing()
	}
	var out []*R
	for _, c := range b.cells {
		if c.there {
			out = append(out, &c.row)
		}
	}
	return out
}

// first returns a row of a value, nil if there is none.
func (x *index[I, K, R]) first(v I) *R {
	if rows := x.find(v); len(rows) > 0 {
		return rows[0]
	}
	return nil
}

func (x *index[I, K, R]) bucket(v I) *bucket[R] {
	b := x.buckets[v]
	if b == nil {
		b = &bucket[R]{whole: x.t.m.complete && !x.written.has(hash(x.t.m, v))}
		x.buckets[v] = b
	}
	return b
}

func (x *index[I, K, R]) added(c *cell[R]) {
	v, in := x.of(&c.row)
	if !in {
		return
	}
	b := x.bucket(v)
	if !c.placed || !slices.Contains(b.cells, c) {
		b.cells = append(b.cells, c)
	}
}

func (x *index[I, K, R]) stored(r *R) {
	if v, in := x.of(r); in {
		x.written.add(hash(x.t.m, v))
	}
}

func (x *index[I, K, R]) ask(q *exchange) {
	if len(x.asked) == 0 {
		return
	}
	values := make([]*R, 0, len(x.asked))
	for v := range x.asked {
		r := x.example(v)
		values = append(values, &r)
		x.bucket(v).whole = true
	}
	clear(x.asked)
	sql := func(schema string) string { return x.t.selectSQL(schema, x.by, x.where) }
	q.query(x.name, sql, arrays(&q.wire, x.by, values), func(raw [][]byte) {
		r := x.t.read(raw)
		c := x.t.found(r)
		if v, in := x.of(r); in {
			if b := x.bucket(v); !slices.Contains(b.cells, c) {
				b.cells = append(b.cells, c)
			}
		}
	})
}

func (x *index[I, K, R]) flush(*exchange) {}

func (x *index[I, K, R]) flushed() {}

// age empties the buckets, which hold rows that the table is about to let go of.
func (x *index[I, K, R]) age() { x.buckets = map[I]*bucket[R]{} }

func (x *index[I, K, R]) forget() {
	x.buckets, x.asked, x.written = map[I]*bucket[R]{}, map[I]bool{}, filter{}
}
