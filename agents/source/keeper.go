package source

import (
	"context"
	"errors"
	"io"
	"strings"

	"sozai/agents/catalogue"
	"sozai/agents/fetch"
	"sozai/agents/video"
)

// Keeper fetches the videos of remote candidates into the catalogue, where they
// are kept under the candidate's id and found again.
type Keeper struct {
	catalogue *catalogue.Catalogue
	fetch     *fetch.Fetcher
}

// NewKeeper keeps in c what f fetches.
func NewKeeper(c *catalogue.Catalogue, f *fetch.Fetcher) *Keeper { return &Keeper{c, f} }

// examine fills in media and analysis. An address that has expired is asked for
// again with renew, once, unless that is nil. A candidate that came analysed
// keeps its analysis.
func (k *Keeper) examine(ctx context.Context, who Who, c Candidate, renew func(ctx context.Context) (string, error)) (Candidate, error) {
	switch {
	case c.Media.Hash == "" && c.Play == "" && c.Analysis != nil:
		return c, nil // nothing to look at, but somebody has
	case c.Media.Hash == "" && c.Play == "":
		return c, catalogue.ErrNoMedia
	case c.Media.Hash == "":
		r, err := k.keep(ctx, who.Product, c)
		if errors.Is(err, fetch.ErrGone) && renew != nil {
			address, failed := renew(ctx)
			if failed != nil {
				return c, errors.Join(err, failed) // the file is gone either way
			}
			c.Play = address
			r, err = k.keep(ctx, who.Product, c)
		}
		if err != nil {
			return c, err
		}
		// The same bytes may be here under another id: that one stays.
		c.ID, c.Media, c.Play = candidateID(r.Entry), r.Entry.Media, ""
	}
	if c.Analysis != nil {
		return c, nil
	}
	a, err := k.catalogue.For(video.Who(who)).AnalyseMedia(ctx, c.Media, video.Text{Title: c.Title, Tags: c.Tags})
	if err != nil {
		return c, err
	}
	c.Analysis = &a
	return c, nil
}

// keep imports the video, which is fetched only if the catalogue lacks it.
func (k *Keeper) keep(ctx context.Context, product string, c Candidate) (catalogue.Result, error) {
	file := &lazy{open: func() (io.ReadCloser, error) { return k.fetch.Open(ctx, c.Play) }}
	defer file.close()
	return k.catalogue.Import(ctx, product, catalogue.Item{
		External: c.ID, Title: c.Title, Author: c.Author, Platform: c.Platform, URL: c.URL, Tags: c.Tags,
		Counts: c.Counts, Published: c.Published,
	}, file)
}

// lazy opens a file when it is read.
type lazy struct {
	open func() (io.ReadCloser, error)
	file io.ReadCloser
}

func (l *lazy) Read(p []byte) (int, error) {
	if l.file == nil {
		file, err := l.open()
		if err != nil {
			return 0, err
		}
		l.file = file
	}
	return l.file.Read(p)
}

func (l *lazy) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// candidateID is the external id of a catalogue entry: what was fetched from a
// remote source keeps the id that it has there, so that it is one video however
// it is found.
func candidateID(e catalogue.Entry) string {
	if remote(e.External) {
		return e.External
	}
	return string(e.ID)
}

// remote says whether an id is one of a remote source.
func remote(id string) bool {
	kind, rest, found := strings.Cut(id, ":")
	switch kind {
	case "tiktok", "instagram", "douyin", "competitor", "hot":
		return found && plainID.MatchString(rest)
	}
	return false
}
