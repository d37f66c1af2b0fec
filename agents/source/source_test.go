package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sozai/agents/catalogue"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/migrations"
	"sozai/projections/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

func setup(t *testing.T) (*Local, *catalogue.Catalogue) {
	t.Helper()
	v, err := video.New(video.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Open(t.Context(), catalogue.Config{
		Pool: postgrestest.Copy(t, "migrated", migrations.Up), Dir: t.TempDir(), Video: v,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return NewLocal(c), c
}

func TestLocalPagesUntilItIsDry(t *testing.T) {
	t.Parallel()
	local, c := setup(t)
	for i := range 26 {
		item := catalogue.Item{External: fmt.Sprint(i), Title: "末日塔防 tower defense", Platform: "douyin", Tags: []string{"zombie"}}
		if _, err := c.Import(t.Context(), "p", item, nil); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for page := 1; page <= 4; page++ {
		for range 2 { // the same page is the same
			p, err := local.Search(t.Context(), Query{Product: "p", Text: "塔防 zombies", Page: page})
			if err != nil {
				t.Fatal(err)
			}
			if p.Page != page || p.Pages != 3 || p.Total != 26 || len(p.Items) != []int{12, 12, 2, 0}[page-1] {
				t.Fatalf("page %d: %d items, %d pages, %d in all", page, len(p.Items), p.Pages, p.Total)
			}
			for _, item := range p.Items {
				seen[item.ID] = true
				if item.Title == "" || item.Platform != "douyin" || item.Media.Hash != "" || item.Analysis != nil {
					t.Fatalf("%+v", item)
				}
			}
		}
	}
	if len(seen) != 26 {
		t.Fatalf("%d candidates on all pages", len(seen))
	}
	if p, err := local.Search(t.Context(), Query{Product: "p", Text: "  ", Page: 1}); err != nil || p.Total != 0 {
		t.Fatalf("a query without words finds %d, %v", p.Total, err)
	}
	if p, err := local.Search(t.Context(), Query{Product: "other", Text: "塔防", Page: 1}); err != nil || p.Total != 0 {
		t.Fatalf("another product finds %d, %v", p.Total, err)
	}
}

func TestLocalErrorsSayWhetherToTryAgain(t *testing.T) {
	t.Parallel()
	local, c := setup(t)
	var failed *Error
	if _, err := local.Search(t.Context(), Query{Product: "p", Text: "x", Page: 0}); !errors.As(err, &failed) || failed.Kind != Refused {
		t.Fatalf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := local.Search(ctx, Query{Product: "p", Text: "x", Page: 1}); !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Search(t.Context(), Query{Product: "p", Text: "x", Page: 1}); !errors.As(err, &failed) || failed.Kind != Down || failed.Source != "fast" {
		t.Fatalf("got %v", err)
	}
}

func TestLocalAnalysesACandidateOfItsProduct(t *testing.T) {
	t.Parallel()
	local, c := setup(t)
	path := filepath.Join(t.TempDir(), "a.mp4")
	out, err := exec.Command("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=90x160:d=1",
		"-c:v", "libx264", "-preset", "ultrafast", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := c.Import(t.Context(), "p", catalogue.Item{External: "1", Title: "塔防"}, f)
	if err != nil {
		t.Fatal(err)
	}
	words, err := c.Import(t.Context(), "p", catalogue.Item{External: "2", Title: "塔防"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := string(r.Entry.ID)
	a, err := local.Analyse(t.Context(), "p", id)
	if err != nil || !strings.Contains(a.Digest.Captions, "塔防") {
		t.Fatalf("%+v %v", a, err)
	}
	if got, err := local.Candidate(t.Context(), "p", id); err != nil || got.Analysis == nil || got.Media.Hash == "" {
		t.Fatalf("%+v %v", got, err)
	}
	if _, err := local.Analyse(t.Context(), "p", string(words.Entry.ID)); !errors.Is(err, catalogue.ErrNoMedia) {
		t.Fatalf("got %v", err)
	}
	if _, err := local.Analyse(t.Context(), "other", id); domain.CodeOf(err) != domain.NotFound {
		t.Fatalf("got %v", err)
	}
	if _, err := local.Candidate(t.Context(), "other", id); domain.CodeOf(err) != domain.NotFound {
		t.Fatalf("got %v", err)
	}
}
