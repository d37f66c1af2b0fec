package domain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "sozai"

// layers are the folders of the repository from left to right: each may import
// itself and what stands left of it. Those of embedded are beside the row: they
// import nothing of ours, and everybody right of them may import them.
func layers() []string {
	return []string{"domain", "streams", "projections", "agents", "handlers", "cmd"}
}

func embedded() map[string]string {
	return map[string]string{"migrations": "projections", "frontend": "handlers"} // folder: first layer that may import it
}

// forbidden are modules that a layer must not know, with the reason.
func forbidden() map[string]map[string]string {
	const (
		web   = "HTTP belongs to handlers"
		sql   = "tables belong to projections and handlers"
		model = "model providers belong to agents"
	)
	return map[string]map[string]string{
		"streams": {
			"github.com/jackc/pgx": sql, "github.com/pressly/goose": sql, "database/sql": sql,
			"github.com/gofiber": web, "github.com/danielgtaylor/huma": web, "github.com/anthropics": model,
		},
		"projections": {
			"github.com/gofiber": web, "github.com/danielgtaylor/huma": web, "github.com/anthropics": model,
		},
		"agents":   {"github.com/gofiber": web, "github.com/danielgtaylor/huma": web},
		"handlers": {"github.com/anthropics": model},
	}
}

// impure are packages of the standard library that domain must not import.
func impure() []string {
	return []string{
		"bufio", "context", "crypto/rand", "database/sql", "embed", "io", "io/fs", "log", "log/slog", "math/rand",
		"math/rand/v2", "net", "net/http", "os", "os/exec", "os/signal", "path/filepath", "runtime", "sync", "syscall",
	}
}

// clocked are functions of package time that read a clock or files.
func clocked() []string {
	return []string{
		"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "LoadLocation", "Local",
	}
}

// source is one Go file of the repository.
type source struct {
	path string // from the root, with slashes
	file *ast.File
}

func (s source) layer() string  { return strings.Split(s.path, "/")[0] }
func (s source) isTest() bool   { return strings.HasSuffix(s.path, "_test.go") }
func (s source) folder() string { return path.Dir(s.path) }

func (s source) imports() []string {
	var list []string
	for _, spec := range s.file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		list = append(list, name)
	}
	return list
}

// isTestPackage says that a folder, or one above it, holds helpers for tests only.
func isTestPackage(folder string) bool {
	return slices.ContainsFunc(strings.Split(folder, "/"), func(part string) bool { return strings.HasSuffix(part, "test") })
}

// isBench says that a folder is the measuring program, which measures against the
// same contract servers as the tests.
func isBench(folder string) bool { return folder == "cmd/bench" }

// sources parses every Go file of the repository with mode.
func sources(t *testing.T, root string, mode parser.Mode) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") ||
				slices.Contains([]string{"node_modules", "testdata", "dist", "data", "vendor"}, base)) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(base) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, mode)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		list = append(list, source{path: filepath.ToSlash(rel), file: file})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// complaint says what is wrong with an import of a file; "" if nothing is.
func complaint(s source, imported string) string {
	layer, test := s.layer(), s.isTest() || isTestPackage(s.folder()) || isBench(s.folder())
	own, ours := strings.CutPrefix(imported, module+"/")
	if !ours {
		if layer == "domain" && !test && (strings.Contains(strings.Split(imported, "/")[0], ".") || slices.Contains(impure(), imported)) {
			return "domain is pure: only the standard library without clock, randomness, context and I/O"
		}
		for prefix, why := range forbidden()[layer] {
			if imported == prefix || strings.HasPrefix(imported, prefix+"/") {
				return why
			}
		}
		return ""
	}
	to := strings.Split(own, "/")[0]
	if isTestPackage(own) && !test {
		return "helpers for tests are for tests only"
	}
	if to == "cmd" {
		return "nothing imports cmd"
	}
	if _, leaf := embedded()[layer]; leaf && !s.isTest() {
		return "this folder only embeds files"
	}
	from, target := slices.Index(layers(), layer), slices.Index(layers(), to)
	if first, leaf := embedded()[to]; leaf {
		target = slices.Index(layers(), first)
	}
	switch {
	case layer == to:
		return ""
	case from < 0 && embedded()[layer] == "":
		return "this folder has no place in the import direction; see layers in this test"
	case target < 0:
		return "what it imports has no place in the import direction; see layers in this test"
	case from >= 0 && from < target:
		return "imports go from right to left: " + strings.Join(layers(), " ← ")
	}
	return ""
}

func TestImportDirection(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range sources(t, "..", parser.ImportsOnly) {
		seen[s.layer()] = true
		for _, imported := range s.imports() {
			if why := complaint(s, imported); why != "" {
				t.Errorf("%s imports %s: %s", s.path, imported, why)
			}
		}
	}
	if !seen["domain"] || !seen["streams"] {
		t.Fatalf("saw only the folders %v: this is not the repository", seen)
	}
}

// The check above is worth what it can find.
func TestImportDirectionFindsWhatItShould(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, imported string
		good           bool
	}{
		{"domain/gene/gene.go", "sozai/domain", true},
		{"domain/gene/gene.go", "strings", true},
		{"domain/gene/gene.go", "context", false},
		{"domain/gene/gene.go", "math/rand/v2", false},
		{"domain/gene/gene.go", "github.com/oklog/ulid/v2", false},
		{"domain/gene/gene.go", "sozai/streams", false},
		{"domain/gene/gene.go", "sozai/domain/domaintest", false},
		{"domain/gene/gene_test.go", "sozai/domain/domaintest", true},
		{"domain/gene/gene_test.go", "pgregory.net/rapid", true},
		{"domain/gene/gene_test.go", "sozai/streams", false},
		{"domain/domaintest/scenario.go", "github.com/google/go-cmp/cmp", true},
		{"streams/log.go", "sozai/domain/gene", true},
		{"streams/log.go", "github.com/jackc/pgx/v5", false},
		{"streams/log.go", "sozai/projections", false},
		{"streams/log.go", "sozai/migrations", false},
		{"projections/store.go", "sozai/migrations", true},
		{"projections/store.go", "sozai/agents", false},
		{"projections/store.go", "github.com/gofiber/fiber/v2", false},
		{"projections/projectionstest/db.go", "sozai/streams/streamstest", true},
		{"agents/loop.go", "sozai/projections", true},
		{"agents/loop.go", "sozai/handlers/web", false},
		{"agents/loop.go", "sozai/frontend", false},
		{"agents/loop.go", "sozai/agents/agentstest", false},
		{"agents/source/sourcetest/serve/main.go", "sozai/agents/source/sourcetest", true},
		{"agents/source/tikhub.go", "sozai/agents/source/sourcetest/serve", false},
		{"handlers/web/spa.go", "sozai/frontend", true},
		{"handlers/web/spa.go", "sozai/cmd/sozai", false},
		{"handlers/web/spa.go", "sozai/streams/streamstest", false},
		{"cmd/sozai/serve.go", "sozai/handlers/web", true},
		{"cmd/sozai/serve_test.go", "sozai/streams/streamstest", true},
		{"cmd/sozai/serve.go", "sozai/agents/agentstest", false},
		{"cmd/bench/brains.go", "sozai/agents/agentstest", true},
		{"migrations/migrations.go", "sozai/domain", false},
		{"tools/tool.go", "sozai/domain", false},
		{"cmd/sozai/serve.go", "sozai/tools", false},
	} {
		if why := complaint(source{path: c.path}, c.imported); (why == "") != c.good {
			t.Errorf("%s imports %s: %q, want good = %v", c.path, c.imported, why, c.good)
		}
	}
}

func TestDomainReadsNoClock(t *testing.T) {
	t.Parallel()
	if calls := clockReads(t, "package p\nimport \"time\"\nvar _ = time.Now()\nvar _ = time.Second"); len(calls) != 1 {
		t.Fatalf("the check finds %v in a file that reads the clock once", calls)
	}
	for _, s := range sources(t, ".", parser.SkipObjectResolution) {
		if s.isTest() {
			continue
		}
		for _, call := range readsOf(s.file) {
			t.Errorf("domain/%s uses time.%s: time is an argument", s.path, call)
		}
	}
}

func clockReads(t *testing.T, text string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return readsOf(file)
}

func readsOf(file *ast.File) []string {
	var reads []string
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, is := n.(*ast.SelectorExpr); is {
			if pkg, is := sel.X.(*ast.Ident); is && pkg.Name == "time" && slices.Contains(clocked(), sel.Sel.Name) {
				reads = append(reads, sel.Sel.Name)
			}
		}
		return true
	})
	return reads
}

// TestRootIsFound keeps the walks above from passing on nothing.
func TestRootIsFound(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("../go.mod"); err != nil {
		t.Fatal(err)
	}
}
