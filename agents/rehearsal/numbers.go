package rehearsal

import (
	"fmt"
	"regexp"
	"strings"
)

// performanceView is what read_performance returns.
type performanceView struct {
	Versions []versionScore `json:"versions"`
	Baseline int            `json:"baseline"`
}

type versionScore struct {
	Version    int        `json:"version"`
	Found      int        `json:"found"`
	Shown      int        `json:"shown"`
	Ignored    int        `json:"ignored"`
	Adopted    int        `json:"adopted"`
	Filmed     int        `json:"filmed"`
	Downloaded int        `json:"downloaded"`
	Likes      int        `json:"likes"`
	Dislikes   int        `json:"dislikes"`
	CostYuan   float64    `json:"cost_yuan"`
	Rates      []rateView `json:"rates"`
}

type rateView struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	N       int     `json:"n"`
	Of      int     `json:"of"`
	Verdict string  `json:"verdict"`
}

// metric is a count that people ask for by name.
type metric struct {
	zh, en string
	asked  *regexp.Regexp
	of     func(versionScore) string
}

func count(get func(versionScore) int) func(versionScore) string {
	return func(v versionScore) string { return fmt.Sprint(get(v)) }
}

var metrics = []metric{
	{"找到", "found", regexp.MustCompile(`(?i)找到|找了|搜到|\bfound\b|\bfind\b`), count(func(v versionScore) int { return v.Found })},
	{"展示", "shown", regexp.MustCompile(`(?i)展示|浏览|看过|\bshown\b|\bview(?:s|ed)?\b|\bseen\b`), count(func(v versionScore) int { return v.Shown })},
	{"忽略", "passed over", regexp.MustCompile(`(?i)忽略|跳过|\bignored?\b|\bpassed\b`), count(func(v versionScore) int { return v.Ignored })},
	{"采用", "adopted", regexp.MustCompile(`(?i)采用|采纳|\badopt\w*\b|\bused\b`), count(func(v versionScore) int { return v.Adopted })},
	{"出片", "filmed", regexp.MustCompile(`(?i)成片|出片|\bfilm(?:s|ed)?\b`), count(func(v versionScore) int { return v.Filmed })},
	{"下载", "downloaded", regexp.MustCompile(`(?i)下载|\bdownload\w*\b`), count(func(v versionScore) int { return v.Downloaded })},
	{"点赞", "likes", regexp.MustCompile(`(?i)点赞|赞|\blikes?\b`), count(func(v versionScore) int { return v.Likes })},
	{"点踩", "dislikes", regexp.MustCompile(`(?i)点踩|踩|\bdislikes?\b`), count(func(v versionScore) int { return v.Dislikes })},
	{"花费", "cost", regexp.MustCompile(`(?i)花了|花费|成本|费用|多少钱|\bcost\w*\b|\bspen[dt]\b`), func(v versionScore) string { return fmt.Sprintf("¥%.2f", v.CostYuan) }},
}

// numbers answers from read_performance: exact counts, rates with n, and the
// verdict word as it stands, an honest "not enough yet" included.
func (c chat) numbers(a ask) string {
	if n, _ := c.t.tried("read_performance"); n == 0 {
		return ""
	}
	var p performanceView
	if !c.t.result("read_performance", &p) {
		return c.say("数字没能读到。", "The numbers could not be read.")
	}
	byVersion := map[int]versionScore{}
	newest := 0
	for _, v := range p.Versions {
		byVersion[v.Version] = v
		newest = max(newest, v.Version)
	}
	named := versions(a.text)
	asked := askedMetrics(a.text)
	if len(named) == 0 {
		if len(asked) > 0 {
			for v := newest; v > 0 && len(named) < 5; v-- {
				if _, ok := byVersion[v]; ok {
					named = append(named, v)
				}
			}
		} else if newest > 0 {
			named = []int{newest}
		}
	}
	if newest == 0 && len(named) == 0 {
		return c.say("还没有任何版本有数字。", "No version has numbers yet.")
	}
	var out []string
	for _, n := range named {
		v, ok := byVersion[n]
		if !ok {
			out = append(out, c.say("V%d：还没有这个版本的数字。", "V%d: there are no numbers for this version yet.", n))
			continue
		}
		show := asked
		if len(show) == 0 {
			show = metrics
		}
		var parts []string
		for _, m := range show {
			parts = append(parts, c.say(m.zh, m.en)+" "+m.of(v))
		}
		out = append(out, fmt.Sprintf("V%d：", n)+strings.Join(parts, c.say("，", ", ")))
	}
	if cmp := c.compare(p, byVersion, named); cmp != "" && (len(asked) == 0 || len(named) > 1) {
		out = append(out, cmp)
	}
	text := strings.Join(out, "\n")
	if !c.zh {
		text = strings.ReplaceAll(text, "：", ": ")
	}
	return text
}

func askedMetrics(text string) []metric {
	var out []metric
	for _, m := range metrics {
		if m.asked.MatchString(text) {
			out = append(out, m)
		}
	}
	return out
}

// compare says how the newest named version stands against the baseline.
func (c chat) compare(p performanceView, by map[int]versionScore, named []int) string {
	subject := 0
	for _, n := range named {
		if _, ok := by[n]; ok && n != p.Baseline {
			subject = max(subject, n)
		}
	}
	if subject == 0 || len(by[subject].Rates) == 0 {
		return ""
	}
	var out []string
	for _, r := range by[subject].Rates {
		if r.Of == 0 {
			continue // nothing to take a share of
		}
		out = append(out, c.rate(r, by[p.Baseline]))
	}
	if len(out) == 0 {
		return c.say("V%d 还没有可以算比率的样本。", "V%d has no sample to take rates of yet.", subject)
	}
	head := c.say("V%d 的比率（对照 V%d）：", "Rates of V%d (against V%d):", subject, p.Baseline)
	if p.Baseline == 0 {
		head = c.say("V%d 的比率（没有可对照的版本）：", "Rates of V%d (no version to compare with):", subject)
	}
	return head + "\n" + strings.Join(out, "\n")
}

func (c chat) rate(r rateView, baseline versionScore) string {
	name := rateName(r.Name).in(c.zh)
	line := c.say("- %s %d/%d", "- %s %d/%d", name, r.N, r.Of)
	if r.Of > 0 && r.Verdict != "not_enough" {
		line += c.say(" = %.1f%%（95%% 区间 %.1f%%–%.1f%%）", " = %.1f%% (95%% interval %.1f%%–%.1f%%)", 100*r.Value, 100*r.Low, 100*r.High)
	}
	for _, b := range baseline.Rates {
		if b.Name == r.Name {
			line += c.say("，对照 %d/%d", ", against %d/%d", b.N, b.Of)
		}
	}
	if v := verdictWord(r.Verdict).in(c.zh); v != "" {
		line += c.say("：", ": ") + v
	}
	return line
}

func verdictWord(v string) phrase {
	switch v {
	case "not_enough":
		return phrase{"样本还不够，不下结论", "not enough yet to say"}
	case "better":
		return phrase{"更好", "better"}
	case "worse":
		return phrase{"更差", "worse"}
	case "no_difference":
		return phrase{"看不出差别", "no difference to be seen"}
	}
	return phrase{v, v}
}

func rateName(name string) phrase {
	switch name {
	case "ignored_of_shown":
		return phrase{"忽略率（忽略/展示）", "passed over of shown"}
	case "adopted_of_shown":
		return phrase{"采用率（采用/展示）", "adopted of shown"}
	case "liked_of_shown":
		return phrase{"点赞率（点赞/展示）", "liked of shown"}
	case "disliked_of_shown":
		return phrase{"点踩率（点踩/展示）", "disliked of shown"}
	case "filmed_of_boards":
		return phrase{"出片率（出片/方案）", "filmed of boards"}
	case "downloaded_of_films":
		return phrase{"下载率（下载/成片）", "downloaded of films"}
	}
	plain := strings.ReplaceAll(name, "_", " ")
	return phrase{plain, plain}
}
