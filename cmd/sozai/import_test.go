package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clip makes a small video with ffmpeg.
func clip(t *testing.T, path, size string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", //nolint:gosec // fixed program
		"-i", "testsrc2=size="+size+":rate=24:duration=2", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", path).CombinedOutput()
	if err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A folder of good, broken, empty, long-named, misnamed and duplicate files and
// a manifest with a bad line: what is good is kept and found, each of the others
// is listed with its reason, and a second run adds nothing.
func TestImportOfAMixedFolder(t *testing.T) {
	t.Parallel()
	s := newServer(t, "--no-demo")
	s.start()
	ada := newPerson(t, s.url())
	until(t, "a link is printed", func() bool { return s.firstLink() != "" })
	ada.useLink(s.firstLink(), "ada", "correct horse battery")
	ada.must(http.MethodPost, "/api/products", map[string]string{"id": "games", "name": "游戏"}, nil)
	env := []string{"XDG_CONFIG_HOME=" + t.TempDir()}
	_, stderr, err := sozai(t.Context(), t, env, strings.NewReader("correct horse battery\n"), "login", s.url(), "-n", "ada", "--password-stdin")
	ok(t, err == nil, "login: %v %s", err, stderr)

	dir := t.TempDir()
	sub := filepath.Join(dir, "子 文件夹")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "爆炸 塔防.mp4")
	clip(t, good, "180x320")
	clip(t, filepath.Join(sub, "second.mov"), "320x180")
	long := filepath.Join(sub, strings.Repeat("长名字", 25)+".mp4") // 229 bytes of a name's 255
	clip(t, filepath.Join(dir, "tmp.mp4"), "180x180")
	if err := os.Rename(filepath.Join(dir, "tmp.mp4"), long); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(sub, "塔防 的副本.mp4"), content)
	write(t, filepath.Join(dir, "cut.mp4"), content[:len(content)/3])
	write(t, filepath.Join(dir, "empty.mov"), nil)
	write(t, filepath.Join(dir, "really text.mp4"), []byte("not a video at all\n"))
	write(t, filepath.Join(dir, "notes.txt"), []byte("no video either"))
	write(t, filepath.Join(dir, "more.jsonl"), []byte("\ufeff"+strings.Join([]string{
		`{"id":"a","title":"Часть 1 «Нити судьбы» #anime","author":"creator-0141","platform":"tiktok","tags":["anime"],"plays":40300}`,
		`{"id":"b","title":"塔防翻盘 fail rescue","author":"creator-0002","platform":"douyin","tags":["塔防"],"plays":7}`,
		`{"id":"c","title":`,
		`{"id":"a","title":"the same id again"}`,
	}, "\r\n")))

	stdout, stderr, err := sozai(t.Context(), t, env, nil, "import", "--json", dir)
	ok(t, err != nil, "refused files must show in the exit code")
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	ok(t, r.Added == 5, "added %d, want three videos and two entries: %s", r.Added, stdout)
	refused := map[string]string{}
	for _, p := range r.Refused {
		refused[filepath.Base(p.Path)] += p.Reason
	}
	for _, name := range []string{"cut.mp4", "empty.mov", "really text.mp4", "notes.txt", "more.jsonl"} {
		ok(t, refused[name] != "", "%s is not listed with a reason: %v", name, r.Refused)
	}
	ok(t, len(refused) == 5, "more was refused than is bad: %v", r.Refused)

	for query, want := range map[string]int{"塔防": 2, "нити судьбы": 1, "rescue": 1, "长名字": 1, "": 5} {
		var page struct {
			Total int `json:"total"`
		}
		ada.get("/api/catalogue?product=games&q="+escape(query), &page)
		ok(t, page.Total == want, "%q finds %d, want %d", query, page.Total, want)
	}

	stdout, _, _ = sozai(t.Context(), t, env, nil, "import", "--json", dir)
	r = report{}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	ok(t, r.Added == 0 && r.Completed == 0, "a second run added %d", r.Added+r.Completed)
}

func escape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", "%20"), "#", "%23")
}
