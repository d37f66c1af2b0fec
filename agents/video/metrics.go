package video

import (
	"math"

	"sozai/domain/library"
)

// metrics are the numbers about the pictures. Sound is not in them.
func (c *cutter) metrics(info Info) library.Metrics {
	d := info.Seconds
	m := library.Metrics{Duration: d, Cuts: []float64{}, Aspect: aspect(info)}
	for _, s := range c.cuts {
		at := round(s.at, 3)
		m.Cuts = append(m.Cuts, at)
		if at <= 3 {
			m.CutsFirst3s++
		}
	}
	n := len(m.Cuts)
	m.ShotCount = n + 1
	m.AverageShot = round(d/float64(n+1), 2)
	m.CutsPerMin = round(60*float64(n)/d, 1)
	if n > 0 {
		m.FirstCut = m.Cuts[0]
	}
	if c.changes > 0 {
		m.Motion = round(min(100, c.motion/float64(c.changes)), 2)
	}
	m.BlackRatio = round(min(1, c.black/d), 3)
	return m
}

// aspect is the nearest common shape within 4 %, or "other".
func aspect(info Info) string {
	shapes := []struct {
		name  string
		ratio float64
	}{{"9:16", 9.0 / 16}, {"4:5", 4.0 / 5}, {"1:1", 1}, {"16:9", 16.0 / 9}}
	ratio := float64(info.Width) / float64(info.Height)
	for _, s := range shapes {
		if math.Abs(ratio/s.ratio-1) <= 0.04 {
			return s.name
		}
	}
	return "other"
}

func round(f float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(f*p) / p
}
