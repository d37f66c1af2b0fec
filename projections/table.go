package projections

import "sozai/domain"

// table is a table of a generation as far as a process knows it: rows R by primary
// key K. Apply reads and changes rows here; what it asks for and is not known is
// loaded, what it changed is written when the chunk ends.
//
// R embeds K, and K embeds domain.Key and holds the rest of the primary key. Rows
// that get and find return are for reading; edit changes them.
type table[K comparable, R any] struct {
	shape[R]
	m   *memory
	key func(*R) *K
	// bySeq: the primary key holds the sequence of the event that made the row.
	bySeq   bool
	cells   map[K]*cell[R] // used lately, by this chunk at least
	older   map[K]*cell[R] // used before that
	asked   map[K]bool     // to be loaded
	changed []*cell[R]
	indexes []watcher[R]
	written filter
	made    int // rows inserted by this process,
	looked  int // and how many when the table was analysed last
}

// cell is one row, or the knowledge that there is none.
type cell[R any] struct {
	row     R
	there   bool // it exists now,
	stored  bool // it exists in the database,
	placed  bool // it has been there: indexes may know it
	changed bool
}

// watcher is an index as its table sees it.
type watcher[R any] interface {
	added(c *cell[R])
	stored(r *R)
}

// layout declares a table: its name, the rest of the primary key after product and
// agent, and all other columns that are written.
type layout[K comparable, R any] struct {
	name  string
	owner func(*R) *domain.Key
	key   func(*R) *K
	id    []column[R]
	rest  []column[R]
	bySeq bool
}

// newTable adds a table to a read model that is being opened.
func newTable[K comparable, R any](m *memory, l layout[K, R]) *table[K, R] {
	t := &table[K, R]{shape: newShape(l.name, l.owner, l.id, l.rest), m: m, key: l.key, bySeq: l.bySeq}
	t.forget()
	m.tables = append(m.tables, t)
	return t
}

// get returns the row of a key, nil if there is none.
func (t *table[K, R]) get(k K) *R {
	if c := t.cell(k); c != nil && c.there {
		return &c.row
	}
	return nil
}

// add inserts a row unless its key is there already, and reports whether it did.
func (t *table[K, R]) add(r R) bool {
	k := *t.key(&r)
	c := t.cell(k)
	if c != nil && c.there {
		return false
	}
	t.put(k, c, r)
	return true
}

// addNew is add for a row whose key holds the sequence of the event at hand, so
// that no event before can have made it.
func (t *table[K, R]) addNew(r R) bool {
	k := *t.key(&r)
	c := t.known(k)
	if c != nil && c.there {
		return false
	}
	t.put(k, c, r)
	return true
}

// set inserts a row or replaces the one of the same key.
func (t *table[K, R]) set(r R) {
	k := *t.key(&r)
	t.put(k, t.cell(k), r)
}

// edit changes the row of a key, if there is one, and reports whether there is.
// change must leave the key and the columns of indexes alone.
func (t *table[K, R]) edit(k K, change func(r *R)) bool {
	c := t.cell(k)
	if c == nil || !c.there {
		return false
	}
	if !t.m.dry {
		change(&c.row)
		t.mark(c)
	}
	return true
}

// drop deletes the row of a key and reports whether there was one.
func (t *table[K, R]) drop(k K) bool {
	c := t.cell(k)
	if c == nil || !c.there {
		return false
	}
	if !t.m.dry {
		c.there = false
		t.mark(c)
	}
	return true
}

func (t *table[K, R]) put(k K, c *cell[R], r R) {
	if t.m.dry {
		return
	}
	if c == nil {
		c = &cell[R]{}
		t.cells[k] = c
	}
	c.row = r
	t.mark(c)
	if !c.there {
		c.there = true
		for _, x := range t.indexes {
			x.added(c)
		}
		c.placed = true
	}
}

func (t *table[K, R]) mark(c *cell[R]) {
	if !c.changed {
		c.changed = true
		t.changed = append(t.changed, c)
	}
}

// known returns the cell of a key without asking the database.
func (t *table[K, R]) known(k K) *cell[R] {
	if c := t.cells[k]; c != nil {
		return c
	}
	c := t.older[k]
	if c != nil {
		t.cells[k] = c
	}
	return c
}

// cell returns the cell of a key; nil if there is no such row, or not yet in a
// dry pass.
func (t *table[K, R]) cell(k K) *cell[R] {
	if c := t.known(k); c != nil {
		return c
	}
	if t.m.complete && !t.bySeq && !t.written.has(hash(t.m, k)) {
		return nil
	}
	t.asked[k] = true
	if t.m.missing(); t.m.dry {
		return nil
	}
	return t.cells[k]
}

// found makes or returns the cell of a row that was read.
func (t *table[K, R]) found(r *R) *cell[R] {
	k := *t.key(r)
	c := t.known(k)
	if c == nil {
		c = &cell[R]{row: *r, there: true, stored: true, placed: true}
		t.cells[k] = c
	}
	return c
}

// ask adds the question for the rows that are missing.
func (t *table[K, R]) ask(q *exchange) {
	if len(t.asked) == 0 {
		return
	}
	keys := make([]*R, 0, len(t.asked))
	for k := range t.asked {
		r := new(R)
		*t.key(r) = k
		keys = append(keys, r)
		t.cells[k] = &cell[R]{} // absent, unless it is read
	}
	clear(t.asked)
	by := t.columns[:t.keys]
	sql := func(schema string) string { return t.selectSQL(schema, by, "") }
	q.query(t.name+".get", sql, arrays(&q.wire, by, keys), func(raw [][]byte) {
		r := t.read(raw)
		if c := t.cells[*t.key(r)]; c != nil && !c.placed {
			c.row, c.there, c.stored, c.placed = *r, true, true, true
		}
	})
}

// flush sorts the changed rows by what must be written and queues it.
func (t *table[K, R]) flush(w *exchange) {
	var created, updated, deleted []*R
	for _, c := range t.changed {
		switch {
		case c.there && c.stored:
			updated = append(updated, &c.row)
		case c.there:
			created = append(created, &c.row)
		case c.stored:
			deleted = append(deleted, &c.row)
		}
	}
	t.write(w, created, updated, deleted)
	if t.made += len(created); t.made >= 2*t.looked+analyseFirst {
		t.looked = t.made
		w.analyse(t.name)
	}
}

// analyseFirst is after how many new rows a table is analysed; the next time is
// when there are twice as many.
const analyseFirst = 200

// flushed notes that the changes are committed.
func (t *table[K, R]) flushed() {
	for _, c := range t.changed {
		if t.m.complete && c.there && !c.stored {
			if !t.bySeq {
				t.written.add(hash(t.m, *t.key(&c.row)))
			}
			for _, x := range t.indexes {
				x.stored(&c.row)
			}
		}
		c.stored, c.changed = c.there, false
	}
	clear(t.changed)
	t.changed = t.changed[:0]
}

// age lets go of rows that have not been used since it was called last.
func (t *table[K, R]) age() {
	t.older, t.cells = t.cells, make(map[K]*cell[R], len(t.cells))
}

// forget drops everything that is known.
func (t *table[K, R]) forget() {
	t.cells, t.older, t.asked = map[K]*cell[R]{}, nil, map[K]bool{}
	t.changed, t.written = nil, filter{}
}
