package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/streams"
)

// memory is a generation of a read model as far as a process knows it, from one
// chunk of events to the next. It is one goroutine's at a time.
//
// A chunk is a unit of work: dry passes find out which rows its events will look
// at, one round trip reads those, the events are applied to the rows in order,
// and what changed is written table by table. Only the number of tables decides
// how many statements that takes.
type memory struct {
	Projection
	apply  func(r domain.Recorded) error
	tables []store

	schema     string
	generation int
	seq        uint64 // what is known is true of the generation at this position
	parked     bool   // agents were parked then
	complete   bool   // every key ever written is in the filters

	dry    bool
	missed bool         // something was not known
	fetch  func() error // loads what is missing
	err    error        // why it could not
	seed   maphash.Seed // of the filters
	seen   int          // events since its rows were aged
	out    exchange
}

// store is a table or an index of a memory.
type store interface {
	ask(q *exchange)   // adds the question for what is missing
	flush(w *exchange) // adds what must be written
	flushed()          // that is committed
	age()              // some events have gone by
	forget()           // nothing is known any more
}

// newMemory knows nothing yet. A build that begins with one keeps all it has
// written in mind, so that it need not ask for what is not there.
func newMemory(p Projection) *memory {
	m := &memory{Projection: p, seed: maphash.MakeSeed()}
	m.apply = p.open(m)
	return m
}

// foresights is how many dry passes a chunk gets: what rows lead to other rows is
// found by the next pass, what is left is read row by row.
const foresights = 3

// begin says which generation the next chunk is for, and where it stands. What is
// known stays only if nobody else can have written since.
func (m *memory) begin(c control, parked bool) {
	fresh := m.generation == 0 && c.seq == 0
	if m.generation != c.generation || m.seq != c.seq || m.parked || parked {
		m.forget()
	}
	m.schema, m.generation, m.seq, m.parked = schemaOf(m.Name, c.generation), c.generation, c.seq, parked
	m.complete = m.complete || fresh
}

// keepFor is for how many events rows are kept at least. Small chunks, one soon after
// the other, look at the same ones.
const keepFor = 1000

// committed says that all since begin is in the database, up to an event.
func (m *memory) committed(seq uint64) {
	for _, t := range m.tables {
		t.flushed()
	}
	m.seq = seq
	if m.seen < keepFor {
		return
	}
	m.seen = 0
	for _, t := range m.tables {
		t.age()
	}
}

// forget is for when it is not known whether the last chunk was written.
func (m *memory) forget() {
	for _, t := range m.tables {
		t.forget()
	}
	m.complete = false
}

// run applies events within a transaction and writes what they change. Of the
// errors, *PoisonError names the event that cannot be applied; one that the
// database refused is any of them.
func (m *memory) run(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	return runAll(ctx, tx, []*memory{m}, events)
}

// runAll applies events to several generations, which ask and write at the same time.
func runAll(ctx context.Context, tx pgx.Tx, memories []*memory, events []domain.Recorded) error {
	for _, m := range memories {
		m.err, m.missed, m.seen = nil, false, m.seen+len(events)
		m.fetch = func() error { return load(ctx, tx, []*memory{m}) }
	}
	if err := foresee(ctx, tx, memories, events); err != nil {
		return err
	}
	out := &memories[0].out
	out.reset()
	for _, m := range memories {
		for _, r := range events {
			if err := m.one(r); err != nil {
				return err
			}
		}
		out.schema = m.schema
		for _, t := range m.tables {
			t.flush(out)
		}
	}
	return out.send(ctx, tx)
}

// foresee loads what the events will look at.
func foresee(ctx context.Context, tx pgx.Tx, memories []*memory, events []domain.Recorded) error {
	left := make([][]domain.Recorded, len(memories))
	for i := range left {
		left[i] = events
	}
	for range foresights {
		var lacking []*memory
		for i, m := range memories {
			if left[i] = m.unforeseen(left[i]); len(left[i]) > 0 {
				lacking = append(lacking, m)
			}
		}
		if len(lacking) == 0 {
			return nil
		}
		if err := load(ctx, tx, lacking); err != nil {
			return err
		}
	}
	return nil
}

// unforeseen returns the events that look at something that is not known.
func (m *memory) unforeseen(events []domain.Recorded) []domain.Recorded {
	m.dry = true
	defer func() { m.dry = false }()
	var again []domain.Recorded
	for _, r := range events {
		m.missed = false
		_ = m.one(r) // the pass that counts will say
		if m.missed {
			again = append(again, r)
		}
	}
	return again
}

// one applies one event to the rows in memory.
func (m *memory) one(r domain.Recorded) error {
	if !slices.Contains(m.Kinds, r.Kind) {
		return nil
	}
	if bad, is := r.Event.(streams.Poison); is {
		return m.poison(r, bad.Err)
	}
	err := m.apply(r)
	if m.err != nil {
		return m.err
	}
	if err != nil {
		return m.poison(r, err)
	}
	return nil
}

// missing is called by a table that has been asked for what it does not know.
func (m *memory) missing() {
	m.missed = true
	if !m.dry && m.err == nil {
		m.err = m.fetch()
	}
}

// load reads the rows that the tables of some memories lack.
func load(ctx context.Context, tx pgx.Tx, memories []*memory) error {
	var x exchange
	for _, m := range memories {
		x.schema = m.schema
		for _, t := range m.tables {
			t.ask(&x)
		}
	}
	if err := x.send(ctx, tx); err != nil {
		return fmt.Errorf("load rows of %s: %w", memories[0].schema, err)
	}
	return nil
}

// as gives a document as T: the value that was put there, or what was read of it.
func as[T any](m *memory, doc any) T {
	v, is := doc.(T)
	if raw, read := doc.(json.RawMessage); !is && read {
		if err := json.Unmarshal(raw, &v); err != nil && m.err == nil {
			m.err = fmt.Errorf("read a document of %s: %w", m.schema, err)
		}
	}
	return v
}

func hash[K comparable](m *memory, k K) uint64 { return maphash.Comparable(m.seed, k) }
