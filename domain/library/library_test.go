package library_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/library"
)

func video() library.Media {
	return library.Media{Hash: strings.Repeat("0a", 32), Type: "video/mp4", Bytes: 10, Seconds: 3, Width: 540, Height: 960}
}

func saved(change func(*library.Saved)) library.Saved {
	s := library.Saved{
		Material: "m", Run: "r", Attempt: 1, GeneVersion: 2, Source: "fast", External: "tt-1", Title: "爆破", Media: video(),
	}
	if change != nil {
		change(&s)
	}
	return s
}

func analyzed(change func(*library.Analyzed)) library.Analyzed {
	loudness := -14.0
	a := library.Analyzed{
		Material: "m", Run: "r", Attempt: 1, Analyser: "ffmpeg", Ruleset: 1,
		Digest:  library.Digest{ShotRhythm: "快", SpokenHook: "无", Captions: "无", Verdict: "节奏好", Missing: []string{"spoken_hook", "captions"}},
		Metrics: &library.Metrics{Duration: 3, Cuts: []float64{1, 2}, LoudnessLUFS: &loudness},
	}
	if change != nil {
		change(&a)
	}
	return a
}

func board(change func(*library.BoardCreated)) library.BoardCreated {
	b := library.BoardCreated{
		Board: "b", Run: "r", Attempt: 1, GeneVersion: 2, Title: "方案",
		Panels: []library.Panel{{Number: 1, Seconds: 2, Material: "m", From: 1, To: 3}, {Number: 2, Seconds: 1}},
	}
	if change != nil {
		change(&b)
	}
	return b
}

type check struct {
	rule string
	err  error
	want error
}

func run(t *testing.T, checks []check) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if !errors.Is(c.err, c.want) {
				t.Fatalf("got %v, want %v", c.err, c.want)
			}
		})
	}
}

func TestRule1_OriginIsNamed(t *testing.T) {
	t.Parallel()
	film := library.FilmRendered{Film: "f", Board: "b", Run: "r", Attempt: 1, GeneVersion: 2, Media: video()}
	versionless := film
	versionless.GeneVersion = 0
	run(t, []check{
		{"material", saved(nil).Check(), nil},
		{"without run", saved(func(s *library.Saved) { s.Run = "" }).Check(), library.ErrOrigin},
		{"without attempt", saved(func(s *library.Saved) { s.Attempt = 0 }).Check(), library.ErrOrigin},
		{"without version", saved(func(s *library.Saved) { s.GeneVersion = 0 }).Check(), library.ErrOrigin},
		{"board", board(nil).Check(), nil},
		{"board without run", board(func(b *library.BoardCreated) { b.Run = "" }).Check(), library.ErrOrigin},
		{"film", film.Check(), nil},
		{"film without version", versionless.Check(), library.ErrOrigin},
		{"film without board", library.FilmRendered{Film: "f"}.Check(), domain.ErrMissing},
		{"nothing", library.FilmRendered{}.Check(), domain.ErrMissing},
	})
}

func TestRule2_MaterialsAndTheirLinks(t *testing.T) {
	t.Parallel()
	link := func(url string) error { return saved(func(s *library.Saved) { s.URL = url }).Check() }
	run(t, []check{
		{"no id", saved(func(s *library.Saved) { s.Material = "" }).Check(), domain.ErrMissing},
		{"no source", saved(func(s *library.Saved) { s.Source = "" }).Check(), domain.ErrMissing},
		{"no id there", saved(func(s *library.Saved) { s.External = "" }).Check(), domain.ErrMissing},
		{"no title", saved(func(s *library.Saved) { s.Title = "" }).Check(), nil},
		{"endless title", saved(func(s *library.Saved) { s.Title = strings.Repeat("长", library.MaxTitle+1) }).Check(), domain.ErrTooLong},
		{"unclean title", saved(func(s *library.Saved) { s.Title = "a\x00" }).Check(), domain.ErrText},
		{"too many tags", saved(func(s *library.Saved) { s.Tags = make([]string, library.MaxTags+1) }).Check(), domain.ErrTooLong},
		{"negative counts", saved(func(s *library.Saved) { s.Counts.Likes = -1 }).Check(), library.ErrCounts},
		{"web link", link("https://example.org/v/1?a=爆破"), nil},
		{"script link", link("javascript:alert(1)"), library.ErrLink},
		{"data link", link("data:text/html,x"), library.ErrLink},
		{"file link", link("file:///etc/passwd"), library.ErrLink},
		{"relative link", link("/v/1"), library.ErrLink},
		{"hostless link", link("https:///v/1"), library.ErrLink},
		{"broken link", link("https://a b"), library.ErrLink},
	})
}

func TestRule3_MediaAreAddressedByHash(t *testing.T) {
	t.Parallel()
	media := func(change func(*library.Media)) error {
		return saved(func(s *library.Saved) { change(&s.Media) }).Check()
	}
	run(t, []check{
		{"material without media", saved(func(s *library.Saved) { s.Media = library.Media{} }).Check(), nil},
		{"short hash", media(func(m *library.Media) { m.Hash = "0a" }), library.ErrMedia},
		{"upper case hash", media(func(m *library.Media) { m.Hash = strings.ToUpper(m.Hash) }), library.ErrMedia},
		{"path for a hash", media(func(m *library.Media) { m.Hash = strings.Repeat("../", 21) + "a" }), library.ErrMedia},
		{"no video", media(func(m *library.Media) { m.Type = "text/html" }), library.ErrMedia},
		{"endless", media(func(m *library.Media) { m.Seconds = math.Inf(1) }), library.ErrMedia},
		{"negative size", media(func(m *library.Media) { m.Bytes = -1 }), library.ErrMedia},
		{"asset", library.AssetUploaded{Asset: "a", Title: "我的", File: "../我的.mp4", Media: video()}.Check(), nil},
		{"asset without media", library.AssetUploaded{Asset: "a", Title: "我的"}.Check(), library.ErrMedia},
		{"asset without title", library.AssetUploaded{Asset: "a", Media: video()}.Check(), domain.ErrMissing},
		{"asset without id", library.AssetUploaded{}.Check(), domain.ErrMissing},
		{"film without media", library.FilmRendered{Film: "f", Board: "b", Run: "r", Attempt: 1, GeneVersion: 1}.Check(), library.ErrMedia},
	})
}

func TestRule4_AnalysesFillTheirSections(t *testing.T) {
	t.Parallel()
	digest := func(change func(*library.Digest)) error {
		return analyzed(func(a *library.Analyzed) { change(&a.Digest) }).Check()
	}
	run(t, []check{
		{"complete", analyzed(nil).Check(), nil},
		{"no section may be empty", digest(func(d *library.Digest) { d.SpokenHook = "" }), domain.ErrMissing},
		{"no verdict", digest(func(d *library.Digest) { d.Verdict = " " }), domain.ErrMissing},
		{"no such rating", digest(func(d *library.Digest) { d.Highlight = "gold" }), library.ErrAnalysis},
		{"no such section", digest(func(d *library.Digest) { d.Missing = []string{"smell"} }), library.ErrAnalysis},
		{"no material", analyzed(func(a *library.Analyzed) { a.Material = "" }).Check(), domain.ErrMissing},
		{"no analyser", analyzed(func(a *library.Analyzed) { a.Analyser = "" }).Check(), domain.ErrMissing},
		{"run and turn", analyzed(func(a *library.Analyzed) { a.Turn = "t" }).Check(), library.ErrOrigin},
		{"run without attempt", analyzed(func(a *library.Analyzed) { a.Attempt = 0 }).Check(), library.ErrOrigin},
		{"in a turn", analyzed(func(a *library.Analyzed) { a.Run, a.Turn = "", "t" }).Check(), nil},
		{"by hand", analyzed(func(a *library.Analyzed) { a.Run, a.Attempt = "", 0 }).Check(), nil},
		{"endless report", analyzed(func(a *library.Analyzed) { a.Report = strings.Repeat("x", library.MaxReport+1) }).Check(), domain.ErrTooLong},
	})
}

func TestRule5_NumbersAreReal(t *testing.T) {
	t.Parallel()
	metrics := func(change func(*library.Metrics)) error {
		return analyzed(func(a *library.Analyzed) { change(a.Metrics) }).Check()
	}
	nan := math.NaN()
	run(t, []check{
		{"none measured", analyzed(func(a *library.Analyzed) { a.Metrics = nil }).Check(), nil},
		{"not a number", metrics(func(m *library.Metrics) { m.Motion = nan }), library.ErrAnalysis},
		{"loudness of silence", metrics(func(m *library.Metrics) { m.LoudnessLUFS = &nan }), library.ErrAnalysis},
		{"cuts out of order", metrics(func(m *library.Metrics) { m.Cuts = []float64{2, 1} }), library.ErrAnalysis},
		{"cut behind the end", metrics(func(m *library.Metrics) { m.Cuts = []float64{4} }), library.ErrAnalysis},
		{"cut before the start", metrics(func(m *library.Metrics) { m.Cuts = []float64{-1} }), library.ErrAnalysis},
	})
}

func TestRule6_PanelsAreNumbered(t *testing.T) {
	t.Parallel()
	panels := func(change func([]library.Panel) []library.Panel) error {
		return board(func(b *library.BoardCreated) { b.Panels = change(b.Panels) }).Check()
	}
	edited := library.BoardEdited{Board: "b", Title: "方案", Panels: board(nil).Panels}
	run(t, []check{
		{"none", panels(func([]library.Panel) []library.Panel { return nil }), library.ErrPanels},
		{"hundred and one", panels(func([]library.Panel) []library.Panel { return make([]library.Panel, library.MaxPanels+1) }), library.ErrPanels},
		{"number skipped", panels(func(p []library.Panel) []library.Panel { p[1].Number = 3; return p }), library.ErrPanels},
		{"no length", panels(func(p []library.Panel) []library.Panel { p[0].Seconds = 0; return p }), library.ErrPanels},
		{"ends before it begins", panels(func(p []library.Panel) []library.Panel { p[0].To = 0.5; return p }), library.ErrPanels},
		{"no title", board(func(b *library.BoardCreated) { b.Title = "" }).Check(), domain.ErrMissing},
		{"edited by a person", edited.Check(domaintest.Ann), nil},
		{"edited by a butler", edited.Check(domaintest.Butler), domain.ErrPersonOnly},
		{"edit of nothing", library.BoardEdited{}.Check(domaintest.Ann), domain.ErrMissing},
	})
}
