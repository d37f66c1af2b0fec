package planner

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// stance is what words want of a panel.
type stance int

const (
	neutral stance = iota
	keep
	alter
)

// reading is what a text says of the panels of a board.
type reading struct {
	keep, change []int  // panels that it names
	loose        stance // said without naming a panel, so of what is cited
	rest         stance // of all panels that it does not name
	whole        bool   // the board as a whole is to change
}

const (
	zhNumber = `[0-9]{1,3}|[一二两三四五六七八九十]{1,3}`
	zhUnit   = `\s*(?:格|镜头|镜|幕|个?画面|分镜|个镜头|号)`
	enUnit   = `(?:panel|shot|frame|scene)`
)

var (
	zhPanels = regexp.MustCompile(`第\s*(?:` + zhNumber + `)(?:` + zhUnit + `?\s*(?:[、,，/和与及到至]|[-–—~～])\s*第?\s*(?:` + zhNumber + `))*` + zhUnit)
	enPanels = regexp.MustCompile(`(?i)\b` + enUnit + `s?\s*#?\s*[0-9]{1,3}(?:\s*(?:,|/|and|&|to|through|-|–)\s*(?:and\s+)?(?:` + enUnit + `s?\s*)?#?[0-9]{1,3})*\b`)
	ordinals = regexp.MustCompile(`(?i)\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|[0-9]{1,3}(?:st|nd|rd|th))\s+` + enUnit + `\b`)
	lastOne  = regexp.MustCompile(`最后一?` + zhUnit)
	headTail = regexp.MustCompile(`(前|后|最后)\s*(` + zhNumber + `)` + zhUnit)
	oneNum   = regexp.MustCompile(zhNumber)
	between  = regexp.MustCompile(`(?i)^[^0-9一二两三四五六七八九十]*(?:到|至|-|–|—|~|～|\bto\b|through)[^0-9一二两三四五六七八九十]*$`)

	clauseEnd = regexp.MustCompile(`(?i)[，。！？；、,.!?;:：\n]+|但是|不过|但|然后|另外|同时|并且?|把|将|\b(?:and|but|while|then)\b`)
	marker    = regexp.MustCompile("\x01([0-9]+)\x02")
	others    = regexp.MustCompile(`(?i)其余|其他|其它|剩下|剩余|别的|\bthe rest\b|\bothers?\b|\beverything else\b|\bremaining\b`)
	wholeOf   = regexp.MustCompile(`(?i)整体|全部|全片|整条|整片|所有|每一?格|\boverall\b|\bwhole\b|\beverything\b|\ball\b|\bevery\b`)
	except    = regexp.MustCompile(`(?i)除了?|以外|之外|\bexcept\b|\bapart from\b|\bother than\b|\bbut for\b`)
	only      = regexp.MustCompile(`(?i)只|仅|\bonly\b|\bjust\b`)

	notKept  = regexp.MustCompile(`(?i)(?:不用|不必|不需要|无需|别|不要|不)\s*(?:保留|留着|留下|留)|\b(?:don'?t|do not|no need to|not)\s+keep\b`)
	keepTalk = regexp.MustCompile(`(?i)保留|保持|留着|留下|照旧|原样|原封不动|维持|不变|(?:不用|不必|不要|不需要|别|不)\s*(?:再)?(?:改|动|换|碰)|\bkeep\b|\bunchanged\b|\buntouched\b|\bas (?:it|they) (?:is|are|was|were)\b|\bas[ -]is\b|\bleave\b|\b(?:don'?t|do not|no need to|never) (?:change|touch|alter|replace|edit)\b|\bno changes?\b|\bstays?\b`)
	notGood  = regexp.MustCompile(`(?i)不太?好|不喜欢|不满意|不好看|不够好|没那么好|不是很好|好一点|更好|\b(?:not|isn'?t) (?:so |very |that )?(?:good|great|nice|perfect)\b|\bdon'?t (?:really )?(?:like|love)\b|\bbetter\b`)
	praise   = regexp.MustCompile(`(?i)很好|挺好|真好|太好|非常好|最好|不错|很棒|太棒|最棒|喜欢|满意|漂亮|好看|完美|精彩|\bgood\b|\bgreat\b|\bnice\b|\blove\b|\blike (?:it|this|that)\b|\bperfect\b|\bexcellent\b|\bawesome\b|\bbest\b`)
	alterTo  = regexp.MustCompile(`(?i)换|改|替|删|去掉|拿掉|重做|重写|重新|重来|加|减|缩|拉长|不要|不能|不该|别(?:用|再|放|让|拿)|太|不够|不行|不对|不清|难看|很差|太差|没意思|短(?:一点|些|点)|长(?:一点|些|点)|快(?:一点|些|点)|慢(?:一点|些|点)|大(?:一点|些|点)|小(?:一点|些|点)|\bchange\b|\breplace\b|\bredo\b|\brewrite\b|\brework\b|\bremove\b|\bdrop\b|\bdelete\b|\bswap\b|\badd\b|\binstead\b|\btoo\b|\bless\b|\bmore\b|\benough\b|\bshort(?:er|en)\b|\blonger\b|\bfaster\b|\bslower\b|\bbad\b|\bugly\b|\bwrong\b|\bboring\b|\bdull\b|\bweak\b|\bmake (?:it|them)\b`)
)

// readWords reads a text about a board of n panels, clause by clause. A clause
// that wants something without naming a panel is about the panels that the
// clause before it named, if that wanted nothing; else it is loose.
func readWords(text string, n int, cited []int) (r reading) {
	var named [][]int
	mark := func(find *regexp.Regexp, read func(string) []int) {
		text = find.ReplaceAllStringFunc(text, func(s string) string {
			named = append(named, within(read(s), n))
			return "\x01" + strconv.Itoa(len(named)-1) + "\x02"
		})
	}
	text = strings.NewReplacer("\x01", " ", "\x02", " ").Replace(text)
	mark(headTail, func(s string) []int { return stretch(headTail.FindStringSubmatch(s), n) })
	mark(lastOne, func(string) []int { return []int{n} })
	mark(zhPanels, listed)
	mark(enPanels, listed)
	mark(ordinals, func(s string) []int { return []int{ordinal(s, n)} })

	var waiting []int // named by a clause that wanted nothing yet
	for _, clause := range clauseEnd.Split(text, -1) {
		var here []int
		for _, m := range marker.FindAllStringSubmatch(clause, -1) {
			i, _ := strconv.Atoi(m[1]) // written above
			here = append(here, named[i]...)
		}
		s := stanceOf(others.ReplaceAllString(marker.ReplaceAllString(clause, " "), " "))
		switch {
		case len(here) > 0 && except.MatchString(clause):
			// "all but panel 3 stay", "except for panel 3, …": it is not of the rest.
			r.change = append(r.change, here...)
			if s == keep {
				r.rest = keep
			}
		case others.MatchString(clause):
			if s != neutral {
				r.rest = s
			}
		case len(here) > 0:
			r.take(here, s)
			if s == alter && only.MatchString(clause) {
				r.rest = keep
			}
			if waiting = here; s != neutral {
				waiting = nil
			}
			continue
		case s == keep && wholeOf.MatchString(clause):
			r.rest = keep
		case wholeOf.MatchString(clause):
			r.whole = r.whole || s == alter
		case len(waiting) > 0 && s != neutral:
			r.take(waiting, s)
			waiting = nil
		case s == alter, s == keep && r.loose == neutral:
			r.loose = s
			if s == alter && only.MatchString(clause) && len(cited) > 0 {
				r.rest = keep
			}
		}
	}
	return r
}

func (r *reading) take(panels []int, s stance) {
	switch s {
	case keep:
		r.keep = append(r.keep, panels...)
	case alter:
		r.change = append(r.change, panels...)
	}
}

// stanceOf reads one clause. What it says against something counts more than
// what it says for it: "keep it, but shorter" is a change.
func stanceOf(clause string) stance {
	strip := func(find *regexp.Regexp) bool {
		if !find.MatchString(clause) {
			return false
		}
		clause = find.ReplaceAllString(clause, " ")
		return true
	}
	against := strip(notKept)
	stays := strip(keepTalk)
	against = strip(notGood) || against
	stays = strip(praise) || stays
	switch {
	case against || alterTo.MatchString(clause):
		return alter
	case stays:
		return keep
	}
	return neutral
}

// listed reads "第 1、3 到 5 格" and "panels 1, 3 and 5-7".
func listed(text string) []int {
	var out []int
	end := 0
	for _, at := range oneNum.FindAllStringIndex(text, -1) {
		v := value(text[at[0]:at[1]])
		if last := len(out) - 1; last >= 0 && between.MatchString(text[end:at[0]]) {
			for x := out[last] + 1; x < v && len(out) < 100; x++ {
				out = append(out, x)
			}
		}
		out, end = append(out, v), at[1]
	}
	return out
}

// stretch reads "前 3 格" and "最后两格".
func stretch(match []string, n int) []int {
	count := min(value(match[2]), n)
	if match[1] == "前" {
		return upTo(count)
	}
	return upTo(n)[n-count:]
}

func ordinal(text string, n int) int {
	word := strings.ToLower(strings.Fields(text)[0])
	if i := slices.Index([]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}, word); i >= 0 {
		return i + 1
	}
	if word == "last" {
		return n
	}
	return value(strings.TrimRight(word, "stndrh"))
}

// value reads a number up to 99 in either writing; 0 if it is none.
func value(text string) int {
	if v, err := strconv.Atoi(text); err == nil {
		return v
	}
	total, digit := 0, 0
	for _, r := range text {
		switch i := strings.IndexRune("一二三四五六七八九", r); {
		case r == '十':
			total, digit = total+10*max(digit, 1), 0
		case r == '两':
			digit = 2
		case i >= 0:
			digit = i/3 + 1
		}
	}
	return total + digit
}

func within(panels []int, n int) []int {
	var out []int
	for _, p := range panels {
		if p >= 1 && p <= n {
			out = append(out, p)
		}
	}
	return out
}
