package projections

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/domain/library"
)

// mostRelated bounds a family of boards and its films.
const mostRelated = 200

// family selects the ids of a board's family: its bases, and all that were made
// from the first of them. A base that is not the agent's ends the chain.
const family = `
	WITH RECURSIVE up AS (
		SELECT board, base, 0 AS depth FROM {s}.boards WHERE product = $1 AND agent = $2 AND board = $3
		UNION ALL
		SELECT b.board, b.base, up.depth + 1 FROM {s}.boards b JOIN up ON b.board = up.base
		WHERE b.product = $1 AND b.agent = $2 AND up.base <> '' AND up.depth < 100
	), down AS (
		(SELECT board FROM up ORDER BY depth DESC LIMIT 1)
		UNION
		SELECT b.board FROM {s}.boards b JOIN down ON b.base = down.board
		WHERE b.product = $1 AND b.agent = $2
	)
	SELECT board FROM down`

// BoardFamily lists the boards that a board stems from or shares a first board
// with, itself included, oldest first.
func (s *Store) BoardFamily(ctx context.Context, key domain.Key, id domain.ID) ([]Board, error) {
	var out []Board
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = collect(ctx, q, scanBoard, selectBoards()+` AND o.board IN (`+family+`) ORDER BY o.seq LIMIT $4`,
			key.Product, key.Agent, id, mostRelated)
		return err
	})
	return out, err
}

// FamilyFilms lists the films of a board's family, oldest first.
func (s *Store) FamilyFilms(ctx context.Context, key domain.Key, board domain.ID) ([]Film, error) {
	var out []Film
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = collect(ctx, q, scanFilm, selectFilms()+` AND o.board IN (`+family+`) ORDER BY o.seq LIMIT $4`,
			key.Product, key.Agent, board, mostRelated)
		return err
	})
	return out, err
}

// BoardHead says what a board is called, and from which it was made.
type BoardHead struct {
	Title string    `json:"title"`
	Base  domain.ID `json:"base,omitempty"`
}

// BoardHeads looks up boards and all their bases.
func (s *Store) BoardHeads(ctx context.Context, key domain.Key, ids []domain.ID) (map[domain.ID]BoardHead, error) {
	out := map[domain.ID]BoardHead{}
	if len(ids) == 0 {
		return out, nil
	}
	err := s.read(ctx, Library, func(q query) error {
		rows, err := q.tx.Query(ctx, qualify(q.schema, `
			WITH RECURSIVE up AS (
				SELECT board, base, title FROM {s}.boards WHERE product = $1 AND agent = $2 AND board = ANY ($3)
				UNION
				SELECT b.board, b.base, b.title FROM {s}.boards b JOIN up ON b.board = up.base
				WHERE b.product = $1 AND b.agent = $2 AND up.base <> ''
			)
			SELECT board, base, title FROM up`), key.Product, key.Agent, texts(ids))
		if err != nil {
			return err
		}
		var id domain.ID
		var head BoardHead
		_, err = pgx.ForEachRow(rows, []any{&id, &head.Base, &head.Title}, func() error {
			out[id] = head
			return nil
		})
		return err
	})
	return out, err
}

// Clip is what a panel shows of its material or asset.
type Clip struct {
	Type     domain.ObjectType `json:"type"`
	Title    string            `json:"title"`
	Platform string            `json:"platform,omitempty"`
	Source   string            `json:"source,omitempty"`
	Media    library.Media     `json:"media"`
	Rating   library.Rating    `json:"rating,omitempty"`
}

// Clips looks up materials and assets; those that are not the agent's are
// missing from the answer.
func (s *Store) Clips(ctx context.Context, key domain.Key, ids []domain.ID) (map[domain.ID]Clip, error) {
	out := map[domain.ID]Clip{}
	if len(ids) == 0 {
		return out, nil
	}
	err := s.read(ctx, Library, func(q query) error {
		rows, err := q.tx.Query(ctx, qualify(q.schema, `
			SELECT material, 'material', title, platform, source, media, rating FROM {s}.materials
			WHERE product = $1 AND agent = $2 AND material = ANY ($3)
			UNION ALL
			SELECT asset, 'asset', title, '', '', media, '' FROM {s}.assets
			WHERE product = $1 AND agent = $2 AND asset = ANY ($3)`), key.Product, key.Agent, texts(ids))
		if err != nil {
			return err
		}
		list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (clip struct {
			id domain.ID
			Clip
		}, err error) {
			err = row.Scan(&clip.id, &clip.Type, &clip.Title, &clip.Platform, &clip.Source, &clip.Media, &clip.Rating)
			return clip, err
		})
		for _, clip := range list {
			out[clip.id] = clip.Clip
		}
		return err
	})
	return out, err
}
