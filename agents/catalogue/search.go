package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"sozai/domain"
)

// Query asks for a page (from 1) of a product's entries. Without words the
// newest come first. Platform "" means all.
type Query struct {
	Product  string
	Text     string
	Platform string
	Page     int
	Size     int // 0 = PageSize
}

// Hits is a page of search results, best first. Page may lie beyond Pages; it
// is empty then.
type Hits struct {
	Entries []Entry `json:"entries"`
	Page    int     `json:"page"`
	Pages   int     `json:"pages"`
	Total   int     `json:"total"`
}

// Limits of a query.
const (
	maxQuery = 500 // characters
	maxSize  = 100 // entries a page
)

// Search returns a page in an order that depends on the product's rows only.
func (c *Catalogue) Search(ctx context.Context, q Query) (Hits, error) {
	if err := c.enter(); err != nil {
		return Hits{}, err
	}
	defer c.running.Done()
	if q.Page < 1 {
		return Hits{}, domain.Errorf(domain.Invalid, "pages are counted from 1")
	}
	if q.Size == 0 {
		q.Size = PageSize
	}
	if q.Size < 1 || q.Size > maxSize {
		return Hits{}, domain.Errorf(domain.Invalid, "a page has 1 to %d entries", maxSize)
	}
	q.Text, q.Platform = line(q.Text, maxQuery), line(q.Platform, maxPlatform)
	words := terms(q.Text, false)
	if len(words) == 0 {
		return c.browse(ctx, q)
	}
	if err := c.catchUp(ctx); err != nil {
		return Hits{}, err
	}
	found, err := c.rank(ctx, q, words)
	if err != nil {
		return Hits{}, err
	}
	h := hits(q, len(found))
	from := min((q.Page-1)*q.Size, len(found))
	ids := []string{}
	for _, document := range found[from:min(from+q.Size, len(found))] {
		ids = append(ids, string(entryID(document)))
	}
	if h.Entries, err = c.byIDs(ctx, q.Product, ids); err != nil {
		return Hits{}, err
	}
	return h, nil
}

func hits(q Query, total int) Hits {
	return Hits{Entries: []Entry{}, Page: q.Page, Pages: (total + q.Size - 1) / q.Size, Total: total}
}

// word is a query's term with the documents it is in and the best field's
// weight. Part names the words it stands for: a joined pair, as in hashtags,
// stands for two.
type word struct {
	parts []int
	docs  map[string]float64
}

// joined is what a pair of words found as one counts for, against two words.
const joined = 0.9

// rank returns the documents that have enough of the words, best first: the sum
// over the words of how rare the word is times the weight of the field it is in.
func (c *Catalogue) rank(ctx context.Context, q Query, terms []string) ([]string, error) {
	advanced, err := c.index.bleve.Advanced()
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	r, err := advanced.Reader()
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	defer r.Close()

	words := make([]word, 0, 2*len(terms))
	for i, t := range terms {
		words = append(words, word{parts: []int{i}})
		if i > 0 && spaced(terms[i-1]) && spaced(t) {
			words = append(words, word{parts: []int{i - 1, i}})
		}
	}
	for i := range words {
		w := &words[i]
		w.docs = map[string]float64{}
		text := ""
		for _, p := range w.parts {
			text += terms[p]
		}
		for field, weight := range map[string]float64{titleField: 3, tagsField: 2, authorField: 1} {
			err := documents(ctx, r, field, q.Product+separator+text, func(id string) {
				w.docs[id] = max(w.docs[id], weight)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	all := 0
	if err := documents(ctx, r, allField, q.Product, func(string) { all++ }); err != nil {
		return nil, err
	}
	var only map[string]bool
	if q.Platform != "" {
		only = map[string]bool{}
		err := documents(ctx, r, platformField, q.Product+separator+q.Platform, func(id string) { only[id] = true })
		if err != nil {
			return nil, err
		}
	}
	return best(words, len(terms), all, only), nil
}

// best weighs the words' documents. Documents outside only are left out unless
// it is nil.
func best(words []word, terms, all int, only map[string]bool) []string {
	scores := map[string][]float64{} // a document's score for each term
	for _, w := range words {
		rare := math.Log(1 + (float64(all-len(w.docs))+0.5)/(float64(len(w.docs))+0.5))
		if len(w.parts) > 1 {
			rare *= joined
		}
		for id, weight := range w.docs {
			if only != nil && !only[id] {
				continue
			}
			s := scores[id]
			if s == nil {
				s = make([]float64, terms)
				scores[id] = s
			}
			for _, p := range w.parts {
				s[p] = max(s[p], rare*weight)
			}
		}
	}
	type hit struct {
		id    string
		score float64
	}
	found := []hit{}
	for id, s := range scores {
		n, sum := 0, 0.0
		for _, x := range s {
			sum += x
			if x > 0 {
				n++
			}
		}
		if n >= enough(terms) {
			found = append(found, hit{id, math.Round(sum*1e6) / 1e6})
		}
	}
	slices.SortFunc(found, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	ids := make([]string, len(found))
	for i, h := range found {
		ids[i] = h.id
	}
	return ids
}

// enough is how many of a query's words an entry must have: one of up to four,
// then a quarter.
func enough(terms int) int { return max(1, (terms+3)/4) }

// spaced says whether a term is a Latin word, of which hashtags join several.
func spaced(term string) bool { return term[0] >= 'a' && term[0] <= 'z' }
