package butler

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitSentences cuts the complete sentences off the front of text. The pieces
// and rest add up to text byte for byte, and it does not matter in how many
// steps a text arrives. A sentence ends with its stop, so that words which come
// before a tool call need not wait for what follows; only a Latin full stop
// behind a figure waits for the next character ("V2.1", "0.5 s"). Inside an open quote
// or bracket only a line break ends it.
func splitSentences(text string) (complete []string, rest string) {
	start, depth, straight := 0, 0, false
	for i := 0; i < len(text); {
		if !utf8.FullRuneInString(text[i:]) {
			break // the rest of a character is still to come
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		end := i + n
		stop := false
		switch {
		case r == '\n':
			stop = true
		case strings.ContainsRune("「『“（(《", r):
			depth++
		case strings.ContainsRune("」』”）)》", r):
			depth = max(depth-1, 0)
		case r == '"':
			straight = !straight
		case depth > 0 || straight:
		case strings.ContainsRune("。！？!?…", r):
			stop = true
		case r == '.':
			var sure bool
			if stop, sure = latinStop(text[start:i], text[end:]); !sure {
				return complete, text[start:]
			}
		}
		i = end
		if stop {
			complete = append(complete, text[start:end])
			start, depth, straight = end, 0, false
		}
	}
	return complete, text[start:]
}

// latinStop says whether a full stop ends a sentence; sure is false when the next
// character decides and has not come yet.
func latinStop(before, after string) (stop, sure bool) {
	word := before
	if at := strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' }); at >= 0 {
		_, n := utf8.DecodeRuneInString(before[at:])
		word = before[at+n:]
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case abbreviation(word), word == "" && before == "", utf8.RuneCountInString(word) == 1 && last < utf8.RuneSelf && unicode.IsLetter(last):
		return false, true
	case !unicode.IsDigit(last):
		return true, true
	case !utf8.FullRuneInString(after):
		return false, false
	}
	if strings.Trim(word, "0123456789.") == "" && listed(strings.TrimSuffix(before, word)) {
		return false, true // the number of a list
	}
	next, _ := utf8.DecodeRuneInString(after)
	return unicode.IsSpace(next) || next >= 0x2E80, true
}

// listed says that a number behind these words begins an item of a list.
func listed(before string) bool {
	before = strings.TrimSpace(before)
	last, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || strings.ContainsRune("：:；;", last)
}

func abbreviation(word string) bool {
	switch strings.ToLower(word) {
	case "e.g", "i.e", "vs", "approx", "no", "fig", "mr", "ms", "mrs", "dr", "st":
		return true
	}
	return false
}

// wordless says that a piece holds nothing but marks and blanks, such as what
// closes a sentence behind its stop.
func wordless(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
