package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// waits are the program's own waits, shortened in the build that rounds run, all
// by about the same factor: a killed worker's successor comes after two seconds
// instead of ten, and a round fits in seconds. Nothing else of the program
// differs, except that it has its fault points.
var waits = []struct{ file, constant, value string }{
	{"streams/streams.go", "AckWait", "2 * time.Second"},
	{"streams/dispatch.go", "dispatchAckWait", "4 * time.Second"},
	{"streams/read.go", "stallTicks", "1"},
	{"handlers/work/work.go", "reconcileEvery", "2 * time.Second"},
	{"cmd/sozai/model.go", "rehearsalPace", "2 * time.Millisecond"},
}

// buildSozai builds the program with its fault points and short waits.
func buildSozai(ctx context.Context, path string) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sozai-overlay-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	replace, err := shorten(root, dir)
	if err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-tags", "faults", "-overlay", file, "-o", path, "./cmd/sozai") //nolint:gosec // our own program
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build sozai with its fault points: %w\n%s", err, out)
	}
	return nil
}

// shorten writes copies of the files in which waits stand, with the short ones,
// and says which file each stands in for. A wait that is not found is an error:
// it was renamed, and this table with it must be.
func shorten(root, dir string) (map[string]string, error) {
	texts := map[string]string{}
	for _, w := range waits {
		path := filepath.Join(root, w.file)
		if texts[path] == "" {
			data, err := os.ReadFile(path) //nolint:gosec // our own source
			if err != nil {
				return nil, err
			}
			texts[path] = string(data)
		}
		line := regexp.MustCompile(`(?m)^((?:const |\t)` + w.constant + `\s*= ).+$`)
		if len(line.FindAllString(texts[path], -1)) != 1 {
			return nil, fmt.Errorf("%s does not define the constant %s once; the table of waits in cmd/faults is out of date", w.file, w.constant)
		}
		texts[path] = line.ReplaceAllString(texts[path], "${1}"+w.value)
	}
	replace := map[string]string{}
	for path, text := range texts {
		name := filepath.Join(dir, strings.ReplaceAll(path, string(filepath.Separator), "_"))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
		replace[path] = name
	}
	return replace, nil
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	root := strings.TrimSpace(string(out))
	if root == "" {
		return "", errors.New("run this inside the module")
	}
	return root, nil
}
