package renderer

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"sozai/domain"
)

// font draws captions. The zero value is none.
type font struct {
	path    string
	chinese bool // has Chinese, Japanese and Korean letters
}

// installedFont is the best that this machine has. Fonts are named by the
// beginning of their file's name, best first.
func installedFont() font {
	cjk := findFont([]string{
		"NotoSansCJK-Bold", "NotoSansCJK", "NotoSansSC", "SourceHanSans", "wqy-zenhei", "wqy-microhei",
		"DroidSansFallback", "PingFang", "STHeiti", "NotoSerifCJK",
	})
	latin := findFont([]string{"DejaVuSans-Bold", "LiberationSans-Bold", "DejaVuSans", "LiberationSans", "Arial"})
	return font{path: cmp.Or(cjk, latin), chinese: cjk != ""}
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

// check refuses a caption that this font would draw as empty boxes.
func (f font) check(caption string) error {
	foreign := strings.ContainsFunc(caption, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
	if f.path == "" || foreign && !f.chinese {
		return domain.Errorf(domain.Unavailable,
			"这台机器没有能画字幕的字体，请安装 fonts-noto-cjk · this machine has no font for the captions; install fonts-noto-cjk")
	}
	return nil
}
