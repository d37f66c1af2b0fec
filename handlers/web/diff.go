package web

import (
	"strings"
	"unicode"
)

// Op says what happened to a piece of text.
type Op string

// The ops.
const (
	Same    Op = "same"
	Added   Op = "added"
	Removed Op = "removed"
)

// Piece is a stretch of text with one fate. Pieces that are the same or removed
// make up the old text, those that are the same or added the new one.
type Piece struct {
	Op   Op     `json:"op" enum:"same,added,removed"`
	Text string `json:"text"`
}

// maxCells bounds the work of comparing one stretch; a larger one counts as
// replaced.
const maxCells = 4 << 20

// Diff compares two texts by lines, and changed stretches by words. A CJK
// character is a word of its own.
func Diff(from, to string) []Piece {
	a, b := strings.SplitAfter(from, "\n"), strings.SplitAfter(to, "\n")
	pieces := []Piece{}
	for _, h := range align(a, b) {
		if h.same {
			pieces = join(pieces, Same, strings.Join(a[h.a0:h.a1], ""))
			continue
		}
		pieces = words(pieces, strings.Join(a[h.a0:h.a1], ""), strings.Join(b[h.b0:h.b1], ""))
	}
	return pieces
}

func words(pieces []Piece, from, to string) []Piece {
	a, b := tokens(from), tokens(to)
	for _, h := range align(a, b) {
		if h.same {
			pieces = join(pieces, Same, strings.Join(a[h.a0:h.a1], ""))
			continue
		}
		pieces = join(pieces, Removed, strings.Join(a[h.a0:h.a1], ""))
		pieces = join(pieces, Added, strings.Join(b[h.b0:h.b1], ""))
	}
	return pieces
}

func join(pieces []Piece, op Op, text string) []Piece {
	if text == "" {
		return pieces
	}
	if n := len(pieces); n > 0 && pieces[n-1].Op == op {
		pieces[n-1].Text += text
		return pieces
	}
	return append(pieces, Piece{Op: op, Text: text})
}

// tokens splits text into runs of letters and digits, runs of spaces, and single
// other characters.
func tokens(text string) []string {
	var list []string
	last := 0
	kind := func(r rune) int {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return 0
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	previous := -1
	for i, r := range text {
		k := kind(r)
		if i > last && (k != previous || k == 0) {
			list = append(list, text[last:i])
			last = i
		}
		previous = k
	}
	if last < len(text) {
		list = append(list, text[last:])
	}
	return list
}

// hunk is a[a0:a1] against b[b0:b1].
type hunk struct {
	a0, a1, b0, b1 int
	same           bool
}

// align finds a longest common subsequence and returns the stretches in order.
func align(a, b []string) []hunk {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	x, y := a[start:len(a)-end], b[start:len(b)-end]
	hunks := appendHunk(nil, hunk{0, start, 0, start, true})
	tail := hunk{len(a) - end, len(a), len(b) - end, len(b), true}
	if len(x)*len(y) > maxCells {
		return appendHunk(appendHunk(hunks, hunk{start, tail.a0, start, tail.b0, false}), tail)
	}
	// length[i][j] is that of the longest common subsequence of x[i:] and y[j:].
	w := len(y) + 1
	length := make([]int32, (len(x)+1)*w)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				length[i*w+j] = length[(i+1)*w+j+1] + 1
			} else {
				length[i*w+j] = max(length[(i+1)*w+j], length[i*w+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		at := hunk{start + i, start + i, start + j, start + j, false}
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			at.a1, at.b1, at.same = at.a1+1, at.b1+1, true
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && length[(i+1)*w+j] >= length[i*w+j+1]:
			at.a1++
			i++
		default:
			at.b1++
			j++
		}
		hunks = appendHunk(hunks, at)
	}
	return appendHunk(hunks, tail)
}

func appendHunk(hunks []hunk, h hunk) []hunk {
	if h.a0 == h.a1 && h.b0 == h.b1 {
		return hunks
	}
	if n := len(hunks); n > 0 && hunks[n-1].same == h.same {
		hunks[n-1].a1, hunks[n-1].b1 = h.a1, h.b1
		return hunks
	}
	return append(hunks, h)
}
