package domain_test

import (
	"bytes"
	"go/parser"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const maxFileLines = 600

// TestPackageComments: every package says exactly once what it owns. An external
// test package (package x_test) is no package of its own.
func TestPackageComments(t *testing.T) {
	t.Parallel()
	comments := map[string][]string{}
	for _, s := range sources(t, "..", parser.ParseComments|parser.PackageClauseOnly) {
		if strings.HasSuffix(s.file.Name.Name, "_test") {
			if s.file.Doc != nil {
				t.Errorf("%s: a package comment in a test describes nothing", s.path)
			}
			continue
		}
		if s.isTest() && s.file.Doc == nil {
			continue
		}
		of := s.folder()
		if _, seen := comments[of]; !seen {
			comments[of] = nil
		}
		if s.file.Doc == nil {
			continue
		}
		comments[of] = append(comments[of], s.path)
		first := "Package " + s.file.Name.Name + " "
		if s.file.Name.Name == "main" {
			first = "Command "
		}
		if text := s.file.Doc.Text(); !strings.HasPrefix(text, first) {
			t.Errorf("%s: the package comment begins with %q, want %q", s.path, strings.SplitN(text, "\n", 2)[0], first)
		}
	}
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("%s has %d package comments, want one: %v", folder, len(files), files)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, "..", parser.PackageClauseOnly) {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(s.path)))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > maxFileLines {
			t.Errorf("%s has %d lines, at most %d: split it by topic", s.path, n, maxFileLines)
		}
	}
}
