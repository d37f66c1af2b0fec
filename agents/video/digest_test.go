package video

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sozai/domain/library"
)

func number(f float64) *float64 { return &f }

func TestDigestSaysNoneWhereNothingCanBeKnown(t *testing.T) {
	t.Parallel()
	d := Digest(library.Metrics{Duration: 6, ShotCount: 1, Aspect: "9:16"}, Text{Title: " \t "})
	if d.SpokenHook != None || d.Verdict != None || d.Captions != None {
		t.Fatalf("claims to know: %+v", d)
	}
	if diff := cmp.Diff([]string{SpokenHook, Captions, Verdict}, d.Missing); diff != "" {
		t.Fatal(diff)
	}
	if !strings.Contains(d.ShotRhythm, "没有硬切") || !strings.Contains(d.ShotRhythm, "没有可用的音轨") {
		t.Fatalf("rhythm: %s", d.ShotRhythm)
	}
}

func TestDigestNamesTheNumbersAndQuotesThePost(t *testing.T) {
	t.Parallel()
	m := library.Metrics{Duration: 12, Cuts: []float64{0.8, 1.6, 2.4, 6}, ShotCount: 5, AverageShot: 2.4, CutsPerMin: 20, FirstCut: 0.8,
		CutsFirst3s: 3, Motion: 6.5, LoudnessLUFS: number(-13.2), SilenceRatio: number(0.05), SoundOnset: number(0), Aspect: "9:16"}
	d := Digest(m, Text{Title: "末日塔防\n爆炸", Tags: []string{"#tower", "丧尸", ""}})
	if d.Captions != "发布文案（画面字幕未识别）：「末日塔防 爆炸」 #tower #丧尸" {
		t.Fatalf("captions: %s", d.Captions)
	}
	for _, want := range []string{"5 个镜头", "首切 0.8 秒", "前 3 秒切 3 次", "开头快于全片", "运动 6.5", "-13.2 LUFS", "静音占 5%"} {
		if !strings.Contains(d.ShotRhythm, want) {
			t.Errorf("rhythm lacks %q: %s", want, d.ShotRhythm)
		}
	}
	if d.Highlight != library.High || !strings.Contains(d.HighlightWhy, "5/5") {
		t.Fatalf("highlight %q: %s", d.Highlight, d.HighlightWhy)
	}
	if diff := cmp.Diff([]string{SpokenHook, Verdict}, d.Missing); diff != "" {
		t.Fatal(diff)
	}
}

func TestRatingFollowsThePoints(t *testing.T) {
	t.Parallel()
	lively := library.Metrics{Duration: 10, Cuts: []float64{1, 2, 3, 4}, FirstCut: 1, CutsPerMin: 24, Motion: 4}
	dull := library.Metrics{Duration: 10, Motion: 0.1, BlackRatio: 0.4}
	medium := library.Metrics{Duration: 10, Motion: 5}
	for want, m := range map[library.Rating]library.Metrics{library.High: lively, library.Low: dull, library.Medium: medium, library.Unrated: {}} {
		if got, why := rate(m); got != want {
			t.Errorf("got %q (%s), want %q", got, why, want)
		}
	}
}

func TestDigestStaysSmall(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("长", 5000)
	d := Digest(library.Metrics{Duration: 10, Aspect: "9:16"}, Text{Title: long, Tags: strings.Split(strings.Repeat(long+",", 50), ",")})
	if n := utf8.RuneCountInString(d.ShotRhythm + d.Captions + d.HighlightWhy); n > 700 {
		t.Fatalf("digest has %d characters", n)
	}
}
