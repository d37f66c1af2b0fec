package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sozai/agents/video"
)

// Planned is one import: an item and, unless Path is empty, its file.
type Planned struct {
	Item Item
	Path string
}

// Plan is what a set of paths holds.
type Plan struct {
	Imports  []Planned
	Problems []Problem
}

// maxFolderDepth stops at folders that lie unreasonably deep.
const maxFolderDepth = 32

// Walk lists what there is to import below the paths (folders, manifests, video
// files), in a fixed order. It reads manifests, and of other files only the first
// bytes. A video belongs to a manifest entry of its folder that names it, or whose
// id is its name; other videos are entries of their own. Links are not followed
// and a manifest cannot name a file outside its folder, so that importing what
// somebody sent uploads nothing else. The error is that of a path that was given.
func Walk(paths []string) (Plan, error) {
	w := walk{taken: map[string]bool{}}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return Plan{}, fmt.Errorf("import: %w", err)
		}
		if info.IsDir() {
			w.folder(p, 0)
			continue
		}
		if manifestName(p) {
			w.manifest(p)
		} else {
			w.file(p)
		}
	}
	return w.plan, nil
}

type walk struct {
	plan  Plan
	taken map[string]bool // files that are planned
}

func (w *walk) problem(path, format string, args ...any) {
	w.plan.Problems = append(w.plan.Problems, Problem{Path: path, Reason: fmt.Sprintf(format, args...)})
}

func (w *walk) folder(path string, depth int) {
	if depth > maxFolderDepth {
		w.problem(path, "the folder lies too deep")
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		w.problem(path, "the folder cannot be read: %v", cause(err))
		return
	}
	// Manifests first: they say what the videos are.
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		switch ma, mb := manifestName(a.Name()), manifestName(b.Name()); {
		case ma == mb:
			return 0
		case ma:
			return -1
		}
		return 1
	})
	for _, e := range entries {
		p := filepath.Join(path, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
			w.problem(p, "hidden, left out")
		case e.IsDir():
			w.folder(p, depth+1)
		case !e.Type().IsRegular():
			w.problem(p, "not a regular file (links are not followed)")
		case manifestName(p):
			w.manifest(p)
		default:
			w.file(p)
		}
	}
}

func manifestName(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".jsonl" || ext == ".ndjson"
}

// file plans a video that no manifest names.
func (w *walk) file(path string) {
	if w.taken[path] {
		return
	}
	w.taken[path] = true
	if reason := unfit(path); reason != "" {
		w.problem(path, "%s", reason)
		return
	}
	item, err := Item{File: filepath.Base(path)}.clean()
	if err != nil {
		w.problem(path, "%v", err)
		return
	}
	w.plan.Imports = append(w.plan.Imports, Planned{Item: item, Path: path})
}

// unfit says why a file is no video to upload; "" if it may be one. Videos are
// told by their first bytes; the name counts only for files that are damaged.
func unfit(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Sprintf("the file cannot be read: %v", cause(err))
	}
	defer f.Close()
	head, err := video.ReadHead(f)
	switch {
	case err != nil:
		return fmt.Sprintf("the file cannot be read: %v", cause(err))
	case len(head) == 0:
		return "the file is empty"
	case video.Sniff(head) == "":
		return "not a video (mp4, mov, webm)"
	}
	return ""
}

func (w *walk) manifest(path string) {
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		w.problem(path, "the folder cannot be read: %v", cause(err))
		return
	}
	defer folder.Close()
	f, err := os.Open(path)
	if err != nil {
		w.problem(path, "the manifest cannot be read: %v", cause(err))
		return
	}
	defer f.Close()
	items, problems, err := ParseManifest(f)
	for _, p := range problems {
		p.Path = path
		w.plan.Problems = append(w.plan.Problems, p)
	}
	if err != nil {
		w.problem(path, "the manifest cannot be read to its end: %v", cause(err))
	}
	for _, item := range items {
		w.plan.Imports = append(w.plan.Imports, w.planned(folder, path, item))
	}
}

// planned finds an item's file. An item whose file is missing or unfit is
// imported without media, with a problem that says so.
func (w *walk) planned(folder *os.Root, manifest string, item Item) Planned {
	dir := filepath.Dir(manifest)
	names := []string{}
	named := item.File != ""
	if named {
		names = append(names, item.File)
	} else if item.External == fileName(item.External) {
		for _, ext := range []string{".mp4", ".mov", ".webm"} {
			names = append(names, item.External+ext)
		}
	}
	item.File = fileName(item.File)
	for _, name := range names {
		info, err := folder.Stat(name)
		path := filepath.Join(dir, name)
		switch {
		case err != nil || !info.Mode().IsRegular():
			if named {
				w.plan.Problems = append(w.plan.Problems, Problem{
					Path: manifest, Kept: true,
					Reason: fmt.Sprintf("entry %q: its file %q is not in the manifest's folder; imported without media", item.External, name),
				})
			}
			continue
		case w.taken[path]:
			w.plan.Problems = append(w.plan.Problems, Problem{
				Path: path, Kept: true, Reason: fmt.Sprintf("entry %q: the file belongs to another entry; imported without media", item.External),
			})
			continue
		}
		w.taken[path] = true
		if reason := unfit(path); reason != "" {
			w.plan.Problems = append(w.plan.Problems, Problem{
				Path: path, Kept: true, Reason: fmt.Sprintf("entry %q: %s; imported without media", item.External, reason),
			})
			continue
		}
		item.File = filepath.Base(name)
		return Planned{Item: item, Path: path}
	}
	return Planned{Item: item}
}

// cause leaves out the path that a problem names anyway.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
