package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"sozai/domain"
)

// indexFormat is raised when terms or fields change, so that old indexes are rebuilt.
const indexFormat = 1

// The fields of an entry. The last two only filter. Every term carries its
// product in front, so no product sees another's words, not even in how rare a
// word is.
const (
	titleField    = "title"
	tagsField     = "tags"
	authorField   = "author"
	allField      = "all"
	platformField = "platform"
)

const separator = "\x1f"

// mark is what the index remembers of the rows it was made from.
type mark struct {
	Format int    `json:"format"`
	Origin string `json:"origin"`
	Change int64  `json:"change"`
}

const markKey = "sozai.mark"

// searchIndex is the bleve index on disk. Its mark is written with every batch,
// so after a crash it continues where it was.
type searchIndex struct {
	mu    sync.Mutex // one writer
	bleve bleve.Index
	mark  mark
}

// openIndex opens the index at path, or makes an empty one if there is none of
// this origin and format, or it cannot be read.
func openIndex(path, origin string) (*searchIndex, error) {
	x := &searchIndex{mark: mark{Format: indexFormat, Origin: origin}}
	if x.bleve = reopen(path); x.bleve != nil {
		var m mark
		raw, err := x.bleve.GetInternal([]byte(markKey))
		if err == nil && json.Unmarshal(raw, &m) == nil && m.Format == indexFormat && m.Origin == origin {
			x.mark = m
			return x, nil
		}
		_ = x.bleve.Close()
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, fmt.Errorf("remove damaged index: %w", err)
	}
	var err error
	if x.bleve, err = bleve.New(path, indexMapping()); err != nil {
		return nil, fmt.Errorf("make index: %w", err)
	}
	return x, nil
}

// reopen returns nil for an index that cannot be used, however it is damaged.
func reopen(path string) (opened bleve.Index) {
	defer func() {
		if recover() != nil {
			opened = nil // bleve panics on some damage
		}
	}()
	b, err := bleve.Open(path)
	if err != nil {
		return nil
	}
	return b
}

func indexMapping() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = keyword.Name
	m.StoreDynamic, m.DocValuesDynamic = false, false
	words := bleve.NewTextFieldMapping()
	words.Analyzer = keyword.Name
	words.Store, words.IncludeInAll, words.IncludeTermVectors, words.DocValues = false, false, false, false
	words.SkipFreqNorm = true
	doc := bleve.NewDocumentStaticMapping()
	for _, field := range []string{titleField, tagsField, authorField, allField, platformField} {
		doc.AddFieldMappingsAt(field, words)
	}
	m.DefaultMapping = doc
	return m
}

// put indexes changed entries and moves the mark to the last of them.
func (x *searchIndex) put(entries []Entry, change int64) error {
	batch := x.bleve.NewBatch()
	for _, e := range entries {
		in := func(texts ...string) []string {
			var out []string
			for _, t := range terms(strings.Join(texts, "\n"), true) {
				out = append(out, e.Product+separator+t)
			}
			return out
		}
		doc := map[string]any{
			titleField: in(e.Title), tagsField: in(e.Tags...), authorField: in(e.Author),
			allField: e.Product, platformField: e.Product + separator + e.Platform,
		}
		if err := batch.Index(documentID(e), doc); err != nil {
			return fmt.Errorf("index entry %s: %w", e.ID, err)
		}
	}
	next := x.mark
	next.Change = change
	raw, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encode index mark: %w", err)
	}
	batch.SetInternal([]byte(markKey), raw)
	if err := x.bleve.Batch(batch); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	x.mark = next
	return nil
}

// catchUp indexes what has changed in the rows since the last time.
func (c *Catalogue) catchUp(ctx context.Context) error {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	const batch = 500
	for {
		entries, err := queryEntries(ctx, c.pool, `WHERE e.change > $5 ORDER BY e.change LIMIT $6`, c.index.mark.Change, batch)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
		if err := c.index.put(entries, entries[len(entries)-1].change); err != nil {
			return err
		}
		if len(entries) < batch {
			return nil
		}
	}
}

// settleIndex brings the index up to date. If it disagrees with the rows after
// that, because the rows went back in time or entries were lost, it is made anew.
func (c *Catalogue) settleIndex(ctx context.Context, path, origin string) error {
	for range 3 { // other processes may be importing
		if err := c.catchUp(ctx); err != nil {
			return err
		}
		var rows uint64
		var newest int64
		err := c.pool.QueryRow(ctx, `SELECT count(*), coalesce(max(change), 0) FROM catalogue.entries`).Scan(&rows, &newest)
		if err != nil {
			return fmt.Errorf("count catalogue: %w", err)
		}
		indexed, err := c.index.bleve.DocCount()
		if err == nil && indexed == rows && c.index.mark.Change == newest {
			return nil
		}
	}
	if err := c.index.bleve.Close(); err != nil {
		return fmt.Errorf("close index: %w", err)
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove index: %w", err)
	}
	fresh, err := openIndex(path, origin)
	if err != nil {
		return err
	}
	c.index = fresh
	return c.catchUp(ctx)
}

// documentID sorts as equally good hits do: most plays first, then by external
// id, so that their order does not depend on when they were imported.
func documentID(e Entry) string {
	return fmt.Sprintf("%016x%s%s%s%s", uint64(math.MaxInt64-e.Counts.Plays), separator, e.External, separator, e.ID)
}

func entryID(document string) domain.ID {
	return domain.ID(document[strings.LastIndex(document, separator)+1:])
}

// documents calls each for every document that has a term in a field.
func documents(ctx context.Context, r index.IndexReader, field, term string, each func(id string)) error {
	docs, err := r.TermFieldReader(ctx, []byte(term), field, false, false, false)
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	defer docs.Close()
	var doc index.TermFieldDoc
	for {
		next, err := docs.Next(&doc)
		if err != nil {
			return fmt.Errorf("read index: %w", err)
		}
		if next == nil {
			return nil
		}
		id, err := r.ExternalID(next.ID)
		if err != nil {
			return fmt.Errorf("read index: %w", err)
		}
		each(id)
	}
}
