package projections

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

func selectAssets(report string) string {
	return `
	SELECT asset, seq, title, file, media, uploaded_by, at, analysis, ` + report + `
	FROM {s}.assets WHERE product = $1 AND agent = $2`
}

func scanAsset(row pgx.CollectableRow) (Asset, error) {
	var a Asset
	var seq int64
	var report string
	err := row.Scan(&a.Asset, &seq, &a.Title, &a.File, &a.Media, &a.By, &a.At, &a.Analysis, &report)
	a.Seq, a.At = uint64(seq), a.At.UTC()
	if a.Analysis != nil {
		a.Analysis.Report = report
	}
	return a, err
}

// Assets lists an agent's assets.
func (s *Store) Assets(ctx context.Context, key domain.Key, page ListPage) ([]Asset, error) {
	var out []Asset
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = collect(ctx, q, scanAsset, selectAssets("''")+` AND seq < $3 ORDER BY seq DESC LIMIT $4`,
			key.Product, key.Agent, before(page.Before), limit(page.Limit, 50, 500))
		return err
	})
	return out, err
}

// Asset is one asset.
func (s *Store) Asset(ctx context.Context, key domain.Key, id domain.ID) (Asset, error) {
	var out Asset
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = one(ctx, q, "asset", scanAsset, selectAssets("report")+` AND asset = $3`, key.Product, key.Agent, id)
		return err
	})
	return out, err
}

// Objects looks up references; those that are not the agent's are missing from
// the answer. The keys are the references without panel and time range.
func (s *Store) Objects(ctx context.Context, key domain.Key, refs []domain.Ref) (map[domain.Ref]Object, error) {
	out := map[domain.Ref]Object{}
	var ids []string
	for _, r := range refs {
		ids = append(ids, string(r.ID))
	}
	err := s.read(ctx, Library, func(q query) error {
		list, err := collect(ctx, q, func(row pgx.CollectableRow) (Object, error) {
			var o Object
			err := row.Scan(&o.Ref.Type, &o.Ref.ID, &o.Title, &o.Run, &o.GeneVersion)
			return o, err
		}, `
			SELECT 'material', material, title, run, gene_version FROM {s}.materials WHERE product = $1 AND agent = $2 AND material = ANY ($3)
			UNION ALL
			SELECT 'board', board, title, run, gene_version FROM {s}.boards WHERE product = $1 AND agent = $2 AND board = ANY ($3)
			UNION ALL
			SELECT 'film', film, coalesce(b.title, ''), f.run, f.gene_version
			FROM {s}.films f LEFT JOIN {s}.boards b USING (product, agent, board)
			WHERE f.product = $1 AND f.agent = $2 AND f.film = ANY ($3)
			UNION ALL
			SELECT 'asset', asset, title, '', 0 FROM {s}.assets WHERE product = $1 AND agent = $2 AND asset = ANY ($3)`,
			key.Product, key.Agent, ids)
		if err != nil {
			return err
		}
		for _, o := range list {
			if slices.ContainsFunc(refs, func(r domain.Ref) bool { return r.Type == o.Ref.Type && r.ID == o.Ref.ID }) {
				out[o.Ref] = o
			}
		}
		return nil
	})
	return out, err
}

// MediaOwners lists the agents that have an object with a media hash.
func (s *Store) MediaOwners(ctx context.Context, hash string) ([]domain.Key, error) {
	var out []domain.Key
	if hash == "" {
		return nil, nil
	}
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = collect(ctx, q, func(row pgx.CollectableRow) (domain.Key, error) {
			var k domain.Key
			err := row.Scan(&k.Product, &k.Agent)
			return k, err
		}, `
			SELECT product, agent FROM {s}.materials WHERE hash = $1
			UNION SELECT product, agent FROM {s}.films WHERE hash = $1
			UNION SELECT product, agent FROM {s}.assets WHERE hash = $1
			ORDER BY 1, 2`, hash)
		return err
	})
	return out, err
}

// LibraryCounts counts an agent's objects.
func (s *Store) LibraryCounts(ctx context.Context, key domain.Key) (LibraryCounts, error) {
	var c LibraryCounts
	err := s.read(ctx, Library, func(q query) error {
		return q.tx.QueryRow(ctx, qualify(q.schema, `
			SELECT count(*), count(*) FILTER (WHERE state = 'new'),
				(SELECT count(*) FROM {s}.boards WHERE product = $1 AND agent = $2),
				(SELECT count(*) FROM {s}.films WHERE product = $1 AND agent = $2),
				(SELECT count(*) FROM {s}.assets WHERE product = $1 AND agent = $2)
			FROM {s}.standing WHERE product = $1 AND agent = $2`), key.Product, key.Agent).
			Scan(&c.Materials, &c.New, &c.Boards, &c.Films, &c.Assets)
	})
	return c, err
}

// Behavior returns the newest right-hand rows (but chat), oldest first.
func (s *Store) Behavior(ctx context.Context, key domain.Key, most int) (Behavior, error) {
	var out Behavior
	err := s.read(ctx, Timeline, func(q query) (err error) {
		out.Rows, err = timelineRows(ctx, q, key, `side = 'right' AND type <> 'chat' ORDER BY seq DESC LIMIT $3`, limit(most, 50, 200))
		slices.Reverse(out.Rows)
		return err
	})
	if err != nil {
		return out, err
	}
	err = s.read(ctx, Library, func(q query) error {
		return q.tx.QueryRow(ctx, qualify(q.schema, `
			SELECT count(*) FILTER (WHERE viewed), count(*) FILTER (WHERE passed),
				(SELECT count(DISTINCT film) FROM {s}.downloads WHERE product = $1 AND agent = $2)
			FROM {s}.standing WHERE product = $1 AND agent = $2`), key.Product, key.Agent).
			Scan(&out.Viewed, &out.Ignored, &out.Downloaded)
	})
	return out, err
}
