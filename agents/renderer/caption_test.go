package renderer

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		em   float64
		want []string
	}{
		{"", 10, nil},
		{" \n ", 10, nil},
		{"末日塔防最后一座炮塔", 4, []string{"末日塔防", "最后一座", "炮塔"}},
		{"守住了吗？快来看", 4, []string{"守住了", "吗？快来", "看"}}, // a mark begins no line
		{"看《塔防》吧", 3.5, []string{"看《塔", "防》吧"}},
		{"看看看《塔防》", 4, []string{"看看看", "《塔防》"}}, // and an opening one ends none
		{"Can the last tower hold", 8, []string{"Can the last", "tower hold"}},
		{"aaaaaaaaaaaaaaaaaaaa", 6.4, []string{"aaaaaaaaaa", "aaaaaaaaaa"}},
		{"一\n二", 10, []string{"一", "二"}},
	} {
		if got := wrap(test.text, test.em); !slices.Equal(got, test.want) {
			t.Errorf("wrap(%q, %g) = %q, want %q", test.text, test.em, got, test.want)
		}
	}
}

// Whatever the caption, its lines fit the picture.
func TestLayFits(t *testing.T) {
	t.Parallel()
	for _, caption := range []string{
		"短", strings.Repeat("长长的字幕，", 60), strings.Repeat("W", 300), strings.Repeat("words and words ", 30), strings.Repeat("x\n", 200),
	} {
		for _, size := range [][2]int{{720, 1280}, {1280, 720}, {720, 720}, {144, 256}} {
			for _, card := range []bool{false, true} {
				w, h := size[0], size[1]
				got := lay(caption, w, h, card)
				most := maxLines
				if card {
					most = maxCardLines
				}
				if n := len(got.lines); n == 0 || n > most {
					t.Errorf("%d lines of %.20q", n, caption)
				}
				for i, line := range got.lines {
					if width(line)*float64(got.size) > 0.9*float64(w) {
						t.Errorf("%q at %d is wider than %d", line, got.size, w)
					}
					if y := got.baselines[i]; y-got.size < 0 || y+got.size/3 > h {
						t.Errorf("line %d of %.20q stands at %d of %d", i, caption, y, h)
					}
				}
			}
		}
	}
	if long := lay(strings.Repeat("字", 500), 720, 1280, false); !strings.HasSuffix(long.lines[maxLines-1], "…") {
		t.Errorf("a caption that was cut does not say so: %q", long.lines)
	}
}

func TestDrawable(t *testing.T) {
	t.Parallel()
	in := "a\x00b\x1b[1m\u202Ec\r\nd\u2028e\tf\u00A0g🎉\uFE0F\xff"
	if got, want := drawable(in), "ab[1mc\nd\ne f g"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Nothing of a caption is part of a filter: its lines are in files.
func TestFiltersQuoteNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const hostile = `':x,drawbox %{pts} [a];`
	got, err := lay(hostile, 1280, 720, true).filters(dir, "c", "/font.ttf")
	if err != nil {
		t.Fatal(err)
	}
	want := ",drawtext=fontfile=/font.ttf:textfile=c-0.txt:expansion=none:fontsize=72:fontcolor=white:borderw=5:" +
		"bordercolor=black@0.85:x='max(0,(w-tw)/2)':y=384-ascent"
	if got != want {
		t.Errorf("got %s", got)
	}
	if raw, err := os.ReadFile(dir + "/c-0.txt"); err != nil || string(raw) != hostile {
		t.Errorf("the file holds %q, %v", raw, err)
	}
}

func TestFontCheck(t *testing.T) {
	t.Parallel()
	if err := (font{path: "/a.ttf"}).check("plain"); err != nil {
		t.Error(err)
	}
	if err := (font{path: "/a.ttf"}).check("中"); err == nil {
		t.Error("a font without Chinese letters draws boxes")
	}
	if err := (font{}).check("plain"); err == nil {
		t.Error("no font draws nothing")
	}
}
