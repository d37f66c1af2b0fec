package catalogue

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxTerm bounds a term, in characters.
const maxTerm = 64

// terms cuts text into the words it is found by, whatever language it is in:
// words of spaced scripts in lower case without accents and English plurals,
// pairs of neighbouring characters of scripts without spaces, and emoji. For
// indexing, single characters of such scripts are terms too. Order is kept,
// repetitions go.
func terms(text string, indexing bool) []string {
	var out []string
	seen := map[string]bool{}
	add := func(t string) {
		if t != "" && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	for _, run := range runs(text) {
		switch {
		case !run.dense:
			add(stem(run.text()))
		case len(run.parts) == 1:
			add(run.parts[0])
		default:
			for i, part := range run.parts {
				if i > 0 {
					add(run.parts[i-1] + part)
				}
				if indexing {
					add(part)
				}
			}
		}
	}
	return out
}

// run is a stretch of characters of one sort: a word, or dense script. Parts are
// characters with the marks that follow them.
type run struct {
	parts []string
	dense bool
}

func (r run) text() string {
	t := strings.Join(r.parts, "")
	if c := []rune(t); len(c) > maxTerm {
		t = string(c[:maxTerm])
	}
	return t
}

func runs(text string) []run {
	var out []run
	open := false // whether the last run may grow
	for _, c := range fold(text) {
		isDense := unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || c == 'ー'
		switch {
		case unicode.IsMark(c):
			if open {
				last := &out[len(out)-1]
				last.parts[len(last.parts)-1] += string(c)
			}
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			if !open || out[len(out)-1].dense != isDense {
				out = append(out, run{dense: isDense})
			}
			last := &out[len(out)-1]
			last.parts = append(last.parts, string(c))
			open = true
		case unicode.Is(unicode.So, c):
			out = append(out, run{parts: []string{string(c)}, dense: true})
			open = false
		default:
			open = false
		}
	}
	return out
}

// fold makes letters comparable: compatibility forms, lower case, no accents, no
// Arabic vowel signs, no joiners. Marks that carry meaning in other scripts stay.
func fold(text string) string {
	var b strings.Builder
	for _, c := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case c >= 0x300 && c <= 0x36F, c >= 0x64B && c <= 0x65F, c == 0x670, c == 0x640:
		case c == 0x200C, c == 0x200D, c >= 0xFE00 && c <= 0xFE0F, c == '\'', c == '’':
		default:
			b.WriteRune(c)
		}
	}
	return norm.NFC.String(b.String())
}

// stem joins English singulars and plurals; other words stay as they are.
func stem(w string) string {
	if len(w) < 4 {
		return w
	}
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return w
		}
	}
	trim := func(suffix, put string) (string, bool) {
		if s, ok := strings.CutSuffix(w, suffix); ok {
			return s + put, true
		}
		return w, false
	}
	for _, rule := range [][2]string{
		{"ies", "i"}, {"ie", "i"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"},
		{"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
	} {
		if s, ok := trim(rule[0], rule[1]); ok {
			return s
		}
	}
	if s, ok := trim("y", "i"); ok && !strings.ContainsRune("aeiou", rune(w[len(w)-2])) {
		return s
	}
	return w
}
