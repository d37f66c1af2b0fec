package video

import "math"

// A cut is a picture that differs from all pictures shortly before it much more
// than its neighbours do from theirs, where the old scene is neither found
// again in the new picture (it moved) nor comes back soon (it was a flash).
// Fades and dissolves are no cuts. Times are seconds.
const (
	sideFrames    = 4     // neighbours on each side that say what is usual here
	sideTime      = 0.2   // as long as they are no further away
	memory        = 0.21  // a picture that comes back within this time is nothing new
	maxMemory     = 14    // pictures compared with at most
	flash         = 0.21  // a scene that comes back within this time was never left
	flashPale     = 0.60  // the same if what was shown meanwhile was pale or dark
	minShot       = 0.10  // of cuts closer than that only one counts
	endMargin     = 0.10  // changes this close to the end are no cuts
	lookAround    = 0.70  // pictures kept on both sides of a decision
	maxWindow     = 240   // pictures kept at most
	repeated      = 0.003 // difference up to which a picture only repeats the one before
	minExtent     = 0.4   // share of the picture that a cut changes; a caption changes less
	changedLevels = 6     // levels by which a changed block differs, beyond what is usual
)

// cutter finds the cuts in pictures that are pushed in order, and sums up what
// else is measured in them.
type cutter struct {
	window []*small // pictures that are not mere repetitions
	next   int      // index in window of the next picture to decide on
	cuts   []*small // the first picture after each cut
	trace  func(*small, verdict)

	pushed     int
	last       float64 // time of the last picture pushed
	motion     float64 // sum of brightness changes that are no cuts
	changes    int     // number of changes in that sum
	black      float64 // seconds of black that lasted long enough
	blackSince float64 // start of the present black; negative: it is not black
}

// verdict is what was found about one picture; tests print it.
type verdict struct {
	diff, hist, diffSide, histSide float64
	extent, match, texture         float64
	flash, cut                     bool
}

func newCutter() *cutter { return &cutter{blackSince: -1} }

// push takes the next picture.
func (c *cutter) push(s *small) {
	c.countBlack(s)
	if n := len(c.window); n > 0 {
		before := c.window[n-1]
		s.gap = s.at - c.last
		s.luma = lumaDifference(before, s)
		if difference(before, s) < repeated {
			c.changes++
			c.pushed++
			c.last = s.at
			return
		}
		c.compare(s)
	}
	c.last = s.at
	c.window = append(c.window, s)
	c.pushed++
	for c.next < len(c.window) && (s.at-c.window[c.next].at >= lookAround || len(c.window)-c.next > maxWindow/2) {
		c.decide()
	}
}

// finish decides on the pictures that are left.
func (c *cutter) finish(duration float64) {
	for c.next < len(c.window) {
		c.decide()
	}
	for len(c.cuts) > 0 && c.cuts[0].at < minShot {
		c.cuts = c.cuts[1:]
	}
	for len(c.cuts) > 0 && c.cuts[len(c.cuts)-1].at > duration-endMargin {
		c.cuts = c.cuts[:len(c.cuts)-1]
	}
	c.endBlack(duration)
}

// compare finds how much a picture differs from the most similar one of the
// last pictures: what flickers, or returns after a flash, is not new.
func (c *cutter) compare(s *small) {
	n := len(c.window)
	s.diff, s.hist = math.Inf(1), math.Inf(1)
	pale := true // everything met so far on the way back
	for i := n - 1; i >= 0; i-- {
		before := c.window[i]
		recent := i == n-1 || s.at-before.at <= memory && n-i <= maxMemory
		if !recent && (!pale || s.at-before.at > flashPale) {
			break
		}
		pale = pale && paler(s, before)
		if d := difference(before, s); d < s.diff {
			s.diff, s.ref = d, before
		}
		s.hist = min(s.hist, palette(before, s))
	}
	if last := c.window[n-1]; last.blank() && s.diff < difference(last, s)/2 {
		s.gap = s.at - s.ref.at // it goes on where it was before the flash
	}
}

func (c *cutter) decide() {
	i := c.next
	s := c.window[i]
	if i > 0 {
		v := c.judge(i)
		if v.cut {
			c.note(s)
		} else {
			c.motion += s.luma
			c.changes++
		}
		if c.trace != nil {
			c.trace(s, v)
		}
	}
	c.next++
	drop := 0
	for drop < c.next-sideFrames-1 && (s.at-c.window[drop].at > lookAround || c.next-drop > maxWindow/2) {
		drop++
	}
	c.window = c.window[drop:]
	c.next -= drop
}

// note keeps a cut unless it is too close to the last one: the stronger counts,
// and a moment of white or black between two scenes is one cut with them.
func (c *cutter) note(s *small) {
	n := len(c.cuts)
	if n == 0 || s.at-c.cuts[n-1].at >= flash {
		c.cuts = append(c.cuts, s)
		return
	}
	last := c.cuts[n-1]
	blank := true
	for _, w := range c.window {
		if w.at >= last.at && w.at < s.at {
			blank = blank && w.blank()
		}
	}
	switch {
	case blank:
	case s.at-last.at >= minShot:
		c.cuts = append(c.cuts, s)
	case s.diff > last.diff:
		c.cuts[n-1] = s
	}
}

func (c *cutter) judge(i int) verdict {
	b := c.window[i]
	v := verdict{diff: b.diff, hist: b.hist}
	v.diffSide = sides(c.usual(i, -1, (*small).diffOf), c.usual(i, 1, (*small).diffOf))
	v.histSide = sides(c.usual(i, -1, (*small).histOf), c.usual(i, 1, (*small).histOf))
	if v.diff <= 0.02+2*v.diffSide && v.hist <= 0.035+2.5*v.histSide {
		return v
	}
	if v.extent = changed(b.ref, b, changedLevels+255*v.diffSide); v.extent < minExtent {
		return v
	}
	v.match, v.texture = matched(b.ref, b)
	v.flash = c.comesBack(i)
	enough := 0.5
	if v.hist > 0.15 {
		enough = 0.75 // other colours too: some blocks look alike by chance
	}
	v.cut = (v.match < enough || v.texture < 0.15) && !v.flash
	return v
}

// sides weighs what is usual before and after: the livelier side counts more.
func sides(before, after float64) float64 {
	return 0.7*max(before, after) + 0.3*min(before, after)
}

// usual is how much the pictures on one side differ, scaled to the time that
// picture i had to change: the second largest value, so that another cut among
// them does not count.
func (c *cutter) usual(i, side int, value func(*small) float64) float64 {
	s := c.window[i]
	first, second := 0.0, 0.0
	for k := 1; k <= sideFrames; k++ {
		j := i + side*k
		if j < 1 || j >= len(c.window) {
			break
		}
		near := c.window[j]
		if math.Abs(near.at-s.at) > max(sideTime, float64(k)*s.gap*1.01) {
			break
		}
		x := value(near)
		if near.gap > 0 {
			x *= min(3, max(0.6, s.gap/near.gap))
		}
		switch {
		case x > first:
			first, second = x, first
		case x > second:
			second = x
		}
	}
	return second
}

// comesBack says whether the scene before picture i returns soon after it.
func (c *cutter) comesBack(i int) bool {
	a := c.before(i)
	pale := true
	for j := i + 1; j < len(c.window); j++ {
		age := c.window[j].at - c.window[i].at
		pale = pale && paler(a, c.window[j-1])
		if age > flashPale || age > flash && !pale {
			break
		}
		if !c.window[j].blank() && sameScene(a, c.window[j], c.window[i]) {
			return true
		}
	}
	return false
}

// before is the last picture before i that shows something.
func (c *cutter) before(i int) *small {
	for j := i - 1; j >= 0 && c.window[i].at-c.window[j].at <= memory; j-- {
		if !c.window[j].blank() {
			return c.window[j]
		}
	}
	return c.window[i-1]
}

// sameScene says whether b shows what a showed before the picture between them.
func sameScene(a, b, between *small) bool {
	far := palette(a, between)
	if difference(a, b) < 0.02 || palette(a, b) < 0.15*far {
		return true
	}
	share, texture := matched(a, b)
	return texture >= 0.1 && share > 0.6 && palette(a, b) < 0.5*far
}

// paler says whether b may be a seen through a flash or in the dark.
func paler(a, b *small) bool { return b.blank() || b.contrast < 0.6*a.contrast }

// minBlack is how long it must be black to count.
const minBlack = 0.1

func (c *cutter) countBlack(s *small) {
	switch {
	case s.dark < 0.98:
		c.endBlack(s.at)
	case c.blackSince < 0:
		c.blackSince = s.at
	}
}

func (c *cutter) endBlack(at float64) {
	if c.blackSince >= 0 && at-c.blackSince >= minBlack {
		c.black += at - c.blackSince
	}
	c.blackSince = -1
}
