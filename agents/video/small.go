package video

import "math"

// small is a decoded picture scaled down: three planes of w×h bytes, with the
// histograms that a comparison needs.
type small struct {
	at         float64 // seconds
	w, h       int
	y, u, v    []byte
	cy, cu, cv [histBins]float64 // cumulative histograms, ending in 1
	dark       float64           // share of nearly black pixels
	contrast   float64           // mean deviation of brightness within blocks
	flat       bool              // no block has a texture
	luma       float64           // mean change of brightness, 0–100; 0 for the first
	gap        float64           // seconds since the picture before
	ref        *small            // the most similar picture shortly before; nil for the first
	diff, hist float64           // differences from what was shown shortly before
}

const histBins = 32

func newSmall(at float64, w, h int, data []byte) *small {
	n := w * h
	s := &small{at: at, w: w, h: h, y: data[:n], u: data[n : 2*n], v: data[2*n : 3*n]}
	cumulate(&s.cy, s.y)
	cumulate(&s.cu, s.u)
	cumulate(&s.cv, s.v)
	const blackLevel = 16 + 22 // 10 % of the video range
	black := 0
	for _, b := range s.y {
		if b <= blackLevel {
			black++
		}
	}
	s.dark = float64(black) / float64(n)
	s.contrast, s.flat = s.texture()
	return s
}

// texture is the mean deviation of brightness within blocks, and whether none of
// them shows anything.
func (s *small) texture() (contrast float64, flat bool) {
	n, highest := 0, 0.0
	for y := 0; y+block <= s.h; y += block {
		for x := 0; x+block <= s.w; x += block {
			_, dev := blockStats(s, x, y)
			contrast += dev
			highest = max(highest, dev)
			n++
		}
	}
	return contrast / float64(n), highest <= 2*smooth
}

// blank says whether a picture is one flat white or black.
func (s *small) blank() bool {
	if !s.flat {
		return false
	}
	darkness := 0.0
	for _, c := range s.cy {
		darkness += c
	}
	darkness /= histBins
	return darkness < 0.2 || darkness > 0.9
}

func (s *small) diffOf() float64 { return s.diff }
func (s *small) histOf() float64 { return s.hist }

// cumulate spreads every value over its two nearest bins, so that a slow change
// of a flat colour never jumps.
func cumulate(c *[histBins]float64, plane []byte) {
	const step = 256 / histBins
	var count [256]int
	for _, b := range plane {
		count[b]++
	}
	for value, k := range count {
		if k == 0 {
			continue
		}
		bin, part := value/step, float64(value%step)/step
		c[bin] += float64(k) * (1 - part)
		c[min(bin+1, histBins-1)] += float64(k) * part
	}
	sum := 0.0
	for i := range c {
		sum += c[i]
		c[i] = sum / float64(len(plane))
	}
}

// lumaDifference is the mean absolute difference of brightness, 0–100.
func lumaDifference(a, b *small) float64 {
	return 100 * meanDifference(a.y, b.y)
}

// difference is the mean absolute difference of two pictures, pixel by pixel,
// 0–1, colour counted as brightness.
func difference(a, b *small) float64 {
	return meanDifference(a.y, b.y) + meanDifference(a.u, b.u) + meanDifference(a.v, b.v)
}

func meanDifference(a, b []byte) float64 {
	sum := 0
	for i, p := range a {
		sum += abs(int(p) - int(b[i]))
	}
	return float64(sum) / float64(len(a)) / 255
}

// palette is how far the colours of two pictures are apart whatever their
// places: the earth mover's distance of their histograms, 0–1 a plane.
func palette(a, b *small) float64 {
	sum := 0.0
	for i := range a.cy {
		sum += math.Abs(a.cy[i]-b.cy[i]) + math.Abs(a.cu[i]-b.cu[i]) + math.Abs(a.cv[i]-b.cv[i])
	}
	return sum / histBins
}
