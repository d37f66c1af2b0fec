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
		Name: Performance, Version: 3,
		Kinds: []domain.Kind{
			domain.KindGene, domain.KindRun, domain.KindLibrary, domain.KindBehavior, domain.KindFeedback, domain.KindStep,
		},
		open: func(m *memory) func(domain.Recorded) error { return newPerformanceTables(m).apply },
	}
}

func (t *performanceTables) apply(r domain.Recorded) error {
	t.follow(r)
	switch e := r.Event.(type) {
	case gene.Minted:
		t.versions.add(mintedRow{mintedKey{r.Key, e.Version}, r.Time})
	case run.Requested:
		t.runs.add(versionedRun{idKey: idOf(r, e.Run), version: e.GeneVersion})
	case run.Started:
		t.runs.edit(idOf(r, e.Run), func(run *versionedRun) { run.version, run.started = e.GeneVersion, true })
	case run.Finished:
		t.ends.add(endRow{endKey{r.Key, e.Run, e.Attempt}, e.Cost})
	case step.Recorded:
		if e.Run != "" {
			t.rounds.add(roundRow{roundKey{endKey{r.Key, e.Run, e.Attempt}, e.Round}, e.Cost})
		}
	case library.Saved, library.AssetUploaded, library.BoardCreated, library.BoardEdited, library.FilmRendered:
		t.applyObject(r)
	case behavior.Observed:
		for _, o := range e.Observations {
			t.observe(r, o)
		}
	case feedback.Given:
		t.react(r, e)
	case feedback.Withdrawn:
		t.reactions.drop(idOf(r, e.Feedback))
	}
	return nil
}

func (t *performanceTables) applyObject(r domain.Recorded) {
	switch e := r.Event.(type) {
	case library.Saved:
		row := versionedMaterial{
			idKey: idOf(r, e.Material), version: e.GeneVersion, source: clean(e.Source), external: clean(e.External),
		}
		t.made(r, e.Run, e.Attempt, func() bool {
			return (row.external == "" || t.external.first(externalKey{r.Key, row.source, row.external}) == nil) && t.materials.add(row)
		})
	case library.AssetUploaded:
		t.assets.add(ownAsset{idOf(r, e.Asset)})
	case library.BoardCreated:
		wrote := t.made(r, e.Run, e.Attempt, func() bool {
			return t.boards.add(versionedBoard{idOf(r, e.Board), e.GeneVersion, r.Seq})
		})
		t.cite(r, e.Board, e.Panels, wrote)
	case library.BoardEdited:
		wrote := t.boards.edit(idOf(r, e.Board), func(b *versionedBoard) { b.rev = r.Seq })
		if !wrote {
			t.refuse(r, r.Type, refusedUnknown)
		}
		t.cite(r, e.Board, e.Panels, wrote)
	case library.FilmRendered:
		t.made(r, e.Run, e.Attempt, func() bool {
			return t.films.add(versionedFilm{idKey: idOf(r, e.Film), board: e.Board, version: e.GeneVersion})
		})
	}
}

// cite replaces what a board cites, if this event wrote the board. Panels with what is
// neither a material nor an asset of the agent's are counted as refused.
func (t *performanceTables) cite(r domain.Recorded, board domain.ID, list []library.Panel, wrote bool) {
	known := func(k idKey) bool { return t.materials.get(k) != nil }
	ids := citedBy(list)
	if wrote {
		t.cites.replace(idOf(r, board), ids, known)
	}
	t.refuseForeign(r, ids, func(k idKey) bool { return known(k) || t.assets.get(k) != nil })
}

// observe notes that something was seen, passed or downloaded at least once. The
// version stamped on an observation is not believed: the object's own counts.
func (t *performanceTables) observe(r domain.Recorded, o behavior.Observation) {
	known := true
	switch k := idOf(r, o.Object.ID); o.Type {
	case behavior.Viewed:
		known = t.materials.edit(k, func(m *versionedMaterial) { m.viewed = true })
	case behavior.Ignored:
		known = t.materials.edit(k, func(m *versionedMaterial) { m.ignored = true })
	case behavior.Downloaded:
		known = t.films.edit(k, func(f *versionedFilm) { f.downloaded = true })
	}
	if !known {
		t.refuse(r, string(o.Type), refusedUnknown)
	}
}

// react keeps a like or dislike of an object with the object's version. Assets are
// people's own: no version made them.
func (t *performanceTables) react(r domain.Recorded, e feedback.Given) {
	if e.Verdict == feedback.None {
		return
	}
	version, known := 0, false
	switch k := idOf(r, e.Object.ID); e.Object.Type {
	case domain.Material:
		if m := t.materials.get(k); m != nil {
			version, known = m.version, true
		}
	case domain.Board:
		if b := t.boards.get(k); b != nil {
			version, known = b.version, true
		}
	case domain.Film:
		if f := t.films.get(k); f != nil {
			version, known = f.version, true
		}
	default:
		return
	}
	if !known {
		t.refuse(r, r.Type, refusedUnknown)
		return
	}
	t.reactions.add(versionedReaction{idOf(r, e.Feedback), e.Object.Type, e.Object.ID, e.Verdict, version})
}
