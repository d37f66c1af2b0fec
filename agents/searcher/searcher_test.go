package searcher_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/prompts"
	"sozai/agents/rehearsal"
	"sozai/agents/searcher"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

type in = map[string]any

func call(tool string, input any) agentstest.Call { return agentstest.Call{Tool: tool, Input: input} }

func round(calls ...agentstest.Call) agentstest.Round { return agentstest.Round{Calls: calls} }

func keep(ids ...string) agentstest.Call {
	var items []in
	for _, id := range ids {
		items = append(items, in{"candidate": id, "why": "对上：爆炸"})
	}
	return call("save_materials", in{"items": items})
}

func analyse(ids ...string) []agentstest.Call {
	var out []agentstest.Call
	for _, id := range ids {
		out = append(out, call("analyze_video", in{"candidate": id}))
	}
	return out
}

var end = call("finish", in{"found": 99, "reason": "够了"})

func TestFindsAnalysesSavesAndFinishes(t *testing.T) {
	t.Parallel()
	b := newBench(t, agentstest.Script(
		agentstest.Round{Text: "先查爆炸。", Calls: []agentstest.Call{call("search_fast", in{"query": "爆炸"})}},
		round(analyse("high1", "m2")...),
		round(keep("high1", "m2", "bare3"), end),
	), clip("high1", "末日塔防大爆炸", "爆炸"), clip("m2", "爆炸集锦"), clip("bare3", "爆炸 无文件"))
	f := b.run()
	if diff := cmp.Diff([]string{"high1", "m2", "bare3"}, b.saved()); diff != "" {
		t.Fatal(diff)
	}
	if f.Outcome != run.Done || f.Reason != run.ReasonFinished || len(f.Products) != 3 || f.Summary != "找到 3 条创意源。够了" {
		t.Fatalf("finished %+v", f)
	}
	analysed := map[domain.ID]library.Rating{}
	for _, e := range b.events(domain.KindLibrary) {
		switch e := e.(type) {
		case library.Saved:
			if e.Run != b.task.Run || e.Attempt != 1 || e.GeneVersion != 1 || e.Source != "fast" || e.Why == "" ||
				e.Material != searcher.MaterialID(b.key, "fast", e.External) {
				t.Errorf("saved %+v", e)
			}
		case library.Analyzed:
			analysed[e.Material] = e.Digest.Highlight
		}
	}
	want := map[domain.ID]library.Rating{
		searcher.MaterialID(b.key, "fast", "high1"): library.High, searcher.MaterialID(b.key, "fast", "m2"): library.Medium,
	}
	if diff := cmp.Diff(want, analysed); diff != "" {
		t.Fatal(diff)
	}
	var why []string
	for _, e := range b.events(domain.KindStep) {
		if r, ok := e.(step.Recorded); ok && r.Round == 1 {
			why = append(why, r.Why, r.Prompt)
		}
	}
	if len(why) != 2 || why[0] != "先查爆炸。" || !strings.HasPrefix(why[1], "searcher@") {
		t.Fatalf("the transcript keeps the reasons: %q", why)
	}
}

func TestACandidateIsAnalysedBeforeItIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t, agentstest.Script(
		round(call("search_fast", in{"query": "爆炸"})),
		round(keep("m1", "never-seen", "m1")),
		round(analyse("m1", "bare2", "broken3", "ghost")...),
		round(keep("m1", "broken3"), call("save_materials", in{"items": []in{{"candidate": "bare2", "why": " "}}})),
		round(end),
	), clip("m1", "爆炸"), clip("bare2", "爆炸"), clip("broken3", "爆炸"))
	b.run()
	if diff := cmp.Diff([]string{"m1"}, b.saved()); diff != "" {
		t.Fatal(diff)
	}
	all := strings.Join(b.outcomes(), "\n")
	for _, part := range []string{
		"not analysed yet", "unknown_candidate", "no_media", "the file has no video", "why is empty",
	} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is missing in:\n%s", part, all)
		}
	}
	if diff := cmp.Diff([]string{"broken3", "m1"}, sorted(b.shelf.analysed)); diff != "" {
		t.Fatal(diff)
	}
}

func sorted(in []string) []string {
	out := slices.Clone(in)
	slices.Sort(out)
	return out
}

func TestWhatIsSavedIsSkippedAndMarked(t *testing.T) {
	t.Parallel()
	play := func() agents.Model {
		return agentstest.Script(
			round(call("search_fast", in{"query": "爆炸"})),
			round(analyse("m1", "m2")...),
			round(keep("m1", "m2"), end),
		)
	}
	b := newBench(t, play(), clip("m1", "爆炸"), clip("m2", "爆炸"))
	b.run()
	b.newRun(run.Request{})
	b.env.Model = play()
	f := b.run()
	if diff := cmp.Diff([]string{"m1", "m2"}, b.saved()); diff != "" {
		t.Fatal(diff)
	}
	if len(f.Products) != 0 || !strings.Contains(f.Summary, "0 条") {
		t.Fatalf("finished %+v", f)
	}
	all := strings.Join(b.outcomes(), "\n")
	if !strings.Contains(all, "already_saved") || !strings.Contains(all, "already saved") {
		t.Fatalf("neither marked nor skipped:\n%s", all)
	}
}

// Two runs at the same time find the same video: each may write it, but it is
// the same material.
func TestAVideoIsOneMaterial(t *testing.T) {
	t.Parallel()
	key := domain.Key{Product: "test", Agent: "01J9ZZZZZZ00000000000000AB"}
	id := searcher.MaterialID(key, "fast", "01J9ZZZZZZ00000000000000CD")
	if _, err := domain.ParseID(string(id)); err != nil || id != searcher.MaterialID(key, "fast", "01J9ZZZZZZ00000000000000CD") {
		t.Fatalf("id %s: %v", id, err)
	}
	if !strings.HasPrefix(string(id), "01J9ZZZZZZ") {
		t.Errorf("the time of the external id is lost: %s", id)
	}
	other := key
	other.Agent = "01J9ZZZZZZ00000000000000AC"
	for _, o := range []domain.ID{
		searcher.MaterialID(other, "fast", "01J9ZZZZZZ00000000000000CD"), searcher.MaterialID(key, "hot", "01J9ZZZZZZ00000000000000CD"),
		searcher.MaterialID(key, "fast", "tt-1"),
	} {
		if o == id {
			t.Errorf("another agent, source or video got the same id %s", o)
		}
	}
}

func TestTheTargetIsACeiling(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, clip("bare1", "爆炸"), clip("bare2", "爆炸"), clip("bare3", "爆炸"))
	b.newRun(run.Request{Target: 2})
	b.env.Model = agentstest.Script(round(call("search_fast", in{"query": "爆炸"})), round(keep("bare1", "bare2", "bare3"), end))
	if f := b.run(); len(f.Products) != 2 || !strings.Contains(strings.Join(b.outcomes(), "\n"), "the target of 2 is met") {
		t.Fatalf("finished %+v", f)
	}
}

func TestTwelvePagesAndNoMore(t *testing.T) {
	t.Parallel()
	var rounds []agentstest.Round
	for i := range domain.FastSourcePages + 1 {
		rounds = append(rounds, round(call("search_fast", in{"query": fmt.Sprintf("词%d", i)})))
	}
	b := newBench(t, agentstest.Script(append(rounds, round(end))...))
	f := b.run()
	if len(b.shelf.asked) != domain.FastSourcePages {
		t.Fatalf("%d pages were asked for", len(b.shelf.asked))
	}
	out := b.outcomes()
	if last := out[len(out)-2]; !strings.Contains(last, "error") || !strings.Contains(last, "no_pages_left") {
		t.Fatalf("the page beyond: %s", last)
	}
	if f.Outcome != run.Done || len(f.Products) != 0 {
		t.Fatalf("finished %+v", f)
	}
}

func TestAPageFitsItsTokens(t *testing.T) {
	t.Parallel()
	var items []source.Candidate
	for i := range perPage {
		c := clip(fmt.Sprintf("01J9ZZZZZZ00000000000000%02d", i), strings.Repeat("爆炸长标题", 60), "爆炸", strings.Repeat("标签", 40), "c", "d")
		c.Author = strings.Repeat("作者", 50)
		items = append(items, c)
	}
	var longest int
	model := agentstest.Script(round(call("search_fast", in{"query": "爆炸"})), agentstest.Round{Then: func(r agents.Request) agentstest.Round {
		text := r.Messages[2].Blocks[0].Text
		longest = agents.EstimateTokens(text)
		if strings.Count(text, `"candidate"`) != perPage {
			t.Errorf("candidates were dropped:\n%s", text)
		}
		return round(end)
	}})
	newBench(t, model, items...).run()
	if longest == 0 || longest > domain.MaxPageTokens {
		t.Fatalf("a page takes %d tokens, at most %d are allowed", longest, domain.MaxPageTokens)
	}
}

// T11: the source answers 429 with Retry-After, or the same empty page, for ever.
func TestSourceThatGivesNothing(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"scripted", "rehearsal"} {
		t.Run("429 for ever, "+model, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, rehearsal.New(0))
			if model == "scripted" {
				b.env.Model = agentstest.Script(
					round(call("search_fast", in{"query": "爆炸"})), round(call("search_fast", in{"query": "爆炸"})),
					round(call("search_fast", in{"query": "爆炸"})), round(call("search_fast", in{"query": "爆炸"})), round(end),
				)
			}
			b.shelf.fail = func(source.Query) error {
				return &source.Error{Source: "fast", Kind: source.Throttled, Message: "429", RetryAfter: 30 * time.Millisecond}
			}
			began := time.Now()
			f := b.run()
			if n := len(b.shelf.asked); n != 3 {
				t.Errorf("the source was asked %d times, want 3 and then no more", n)
			}
			if waited := time.Since(began); waited < 60*time.Millisecond {
				t.Errorf("it did not wait as told: %s", waited)
			}
			if f.Outcome != run.Failed || f.Reason != run.ReasonSource || f.Summary == "" {
				t.Errorf("finished %+v", f)
			}
		})
	}
	t.Run("empty pages for ever", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, rehearsal.New(0))
		b.shelf.empty = true
		f := b.run()
		if n := len(b.shelf.asked); n == 0 || n > domain.FastSourcePages {
			t.Errorf("the source was asked %d times", n)
		}
		seen := map[string]bool{}
		for _, q := range b.shelf.asked {
			k := fmt.Sprintf("%s/%d", q.Text, q.Page)
			if seen[k] {
				t.Errorf("asked twice for %s", k)
			}
			seen[k] = true
		}
		if f.Outcome != run.Done || f.Reason != run.ReasonFinished || !strings.Contains(f.Summary, "0 条") {
			t.Errorf("finished %+v", f)
		}
	})
}

// T17: the worker dies after it saved 3 of 7; another takes over; the first
// comes back and tries to write.
func TestTakeoverSavesNothingTwice(t *testing.T) {
	t.Parallel()
	var items []source.Candidate
	for i := range 7 {
		items = append(items, clip(fmt.Sprintf("m%d", i+1), "末日塔防 爆炸"))
	}
	b := newBench(t, nil, items...)
	b.newRun(run.Request{Target: 7})
	first := b.task
	dead, kill := context.WithCancel(t.Context())
	model := agentstest.Script(
		round(call("search_fast", in{"query": "爆炸"})),
		round(analyse("m1", "m2", "m3", "m4")...),
		round(keep("m1", "m2", "m3")),
		agentstest.Round{Text: "再", Hang: true},
	)
	gone := make(chan run.Finished, 1)
	env := b.env
	env.Model = model
	go func() {
		f, err := searcher.Run(dead, env, first)
		if err != nil {
			t.Error(err)
		}
		gone <- f
	}()
	wait(t, func() bool { return len(b.saved()) == 3 })
	kill()
	if f := <-gone; f.Outcome != run.Cancelled || len(f.Products) != 3 {
		t.Fatalf("the first attempt ended %+v", f)
	}

	b.start()
	b.env.Model = rehearsal.New(0)
	f := b.run()
	if diff := cmp.Diff([]string{"m1", "m2", "m3", "m4", "m5", "m6", "m7"}, sorted(b.saved())); diff != "" {
		t.Fatal(diff)
	}
	if len(f.Products) != 7 || f.Attempt != 2 || f.Outcome != run.Done {
		t.Fatalf("the second attempt ended %+v", f)
	}

	// The stale worker wakes up: nothing of it reaches the log any more.
	before := len(b.events(domain.KindLibrary)) + len(b.events(domain.KindStep))
	b.shelf.items = append(b.shelf.items, clip("bare8", "爆炸"))
	env.Model = agentstest.Script(round(call("search_fast", in{"query": "爆炸"})), round(keep("bare8")), round(end))
	if _, err := searcher.Run(t.Context(), env, first); err == nil {
		t.Fatal("a stale attempt played on")
	}
	if after := len(b.events(domain.KindLibrary)) + len(b.events(domain.KindStep)); after != before {
		t.Fatalf("a stale attempt wrote %d events", after-before)
	}
}

func wait(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen in time")
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the test ended")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestCancelledBeforeItBegan(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, err := searcher.Run(ctx, b.env, b.task)
	if err != nil || f.Outcome != run.Cancelled {
		t.Fatalf("finished %+v: %v", f, err)
	}
}

func TestSourceThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0))
	b.newRun(run.Request{Source: "competitor"})
	if f := b.run(); f.Outcome != run.Failed || f.Reason != run.ReasonInput || !strings.Contains(f.Summary, "competitor") {
		t.Fatalf("finished %+v", f)
	}
	if len(b.shelf.asked) != 0 {
		t.Fatal("it searched somewhere else instead")
	}
}

// The library cannot be asked: nothing is written, and the model may try again.
func TestLibraryBehind(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, clip("bare1", "爆炸"))
	b.env.Model = agentstest.Script(
		round(call("search_fast", in{"query": "爆炸"})),
		agentstest.Round{Then: func(agents.Request) agentstest.Round {
			b.books.err = domain.Errorf(domain.Unavailable, "behind")
			return round(keep("bare1"))
		}},
		agentstest.Round{Then: func(agents.Request) agentstest.Round {
			if len(b.saved()) != 0 {
				t.Error("it was saved without knowing the library")
			}
			return round(keep("bare1"), end)
		}},
	)
	if f := b.run(); len(f.Products) != 1 {
		t.Fatalf("finished %+v", f)
	}
}

// lossy writes, but loses the answer of the first write of materials.
type lossy struct {
	*streams.Log
	lost bool
}

func (l *lossy) Record(ctx context.Context, key domain.Key, cmd streams.Command, facts ...domain.Fact) ([]domain.Recorded, error) {
	r, err := l.Log.Record(ctx, key, cmd, facts...)
	if _, ok := facts[0].(library.Saved); ok && err == nil && !l.lost {
		l.lost = true
		return nil, errors.New("the answer was lost")
	}
	return r, err
}

func TestLostAnswerOfTheLog(t *testing.T) {
	t.Parallel()
	b := newBench(t, agentstest.Script(
		round(call("search_fast", in{"query": "爆炸"})), round(keep("bare1")), round(keep("bare1"), end),
	), clip("bare1", "爆炸"))
	b.env.Log = &lossy{Log: b.log}
	if f := b.run(); len(f.Products) != 1 || len(b.saved()) != 1 {
		t.Fatalf("finished %+v, saved %v", f, b.saved())
	}
}

// outrun writes the first materials for another run, which was quicker, and none
// for the run that is told so.
type outrun struct {
	*streams.Log
	by   domain.ID
	done bool
}

func (o *outrun) Record(ctx context.Context, key domain.Key, cmd streams.Command, facts ...domain.Fact) ([]domain.Recorded, error) {
	if _, ok := facts[0].(library.Saved); !ok || o.done {
		return o.Log.Record(ctx, key, cmd, facts...)
	}
	o.done = true
	theirs := slices.Clone(facts)
	for i, f := range theirs {
		if saved, ok := f.(library.Saved); ok {
			saved.Run = o.by
			theirs[i] = saved
		}
	}
	if _, err := o.Log.Record(ctx, key, cmd, theirs...); err != nil {
		return nil, err
	}
	return nil, domain.Errorf(domain.Unavailable, "too much is being written")
}

// What was not written, but has been saved by another run when it is tried again,
// is that run's.
func TestSavedByAnotherRunMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t, agentstest.Script(
		round(call("search_fast", in{"query": "爆炸"})), round(keep("bare1")), round(keep("bare1"), end),
	), clip("bare1", "爆炸"))
	other := b.task.Run
	b.newRun(run.Request{Target: 3})
	b.env.Log = &outrun{Log: b.log, by: other}
	if f := b.run(); len(f.Products) != 0 || len(b.saved()) != 1 {
		t.Fatalf("finished %+v, saved %v", f, b.saved())
	}
	if all := b.outcomes(); !strings.Contains(all[len(all)-2], "already saved") {
		t.Fatalf("the last save: %s", all[len(all)-2])
	}
}

func TestProgressIsThrottled(t *testing.T) {
	t.Parallel()
	now := time.Now()
	tick := func(d time.Duration, r agentstest.Round) agentstest.Round {
		return agentstest.Round{Then: func(agents.Request) agentstest.Round { now = now.Add(d); return r }}
	}
	b := newBench(t, nil, clip("bare1", "爆炸"))
	b.env.Now = func() time.Time { return now }
	search := func(w string) agentstest.Round { return round(call("search_fast", in{"query": w})) }
	b.env.Model = agentstest.Script(
		search("爆炸"), tick(time.Second, search("丧尸")), tick(time.Second, search("塔防")),
		tick(time.Second, round(keep("bare1"))), tick(3*time.Second, search("末日")), round(end),
	)
	b.run()
	var got []step.Progressed
	for _, e := range b.events(domain.KindStep) {
		if p, ok := e.(step.Progressed); ok {
			got = append(got, p)
		}
	}
	p := step.Progressed{Run: b.task.Run, Attempt: 1, Target: searcher.DefaultTarget, Unit: "materials", Pages: domain.FastSourcePages}
	want := []step.Progressed{p, p, p}
	want[0].Page, want[1].Page = 1, 3
	want[2].Page, want[2].Done = 4, 1
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestPrefixIsStableAndWithoutIds(t *testing.T) {
	t.Parallel()
	script := agentstest.Script(round(end), round(end))
	b := newBench(t, script)
	b.run()
	b.newRun(run.Request{What: "雨夜", Why: "团队要"})
	b.run()
	requests := script.Requests()
	for _, r := range requests {
		if err := agentstest.CheckPrefix(r); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(requests[0].System, requests[1].System); diff != "" {
		t.Fatal(diff)
	}
	if names := toolNames(requests[0]); !slices.Equal(names, []string{"analyze_video", "finish", "save_materials", "search_fast"}) {
		t.Fatalf("tools %v", names)
	}
	if text := requests[1].Messages[0].Blocks[0].Text; !strings.Contains(text, "雨夜") || !strings.Contains(text, `"target":12`) {
		t.Fatalf("opening %s", text)
	}
}

func toolNames(r agents.Request) []string {
	var out []string
	for _, t := range r.Tools {
		out = append(out, t.Name)
	}
	return out
}

func thenLater(now *time.Time, d time.Duration, calls ...agentstest.Call) func(agents.Request) agentstest.Round {
	return func(agents.Request) agentstest.Round {
		*now = now.Add(d)
		return round(calls...)
	}
}

// What cannot be recorded is skipped with the reason; text from outside that is
// too long or dirty is cut.
func TestHostileCandidates(t *testing.T) {
	t.Parallel()
	long := clip("bare1", strings.Repeat("爆炸\x00\xff ", 400), slices.Repeat([]string{"标签"}, 80)...)
	link := clip("bare2", "爆炸")
	link.URL = "javascript:alert(1)"
	b := newBench(t, agentstest.Script(round(call("search_fast", in{"query": "爆炸"})), round(keep("bare1", "bare2"), end)), long, link)
	b.run()
	if diff := cmp.Diff([]string{"bare1"}, b.saved()); diff != "" {
		t.Fatal(diff)
	}
	s, _ := b.events(domain.KindLibrary)[0].(library.Saved)
	if n := len([]rune(s.Title)); n > library.MaxTitle || strings.Contains(s.Title, "\x00") || len(s.Tags) != library.MaxTags {
		t.Fatalf("a title of %d runes, %d tags", n, len(s.Tags))
	}
	if all := strings.Join(b.outcomes(), "\n"); !strings.Contains(all, "cannot be recorded") {
		t.Fatalf("skipped without a word:\n%s", all)
	}
}

func TestModelThatFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, agentstest.Script(
		round(call("search_fast", in{"query": "爆炸"})), round(keep("bare1")),
		agentstest.Round{Err: &agents.ModelError{Kind: agents.Denied, Message: "bad key"}},
	), clip("bare1", "爆炸"))
	if f := b.run(); f.Outcome != run.Failed || f.Reason != run.ReasonModel || len(f.Products) != 1 {
		t.Fatalf("finished %+v", f)
	}
}

// The process's own parts are what a run asks for.
var (
	_ searcher.Log     = (*streams.Log)(nil)
	_ searcher.Library = (*projections.Store)(nil)
)

func TestTheConstitutionNamesEveryTool(t *testing.T) {
	t.Parallel()
	script := agentstest.Script(round(end))
	b := newBench(t, script)
	b.env.Competitor = &rival{shelf: &shelf{}}
	b.run()
	names := toolNames(script.Requests()[0])
	if len(names) != 6 {
		t.Fatalf("tools %v", names)
	}
	for _, name := range names {
		if !strings.Contains(prompts.Searcher().Text, name) {
			t.Errorf("%s is not mentioned", name)
		}
	}
}
