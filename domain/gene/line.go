package gene

import (
	"slices"
	"strings"
	"unicode"

	"sozai/domain"
)

// Who wrote a line is folded from history:
//
//   - A line that equals one of the version before keeps its author.
//   - What a person writes or changes is the person's, the whole line of it.
//   - What a butler adds to a person's line leaves the line the person's; Own
//     remembers the person's words in it.
//   - Any other line of a butler is the butler's, also after a person applied it.
//   - If equal lines were several and fewer of them remain, people's remain first.

// Line is one line of a document that is not blank.
type Line struct {
	Text   string // without spaces at its end
	Author domain.Actor
	// Own are the words of a person in it that no butler may remove: the line as
	// the person wrote it. Empty for a butler's line.
	Own string
}

// split lists the lines of a document that are not blank.
func split(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = trimRight(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func trimRight(line string) string { return strings.TrimRightFunc(line, unicode.IsSpace) }

// attribute tells the author of each line of text, which by wrote over prev.
func attribute(prev []Line, text string, by domain.Actor) []Line {
	written := split(text)
	same := equalLines(prev, written)
	kept := map[int]int{} // written -> prev, for lines of people in a butler's text
	if !by.IsPerson() {
		for p, w := range matchPersonLines(prev, text) {
			if w >= 0 {
				kept[w] = p
			}
		}
	}
	lines := make([]Line, len(written))
	for w, line := range written {
		p, isKept := kept[w]
		switch {
		case isKept:
			lines[w] = Line{Text: line, Author: prev[p].Author, Own: prev[p].Own}
		case same[w] >= 0:
			lines[w] = prev[same[w]]
		case by.IsPerson():
			lines[w] = Line{Text: line, Author: by, Own: line}
		default:
			lines[w] = Line{Text: line, Author: by}
		}
	}
	return lines
}

// equalLines maps each written line to the equal line of prev that it stands
// for, or to -1. Lines that were equal keep their order; if fewer remain than
// there were, people's stand first.
func equalLines(prev []Line, written []string) []int {
	before := map[string][]int{}
	for p, line := range prev {
		before[line.Text] = append(before[line.Text], p)
	}
	count := map[string]int{}
	for _, line := range written {
		count[line]++
	}
	for text, candidates := range before {
		if n := count[text]; n < len(candidates) {
			slices.SortStableFunc(candidates, func(a, b int) int { return rank(prev[a]) - rank(prev[b]) })
			candidates = candidates[:n]
			slices.Sort(candidates)
			before[text] = candidates
		}
	}
	same := make([]int, len(written))
	for w, line := range written {
		same[w] = -1
		if left := before[line]; len(left) > 0 {
			same[w], before[line] = left[0], left[1:]
		}
	}
	return same
}

func rank(line Line) int {
	if line.Own != "" {
		return 0
	}
	return 1
}

// alsoFrom is lines, and behind them those of prev that lines changed or left
// out: what a person may have put back.
func alsoFrom(prev, lines []Line) []Line {
	pool := slices.Clone(lines)
	written := make([]string, len(lines))
	for i, line := range lines {
		written[i] = line.Text
	}
	still := map[int]bool{}
	for _, p := range equalLines(prev, written) {
		still[p] = true
	}
	for p, line := range prev {
		if !still[p] {
			pool = append(pool, line)
		}
	}
	return pool
}
