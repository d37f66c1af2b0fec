package fault_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sozai/streams/fault"
)

const root = "../.."

// points are the steps that the program's source marks, with where.
func points(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{"node_modules", "dist", ".git", "bin"}, entry.Name()) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || name.Sel.Name != "Point" || len(call.Args) != 1 {
				return true
			}
			if pkg, ok := name.X.(*ast.Ident); !ok || pkg.Name != "fault" {
				return true
			}
			literal, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				t.Errorf("%s: a fault point is named by a literal, so that it can be found", path)
				return true
			}
			step, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			found[step] = append(found[step], path)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEveryNameIsAStepOfTheProgram(t *testing.T) {
	t.Parallel()
	found := points(t)
	for _, name := range fault.Names {
		if len(found[name]) == 0 {
			t.Errorf("%s is listed and marked nowhere", name)
		}
	}
	for name, paths := range found {
		if !slices.Contains(fault.Names, name) {
			t.Errorf("%s marks %q, which is not listed", paths[0], name)
		}
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(fault.Names))); len(sorted) != len(fault.Names) {
		t.Errorf("a name is listed twice: %v", fault.Names)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	name, pass, err := fault.Parse("run.saved:3")
	if name != "run.saved" || pass != 3 || err != nil {
		t.Fatalf("got %q, %d, %v", name, pass, err)
	}
	for _, bad := range []string{"", "run.saved", "run.saved:", "run.saved:0", "run.saved:-1", "run.saved:x", "run.save:1", ":1"} {
		if _, _, err := fault.Parse(bad); err == nil || !strings.Contains(err.Error(), fault.Variable) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
