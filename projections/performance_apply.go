package projections

import (
	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
)

// performanceProjection keeps what each gene version brought. A late event counts
// for the version that found the material; a film's numbers for the version that
// the film was made with, whatever its board's is. Feedback on the whole is about
// the direction, not about a version's products, and does not count. Costs are
// those of runs, of every attempt; talking to the butler is not a version's cost.
func performanceProjection() Projection {
	return Projection{
		Name: Performance, Version: 1, Apply: applyPerformance,
		Kinds: []domain.Kind{
			domain.KindGene, domain.KindRun, domain.KindLibrary, domain.KindBehavior, domain.KindFeedback, domain.KindStep,
		},
	}
}

func applyPerformance(b *Batch, r domain.Recorded) error {
	fence(b, r)
	switch e := r.Event.(type) {
	case gene.Minted:
		b.do(`INSERT INTO {s}.versions (product, agent, version, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, e.Version, r.Time)
	case run.Requested:
		b.do(`INSERT INTO {s}.runs (product, agent, run, gene_version) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, e.Run, e.GeneVersion)
	case run.Started:
		b.do(`UPDATE {s}.runs SET gene_version = $4, started = true WHERE product = $1 AND agent = $2 AND run = $3`, e.Run, e.GeneVersion)
	case run.Finished:
		b.do(`INSERT INTO {s}.ends (product, agent, run, attempt, cost) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			e.Run, e.Attempt, int64(e.Cost))
	case step.Recorded:
		if e.Run != "" {
			b.do(`INSERT INTO {s}.rounds (product, agent, run, attempt, round, cost) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
				e.Run, e.Attempt, e.Round, int64(e.Cost))
		}
	case library.Saved:
		b.do(alive+`, done AS (
				INSERT INTO {s}.materials (product, agent, material, gene_version, source, external)
				SELECT $1, $2, $7, $8, $9, $10 FROM alive ON CONFLICT DO NOTHING RETURNING 1)`+unlessDone,
			e.Run, e.Attempt, r.Type, r.Seq, e.Material, e.GeneVersion, e.Source, e.External)
	case library.BoardCreated:
		b.do(alive+`, done AS (
				INSERT INTO {s}.boards (product, agent, board, gene_version, rev)
				SELECT $1, $2, $7, $8, $6 FROM alive ON CONFLICT DO NOTHING RETURNING 1)`+unlessDone,
			e.Run, e.Attempt, r.Type, r.Seq, e.Board, e.GeneVersion)
		adopt(b, r, e.Board, e.Panels)
	case library.BoardEdited:
		b.do(`WITH done AS (
				UPDATE {s}.boards SET rev = $5 WHERE product = $1 AND agent = $2 AND board = $3 RETURNING 1)`+unlessKnownAt(4, 5),
			e.Board, r.Type, r.Seq)
		adopt(b, r, e.Board, e.Panels)
	case library.FilmRendered:
		b.do(alive+`, done AS (
				INSERT INTO {s}.films (product, agent, film, board, gene_version)
				SELECT $1, $2, $7, $8, $9 FROM alive ON CONFLICT DO NOTHING RETURNING 1)`+unlessDone,
			e.Run, e.Attempt, r.Type, r.Seq, e.Film, e.Board, e.GeneVersion)
	case behavior.Observed:
		for _, o := range e.Observations {
			observe(b, r, o)
		}
	case feedback.Given:
		react(b, r, e)
	case feedback.Withdrawn:
		b.do(`DELETE FROM {s}.reactions WHERE product = $1 AND agent = $2 AND feedback = $3`, e.Feedback)
	}
	return nil
}

// adopt replaces what a board cites, if this event wrote the board.
func adopt(b *Batch, r domain.Recorded, board domain.ID, list []library.Panel) {
	ids := citedBy(list)
	b.do(`DELETE FROM {s}.cites WHERE product = $1 AND agent = $2 AND board = $3 AND material <> ALL ($4::text[])
		AND EXISTS (SELECT 1 FROM {s}.boards WHERE product = $1 AND agent = $2 AND board = $3 AND rev = $5)`, board, ids, r.Seq)
	b.do(`INSERT INTO {s}.cites (product, agent, board, material)
		SELECT m.product, m.agent, b.board, m.material FROM {s}.materials m JOIN {s}.boards b USING (product, agent)
		WHERE m.product = $1 AND m.agent = $2 AND m.material = ANY ($4::text[]) AND b.board = $3 AND b.rev = $5
		ON CONFLICT DO NOTHING`, board, ids, r.Seq)
	countForeign(b, r, ids)
}

// observe notes that something was seen, passed or downloaded at least once. The
// version stamped on an observation is not believed: the object's own counts.
func observe(b *Batch, r domain.Recorded, o behavior.Observation) {
	set := ""
	switch o.Type {
	case behavior.Viewed:
		set = `materials SET viewed = true WHERE product = $1 AND agent = $2 AND material = $3`
	case behavior.Ignored:
		set = `materials SET ignored = true WHERE product = $1 AND agent = $2 AND material = $3`
	case behavior.Downloaded:
		set = `films SET downloaded = true WHERE product = $1 AND agent = $2 AND film = $3`
	default:
		return
	}
	b.do(`WITH done AS (UPDATE {s}.`+set+` RETURNING 1)`+unlessKnownAt(4, 5), o.Object.ID, string(o.Type), r.Seq)
}

// react keeps a like or dislike of an object with the object's version.
func react(b *Batch, r domain.Recorded, e feedback.Given) {
	if e.Verdict == feedback.None || e.Object.Type == domain.Whole {
		return
	}
	table, id := "", ""
	switch e.Object.Type {
	case domain.Material:
		table, id = "materials", "material"
	case domain.Board:
		table, id = "boards", "board"
	case domain.Film:
		table, id = "films", "film"
	default: // assets are people's own, no version made them
		return
	}
	b.do(`WITH object AS (
			SELECT gene_version FROM {s}.`+table+` WHERE product = $1 AND agent = $2 AND `+id+` = $4),
		kept AS (
			INSERT INTO {s}.reactions (product, agent, feedback, object_type, object, verdict, gene_version)
			SELECT $1, $2, $3, $5, $4, $6, gene_version FROM object ON CONFLICT DO NOTHING),
		done AS (SELECT 1 FROM object)`+unlessKnownAt(7, 8),
		e.Feedback, e.Object.ID, e.Object.Type, e.Verdict, r.Type, r.Seq)
}
