package planner

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"sozai/domain"
	"sozai/domain/library"
)

// Limits of a board that is written here, beside those of any board. People may
// write others by hand.
const (
	MinPanelSeconds = 0.5
	MaxBoardSeconds = 600 // where the gene sets no limit; longer films are not rendered
	MaxCaption      = 80  // characters: it has to be read on the picture
	MaxBoardTitle   = 80
	maxFaults       = 20 // told at once
	aLittle         = 0.001
)

// Clip is a video that a panel may be cut from.
type Clip struct {
	ID      domain.ID
	Type    domain.ObjectType // material or asset
	Title   string
	Seconds float64
}

// Rules are what a board must obey here.
type Rules struct {
	MaxSeconds float64 // 0 = no limit
	// Clips are the agent's usable videos; Unusable are its others, with the
	// reason. What is in neither is not the agent's.
	Clips    map[domain.ID]Clip
	Unusable map[domain.ID]string
	Must     []domain.ID           // clips that must appear
	Kept     map[int]library.Panel // panels of the base board that stay, by number
}

// Fault is what is wrong with one panel, or with the board as a whole if Panel is 0.
type Fault struct {
	Panel   int
	Problem string
}

func (f Fault) String() string {
	if f.Panel == 0 {
		return f.Problem
	}
	return fmt.Sprintf("panel %d: %s", f.Panel, f.Problem)
}

// Check lists everything that is wrong with a board, in the order of its panels;
// none means that it may be recorded. Lengths hold to a millisecond. A kept panel
// is only compared with what it was: it need not obey what came later.
func Check(title string, panels []library.Panel, r Rules) []Fault {
	var faults []Fault
	fault := func(panel int, format string, args ...any) {
		faults = append(faults, Fault{panel, fmt.Sprintf(format, args...)})
	}
	switch n := utf8.RuneCountInString(strings.TrimSpace(title)); {
	case n == 0:
		fault(0, "the title is missing")
	case n > MaxBoardTitle:
		fault(0, "the title has %d characters, at most %d are allowed", n, MaxBoardTitle)
	}
	if len(panels) == 0 || len(panels) > library.MaxPanels {
		fault(0, "a board has 1 to %d panels, not %d", library.MaxPanels, len(panels))
		return faults
	}
	total, used := 0.0, map[domain.ID]bool{}
	for i, p := range panels {
		n := i + 1
		used[p.Material] = true
		total += p.Seconds
		if p.Number != n {
			fault(n, "it says number %d; panels are numbered from 1 in their order", p.Number)
		}
		if kept, ok := r.Kept[n]; ok {
			if p != kept {
				fault(n, "people want it kept: %s. Write {\"keep\":true} there", differs(kept, p))
			}
			continue
		}
		for _, problem := range checkPanel(p, r) {
			fault(n, "%s", problem)
		}
	}
	for n := len(panels) + 1; n <= library.MaxPanels; n++ {
		if _, ok := r.Kept[n]; ok {
			fault(0, "panel %d must be kept, but the board ends with panel %d", n, len(panels))
		}
	}
	if r.MaxSeconds > 0 && total > r.MaxSeconds+aLittle {
		fault(0, "the panels last %s s together, the limit is %s s: shorten or drop panels by %s s",
			number(total), number(r.MaxSeconds), number(total-r.MaxSeconds))
	}
	for _, id := range r.Must {
		if !used[id] {
			fault(0, "%s (%q) was named in the request and must appear in a panel", id, line(r.Clips[id].Title, 40))
		}
	}
	return faults
}

// checkPanel lists what is wrong with a panel by itself.
func checkPanel(p library.Panel, r Rules) []string {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if err := domain.CheckText("caption", p.Caption, MaxCaption); err != nil {
		add("%s", err)
	}
	if !domain.Finite(p.Seconds, p.From, p.To) {
		add("seconds, from and to must be numbers")
		return problems
	}
	if p.Seconds < MinPanelSeconds-aLittle {
		add("%s s is too short, at least %s s", number(p.Seconds), number(MinPanelSeconds))
	}
	clip, ok := r.Clips[p.Material]
	switch why, unusable := r.Unusable[p.Material]; {
	case p.Material == "":
		add("material is missing")
		return problems
	case !ok && unusable:
		add("material %s cannot be used: %s", p.Material, why)
		return problems
	case !ok:
		add("%s is no material of this agent; take the ids from read_materials", p.Material)
		return problems
	}
	switch {
	case p.From < 0 || p.To <= p.From:
		add("from %s to %s is no stretch of a clip", number(p.From), number(p.To))
	case p.To > clip.Seconds+aLittle:
		add("to %s lies beyond the clip, which lasts %s s", number(p.To), number(floor(clip.Seconds)))
	case p.Seconds > p.To-p.From+aLittle:
		add("it lasts %s s, but its stretch from %s to %s has only %s s", number(p.Seconds), number(p.From), number(p.To), number(p.To-p.From))
	}
	return problems
}

// differs names the fields in which a panel is not what it was.
func differs(was, is library.Panel) string {
	var fields []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"caption", was.Caption == is.Caption},
		{"seconds", was.Seconds == is.Seconds},
		{"material", was.Material == is.Material},
		{"from", was.From == is.From},
		{"to", was.To == is.To},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return strings.Join(fields, ", ") + " changed"
}

// number writes seconds as short as they are, to a millisecond.
func number(v float64) string { return fmt.Sprint(round(v)) }

// round is a number of seconds to a millisecond; what is no number stays none.
func round(v float64) float64 { return math.Round(v*1000) / 1000 }
