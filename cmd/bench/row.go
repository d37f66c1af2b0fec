package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
)

// row is one line of the table.
type row struct {
	name    string
	unit    string // of ours and of the limit
	must    must
	against string // what the limit is
}

// must is what a row has to reach: a bound on ours itself, or on its ratio to the
// limit.
type must struct {
	ratio bool
	most  bool // ours or the ratio may be at most that, else at least
	bound float64
	unit  string
}

func ratioAtLeast(bound float64) must       { return must{ratio: true, bound: bound} }
func ratioAtMost(bound float64) must        { return must{ratio: true, most: true, bound: bound} }
func atLeast(bound float64, u string) must  { return must{bound: bound, unit: u} }
func atMost(bound float64, u string) must   { return must{most: true, bound: bound, unit: u} }
func (m must) reached(ours, r float64) bool { return m.holds(m.pick(ours, r)) }

func (m must) pick(ours, ratio float64) float64 {
	if m.ratio {
		return ratio
	}
	return ours
}

func (m must) holds(v float64) bool {
	if math.IsNaN(v) {
		return false
	}
	if m.most {
		return v <= m.bound
	}
	return v >= m.bound
}

func (m must) String() string {
	sign, what := ">=", "x"
	if m.most {
		sign = "<="
	}
	if !m.ratio {
		what = m.unit
	}
	return fmt.Sprintf("%s %s %s", sign, figure(m.bound), what)
}

// figure writes a number with the digits that mean something.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case a >= 1e6:
		return strconv.FormatFloat(v/1e6, 'f', 2, 64) + "M"
	case a >= 1e4:
		return strconv.FormatFloat(v/1e3, 'f', 1, 64) + "k"
	case a >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// result is a row as it came out, one object of bench.json. Limit and ratio are
// missing where nothing is measured beside it.
type result struct {
	Name    string   `json:"name"`
	Unit    string   `json:"unit"`
	Ours    *float64 `json:"ours"`
	Limit   *float64 `json:"limit"`
	Ratio   *float64 `json:"ratio"`
	Must    string   `json:"must"`
	OK      bool     `json:"ok"`
	Against string   `json:"against,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// sample is one round of a row; a NaN limit means that none is measured.
type sample struct{ ours, limit float64 }

// conclude makes a row's result of its rounds: medians, and their ratio.
func (r row) conclude(rounds []sample, failed error) result {
	res := result{Name: r.name, Unit: r.unit, Must: r.must.String(), Against: r.against}
	if failed != nil {
		res.Error = failed.Error()
		return res
	}
	if len(rounds) == 0 {
		res.Error = "nothing was measured"
		return res
	}
	var ours, limits []float64
	for _, s := range rounds {
		ours = append(ours, s.ours)
		if !math.IsNaN(s.limit) {
			limits = append(limits, s.limit)
		}
	}
	mine, ratio := median(ours), math.NaN()
	res.Ours = &mine
	if len(limits) > 0 {
		limit := median(limits)
		ratio = mine / limit
		res.Limit, res.Ratio = &limit, &ratio
	}
	res.OK = r.must.reached(mine, ratio)
	return res
}

// group is what is measured together.
type group struct {
	name string
	rows []row
	run  func(ctx context.Context, b *bench) error
}
