package planner

import (
	"slices"

	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/library"
)

// Strength says how much it weighs that a panel stays.
type Strength int

// The strengths: a like is weak, what the words of the request leave alone is
// hardly more; what somebody wrote about a panel is strong; what the request says
// outright is strongest.
const (
	Weak Strength = iota + 1
	Strong
	Ordered
)

// Said is one reaction to a panel of the base board; Panel 0 is the board as a
// whole, whose words may still name panels.
type Said struct {
	Panel   int
	Verdict feedback.Verdict
	Words   string
}

// Wishes are what becomes of a base board's panels.
type Wishes struct {
	Keep   map[int]Strength // stay as they are
	Change []int            // are to change, ascending
}

// Wish works out what people want of the panels of a base board with n panels:
// from the request's words, the panels that it cites, and what was said of them,
// newest first. The request outweighs what was said before; words outweigh
// clicks, however many; among words the newest count. The rest that a request
// wants changed is what it does not say stays or, if it says nothing of that, what
// people have not liked. A panel that nobody wants kept or changed is in neither
// list.
func Wish(n int, request string, cited []int, said []Said) Wishes {
	w := Wishes{Keep: map[int]Strength{}}
	change := map[int]bool{}
	decided := map[int]bool{}
	settle := func(panels []int, s stance, strength Strength) {
		for _, p := range panels {
			if p < 1 || p > n || decided[p] || s == neutral {
				continue
			}
			decided[p] = true
			if s == keep {
				w.Keep[p] = strength
			} else {
				change[p] = true
			}
		}
	}

	r := readWords(request, n, cited)
	if r.loose == neutral && len(cited) > 0 && request != "" {
		r.loose = alter // the panels are what the words are about
		if r.rest == alter {
			r.loose = keep // and these are about all others
		}
	}
	settle(r.change, alter, Ordered)
	settle(r.keep, keep, Ordered)
	settle(cited, r.loose, Ordered)
	switch {
	case r.rest == keep:
		settle(upTo(n), keep, Ordered)
	case r.rest == alter && len(w.Keep) > 0:
		settle(upTo(n), alter, Ordered)
	}

	for _, x := range said {
		of := []int{}
		if x.Panel > 0 {
			of = append(of, x.Panel)
		}
		words := readWords(x.Words, n, of)
		settle(words.change, alter, Strong)
		settle(words.keep, keep, Strong)
		if x.Panel > 0 {
			settle(of, words.loose, Strong)
		}
	}
	votes := map[int]int{}
	for _, x := range said {
		switch x.Verdict {
		case feedback.Like:
			votes[x.Panel]++
		case feedback.Dislike:
			votes[x.Panel]--
		}
	}
	for p, v := range votes {
		switch {
		case v > 0:
			settle([]int{p}, keep, Weak)
		case v < 0:
			settle([]int{p}, alter, Weak)
		}
	}
	if r.rest == alter {
		settle(upTo(n), alter, Ordered)
	}
	meant := slices.ContainsFunc(cited, func(p int) bool { return change[p] })
	if meant && r.rest == neutral && !r.whole {
		settle(upTo(n), keep, Weak) // only what is cited was meant
	}
	for p := range change {
		w.Change = append(w.Change, p)
	}
	slices.Sort(w.Change)
	return w
}

// fitting drops wishes, weakest first, until what stays leaves room for the clips
// that must appear and for the panels before the last one that stays. dropped are
// the panels that do not stay for that reason; ok is false if even what people
// wrote does not fit into the limit (0 = none).
func fitting(panels []library.Panel, w Wishes, limit float64, must []domain.ID) (kept map[int]library.Panel, dropped []int, ok bool) {
	for weakest := Weak; weakest <= Strong; weakest++ {
		kept, dropped = map[int]library.Panel{}, nil
		total, last, shown := 0.0, 0, map[domain.ID]bool{}
		for _, p := range panels {
			switch strength := w.Keep[p.Number]; {
			case strength >= weakest:
				kept[p.Number] = p
				total, last, shown[p.Material] = total+p.Seconds, p.Number, true
			case strength > 0:
				dropped = append(dropped, p.Number)
			}
		}
		more := last - len(kept)
		absent := 0
		for _, id := range must {
			if !shown[id] {
				absent++
			}
		}
		if limit <= 0 || total+MinPanelSeconds*float64(max(more, absent)) <= limit+aLittle {
			return kept, dropped, true
		}
	}
	return kept, dropped, false
}

// panelsAt lists the numbers of the panels that a film of the board shows between
// two times; to may be missing.
func panelsAt(panels []library.Panel, from, to float64) []int {
	var out []int
	at := 0.0
	for _, p := range panels {
		if at < max(to, from+aLittle) && at+p.Seconds > from {
			out = append(out, p.Number)
		}
		at += p.Seconds
	}
	return out
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}
