package projections

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/projections/postgres/postgrestest"
)

// sample is a row with every type of column.
type sample struct {
	idKey
	Words    string
	Optional *string
	Small    int
	Big      uint64
	Maybe    int64
	Real     float64
	Flag     bool
	At       time.Time
	Doc      any
	List     []domain.ID
}

func samples(m *memory) *table[idKey, sample] {
	return newTable(m, layout[idKey, sample]{
		name:  "samples",
		owner: func(r *sample) *domain.Key { return &r.Key },
		key:   func(r *sample) *idKey { return &r.idKey },
		id:    []column[sample]{text("id", func(r *sample) *domain.ID { return &r.ID })},
		rest: []column[sample]{
			text("words", func(r *sample) *string { return &r.Words }),
			optionalText("optional", func(r *sample) **string { return &r.Optional }),
			integer("small", func(r *sample) *int { return &r.Small }),
			bigint("big", func(r *sample) *uint64 { return &r.Big }),
			optionalBigint("maybe", func(r *sample) *int64 { return &r.Maybe }),
			double("real", func(r *sample) *float64 { return &r.Real }),
			flag("flag", func(r *sample) *bool { return &r.Flag }),
			moment("at", func(r *sample) *time.Time { return &r.At }),
			document("doc", func(r *sample) *any { return &r.Doc }),
			list("list", func(r *sample) *[]domain.ID { return &r.List }),
		},
	})
}

// Every type of column comes back as it was written, by COPY and by parameters.
func TestValuesComeBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pool := postgrestest.Pool(t)
	if _, err := pool.Exec(ctx, `CREATE TABLE public.samples (product text, agent text, id text, words text NOT NULL, optional text,
		small integer NOT NULL, big bigint NOT NULL, maybe bigint, "real" double precision NOT NULL, flag boolean NOT NULL,
		at timestamptz, doc jsonb, list text[] NOT NULL, PRIMARY KEY (product, agent, id))`); err != nil {
		t.Fatalf("create: %v", err)
	}
	words := "several 多\x00 words"
	row := func(id string) sample {
		return sample{idKey: idKey{domain.Key{Product: "p", Agent: "a"}, domain.ID(id)}}
	}
	full := sample{
		idKey: row("full").idKey, Words: words, Optional: &words, Small: math.MinInt32, Big: 1 << 62, Maybe: -1, Real: 0.1,
		Flag: true, At: time.Date(1969, 7, 20, 20, 17, 40, 123456000, time.UTC), Doc: map[string]string{"k": "\"\x00\\u0000"},
		List: []domain.ID{"", `a"b\`, "{}", "NULL", "多,x"},
	}
	want := full
	cleaned := clean(words)
	want.Words, want.Optional, want.Doc = cleaned, &cleaned, json.RawMessage("{\"k\": \"\\\"\uFFFD\\\\u0000\"}")
	for name, many := range map[string]bool{"parameters": false, "copy": true} {
		write := newMemory(Projection{Name: "public", open: func(m *memory) func(domain.Recorded) error { samples(m); return nil }})
		write.schema, write.generation, write.complete = "public", 1, true
		table := write.tables[0].(*table[idKey, sample])
		full.ID, want.ID = domain.ID("full "+name), domain.ID("full "+name)
		empty := row("empty " + name)
		table.add(full)
		table.add(empty)
		for i := range copyAbove {
			if many {
				table.add(row(name + string(rune('A'+i))))
			}
		}
		err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return write.run(ctx, tx, nil) })
		if err != nil {
			t.Fatalf("%s: write: %v", name, err)
		}
		write.forget()
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			write.fetch = func() error { return load(ctx, tx, []*memory{write}) }
			empty.List = []domain.ID{}
			for _, want := range []sample{want, empty} {
				got := table.get(want.idKey)
				if got == nil {
					t.Fatalf("%s: %q is not there: %v", name, want.ID, write.err)
				}
				if diff := cmp.Diff(want, *got, cmp.AllowUnexported(sample{})); diff != "" {
					t.Errorf("%s: (-want +got):\n%s", name, diff)
				}
			}
			if table.get(row("absent").idKey) != nil {
				t.Errorf("%s: an absent row is there", name)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: read: %v", name, err)
		}
	}
}

func TestWhatNoColumnHoldsIsPoison(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(w *wire){
		"integer":  func(w *wire) { w.integer(1 << 40) },
		"document": func(w *wire) { w.document(math.NaN()) },
	} {
		var w wire
		put(&w)
		if !isPoison(w.err) {
			t.Errorf("%s: %v is not poison", name, w.err)
		}
	}
}

func TestFilterNeverForgets(t *testing.T) {
	t.Parallel()
	var f filter
	m := newMemory(Projection{open: func(*memory) func(domain.Recorded) error { return nil }})
	const n = 50_000
	for i := range n {
		f.add(hash(m, i))
	}
	wrong := 0
	for i := range n {
		if !f.has(hash(m, i)) {
			t.Fatalf("%d was added and is not there", i)
		}
		if f.has(hash(m, n+i)) {
			wrong++
		}
	}
	if wrong > n/30 {
		t.Errorf("%d of %d that were never added seem to be there", wrong, n)
	}
}
