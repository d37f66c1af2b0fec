package searcher_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/rehearsal"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/projections/postgres/postgrestest"
	"sozai/projections/projectionstest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

// With the real read models: a second run finds only what the first has not, a
// second attempt goes on where the first was lost, and each material stands in
// the library once, analysed, with its rating.
func TestWithTheRealLibrary(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0), mixed()...)
	store := projectionstest.Store(t, b.log)
	b.env.Library = store
	b.newRun(run.Request{Target: 3})
	if f := b.run(); len(f.Products) != 3 {
		t.Fatalf("first run %+v", f)
	}
	b.newRun(run.Request{})
	b.start() // the first attempt of the second run is lost before it did anything
	f := b.run()
	if f.Attempt != 2 || len(f.Products) != 3 {
		t.Fatalf("second run %+v", f)
	}
	last, err := b.log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Wait(t.Context(), last, "library"); err != nil {
		t.Fatal(err)
	}
	list, err := store.Materials(t.Context(), b.key, projections.MaterialFilter{})
	if err != nil {
		t.Fatal(err)
	}
	ratings := map[string]library.Rating{}
	for _, m := range list {
		if (m.Analysis == nil) != (m.Media.Hash == "") {
			t.Errorf("%s: analysed %t with media %q", m.External, m.Analysis != nil, m.Media.Hash)
		}
		ratings[m.External] = m.Rating
	}
	want := map[string]library.Rating{
		"bare08": library.Unrated, "high12": library.High, "m01": library.Medium,
		"m02": library.Medium, "m03": library.Medium, "m07": library.Medium,
	}
	if diff := cmp.Diff(want, ratings); diff != "" || len(list) != 6 {
		t.Fatalf("%d materials: %s", len(list), diff)
	}
}
