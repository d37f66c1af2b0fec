package projections

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// reactionSums reads the standing reactions to an object of alias o.
func reactionSums(kind domain.ObjectType, id string) string {
	return ` CROSS JOIN LATERAL (
		SELECT count(*) FILTER (WHERE verdict = 'like')::int AS likes, count(*) FILTER (WHERE verdict = 'dislike')::int AS dislikes,
			count(*) FILTER (WHERE words)::int AS comments
		FROM {s}.reactions r WHERE r.product = o.product AND r.agent = o.agent AND r.object_type = '` + string(kind) + `' AND r.object = o.` + id + `) x`
}

// selectMaterials reads materials of alias o and their standing n; the report column is
// chosen by the caller.
func selectMaterials(report string) string {
	return `
	SELECT o.material, o.seq, n.rev, o.run, o.gene_version, o.source, o.external, o.title, o.author, o.platform, o.url, o.tags,
		o.counts, o.published, o.media, o.why, o.saved_at, o.analysis, ` + report + `, o.rating, n.state, n.boards,
		(SELECT count(*)::int FROM {s}.films f JOIN {s}.cites c USING (product, agent, board)
			WHERE c.product = o.product AND c.agent = o.agent AND c.material = o.material),
		x.likes, x.dislikes, x.comments
	FROM {s}.materials o JOIN {s}.standing n USING (product, agent, material)` + reactionSums(domain.Material, "material") + `
	WHERE o.product = $1 AND o.agent = $2`
}

func scanMaterial(row pgx.CollectableRow) (Material, error) {
	var m Material
	var seq, rev int64
	var published *time.Time
	var report string
	err := row.Scan(&m.Material, &seq, &rev, &m.Run, &m.GeneVersion, &m.Source, &m.External, &m.Title, &m.Author, &m.Platform,
		&m.URL, &m.Tags, &m.Counts, &published, &m.Media, &m.Why, &m.SavedAt, &m.Analysis, &report, &m.Rating, &m.State,
		&m.Boards, &m.Films, &m.Likes, &m.Dislikes, &m.Comments)
	m.Seq, m.Rev, m.Published, m.SavedAt = uint64(seq), uint64(rev), utc(published), m.SavedAt.UTC()
	if m.Analysis != nil {
		m.Analysis.Report = report
	}
	return m, err
}

// Materials lists an agent's materials, newest first, without reports.
func (s *Store) Materials(ctx context.Context, key domain.Key, f MaterialFilter) ([]Material, error) {
	var out []Material
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = collect(ctx, q, scanMaterial, selectMaterials("''")+`
			AND ($3 = '' OR o.run = $3) AND ($4 = 0 OR o.gene_version = $4) AND ($5 = '' OR o.source = $5)
			AND ($6 = '' OR o.rating = $6) AND ($7 = '' OR n.state = $7) AND (NOT $8 OR o.analysis IS NULL)
			AND ($9 = '' OR o.title ILIKE $9 OR o.author ILIKE $9 OR array_to_string(o.tags, ' ') ILIKE $9)
			AND o.seq < $10
			ORDER BY o.seq DESC LIMIT $11`,
			key.Product, key.Agent, string(f.Run), f.Version, f.Source, string(f.Rating), string(f.State), f.NoDigest,
			pattern(f.Text), before(f.Before), limit(f.Limit, 50, 500))
		return err
	})
	return out, err
}

// pattern matches a text anywhere, its own wildcards taken literally.
func pattern(text string) string {
	text = strings.TrimSpace(clean(text))
	if text == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// Material is one material with its report.
func (s *Store) Material(ctx context.Context, key domain.Key, id domain.ID) (Material, error) {
	var out Material
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = one(ctx, q, "material", scanMaterial, selectMaterials("o.report")+` AND o.material = $3`, key.Product, key.Agent, id)
		return err
	})
	return out, err
}

// MaterialsByExternal maps ids at a source to the agent's materials: what is
// already saved.
func (s *Store) MaterialsByExternal(ctx context.Context, key domain.Key, source string, external []string) (map[string]domain.ID, error) {
	out := map[string]domain.ID{}
	err := s.read(ctx, Library, func(q query) error {
		rows, err := q.tx.Query(ctx, qualify(q.schema, `
			SELECT external, material FROM {s}.materials
			WHERE product = $1 AND agent = $2 AND source = $3 AND external = ANY ($4) AND external <> ''
				AND md5(external) = ANY (ARRAY(SELECT md5(e) FROM unnest($4::text[]) e))`), key.Product, key.Agent, source, texts(external))
		if err != nil {
			return err
		}
		var ext string
		var id domain.ID
		_, err = pgx.ForEachRow(rows, []any{&ext, &id}, func() error {
			out[ext] = id
			return nil
		})
		return err
	})
	return out, err
}

// MaterialUse lists the boards that cite a material and the films made from them.
func (s *Store) MaterialUse(ctx context.Context, key domain.Key, id domain.ID) (MaterialUse, error) {
	var use MaterialUse
	err := s.read(ctx, Library, func(q query) (err error) {
		cited := ` AND o.board IN (SELECT board FROM {s}.cites WHERE product = $1 AND agent = $2 AND material = $3) ORDER BY o.seq DESC`
		use.Boards, err = collect(ctx, q, scanBoard, selectBoards()+cited, key.Product, key.Agent, id)
		if err != nil {
			return err
		}
		use.Films, err = collect(ctx, q, scanFilm, selectFilms()+cited, key.Product, key.Agent, id)
		return err
	})
	return use, err
}

func selectBoards() string {
	return `
	SELECT o.board, o.seq, o.rev, o.run, o.gene_version, o.base, o.title, o.panels, o.at, o.edited_by, o.edited_at,
		(SELECT count(*)::int FROM {s}.films f WHERE f.product = o.product AND f.agent = o.agent AND f.board = o.board),
		x.likes, x.dislikes, x.comments
	FROM {s}.boards o` + reactionSums(domain.Board, "board") + `
	WHERE o.product = $1 AND o.agent = $2`
}

func scanBoard(row pgx.CollectableRow) (Board, error) {
	var b Board
	var seq, rev int64
	var edited *time.Time
	err := row.Scan(&b.Board, &seq, &rev, &b.Run, &b.GeneVersion, &b.Base, &b.Title, &b.Panels, &b.At, &b.EditedBy, &edited,
		&b.Films, &b.Likes, &b.Dislikes, &b.Comments)
	b.Seq, b.Rev, b.At, b.EditedAt = uint64(seq), uint64(rev), b.At.UTC(), utc(edited)
	return b, err
}

// Boards lists an agent's boards.
func (s *Store) Boards(ctx context.Context, key domain.Key, page ListPage) ([]Board, error) {
	var out []Board
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = collect(ctx, q, scanBoard, selectBoards()+`
			AND ($3 = 0 OR o.gene_version = $3) AND ($4 = '' OR o.run = $4) AND o.seq < $5 ORDER BY o.seq DESC LIMIT $6`,
			key.Product, key.Agent, page.Version, string(page.Run), before(page.Before), limit(page.Limit, 50, 500))
		return err
	})
	return out, err
}

// Board is one board.
func (s *Store) Board(ctx context.Context, key domain.Key, id domain.ID) (Board, error) {
	var out Board
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = one(ctx, q, "board", scanBoard, selectBoards()+` AND o.board = $3`, key.Product, key.Agent, id)
		return err
	})
	return out, err
}

func selectFilms() string {
	return `
	SELECT o.film, o.seq, o.rev, o.board, o.run, o.gene_version, o.media, o.at,
		(SELECT count(*)::int FROM {s}.downloads d WHERE d.product = o.product AND d.agent = o.agent AND d.film = o.film),
		x.likes, x.dislikes, x.comments
	FROM {s}.films o` + reactionSums(domain.Film, "film") + `
	WHERE o.product = $1 AND o.agent = $2`
}

func scanFilm(row pgx.CollectableRow) (Film, error) {
	var f Film
	var seq, rev int64
	err := row.Scan(&f.Film, &seq, &rev, &f.Board, &f.Run, &f.GeneVersion, &f.Media, &f.At, &f.Downloads, &f.Likes, &f.Dislikes, &f.Comments)
	f.Seq, f.Rev, f.At = uint64(seq), uint64(rev), f.At.UTC()
	return f, err
}

// Films lists an agent's films.
func (s *Store) Films(ctx context.Context, key domain.Key, page ListPage) ([]Film, error) {
	var out []Film
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = collect(ctx, q, scanFilm, selectFilms()+`
			AND ($3 = 0 OR o.gene_version = $3) AND ($4 = '' OR o.run = $4) AND ($5 = '' OR o.board = $5) AND o.seq < $6
			ORDER BY o.seq DESC LIMIT $7`,
			key.Product, key.Agent, page.Version, string(page.Run), string(page.Board), before(page.Before), limit(page.Limit, 50, 500))
		return err
	})
	return out, err
}

// Film is one film.
func (s *Store) Film(ctx context.Context, key domain.Key, id domain.ID) (Film, error) {
	var out Film
	err := s.read(ctx, Library, func(q query) (err error) {
		out, err = one(ctx, q, "film", scanFilm, selectFilms()+` AND o.film = $3`, key.Product, key.Agent, id)
		return err
	})
	return out, err
}
