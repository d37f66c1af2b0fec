package catalogue

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sozai/domain/library"
)

func TestParseManifestKeepsWhatCanBeUsed(t *testing.T) {
	t.Parallel()
	text := "\xEF\xBB\xBF" + strings.Join([]string{
		`{"id":"a","platform":"TikTok","title":"标题 💕","author":"x","tags":["#one","two"],"created_at":1607986618,"duration_s":18,"width":540,"height":960,"plays":40300,"likes":123,"shares":7,"comments":"9","url":"https://x.example/a","unknown":{"deep":[1]},"file":"sub/a.mp4"}`,
		``,
		`   `,
		`{"id":42,"title":null,"tags":"a，b, c","created_at":"2020-12-15T01:02:03+08:00","plays":1.5e3}`,
		`<not json>`,
		`{"id":"b"`,
		`["id"]`,
		`{"title":"no id"}`,
		`{"id":"a","title":"again"}`,
		`{"id":"c","plays":-1}`,
		`{"id":"d","plays":"many"}`,
		`{"id":"e","url":"javascript:alert(1)"}`,
		`{"id":"f","tags":7}`,
		`{"id":"g","created_at":"yesterday"}`,
		`{"id":"` + strings.Repeat("x", 70_000) + `"}`,
		"{\"id\":\"h\",\"title\":\"\xff\"}",
		`{"id":"` + strings.Repeat("y", 201) + `"}`,
		`{"id":"last"}`,
	}, "\r\n")
	items, problems, err := ParseManifest(iotest.OneByteReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := []Item{
		{
			External: "a", Title: "标题 💕", Author: "x", Platform: "tiktok", URL: "https://x.example/a", Tags: []string{"one", "two"},
			Counts:    library.Counts{Plays: 40300, Likes: 123, Shares: 7, Comments: 9},
			Published: time.Date(2020, 12, 14, 22, 56, 58, 0, time.UTC), Seconds: 18, Width: 540, Height: 960, File: "sub/a.mp4",
		},
		{External: "42", Tags: []string{"a", "b", "c"}, Counts: library.Counts{Plays: 1500}, Published: time.Date(2020, 12, 14, 17, 2, 3, 0, time.UTC)},
		{External: "e"},
		{External: "last"},
	}
	// Without a title an entry is named after its file; these have none.
	if diff := cmp.Diff(want, items, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("items (-want +got):\n%s", diff)
	}
	var got []string
	for _, p := range problems {
		kept := ""
		if p.Kept {
			kept = " kept"
		}
		got = append(got, strings.Join([]string{string(rune('0'+p.Line/10)) + string(rune('0'+p.Line%10)) + kept, p.Reason}, ": "))
	}
	wantProblems := []string{
		"05: the line is not JSON (at character 1)", "06: the line is not JSON (at character 9)", "07: the line is not a JSON object",
		`08: the entry has no "id"`, "09: line 1 has the same id", `10: "plays" is not a number of at least 0`, `11: "plays" is not a number of at least 0`,
		"12 kept: the url is left out: it is not an http or https address", `13: "tags" is not a list of texts`,
		`14: "created_at" is not a time (Unix seconds or RFC 3339)`, "15: the line is longer than 64 KiB", "16: the line is not UTF-8 text",
		"17: the id is longer than 200 characters",
	}
	if diff := cmp.Diff(wantProblems, got); diff != "" {
		t.Fatalf("problems (-want +got):\n%s", diff)
	}
}

func TestParseManifestReportsItsReader(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk")
	items, _, err := ParseManifest(iotest.DataErrReader(&failing{[]byte("{\"id\":\"a\"}\n{\"id\":"), broken}))
	if !errors.Is(err, broken) || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"id":"a","tags":["x"],"plays":1e400,"created_at":-1e300,"duration_s":"NaN","width":1e308}`))
	f.Add([]byte("\xEF\xBB\xBF\r\n{\"id\":7}\n\x00"))
	f.Add([]byte(`{"id":"` + strings.Repeat("[", 5000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		items, problems, err := ParseManifest(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, i := range items {
			if i.External == "" || seen[i.External] {
				t.Fatalf("id %q is empty or there twice", i.External)
			}
			seen[i.External] = true
			if _, err := i.clean(); err != nil {
				t.Fatalf("%+v cannot be imported: %v", i, err)
			}
		}
		for _, p := range problems {
			if p.Line < 1 || p.Reason == "" {
				t.Fatalf("%+v", p)
			}
		}
	})
}

func TestWalk(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	outside := t.TempDir()
	mp4 := "\x00\x00\x00\x18ftypisom" + strings.Repeat("x", 50)
	write := func(name, data string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "secret.mp4"), []byte(mp4), 0o600); err != nil {
		t.Fatal(err)
	}
	write("zz.jsonl", strings.Join([]string{
		`{"id":"one","title":"named","file":"clips/one.mp4"}`,
		`{"id":"two","title":"by its name"}`,
		`{"id":"three","title":"no media"}`,
		`{"id":"four","title":"file is missing","file":"nowhere.mp4"}`,
		`{"id":"five","title":"outside","file":"../` + filepath.Base(outside) + `/secret.mp4"}`,
		`{"id":"six","title":"absolute","file":"` + filepath.Join(outside, "secret.mp4") + `"}`,
		`{"id":"seven","title":"link","file":"link.mp4"}`,
		`{"id":"eight","title":"taken","file":"clips/one.mp4"}`,
		`{"id":"nine","title":"empty file","file":"void.mp4"}`,
		`broken`,
	}, "\n"))
	write("clips/one.mp4", mp4+"1")
	write("two.MP4", mp4+"2") // another name: ids are matched exactly
	write("two.mp4", mp4+"2")
	write("free 影片.mov", mp4)
	write("void.mp4", "")
	write("notes.txt", "notes")
	write("fake.mp4", "text in disguise")
	write("disguised.txt", mp4)
	write(".hidden/x.mp4", mp4)
	if err := os.Symlink(filepath.Join(outside, "secret.mp4"), filepath.Join(root, "link.mp4")); err != nil {
		t.Fatal(err)
	}

	plan, err := Walk([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	short := func(path string) string {
		s, err := filepath.Rel(root, path)
		if path == "" || err != nil {
			return path
		}
		return s
	}
	var imports, problems []string
	for _, p := range plan.Imports {
		imports = append(imports, p.Item.External+"|"+p.Item.Title+"|"+p.Item.File+"|"+short(p.Path))
	}
	for _, p := range plan.Problems {
		kept := ""
		if p.Kept {
			kept = " kept"
		}
		problems = append(problems, short(p.Path)+kept)
	}
	wantImports := []string{
		"one|named|one.mp4|clips/one.mp4", "two|by its name|two.mp4|two.mp4", "three|no media||", "four|file is missing|nowhere.mp4|",
		"five|outside|secret.mp4|", "six|absolute|secret.mp4|", "seven|link|link.mp4|", "eight|taken|one.mp4|", "nine|empty file|void.mp4|",
		"|disguised|disguised.txt|disguised.txt", "|free 影片|free 影片.mov|free 影片.mov", "|two|two.MP4|two.MP4",
	}
	if diff := cmp.Diff(wantImports, imports); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
	wantProblems := []string{
		"zz.jsonl", "zz.jsonl kept", "zz.jsonl kept", "zz.jsonl kept", "zz.jsonl kept", "clips/one.mp4 kept", "void.mp4 kept",
		".hidden", "fake.mp4", "link.mp4", "notes.txt",
	}
	if diff := cmp.Diff(wantProblems, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}

	single, err := Walk([]string{filepath.Join(root, "two.mp4"), filepath.Join(root, "two.mp4")})
	if err != nil || len(single.Imports) != 1 {
		t.Fatalf("%+v %v", single, err)
	}
	if _, err := Walk([]string{filepath.Join(root, "no such")}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

func TestHashFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, err := HashFile(path); err != nil || got != want {
		t.Fatalf("%s %v", got, err)
	}
}
