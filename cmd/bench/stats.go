package main

import (
	"math"
	"slices"
	"time"
)

// median of values; NaN if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// quantile is the smallest value that at least q of all do not exceed; NaN if
// there are none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// histogram counts durations in steps of a tenth of a millisecond up to ten
// seconds, for samples that are too many to keep.
type histogram struct {
	count [100_000]uint64
	total uint64
}

const histogramStep = 100 * time.Microsecond

func (h *histogram) add(d time.Duration) {
	i := min(max(int(d/histogramStep), 0), len(h.count)-1)
	h.count[i]++
	h.total++
}

// quantile in milliseconds, the upper edge of its step; NaN if it is empty.
func (h *histogram) quantile(q float64) float64 {
	rank := uint64(math.Ceil(q * float64(h.total)))
	var seen uint64
	for i, n := range h.count {
		if seen += n; n > 0 && seen >= rank {
			return ms(time.Duration(i+1) * histogramStep)
		}
	}
	return math.NaN()
}
