package prompts

import (
	"regexp"
	"strings"
	"testing"
)

func TestVersionIsTheHashOfTheText(t *testing.T) {
	t.Parallel()
	p := Butler()
	if !regexp.MustCompile(`^butler@[0-9a-f]{12}$`).MatchString(p.Version) {
		t.Fatalf("version %q", p.Version)
	}
	if again := Butler(); again != p {
		t.Fatalf("two loads differ: %q, %q", p.Version, again.Version)
	}
}

// The constitution is a stable prefix: nothing in it may depend on when or where
// it is read, and it has to name every tool whose rules it gives.
func TestButlerConstitution(t *testing.T) {
	t.Parallel()
	text := Butler().Text
	if m := regexp.MustCompile(`20\d\d-\d\d|[0-9A-HJKMNP-TV-Z]{26}`).FindString(text); m != "" {
		t.Fatalf("a date or an id stands in the prefix: %q", m)
	}
	for _, tool := range []string{
		"read_gene", "view_object", "analyze_video", "read_performance", "read_behavior", "read_feedback",
		"record_feedback", "propose_gene_card", "order_search", "propose_order", "propose_update", "no_update",
	} {
		if !strings.Contains(text, tool) {
			t.Errorf("%s is not mentioned", tool)
		}
	}
}

func TestPlannerConstitution(t *testing.T) {
	t.Parallel()
	text := Planner().Text
	if m := regexp.MustCompile(`20\d\d-\d\d|[0-9A-HJKMNP-TV-Z]{26}`).FindString(text); m != "" {
		t.Fatalf("a date or an id stands in the prefix: %q", m)
	}
	for _, tool := range []string{"read_materials", "view_material", "read_board", "write_board"} {
		if !strings.Contains(text, tool) {
			t.Errorf("%s is not mentioned", tool)
		}
	}
}
