package planner

import (
	"cmp"
	"slices"

	"sozai/domain/library"
)

// rank orders the clips for the model: what was named first, then by merit, the
// newest first among equals. Assets that nobody named are not offered.
func (s *session) rank() {
	s.clips = nil
	for _, c := range s.byID {
		s.clips = append(s.clips, c)
	}
	slices.SortFunc(s.clips, func(a, b *clip) int {
		return cmp.Or(cmp.Compare(b.merit(), a.merit()), cmp.Compare(b.Seq, a.Seq), cmp.Compare(a.ID, b.ID))
	})
}

// merit weighs people's reactions above the rating: whoever looked at it knows
// more than the analyser.
func (c *clip) merit() int {
	m := 0
	if c.Must {
		m += 1000
	}
	switch net := c.Reactions.Likes - c.Reactions.Dislikes; {
	case net > 0:
		m += 20 + min(net, 5)
	case net < 0:
		m -= 40 + min(-net, 5)
	}
	if c.Analysis == nil {
		return m
	}
	switch c.Analysis.Digest.Highlight {
	case library.High:
		m += 15
	case library.Medium:
		m += 8
	case library.Low:
		m -= 5
	}
	return m
}
