// Package library owns what is known of materials, assets, boards and films: the
// shape that each must have to be recorded. Facts carry no guard; that nothing is
// saved twice is seen to by their ids and by the runs' fences. It may import only
// domain.
package library

import (
	"net/url"
	"slices"
	"strings"

	"sozai/domain"
)

// The rules:
//
//  1. A material, board or film names the run, the attempt and the gene version
//     that made it.
//  2. A material has its id at its source (people do post without a title); its
//     link leads to the web.
//  3. A media file is addressed by its hash; a film and an asset have one, a
//     material may not.
//  4. An analysis fills its five sections; what is missing is one of them.
//  5. Measured numbers are real ones, cuts lie in order within the video.
//  6. A board has panels, numbered from 1, each of some length.
var (
	ErrOrigin   = domain.Rule(domain.Invalid, "library_origin", "the run, attempt and gene version that made it are missing")
	ErrLink     = domain.Rule(domain.Invalid, "library_link", "the link does not lead to the web")
	ErrMedia    = domain.Rule(domain.Invalid, "library_media", "the media file cannot be right")
	ErrCounts   = domain.Rule(domain.Invalid, "library_counts", "the counts cannot be right")
	ErrAnalysis = domain.Rule(domain.Invalid, "library_analysis", "the analysis cannot be right")
	ErrPanels   = domain.Rule(domain.Invalid, "library_panels", "the panels cannot be right")
)

// Limits of one object.
const (
	MaxTags   = 50
	MaxTitle  = 500
	MaxURL    = 2_000
	MaxPanels = 100
	MaxReport = 100_000
)

// Check decides whether a material may be recorded.
func (s Saved) Check() error {
	if s.Material == "" {
		return domain.Missing("material")
	}
	if err := checkOrigin(s.Run, s.Attempt, s.GeneVersion); err != nil {
		return err
	}
	for _, required := range []struct {
		field, text string
		limit       int
	}{
		{"source", s.Source, domain.MaxNameRunes},
		{"external", s.External, MaxTitle},
	} {
		if err := domain.CheckRequired(required.field, required.text, required.limit); err != nil {
			return err
		}
	}
	for _, optional := range append([]string{s.Title, s.Author, s.Platform}, s.Tags...) {
		if err := domain.CheckText("title, author, platform or tag", optional, MaxTitle); err != nil {
			return err
		}
	}
	if len(s.Tags) > MaxTags {
		return domain.ErrTooLong.With(nil, "%d tags, at most %d are allowed", len(s.Tags), MaxTags)
	}
	if err := domain.CheckText("why", s.Why, domain.MaxMessageRunes); err != nil {
		return err
	}
	if min(s.Counts.Plays, s.Counts.Likes, s.Counts.Shares, s.Counts.Comments) < 0 {
		return ErrCounts
	}
	if err := checkLink(s.URL); err != nil {
		return err
	}
	return s.Media.check(false)
}

// Check decides whether an asset may be recorded.
func (a AssetUploaded) Check() error {
	if a.Asset == "" {
		return domain.Missing("asset")
	}
	if err := domain.CheckRequired("title", a.Title, MaxTitle); err != nil {
		return err
	}
	if err := domain.CheckText("file", a.File, MaxTitle); err != nil {
		return err
	}
	return a.Media.check(true)
}

// Check decides whether a board may be recorded.
func (b BoardCreated) Check() error {
	if b.Board == "" {
		return domain.Missing("board")
	}
	if err := checkOrigin(b.Run, b.Attempt, b.GeneVersion); err != nil {
		return err
	}
	return checkPanels(b.Title, b.Panels)
}

// Check decides whether a board's new panels may be recorded for by.
func (b BoardEdited) Check(by domain.Actor) error {
	if err := domain.CheckPerson(by); err != nil {
		return err
	}
	if b.Board == "" {
		return domain.Missing("board")
	}
	return checkPanels(b.Title, b.Panels)
}

// Check decides whether a film may be recorded.
func (f FilmRendered) Check() error {
	switch {
	case f.Film == "":
		return domain.Missing("film")
	case f.Board == "":
		return domain.Missing("board")
	}
	if err := checkOrigin(f.Run, f.Attempt, f.GeneVersion); err != nil {
		return err
	}
	return f.Media.check(true)
}

func checkOrigin(run domain.ID, attempt, version int) error {
	if run == "" || attempt < 1 || version < 1 {
		return ErrOrigin
	}
	return nil
}

// checkLink keeps out everything but web addresses: a javascript: link in a
// title would run in the browser of whoever clicks it.
func checkLink(link string) error {
	if link == "" {
		return nil
	}
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(link) > MaxURL {
		return ErrLink.With(nil, "%q does not lead to the web", link)
	}
	return domain.CheckText("url", link, MaxURL)
}

func (m Media) check(required bool) error {
	if m.Hash == "" && !required {
		return nil
	}
	if len(m.Hash) != 64 || strings.Trim(m.Hash, "0123456789abcdef") != "" {
		return ErrMedia.With(nil, "%q is no SHA-256", m.Hash)
	}
	if !strings.HasPrefix(m.Type, "video/") {
		return ErrMedia.With(nil, "%q is no type of video", m.Type)
	}
	if m.Bytes < 0 || !domain.Finite(m.Seconds) || m.Seconds < 0 || m.Width < 0 || m.Height < 0 {
		return ErrMedia
	}
	return nil
}

func checkPanels(title string, panels []Panel) error {
	if err := domain.CheckRequired("title", title, MaxTitle); err != nil {
		return err
	}
	if len(panels) == 0 || len(panels) > MaxPanels {
		return ErrPanels.With(nil, "a board of %d panels is not between 1 and %d", len(panels), MaxPanels)
	}
	for i, p := range panels {
		if p.Number != i+1 {
			return ErrPanels.With(nil, "panel %d stands where panel %d belongs", p.Number, i+1)
		}
		if !domain.Finite(p.Seconds, p.From, p.To) || p.Seconds <= 0 || p.From < 0 || p.To < p.From {
			return ErrPanels.With(nil, "panel %d has no such length", p.Number)
		}
		if err := domain.CheckText("caption", p.Caption, domain.MaxFeedback); err != nil {
			return err
		}
	}
	return nil
}

// Sections are the names that Digest.Missing uses, in the order of the digest.
func Sections() []string {
	return []string{"shot_rhythm", "spoken_hook", "captions", "highlight", "verdict"}
}

// Check decides whether an analysis may be recorded.
func (a Analyzed) Check() error {
	switch {
	case a.Material == "":
		return domain.Missing("material")
	case a.Run != "" && a.Turn != "", (a.Run != "" || a.Turn != "") != (a.Attempt > 0):
		return ErrOrigin.With(nil, "an analysis names a run or a turn with its attempt, or neither")
	case a.Ruleset < 0:
		return ErrAnalysis
	}
	if err := domain.CheckRequired("analyser", a.Analyser, domain.MaxNameRunes); err != nil {
		return err
	}
	if err := domain.CheckText("report", a.Report, MaxReport); err != nil {
		return err
	}
	if err := a.Digest.check(); err != nil {
		return err
	}
	return a.Metrics.check()
}

func (d Digest) check() error {
	for i, section := range []string{d.ShotRhythm, d.SpokenHook, d.Captions, "", d.Verdict} {
		name := Sections()[i]
		if name == "highlight" {
			continue
		}
		if err := domain.CheckRequired(name, section, domain.MaxFeedback); err != nil {
			return err
		}
	}
	switch d.Highlight {
	case High, Medium, Low, Unrated:
	default:
		return ErrAnalysis.With(nil, "%q is no rating", d.Highlight)
	}
	for _, name := range d.Missing {
		if !slices.Contains(Sections(), name) {
			return ErrAnalysis.With(nil, "%q is none of the five sections", name)
		}
	}
	return domain.CheckText("highlight_why", d.HighlightWhy, domain.MaxFeedback)
}

func (m *Metrics) check() error {
	if m == nil {
		return nil
	}
	numbers := append([]float64{m.Duration, m.AverageShot, m.CutsPerMin, m.FirstCut, m.Motion, m.BlackRatio}, m.Cuts...)
	for _, measured := range []*float64{m.LoudnessLUFS, m.SilenceRatio, m.SoundOnset} {
		if measured != nil {
			numbers = append(numbers, *measured)
		}
	}
	if !domain.Finite(numbers...) || m.Duration < 0 {
		return ErrAnalysis.With(nil, "a measured number is none")
	}
	if !slices.IsSorted(m.Cuts) || len(m.Cuts) > 0 && (m.Cuts[0] < 0 || m.Cuts[len(m.Cuts)-1] > m.Duration) {
		return ErrAnalysis.With(nil, "the cuts do not lie in order within the video")
	}
	return nil
}
