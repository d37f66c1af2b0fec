package video

import (
	"slices"
	"strings"
	"unicode"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/library"
)

// Merge puts what the worker tells on top of what was measured: its words where it
// has any, the measured rhythm before its own, which is a guess between pictures a
// second apart, and its rating, which has seen the video, in place of the rule's.
func Merge(measured, told Analysis) Analysis {
	d, t := measured.Digest, told.Digest
	if t.ShotRhythm != None {
		d.ShotRhythm = strings.TrimSpace(strings.TrimSuffix(d.ShotRhythm, None) + " " + t.ShotRhythm)
	}
	for _, section := range []struct {
		mine  *string
		other string
	}{{&d.SpokenHook, t.SpokenHook}, {&d.Captions, t.Captions}, {&d.Verdict, t.Verdict}} {
		if section.other != None {
			*section.mine = section.other
		}
	}
	if t.Highlight != library.Unrated {
		d.Highlight, d.HighlightWhy = t.Highlight, t.HighlightWhy
	}
	return Analysis{
		Analyser: told.Analyser, Ruleset: told.Ruleset, Digest: fit(named(d), domain.DigestTokens),
		Metrics: measured.Metrics, Report: told.Report, Cost: told.Cost,
	}
}

// named is a digest with what is missing named, in the order of the sections.
func named(d library.Digest) library.Digest {
	d.Missing = nil
	for _, section := range []struct {
		name   string
		absent bool
	}{
		{library.Sections()[0], d.ShotRhythm == None},
		{SpokenHook, d.SpokenHook == None},
		{Captions, d.Captions == None},
		{Highlight, d.Highlight == library.Unrated},
		{Verdict, d.Verdict == None},
	} {
		if section.absent {
			d.Missing = append(d.Missing, section.name)
		}
	}
	return d
}

// fit cuts the longest sections at sentence ends until all are at most limit
// tokens together.
func fit(d library.Digest, limit int) library.Digest {
	sections := []*string{&d.ShotRhythm, &d.SpokenHook, &d.Captions, &d.HighlightWhy, &d.Verdict}
	sizes := make([]int, len(sections))
	for i, s := range sections {
		sizes[i] = agents.EstimateTokens(*s)
	}
	slices.Sort(sizes)
	left := limit // what the smaller ones leave
	for i, size := range sizes {
		share := left / (len(sizes) - i)
		if size <= share {
			left -= size
			continue
		}
		for _, s := range sections {
			if agents.EstimateTokens(*s) > share {
				*s = shorten(*s, share)
			}
		}
		break
	}
	return d
}

// shorten cuts a text to at most limit tokens, after a sentence if it has one of
// that length.
func shorten(text string, limit int) string {
	runes := []rune(text)
	low, high := 0, len(runes)
	for low < high {
		middle := (low + high + 1) / 2
		if agents.EstimateTokens(string(runes[:middle])+"…") <= limit {
			low = middle
		} else {
			high = middle - 1
		}
	}
	for end := low; end > 0; end-- {
		if sentenceEnd(runes, end) {
			return strings.TrimSpace(string(runes[:end]))
		}
	}
	return strings.TrimSpace(string(runes[:low])) + "…"
}

// sentenceEnd says whether a sentence ends before position end.
func sentenceEnd(runes []rune, end int) bool {
	switch runes[end-1] {
	case '。', '！', '？', '；', '!', '?', ';', '\n':
		return true
	case '.':
		return end < len(runes) && unicode.IsSpace(runes[end])
	}
	return false
}

// quote makes one line of outside words and cuts it to n runes.
func quote(s string, n int) string {
	s = strings.Join(strings.FieldsFunc(tame(s, 16*n), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if r := []rune(s); len(r) > n {
		s = string(r[:n]) + "…"
	}
	return s
}

// paragraphs is outside text of several lines, cut to maxReport.
func paragraphs(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(tame(s, 16*maxReport))
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	return domain.Clip(strings.TrimSpace(s), maxReport)
}

// tame takes marks that turn the writing direction out of a text of which at most
// so many bytes are looked at.
func tame(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0xFEFF {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
