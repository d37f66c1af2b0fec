package source_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/effect"
	"sozai/agents/source"
	"sozai/agents/source/sourcetest"
	"sozai/domain"
	"sozai/domain/library"
)

// corpus is n ordinary videos on every platform.
func corpus(n int) map[string][]sourcetest.Video {
	return map[string][]sourcetest.Video{
		"tiktok": sourcetest.Videos(n, words), "instagram": sourcetest.Videos(n, words), "douyin": sourcetest.Videos(n, words),
	}
}

func TestTikHubReadsEachPlatformsFields(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	server := sourcetest.NewTikHub(t, corpus(1))
	tik := b.tikhub(t, server, &effect.Memory{})
	published := time.Unix(1767225600, 0).UTC()
	counts := library.Counts{Plays: 53_000, Likes: 4_100, Shares: 120, Comments: 88}
	size := library.Media{Seconds: 14.6, Width: 576, Height: 1024}
	for platform, want := range map[string]source.Candidate{
		"tiktok": {
			ID: "tiktok:7000000000000000001", Title: words + " 1", Author: "maker0", Platform: "tiktok",
			URL:  "https://www.tiktok.com/@maker0/video/7000000000000000001",
			Tags: []string{"tower", "defense"}, Counts: counts, Published: published, Media: size,
			Play: server.URL + "/media/7000000000000000001/0.mp4?sig=0",
		},
		"douyin": {
			ID: "douyin:7000000000000000001", Title: words + " 1", Author: "maker0", Platform: "douyin",
			URL:  "https://www.douyin.com/video/7000000000000000001",
			Tags: []string{"tower", "defense"}, Counts: library.Counts{Likes: 4_100, Shares: 120, Comments: 88}, Published: published, Media: size,
			Play: server.URL + "/media/7000000000000000001/0.mp4?sig=0",
		},
		"instagram": {
			ID: "instagram:C7000000000000000001", Title: words + " 1", Author: "maker0", Platform: "instagram",
			URL:    "https://www.instagram.com/reel/C7000000000000000001/",
			Counts: library.Counts{Plays: 53_000, Likes: 4_100, Shares: 7, Comments: 5}, Published: published,
			Media: library.Media{Seconds: 14.6},
			Play:  server.URL + "/media/7000000000000000001/0.mp4?sig=0",
		},
	} {
		p, err := tik.Search(t.Context(), query(who("p"), platform, "tower", 1))
		if err != nil || p.Platform != platform || p.More || p.Again {
			t.Fatalf("%+v, %v", p, err)
		}
		if diff := cmp.Diff([]source.Candidate{want}, p.Items); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", platform, diff)
		}
	}
}

func TestTikHubCountsTheirPrices(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	tik := b.tikhub(t, sourcetest.NewTikHub(t, corpus(1)), &effect.Memory{})
	for platform, want := range map[string]domain.Money{"tiktok": 7_200, "instagram": 14_400, "douyin": 7_200} {
		if p, err := tik.Search(t.Context(), query(who("p"), platform, "tower", 1)); err != nil || p.Cost != want {
			t.Fatalf("%s: ¥%g, %v", platform, p.Cost.Yuan(), err)
		}
	}
	for _, s := range tik.Status() {
		if s.Calls != 1 || s.Cost == 0 || s.State != source.OK || s.LastOK.IsZero() {
			t.Fatalf("%+v", s)
		}
	}
}

func TestTikHubSkipsWhatIsNoVideo(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	for platform, want := range map[string]int{"tiktok": 26, "instagram": 26, "douyin": 26} {
		list := sourcetest.Videos(30, words)
		for i, state := range []sourcetest.State{sourcetest.Picture, sourcetest.Deleted, sourcetest.Private, sourcetest.NoFile} {
			list[3*i].State = state
		}
		tik := b.tikhub(t, sourcetest.NewTikHub(t, map[string][]sourcetest.Video{platform: list}), &effect.Memory{})
		if got := len(all(t, tik, platform)); got != want {
			t.Fatalf("%s: %d videos, want %d", platform, got, want)
		}
	}
	// A page of pictures only is not the end.
	list := sourcetest.Videos(25, words)
	for i := range 20 {
		list[i].State = sourcetest.Picture
	}
	tik := b.tikhub(t, sourcetest.NewTikHub(t, map[string][]sourcetest.Video{"tiktok": list}), &effect.Memory{})
	if got := len(all(t, tik, "tiktok")); got != 5 {
		t.Fatalf("%d videos after a page of pictures, want 5", got)
	}
}

// all pages to the end.
func all(t *testing.T, tik *source.TikHub, platform string) []source.Candidate {
	t.Helper()
	var out []source.Candidate
	for page := 1; page <= 20; page++ {
		p, err := tik.Search(t.Context(), query(who("p"), platform, "tower", page))
		if err != nil {
			t.Fatalf("%s page %d: %v", platform, page, err)
		}
		if out = append(out, p.Items...); !p.More {
			return out
		}
	}
	t.Fatalf("%s never ends", platform)
	return nil
}

func TestTikHubSurvivesOddAnswers(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	for _, platform := range []string{"tiktok", "instagram", "douyin"} {
		for odd, want := range map[sourcetest.Odd]struct{ videos, charges int }{
			sourcetest.Wrapped: {45, 0},
			sourcetest.Empty:   {0, 1},
			sourcetest.Still:   {0, map[string]int{"tiktok": 1, "instagram": 2, "douyin": 1}[platform]},
			sourcetest.Loop:    {0, 2},
		} {
			server := sourcetest.NewTikHub(t, corpus(45))
			server.Break(sourcetest.Fault{Odd: odd})
			tik := b.tikhub(t, server, &effect.Memory{})
			got := all(t, tik, platform)
			if want.videos > 0 && len(got) != want.videos || want.charges > 0 && server.Charges() != want.charges || server.Charges() > 6 {
				t.Fatalf("%s, %s: %d videos for %d charges", platform, odd, len(got), server.Charges())
			}
		}
	}
}

// An error inside a good answer is charged: it is remembered, told with its cost,
// and not asked for again.
func TestTikHubErrorsInsideAreChargedOnce(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	for _, odd := range []sourcetest.Odd{sourcetest.Inner, sourcetest.Garbage} {
		server := sourcetest.NewTikHub(t, corpus(3))
		server.Break(sourcetest.Fault{Odd: odd})
		ledger := &effect.Memory{}
		for attempt, cost := range []domain.Money{7_200, 0} {
			var failed *source.Error
			_, err := b.tikhub(t, server, ledger).Search(t.Context(), query(who("p"), "tiktok", "tower", 1))
			if !errors.As(err, &failed) || failed.Kind != source.Refused || failed.Cost != cost || errors.Is(err, effect.ErrNotDone) {
				t.Fatalf("%s, attempt %d: %+v", odd, attempt+1, failed)
			}
		}
		if server.Charges() != 1 {
			t.Fatalf("%s: %d charges", odd, server.Charges())
		}
	}
}

// A connection that breaks after the request was taken may have been charged:
// nobody asks again, in this attempt or the next.
func TestTikHubDoesNotRepeatWhatMayBeCharged(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	server := sourcetest.NewTikHub(t, corpus(30))
	server.Break(sourcetest.Fault{Odd: sourcetest.Cut, Times: 1})
	ledger := &effect.Memory{}
	var failed *source.Error
	_, err := b.tikhub(t, server, ledger).Search(t.Context(), query(who("p"), "douyin", "tower", 1))
	if !errors.As(err, &failed) || failed.Kind != source.Down || errors.Is(err, effect.ErrNotDone) {
		t.Fatalf("got %v", err)
	}
	for range 2 {
		_, err = b.tikhub(t, server, ledger).Search(t.Context(), query(who("p"), "douyin", "tower", 1))
		if !errors.As(err, &failed) || failed.Kind != source.Refused || !errors.Is(err, effect.ErrUnknown) {
			t.Fatalf("got %v", err)
		}
	}
	if server.Calls() != 1 {
		t.Fatalf("%d calls", server.Calls())
	}
	if p, err := b.tikhub(t, server, ledger).Search(t.Context(), query(who("p"), "douyin", "defense", 1)); err != nil || len(p.Items) == 0 {
		t.Fatalf("other words find %d, %v", len(p.Items), err)
	}
}

func TestTikHubWaitsAsTold(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	soon := strconv.FormatInt(time.Now().Add(40*time.Second).Unix(), 10)
	for name, c := range map[string]struct {
		fault    sourcetest.Fault
		from, to time.Duration
	}{
		"seconds":          {sourcetest.Fault{Status: 429, RetryAfter: "30"}, 28 * time.Second, 30 * time.Second},
		"reset in seconds": {sourcetest.Fault{Status: 429, Reset: "20"}, 18 * time.Second, 20 * time.Second},
		"reset as a time":  {sourcetest.Fault{Status: 429, Reset: soon}, 30 * time.Second, 41 * time.Second},
		"a date":           {sourcetest.Fault{Status: 503, RetryAfter: time.Now().Add(50 * time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")}, 40 * time.Second, 51 * time.Second},
		"nonsense":         {sourcetest.Fault{Status: 429, RetryAfter: "-1e99"}, 0, time.Second},
		"for ever":         {sourcetest.Fault{Status: 429, RetryAfter: "99999999"}, 59 * time.Minute, time.Hour},
	} {
		server := sourcetest.NewTikHub(t, corpus(1))
		server.Break(c.fault)
		_, err := b.tikhub(t, server, &effect.Memory{}).Search(t.Context(), query(who("p"), "tiktok", "tower", 1))
		var failed *source.Error
		if !errors.As(err, &failed) || failed.RetryAfter < c.from || failed.RetryAfter > c.to || !errors.Is(err, effect.ErrNotDone) {
			t.Fatalf("%s: %+v", name, failed)
		}
	}
}

// How often a request that fails for ever is sent.
func TestTikHubTriesAgainWithinReason(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	for status, want := range map[int]int{302: 1, 400: 2, 404: 1, 408: 3, 422: 1, 429: 3, 500: 3, 504: 3} {
		server := sourcetest.NewTikHub(t, corpus(1))
		server.Break(sourcetest.Fault{Status: status})
		_, err := b.tikhub(t, server, &effect.Memory{}).Search(t.Context(), query(who("p"), "tiktok", "tower", 1))
		if !errors.Is(err, effect.ErrNotDone) || server.Calls() != want || server.Charges() != 0 {
			t.Fatalf("%d: %d calls, %v", status, server.Calls(), err)
		}
	}
}

// One platform that the account does not cover stops no other.
func TestTikHubStopsOnePlatformAlone(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	for _, status := range []int{401, 402, 403} {
		server := sourcetest.NewTikHub(t, corpus(1))
		server.Break(sourcetest.Fault{Status: status, Times: 1})
		tik := b.tikhub(t, server, &effect.Memory{})
		for range 2 {
			_, err := tik.Search(t.Context(), query(who("p"), "instagram", "tower", 1))
			var failed *source.Error
			if !errors.As(err, &failed) || failed.Kind != source.Refused || failed.Source != "instagram" {
				t.Fatalf("%d: %v", status, err)
			}
		}
		if server.Calls() != 1 {
			t.Fatalf("%d: %d calls", status, server.Calls())
		}
		if p, err := tik.Search(t.Context(), query(who("p"), "tiktok", "tower", 1)); err != nil || len(p.Items) != 1 {
			t.Fatalf("%d: tiktok finds %d, %v", status, len(p.Items), err)
		}
		if s := tik.Status(); s[0].State != source.OK || s[1].State != source.Stopped || s[1].Failures != 1 || s[1].LastError == "" {
			t.Fatalf("%+v", s)
		}
	}
}

func TestTikHubRefusesWhatCannotBeRight(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	server := sourcetest.NewTikHub(t, corpus(1))
	tik := b.tikhub(t, server, &effect.Memory{}, func(c *source.TikHubConfig) { c.Platforms = []string{"tiktok"} })
	noRun := query(source.Who{Product: "p"}, "tiktok", "tower", 1)
	for name, q := range map[string]source.Query{
		"a page before the first": query(who("p"), "tiktok", "tower", 0),
		"a page out of order":     query(who("p"), "tiktok", "tower", 3),
		"no run":                  noRun,
		"another platform":        query(who("p"), "douyin", "tower", 1),
	} {
		var failed *source.Error
		if _, err := tik.Search(t.Context(), q); !errors.As(err, &failed) || failed.Kind != source.Refused {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if server.Calls() != 0 || server.Cats() != 0 {
		t.Fatalf("%d calls", server.Calls())
	}
	for name, c := range map[string]source.TikHubConfig{
		"no key":           {},
		"no such platform": {ServiceConfig: source.ServiceConfig{Key: "k"}, Platforms: []string{"myspace"}},
		"a key in the URL": {ServiceConfig: source.ServiceConfig{Key: "k", Base: "https://u:p@example.com"}},
		"a negative price": {ServiceConfig: source.ServiceConfig{Key: "k"}, Prices: source.Prices{YuanPerUSD: 7, Other: -1}},
	} {
		if _, err := source.NewTikHub(c); domain.CodeOf(err) != domain.Invalid {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// Two runs are two searches; two attempts of one are one.
func TestTikHubAsksAgainForAnotherRun(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	server := sourcetest.NewTikHub(t, corpus(30))
	tik := b.tikhub(t, server, &effect.Memory{})
	for i, run := range []domain.ID{runA, runA, runB} {
		w := who("p")
		w.Run, w.Attempt = run, i+1
		for page, text := range []string{"Tower  defense", "tower defense"} { // spacing and case are no other words
			p, err := tik.Search(t.Context(), query(w, "tiktok", text, 1))
			if err != nil || p.Again != (i == 1 || page == 1) {
				t.Fatalf("call %d/%d: %v, again %t", i, page, err, p.Again)
			}
		}
	}
	if server.Charges() != 2 {
		t.Fatalf("%d charges, want one a run", server.Charges())
	}
}
