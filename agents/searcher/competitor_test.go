package searcher_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/agentstest"
	"sozai/agents/rehearsal"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
)

// rival is a competitor source that is done after some checks.
type rival struct {
	*shelf
	checks    int // needed
	submitted []string
	checked   int
}

func (r *rival) Name() string { return "competitor" }

func (r *rival) Submit(_ context.Context, _ source.Who, query string) (string, error) {
	r.submitted = append(r.submitted, query)
	return fmt.Sprintf("task-%d", len(r.submitted)), nil
}

func (r *rival) Check(context.Context, source.Who, string) ([]source.Candidate, bool, time.Duration, error) {
	if r.checked++; r.checked < r.checks {
		return nil, false, time.Millisecond, nil
	}
	return r.items, true, 0, nil
}

func TestCompetitor(t *testing.T) {
	t.Parallel()
	b := newBench(t, agentstest.Script(
		round(call("search_competitor", in{"query": "塔防"}), call("search_fast", in{"query": "爆炸"})),
		round(call("search_competitor", in{"query": "塔防"}), call("search_competitor", in{"query": "丧尸"})),
		round(call("search_competitor", in{"query": "末日"})),
		round(call("check_competitor", in{"task": "task-1"}), call("check_competitor", in{"task": "nobody"})),
		round(call("check_competitor", in{"task": "task-1"})),
		round(keep("m1"), call("analyze_video", in{"candidate": "competitor:m1"}), call("analyze_video", in{"candidate": "competitor:bare"})),
		round(keep("competitor:m1", "competitor:bare"), end),
	))
	r := &rival{shelf: &shelf{items: []source.Candidate{clip("competitor:m1", "竞品塔防"), {ID: "competitor:bare"}}}, checks: 2}
	b.env.Competitor = r
	f := b.run()
	if diff := cmp.Diff([]string{"塔防", "丧尸"}, r.submitted); diff != "" {
		t.Fatal(diff)
	}
	all := strings.Join(b.outcomes(), "\n")
	for _, part := range []string{"no_submissions_left", "unknown_task", "competitor_pending", `"done":true`, "not in any search result", "[video_lost]", `"skipped":[{"candidate":"competitor:bare","why":"this candidate has no video`} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is missing in:\n%s", part, all)
		}
	}
	s, ok := b.events(domain.KindLibrary)[0].(library.Saved)
	if !ok || s.Source != "competitor" || s.External != "competitor:m1" || len(f.Products) != 1 {
		t.Fatalf("saved %+v, finished %+v", s, f)
	}
}

func TestCompetitorIsGivenUpAfterEightMinutes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := newBench(t, agentstest.Script(
		round(call("search_competitor", in{"query": "塔防"})),
		agentstest.Round{Then: thenLater(&now, domain.CompetitorWait, call("check_competitor", in{"task": "task-1"}))},
		round(end),
	))
	b.env.Now = func() time.Time { return now }
	b.env.Competitor = &rival{shelf: &shelf{}, checks: 99}
	if f := b.run(); f.Reason != run.ReasonFinished || !strings.Contains(strings.Join(b.outcomes(), "\n"), "gave_up") {
		t.Fatalf("finished %+v\n%s", f, strings.Join(b.outcomes(), "\n"))
	}
}

// The rehearsal model uses the wait for one source to page through another.
func TestRehearsalWithACompetitor(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0), clip("m1", "末日塔防 爆炸"))
	r := &rival{shelf: &shelf{items: []source.Candidate{clip("competitor:m1", "竞品 塔防 爆炸")}}, checks: 1}
	b.env.Competitor = r
	b.run()
	if diff := cmp.Diff([]string{"m1", "competitor:m1"}, b.saved()); diff != "" || len(r.submitted) != 1 {
		t.Fatalf("%s submitted %v", diff, r.submitted)
	}
}
