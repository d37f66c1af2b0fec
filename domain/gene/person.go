package gene

import (
	"strings"
	"unicode"
)

// The rules of what people wrote (a butler's card must keep them all; a person
// may do anything):
//
//  1. Every line of a person has a line of its own in the proposal that holds the
//     person's words, all of them, in their order.
//  2. Words may be added to it; capitals, punctuation and spaces do not count.
//  3. A negation among the added words dilutes the line, wherever it stands.
//  4. Lines may be moved, but not under a heading that turns them around.
//
// Words: each Chinese, Japanese or Korean character is one, so is each run of
// other letters or digits, and each symbol that is no punctuation (≤, +, 🔥, %).

// CheckPersonLines lists the lines of people that a butler's proposed text
// breaks, in the order of the document; none if the proposal is good.
func CheckPersonLines(lines []Line, proposed string) []Line {
	var broken []Line
	match := matchPersonLines(lines, proposed)
	for p, line := range lines {
		if w, protected := match[p]; protected && w < 0 {
			broken = append(broken, line)
		}
	}
	return broken
}

// matchPersonLines gives each line of a person in prev (by index) a line of its
// own in the proposal (by index among those that are not blank), or -1. As many
// get one as can: augmenting paths, starting from the lines that are unchanged,
// with the lines that are new before those that a butler had written already.
func matchPersonLines(prev []Line, proposed string) map[int]int {
	written := place(proposed)
	heads := headings(prev)
	own, match := map[int][]string{}, map[int]int{}
	for p, line := range prev {
		if list := words(line.Own); len(list) > 0 {
			own[p], match[p] = list, -1
		}
	}
	keeps := func(p, w int) bool {
		if written[w].turnedBy != "" && written[w].turnedBy != heads[p] {
			return false
		}
		return written[w].text == prev[p].Text || extends(own[p], written[w].words)
	}
	texts := make([]string, len(written))
	for w := range written {
		texts[w] = written[w].text
	}
	holder := make([]int, len(written)) // the line of prev that holds it, or -1
	var fresh, old []int
	for w, p := range equalLines(prev, texts) {
		holder[w] = -1
		if p < 0 {
			fresh = append(fresh, w)
			continue
		}
		old = append(old, w)
		if own[p] != nil && keeps(p, w) {
			holder[w], match[p] = p, w
		}
	}
	order := append(fresh, old...)
	var give func(p int, seen []bool) bool
	give = func(p int, seen []bool) bool {
		for _, w := range order {
			if seen[w] || !keeps(p, w) {
				continue
			}
			seen[w] = true
			if holder[w] < 0 || give(holder[w], seen) {
				holder[w], match[p] = p, w
				return true
			}
		}
		return false
	}
	for p := range prev {
		if w, protected := match[p]; protected && w < 0 {
			give(p, make([]bool, len(written)))
		}
	}
	return match
}

// placed is a line of a proposal with the heading that turns it around, if any.
type placed struct {
	text     string
	words    []string
	turnedBy string
}

// place lists the lines of a text that are not blank. A heading (a line that
// ends with a colon, or begins with #) rules the lines below it: one with a
// colon up to the next blank line, one with # up to the next heading.
func place(text string) []placed {
	var lines []placed
	head := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = trimRight(line)
		if line == "" {
			if !strings.HasPrefix(head, "#") {
				head = ""
			}
			continue
		}
		next := placed{text: line, words: words(line)}
		if isHeading(line) {
			head = line
		} else if negates(words(head), nil) {
			next.turnedBy = head
		}
		lines = append(lines, next)
	}
	return lines
}

// headings is the nearest heading above each line.
func headings(lines []Line) []string {
	heads := make([]string, len(lines))
	head := ""
	for i, line := range lines {
		heads[i] = head
		if isHeading(line.Text) {
			head = line.Text
		}
	}
	return heads
}

func isHeading(line string) bool {
	return strings.HasPrefix(line, "#") || strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")
}

// extends says that line holds all of own in order and adds no negation.
func extends(own, line []string) bool {
	mine := make([]bool, len(line))
	next := 0
	for i, word := range line {
		if next < len(own) && own[next] == word {
			mine[i] = true
			next++
		}
	}
	return next == len(own) && !negates(line, mine)
}

// words cuts a line into what counts of it.
func words(line string) []string {
	var list []string
	var run []rune
	flush := func() {
		if len(run) > 0 {
			list = append(list, string(run))
			run = run[:0]
		}
	}
	for _, c := range line {
		if c >= '！' && c <= '～' { // full-width forms of ASCII
			c -= '！' - '!'
		}
		switch {
		case c == '\'' || c == '’':
			// don't and dont are one word
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			flush()
			list = append(list, string(c))
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
			run = append(run, unicode.ToLower(c))
		case unicode.IsSymbol(c) || c == '%' || c == '‰':
			flush()
			list = append(list, string(c))
		default:
			flush()
		}
	}
	flush()
	return list
}
