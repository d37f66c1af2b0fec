package projections

import (
	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/feedback"
	"sozai/domain/library"
)

// libraryProjection keeps materials, boards, films and assets. Facts of closed
// attempts, second copies and facts about objects that are not the agent's are
// refused and counted.
func libraryProjection() Projection {
	return Projection{
		Name: Library, Version: 1, Apply: applyLibrary,
		Kinds: []domain.Kind{
			domain.KindLibrary, domain.KindBehavior, domain.KindFeedback, domain.KindRun, domain.KindTurn,
		},
	}
}

func applyLibrary(b *Batch, r domain.Recorded) error {
	fence(b, r)
	switch e := r.Event.(type) {
	case library.Saved:
		b.do(alive+`, done AS (
				INSERT INTO {s}.materials (product, agent, material, seq, rev, run, gene_version, source, external, title, author,
					platform, url, tags, counts, published, hash, media, why, saved_at)
				SELECT $1, $2, $7, $6, $6, $3, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21 FROM alive
				ON CONFLICT DO NOTHING RETURNING 1)`+unlessDone,
			e.Run, e.Attempt, r.Type, r.Seq, e.Material, e.GeneVersion, e.Source, e.External, e.Title, e.Author, e.Platform,
			e.URL, append([]string{}, e.Tags...), asJSON{e.Counts}, e.Published, e.Media.Hash, asJSON{e.Media}, e.Why, r.Time)
	case library.Analyzed:
		applyAnalysis(b, r, e)
	case library.AssetUploaded:
		b.do(`INSERT INTO {s}.assets (product, agent, asset, seq, title, file, hash, media, uploaded_by, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
			e.Asset, r.Seq, e.Title, e.File, e.Media.Hash, asJSON{e.Media}, r.Actor, r.Time)
	case library.BoardCreated:
		b.do(alive+`, done AS (
				INSERT INTO {s}.boards (product, agent, board, seq, rev, run, gene_version, base, title, panels, at)
				SELECT $1, $2, $7, $6, $6, $3, $8, $9, $10, $11, $12 FROM alive ON CONFLICT DO NOTHING RETURNING 1)`+unlessDone,
			e.Run, e.Attempt, r.Type, r.Seq, e.Board, e.GeneVersion, e.Base, e.Title, panels(e.Panels), r.Time)
		cite(b, r, e.Board, e.Panels)
	case library.BoardEdited:
		b.do(`WITH done AS (
				UPDATE {s}.boards SET title = $4, panels = $5, edited_by = $6, edited_at = $7, rev = $8
				WHERE product = $1 AND agent = $2 AND board = $3 RETURNING 1)`+unlessKnownAt(9, 8),
			e.Board, e.Title, panels(e.Panels), r.Actor, r.Time, r.Seq, r.Type)
		cite(b, r, e.Board, e.Panels)
	case library.FilmRendered:
		b.do(alive+`, done AS (
				INSERT INTO {s}.films (product, agent, film, seq, rev, board, run, gene_version, hash, media, at)
				SELECT $1, $2, $7, $6, $6, $8, $3, $9, $10, $11, $12 FROM alive ON CONFLICT DO NOTHING RETURNING 1)`+unlessDone,
			e.Run, e.Attempt, r.Type, r.Seq, e.Film, e.Board, e.GeneVersion, e.Media.Hash, asJSON{e.Media}, r.Time)
	case behavior.Observed:
		for _, o := range e.Observations {
			applyObservation(b, r, o)
		}
	case feedback.Given:
		b.do(`INSERT INTO {s}.reactions (product, agent, feedback, object_type, object, verdict, words)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
			e.Feedback, e.Object.Type, e.Object.ID, e.Verdict, e.Words != "")
		touchObject(b, r, e.Object)
	case feedback.Withdrawn:
		b.do(`WITH gone AS (
				DELETE FROM {s}.reactions WHERE product = $1 AND agent = $2 AND feedback = $3 RETURNING object)
			UPDATE {s}.materials SET rev = $4 WHERE product = $1 AND agent = $2 AND material IN (SELECT object FROM gone)`,
			e.Feedback, r.Seq)
	}
	return nil
}

// applyAnalysis attaches an analysis to a material or an asset. A newer one
// replaces an older one.
func applyAnalysis(b *Batch, r domain.Recorded, e library.Analyzed) {
	subject := e.Run
	if subject == "" {
		subject = e.Turn
	}
	analysis := Analysis{Analyser: e.Analyser, Ruleset: e.Ruleset, Digest: e.Digest, Metrics: e.Metrics, At: r.Time}
	b.do(alive+`, material AS (
			UPDATE {s}.materials SET analysis = $8, report = $9, rating = $10, analyzed_at = $11, rev = $6
			WHERE product = $1 AND agent = $2 AND material = $7 AND EXISTS (SELECT 1 FROM alive) RETURNING 1),
		asset AS (
			UPDATE {s}.assets SET analysis = $8, report = $9, analyzed_at = $11
			WHERE product = $1 AND agent = $2 AND asset = $7 AND EXISTS (SELECT 1 FROM alive) RETURNING 1),
		done AS (SELECT 1 FROM material UNION ALL SELECT 1 FROM asset)`+unlessKnown,
		subject, e.Attempt, r.Type, r.Seq, e.Material, asJSON{analysis}, e.Report, e.Digest.Highlight, r.Time)
}

// applyObservation keeps the last look at a material, and downloads of films.
func applyObservation(b *Batch, r domain.Recorded, o behavior.Observation) {
	switch o.Type {
	case behavior.Viewed, behavior.Ignored:
		b.do(`WITH done AS (
				UPDATE {s}.materials SET observed = CASE WHEN $5 THEN 'seen' ELSE 'ignored' END, viewed = viewed OR $5,
					passed = passed OR NOT $5, rev = $4
				WHERE product = $1 AND agent = $2 AND material = $3 RETURNING 1)`+unlessKnownAt(6, 4),
			o.Object.ID, r.Seq, o.Type == behavior.Viewed, string(o.Type))
	case behavior.Downloaded:
		b.do(`WITH film AS (
				UPDATE {s}.films SET rev = $4 WHERE product = $1 AND agent = $2 AND film = $3 RETURNING film),
			kept AS (
				INSERT INTO {s}.downloads (product, agent, observation, film) SELECT $1, $2, $5, film FROM film
				ON CONFLICT DO NOTHING),
			done AS (SELECT 1 FROM film)`+unlessKnownAt(6, 4),
			o.Object.ID, r.Seq, o.ID, string(o.Type))
	}
}

// cite replaces what a board cites, and keeps each material's count of boards.
// Panels with a material that is not the agent's are counted as refused; a board
// that this event did not write (it came late, or twice) is left alone.
func cite(b *Batch, r domain.Recorded, board domain.ID, list []library.Panel) {
	ids := citedBy(list)
	b.do(`WITH old AS (
			DELETE FROM {s}.cites WHERE product = $1 AND agent = $2 AND board = $3 AND material <> ALL ($4::text[])
				AND EXISTS (SELECT 1 FROM {s}.boards WHERE product = $1 AND agent = $2 AND board = $3 AND rev = $5)
			RETURNING material)
		UPDATE {s}.materials SET boards = boards - 1, rev = $5
		WHERE product = $1 AND agent = $2 AND material IN (SELECT material FROM old)`, board, ids, r.Seq)
	b.do(`WITH cited AS (
			INSERT INTO {s}.cites (product, agent, board, material)
			SELECT m.product, m.agent, b.board, m.material FROM {s}.materials m JOIN {s}.boards b USING (product, agent)
			WHERE m.product = $1 AND m.agent = $2 AND m.material = ANY ($4::text[]) AND b.board = $3 AND b.rev = $5
			ON CONFLICT DO NOTHING RETURNING material)
		UPDATE {s}.materials SET boards = boards + 1, rev = $5
		WHERE product = $1 AND agent = $2 AND material IN (SELECT material FROM cited)`, board, ids, r.Seq)
	countForeign(b, r, ids)
}

// countForeign counts the ids that are not the agent's materials.
func countForeign(b *Batch, r domain.Recorded, ids []domain.ID) {
	b.do(refuseAs(refusedUnknown, 3, 4)+`
		FROM unnest($5::text[]) id
		WHERE NOT EXISTS (SELECT 1 FROM {s}.materials m WHERE m.product = $1 AND m.agent = $2 AND m.material = id)
		HAVING count(*) > 0`+refuseMore, r.Type, r.Seq, ids)
}

// citedBy lists the materials of a board's panels.
func citedBy(list []library.Panel) []domain.ID {
	ids := make([]domain.ID, 0, len(list))
	for _, p := range list {
		ids = append(ids, p.Material)
	}
	return append([]domain.ID{}, distinct(ids)...)
}

func panels(list []library.Panel) asJSON { return asJSON{append([]library.Panel{}, list...)} }

// touchObject marks an object as changed by an event.
func touchObject(b *Batch, r domain.Recorded, object domain.Ref) {
	table, id := "", ""
	switch object.Type {
	case domain.Material:
		table, id = "materials", "material"
	case domain.Board:
		table, id = "boards", "board"
	case domain.Film:
		table, id = "films", "film"
	default:
		return
	}
	b.do(`UPDATE {s}.`+table+` SET rev = $4 WHERE product = $1 AND agent = $2 AND `+id+` = $3`, object.ID, r.Seq)
}
