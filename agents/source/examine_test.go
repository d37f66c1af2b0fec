package source_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/effect"
	"sozai/agents/source"
	"sozai/agents/source/sourcetest"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// TestExamine is what needs a catalogue; its parts share one.
func TestExamine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, test := range map[string]func(t *testing.T, b *bundle){
		"an expired address is renewed once":              renewsAnExpiredAddressOnce,
		"candidates without a usable file":                candidatesWithoutAUsableFile,
		"the same file on two platforms is one candidate": theSameFileOnTwoPlatformsIsOneCandidate,
		"fast chooses where to look":                      fastChoosesWhereToLook,
		"errors hold no secrets":                          errorsHoldNoSecrets,
		"what came analysed keeps its analysis":           cameAnalysed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

func renewsAnExpiredAddressOnce(t *testing.T, b *bundle) {
	for platform, path := range map[string]string{
		"tiktok":    "/api/v1/tiktok/app/v3/fetch_one_video",
		"instagram": "/api/v1/instagram/v2/fetch_post_info",
		"douyin":    "/api/v1/douyin/app/v3/fetch_one_video_v2",
	} {
		server := sourcetest.NewTikHub(t, corpus(1), b.clip)
		tik := b.tikhub(t, server, &effect.Memory{})
		w := who("renew-" + platform)
		p, err := tik.Search(t.Context(), query(w, platform, "tower", 1))
		if err != nil {
			t.Fatal(err)
		}
		server.Expire()
		got, err := tik.Examine(t.Context(), w, p.Items[0])
		if err != nil || got.Media.Hash == "" || got.Analysis == nil || server.CallsTo(path) != 1 || server.Charges() != 2 {
			t.Fatalf("%s: %+v, %v after %d charges", platform, got, err, server.Charges())
		}
		// The catalogue has it now, under the id that the platform gives.
		found, err := source.NewFast(b.local, tik).Search(t.Context(), query(w, "local", "tower", 1))
		if err != nil || len(found.Items) != 1 || found.Items[0].ID != p.Items[0].ID || found.Items[0].Media != got.Media {
			t.Fatalf("%s: the catalogue finds %+v, %v", platform, found.Items, err)
		}
	}
}

func candidatesWithoutAUsableFile(t *testing.T, b *bundle) {
	list := sourcetest.Videos(3, words)
	list[0].State, list[1].State = sourcetest.Missing, sourcetest.Fake
	server := sourcetest.NewTikHub(t, map[string][]sourcetest.Video{"tiktok": list}, b.clip)
	tik := b.tikhub(t, server, &effect.Memory{})
	p, err := tik.Search(t.Context(), query(who(t.Name()), "tiktok", "tower", 1))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []domain.Code{domain.NotFound, domain.Unprocessable, ""} {
		_, err := tik.Examine(t.Context(), who(t.Name()), p.Items[i])
		if want == "" && err != nil || want != "" && domain.CodeOf(err) != want {
			t.Fatalf("video %d: %v", i, err)
		}
	}
	// Nothing is left of those that could not be had.
	if n, err := b.catalogue.Count(t.Context(), t.Name()); err != nil || n != 1 {
		t.Fatalf("%d entries, %v", n, err)
	}
}

// The same bytes on two platforms are one entry, and so one candidate.
func theSameFileOnTwoPlatformsIsOneCandidate(t *testing.T, b *bundle) {
	server := sourcetest.NewTikHub(t, corpus(1), b.clip)
	tik := b.tikhub(t, server, &effect.Memory{})
	var got []source.Candidate
	for _, platform := range []string{"tiktok", "douyin"} {
		p, err := tik.Search(t.Context(), query(who(t.Name()), platform, "tower", 1))
		if err != nil {
			t.Fatal(err)
		}
		c, err := tik.Examine(t.Context(), who(t.Name()), p.Items[0])
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c)
	}
	if got[0].ID != "tiktok:7000000000000000001" || got[1].ID != got[0].ID || got[1].Media != got[0].Media {
		t.Fatalf("%s and %s", got[0].ID, got[1].ID)
	}
}

func fastChoosesWhereToLook(t *testing.T, b *bundle) {
	server := sourcetest.NewTikHub(t, corpus(2), b.clip)
	tik := b.tikhub(t, server, &effect.Memory{})
	fast, alone := source.NewFast(b.local, tik), source.NewFast(b.local, nil)
	if diff := cmp.Diff([]string{"local", "tiktok", "instagram", "douyin"}, fast.Platforms()); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{"local"}, alone.Platforms()); diff != "" || alone.Status() != nil {
		t.Fatal(diff)
	}
	for i, c := range []struct {
		fast          *source.Fast
		platform, got string
	}{
		{fast, "", "tiktok"}, {fast, "local", "local"}, {fast, "douyin", "douyin"}, {fast, "youtube", "local"},
		{alone, "", "local"}, {alone, "tiktok", "local"},
	} {
		p, err := c.fast.Search(t.Context(), query(who("empty"), c.platform, "tower", 1))
		if err != nil || p.Platform != c.got {
			t.Fatalf("%d: %q is answered by %q, %v; want %q", i, c.platform, p.Platform, err, c.got)
		}
	}
	p, err := fast.Search(t.Context(), query(who("empty"), "", "tower", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fast.Examine(t.Context(), who("empty"), p.Items[0]); err != nil {
		t.Fatal(err)
	}
	// The catalogue has something now: the run's choice stays, the next run's is new.
	for run, want := range map[domain.ID]string{runA: "tiktok", runB: "local"} {
		w := who("empty")
		w.Run = run
		if p, err := fast.Search(t.Context(), query(w, "", "tower", 1)); err != nil || p.Platform != want {
			t.Fatalf("run %s is answered by %q with %d, %v", run, p.Platform, len(p.Items), err)
		}
	}
}

// Nothing that a caller sees or logs holds the key or a signed address.
func errorsHoldNoSecrets(t *testing.T, b *bundle) {
	list := sourcetest.Videos(1, words)
	list[0].State = sourcetest.Missing
	server := sourcetest.NewTikHub(t, map[string][]sourcetest.Video{"tiktok": list}, b.clip)
	tik := b.tikhub(t, server, &effect.Memory{})
	p, err := tik.Search(t.Context(), query(who(t.Name()), "tiktok", "tower", 1))
	if err != nil {
		t.Fatal(err)
	}
	_, errExamine := tik.Examine(t.Context(), who(t.Name()), p.Items[0])
	gone := b.tikhub(t, server, &effect.Memory{}, func(c *source.TikHubConfig) { c.Base = "http://127.0.0.1:1" })
	_, errSearch := gone.Search(t.Context(), query(who(t.Name()), "tiktok", "a secret query", 1))
	for _, err := range []error{errExamine, errSearch} {
		text := fmt.Sprintf("%v %+v", err, err)
		if err == nil || strings.Contains(text, server.Key) || strings.Contains(text, "sig=") || strings.Contains(text, "secret") {
			t.Fatalf("%s", text)
		}
	}
	if !errors.Is(errSearch, effect.ErrNotDone) {
		t.Fatalf("a server that cannot be reached charges nothing: %v", errSearch)
	}
}

// What the hot engine has analysed is not analysed again, with a file or without.
func cameAnalysed(t *testing.T, b *bundle) {
	list := sourcetest.Videos(3, words)
	list[0].Analysis = map[string]any{
		"source": "tobatsu", "shot_rhythm": "快切", "spoken_hook": "你敢信？", "caption_points": "", "verdict": 7,
		"report": strings.Repeat("拆解\n", 9_000), "highlight": map[string]any{"rating": "HIGH", "reason": "twist\nat the end"},
	}
	list[1].Analysis, list[1].State = list[0].Analysis, sourcetest.NoFile
	list[2].Analysis = map[string]any{"highlight": "?", "verdict": []any{}}
	server := sourcetest.NewHot(t, list, b.clip)
	engine := must(source.NewEngine(b.tasks(t, server, &effect.Memory{})))(t)
	task, err := engine.Start(t.Context(), who(t.Name()), source.HotRequest{What: "tower"})
	if err != nil {
		t.Fatal(err)
	}
	page, err := onePage(t.Context(), 1, func() ([]source.Candidate, bool, time.Duration, error) {
		r, done, wait, err := engine.Check(t.Context(), who(t.Name()), task)
		return r.Items, done, wait, err
	})
	if err != nil || len(page.Items) != 3 {
		t.Fatalf("%+v, %v", page, err)
	}
	want := &video.Analysis{Analyser: "hot/tobatsu", Digest: library.Digest{
		ShotRhythm: "快切", SpokenHook: "你敢信？", Captions: video.None, Verdict: "7",
		Highlight: library.High, HighlightWhy: "twist at the end", Missing: []string{"captions"},
	}}
	for i := range 2 {
		got, err := engine.Examine(t.Context(), who(t.Name()), page.Items[i])
		if len([]rune(got.Analysis.Report)) != 8_000 {
			t.Fatalf("a report of %d characters", len([]rune(got.Analysis.Report)))
		}
		got.Analysis.Report = ""
		if diff := cmp.Diff(want, got.Analysis); diff != "" || err != nil || (got.Media.Hash != "") != (i == 0) {
			t.Fatalf("item %d: %+v, %v (-want +got):\n%s", i, got, err, diff)
		}
	}
	if page.Items[2].Analysis != nil {
		t.Fatalf("an analysis that says nothing: %+v", page.Items[2].Analysis)
	}
}
