package projections

import (
	"crypto/md5" //nolint:gosec // the index in the database is over md5
	"encoding/hex"

	"sozai/domain"
	"sozai/domain/library"
)

// cites are the materials that boards cite; library and performance keep their own.
type cites struct {
	*table[citeKey, citeRow]
	ofBoard *index[idKey, citeKey, citeRow]
}

type citeKey struct {
	domain.Key
	board, material domain.ID
}

type citeRow struct{ citeKey }

func newCites(m *memory) *cites {
	t := newTable(m, layout[citeKey, citeRow]{
		name:  "cites",
		owner: func(r *citeRow) *domain.Key { return &r.Key },
		key:   func(r *citeRow) *citeKey { return &r.citeKey },
		id: []column[citeRow]{
			text("board", func(r *citeRow) *domain.ID { return &r.board }),
			text("material", func(r *citeRow) *domain.ID { return &r.material }),
		},
	})
	return &cites{t, newIndex(t, "board", lookup[idKey, citeRow]{
		of:      func(r *citeRow) (idKey, bool) { return idKey{r.Key, r.board}, true },
		example: func(k idKey) citeRow { return citeRow{citeKey{Key: k.Key, board: k.ID}} },
		by:      []column[citeRow]{text("board", func(r *citeRow) *domain.ID { return &r.board })},
	})}
}

// replace makes a board cite the known ones of ids, and says what changed.
func (c *cites) replace(board idKey, ids []domain.ID, known func(idKey) bool) (gone, come []domain.ID) {
	keep := map[domain.ID]bool{}
	for _, id := range ids {
		keep[id] = true
	}
	for _, row := range c.ofBoard.find(board) {
		if k := row.citeKey; !keep[k.material] && c.drop(k) {
			gone = append(gone, k.material)
		}
	}
	for _, id := range ids {
		if known(idKey{board.Key, id}) && c.add(citeRow{citeKey{board.Key, board.ID, id}}) {
			come = append(come, id)
		}
	}
	return gone, come
}

// citedBy lists the materials of a board's panels, each once.
func citedBy(list []library.Panel) []domain.ID {
	ids := make([]domain.ID, 0, len(list))
	for _, p := range list {
		ids = append(ids, p.Material)
	}
	return distinct(ids)
}

// externalKey is what a source calls a material; it is unique an agent.
type externalKey struct {
	domain.Key
	source, external string
}

// newExternal finds materials by what their source calls them.
func newExternal[R any](t *table[idKey, R], of func(*R) externalKey, example func(externalKey) R) *index[externalKey, idKey, R] {
	return newIndex(t, "external", lookup[externalKey, R]{
		of: func(r *R) (externalKey, bool) {
			k := of(r)
			return k, k.external != ""
		},
		example: example,
		by: []column[R]{
			text("source", func(r *R) *string { k := of(r); return &k.source }),
			text("md5(t.external)", func(r *R) *string { sum := md5Hex(of(r).external); return &sum }),
		},
		where: "t.external <> ''",
	})
}

func md5Hex(s string) string {
	sum := md5.Sum([]byte(s)) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

// distinct returns the non-empty ids, each once, in order of first appearance.
func distinct(ids []domain.ID) []domain.ID {
	seen := make(map[domain.ID]bool, len(ids))
	var out []domain.ID
	for _, id := range ids {
		if id != "" && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
