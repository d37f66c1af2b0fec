package source

import (
	"context"
	"errors"
	"strings"

	"sozai/agents/catalogue"
	"sozai/agents/video"
	"sozai/domain"
)

// Local is the fast source: the product's own catalogue.
type Local struct {
	catalogue *catalogue.Catalogue
}

// NewLocal searches c.
func NewLocal(c *catalogue.Catalogue) *Local { return &Local{catalogue: c} }

// Name is the source's name in events.
func (l *Local) Name() string { return "fast" }

// Search pages through the catalogue, PageSize candidates a page. Order and pages
// are the same for the same rows. A query without words finds nothing.
func (l *Local) Search(ctx context.Context, q Query) (Page, error) {
	empty := Page{Items: []Candidate{}, Page: q.Page}
	if strings.TrimSpace(q.Text) == "" {
		return empty, nil
	}
	hits, err := l.catalogue.Search(ctx, catalogue.Query{
		Product: q.Product, Text: q.Text, Platform: q.Platform, Page: q.Page,
	})
	if err != nil {
		return Page{}, l.failed(ctx, err)
	}
	page := Page{Items: make([]Candidate, 0, len(hits.Entries)), Page: hits.Page, Pages: hits.Pages, Total: hits.Total}
	for _, e := range hits.Entries {
		page.Items = append(page.Items, candidate(e))
	}
	return page, nil
}

// Analyse returns the analysis of a candidate, made at the first call and
// stored; catalogue.ErrNoMedia if it has no file.
func (l *Local) Analyse(ctx context.Context, product, id string) (video.Analysis, error) {
	return l.catalogue.Analysis(ctx, product, domain.ID(id))
}

// Candidate looks one up by its id; NotFound if the product has none.
func (l *Local) Candidate(ctx context.Context, product, id string) (Candidate, error) {
	e, err := l.catalogue.Get(ctx, product, domain.ID(id))
	if err != nil {
		return Candidate{}, err
	}
	return candidate(e), nil
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
		ID: string(e.ID), Title: e.Title, Author: e.Author, Platform: e.Platform, URL: e.URL, Tags: e.Tags,
		Counts: e.Counts, Published: e.Published, Media: e.Media, Analysis: e.Analysis,
	}
}
