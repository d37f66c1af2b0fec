package rehearsal

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// panelOut is a panel as write_board takes it.
type panelOut struct {
	Keep     bool    `json:"keep,omitempty"`
	Caption  string  `json:"caption"`
	Seconds  float64 `json:"seconds,omitempty"`
	Material string  `json:"material,omitempty"`
	From     float64 `json:"from"`
	To       float64 `json:"to,omitempty"`
}

var (
	secondsSaid = regexp.MustCompile(`(?i)(第|前|后|每|\bfirst\s+|\blast\s+|\bevery\s+)?\s*(\d{1,3})\s*(?:秒|s\b|secs?\b|seconds?\b)`)
	fasterWords = regexp.MustCompile(`(?i)快|紧凑|利落|短(?:一点|些|点)|缩短|\bfast|\bsnapp|\bshort|\btight|\bquick`)
	slowerWords = regexp.MustCompile(`(?i)慢|舒缓|长(?:一点|些|点)|拉长|\bslow|\blonger\b|\bcalm`)
)

// length is how long the film is to be: what the order says, else what the limit
// allows of the usual.
func (b *story) length() float64 {
	total := 0.0
	for _, m := range secondsSaid.FindAllStringSubmatch(b.task.What, -1) {
		if n, err := strconv.ParseFloat(m[2], 64); err == nil && m[1] == "" && n >= 3 {
			total = max(total, n)
		}
	}
	if total == 0 {
		total = boardLength
	}
	if b.task.MaxSeconds > 0 {
		total = min(total, b.task.MaxSeconds)
	}
	return total
}

// pace is how long a panel is to last, as a share of the usual.
func pace(words string) float64 {
	faster, slower := fasterWords.MatchString(words), slowerWords.MatchString(words)
	switch {
	case faster && !slower:
		return 0.7
	case slower && !faster:
		return 1.3
	}
	return 1
}

// plan is the whole board: a new one, or the base board worked over.
func (b *story) plan() []panelOut {
	if len(b.base) > 0 {
		return b.rework()
	}
	total := b.length()
	n := min(max(int(math.Round(total/(2.5*pace(b.steer+"\n"+b.task.What)))), 3), 12)
	n = max(n, len(b.task.MustUse))
	each := math.Floor(total/float64(n)*10) / 10
	if each < shortestCut {
		each, n = shortestCut, max(int(total/shortestCut), 1)
	}
	var out []panelOut
	for more := true; more; { // in turn, as long as anything has something left to show
		more = false
		for _, f := range b.cast() {
			if len(out) == n {
				break
			}
			if p, ok := f.cut(each); ok {
				out, more = append(out, p), true
			}
		}
	}
	taken := map[string]bool{}
	for i := range out {
		out[i].Caption = b.caption(i, len(out), taken)
	}
	return out
}

// cast are the videos that panels are cut from, best first.
func (b *story) cast() []*footage {
	good := b.good()
	return good[:min(len(good), max(boardViews, len(b.task.MustUse)))]
}

// suited are the cast with those first that show what the order's own words name.
func (b *story) suited() []*footage {
	named := concepts(b.task.What, 1)
	out := slices.Clone(b.cast())
	slices.SortStableFunc(out, func(x, y *footage) int {
		fits := func(f *footage) float64 {
			score, _, _ := fit(named, f.Title+"\n"+f.Verdict, nil)
			return score
		}
		return cmp.Compare(fits(y), fits(x))
	})
	return out
}

// cut takes the next stretch that was not shown yet, from a cut of the video where
// there is one long enough.
func (f *footage) cut(seconds float64) (panelOut, bool) {
	seconds = min(seconds, f.Seconds)
	var starts []float64
	for _, whole := range []bool{true, false} {
		for _, s := range f.scenes {
			if (s.To-s.From >= seconds) == whole {
				starts = append(starts, s.From)
			}
		}
	}
	starts = append(starts, 0)
	for _, u := range f.used {
		starts = append(starts, u.To)
	}
	starts = append(starts, f.Seconds-seconds)
	for _, from := range starts {
		s := stretch{cents(from), cents(from + seconds)}
		if s.From >= 0 && s.To <= f.Seconds && seconds >= shortestCut && !f.shown(s) {
			f.used = append(f.used, s)
			return panelOut{Seconds: cents(seconds), Material: f.Material, From: s.From, To: s.To}, true
		}
	}
	return panelOut{}, false
}

func (f *footage) shown(s stretch) bool {
	for _, u := range f.used {
		if s.From < u.To && u.From < s.To {
			return true
		}
	}
	return false
}

func cents(v float64) float64 { return math.Round(v*100) / 100 }

// redone are the panels of the base board that are planned anew: those that are to
// change; all that need not stay, if none is named; and as many more, from the
// end, as named videos need a place.
func (b *story) redone() map[int]bool {
	named := false
	for _, p := range b.base {
		named = named || p.Change && !p.Keep
	}
	out := map[int]bool{}
	for _, p := range b.base {
		if !p.Keep && (p.Change || !named) {
			out[p.Number] = true
		}
	}
	for i := len(b.base) - 1; i >= 0 && len(out) < len(b.absent(out)); i-- {
		if p := b.base[i]; !p.Keep {
			out[p.Number] = true
		}
	}
	return out
}

// absent are the named videos that no panel shows which stays.
func (b *story) absent(redone map[int]bool) []*footage {
	var out []*footage
	for _, f := range b.items {
		shown := false
		for _, p := range b.base {
			shown = shown || p.Material == f.Material && !redone[p.Number]
		}
		if f.Must && !shown {
			out = append(out, f)
		}
	}
	return out
}

// rework keeps what is to stay and plans the rest of the base board anew, in the
// same places; named videos that found no place follow at the end.
func (b *story) rework() []panelOut {
	redone := b.redone()
	queue := append(b.absent(redone), b.suited()...)
	taken := map[string]bool{}
	for _, p := range b.base {
		taken[p.Caption] = true
	}
	scale := pace(b.task.What)
	out := make([]panelOut, 0, len(b.base))
	take := func(seconds float64, not string) (panelOut, bool) {
		// Rather something else and shorter than the same video again.
		for _, share := range []float64{1, 0.8, 0.6, 0} {
			for i, f := range queue {
				if share > 0 && f.Material == not && !f.Must {
					continue
				}
				if p, ok := f.cut(max(seconds*cmp.Or(share, 1), shortestCut)); ok {
					queue = append(append(queue[:i:i], queue[i+1:]...), f) // to the end of the queue
					return p, true
				}
			}
		}
		return panelOut{}, false
	}
	for i, p := range b.base {
		if redone[p.Number] {
			if cut, ok := take(max(cents(p.Seconds*scale), shortestCut), p.Material); ok {
				cut.Caption = b.caption(i, len(b.base), taken)
				out = append(out, cut)
				continue
			}
		}
		out = append(out, panelOut{Keep: true})
	}
	shown := map[string]bool{}
	for i, p := range out {
		if shown[p.Material] = true; p.Keep {
			shown[b.base[i].Material] = true
		}
	}
	for _, f := range b.items {
		if f.Must && !shown[f.Material] {
			if cut, ok := f.cut(shortestCut); ok {
				out = append(out, cut)
			}
		}
	}
	return b.shorten(out)
}

// shorten makes room in the limit: what need not stay gets shorter, evenly, and
// is dropped from the end where even the shortest cuts are too long.
func (b *story) shorten(panels []panelOut) []panelOut {
	limit := b.task.MaxSeconds
	if n := b.length(); secondsSaid.MatchString(b.task.What) {
		limit = n
	}
	if limit <= 0 {
		return panels
	}
	for {
		fixed, loose, last := 0.0, 0.0, 0
		for i, p := range panels {
			switch {
			case !p.Keep:
				loose += p.Seconds
			case b.base[i].Keep || b.base[i].Material == "":
				fixed, last = fixed+b.base[i].Seconds, i+1
			default:
				loose += b.base[i].Seconds
			}
		}
		if fixed+loose <= limit+0.0005 {
			return panels
		}
		share := (limit - fixed) / loose
		least := math.Inf(1)
		for i, p := range panels {
			seconds := p.Seconds
			if p.Keep {
				seconds = b.base[i].Seconds
			}
			if !p.Keep || !b.base[i].Keep {
				least = min(least, seconds*share)
			}
		}
		if least < shortestCut && len(panels) > last+1 {
			panels = panels[:len(panels)-1]
			continue
		}
		for i, p := range panels {
			if p.Keep {
				old := b.base[i]
				if old.Keep || old.Material == "" {
					continue
				}
				p = panelOut{Caption: old.Caption, Seconds: old.Seconds, Material: old.Material, From: old.From, To: old.To}
			}
			p.Seconds = max(math.Floor(p.Seconds*share*100)/100, shortestCut)
			panels[i] = p
		}
		return panels
	}
}
