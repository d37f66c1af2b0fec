package rehearsal

import (
	"regexp"
	"slices"
	"strings"

	"sozai/domain"
)

// aim is which way a notion is to move.
type aim int

const (
	none aim = iota
	more
	less
)

// notion is one idea of ad craft: the words people use for it and the lines
// that say it as a rule. home is the document it speaks to when it is said
// about the whole.
type notion struct {
	key  string
	zh   []string
	en   []string
	home domain.Document
	// Lines, by document and aim, in each language.
	search, steer [2]phrase // [0] more, [1] less
	name          phrase    // what the change is called in a summary
}

// phrase is one text in both languages.
type phrase struct{ zh, en string }

func (p phrase) in(zh bool) string {
	if zh {
		return p.zh
	}
	return p.en
}

// line is the rule for a document; empty if the notion has none that way.
func (n notion) line(doc domain.Document, a aim, zh bool) string {
	lines := n.steer
	if doc == domain.Search {
		lines = n.search
	}
	if a == less {
		return lines[1].in(zh)
	}
	return lines[0].in(zh)
}

// wish is a notion that someone wants moved, with the words they used.
type wish struct {
	notion *notion // nil: no known notion, the words themselves are the rule
	aim    aim
	words  string
}

// praise is a clause that likes something.
type praise struct{ words string }

var (
	clauseEnd = regexp.MustCompile(`[，。！？；、,.!?;\n]+|——|\s+(?:but|and|while|though|also)\s+|但是|不过|但|而且|并且|同时|然后|还有`)

	// Words that turn a notion down, and words that turn it up. A state that is
	// "not X enough" asks for more of X, "too X" for less.
	lessWords = regexp.MustCompile(`(?i)太多|太满|太密|太杂|太花|太吵|太大声|太长|太快|太亮|太暴力|太假|太乱|过多|过长|过快|别|不要|不用|不需要|少一点|少点|少些|少用|减少|减弱|去掉|删掉|避免|短一点|短些|更短|慢一点|慢些|慢点|更慢|放慢|淡一点|暗一点|暗些|克制|简洁|\btoo (?:much|many|long|fast|loud|busy|bright|flashy|noisy|violent|heavy|fancy|cluttered|big)\b|\bless\b|\bfewer\b|\bno more\b|\bwithout\b|\bavoid\b|\bremove\b|\bdrop\b|\bcut (?:down|back|out)\b|\bdon'?t\b|\bdo not\b|\bno\b|\bshorter\b|\bslower\b|\bslow (?:it )?down\b|\bquieter\b|\breduce\b|\btone down\b|\bstop\b`)
	moreWords = regexp.MustCompile(`(?i)不够|不足|不强|不明显|不突出|太少|太弱|太慢|太短|太暗|太平|太淡|太小|太闷|太拖|缺|没有|没什么|看不到|弱|拖沓|磨叽|加快|加强|增加|加大|加点|加一|多一点|多点|多些|更多|再多|再快|再[^，]{1,3}(?:一点|一些|点|些)|快一点|快些|快点|更快|更强|更燃|更亮|更大|要有|想要|想看|希望|应该|需要|突出|提前|\bnot (?:enough|strong|fast|bright|clear|exciting)|\benough\b|\btoo (?:little|few|weak|slow|dark|short|quiet|dull|flat|small|boring)\b|\bmore\b|\bstronger\b|\bbigger\b|\bfaster\b|\bbrighter\b|\blouder\b|\bsooner\b|\bearlier\b|\bwant\b|\bneeds?\b|\bshould\b|\black(?:s|ing)?\b|\bmissing\b|\badd\b|\bincrease\b|\bwish\b|\bprefer\b|\bspeed (?:it )?up\b|\bsnappier\b|\bweak\b`)
	// These name the lack themselves: they ask for more whatever stands around
	// them ("too slow", "don't be so boring").
	lackWords  = regexp.MustCompile(`(?i)慢|看不清|模糊|拖沓|拖拉|磨叽|沉闷|无聊|平淡|\bslow\b|\bdrag(?:s|gy|ging)?\b|\bsluggish\b|\bboring\b|\bdull\b|\bflat\b|\btedious\b`)
	slowWords  = regexp.MustCompile(`(?i)慢一点|慢些|慢点|更慢|放慢|\bslower\b|\bslow (?:it )?down\b`)
	badWords   = regexp.MustCompile(`(?i)不好|不行|不对|不喜欢|不想|难看|很差|太差|丑|没意思|没劲|不合适|不像|讨厌|换成|换个|改成|改为|改一下|太|过于|\bbad\b|\bugly\b|\bhate\b|\bdislike\b|\bworse\b|\bwrong\b|\binstead\b|\btoo\b|\bdon'?t like\b|\bnot (?:good|right|great|working)\b|\bchange\b|\bmake (?:it|them)\b`)
	goodWords  = regexp.MustCompile(`(?i)不错|很好|挺好|很棒|太棒|喜欢|满意|漂亮|好看|完美|保持|就要这|\bgood\b|\bgreat\b|\bnice\b|\bi (?:really )?(?:like|love)\b|\blove\b|\bperfect\b|\bexcellent\b|\bawesome\b|\bkeep\b`)
	notGood    = regexp.MustCompile(`(?i)不太好|不喜欢|不满意|不好看|不是很好|不够好|没那么好|更好|好一点|\bnot (?:so |very |that )?(?:good|great|nice|perfect)\b|\bdon'?t (?:really )?(?:like|love)\b|\bwould(?:n'?t)? (?:like|love)\b|\bbetter\b`)
	filler     = regexp.MustCompile(`(?i)^(?:我觉得|我感觉|感觉|觉得|我们|我|这条|这个|这些|整体|总体|就是|其实|可能|有点|嗯|请|麻烦|能不能|可以|a bit|it'?s|it is|this is|this one is|i think|i feel(?: like)?|please|can you|could you|maybe|just|really|the whole thing is|overall)\s*`)
	upperLimit = regexp.MustCompile(`(?i)(?:不要?超过|不超过|不能超过|控制在|最长|最多|以内|under|within|at most|no (?:more|longer) than|max(?:imum)?(?: of)?|shorter than)?\s*(\d{1,3})\s*(?:秒|s\b|secs?\b|seconds?\b)\s*(以内|之内|以下|or less|max)?`)
	limitCue   = regexp.MustCompile(`(?i)超过|控制在|最长|最多|以内|之内|以下|under|within|at most|no (?:more|longer) than|max|or less|shorter than`)
	aspectCue  = regexp.MustCompile(`(?i)9[:：]16|竖屏|竖版|\bvertical\b|\bportrait\b|16[:：]9|横屏|横版|\blandscape\b|1[:：]1|方形|\bsquare\b|4[:：]5`)
)

// wishes takes people's words apart: what they want moved, and what they like.
func wishes(text string) (want []wish, liked []praise) {
	for _, clause := range clauses(text) {
		n := find(clause)
		switch a := direction(clause); {
		case n == nil && isLimit(clause):
			want = append(want, wish{words: clause})
		case n != nil && a != none:
			want = append(want, wish{notion: n, aim: a, words: clause})
		case goodWords.MatchString(clause) && !notGood.MatchString(clause):
			liked = append(liked, praise{words: clause})
		case n != nil && badWords.MatchString(clause):
			want = append(want, wish{notion: n, aim: less, words: clause})
		case n == nil && (a != none || badWords.MatchString(clause)) && len([]rune(clause)) > 3:
			want = append(want, wish{aim: a, words: clause})
		case n != nil && len(want) > 0 && carries(text):
			// "less text and captions": the direction of the clause before holds.
			want = append(want, wish{notion: n, aim: want[len(want)-1].aim, words: clause})
		}
	}
	return dedupe(want), liked
}

func carries(text string) bool {
	return strings.Contains(text, "、") || strings.Contains(text, " and ")
}

// clauses splits people's words where one thought ends and the next begins.
func clauses(text string) []string {
	var out []string
	for _, part := range clauseEnd.Split(text, -1) {
		part = strings.TrimSpace(part)
		for {
			cut := strings.TrimSpace(filler.ReplaceAllString(part, ""))
			if cut == part || cut == "" {
				break
			}
			part = cut
		}
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}

// direction reads which way a clause points.
func direction(clause string) aim {
	clause = normal(clause)
	switch {
	case slowWords.MatchString(clause):
		return less
	case lackWords.MatchString(clause):
		return more
	case strings.Contains(clause, "不够") || strings.Contains(strings.ToLower(clause), "enough"):
		return more
	case lessWords.MatchString(clause):
		return less
	case moreWords.MatchString(clause):
		return more
	}
	return none
}

// find is the notion that a clause is about: the word that comes first, the
// longer one where two begin together, a vague word only if there is no other.
func find(clause string) *notion {
	lower := normal(clause)
	var best *notion
	var where [3]int // vague, position, -length
	try := func(n *notion, word string, at int) {
		if at < 0 {
			return
		}
		here := [3]int{0, at, -len(word)}
		if vague[word] {
			here[0] = 1
		}
		if best == nil || slices.Compare(here[:], where[:]) < 0 {
			best, where = n, here
		}
	}
	for i := range notions {
		for _, w := range notions[i].zh {
			try(&notions[i], w, strings.Index(lower, w))
		}
		for _, w := range notions[i].en {
			try(&notions[i], w, wordAt(lower, w))
		}
	}
	return best
}

// vague words stand beside the real subject more often than for themselves
// ("镜头节奏太慢", "the shot is too dark").
var vague = map[string]bool{"镜头": true, "场面": true, "清楚": true, "有趣": true, "shot": true, "start": true, "level": true, "people": true, "fun": true, "effect": true, "特效": true, "clear": true}

// normal is a clause without words that only contain a notion's word.
func normal(clause string) string {
	return innocent.ReplaceAllString(strings.ToLower(clause), "")
}

var innocent = regexp.MustCompile(`慢动作|慢镜头|慢慢|slow[ -]motion|as long as|start to|a long time`)

// isLimit says whether a clause names a hard limit.
func isLimit(clause string) bool {
	_, ok := limits(clause, domain.Constraints{}, true)
	return ok
}

// hasWord says whether an English word or phrase stands in a text on its own,
// in the singular or with a plural s.
func hasWord(text, word string) bool { return wordAt(text, word) >= 0 }

// wordAt is where it stands, -1 if nowhere.
func wordAt(text, word string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(word)
		if end < len(text) && text[end] == 's' {
			end++
		}
		if (at == 0 || !isWordByte(text[at-1])) && (end >= len(text) || !isWordByte(text[end])) {
			return at
		}
		from = at + 1
	}
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '\''
}

func dedupe(in []wish) []wish {
	var out []wish
	for _, w := range in {
		again := false
		for _, o := range out {
			if w.notion != nil && o.notion == w.notion && o.aim == w.aim || w.words == o.words {
				again = true
			}
		}
		if !again {
			out = append(out, w)
		}
	}
	return out
}
