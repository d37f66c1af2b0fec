package searcher_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/agentstest"
	"sozai/agents/effect"
	"sozai/agents/searcher"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/domain/run"
)

func page(word string) agentstest.Call { return call("search_fast", in{"query": word}) }

// remembers gives the bench a ledger that outlives its attempts.
func (b *bench) remembers() {
	b.env.Fast = searcher.Remembered{Source: b.shelf, Ledger: &effect.Memory{}}
}

// The cap on pages is the run's: what an attempt that was killed has asked for is
// used up, in the middle of it too. Asking for the same again is free, and what
// was refused does not count.
func TestPagesAreCountedOverAttempts(t *testing.T) {
	t.Parallel()
	b := newBench(t, agentstest.Script(
		round(page("词1"), page("词2"), page("词3"), page("词4"), page("refused")),
		round(page("词5"), page("词6"), page("词7")),
		round(page("the end")),
	))
	b.remembers()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	b.shelf.fail = func(q source.Query) error {
		switch q.Text {
		case "refused":
			return &source.Error{Source: "fast", Kind: source.Refused, Message: "no such words"}
		case "the end":
			kill()
			return context.Canceled
		}
		return nil
	}
	if f, err := searcher.Run(ctx, b.env, b.task); err != nil || f.Outcome != run.Cancelled {
		t.Fatalf("killed: %+v, %v", f, err)
	}
	before := len(b.shelf.asked)

	b.start()
	b.shelf.fail = nil
	script := agentstest.Script(
		round(page("词1"), page("the end")),
		round(page("新1"), page("新2"), page("新3")),
		round(page("新4")), round(page("refused")),
		round(page("词2"), page("词1")),
		round(end),
	)
	b.env.Model = script
	if f := b.run(); f.Outcome != run.Done {
		t.Fatalf("finished %+v", f)
	}
	if text := script.Requests()[0].Messages[0].Blocks[0].Text; !strings.Contains(text, `"pages":4`) {
		t.Errorf("opening %s", text)
	}
	asked := map[string]bool{}
	for _, q := range b.shelf.asked {
		asked[q.Text] = true
	}
	if before != 9 || len(b.shelf.asked) != before+7 || len(asked) != domain.FastSourcePages+1 { // the refused one too
		t.Errorf("%d pages, then %d, of %d queries", before, len(b.shelf.asked)-before, len(asked))
	}
	refused := 0
	for _, o := range b.outcomes() {
		if strings.Contains(o, "[no_pages_left]") {
			refused++
		}
	}
	if refused != 2 { // "refused", and 词1, which was read again already
		t.Errorf("%d refused:\n%s", refused, strings.Join(b.outcomes(), "\n"))
	}
}

// mortal is a competitor source at which the attempt dies, right after it took
// the first search.
type mortal struct {
	*rival
	kill context.CancelFunc
}

func (m *mortal) Submit(ctx context.Context, who source.Who, query string) (string, error) {
	if strings.HasPrefix(query, "refused") {
		return "", &source.Error{Source: "competitor", Kind: source.Refused, Message: "no such words"}
	}
	task, err := m.rival.Submit(ctx, who, query)
	if m.kill != nil {
		m.kill()
		return "", context.Canceled
	}
	return task, err
}

// So is the cap on competitor searches, whose tasks the next attempt is told.
func TestCompetitorSearchesAreCountedOverAttempts(t *testing.T) {
	t.Parallel()
	submit := func(words string) agentstest.Call { return call("search_competitor", in{"query": words}) }
	for name, c := range map[string]struct {
		first     []agentstest.Round
		dies      bool // in the middle of the first submission
		opening   string
		second    []agentstest.Round
		submitted []string
		says      []string
	}{
		"after both": {
			first:   []agentstest.Round{round(submit("refused")), round(submit("塔防")), round(submit("丧尸")), round(page("爆炸")), round(keep("bare1"))},
			opening: `"competitor_searches":[{"query":"塔防","task":"task-1"},{"query":"丧尸","task":"task-2"}]`,
			second: []agentstest.Round{
				round(submit("末日")), round(submit("塔防")), round(call("check_competitor", in{"task": "task-1"})), round(end),
			},
			submitted: []string{"塔防", "丧尸"},
			says:      []string{"[no_submissions_left]", `"task":"task-1","submissions_left":0`, `"task":"task-1","done":true`},
		},
		"in the middle of one": {
			first:   []agentstest.Round{round(submit("塔防"))},
			dies:    true,
			opening: `"competitor_searches":[{"query":"塔防"}]`,
			second: []agentstest.Round{
				round(call("check_competitor", in{"task": ""})), round(submit("丧尸")), round(submit("末日")), round(submit("塔防")), round(end),
			},
			submitted: []string{"塔防", "丧尸", "塔防"}, // the source knows the first again
			says:      []string{"[unknown_task]", `"task":"task-2","submissions_left":0`, "[no_submissions_left]", `"task":"task-3","submissions_left":0`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, agentstest.Script(c.first...), clip("bare1", "爆炸"))
			b.remembers()
			m := &mortal{rival: &rival{shelf: &shelf{}, checks: 1}}
			b.env.Competitor = m
			if c.dies {
				ctx, kill := context.WithCancel(t.Context())
				m.kill = kill
				if f, err := searcher.Run(ctx, b.env, b.task); err != nil || f.Outcome != run.Cancelled {
					t.Fatalf("killed: %+v, %v", f, err)
				}
				m.kill = nil
			} else {
				b.killed(1)
			}
			b.start()
			script := agentstest.Script(c.second...)
			b.env.Model = script
			b.run()
			if text := script.Requests()[0].Messages[0].Blocks[0].Text; !strings.Contains(text, c.opening) {
				t.Errorf("opening %s", text)
			}
			if diff := cmp.Diff(c.submitted, m.submitted); diff != "" {
				t.Error(diff)
			}
			all := strings.Join(b.outcomes(), "\n")
			for _, part := range c.says {
				if !strings.Contains(all, part) {
					t.Errorf("%q is missing in:\n%s", part, all)
				}
			}
		})
	}
}

// away is a ledger that cannot be used.
type away struct{ effect.Memory }

func (*away) Once(context.Context, effect.Call, func(context.Context) (effect.Done, error)) (effect.Done, bool, error) {
	return effect.Done{}, false, errors.New("no connection")
}

// What cannot be counted is not asked for.
func TestNothingIsSearchedUncounted(t *testing.T) {
	t.Parallel()
	b := newBench(t, agentstest.Script(round(page("爆炸"), call("search_competitor", in{"query": "塔防"})), round(end)))
	r := &rival{shelf: &shelf{}}
	b.env.Fast, b.env.Competitor = searcher.Remembered{Source: b.shelf, Ledger: &away{}}, r
	if _, err := searcher.Run(t.Context(), b.env, b.task); err != nil {
		t.Fatal(err)
	}
	if len(b.shelf.asked) != 0 || len(r.submitted) != 0 {
		t.Fatalf("asked for %v and %v", b.shelf.asked, r.submitted)
	}
	b.start()
	if f, err := searcher.Run(t.Context(), b.env, b.task); err == nil || f.Reason != run.ReasonInternal {
		t.Fatalf("a second attempt without what the first has used: %+v, %v", f, err)
	}
}
