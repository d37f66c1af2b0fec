package catalogue

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

func TestImportKeepsAFileWithItsPictures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for ext, mime := range map[string]string{"mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm"} {
		data := clip(t, "red", ext)
		item := Item{
			External: "x-" + ext, Title: "爆炸 " + ext, Author: "某人", Platform: "Douyin", URL: "https://example.com/1",
			Tags: []string{"#塔防", "塔防", " "}, Counts: library.Counts{Plays: 7}, Published: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC), File: "a." + ext,
		}
		r := b.add(t, "p", item, data)
		if r.Outcome != Added {
			t.Fatalf("%s: %s", ext, r.Outcome)
		}
		got, err := b.Get(t.Context(), "p", r.Entry.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := Entry{
			ID: r.Entry.ID, Product: "p", External: "x-" + ext, Title: "爆炸 " + ext, Author: "某人", Platform: "douyin",
			URL: "https://example.com/1", Tags: []string{"塔防"}, Counts: library.Counts{Plays: 7}, Published: item.Published, File: "a." + ext,
			Media: library.Media{Hash: got.Media.Hash, Type: mime, Bytes: int64(len(data)), Seconds: 2, Width: 90, Height: 160, Poster: true, Preview: true},
		}
		opts := []cmp.Option{cmpopts.IgnoreFields(Entry{}, "Imported"), cmpopts.IgnoreUnexported(Entry{}), cmpopts.EquateApprox(0, 0.1)}
		if diff := cmp.Diff(want, got, opts...); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", ext, diff)
		}
		for rendition, kind := range map[Rendition]string{Original: mime, Poster: "image/jpeg", Preview: "video/mp4"} {
			f, err := b.Media(got.Media.Hash, rendition)
			if err != nil || f.Type != kind {
				t.Fatalf("%s of %s: %+v %v", rendition, ext, f, err)
			}
			if rendition == Original {
				if stored, err := os.ReadFile(f.Path); err != nil || !bytes.Equal(stored, data) {
					t.Fatalf("the stored file differs (%v)", err)
				}
			}
		}
		if same, err := b.ByHash(t.Context(), "p", got.Media.Hash); err != nil || same.ID != got.ID {
			t.Fatalf("not found by its hash: %v", err)
		}
		if _, err := b.ByHash(t.Context(), "other", got.Media.Hash); domain.CodeOf(err) != domain.NotFound {
			t.Fatalf("another product sees it: %v", err)
		}
	}
}

func TestASecondImportAddsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	red := clip(t, "red", "mp4")
	first := b.add(t, "p", Item{External: "1", Title: "first", File: "a.mp4"}, red)
	files := b.files(t)
	for name, r := range map[string]Result{
		"same id, same file":    b.add(t, "p", Item{External: "1", Title: "again"}, red),
		"same id, without file": b.add(t, "p", Item{External: "1", Title: "again"}, nil),
		"other id, same file":   b.add(t, "p", Item{External: "2", Title: "again"}, red),
		"no id, same file":      b.add(t, "p", Item{File: "b.mp4"}, red),
	} {
		if r.Outcome != Duplicate || r.Entry.ID != first.Entry.ID || r.Entry.Title != "first" {
			t.Errorf("%s: %s %+v", name, r.Outcome, r.Entry)
		}
	}
	if n, err := b.Count(t.Context(), "p"); err != nil || n != 1 {
		t.Fatalf("%d entries, %v", n, err)
	}
	if n := b.files(t); n != files {
		t.Fatalf("%d files, had %d", n, files)
	}
	if r := b.add(t, "other", Item{External: "1"}, red); r.Outcome != Added {
		t.Fatalf("another product may have it too: %s", r.Outcome)
	}
}

func TestAnEntryWithoutMediaIsShownAsSuchAndCanBeCompleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.add(t, "p", Item{External: "1", Title: "only words", Seconds: 18, Width: 540, Height: 960}, nil)
	if diff := cmp.Diff(library.Media{Seconds: 18, Width: 540, Height: 960}, r.Entry.Media); diff != "" {
		t.Fatal(diff)
	}
	if _, err := b.Analysis(t.Context(), "p", r.Entry.ID); !errors.Is(err, ErrNoMedia) {
		t.Fatalf("got %v, want ErrNoMedia", err)
	}
	if _, err := b.Import(t.Context(), "p", Item{Title: "no id"}, nil); domain.CodeOf(err) != domain.Invalid {
		t.Fatalf("got %v", err)
	}
	done := b.add(t, "p", Item{External: "1", File: "x.mp4"}, clip(t, "red", "mp4"))
	if done.Outcome != Completed || done.Entry.ID != r.Entry.ID || done.Entry.Title != "only words" || done.Entry.Media.Hash == "" {
		t.Fatalf("%s %+v", done.Outcome, done.Entry)
	}
	if h, err := b.Search(t.Context(), Query{Product: "p", Text: "words", Page: 1}); err != nil || h.Total != 1 || h.Entries[0].Media.Hash == "" {
		t.Fatalf("%+v %v", h, err)
	}
}

func TestBadFilesAreRefusedAndLeaveNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good := clip(t, "red", "mp4")
	tests := []struct {
		name string
		data []byte
		code domain.Code
		says string
	}{
		{"empty", []byte{}, domain.Unprocessable, "empty"},
		{"not a video", []byte("hello, this is a text file"), domain.Unprocessable, "not an mp4"},
		{"broken", good[:len(good)/2], domain.Unprocessable, "broken"},
		{"too large", make([]byte, 4<<20+1), domain.TooLarge, "4 MiB"},
	}
	for _, test := range tests {
		_, err := b.Import(t.Context(), "p", Item{External: test.name, File: "x.mp4"}, bytes.NewReader(test.data))
		if domain.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	if n, err := b.Count(t.Context(), "p"); err != nil || n != 0 {
		t.Fatalf("%d entries, %v", n, err)
	}
	if n := b.files(t); n != 0 {
		t.Fatalf("%d files are left behind", n)
	}
	broken := errors.New("connection lost")
	if _, err := b.Import(t.Context(), "p", Item{}, &failing{good[:100], broken}); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if n := b.files(t); n != 0 {
		t.Fatalf("%d files are left behind", n)
	}
}

type failing struct {
	data []byte
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if len(f.data) == 0 {
		return 0, f.err
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

func TestFileNamesAreQuotedDataNeverPaths(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := map[string]string{
		"../../../etc/passwd.mp4":               "passwd",
		`C:\videos\..\win.mp4`:                  "win",
		"a\x00b\nc.mp4":                         "a b c",
		"-i.mp4":                                "-i",
		"'; DROP TABLE entries; --.mp4":         "'; DROP TABLE entries; --",
		"\xff\xfe.mp4":                          "\uFFFD",
		strings.Repeat("长", 400) + ".mp4":       strings.Repeat("长", 300),
		"<img src=x onerror=alert(1)>丧尸来了!.mp4": "<img src=x onerror=alert(1)>丧尸来了!",
	}
	colours := []string{"red", "green", "blue", "black", "white", "yellow", "cyan", "magenta"}
	for name, title := range names {
		r := b.add(t, "p", Item{File: name}, clip(t, colours[0], "mp4"))
		colours = colours[1:]
		if r.Outcome != Added || r.Entry.Title != title {
			t.Errorf("%q is titled %q (%s), want %q", name, r.Entry.Title, r.Outcome, title)
		}
	}
	for _, hash := range []string{"", "../../../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("a", 63) + "/", strings.Repeat("0", 64)} {
		if _, err := b.Media(hash, Original); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("hash %q: %v", hash, err)
		}
	}
}

func TestItemsAreCleaned(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		in, want Item
	}{
		{"an address of another kind is left out", Item{URL: "javascript:alert(1)"}, Item{}},
		{"an address with a control character is left out", Item{URL: "https://a.example/\n"}, Item{}},
		{"lines are joined", Item{Title: " a\n\tb \u2028c"}, Item{Title: "a b c"}},
		{"numbers that cannot be are left out", Item{Seconds: -3, Width: -1, Height: 5}, Item{}},
		{"times that cannot be are left out", Item{Published: time.Date(1, 2, 3, 4, 5, 6, 7, time.UTC)}, Item{}},
		{"tags are cut and counted", Item{Tags: append([]string{"#" + strings.Repeat("x", 200)}, strings.Split(strings.Repeat("a", 60), "")...)},
			Item{Tags: []string{strings.Repeat("x", 100), "a"}}},
	}
	for _, test := range tests {
		got, err := test.in.clean()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for name, bad := range map[string]Item{"long id": {External: strings.Repeat("x", 201)}, "negative count": {Counts: library.Counts{Likes: -1}}} {
		if _, err := bad.clean(); domain.CodeOf(err) != domain.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFileIsMeasuredOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.add(t, "p", Item{External: "1", Title: "标题", Tags: []string{"塔防"}}, clip(t, "red", "mp4"))
	if r.Entry.Analysis != nil {
		t.Fatal("analysed before anybody asked")
	}
	var wg sync.WaitGroup
	results := make([]video.Analysis, 4)
	for i := range results {
		wg.Go(func() {
			var err error
			if results[i], err = b.Analysis(t.Context(), "p", r.Entry.ID); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a := results[0]
	for _, other := range results {
		if diff := cmp.Diff(a, other); diff != "" {
			t.Fatal(diff)
		}
	}
	if a.Metrics == nil || len(a.Metrics.Cuts) != 1 || a.Analyser != video.LocalAnalyser || !strings.Contains(a.Digest.Captions, "标题") {
		t.Fatalf("%+v", a)
	}
	// What is stored counts: the numbers below were never measured.
	if _, err := b.pool.Exec(t.Context(), `UPDATE catalogue.measurements SET metrics = jsonb_set(metrics, '{motion}', '77')`); err != nil {
		t.Fatal(err)
	}
	again, err := b.AnalyseMedia(t.Context(), r.Entry.Media, video.Text{Title: "其他"})
	if err != nil || again.Metrics.Motion != 77 || !strings.Contains(again.Digest.Captions, "其他") {
		t.Fatalf("%+v %v", again, err)
	}
	if e, err := b.Get(t.Context(), "p", r.Entry.ID); err != nil || e.Analysis == nil || e.Analysis.Metrics.Motion != 77 {
		t.Fatalf("%+v %v", e.Analysis, err)
	}
}

func TestAnalysisEndsWithItsCallerAndWithTheCatalogue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.add(t, "p", Item{External: "1"}, clip(t, "red", "mp4"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.AnalyseMedia(ctx, r.Entry.Media, video.Text{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.AnalyseMedia(t.Context(), library.Media{Hash: strings.Repeat("0", 64)}, video.Text{}); domain.CodeOf(err) != domain.Unavailable {
		t.Fatalf("got %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatalf("second close: %v", err)
	}
}

func TestKeepStoresWithoutAnEntry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	data := clip(t, "blue", "mp4")
	first, err := b.Keep(t.Context(), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := b.files(t)
	second, err := b.Keep(t.Context(), bytes.NewReader(data))
	if err != nil || b.files(t) != files {
		t.Fatalf("%d files, had %d (%v)", b.files(t), files, err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Fatal(diff)
	}
	if n, err := b.Count(t.Context(), "p"); err != nil || n != 0 {
		t.Fatalf("%d entries, %v", n, err)
	}
}

func TestLeftoversAreSweptAtStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(b.dir, "media", "tmp", "old"), filepath.Join(b.dir, "media", "tmp", "young")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Now().Add(-25*time.Hour), time.Now().Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.open(t)
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("old leftover: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Fatalf("a file that may be in use: %v", err)
	}
}
