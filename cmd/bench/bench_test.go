package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMedianAndQuantile(t *testing.T) {
	t.Parallel()
	if got := median([]float64{5, 1, 3}); got != 3 {
		t.Fatalf("median of three: %g", got)
	}
	if got := median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Fatalf("median of four: %g", got)
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Fatalf("median of nothing: %g", got)
	}
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for q, want := range map[float64]float64{0: 1, 0.5: 50, 0.99: 99, 1: 100} {
		if got := quantile(hundred, q); got != want {
			t.Errorf("quantile %g: got %g, want %g", q, got, want)
		}
	}
	values := []float64{3, 1, 2}
	if _ = median(values); !cmp.Equal(values, []float64{3, 1, 2}) {
		t.Fatalf("median sorted its argument: %v", values)
	}
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	var h histogram
	if !math.IsNaN(h.quantile(0.99)) {
		t.Fatal("an empty histogram has a quantile")
	}
	for i := range 100 {
		h.add(time.Duration(i) * time.Millisecond)
	}
	h.add(time.Hour) // beyond its end
	h.add(-time.Second)
	if got := h.quantile(0.5); math.Abs(got-50) > 1.1 {
		t.Fatalf("p50 %g", got)
	}
	if got := h.quantile(1); got < 9_999 {
		t.Fatalf("max %g", got)
	}
}

// A ratio that must be at least something is reached from above, a time that may
// be at most something from below.
func TestMust(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		must        must
		ours, ratio float64
		want        bool
		text        string
	}{
		{ratioAtLeast(0.85), 1, 0.85, true, ">= 0.85 x"},
		{ratioAtLeast(0.85), 1e9, 0.84, false, ">= 0.85 x"},
		{ratioAtMost(1.3), 1e9, 1.3, true, "<= 1.30 x"},
		{ratioAtMost(1.3), 0, 1.31, false, "<= 1.30 x"},
		{atLeast(150_000, "/s"), 149_999, 9, false, ">= 150.0k /s"},
		{atLeast(150_000, "/s"), 150_000, math.NaN(), true, ">= 150.0k /s"},
		{atMost(30, "ms"), 30, math.NaN(), true, "<= 30 ms"},
		{atMost(30, "ms"), 30.1, 0, false, "<= 30 ms"},
		{ratioAtLeast(1), 1, math.NaN(), false, ">= 1 x"},
		{atMost(30, "ms"), math.NaN(), 1, false, "<= 30 ms"},
	} {
		if got := c.must.reached(c.ours, c.ratio); got != c.want {
			t.Errorf("%s with %g, ratio %g: %v", c.must, c.ours, c.ratio, got)
		}
		if got := c.must.String(); got != c.text {
			t.Errorf("got %q, want %q", got, c.text)
		}
	}
}

func TestConclude(t *testing.T) {
	t.Parallel()
	r := row{name: "n", unit: "/s", must: ratioAtLeast(2)}
	got := r.conclude([]sample{{100, 50}, {400, 10}, {90, 100}}, nil)
	if !got.OK || *got.Ours != 100 || *got.Limit != 50 || *got.Ratio != 2 {
		t.Fatalf("got %+v", got)
	}
	if got := r.conclude([]sample{{100, math.NaN()}}, nil); got.OK || got.Limit != nil || got.Ratio != nil {
		t.Fatalf("without a limit: %+v", got)
	}
	if got := r.conclude([]sample{{100, 50}}, errors.New("broken")); got.OK || got.Error != "broken" || got.Ours != nil {
		t.Fatalf("failed: %+v", got)
	}
	if got := r.conclude(nil, nil); got.OK || got.Error == "" {
		t.Fatalf("nothing measured: %+v", got)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	good := row{name: "good", unit: "/s", must: ratioAtLeast(0.5)}.conclude([]sample{{30_000, 40_000}}, nil)
	bad := row{name: "bad", unit: "ms", must: atMost(5, "ms")}.conclude([]sample{{6, math.NaN()}}, nil)
	lost := row{name: "lost", unit: "ms", must: atMost(5, "ms")}.conclude(nil, errors.New("it broke\nbadly"))
	var out bytes.Buffer
	tab := table{&out}
	tab.head()
	for _, r := range []result{good, bad, lost} {
		tab.row(r)
	}
	tab.close([]result{good, bad, lost})
	want := strings.TrimLeft(`
name                                                 ours        limit    ratio  must             ok
good                                              30.0k/s      40.0k/s     0.75  >= 0.50 x        ok
bad                                                  6 ms            -        -  <= 5 ms          no
lost                                                    -            -        -  <= 5 ms          no  it broke
2 of 3 rows fall short
`, "\n")
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Fatalf("table (-want +got):\n%s", diff)
	}
	out.Reset()
	tab.close([]result{good})
	if out.String() != "all 1 rows reach what they must\n" {
		t.Fatalf("got %q", out.String())
	}

	path := filepath.Join(t.TempDir(), "bench.json")
	if err := write(path, []result{good, lost}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "ours", "limit", "ratio", "must", "ok"} {
		for _, r := range rows {
			if _, there := r[key]; !there {
				t.Errorf("%v has no %q", r["name"], key)
			}
		}
	}
}

func TestRowsAreNamedOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, g := range groups() {
		for _, r := range g.rows {
			if seen[r.name] {
				t.Errorf("%q is there twice", r.name)
			}
			if len(r.name) > 44 {
				t.Errorf("%q does not fit the table", r.name)
			}
			seen[r.name] = true
		}
	}
	some := matching(groups(), regexp.MustCompile(`^rebuild all`))
	if len(some) != 1 || len(some[0].rows) != 1 {
		t.Fatalf("got %+v", some)
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	var out, said bytes.Buffer
	code, err := command(t.Context(), []string{"-list", "-run", "facts"}, nil, &out, &said)
	if code != 0 || err != nil || strings.Count(out.String(), "\n") != 6 {
		t.Fatalf("code %d, error %v, listed:\n%s", code, err, out.String())
	}
	if code, err := command(t.Context(), []string{"-run", "no such row"}, nil, &out, &said); code != 2 || err == nil {
		t.Fatalf("code %d, error %v", code, err)
	}
	if code, err := command(t.Context(), []string{"-run", "("}, nil, &out, &said); code != 2 || err == nil {
		t.Fatalf("code %d, error %v", code, err)
	}
}

// A group that fails makes each of its rows fall short and names the cause.
func TestFailedGroup(t *testing.T) {
	t.Parallel()
	g := group{name: "g", rows: []row{{name: "a", must: atMost(1, "ms")}, {name: "b", must: atMost(1, "ms")}}}
	results := failed(g, errors.New("no room"))
	if len(results) != 2 || shortfall(results) != 2 || results[1].Error != "no room" {
		t.Fatalf("got %+v", results)
	}
}

func TestHammer(t *testing.T) {
	t.Parallel()
	rate, err := hammer(t.Context(), 4, 20*time.Millisecond, func(context.Context, int, int) error {
		<-time.After(time.Millisecond)
		return nil
	})
	if err != nil || rate <= 0 || rate > 4_100 {
		t.Fatalf("rate %g, error %v", rate, err)
	}
	broken := errors.New("broken")
	if _, err := hammer(t.Context(), 4, time.Minute, func(_ context.Context, _, n int) error {
		if n == 3 {
			return broken
		}
		return nil
	}); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
}

// A listener counts markers wherever reads cut a message.
func TestEarCountsAcrossReads(t *testing.T) {
	t.Parallel()
	text := []byte(`[{"t":"^1234567890123456789aa"},{"t":"^1234567890123456789aa"}]`)
	for cut := range len(text) {
		e := &ear{}
		e.timing.Store(&timings{})
		e.count(text[:cut])
		e.count(text[cut:])
		if e.read.Load() != 2 || e.timing.Load().total.Load() != 2 {
			t.Fatalf("cut at %d: %d counted, %d timed", cut, e.read.Load(), e.timing.Load().total.Load())
		}
	}
}
