package work

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
)

// mostReasons bounds the reasons that the summary of an analyze run names.
const mostReasons = 5

// fail counts an object that could not be analysed; mu is held or not shared yet.
func (a *analyzing) fail(err error) {
	if a.why == "" {
		a.why = failure(err)
	}
	reason := a.ours(explain(err))
	switch domain.CodeOf(err) {
	case domain.NotFound:
		reason = a.say("文件不在了", "the file is gone")
	case domain.Unprocessable, domain.TooLarge:
		reason = a.say("不是能读的视频", "not a readable video")
	}
	a.failed[reason]++
}

// ended is the end of this attempt, however it came. One that failed as a whole
// leaves outcome and words to whoever holds the error.
func (a *analyzing) ended(ctx context.Context, err error) run.Finished {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := run.Finished{Usage: domain.Usage{Known: true}}
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord/2)
	defer cancel()
	var unknown error
	if f.Cost, unknown = a.w.Catalogue.Spent(brief, a.begun.run.ID); unknown != nil {
		a.w.Logger.Warn("cost of analyses not known", "run", a.begun.run.ID, "error", unknown)
	}
	f.Summary = a.summary(ctx.Err() != nil)
	switch {
	case err != nil:
	case len(a.done) == 0 && len(a.failed) > 0:
		f.Outcome, f.Reason = run.Failed, a.why
	default:
		f.Outcome, f.Reason = run.Done, run.ReasonFinished
	}
	return f
}

func (a *analyzing) summary(stopped bool) string {
	var parts []string
	add := func(n int, zh, en, more string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(a.say(zh, en), n)+more)
		}
	}
	high := 0
	for _, rating := range a.done {
		if rating == library.High {
			high++
		}
	}
	more := ""
	if high > 0 {
		more = fmt.Sprintf(a.say("（%d 条亮点评级为高）", " (%d rated high)"), high)
	}
	add(len(a.done), "分析了 %d 条视频", "analysed %d", more)
	add(sum(a.missed), "%d 条只有本地测量", "%d only measured here", a.reasons(a.missed))
	add(sum(a.failed), "%d 条失败", "%d failed", a.reasons(a.failed))
	add(a.exempt, "%d 条没有视频文件，免分析", "%d without a video file, exempt", "")
	switch {
	case stopped:
		parts = append([]string{a.say("已停止，做完的都留下了", "Stopped; what is done stays")}, parts...)
	case len(a.done)+len(a.failed)+len(a.missed) == 0:
		parts = append([]string{a.say("没有要分析的视频", "Nothing was left to analyse")}, parts...)
	}
	text := strings.Join(parts, a.say("；", "; ")) + a.say("。", ".")
	if !a.zh {
		text = strings.ToUpper(text[:1]) + text[1:] // a letter or a digit
	}
	return text
}

// reasons lists why, most frequent first.
func (a *analyzing) reasons(counts map[string]int) string {
	list := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(counts[y]-counts[x], cmp.Compare(x, y))
	})
	var parts []string
	for _, reason := range list[:min(len(list), mostReasons)] {
		parts = append(parts, fmt.Sprintf("%s × %d", reason, counts[reason]))
	}
	if len(list) > mostReasons {
		parts = append(parts, "…")
	}
	if a.zh {
		return "（" + strings.Join(parts, "，") + "）"
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func sum(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// ours is this agent's language of a text that says everything in both.
func (a *analyzing) ours(text string) string {
	zh, en, both := strings.Cut(text, " · ")
	if !both {
		return text
	}
	return a.say(zh, en)
}

func (a *analyzing) say(zh, en string) string {
	if a.zh {
		return zh
	}
	return en
}
