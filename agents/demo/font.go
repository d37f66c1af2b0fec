package demo

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// fonts are named by the beginning of their file's name, best first: those with
// Chinese letters, and others.
func fonts() (cjk, latin []string) {
	cjk = []string{
		"NotoSansCJK-Bold", "NotoSansCJK", "NotoSansSC", "SourceHanSans", "wqy-zenhei", "wqy-microhei",
		"DroidSansFallback", "PingFang", "STHeiti", "NotoSerifCJK",
	}
	latin = []string{"DejaVuSans-Bold", "LiberationSans-Bold", "DejaVuSans", "LiberationSans", "Arial"}
	return cjk, latin
}

// plainPath is a path that needs no escaping in a filter.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9/._-]+$`)

func findFont(names []string) string {
	best, rank := "", len(names)
	for _, root := range []string{"/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !plainPath.MatchString(path) {
				return nil // what cannot be read holds no font for us
			}
			for i, name := range names[:rank] {
				if strings.HasPrefix(d.Name(), name) {
					best, rank = path, i
					break
				}
			}
			return nil
		})
	}
	return best
}
