package projections_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/projections"
)

func (b *bundle) scores(baseline int) map[int]projections.VersionScore {
	b.t.Helper()
	b.catchUp()
	out := map[int]projections.VersionScore{}
	for _, v := range must[projections.Scores](b.t)(b.store.Scores(context.Background(), key, baseline)).Versions {
		out[v.Version] = v
	}
	return out
}

func rate(t *testing.T, v projections.VersionScore, name string) projections.Rate {
	t.Helper()
	for _, r := range v.Rates {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("version %d has no rate %s", v.Version, name)
	return projections.Rate{}
}

func TestScoresAfterTheWheel(t *testing.T) {
	b := setup(t)
	wheel(b.log, key)
	got := b.scores(0)
	want := map[int]gene.Score{
		// material 2 left the board again; both reactions that stand are to materials of version 1.
		1: {Version: 1, AsOf: 62, Found: 3, Shown: 3, Ignored: 1, Adopted: 2, Likes: 1, Dislikes: 1, CostYuan: 0.0035},
		// the board and film are of version 2, so is the like of the film.
		2: {Version: 2, AsOf: 62, Found: 1, Filmed: 1, Downloaded: 1, Likes: 1, CostYuan: 0.05009},
		3: {Version: 3, AsOf: 62},
	}
	scores := map[int]gene.Score{}
	for v, line := range got {
		scores[v] = line.Score
	}
	if diff := cmp.Diff(want, scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	if !got[3].Current || got[2].Runs != 4 || got[2].Boards != 1 || got[2].Films != 1 {
		t.Errorf("version 2: %+v, version 3: %+v", got[2], got[3])
	}
	snapshot := must[gene.Score](t)(b.store.Snapshot(context.Background(), key, 1))
	if diff := cmp.Diff(want[1], snapshot); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
}

// exposures makes a version with so many materials shown and adopted.
func exposures(b *bundle, version, searchRun, first, shown, adopted int) {
	r := id("run", searchRun)
	b.log.Add(key, domain.User(lin), gene.Minted{Version: version, BaseVersion: version - 1, Origin: gene.OriginEdit})
	b.log.Add(key, domain.Worker("w"), run.Requested{Run: r, Work: run.Search, Trigger: run.Hand}, run.Started{Run: r, Attempt: 1, GeneVersion: version})
	var looks []behavior.Observation
	var panels []library.Panel
	for n := first; n < first+shown; n++ {
		b.log.Add(key, domain.Worker("w"), saved(n, searchRun, 1, version))
		looks = append(looks, behavior.Observation{ID: id("obs", n), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: id("mat", n)}})
		if n < first+adopted {
			panels = append(panels, library.Panel{Number: len(panels) + 1, Material: id("mat", n)})
		}
	}
	b.log.Add(key, domain.User(lin), behavior.Observed{Beacon: id("beacon", version), Observations: looks})
	b.log.Add(key, domain.Worker("w"), library.BoardCreated{Board: id("board", version), Run: r, Attempt: 1, GeneVersion: version, Panels: panels})
}

// T19: V7 has 9 exposures and 3 adoptions against V6's 400 and 80; some old runs
// lack a version.
func TestTooFewExposuresGetNoVerdict(t *testing.T) {
	b := setup(t)
	b.log.Add(key, domain.Worker("w"),
		run.Requested{Run: id("run", 1), Work: run.Search, Trigger: run.First},
		run.Started{Run: id("run", 1), Attempt: 1}, saved(9001, 1, 1, 0), saved(9002, 1, 1, 0),
		run.Finished{Run: id("run", 1), Attempt: 1, Outcome: run.Done, Cost: 5})
	exposures(b, 6, 6, 1, 400, 80)
	exposures(b, 7, 7, 1000, 9, 3)
	got := b.scores(0)
	seven := rate(t, got[7], projections.RateAdopted)
	if seven.Verdict != projections.NotEnough || seven.N != 3 || seven.Of != 9 {
		t.Errorf("V7 adopted: %+v, want 3 of 9 and not_enough", seven)
	}
	if seven.Low < 0.12 || seven.Low > 0.13 || seven.High < 0.64 || seven.High > 0.66 {
		t.Errorf("V7's interval is %.3f to %.3f, want 0.121 to 0.646", seven.Low, seven.High)
	}
	if six := rate(t, got[6], projections.RateAdopted); six.N != 80 || six.Of != 400 || six.Verdict != "" {
		t.Errorf("V6, the baseline: %+v, want 80 of 400 and no verdict", six)
	}
	zero := got[0]
	if zero.Found != 2 || zero.CostYuan == 0 || rate(t, zero, projections.RateAdopted).Verdict != "" {
		t.Errorf("what no version answers for: %+v, want a line of its own that is not compared", zero)
	}
	for metric, n := range map[string]int{"shown": 9, "adopted": 3, "found": 9, "boards": 1, "runs": 1, "likes": 0} {
		rows := must[[]domain.Ref](t)(b.store.ScoreRows(context.Background(), key, 7, metric))
		if len(rows) != n {
			t.Errorf("%s of V7: %d rows behind the number, want %d", metric, len(rows), n)
		}
	}
	exposures(b, 8, 8, 2000, 40, 20)
	got = b.scores(6)
	if eight := rate(t, got[8], projections.RateAdopted); eight.Verdict != projections.Better {
		t.Errorf("V8, 20 of 40 against 80 of 400: %+v, want better", eight)
	}
	if _, err := b.store.Scores(context.Background(), key, 99); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("baseline 99: %v, want not_found", err)
	}
}

func TestLateEventsCountForTheVersionThatFoundIt(t *testing.T) {
	b := setup(t)
	exposures(b, 1, 1, 1, 1, 0)
	exposures(b, 2, 2, 2, 1, 0)
	b.log.Add(key, domain.User(lin),
		// The browser says version 2; the material was found by version 1.
		behavior.Observed{Beacon: id("beacon", 9), Observations: []behavior.Observation{
			{ID: id("obs", 99), Type: behavior.Ignored, GeneVersion: 2, Object: domain.Ref{Type: domain.Material, ID: id("mat", 1)}},
		}},
		feedback.Given{Feedback: id("fb", 1), Object: domain.Ref{Type: domain.Material, ID: id("mat", 1)}, Verdict: feedback.Like},
		feedback.Given{Feedback: id("fb", 2), Object: domain.Ref{Type: domain.Whole}, Verdict: feedback.Like})
	b.log.Add(key, domain.Worker("w"),
		run.Requested{Run: id("run", 3), Work: run.Film, Trigger: run.Hand}, run.Started{Run: id("run", 3), Attempt: 1, GeneVersion: 2},
		library.FilmRendered{Film: id("film", 1), Board: id("board", 1), Run: id("run", 3), Attempt: 1, GeneVersion: 2})
	got := b.scores(0)
	if one := got[1]; one.Ignored != 1 || one.Likes != 1 || one.Filmed != 0 {
		t.Errorf("version 1: %+v, want the late pass and like, not the film", one)
	}
	if two := got[2]; two.Ignored != 0 || two.Likes != 0 || two.Filmed != 1 {
		t.Errorf("version 2: %+v, want the film", two)
	}
	if filmed := rate(t, got[2], projections.RateFilmed); filmed.N != 1 || filmed.Of != 2 {
		t.Errorf("filmed: %+v, want version 1's board in the denominator as well", filmed)
	}
}

// The values are those of the papers' own examples: Newcombe 1998, table II, rows
// (a) 56/70 − 48/80 and (g) 10/10 − 0/10, method 10.
func TestIntervalsMatchThePapers(t *testing.T) {
	t.Parallel()
	near := func(got, want float64) bool { return math.Abs(got-want) < 0.00006 }
	if low, high := projections.Difference(56, 70, 48, 80); !near(low, 0.0524) || !near(high, 0.3339) {
		t.Errorf("56/70 − 48/80: %.4f to %.4f, want 0.0524 to 0.3339", low, high)
	}
	if low, high := projections.Difference(10, 10, 0, 10); !near(low, 0.6075) || !near(high, 1) {
		t.Errorf("10/10 − 0/10: %.4f to %.4f, want 0.6075 to 1.0000", low, high)
	}
	if low, high := projections.Wilson(81, 263); !near(low, 0.2553) || !near(high, 0.3662) {
		t.Errorf("81/263: %.4f to %.4f, want 0.2553 to 0.3662", low, high)
	}
}

func TestIntervalLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		low, high := projections.Wilson(k, n)
		p := float64(k) / float64(n)
		if low < 0 || high > 1 || low > p+1e-12 || high < p-1e-12 {
			t.Fatalf("%d/%d: %.4f to %.4f does not hold the rate", k, n, low, high)
		}
		m := rapid.IntRange(1, 5000).Draw(t, "m")
		j := rapid.IntRange(0, m).Draw(t, "j")
		a, b := projections.Difference(k, n, j, m)
		c, d := projections.Difference(j, m, k, n)
		if math.Abs(a+d) > 1e-9 || math.Abs(b+c) > 1e-9 {
			t.Fatalf("the difference is not symmetric: %.4f to %.4f, %.4f to %.4f", a, b, c, d)
		}
	})
}
