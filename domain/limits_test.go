package domain_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var limitRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `([^`]+)` \\|")

// TestLimitsDocument holds docs/limits.md to limits.go: the same limits, in the
// same order, with the same values.
func TestLimitsDocument(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	source, err := parser.ParseFile(files, "limits.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want, got [][2]string
	for _, decl := range source.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			var text bytes.Buffer
			if err := printer.Fprint(&text, files, value.Values[0]); err != nil {
				t.Fatal(err)
			}
			want = append(want, [2]string{value.Names[0].Name, text.String()})
		}
	}
	page, err := os.ReadFile("../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range limitRow.FindAllStringSubmatch(string(page), -1) {
		got = append(got, [2]string{row[1], row[2]})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("docs/limits.md differs from limits.go (-code +document):\n%s", diff)
	}
}
