package source

import (
	"strings"
	"time"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// foreign reads a video as the competitor bridge and the hot engine describe it;
// false if it has no id that is safe to use as a key.
func foreign(n node, kind string) (Candidate, bool) {
	counts := n.at("counts")
	published := n.at("published_at").unix()
	if at, err := time.Parse(time.RFC3339, n.at("published_at").text()); err == nil {
		published = at.UTC()
	}
	c := Candidate{
		ID: external(kind, n.at("id").text()), Play: webPlay(n.at("video_url").text()), URL: webLink(n.at("url").text()),
		Title:    line(n.at("title").text(), maxTitle),
		Author:   line(n.at("author").text(), maxAuthor),
		Platform: line(n.at("platform").text(), 40),
		Counts: library.Counts{
			Plays: counts.at("plays").count(), Likes: counts.at("likes").count(),
			Shares: counts.at("shares").count(), Comments: counts.at("comments").count(),
		},
		Published: published,
		Media:     claimed(n.at("seconds").number(), n.at("width"), n.at("height")),
		Analysis:  foreignAnalysis(n.at("analysis"), kind),
	}
	if c.Platform == "" {
		c.Platform = kind
	}
	var words []string
	for _, tag := range n.at("tags").list(2 * maxTags) {
		words = append(words, tag.text())
	}
	c.Tags = tags(words)
	return c, c.ID != ""
}

// maxReport bounds the full text that comes with an analysis, in characters.
const maxReport = 8_000

// foreignAnalysis is an analysis that came with a video: quoted data under the
// name of whoever made it. Nil if none of its sections says anything.
func foreignAnalysis(n node, kind string) *video.Analysis {
	d := library.Digest{
		Highlight:    library.Unrated,
		HighlightWhy: line(n.at("highlight", "reason").text(), maxTitle),
	}
	switch r := library.Rating(strings.ToLower(n.at("highlight", "rating").text())); r {
	case library.High, library.Medium, library.Low:
		d.Highlight = r
	}
	said := d.Highlight != library.Unrated
	for _, section := range []struct {
		field, name string
		text        *string
	}{
		{"shot_rhythm", "shot_rhythm", &d.ShotRhythm},
		{"spoken_hook", video.SpokenHook, &d.SpokenHook},
		{"caption_points", video.Captions, &d.Captions},
		{"verdict", video.Verdict, &d.Verdict},
	} {
		if *section.text = line(n.at(section.field).text(), maxTitle); *section.text == "" {
			*section.text = video.None
			d.Missing = append(d.Missing, section.name)
			continue
		}
		said = true
	}
	if !said {
		return nil
	}
	if d.Highlight == library.Unrated {
		d.Missing = append(d.Missing, video.Highlight)
	}
	analyser := kind
	if by := line(n.at("source").text(), 40); by != "" {
		analyser = domain.Clip(kind+"/"+by, domain.MaxNameRunes)
	}
	return &video.Analysis{Analyser: analyser, Digest: d, Report: domain.Clip(n.at("report").text(), maxReport)}
}
