package renderer

import (
	"fmt"
	"os"
	"strings"
	"unicode"
)

// words is a caption as it is drawn: its lines, the size of its letters and where
// the lines stand.
type words struct {
	lines     []string
	size      int
	baselines []int
}

// Shares of the short side and of the lines' size.
const (
	letterSize   = 0.074
	cardSize     = 0.1
	smallest     = 0.6 // of the size that a caption begins with
	widthShare   = 0.88
	lineHeight   = 1.3
	maxLines     = 4
	maxCardLines = 8
)

// lay breaks a caption into lines that fit a picture of w×h: smaller letters for
// a long one, an ellipsis for one that is longer still. It stands in the lower
// part of a clip, above what players draw over it, and in the middle of a card.
func lay(caption string, w, h int, card bool) words {
	begin, most := letterSize, maxLines
	if card {
		begin, most = cardSize, maxCardLines
	}
	first := max(8, int(begin*float64(min(w, h))))
	text := drawable(caption)
	var out words
	for out.size = first; ; out.size = out.size * 9 / 10 {
		em := widthShare * float64(w) / float64(out.size)
		out.lines = wrap(text, em)
		if len(out.lines) <= most {
			out.lines = balanced(text, em, out.lines)
			break
		}
		if next := out.size * 9 / 10; float64(next) < smallest*float64(first) || next < 8 {
			out.lines = out.lines[:most]
			last := []rune(out.lines[most-1])
			for len(last) > 0 && width(string(last))+1 > em {
				last = last[:len(last)-1]
			}
			out.lines[most-1] = string(last) + "…"
			break
		}
	}
	step := int(lineHeight * float64(out.size))
	bottom := h * 88 / 100
	switch {
	case card:
		bottom = h/2 + step*(len(out.lines)-1)/2 + out.size/3
	case h > w:
		bottom = h * 80 / 100
	}
	for i := range out.lines {
		out.baselines = append(out.baselines, bottom-step*(len(out.lines)-1-i))
	}
	return out
}

// balanced is as many lines again, about equally long.
func balanced(text string, em float64, lines []string) []string {
	for narrower := em * 0.95; len(lines) > 1 && narrower > em/2; narrower *= 0.95 {
		next := wrap(text, narrower)
		if len(next) > len(lines) {
			break
		}
		lines = next
	}
	return lines
}

// filters writes each line into a file of its own and returns the filters that
// draw them, each after a comma. Nothing in a line is expanded or escaped: the
// filter sees the file's name only.
func (t words) filters(dir, name, font string) (string, error) {
	var out strings.Builder
	for i, line := range t.lines {
		file := fmt.Sprintf("%s-%d.txt", name, i)
		if err := os.WriteFile(dir+"/"+file, []byte(line), 0o600); err != nil {
			return "", fmt.Errorf("write caption: %w", err)
		}
		fmt.Fprintf(&out, ",drawtext=fontfile=%s:textfile=%s:expansion=none:fontsize=%d:fontcolor=white:borderw=%d:"+
			"bordercolor=black@0.85:x='max(0,(w-tw)/2)':y=%d-ascent", font, file, t.size, max(1, t.size/13), t.baselines[i])
	}
	return out.String(), nil
}

// drawable is a text without what no font here draws: controls, marks that turn
// or join text, private letters and coloured pictures. Lines stay lines.
func drawable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\t', unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.In(r, unicode.C, unicode.Variation_Selector), r >= 0x1F000 && r <= 0x1FAFF, r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// wrap breaks text into lines of at most em times the size of a letter, at
// spaces and between full-width letters; a word longer than a line is broken
// anywhere. Closing marks stay with what they close.
func wrap(text string, em float64) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for _, word := range breakable(paragraph) {
			if width(strings.TrimRight(line+word, " ")) <= em {
				line += word
				continue
			}
			if strings.TrimSpace(line) != "" {
				lines = append(lines, strings.TrimSpace(line))
			}
			line = ""
			for _, r := range word {
				if line != "" && width(strings.TrimRight(line+string(r), " ")) > em {
					lines = append(lines, line)
					line = ""
				}
				line += string(r)
			}
		}
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// breakable splits a paragraph where a line may end.
func breakable(text string) []string {
	var out []string
	start, before := 0, ' '
	for i, r := range text {
		if i > 0 && mayBreak(before, r) {
			out, start = append(out, text[start:i]), i
		}
		before = r
	}
	return append(out, text[start:])
}

// mayBreak says whether a line may end between two letters.
func mayBreak(before, after rune) bool {
	switch {
	case after == ' ', strings.ContainsRune("，。！？；：、）》」』】〉…—’”％,.!?;:)]}%", after),
		strings.ContainsRune("（《「『【〈‘“([{", before):
		return false
	}
	return before == ' ' || before >= wide || after >= wide
}

// wide is where the full-width letters begin.
const wide = 0x2E80

// width is about how wide a text is, in letter sizes; rather too wide than too
// narrow.
func width(text string) float64 {
	sum := 0.0
	for _, r := range text {
		switch {
		case r >= wide:
			sum++
		case strings.ContainsRune("ijlI.,:;'|! ", r):
			sum += 0.36
		case strings.ContainsRune("mwMW@%", r):
			sum += 0.97
		case unicode.IsUpper(r), r >= 0x0250:
			sum += 0.76
		default:
			sum += 0.64
		}
	}
	return sum
}
