package searcher_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/agentstest"
	"sozai/agents/rehearsal"
	"sozai/agents/source"
	"sozai/agents/source/sourcetest"
	"sozai/domain"
	"sozai/domain/run"
)

func check(task string) agentstest.Call { return call("check_competitor", in{"task": task}) }

var submit = call("search_competitor", in{"query": "末日塔防"})

// ads are competitors' videos that came analysed and have no file.
func ads(n int) []sourcetest.Video {
	list := report(n, n)
	for i := range list {
		list[i].State = sourcetest.NoFile
	}
	return list
}

// The poll interval is the bridge's, kept by the loop; the same words on the same
// day are paid once, and the later run gets the earlier task's results.
func TestCompetitorSearchOfTheDay(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	server := sourcetest.NewBridge(t, ads(2))
	server.Polls, server.Wait = 2, 0.1
	b := newBench(t, agentstest.Script(
		round(submit), round(check("tasks-1")), round(check("tasks-1")), round(check("tasks-1")),
		round(keep("competitor:7000000000000000001"), end),
	))
	b.env.Competitor = o.bridge(server)
	f := b.run()
	if out := b.outcomes(); server.CallsTo("/tasks/tasks-1") != 3 ||
		!strings.Contains(out[1], "an earlier call of check_competitor waits") || !strings.Contains(out[2], "an earlier call of check_competitor waits") {
		t.Fatalf("%d polls:\n%s", server.CallsTo("/tasks/tasks-1"), strings.Join(out, "\n"))
	}
	if counts(&server.Desk) != [2]int{4, 1} || f.Cost != 500_000 || b.stepCost(1) != f.Cost || len(f.Products) != 1 {
		t.Fatalf("%v calls and charges, finished %+v\n%s", counts(&server.Desk), f, strings.Join(b.outcomes(), "\n"))
	}

	b.newRun(run.Request{})
	b.env.Competitor = o.bridge(server)
	b.env.Model = agentstest.Script(
		round(call("search_competitor", in{"query": " 末日塔防 "})), round(check("tasks-1")), round(end),
	)
	f = b.run()
	out := b.outcomes()
	if counts(&server.Desk) != [2]int{4, 1} || f.Cost != 0 {
		t.Fatalf("%v calls and charges, finished %+v", counts(&server.Desk), f)
	}
	if last := out[len(out)-2]; !strings.Contains(last, `"new":1,"already_saved":1`) || strings.Contains(last, "7000000000000000001") {
		t.Fatalf("the earlier results: %s", last)
	}
}

func TestCompetitorThatDoesNotDeliver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil  func(s *sourcetest.Tasks)
		rounds func(o *outside) []agentstest.Round
		says   []string
		calls  int
	}{
		"given up after eight minutes, and not asked again": {
			func(s *sourcetest.Tasks) { s.Polls = -1 },
			func(o *outside) []agentstest.Round {
				return []agentstest.Round{
					round(submit), round(check("tasks-1")), o.after(domain.CompetitorWait-time.Second, check("tasks-1")),
					o.after(2*time.Second, check("tasks-1")), o.after(time.Minute, check("tasks-1")),
				}
			},
			[]string{"waited 479 s of at most 480 s", `"done":true,"gave_up":true`}, 4,
		},
		"it fails": {
			func(s *sourcetest.Tasks) { s.Polls, s.Fails = 0, "blocked" },
			func(*outside) []agentstest.Round { return []agentstest.Round{round(submit), round(check("tasks-1"))} },
			[]string{"blocked; go on with search_fast", "competitor_failed"}, 2,
		},
		"no money": {
			func(s *sourcetest.Tasks) { s.Break(sourcetest.Fault{Status: 402}) },
			func(*outside) []agentstest.Round { return []agentstest.Round{round(submit), round(submit)} },
			[]string{"the account is empty", "Use search_fast on local", "source_away"}, 1,
		},
		"away while it is polled": {
			func(s *sourcetest.Tasks) {
				s.Break(sourcetest.Fault{Times: 1})
				s.Break(sourcetest.Fault{Status: 429, RetryAfter: "100"})
			},
			func(o *outside) []agentstest.Round {
				return []agentstest.Round{round(submit), round(check("tasks-1")), o.after(9*time.Minute, check("tasks-1"))}
			},
			[]string{"cannot be asked at present", "come back in 100 s", `"gave_up":true`}, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOutside(t, false)
			server := sourcetest.NewBridge(t, ads(1))
			c.spoil(server)
			b := newBench(t, agentstest.Script(append(c.rounds(o), round(end))...))
			b.env.Competitor, b.env.Now = o.bridge(server), o.clock.Now
			f := b.run()
			all := strings.Join(b.outcomes(), "\n")
			for _, part := range c.says {
				if !strings.Contains(all, part) {
					t.Errorf("%q is missing in:\n%s", part, all)
				}
			}
			if server.Calls() != c.calls || f.Reason != run.ReasonFinished && f.Reason != run.ReasonSource {
				t.Errorf("%d calls, finished %+v\n%s", server.Calls(), f, all)
			}
		})
	}
}

// drip gives one result more at each look.
type drip struct {
	*rival
	items []source.Candidate
}

func (d *drip) Check(context.Context, source.Who, string) ([]source.Candidate, bool, time.Duration, error) {
	d.checked++
	n := min(d.checked, len(d.items))
	return d.items[:n], n == len(d.items), time.Millisecond, nil
}

// What is there is given at once, each result once, many in portions.
func TestCompetitorResultsComeInPortions(t *testing.T) {
	t.Parallel()
	one := clip("competitor:a", "塔防")
	many := []source.Candidate{}
	for i := range 15 {
		many = append(many, clip("competitor:"+string(rune('b'+i)), "塔防"))
	}
	b := newBench(t, agentstest.Script(
		round(submit), round(check("task-1")), round(check("task-1")), round(check("task-1")), round(check("task-1")), round(end),
	))
	d := &drip{rival: &rival{shelf: &shelf{}}, items: append([]source.Candidate{one, one}, many[0])}
	b.env.Competitor = d
	b.run()
	out := b.outcomes()
	for i, want := range []string{`"done":false`, "competitor_pending", `"done":true`, `"new":0`} {
		if !strings.Contains(out[i+1], want) {
			t.Errorf("look %d lacks %q: %s", i+1, want, out[i+1])
		}
	}
	if d.checked != 3 {
		t.Errorf("asked %d times", d.checked)
	}
	b = newBench(t, agentstest.Script(round(submit), round(check("task-1")), round(check("task-1")), round(end)))
	b.env.Competitor = &rival{shelf: &shelf{items: many}, checks: 1}
	b.run()
	out = b.outcomes()
	if !strings.Contains(out[1], `"done":false`) || !strings.Contains(out[1], `"new":12`) || !strings.Contains(out[2], `"new":3`) || !strings.Contains(out[2], `"more":false`) {
		t.Fatalf("portions:\n%s\n%s", out[1], out[2])
	}
}

// The rehearsal model pages on while the competitor search is on its way, looks at
// it now and then, and waits for it once the pages are dry.
func TestRehearsalUsesTheWait(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	server := sourcetest.NewBridge(t, ads(1))
	server.Polls = 3
	b := newBench(t, rehearsal.New(0), clip("m1", "末日塔防 爆炸"))
	b.env.Competitor = o.bridge(server)
	f := b.run()
	if diff := cmp.Diff([]string{"m1", "competitor:7000000000000000001"}, b.saved()); diff != "" || server.Charges() != 1 {
		t.Fatalf("%s%d charges, finished %+v", diff, server.Charges(), f)
	}
	var tools []string
	for _, o := range b.outcomes() {
		tool, _, _ := strings.Cut(o, " ")
		if tools = append(tools, tool); tool == "check_competitor" {
			break
		}
	}
	pages := len(slices.DeleteFunc(slices.Clone(tools), func(s string) bool { return s != "search_fast" }))
	if tools[0] != "search_competitor" || pages < 3 {
		t.Fatalf("before the first look: %v", tools)
	}
}
