package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/library"
)

func TestTermsOfManyLanguages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text     string
		query    []string
		indexing []string
	}{
		{"末日塔防", []string{"末日", "日塔", "塔防"}, []string{"末", "末日", "日", "日塔", "塔", "塔防", "防"}},
		{"塔", []string{"塔"}, nil},
		{"Zombies & ZOMBIE, explosions!", []string{"zombi", "explosion"}, nil},
		{"cities city boxes classes bus", []string{"citi", "box", "class", "bus"}, nil},
		{"#MotivationMonday café naïve", []string{"motivationmonday", "cafe", "naive"}, nil},
		{"Часть 1 «Нити судьбы»", []string{"часть", "1", "нити", "судьбы"}, nil},
		{"ёлка й", []string{"елка", "и"}, nil},
		{"شُكْرًا #عاشق_الخيل", []string{"شكرا", "عاشق", "الخيل"}, nil},
		{"ලස්සනයි ද", []string{"ලස්සනයි", "ද"}, nil},
		{"ゲーム ｹﾞｰﾑ がんばる", []string{"ゲー", "ーム", "がん", "んば", "ばる"}, nil},
		{"좀비 게임", []string{"좀비", "게임"}, nil},
		{"ภาษาไทย", []string{"ภา", "าษ", "ษา", "าไ", "ไท", "ทย"}, nil},
		{"💕 best❤️day", []string{"💕", "best", "❤", "day"}, nil},
		{"２０２５年ＡＢＣ", []string{"2025", "年", "abc"}, nil},
		{"don't", []string{"dont"}, nil},
		{"!!! ... —", nil, nil},
		{"", nil, nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.query, terms(test.text, false)); diff != "" {
			t.Errorf("query %q (-want +got):\n%s", test.text, diff)
		}
		if test.indexing != nil {
			if diff := cmp.Diff(test.indexing, terms(test.text, true)); diff != "" {
				t.Errorf("index %q (-want +got):\n%s", test.text, diff)
			}
		}
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("末日塔防 Zombies ภาษา شُكْرًا 💕")
	f.Add("\xff\xfe\u0301")
	f.Fuzz(func(t *testing.T, text string) {
		for _, term := range terms(text, false) {
			if term == "" || !slices.Contains(terms(text, true), term) {
				t.Fatalf("term %q of a query is not found in the same text %q", term, text)
			}
		}
	})
}

// excerpt imports the real entries of testdata.
func excerpt(t *testing.T, b *bundle, product string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "shortvideo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	items, problems, err := ParseManifest(f)
	if err != nil || len(problems) > 0 || len(items) != 10 {
		t.Fatalf("%d items, %+v, %v", len(items), problems, err)
	}
	for _, item := range items {
		if r := b.add(t, product, item, nil); r.Outcome != Added || r.Entry.Media.Hash != "" || r.Entry.Media.Seconds == 0 {
			t.Fatalf("%+v", r)
		}
	}
}

func TestRealEntriesAreFoundInTheirLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	excerpt(t, b, "p")
	for query, want := range map[string]string{
		"судьбы":              "Часть 1",
		"Нити СУДЬБЫ":         "Часть 1",
		"الخيل":               "#ميرنا",
		"سوريا الثورة":        "علمنا",
		"පළමු වතාවට":          "ඔන්න",
		"bioscoop verbouwing": "Aangezien",
		"motivation monday":   "The boys were proud",
		"echt juf":            "Maar er is",
		"fitness workouts":    "The boys were proud",
		"💕":                   "The boys were proud",
	} {
		h, err := b.Search(t.Context(), Query{Product: "p", Text: query, Page: 1})
		if err != nil {
			t.Fatal(err)
		}
		if h.Total == 0 || len(h.Entries[0].Title) < len(want) || h.Entries[0].Title[:len(want)] != want {
			t.Errorf("%q finds %d, first %+v; want %q", query, h.Total, h.Entries, want)
		}
	}
	h, err := b.Search(t.Context(), Query{Product: "p", Page: 1})
	if err != nil || h.Total != 10 || len(h.Entries) != 10 {
		t.Fatalf("without words there are %d, %v", h.Total, err)
	}
}

func TestRankingWeighsFieldsAndRareWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, e := range []Item{
		{External: "author", Title: "a", Author: "爆炸工作室"},
		{External: "tag", Title: "b", Tags: []string{"爆炸"}},
		{External: "title", Title: "大爆炸合集"},
		{External: "both", Title: "丧尸 爆炸"},
		{External: "hashtag", Title: "c", Tags: []string{"towerdefense"}},
		{External: "split", Title: "tower something defense"},
	} {
		e.Counts.Plays = int64(i)
		b.add(t, "p", e, nil)
	}
	check := func(query string, want ...string) {
		t.Helper()
		h, err := b.Search(t.Context(), Query{Product: "p", Text: query, Page: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range h.Entries {
			got = append(got, e.External)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	check("爆炸", "both", "title", "tag", "author") // equal scores: more plays first
	check("丧尸 爆炸", "both", "title", "tag", "author")
	check("tower defense", "split", "hashtag")
	check("炸", "both", "title", "tag", "author")
	check("没有这个词语啊")
}

func TestPagesAreStableWholeAndOfTheProduct(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 30 {
		platform := []string{"tiktok", "douyin"}[i%2]
		b.add(t, "p", Item{External: fmt.Sprintf("%02d", i), Title: "tower", Platform: platform, Counts: library.Counts{Plays: int64(i % 7)}}, nil)
	}
	b.add(t, "other", Item{External: "x", Title: "tower tower", Counts: library.Counts{Plays: 1e9}}, nil)
	all := func() (order []string) {
		for page := 1; page <= 4; page++ {
			h, err := b.Search(t.Context(), Query{Product: "p", Text: "towers", Page: page})
			if err != nil {
				t.Fatal(err)
			}
			if h.Total != 30 || h.Pages != 3 || h.Page != page || len(h.Entries) != []int{12, 12, 6, 0}[page-1] {
				t.Fatalf("page %d has %d of %d on %d pages", page, len(h.Entries), h.Total, h.Pages)
			}
			for _, e := range h.Entries {
				order = append(order, e.External)
			}
		}
		return order
	}
	first := all()
	if len(slices.Compact(slices.Sorted(slices.Values(first)))) != 30 {
		t.Fatalf("pages repeat entries: %v", first)
	}
	if first[0] != "06" || first[1] != "13" {
		t.Fatalf("equal scores are not ordered by plays and id: %v", first)
	}
	// A rebuilt index gives the same order.
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(b.dir, "catalogue.bleve")); err != nil {
		t.Fatal(err)
	}
	b.open(t)
	if diff := cmp.Diff(first, all()); diff != "" {
		t.Fatal(diff)
	}
	h, err := b.Search(t.Context(), Query{Product: "p", Text: "tower", Platform: "douyin", Page: 1, Size: 5})
	if err != nil || h.Total != 15 || len(h.Entries) != 5 || h.Entries[0].Platform != "douyin" {
		t.Fatalf("%+v %v", h, err)
	}
	h, err = b.Search(t.Context(), Query{Product: "p", Platform: "tiktok", Page: 2})
	if err != nil || h.Total != 15 || len(h.Entries) != 3 {
		t.Fatalf("%+v %v", h, err)
	}
	for _, q := range []Query{{Product: "p", Text: "x"}, {Product: "p", Text: "x", Page: 1, Size: 101}, {Product: "p", Page: -1}} {
		if _, err := b.Search(t.Context(), q); domain.CodeOf(err) != domain.Invalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func TestTheIndexIsMadeAnewWhenItIsUnusable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		damage func(t *testing.T, b *bundle)
		want   int
	}{
		{"missing", func(t *testing.T, b *bundle) {
			if err := os.RemoveAll(filepath.Join(b.dir, "catalogue.bleve")); err != nil {
				t.Fatal(err)
			}
		}, 3},
		{"files overwritten", func(t *testing.T, b *bundle) {
			err := filepath.WalkDir(filepath.Join(b.dir, "catalogue.bleve"), func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				return os.WriteFile(path, []byte("garbage"), 0o600)
			})
			if err != nil {
				t.Fatal(err)
			}
		}, 3},
		{"rows went back in time", func(t *testing.T, b *bundle) {
			if _, err := b.pool.Exec(t.Context(), `DELETE FROM catalogue.entries WHERE external = '2'`); err != nil {
				t.Fatal(err)
			}
		}, 2},
		{"another database", func(t *testing.T, b *bundle) {
			_, err := b.pool.Exec(t.Context(), `UPDATE catalogue.origin SET id = gen_random_uuid()`)
			if err != nil {
				t.Fatal(err)
			}
		}, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for i := range 3 {
				b.add(t, "p", Item{External: fmt.Sprint(i), Title: "tower"}, nil)
			}
			if h, err := b.Search(t.Context(), Query{Product: "p", Text: "tower", Page: 1}); err != nil || h.Total != 3 {
				t.Fatalf("%d found, %v", h.Total, err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			test.damage(t, b)
			b.open(t)
			if h, err := b.Search(t.Context(), Query{Product: "p", Text: "tower", Page: 1}); err != nil || h.Total != test.want || len(h.Entries) != test.want {
				t.Fatalf("%d found, %v; want %d", h.Total, err, test.want)
			}
		})
	}
}

func TestTwoProcessesSeeEachOthersImports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conf := b.conf
	conf.Dir = t.TempDir()
	other, err := Open(t.Context(), conf)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	b.add(t, "p", Item{External: "1", Title: "tower"}, nil)
	if h, err := other.Search(t.Context(), Query{Product: "p", Text: "tower", Page: 1}); err != nil || h.Total != 1 {
		t.Fatalf("%+v %v", h, err)
	}
}
