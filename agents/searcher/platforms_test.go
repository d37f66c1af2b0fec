package searcher_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/rehearsal"
	"sozai/agents/source/sourcetest"
	"sozai/domain"
	"sozai/domain/run"
)

func search(query, platform string, page int) agentstest.Call {
	return call("search_fast", in{"query": query, "platform": platform, "page": page})
}

// after moves the clock before the model answers.
func (o *outside) after(d time.Duration, calls ...agentstest.Call) agentstest.Round {
	return agentstest.Round{Then: func(agents.Request) agentstest.Round {
		o.clock.add(d)
		return round(calls...)
	}}
}

func platformsOf(n int, title string) map[string][]sourcetest.Video {
	out := map[string][]sourcetest.Video{}
	for i, p := range []string{"tiktok", "instagram", "douyin"} {
		out[p] = sourcetest.Videos(n, title)
		for j := range out[p] {
			out[p][j].ID = string(rune('1'+i)) + out[p][j].ID
		}
	}
	return out
}

// T11 at the contract server: 429 with Retry-After: 30 for ever.
func TestThrottledForEver(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	server := sourcetest.NewTikHub(t, platformsOf(3, "tower"))
	server.Break(sourcetest.Fault{Status: 429, RetryAfter: "30"})
	b := newBench(t, agentstest.Script(
		round(call("search_fast", in{"query": "tower"})),
		o.after(31*time.Second, call("search_fast", in{"query": "tower"})),
		o.after(31*time.Second, call("search_fast", in{"query": "blast"})),
		o.after(31*time.Second, call("search_fast", in{"query": "tower"})),
		o.after(31*time.Second, call("search_fast", in{"query": "tower"})),
		o.after(31*time.Second, call("search_fast", in{"query": "tower"})),
		o.after(31*time.Second, call("search_fast", in{"query": "tower"})),
		round(end),
	))
	b.env.Fast, b.env.Now = o.tikhub(server, "tiktok"), o.clock.Now
	f := b.run()
	if counts(&server.Desk) != [2]int{3, 0} || f.Outcome != run.Failed || f.Reason != run.ReasonSource || f.Cost != 0 {
		t.Fatalf("%v calls and charges, finished %+v", counts(&server.Desk), f)
	}
	all := strings.Join(b.outcomes(), "\n")
	for _, part := range []string{"source_paused", "come back in 30 s", "failed 3 times", "source_away", "search_fast is closed"} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is missing in:\n%s", part, all)
		}
	}
	if !strings.Contains(f.Summary, "这次用不了：tiktok") {
		t.Errorf("summary %q", f.Summary)
	}
}

// A platform that is away is told once with what else there is, and not asked
// again; the others go on, and the tool is not held.
func TestAPlatformThatIsAwayDoesNotHoldTheOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault sourcetest.Fault
		says  string
	}{
		"throttled": {sourcetest.Fault{Status: 429, RetryAfter: "600", Times: 1}, "source_paused"},
		"no money":  {sourcetest.Fault{Status: 402, Times: 1}, "the account is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOutside(t, false)
			server := sourcetest.NewTikHub(t, platformsOf(3, "tower"))
			server.Break(c.fault)
			b := newBench(t, agentstest.Script(
				round(search("tower", "tiktok", 1)), round(search("tower", "tiktok", 1)), round(search("tower", "douyin", 1)),
				round(search("tower", "mars", 1)), round(end),
			))
			b.env.Fast, b.env.Now = o.tikhub(server, "tiktok", "douyin"), o.clock.Now
			f := b.run()
			out := b.outcomes()
			if counts(&server.Desk) != [2]int{2, 1} || f.Outcome != run.Done || f.Cost != price {
				t.Fatalf("%v calls and charges, finished %+v", counts(&server.Desk), f)
			}
			for i, want := range [][]string{{c.says, "Use search_fast on douyin"}, {"source_", "Use search_fast on douyin"}, {`"new":3`}, {"no_such_platform", "tiktok, douyin"}} {
				for _, part := range want {
					if !strings.Contains(out[i], part) {
						t.Errorf("call %d lacks %q: %s", i, part, out[i])
					}
				}
			}
		})
	}
}

// T11: the same empty page for ever, and pages that never end: each is charged,
// none is asked for twice, and the run ends by itself.
func TestPagesThatGiveNothing(t *testing.T) {
	t.Parallel()
	for odd, most := range map[sourcetest.Odd]int{
		sourcetest.Empty: 9, sourcetest.Inner: 9, sourcetest.Garbage: 9, sourcetest.Still: 9, sourcetest.Loop: 12,
	} {
		t.Run(string(odd), func(t *testing.T) {
			t.Parallel()
			o := newOutside(t, false)
			videos := platformsOf(30, "zombie explosion")
			for _, list := range videos {
				for i := range list {
					list[i].State = sourcetest.NoFile // found, and cannot be kept
				}
			}
			server := sourcetest.NewTikHub(t, videos)
			server.Break(sourcetest.Fault{Odd: odd})
			b := newBench(t, rehearsal.New(0))
			b.task.Gene.Search = "Zombie tower defence with explosions. Avoid football."
			b.env.Fast, b.env.Now = o.tikhub(server), o.clock.Now
			f := b.run()
			if n := server.Charges(); n == 0 || n > most || server.Calls() != n || f.Cost != price*domain.Money(n) || server.Cats() != 0 {
				t.Fatalf("%d calls, %d charges, at most %d wanted; finished %+v", server.Calls(), n, most, f)
			}
			if (f.Reason != run.ReasonFinished && f.Reason != run.ReasonSource) || len(f.Products) != 0 || f.Summary == "" {
				t.Fatalf("finished %+v", f)
			}
			asked := map[string]bool{}
			for _, o := range b.outcomes() {
				if page, ok := strings.CutPrefix(o, "search_fast ok "); ok {
					if head, _, _ := strings.Cut(page, `"pages_left"`); asked[head] {
						t.Errorf("asked twice: %s", head)
					} else {
						asked[head] = true
					}
				}
			}
		})
	}
}

// A paid call that was broken off may have been charged: it is told as such and
// never repeated, in this attempt or another.
func TestUnknownCharge(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	server := sourcetest.NewTikHub(t, platformsOf(3, "tower"))
	server.Break(sourcetest.Fault{Odd: sourcetest.Cut, Times: 1})
	b := newBench(t, agentstest.Script(
		round(search("tower", "tiktok", 1)), round(search("tower", "tiktok", 1)), round(search("tower defense", "tiktok", 1)), round(end),
	))
	b.env.Fast, b.env.Now = o.tikhub(server, "tiktok", "douyin"), o.clock.Now
	b.run()
	out := b.outcomes()
	if !strings.Contains(out[0], "not known") || !strings.Contains(out[1], "effect_unknown") || !strings.Contains(out[2], `"new":3`) ||
		counts(&server.Desk) != [2]int{2, 2} {
		t.Fatalf("%v calls and charges:\n%s", counts(&server.Desk), strings.Join(out, "\n"))
	}
}

// What sources charge counts against the run's cap, and is in the run's cost and
// in its rounds.
func TestSourceCostsCount(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	server := sourcetest.NewTikHub(t, platformsOf(60, "tower"))
	rounds := []agentstest.Round{}
	for i := range 6 {
		rounds = append(rounds, agentstest.Round{Cost: 100, Calls: []agentstest.Call{search("tower", "tiktok", i+1)}})
	}
	b := newBench(t, agentstest.Script(append(rounds, agentstest.Round{Cost: 100, Calls: []agentstest.Call{end}})...))
	b.env.Fast, b.env.Now = o.tikhub(server, "tiktok", "douyin"), o.clock.Now
	b.env.Caps = agents.Caps{Cost: 2*price + 150}
	f := b.run()
	if server.Charges() != 2 || f.Cost < 2*price || b.stepCost(1) != f.Cost {
		t.Fatalf("%d charges, cost %d, rounds %d; finished %+v", server.Charges(), f.Cost, b.stepCost(1), f)
	}
	if all := strings.Join(b.outcomes(), "\n"); f.Reason != run.ReasonCost && !strings.Contains(all, "cost_limit") {
		t.Fatalf("finished %+v:\n%s", f, all)
	}
}

// The schema offers what is configured, in a stable order.
func TestOnlyConfiguredPlatformsAreOffered(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	server := sourcetest.NewTikHub(t, nil)
	var schemas []string
	for range 2 {
		script := agentstest.Script(round(end))
		b := newBench(t, script)
		b.env.Fast = o.tikhub(server, "instagram", "tiktok")
		b.run()
		i := slices.IndexFunc(script.Requests()[0].Tools, func(t agents.ToolSpec) bool { return t.Name == "search_fast" })
		schemas = append(schemas, string(script.Requests()[0].Tools[i].Schema))
	}
	if !strings.Contains(schemas[0], `"enum":["instagram","tiktok"]`) || schemas[0] != schemas[1] {
		t.Fatal(cmp.Diff(schemas[0], schemas[1]), schemas[0])
	}
}

// The longest page of a platform fits its tokens with every candidate.
func TestALongPageFits(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	server := sourcetest.NewTikHub(t, platformsOf(20, strings.Repeat("爆炸塔防", 30)))
	longest := 0
	b := newBench(t, agentstest.Script(round(search(strings.Repeat("爆炸塔防", 30), "tiktok", 1)), agentstest.Round{Then: func(r agents.Request) agentstest.Round {
		text := r.Messages[2].Blocks[0].Text
		if longest = agents.EstimateTokens(text); strings.Count(text, `"candidate"`) != 20 {
			t.Errorf("candidates are missing:\n%s", text)
		}
		return round(end)
	}}))
	b.env.Fast = o.tikhub(server, "tiktok")
	b.run()
	if longest == 0 || longest > domain.MaxPageTokens {
		t.Fatalf("%d tokens", longest)
	}
}

func TestTheAgentsSourcesDecide(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	bridge := o.bridge(sourcetest.NewBridge(t, nil))
	for name, c := range map[string]struct {
		sources []string
		named   string
		offered bool
	}{
		"all that are configured": {nil, "", true},
		"fast only":               {[]string{"fast"}, "", false},
		"both":                    {[]string{"fast", "competitor"}, "", true},
		"named for this run":      {[]string{"fast"}, "competitor", true},
		"the agent's only source": {[]string{"competitor"}, "", true},
	} {
		script := agentstest.Script(round(end))
		b := newBench(t, script)
		b.newRun(run.Request{Source: c.named})
		b.task.Sources, b.env.Competitor = c.sources, bridge
		b.run()
		if got := slices.Contains(toolNames(script.Requests()[0]), "search_competitor"); got != c.offered {
			t.Errorf("%s: offered %t", name, got)
		}
	}
	b := newBench(t, rehearsal.New(0))
	b.task.Sources = []string{"hot", "fast"}
	if f := b.run(); f.Reason == run.ReasonInput {
		t.Errorf("an agent with a fast source searches there: %+v", f)
	}
}
