package butler

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Numbers come from tools. A figure in a clause that speaks of results (a rate, a
// count of looks, likes, downloads, a cost) must stand in what the model has been
// shown in this shift: a tool's output, the gene, the room. A percentage may be a
// shown share, and a figure may be a shown one rounded to the places that it has.

// figures are the numbers that a model has been shown.
type figures map[float64]bool

var (
	figure     = regexp.MustCompile(`\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`)
	notFigure  = regexp.MustCompile(`(?i)\bv\d+\b|[0-7][0-9a-hjkmnp-tv-z]{25}|\d+[:∶]\d+|\d{4}-\d\d-\d\d|第 ?\d+ ?[格条个版镜步幕次页行位]?|前 ?\d+ ?秒|\bpanels? \d+(?:(?:,| and) \d+)*|\blines? \d+|(?:first|last) \d+|\d+ ?(?:个月|天前|小时前|分钟前|days? ago|hours? ago|minutes? ago)`)
	resultWord = regexp.MustCompile(`(?i)率|占比|百分|%|％|曝光|展示|浏览|播放|下载|点赞|点踩|获赞|样本|采用|忽略|存了|存下|找到|花了|花费|成本|费用|元|块钱|平均|n ?=|\b(?:rates?|percent|adopt\w*|ignored|shown|exposures?|impressions?|views?|viewed|plays?|downloads?|downloaded|likes?|liked|dislikes?|disliked|samples?|found|saved|kept|costs?|spent|yuan|averages?|averaging)\b`)
	notResult  = regexp.MustCompile(`(?i)如果|要是|假如|假设|目标|上限|最多|不超过|至少|以内|建议|可以|打算|希望|想要|改成|改为|调到|规则|规定|要求|\b(?:if|target|at most|up to|no more than|at least|limit|would|could|suggest|should|want|rules?|propose|until|unless)\b|[?？]`)
	clauseCut  = regexp.MustCompile(`[，；;。！!\n]|,\s|\.\s|\b(?:and|but|while|whereas)\b`)
)

// add takes the numbers of a text in.
func (f figures) add(text string) {
	for _, m := range figure.FindAllString(text, -1) {
		if n, err := strconv.ParseFloat(strings.ReplaceAll(m, ",", ""), 64); err == nil {
			f[n] = true
		}
	}
}

// invents says whether a sentence tells a result that was never shown.
func (f figures) invents(sentence string) bool {
	s := quotes.ReplaceAllString(sentence, "□")
	for _, clause := range clauseCut.Split(s, -1) {
		if !resultWord.MatchString(clause) || notResult.MatchString(clause) {
			continue
		}
		clause = notFigure.ReplaceAllString(clause, " ")
		for _, at := range figure.FindAllStringIndex(clause, -1) {
			rest := strings.TrimLeft(clause[at[1]:], " ")
			if !f.has(clause[at[0]:at[1]], strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, "％") || strings.HasPrefix(rest, "percent")) {
				return true
			}
		}
	}
	return false
}

// has looks a figure up as it is written, as a share, and as a rounded one.
func (f figures) has(word string, percent bool) bool {
	word = strings.ReplaceAll(word, ",", "")
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || f[n] || percent && f[n/100] {
		return true
	}
	_, places, _ := strings.Cut(word, ".")
	half := math.Pow(10, -float64(len(places))) / 2
	for k := range f {
		switch {
		case percent && math.Abs(k*100-n) <= half+1e-9 && k <= 1:
			return true
		case k != math.Trunc(k) && math.Abs(k-n) <= half+1e-9:
			return true
		}
	}
	return false
}
