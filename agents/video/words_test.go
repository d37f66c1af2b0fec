package video

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/library"
)

func TestMergePutsWordsOnTopOfNumbers(t *testing.T) {
	t.Parallel()
	measured := Judge(library.Metrics{
		Duration: 12, Cuts: []float64{1, 2}, ShotCount: 3, AverageShot: 4, CutsPerMin: 10, FirstCut: 1, CutsFirst3s: 2, Motion: 4, Aspect: "9:16",
	}, Text{Title: "标题"})
	told := Analysis{Analyser: "worker/x", Ruleset: 7, Report: "# r", Cost: 5, Digest: library.Digest{
		ShotRhythm: "开头快。", SpokenHook: "钩子", Captions: None, Verdict: "好。", Highlight: library.Low, HighlightWhy: "平淡",
	}}
	got := Merge(measured, told)
	want := Analysis{
		Analyser: "worker/x", Ruleset: 7, Report: "# r", Cost: 5, Metrics: measured.Metrics,
		Digest: library.Digest{
			ShotRhythm: measured.Digest.ShotRhythm + " 开头快。", SpokenHook: "钩子", Captions: measured.Digest.Captions,
			Highlight: library.Low, HighlightWhy: "平淡", Verdict: "好。",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	// Sections that the worker does not fill stay as they were measured.
	silent := Analysis{Analyser: "worker", Digest: named(library.Digest{ShotRhythm: None, SpokenHook: None, Captions: None, Verdict: None})}
	if diff := cmp.Diff(measured.Digest, Merge(measured, silent).Digest); diff != "" {
		t.Fatal(diff)
	}
}

func TestDigestsAreCutAtSentenceEnds(t *testing.T) {
	t.Parallel()
	sentence := "镜头从左往右推进，观众先看见塔。" // 16 tokens
	size := func(d library.Digest) int {
		return agents.EstimateTokens(d.ShotRhythm) + agents.EstimateTokens(d.SpokenHook) + agents.EstimateTokens(d.Captions) +
			agents.EstimateTokens(d.HighlightWhy) + agents.EstimateTokens(d.Verdict)
	}
	d := library.Digest{
		ShotRhythm: strings.Repeat(sentence, 20), SpokenHook: "你敢信？", Captions: strings.Repeat("Hold the last wave. ", 60),
		HighlightWhy: strings.Repeat("长", 300), Verdict: "好。",
	}
	got := fit(d, domain.DigestTokens)
	if n := size(got); n > domain.DigestTokens || n < 400 {
		t.Errorf("%d tokens", n)
	}
	if !strings.HasSuffix(got.ShotRhythm, "塔。") || !strings.HasSuffix(got.Captions, "wave.") || !strings.HasSuffix(got.HighlightWhy, "长…") {
		t.Errorf("%+v", got)
	}
	if got.SpokenHook != d.SpokenHook || got.Verdict != d.Verdict {
		t.Errorf("short sections are cut too: %+v", got)
	}
	if diff := cmp.Diff(got, fit(got, domain.DigestTokens)); diff != "" {
		t.Error(diff)
	}
	short := library.Digest{ShotRhythm: "a", SpokenHook: "b", Captions: "c", Verdict: "d"}
	if diff := cmp.Diff(short, fit(short, domain.DigestTokens)); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"一句。两句。三句。", 7, "一句。两句。"}, {"没有句号的一长串", 4, "没有句…"}, {"3.5 seconds. Then it ends.", 5, "3.5 seconds."},
		{"v1.25 and on and on", 2, "v1.2…"}, {"短", 0, "…"},
	} {
		if got := shorten(c.text, c.limit); got != c.want {
			t.Errorf("%q in %d is %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}
