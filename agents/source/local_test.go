package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sozai/agents/catalogue"
	"sozai/agents/source"
	"sozai/domain"
)

func TestLocalPagesUntilItIsDry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 26 {
		item := catalogue.Item{External: fmt.Sprint(i), Title: "末日塔防 tower defense", Platform: "douyin", Tags: []string{"zombie"}}
		if _, err := b.catalogue.Import(t.Context(), "p", item, nil); err != nil {
			t.Fatal(err)
		}
	}
	for page := 1; page <= 4; page++ {
		for _, platform := range []string{"", "local", "douyin"} {
			p, err := b.local.Search(t.Context(), source.Query{Product: "p", Text: "塔防 zombies", Platform: platform, Page: page})
			if err != nil {
				t.Fatal(err)
			}
			if p.Pages != 3 || p.Total != 26 || len(p.Items) != []int{12, 12, 2, 0}[page-1] || p.More != (page < 3) || p.Platform != "local" {
				t.Fatalf("page %d of %q: %d items, %d pages, %d in all", page, platform, len(p.Items), p.Pages, p.Total)
			}
		}
	}
	for _, q := range []source.Query{{Product: "other", Text: "塔防", Page: 1}, {Product: "p", Text: "塔防", Platform: "tiktok", Page: 1}} {
		if p, err := b.local.Search(t.Context(), q); err != nil || p.Total != 0 {
			t.Fatalf("%+v finds %d, %v", q, p.Total, err)
		}
	}
}

func TestLocalErrorsSayWhetherToTryAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var failed *source.Error
	if _, err := b.local.Search(t.Context(), source.Query{Product: "p", Text: "x", Page: 0}); !errors.As(err, &failed) || failed.Kind != source.Refused {
		t.Fatalf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.local.Search(ctx, source.Query{Product: "p", Text: "x", Page: 1}); !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	if err := b.catalogue.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.local.Search(t.Context(), source.Query{Product: "p", Text: "x", Page: 1}); !errors.As(err, &failed) || failed.Kind != source.Down || failed.Source != "fast" {
		t.Fatalf("got %v", err)
	}
}

func TestLocalExaminesACandidateOfItsProduct(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r, err := b.catalogue.Import(t.Context(), "p", catalogue.Item{External: "1", Title: "塔防"}, bytes.NewReader(b.clip))
	if err != nil {
		t.Fatal(err)
	}
	page, err := b.local.Search(t.Context(), source.Query{Product: "p", Text: "塔防", Page: 1})
	if err != nil || len(page.Items) != 1 || page.Items[0].ID != string(r.Entry.ID) || !page.Items[0].HasVideo() || page.Items[0].Analysis != nil {
		t.Fatalf("%+v %v", page, err)
	}
	got, err := b.local.Examine(t.Context(), source.Who{Product: "p"}, page.Items[0])
	if err != nil || got.Analysis == nil || !strings.Contains(got.Analysis.Digest.Captions, "塔防") || got.Media.Hash == "" {
		t.Fatalf("%+v %v", got, err)
	}
	if _, err := b.local.Examine(t.Context(), source.Who{Product: "other"}, page.Items[0]); domain.CodeOf(err) != domain.NotFound {
		t.Fatalf("got %v", err)
	}
}
