package source

import (
	"context"
	"errors"
	"strings"

	"sozai/agents/catalogue"
	"sozai/agents/video"
	"sozai/domain"
)

// localPlatform is the catalogue's name among the platforms.
const localPlatform = "local"

// Local is the product's own catalogue. It costs nothing.
type Local struct {
	catalogue *catalogue.Catalogue
}

// NewLocal searches c.
func NewLocal(c *catalogue.Catalogue) *Local { return &Local{catalogue: c} }

// Name is the source's name in events.
func (l *Local) Name() string { return "fast" }

// Platforms is the catalogue itself.
func (l *Local) Platforms() []string { return []string{localPlatform} }

// Search pages through the catalogue, PageSize candidates a page. Order and pages
// are the same for the same rows. A query without words finds nothing. Any other
// platform than "local" is that of the entries.
func (l *Local) Search(ctx context.Context, q Query) (Page, error) {
	empty := Page{Items: []Candidate{}, Platform: localPlatform, Page: q.Page}
	if strings.TrimSpace(q.Text) == "" {
		return empty, nil
	}
	platform := q.Platform
	if platform == localPlatform {
		platform = ""
	}
	hits, err := l.catalogue.Search(ctx, catalogue.Query{
		Product: q.Product, Text: q.Text, Platform: platform, Page: q.Page,
	})
	if err != nil {
		return Page{}, l.failed(ctx, err)
	}
	page := Page{
		Items: make([]Candidate, 0, len(hits.Entries)), Platform: localPlatform,
		Page: hits.Page, Pages: hits.Pages, Total: hits.Total, More: hits.Page < hits.Pages,
	}
	for _, e := range hits.Entries {
		page.Items = append(page.Items, candidate(e))
	}
	return page, nil
}

// Examine analyses an entry, made at the first call and stored.
func (l *Local) Examine(ctx context.Context, who Who, c Candidate) (Candidate, error) {
	media, text := c.Media, video.Text{Title: c.Title, Tags: c.Tags}
	if !remote(c.ID) {
		e, err := l.catalogue.Get(ctx, who.Product, domain.ID(c.ID))
		if err != nil {
			return c, err
		}
		media, text = e.Media, e.Text()
	}
	a, err := l.catalogue.For(video.Who(who)).AnalyseMedia(ctx, media, text)
	if err != nil {
		return c, err
	}
	c.Analysis = &a
	return c, nil
}

// Analyse returns the analysis of a candidate, made at the first call and
// stored; catalogue.ErrNoMedia if it has no file.
func (l *Local) Analyse(ctx context.Context, product, id string) (video.Analysis, error) {
	return l.catalogue.Analysis(ctx, product, domain.ID(id))
}

// failed makes a source error; a cancelled context stays one.
func (l *Local) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &Error{Source: l.Name(), Kind: Down, Message: "the local catalogue cannot be searched now", Err: err}
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Code == domain.Invalid {
		e.Kind, e.Message = Refused, refusal.Message
	}
	return e
}

func candidate(e catalogue.Entry) Candidate {
	return Candidate{
		ID: candidateID(e), Title: line(e.Title, maxTitle), Author: line(e.Author, maxAuthor),
		Platform: e.Platform, URL: e.URL, Tags: tags(e.Tags),
		Counts: e.Counts, Published: e.Published, Media: e.Media, Analysis: e.Analysis,
	}
}
