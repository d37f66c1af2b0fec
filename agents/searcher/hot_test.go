package searcher_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/searcher"
	"sozai/agents/source"
	"sozai/agents/source/sourcetest"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
)

// report is what an engine has found: the first few came analysed.
func report(n, analysed int) []sourcetest.Video {
	list := sourcetest.Videos(n, "末日塔防")
	for i := range analysed {
		list[i].Analysis = map[string]any{
			"source": "gemini", "shot_rhythm": "快切", "spoken_hook": "你敢信？", "caption_points": "三条", "verdict": "好",
			"highlight": map[string]any{"rating": "high", "reason": "反转在第 2 秒"},
		}
	}
	return list
}

// hotBench is an agent with a started run for the engine.
func hotBench(t *testing.T, o *outside, s *sourcetest.Tasks, request run.Request) *bench {
	t.Helper()
	s.Wait = 0.1
	b := newBench(t, nil)
	request.Source = "hot"
	b.newRun(request)
	b.env.Hot, b.env.Now = o.engine(s), o.clock.Now
	return b
}

// A deep search over two attempts: the first dies after it imported 3 of 7, the
// second goes on. It is handed over and paid for once, no file is fetched twice.
func TestHotOverTwoAttempts(t *testing.T) {
	t.Parallel()
	o := newOutside(t, true)
	videos := report(8, 6) // the 7th and 8th are analysed here
	for _, i := range []int{1, 2, 3, 5} {
		videos[i].State = sourcetest.NoFile
	}
	videos[7].State = sourcetest.Missing
	server := sourcetest.NewHot(t, videos, o.clip())
	b := hotBench(t, o, server, run.Request{What: "末日塔防"})
	b.killed(3)
	if server.Charges() != 1 || b.stepCost(1) != 500_000 {
		t.Fatalf("%d charges, cost %d", server.Charges(), b.stepCost(1))
	}
	calls := server.Calls()
	b.start()
	f := b.run()
	if len(f.Products) != 7 || len(b.saved()) != 7 || f.Outcome != run.Done || f.Reason != run.ReasonFinished || f.Attempt != 2 || f.Cost != 0 {
		t.Fatalf("saved %v, finished %+v", b.saved(), f)
	}
	if server.Charges() != 1 || server.Calls() != calls || server.Fetches() > 5 {
		t.Fatalf("%d charges, %d then %d calls, %d files", server.Charges(), calls, server.Calls(), server.Fetches())
	}
	for _, part := range []string{"交回 8 条", "存下 7 条", "1 条看不到", "8 found"} {
		if !strings.Contains(f.Summary, part) {
			t.Errorf("%q is missing in %q", part, f.Summary)
		}
	}
	analysers, bare := map[string]int{}, map[string]bool{}
	for _, v := range videos {
		bare["hot:"+v.ID] = v.State == sourcetest.NoFile
	}
	for _, e := range b.events(domain.KindLibrary) {
		switch e := e.(type) {
		case library.Saved:
			if e.Source != "hot" || e.Run != b.task.Run || e.GeneVersion != 1 || e.Material != searcher.MaterialID(b.key, "hot", e.External) ||
				(e.Media.Hash == "") != bare[e.External] || !strings.Contains(e.Why, "深度搜索") {
				t.Errorf("saved %+v", e)
			}
		case library.Analyzed:
			analysers[e.Analyser]++
		}
	}
	if diff := cmp.Diff(map[string]int{"hot/gemini": 6, "local-ffmpeg": 1}, analysers); diff != "" {
		t.Error(diff)
	}
}

// The attempt dies while it waits; the next goes on polling the same task.
func TestHotGoesOnPolling(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	videos := report(4, 4)
	for i := range videos {
		videos[i].State = sourcetest.NoFile
	}
	server := sourcetest.NewHot(t, videos)
	server.Polls = 3
	b := hotBench(t, o, server, run.Request{What: "末日塔防", Target: 3})
	ctx, kill := context.WithCancel(t.Context())
	ended := make(chan run.Finished, 1)
	go func() {
		f, err := searcher.Hot(ctx, b.env, b.task)
		if err != nil {
			t.Error(err)
		}
		ended <- f
	}()
	wait(t, func() bool { return server.Calls() >= 3 })
	kill()
	if f := <-ended; f.Outcome != run.Cancelled || server.Calls() > 4 {
		t.Fatalf("%d calls, finished %+v", server.Calls(), f)
	}
	b.start()
	f := b.run()
	if server.Charges() != 1 || len(f.Products) != 3 || !strings.Contains(f.Summary, "1 条超出目标数") {
		t.Fatalf("%d charges, finished %+v", server.Charges(), f)
	}
	progressed := false
	for _, e := range b.events(domain.KindStep) {
		p, ok := e.(step.Progressed)
		progressed = progressed || ok && p.Unit == "steps" && p.Target == 4 && p.Done > 0
	}
	if !progressed {
		t.Error("no progress was told")
	}
	// A later run: what the agent has is not imported again.
	b.newRun(run.Request{Source: "hot", What: "末日塔防"})
	if f := b.run(); server.Charges() != 2 || len(f.Products) != 1 || !strings.Contains(f.Summary, "3 条素材库里已有") {
		t.Fatalf("%d charges, finished %+v", server.Charges(), f)
	}
}

// late moves the clock beyond the limit when it is asked for the third time.
type late struct {
	source.Hot
	clock *clock
	asked int
}

func (l *late) Check(ctx context.Context, who source.Who, task string) (source.HotReport, bool, time.Duration, error) {
	if l.asked++; l.asked == 3 {
		l.clock.add(domain.HotWait)
	}
	return l.Hot.Check(ctx, who, task)
}

func TestHotThatGivesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(b *bench, o *outside, s *sourcetest.Tasks)
		reason run.Reason
		says   string
		calls  int // 0 = not counted
	}{
		"never complete": {func(b *bench, o *outside, s *sourcetest.Tasks) {
			s.Polls = -1
			b.env.Hot = &late{Hot: b.env.Hot, clock: o.clock}
		}, run.ReasonTime, "等了 30 分钟", 4},
		"gave up":        {func(_ *bench, _ *outside, s *sourcetest.Tasks) { s.Fails = "no index" }, run.ReasonSource, "no index", 0},
		"no money":       {func(_ *bench, _ *outside, s *sourcetest.Tasks) { s.Break(sourcetest.Fault{Status: 402}) }, run.ReasonSource, "empty", 1},
		"not configured": {func(b *bench, _ *outside, _ *sourcetest.Tasks) { b.env.Hot = nil }, run.ReasonInput, "没有配置「hot」", 0},
		"nothing to look for": {func(b *bench, _ *outside, _ *sourcetest.Tasks) {
			b.task.Request.What, b.task.Gene.Search = "", ""
		}, run.ReasonSource, "what to look for", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOutside(t, false)
			server := sourcetest.NewHot(t, report(2, 2))
			b := hotBench(t, o, server, run.Request{What: "末日塔防"})
			c.change(b, o, server)
			f := b.run()
			if f.Outcome != run.Failed || f.Reason != c.reason || !strings.Contains(f.Summary, c.says) || len(f.Products) != 0 {
				t.Fatalf("finished %+v", f)
			}
			if c.calls != 0 && server.Calls() != c.calls {
				t.Fatalf("%d calls, want %d", server.Calls(), c.calls)
			}
		})
	}
}

// The first search of an agent whose only source is the engine goes there.
func TestTheFirstSearchGoesToTheAgentsSource(t *testing.T) {
	t.Parallel()
	o := newOutside(t, false)
	videos := report(1, 1)
	videos[0].State = sourcetest.NoFile
	server := sourcetest.NewHot(t, videos)
	b := hotBench(t, o, server, run.Request{})
	b.task.Request, b.task.Sources, b.task.Trigger = run.Request{}, []string{"hot"}, run.First
	b.task.Gene.Search = "末日塔防"
	if f := b.run(); len(f.Products) != 1 || server.Charges() != 1 {
		t.Fatalf("%d charges, finished %+v", server.Charges(), f)
	}
}
