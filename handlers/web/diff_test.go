package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, from, to string
		want           []Piece
	}{
		{"equal", "a\nb", "a\nb", []Piece{{Same, "a\nb"}}},
		{"empty", "", "", []Piece{}},
		{"from nothing", "", "新", []Piece{{Added, "新"}}},
		{"a word", "more big explosions", "more loud explosions", []Piece{{Same, "more "}, {Removed, "big"}, {Added, "loud"}, {Same, " explosions"}}},
		{"characters", "节奏要快", "节奏要更快", []Piece{{Same, "节奏要"}, {Added, "更"}, {Same, "快"}}},
		{"a line", "a\nb\nc", "a\nc", []Piece{{Same, "a\n"}, {Removed, "b\n"}, {Same, "c"}}},
	} {
		if diff := cmp.Diff(c.want, Diff(c.from, c.to)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Same and removed pieces are the old text, same and added ones the new.
func TestDiffIsLossless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab 爆炸\n.")))
		from, to := text.Draw(t, "from"), text.Draw(t, "to")
		var was, is strings.Builder
		for _, p := range Diff(from, to) {
			if p.Op != Added {
				was.WriteString(p.Text)
			}
			if p.Op != Removed {
				is.WriteString(p.Text)
			}
		}
		if was.String() != from || is.String() != to {
			t.Fatalf("%q -> %q came back as %q -> %q", from, to, was.String(), is.String())
		}
	})
}

// Twenty thousand characters on either side must not take gigabytes.
func TestDiffOfHugeTexts(t *testing.T) {
	t.Parallel()
	from, to := strings.Repeat("a\n", 10_000), strings.Repeat("b\n", 10_000)
	if got := Diff(from, to); len(got) != 3 || got[0].Op != Removed || got[1].Op != Added {
		t.Fatalf("%d pieces", len(got))
	}
}
