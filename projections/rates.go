package projections

import "math"

// MinSample is the denominator below which a rate says not_enough.
const MinSample = 30

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// wilson is the score interval of a proportion k/n (E. B. Wilson, "Probable
// inference, the law of succession, and statistical inference", JASA 22, 1927):
//
//	(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
func wilson(k, n int) (low, high float64) {
	if n <= 0 {
		return 0, 0
	}
	size := float64(n)
	p := float64(k) / size
	z2 := z95 * z95
	centre := (p + z2/(2*size)) / (1 + z2/size)
	half := z95 * math.Sqrt(p*(1-p)/size+z2/(4*size*size)) / (1 + z2/size)
	return max(0, centre-half), min(1, centre+half)
}

// difference is the 95 % interval of p1 - p2 made from both Wilson intervals
// (R. G. Newcombe, "Interval estimation for the difference between independent
// proportions", Statistics in Medicine 17, 1998, method 10):
//
//	d - √((p1-l1)² + (u2-p2)²)  to  d + √((u1-p1)² + (p2-l2)²)
func difference(k1, n1, k2, n2 int) (low, high float64) {
	p1, p2 := float64(k1)/float64(n1), float64(k2)/float64(n2)
	l1, u1 := wilson(k1, n1)
	l2, u2 := wilson(k2, n2)
	return p1 - p2 - math.Hypot(p1-l1, u2-p2), p1 - p2 + math.Hypot(u1-p1, p2-l2)
}

// newRate is a rate with its interval and no verdict.
func newRate(name string, n, of int) Rate {
	r := Rate{Name: name, N: n, Of: of}
	if of > 0 {
		r.Value = float64(n) / float64(of)
		r.Low, r.High = wilson(n, of)
	}
	return r
}

// judge compares a rate with the baseline's: better or worse if the interval of
// the difference leaves out 0. Each rate is judged by itself.
func judge(r, baseline Rate) Verdict {
	if r.Of < MinSample || baseline.Of < MinSample {
		return NotEnough
	}
	low, high := difference(r.N, r.Of, baseline.N, baseline.Of)
	more, less := Better, Worse
	if r.Name == RateIgnored || r.Name == RateDisliked {
		more, less = Worse, Better
	}
	switch {
	case low > 0:
		return more
	case high < 0:
		return less
	}
	return NoDifference
}
