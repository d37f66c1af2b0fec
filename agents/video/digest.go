package video

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sozai/domain/library"
)

// None is what a section says that cannot be known without a model.
const None = "无"

// The sections of a digest, as Missing names them.
const (
	SpokenHook = "spoken_hook"
	Captions   = "captions"
	Highlight  = "highlight"
	Verdict    = "verdict"
)

// Digest puts measured numbers and the post's own words into the five sections.
// What ffmpeg cannot know is None and listed in Missing: the spoken hook, the
// verdict, and the captions of a post without words.
func Digest(m library.Metrics, text Text) library.Digest {
	d := library.Digest{ShotRhythm: rhythm(m), SpokenHook: None, Captions: captions(text), Verdict: None}
	d.Highlight, d.HighlightWhy = rate(m)
	return named(d)
}

func rhythm(m library.Metrics) string {
	var b strings.Builder
	fmt.Fprintf(&b, "时长 %.1f 秒，画幅 %s；", m.Duration, m.Aspect)
	if n := len(m.Cuts); n == 0 {
		b.WriteString("一镜到底，没有硬切；")
	} else {
		fmt.Fprintf(&b, "%d 个镜头（硬切 %d 次），平均 %.1f 秒，%.0f 次/分；首切 %.1f 秒，前 3 秒切 %d 次，%s；",
			m.ShotCount, n, m.AverageShot, m.CutsPerMin, m.FirstCut, m.CutsFirst3s, opening(m))
	}
	fmt.Fprintf(&b, "画面运动 %.1f/100（%s）", m.Motion, liveliness(m.Motion))
	if m.BlackRatio > 0 {
		fmt.Fprintf(&b, "，黑场占 %.0f%%", 100*m.BlackRatio)
	}
	b.WriteString("；" + soundWords(m) + "。")
	return b.String()
}

// opening compares the pace of the first three seconds with the whole.
func opening(m library.Metrics) string {
	if m.Duration <= 3 {
		return "全片不足 3 秒"
	}
	first, whole := float64(m.CutsFirst3s)/3, float64(len(m.Cuts))/m.Duration
	switch {
	case first > 1.3*whole:
		return "开头快于全片"
	case first < 0.7*whole:
		return "开头慢于全片"
	}
	return "开头与全片同速"
}

func liveliness(motion float64) string {
	switch {
	case motion >= 5:
		return "剧烈"
	case motion >= 1.5:
		return "明显"
	case motion >= 0.3:
		return "轻微"
	}
	return "几乎静止"
}

func soundWords(m library.Metrics) string {
	switch {
	case m.SilenceRatio == nil:
		return "没有可用的音轨"
	case m.LoudnessLUFS == nil:
		return "有音轨但全程静音"
	}
	return fmt.Sprintf("声音 %.1f 秒起，响度 %.1f LUFS，静音占 %.0f%%（是否人声未知）",
		*m.SoundOnset, *m.LoudnessLUFS, 100**m.SilenceRatio)
}

// The post's words are kept so short that the whole digest fits
// domain.DigestTokens.
const (
	captionRunes = 160
	tagRunes     = 80 // all tags together
)

// captions quotes the post. Nothing is read off the screen.
func captions(t Text) string {
	title := quote(t.Title, captionRunes)
	var tags []string
	left := tagRunes
	for _, tag := range t.Tags {
		if tag = quote(tag, 30); tag == "" || len(tags) == 10 {
			continue
		}
		if left -= utf8.RuneCountInString(tag); left < 0 {
			break
		}
		tags = append(tags, "#"+strings.TrimLeft(tag, "#"))
	}
	var parts []string
	if title != "" {
		parts = append(parts, "「"+title+"」")
	}
	if len(tags) > 0 {
		parts = append(parts, strings.Join(tags, " "))
	}
	if len(parts) == 0 {
		return None
	}
	return "发布文案（画面字幕未识别）：" + strings.Join(parts, " ")
}

// Thresholds of the rating, ruleset 1.
const (
	earlyCut     = 1.5 // seconds until the first cut
	fastCuts     = 20  // cuts a minute
	livelyMotion = 3.0 // mean change of brightness, 0–100
	earlySound   = 0.5 // seconds until there is sound
	loudEnough   = -24 // LUFS
	muchBlack    = 0.1 // share of the time
)

// rate counts what makes a short video catch the eye, one point each: an early
// first cut, a fast pace, lively motion, sound from the start, no black. Four
// points are high, two medium. The reason names every number.
func rate(m library.Metrics) (library.Rating, string) {
	if m.Duration <= 0 {
		return library.Unrated, ""
	}
	points := 0
	var why []string
	note := func(good bool, format string, args ...any) {
		sign := "−"
		if good {
			points++
			sign = "＋"
		}
		why = append(why, sign+fmt.Sprintf(format, args...))
	}
	if len(m.Cuts) == 0 {
		note(false, "没有硬切")
	} else {
		note(m.FirstCut <= earlyCut, "首切 %.1f 秒", m.FirstCut)
	}
	note(m.CutsPerMin >= fastCuts, "%.0f 次/分", m.CutsPerMin)
	note(m.Motion >= livelyMotion, "运动 %.1f", m.Motion)
	if m.LoudnessLUFS != nil {
		note(*m.SoundOnset <= earlySound && *m.LoudnessLUFS >= loudEnough,
			"声音 %.1f 秒起、%.1f LUFS", *m.SoundOnset, *m.LoudnessLUFS)
	} else {
		note(false, "没有声音")
	}
	note(m.BlackRatio < muchBlack, "黑场 %.0f%%", 100*m.BlackRatio)
	rating := library.Low
	switch {
	case points >= 4:
		rating = library.High
	case points >= 2:
		rating = library.Medium
	}
	return rating, fmt.Sprintf("规则 v%d 得 %d/5 分：%s", Ruleset, points, strings.Join(why, "，"))
}
