package catalogue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// Entry is one row of the catalogue. Media.Hash is empty if there is no file;
// Media.Seconds, Width and Height are then as the manifest claimed. Analysis is
// nil until somebody asked for it, and where a worker is configured until that was
// asked too.
type Entry struct {
	ID        domain.ID       `json:"id"`
	Product   string          `json:"product"`
	External  string          `json:"external"`
	Title     string          `json:"title"`
	Author    string          `json:"author,omitempty"`
	Platform  string          `json:"platform,omitempty"`
	URL       string          `json:"url,omitempty"`
	Tags      []string        `json:"tags"`
	Counts    library.Counts  `json:"counts"`
	Published time.Time       `json:"published,omitzero"`
	File      string          `json:"file,omitempty"`
	Media     library.Media   `json:"media"`
	Analysis  *video.Analysis `json:"analysis,omitempty"`
	Imported  time.Time       `json:"imported"`
	change    int64
	asked     bool // the worker has answered, or refused
}

// Text is what people wrote beside the video.
func (e Entry) Text() video.Text { return video.Text{Title: e.Title, Tags: e.Tags} }

// selectEntries is followed by a condition on e. It takes the analyser and the
// ruleset as $1 and $2, those of the worker as $3 and $4.
const selectEntries = `
SELECT e.id, e.product, e.external, e.title, e.author, e.platform, e.url, e.tags,
       e.plays, e.likes, e.shares, e.comments, e.published, e.file, e.media, e.imported, e.change, m.metrics,
       r.state, r.source, r.digest, r.report
FROM catalogue.entries e
LEFT JOIN catalogue.measurements m ON m.hash = e.hash AND m.analyser = $1 AND m.ruleset = $2
LEFT JOIN catalogue.reports r ON r.hash = e.hash AND r.analyser = $3 AND r.ruleset = $4
`

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func queryEntries(ctx context.Context, q querier, condition string, args ...any) ([]Entry, error) {
	fixed := []any{video.LocalAnalyser, video.Ruleset, video.WorkerAnalyser, video.WorkerRuleset}
	rows, err := q.Query(ctx, selectEntries+condition, append(fixed, args...)...)
	if err != nil {
		return nil, fmt.Errorf("query catalogue: %w", err)
	}
	entries, err := pgx.CollectRows(rows, scanEntry)
	if err != nil {
		return nil, fmt.Errorf("query catalogue: %w", err)
	}
	return entries, nil
}

func scanEntry(row pgx.CollectableRow) (Entry, error) {
	var e Entry
	var published *time.Time
	var metrics *library.Metrics
	var state, source, report *string
	var digest *library.Digest
	err := row.Scan(&e.ID, &e.Product, &e.External, &e.Title, &e.Author, &e.Platform, &e.URL, &e.Tags,
		&e.Counts.Plays, &e.Counts.Likes, &e.Counts.Shares, &e.Counts.Comments, &published, &e.File,
		&e.Media, &e.Imported, &e.change, &metrics, &state, &source, &digest, &report)
	if err != nil {
		return Entry{}, err
	}
	e.asked = state != nil
	if published != nil {
		e.Published = published.UTC()
	}
	e.Imported = e.Imported.UTC()
	if metrics != nil {
		a := video.Judge(*metrics, e.Text())
		if digest != nil && source != nil && report != nil {
			a = video.Merge(a, told(*source, *digest, *report))
		}
		e.Analysis = &a
	}
	return e, nil
}

// entries queries the rows as those see them who may ask the worker: what it was
// never asked about is not analysed yet.
func (c *Catalogue) entries(ctx context.Context, condition string, args ...any) ([]Entry, error) {
	list, err := queryEntries(ctx, c.pool, condition, args...)
	for i := range list {
		if c.worker != nil && !list[i].asked {
			list[i].Analysis = nil
		}
	}
	return list, err
}

// one is the only entry of a query, or NotFound.
func one(entries []Entry, err error) (Entry, error) {
	if err != nil {
		return Entry{}, err
	}
	if len(entries) == 0 {
		return Entry{}, domain.Errorf(domain.NotFound, "the catalogue has no such entry")
	}
	return entries[0], nil
}

// Get returns NotFound for an entry that the product does not have.
func (c *Catalogue) Get(ctx context.Context, product string, id domain.ID) (Entry, error) {
	return one(c.entries(ctx, `WHERE e.product = $5 AND e.id = $6`, product, string(id)))
}

// ByHash finds the product's entry of a media file; NotFound if it has none.
func (c *Catalogue) ByHash(ctx context.Context, product, hash string) (Entry, error) {
	return one(c.entries(ctx, `WHERE e.product = $5 AND e.hash = $6`, product, hash))
}

func byExternal(ctx context.Context, q querier, product, external string) (Entry, error) {
	return one(queryEntries(ctx, q, `WHERE e.product = $5 AND e.external = $6`, product, external))
}

// byIDs returns the entries in the order of the ids.
func (c *Catalogue) byIDs(ctx context.Context, product string, ids []string) ([]Entry, error) {
	entries, err := c.entries(ctx, `
JOIN unnest($6::text[]) WITH ORDINALITY AS wanted (id, place) ON wanted.id = e.id
WHERE e.product = $5
ORDER BY wanted.place`, product, ids)
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// browse pages through a product's entries, newest first.
func (c *Catalogue) browse(ctx context.Context, q Query) (Hits, error) {
	var total int
	err := c.pool.QueryRow(ctx, `
SELECT count(*) FROM catalogue.entries WHERE product = $1 AND ($2 = '' OR platform = $2)`,
		q.Product, q.Platform).Scan(&total)
	if err != nil {
		return Hits{}, fmt.Errorf("count catalogue: %w", err)
	}
	h := hits(q, total)
	h.Entries, err = c.entries(ctx, `
WHERE e.product = $5 AND ($6 = '' OR e.platform = $6)
ORDER BY e.change DESC
LIMIT $7 OFFSET $8`, q.Product, q.Platform, q.Size, (q.Page-1)*q.Size)
	return h, err
}

// Count is the number of a product's entries.
func (c *Catalogue) Count(ctx context.Context, product string) (int, error) {
	var n int
	err := c.pool.QueryRow(ctx, `SELECT count(*) FROM catalogue.entries WHERE product = $1`, product).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count catalogue: %w", err)
	}
	return n, nil
}

// insert writes a new entry, completes one that waits for its file, or finds
// that it is there. Changes are numbered under a lock that is held until the
// commit, so whoever reads up to a number has read everything below it.
func (c *Catalogue) insert(ctx context.Context, product string, item Item, m library.Media) (Result, error) {
	var result Result
	err := pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('catalogue.changes'))`); err != nil {
			return fmt.Errorf("lock catalogue: %w", err)
		}
		var err error
		result, err = place(ctx, tx, product, item, m)
		return err
	})
	return result, err
}

func place(ctx context.Context, tx pgx.Tx, product string, item Item, m library.Media) (Result, error) {
	if m.Hash != "" {
		same, err := one(queryEntries(ctx, tx, `WHERE e.product = $5 AND e.hash = $6`, product, m.Hash))
		if !isNotFound(err) {
			return Result{Outcome: Duplicate, Entry: same}, err
		}
	}
	outcome := Added
	same, err := byExternal(ctx, tx, product, item.External)
	switch {
	case err == nil && (m.Hash == "" || same.Media.Hash != ""):
		return Result{Outcome: Duplicate, Entry: same}, nil
	case err == nil:
		outcome = Completed
		_, err = tx.Exec(ctx, `
UPDATE catalogue.entries
SET hash = $2, media = $3, file = $4, change = nextval('catalogue.changes')
WHERE id = $1`, string(same.ID), m.Hash, m, item.File)
	case isNotFound(err):
		_, err = tx.Exec(ctx, `
INSERT INTO catalogue.entries
    (id, product, external, title, author, platform, url, tags, plays, likes, shares, comments,
     published, file, hash, media, change)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, NULLIF($15, ''), $16, nextval('catalogue.changes'))`,
			newID(), product, item.External, item.Title, item.Author, item.Platform, item.URL, item.Tags,
			item.Counts.Plays, item.Counts.Likes, item.Counts.Shares, item.Counts.Comments,
			nullable(item.Published), item.File, m.Hash, m)
	}
	if err != nil {
		return Result{}, fmt.Errorf("write catalogue entry: %w", err)
	}
	entry, err := byExternal(ctx, tx, product, item.External)
	return Result{Outcome: outcome, Entry: entry}, err
}

func nullable(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func isNotFound(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && e.Code == domain.NotFound
}
