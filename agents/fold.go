package agents

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrFold says that a transcript could not be made smaller: folding again would
// change nothing, so it must not be tried in a loop.
var ErrFold = errors.New("folding the context freed nothing")

// foldLineRunes bounds the line that stands for a folded result.
const foldLineRunes = 240

// Fold replaces old tool results by one line each, oldest first, until the next
// request is estimated at no more than the given tokens. The model's own words,
// what people said, every call and the newest results stay; call and result stay
// together. It stops at the target or when nothing is left to fold; ErrFold means
// that nothing was gained.
func (a *Assembler) Fold(to int) error {
	before := a.estimate()
	now, target := before, int(float64(to)/a.scale)
	for i := 0; i < len(a.messages)-1; i++ {
		for j := range a.messages[i].Blocks {
			b := &a.messages[i].Blocks[j]
			if now <= target || b.Type != ToolResult {
				continue
			}
			line := a.folds[b.ID]
			gain := EstimateTokens(b.Text) - EstimateTokens(line)
			if line != "" && gain > 0 {
				b.Text = line
				now -= gain
			}
		}
	}
	if now >= before {
		return ErrFold
	}
	a.size = 0
	a.marker = -1 // what was cached behind the first folded result is gone
	return nil
}

// foldLine is the one line that stands for a result: the tool's own words for
// it, or what was called and how much came back.
func foldLine(call Block, r ResultOf) string {
	line := r.Fold
	switch {
	case line != "":
	case r.IsError:
		line = "error: " + r.Text
	default:
		line = fmt.Sprintf("%s %s → a result of %d characters; call again if it is needed",
			call.Name, shorten(string(call.Input), foldLineRunes/2), utf8.RuneCountInString(r.Text))
	}
	return "[folded] " + shorten(strings.Join(strings.Fields(line), " "), foldLineRunes)
}
