package feedback_test

import (
	"errors"
	"strings"
	"testing"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/feedback"
)

func liked(change func(*feedback.Given)) feedback.Given {
	g := feedback.Given{Feedback: "f", Object: domain.Ref{Type: domain.Material, ID: "m"}, Verdict: feedback.Like}
	if change != nil {
		change(&g)
	}
	return g
}

func TestRules(t *testing.T) {
	t.Parallel()
	about := func(ref domain.Ref) func(*feedback.Given) { return func(g *feedback.Given) { g.Object = ref } }
	wroteDown := func(g *feedback.Given) { g.OnBehalf, g.Turn = "ann", "t" }
	for _, c := range []struct {
		rule   string
		by     domain.Actor
		change func(*feedback.Given)
		want   error
	}{
		{"1 verdict only", domaintest.Ann, nil, nil},
		{"1 words only", domaintest.Ann, func(g *feedback.Given) { g.Verdict, g.Words = "", "太暗" }, nil},
		{"1 neither", domaintest.Ann, func(g *feedback.Given) { g.Verdict = "" }, feedback.ErrEmpty},
		{"1 no such verdict", domaintest.Ann, func(g *feedback.Given) { g.Verdict = "meh" }, feedback.ErrVerdict},
		{"1 no id", domaintest.Ann, func(g *feedback.Given) { g.Feedback = "" }, domain.ErrMissing},
		{"1 longest words", domaintest.Ann, func(g *feedback.Given) { g.Words = strings.Repeat("暗", domain.MaxFeedback) }, nil},
		{"1 longer words", domaintest.Ann, func(g *feedback.Given) { g.Words = strings.Repeat("暗", domain.MaxFeedback+1) }, domain.ErrTooLong},
		{"2 board", domaintest.Ann, about(domain.Ref{Type: domain.Board, ID: "b"}), nil},
		{"2 panel", domaintest.Ann, about(domain.Ref{Type: domain.Board, ID: "b", Panel: 3}), nil},
		{"2 film", domaintest.Ann, about(domain.Ref{Type: domain.Film, ID: "f"}), nil},
		{"2 stretch", domaintest.Ann, about(domain.Ref{Type: domain.Film, ID: "f", From: 1.5, To: 3}), nil},
		{"2 whole", domaintest.Ann, about(domain.Ref{Type: domain.Whole}), nil},
		{"2 card", domaintest.Ann, about(domain.Ref{Type: domain.CardObj, ID: "c"}), feedback.ErrObject},
		{"2 panel of a film", domaintest.Ann, about(domain.Ref{Type: domain.Film, ID: "f", Panel: 1}), domain.ErrRef},
		{"2 material without id", domaintest.Ann, about(domain.Ref{Type: domain.Material}), domain.ErrRef},
		{"3 butler writes down", domaintest.Butler, wroteDown, nil},
		{"3 butler by itself", domaintest.Butler, nil, feedback.ErrSpeaker},
		{"3 butler without turn", domaintest.Butler, func(g *feedback.Given) { g.OnBehalf = "ann" }, feedback.ErrSpeaker},
		{"3 person for another", domaintest.Ann, wroteDown, feedback.ErrSpeaker},
		{"3 system", domaintest.System, wroteDown, feedback.ErrSpeaker},
		{"5 steer", domaintest.Ann, func(g *feedback.Given) { g.Document = domain.Steer }, nil},
		{"5 no such document", domaintest.Ann, func(g *feedback.Given) { g.Document = "sauce" }, feedback.ErrDocument},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if err := liked(c.change).Check(c.by); !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestRule4_WordsAreStrong(t *testing.T) {
	t.Parallel()
	if liked(nil).Strong() {
		t.Fatal("a click is strong")
	}
	if !liked(func(g *feedback.Given) { g.Words = "好" }).Strong() {
		t.Fatal("words are weak")
	}
}

func TestRule5_DefaultDocument(t *testing.T) {
	t.Parallel()
	for object, want := range map[domain.ObjectType]domain.Document{
		domain.Material: domain.Search, domain.Board: domain.Steer, domain.Film: domain.Steer, domain.Whole: "",
	} {
		g := liked(func(g *feedback.Given) { g.Object.Type = object })
		if got := g.SpeaksTo(); got != want {
			t.Fatalf("feedback on a %s speaks to %q, want %q", object, got, want)
		}
	}
	if got := liked(func(g *feedback.Given) { g.Document = domain.Steer }).SpeaksTo(); got != domain.Steer {
		t.Fatalf("what was said does not count: %q", got)
	}
}

func TestRule6_OnlyTheSpeakerWithdraws(t *testing.T) {
	t.Parallel()
	own, noted := liked(nil), liked(func(g *feedback.Given) { g.OnBehalf, g.Turn = "ann", "t" })
	for name, c := range map[string]struct {
		g         feedback.Given
		given, by domain.Actor
		want      error
	}{
		"own":                     {own, domaintest.Ann, domaintest.Ann, nil},
		"another's":               {own, domaintest.Ann, domaintest.Bob, feedback.ErrNotOwn},
		"noted by a butler":       {noted, domaintest.Butler, domaintest.Ann, nil},
		"noted, by another":       {noted, domaintest.Butler, domaintest.Bob, feedback.ErrNotOwn},
		"noted, by the butler":    {noted, domaintest.Butler, domaintest.Butler, feedback.ErrNotOwn},
		"recorded by a non-human": {own, domaintest.System, domaintest.System, feedback.ErrNotOwn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := c.g.Withdraw(c.given, c.by)
			if !errors.Is(err, c.want) || err == nil && w.Feedback != "f" {
				t.Fatalf("got %+v, %v, want %v", w, err, c.want)
			}
		})
	}
}
