// Package catalogue owns the local supply of importable videos of each product:
// the rows (schema catalogue), the media store on disk, what analysers found out
// about each file, the search index and the manifest format. It is not event-sourced: an entry becomes part of the log when
// a search saves it as a material, whose external id is the entry's id.
//
// Rows are the truth; media files are addressed by their hash; the index is
// derived from the rows and catches up before every search.
//
// It may import domain and agents/video; not the log, not projections.
package catalogue

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/singleflight"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// PageSize is the number of entries on a page of search results.
const PageSize = 12

// MaxFile is the default limit of one video file.
const MaxFile = 2 << 30

// Config is what a catalogue stands on. The database is migrated, and no other
// process uses the folder.
type Config struct {
	Pool    *pgxpool.Pool
	Dir     string // data folder: media lie in <Dir>/media, the index in <Dir>/catalogue.bleve
	Video   *video.Analyzer
	Worker  video.Analyser // the outside one, asked through For; nil = none
	MaxFile int64          // bytes; 0 = MaxFile
}

// Outcome is what an import did.
type Outcome string

// The outcomes. Duplicate: the same file or id is there, nothing was changed.
// Completed: an entry without media got its file.
const (
	Added     Outcome = "added"
	Duplicate Outcome = "duplicate"
	Completed Outcome = "completed"
)

// Result is the answer to an import.
type Result struct {
	Outcome Outcome `json:"outcome"`
	Entry   Entry   `json:"entry"`
}

// ErrNoMedia says that an entry has no file, so it cannot be analysed.
var ErrNoMedia = domain.Rule(domain.Unprocessable, "no_media", "there is no media file to analyse")

// Catalogue is safe for concurrent use.
type Catalogue struct {
	pool    *pgxpool.Pool
	store   *store
	index   *searchIndex
	video   *video.Analyzer
	worker  video.Analyser     // nil = none
	flights singleflight.Group // one measurement and one report a file at a time
	life    context.Context    // ends with Close
	end     context.CancelFunc
	mu      sync.Mutex // guards closed and what running begins
	closed  bool
	running sync.WaitGroup
}

// Open opens the media store and the index, which is rebuilt from the rows if
// it is missing, damaged or not of this database.
func Open(ctx context.Context, c Config) (*Catalogue, error) {
	limit := c.MaxFile
	if limit == 0 {
		limit = MaxFile
	}
	s, err := openStore(filepath.Join(c.Dir, "media"), c.Video, limit)
	if err != nil {
		return nil, err
	}
	var origin string
	if err := c.Pool.QueryRow(ctx, `SELECT id::text FROM catalogue.origin`).Scan(&origin); err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	cat := &Catalogue{pool: c.Pool, store: s, video: c.Video, worker: c.Worker}
	cat.life, cat.end = context.WithCancel(context.Background())
	path := filepath.Join(c.Dir, "catalogue.bleve")
	if cat.index, err = openIndex(path, origin); err != nil {
		return nil, err
	}
	if err := cat.settleIndex(ctx, path, origin); err != nil {
		_ = cat.Close()
		return nil, fmt.Errorf("open catalogue: %w", err)
	}
	return cat, nil
}

// Import keeps one item of a product, with its file unless file is nil. It
// returns Unprocessable (unreadable, empty, not a video), TooLarge or Invalid
// for what cannot be kept; nothing is left behind then. A duplicate whose id is
// known is answered without reading the file.
func (c *Catalogue) Import(ctx context.Context, product string, item Item, file io.Reader) (Result, error) {
	if err := c.enter(); err != nil {
		return Result{}, err
	}
	defer c.running.Done()
	item, err := item.clean()
	if err != nil {
		return Result{}, err
	}
	if product == "" {
		return Result{}, domain.Errorf(domain.Invalid, "an import needs a product")
	}
	if file == nil && item.External == "" {
		return Result{}, domain.Errorf(domain.Invalid, "an entry without a file needs an id")
	}
	if item.External != "" {
		same, err := byExternal(ctx, c.pool, product, item.External)
		if err == nil && (file == nil || same.Media.Hash != "") {
			return Result{Outcome: Duplicate, Entry: same}, nil
		}
		if err != nil && !isNotFound(err) {
			return Result{}, err
		}
	}
	media := item.claimed()
	if file != nil {
		if media, err = c.store.keep(ctx, file); err != nil {
			return Result{}, err
		}
		if item.External == "" {
			item.External = "sha256:" + media.Hash
		}
	}
	return c.insert(ctx, product, item, media)
}

// Keep stores a video that belongs to no entry, such as a member's upload:
// hashed, probed, with poster and preview. Keeping the same bytes again changes
// nothing. Errors as for Import.
func (c *Catalogue) Keep(ctx context.Context, file io.Reader) (library.Media, error) {
	if err := c.enter(); err != nil {
		return library.Media{}, err
	}
	defer c.running.Done()
	return c.store.keep(ctx, file)
}

// Media finds a stored rendition; NotFound if there is none. A hash that is not
// 64 lower-case hex digits is NotFound too, so it never becomes a path.
func (c *Catalogue) Media(hash string, r Rendition) (File, error) { return c.store.find(hash, r) }

// Close ends running measurements, waits for what else is going on, and closes
// the index. Safe to call twice.
func (c *Catalogue) Close() error {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	c.mu.Unlock()
	if again {
		return nil
	}
	c.end()
	c.running.Wait()
	if err := c.index.bleve.Close(); err != nil {
		return fmt.Errorf("close index: %w", err)
	}
	return nil
}

// enter begins something that Close waits for; running.Done ends it. It returns
// Unavailable after Close.
func (c *Catalogue) enter() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return domain.Errorf(domain.Unavailable, "the catalogue is closed")
	}
	c.running.Add(1)
	return nil
}

func newID() string { return ulid.Make().String() }
