package searcher_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/rehearsal"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
)

// mixed is a shelf in several languages, a third of which belongs.
func mixed() []source.Candidate {
	return []source.Candidate{
		clip("m01", "末日塔防：一炮清场", "塔防", "爆炸"),
		clip("m02", "Zombie horde vs one tower", "zombie", "towerdefense"),
		clip("m03", "Oddly satisfying explosion compilation", "explosion"),
		clip("m04", "真人口播讲塔防", "塔防"),
		clip("m05", "Powder room make over.", "diy"),
		clip("m06", "Neymar #11 футбол", "football"),
		clip("m07", "僵尸围城", "丧尸"),
		clip("bare08", "废土求生实录", "末日"),
		clip("broken09", "爆炸现场", "爆炸"),
		clip("m10", "超火舞蹈教学", "舞蹈"),
		clip("m11", "5 things about living in The Netherlands"),
		clip("high12", "The biggest blast in this game", "game", "boom"),
	}
}

func TestRehearsalFindsWhatFits(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0), mixed()...)
	f := b.run()
	want := []string{"bare08", "high12", "m01", "m02", "m03", "m07"}
	if diff := cmp.Diff(want, sorted(b.saved())); diff != "" {
		t.Fatal(diff)
	}
	if f.Outcome != run.Done || f.Reason != run.ReasonFinished || len(f.Products) != 6 || !strings.Contains(f.Summary, "页数用完") {
		t.Fatalf("finished %+v", f)
	}
	for _, e := range b.events(domain.KindLibrary) {
		if s, ok := e.(library.Saved); ok && !strings.HasPrefix(s.Why, "对上：") {
			t.Errorf("%s was kept because %q", s.External, s.Why)
		}
	}
	if n := len(b.shelf.asked); n > domain.FastSourcePages {
		t.Errorf("%d pages", n)
	}
	if f.Usage.Billed() > domain.MaxBilledTokens/2 || f.Cost != 0 {
		t.Errorf("it used %.0f tokens and ¥%.2f", f.Usage.Billed(), f.Cost.Yuan())
	}
}

// The order's own words come first and weigh more than the gene's.
func TestRehearsalFollowsTheOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, append(mixed(), clip("m20", "雨夜霓虹城", "霓虹"))...)
	b.newRun(run.Request{What: "雨夜霓虹", Target: 1})
	b.env.Model = rehearsal.New(0)
	b.run()
	if diff := cmp.Diff([]string{"m20"}, b.saved()); diff != "" {
		t.Fatal(diff)
	}
}

func TestRehearsalPagesUntilTheTarget(t *testing.T) {
	t.Parallel()
	var items []source.Candidate
	for i := range 60 {
		items = append(items, clip(fmt.Sprintf("m%02d", i), fmt.Sprintf("塔防爆炸 第 %d 集", i), "爆炸"))
	}
	b := newBench(t, nil, items...)
	b.newRun(run.Request{Target: 30})
	b.env.Model = rehearsal.New(0)
	f := b.run()
	if len(f.Products) != 30 || f.Reason != run.ReasonFinished || len(b.saved()) != 30 {
		t.Fatalf("%d products, ended by %s: %s", len(f.Products), f.Reason, f.Summary)
	}
	if len(b.shelf.analysed) != 30 {
		t.Errorf("%d analyses for 30 materials", len(b.shelf.analysed))
	}
	before := append([]string{}, b.saved()...)
	b.newRun(run.Request{Target: 30})
	if f = b.run(); len(f.Products) != 30 {
		t.Fatalf("the next run found %d: %s", len(f.Products), f.Summary)
	}
	if len(b.saved()) != 60 || len(before) != 30 {
		t.Fatalf("%d materials after two runs", len(b.saved()))
	}
}

func TestRehearsalInEnglish(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, mixed()...)
	b.task.Gene.Search = "Zombie tower defence with explosions.\nAvoid dance and football."
	b.task.Name, b.task.Brief = "Last Tower", "user acquisition"
	b.env.Model = rehearsal.New(0)
	f := b.run()
	if !strings.HasPrefix(f.Summary, "6 materials found.") {
		t.Fatalf("summary %q, saved %v", f.Summary, b.saved())
	}
}

// Told that a cap is near, the model keeps what is ready and ends by itself.
func TestRehearsalEndsInTime(t *testing.T) {
	t.Parallel()
	var items []source.Candidate
	for i := range 40 {
		items = append(items, clip(fmt.Sprintf("m%02d", i), "塔防爆炸", "爆炸"))
	}
	b := newBench(t, nil, items...)
	b.newRun(run.Request{Target: 30})
	b.env.Model, b.env.Caps = rehearsal.New(0), agents.Caps{Rounds: 6}
	f := b.run()
	if f.Reason != run.ReasonFinished || len(f.Products) == 0 || len(f.Products) == 30 || !strings.Contains(f.Summary, "将尽") {
		t.Fatalf("%d products, ended by %s: %s", len(f.Products), f.Reason, f.Summary)
	}
}

// A platform that asks for a pause is left and tried again when the others are
// dry; one that fails for good is left alone.
func TestRehearsalComesBackToAPlatform(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failures int
		saved    []string
	}{
		"once":     {1, []string{"m1", "m2"}},
		"for ever": {99, []string{"m1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, rehearsal.New(0), clip("m1", "末日塔防 爆炸"))
			b.shelf.platforms = []string{"local", "douyin"}
			failed := 0
			b.shelf.fail = func(q source.Query) error {
				if q.Platform != "douyin" {
					return nil
				}
				if failed++; failed <= c.failures {
					return &source.Error{Source: "douyin", Kind: source.Throttled, Message: "later", RetryAfter: 20 * time.Millisecond}
				}
				b.shelf.items = append(b.shelf.items[:1], clip("m2", "塔防 丧尸"))
				return nil
			}
			f := b.run()
			if diff := cmp.Diff(c.saved, sorted(b.saved())); diff != "" || f.Outcome != run.Done {
				t.Fatalf("%s finished %+v", diff, f)
			}
			if failed > 8 || c.failures > 3 && failed != 3 {
				t.Errorf("the platform was asked %d times", failed)
			}
		})
	}
}
