package streams_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/streams"
)

var eventRow = regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| .+ \\| (.+) \\| .+ \\|$")

// TestEventsDocument holds docs/events.md to the codec: the same types, in the
// same order, with the same fields.
func TestEventsDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, r := range streams.Catalogue() {
		var fields []string
		typ := reflect.TypeOf(r.Zero)
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			fields = append(fields, "`"+name+"`")
		}
		want = append(want, fmt.Sprintf("%s: %s", r.Type, strings.Join(fields, " ")))
	}
	for _, row := range eventRow.FindAllStringSubmatch(string(page), -1) {
		got = append(got, row[1]+": "+row[2])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("docs/events.md differs from the catalogue (-code +document):\n%s", diff)
	}
}
