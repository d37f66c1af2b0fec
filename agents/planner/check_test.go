package planner

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/library"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	rules := func() Rules {
		return Rules{
			MaxSeconds: 15,
			Clips: map[domain.ID]Clip{
				"A": {ID: "A", Title: "爆炸", Seconds: 8.04}, "B": {ID: "B", Title: "丧尸", Seconds: 3},
			},
			Unusable: map[domain.ID]string{"bare": "it has no video file"},
		}
	}
	good := func() []library.Panel {
		return []library.Panel{
			{Number: 1, Caption: "守不住了？", Seconds: 2, Material: "A", From: 0, To: 2},
			{Number: 2, Seconds: 6.04, Material: "A", From: 2, To: 8.04},
			{Number: 3, Caption: "再来", Seconds: 0.5, Material: "B", From: 2.5, To: 3},
		}
	}
	for name, c := range map[string]struct {
		change func(p []library.Panel, r *Rules) []library.Panel
		title  string
		want   []string // parts of each fault, in order
	}{
		"good":       {nil, "好", nil},
		"no title":   {nil, " ", []string{"the title is missing"}},
		"long title": {nil, strings.Repeat("长", 81), []string{"81 characters"}},
		"no panels": {func([]library.Panel, *Rules) []library.Panel { return nil }, "好",
			[]string{"1 to 100 panels, not 0"}},
		"too many": {func(p []library.Panel, _ *Rules) []library.Panel { return make([]library.Panel, 101) }, "好",
			[]string{"not 101"}},
		"exactly the limit": {func(p []library.Panel, r *Rules) []library.Panel { r.MaxSeconds = 8.54; return p }, "好", nil},
		"over the limit": {func(p []library.Panel, r *Rules) []library.Panel { r.MaxSeconds = 8.5; return p }, "好",
			[]string{"last 8.54 s together, the limit is 8.5 s: shorten or drop panels by 0.04 s"}},
		"no limit": {func(p []library.Panel, r *Rules) []library.Panel {
			r.MaxSeconds = 0
			r.Clips["A"] = Clip{Seconds: 900}
			p[1].Seconds, p[1].To = 600, 602
			return p
		}, "好", nil},
		"wrong number":      {func(p []library.Panel, _ *Rules) []library.Panel { p[1].Number = 3; return p }, "好", []string{"panel 2: it says number 3"}},
		"long caption":      {func(p []library.Panel, _ *Rules) []library.Panel { p[0].Caption = strings.Repeat("字", 81); return p }, "好", []string{"panel 1: caption has 81"}},
		"dirty caption":     {func(p []library.Panel, _ *Rules) []library.Panel { p[0].Caption = "a\x00"; return p }, "好", []string{"panel 1: caption is not clean"}},
		"too short":         {func(p []library.Panel, _ *Rules) []library.Panel { p[2].Seconds = 0.3; return p }, "好", []string{"panel 3: 0.3 s is too short"}},
		"no number":         {func(p []library.Panel, _ *Rules) []library.Panel { p[2].From = math.NaN(); return p }, "好", []string{"panel 3: seconds, from and to"}},
		"no material":       {func(p []library.Panel, _ *Rules) []library.Panel { p[2].Material = ""; return p }, "好", []string{"panel 3: material is missing"}},
		"not the agent's":   {func(p []library.Panel, _ *Rules) []library.Panel { p[2].Material = "X"; return p }, "好", []string{"panel 3: X is no material of this agent"}},
		"no video file":     {func(p []library.Panel, _ *Rules) []library.Panel { p[2].Material = "bare"; return p }, "好", []string{"panel 3: material bare cannot be used: it has no video file"}},
		"backwards":         {func(p []library.Panel, _ *Rules) []library.Panel { p[0].From, p[0].To = 2, 1; return p }, "好", []string{"panel 1: from 2 to 1"}},
		"before the clip":   {func(p []library.Panel, _ *Rules) []library.Panel { p[0].From = -1; return p }, "好", []string{"panel 1: from -1"}},
		"beyond the clip":   {func(p []library.Panel, _ *Rules) []library.Panel { p[2].To = 3.1; return p }, "好", []string{"panel 3: to 3.1 lies beyond the clip, which lasts 3 s"}},
		"shorter than said": {func(p []library.Panel, _ *Rules) []library.Panel { p[0].Seconds = 2.5; return p }, "好", []string{"panel 1: it lasts 2.5 s, but its stretch from 0 to 2 has only 2 s"}},
		"a longer stretch":  {func(p []library.Panel, _ *Rules) []library.Panel { p[0].To = 8; return p }, "好", nil},
		"must appear": {func(p []library.Panel, r *Rules) []library.Panel { r.Must = []domain.ID{"B"}; return p[:2] }, "好",
			[]string{`B ("丧尸") was named in the request`}},
		"kept as it was": {func(p []library.Panel, r *Rules) []library.Panel {
			// What is kept need not obey what came later.
			p[1] = library.Panel{Number: 2, Caption: "字", Seconds: 1, Material: "gone", To: 0.5}
			r.Kept = map[int]library.Panel{2: p[1]}
			return p
		}, "好", nil},
		"kept but changed": {func(p []library.Panel, r *Rules) []library.Panel {
			r.Kept = map[int]library.Panel{1: p[0], 3: p[2]}
			p[0].Caption, p[0].To, p[2].Seconds = "别的", 3, 0.4
			return p
		}, "好", []string{"panel 1: people want it kept: caption, to changed", "panel 3: people want it kept: seconds changed"}},
		"kept but gone": {func(p []library.Panel, r *Rules) []library.Panel {
			r.Kept = map[int]library.Panel{5: {Number: 5}}
			return p
		}, "好", []string{"panel 5 must be kept, but the board ends with panel 3"}},
		"everything at once": {func(p []library.Panel, r *Rules) []library.Panel {
			p[0].Material, p[2].To, r.MaxSeconds = "X", 9, 5
			return p
		}, "", []string{"title", "panel 1: X", "panel 3: to 9", "together"}},
	} {
		r, p := rules(), good()
		if c.change != nil {
			p = c.change(p, &r)
		}
		faults := Check(c.title, p, r)
		if name == "too many" {
			faults = faults[:min(len(faults), 1)]
		}
		ok := len(faults) == len(c.want)
		for i := 0; ok && i < len(faults); i++ {
			ok = strings.Contains(faults[i].String(), c.want[i])
		}
		if !ok {
			t.Errorf("%s: %v, want %v", name, faults, c.want)
		}
	}
}

func TestARefusalNamesThePanels(t *testing.T) {
	t.Parallel()
	var faults []Fault
	for n := range 30 {
		faults = append(faults, Fault{n/2 + 1, "too short"})
	}
	err := refused(append(faults, Fault{0, "too long"}))
	var rule *domain.Error
	if !asRule(err, &rule) || rule.Reason != "board_refused" || !strings.Contains(rule.Message, "- panel 1: too short") ||
		!strings.Contains(rule.Message, "and 11 more") {
		t.Fatalf("%+v", rule)
	}
	want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	if diff := cmp.Diff(want, rule.Details["panels"]); diff != "" {
		t.Fatal(diff)
	}
}

func asRule(err error, into **domain.Error) bool {
	e, ok := err.(*domain.Error) //nolint:errorlint // it is returned as it is
	*into = e
	return ok
}
