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
		Name: Library, Version: 3,
		Kinds: []domain.Kind{
			domain.KindLibrary, domain.KindBehavior, domain.KindFeedback, domain.KindRun, domain.KindTurn,
		},
		open: func(m *memory) func(domain.Recorded) error { return newLibraryTables(m).apply },
	}
}

func (t *libraryTables) apply(r domain.Recorded) error {
	t.follow(r)
	switch e := r.Event.(type) {
	case library.Saved:
		t.made(r, e.Run, e.Attempt, func() bool { return t.save(r, e) })
	case library.Analyzed:
		t.analyze(r, e)
	case library.AssetUploaded:
		t.assets.add(assetRow{
			idKey: idOf(r, e.Asset), seq: r.Seq, title: e.Title, file: e.File, hash: e.Media.Hash, media: e.Media,
			by: r.Actor, at: r.Time,
		})
	case library.BoardCreated:
		wrote := t.made(r, e.Run, e.Attempt, func() bool {
			return t.boards.add(boardRow{
				idKey: idOf(r, e.Board), seq: r.Seq, rev: r.Seq, run: e.Run, version: e.GeneVersion, base: e.Base,
				title: e.Title, panels: panels(e.Panels), at: r.Time,
			})
		})
		t.cite(r, e.Board, e.Panels, wrote)
	case library.BoardEdited:
		wrote := t.boards.edit(idOf(r, e.Board), func(b *boardRow) {
			b.title, b.panels, b.editedBy, b.editedAt, b.rev = e.Title, panels(e.Panels), r.Actor, r.Time, r.Seq
		})
		if !wrote {
			t.refuse(r, r.Type, refusedUnknown)
		}
		t.cite(r, e.Board, e.Panels, wrote)
	case library.FilmRendered:
		t.made(r, e.Run, e.Attempt, func() bool {
			return t.films.add(libraryFilm{
				idKey: idOf(r, e.Film), seq: r.Seq, rev: r.Seq, board: e.Board, run: e.Run, version: e.GeneVersion,
				hash: e.Media.Hash, media: e.Media, at: r.Time,
			})
		})
	case behavior.Observed:
		for _, o := range e.Observations {
			t.observe(r, o)
		}
	case feedback.Given:
		t.reactions.add(reactionRow{idOf(r, e.Feedback), e.Object.Type, e.Object.ID, e.Verdict, e.Words != ""})
		t.touch(r, e.Object)
	case feedback.Withdrawn:
		k := idOf(r, e.Feedback)
		if row := t.reactions.get(k); row != nil {
			object := row.object
			t.reactions.drop(k)
			t.standing.edit(idOf(r, object), func(s *standingRow) { s.rev = r.Seq })
		}
	}
	return nil
}

// save adds a material, one an agent and id at the source.
func (t *libraryTables) save(r domain.Recorded, e library.Saved) bool {
	e.Source, e.External, e.Tags = clean(e.Source), clean(e.External), append([]string{}, e.Tags...)
	if e.External != "" && t.external.first(externalKey{r.Key, e.Source, e.External}) != nil {
		return false
	}
	t.standing.add(standingRow{idKey: idOf(r, e.Material), rev: r.Seq, observed: "new"})
	return t.materials.add(materialRow{
		idKey: idOf(r, e.Material), seq: r.Seq, version: e.GeneVersion, saved: e, counts: e.Counts, media: e.Media, savedAt: r.Time,
	})
}

// analyze attaches an analysis to a material or an asset. A newer one replaces an
// older one.
func (t *libraryTables) analyze(r domain.Recorded, e library.Analyzed) {
	subject := e.Run
	if subject == "" {
		subject = e.Turn
	}
	if !t.alive(r, subject, e.Attempt) && !t.materials.m.dry {
		t.refuse(r, r.Type, refusedLate)
		return
	}
	analysis := Analysis{Analyser: e.Analyser, Ruleset: e.Ruleset, Digest: e.Digest, Metrics: e.Metrics, At: r.Time}
	material := t.materials.edit(idOf(r, e.Material), func(m *materialRow) {
		m.analysis, m.report, m.rating, m.analyzedAt = analysis, e.Report, e.Digest.Highlight, r.Time
	})
	t.standing.edit(idOf(r, e.Material), func(s *standingRow) { s.rev = r.Seq })
	asset := t.assets.edit(idOf(r, e.Material), func(a *assetRow) {
		a.analysis, a.report, a.analyzedAt = analysis, e.Report, r.Time
	})
	if !material && !asset {
		t.refuse(r, r.Type, refusedUnknown)
	}
}

// observe keeps the last look at a material, and downloads of films.
func (t *libraryTables) observe(r domain.Recorded, o behavior.Observation) {
	known := true
	switch k := idOf(r, o.Object.ID); o.Type {
	case behavior.Viewed:
		known = t.standing.edit(k, func(s *standingRow) { s.observed, s.viewed, s.rev = "seen", true, r.Seq })
	case behavior.Ignored:
		known = t.standing.edit(k, func(s *standingRow) { s.observed, s.passed, s.rev = "ignored", true, r.Seq })
	case behavior.Downloaded:
		if known = t.films.edit(k, func(f *libraryFilm) { f.rev = r.Seq }); known {
			t.downloads.add(downloadRow{idOf(r, o.ID), o.Object.ID})
		}
	}
	if !known {
		t.refuse(r, string(o.Type), refusedUnknown)
	}
}

// cite replaces what a board cites, and keeps each material's count of boards.
// Panels may use people's own assets, which nobody adopts. Those with something that
// is not the agent's are counted as refused; a board that this event did not write (it
// came late, or twice) is left alone.
func (t *libraryTables) cite(r domain.Recorded, board domain.ID, list []library.Panel, wrote bool) {
	known := func(k idKey) bool { return t.standing.get(k) != nil }
	ids := citedBy(list)
	if wrote {
		gone, come := t.cites.replace(idOf(r, board), ids, known)
		for _, id := range gone {
			t.standing.edit(idOf(r, id), func(s *standingRow) { s.boards, s.rev = s.boards-1, r.Seq })
		}
		for _, id := range come {
			t.standing.edit(idOf(r, id), func(s *standingRow) { s.boards, s.rev = s.boards+1, r.Seq })
		}
	}
	t.refuseForeign(r, ids, func(k idKey) bool { return known(k) || t.assets.get(k) != nil })
}

func panels(list []library.Panel) []library.Panel { return append([]library.Panel{}, list...) }

// touch marks an object as changed by an event.
func (t *libraryTables) touch(r domain.Recorded, object domain.Ref) {
	switch k := idOf(r, object.ID); object.Type {
	case domain.Material:
		t.standing.edit(k, func(s *standingRow) { s.rev = r.Seq })
	case domain.Board:
		t.boards.edit(k, func(b *boardRow) { b.rev = r.Seq })
	case domain.Film:
		t.films.edit(k, func(f *libraryFilm) { f.rev = r.Seq })
	}
}
