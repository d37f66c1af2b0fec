package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/feedback"
)

// performanceTables are the tables of performance in memory.
type performanceTables struct {
	attempts
	versions  *table[mintedKey, mintedRow]
	runs      *table[idKey, versionedRun]
	rounds    *table[roundKey, roundRow]
	ends      *table[endKey, endRow]
	materials *table[idKey, versionedMaterial]
	external  *index[externalKey, idKey, versionedMaterial]
	assets    *table[idKey, ownAsset]
	boards    *table[idKey, versionedBoard]
	cites     *cites
	films     *table[idKey, versionedFilm]
	reactions *table[idKey, versionedReaction]
}

type mintedKey struct {
	domain.Key
	version int
}

type mintedRow struct {
	mintedKey
	at time.Time
}

type versionedRun struct {
	idKey
	version int
	started bool
}

type endKey struct {
	domain.Key
	run     domain.ID
	attempt int
}

type endRow struct {
	endKey
	cost domain.Money
}

type roundKey struct {
	endKey
	round int
}

type roundRow struct {
	roundKey
	cost domain.Money
}

type versionedMaterial struct {
	idKey
	version         int
	source          string
	external        string
	viewed, ignored bool
}

// ownAsset is a video of people's own: no version made it.
type ownAsset struct{ idKey }

type versionedBoard struct {
	idKey
	version int
	rev     uint64
}

type versionedFilm struct {
	idKey
	board      domain.ID
	version    int
	downloaded bool
}

type versionedReaction struct {
	idKey
	objectType domain.ObjectType
	object     domain.ID
	verdict    feedback.Verdict
	version    int
}

func newPerformanceTables(m *memory) *performanceTables {
	t := &performanceTables{attempts: newAttempts(m)}
	t.versions = newTable(m, layout[mintedKey, mintedRow]{
		name:  "versions",
		owner: func(r *mintedRow) *domain.Key { return &r.Key },
		key:   func(r *mintedRow) *mintedKey { return &r.mintedKey },
		id:    []column[mintedRow]{integer("version", func(r *mintedRow) *int { return &r.version })},
		rest:  []column[mintedRow]{moment("at", func(r *mintedRow) *time.Time { return &r.at })},
	})
	t.runs = newTable(m, layout[idKey, versionedRun]{
		name:  "runs",
		owner: func(r *versionedRun) *domain.Key { return &r.Key },
		key:   func(r *versionedRun) *idKey { return &r.idKey },
		id:    []column[versionedRun]{text("run", func(r *versionedRun) *domain.ID { return &r.ID })},
		rest: []column[versionedRun]{
			integer("gene_version", func(r *versionedRun) *int { return &r.version }),
			flag("started", func(r *versionedRun) *bool { return &r.started }),
		},
	})
	t.rounds = newTable(m, layout[roundKey, roundRow]{
		name:  "rounds",
		owner: func(r *roundRow) *domain.Key { return &r.Key },
		key:   func(r *roundRow) *roundKey { return &r.roundKey },
		id: []column[roundRow]{
			text("run", func(r *roundRow) *domain.ID { return &r.run }),
			integer("attempt", func(r *roundRow) *int { return &r.attempt }),
			integer("round", func(r *roundRow) *int { return &r.round }),
		},
		rest: []column[roundRow]{bigint("cost", func(r *roundRow) *domain.Money { return &r.cost })},
	})
	t.ends = newTable(m, layout[endKey, endRow]{
		name:  "ends",
		owner: func(r *endRow) *domain.Key { return &r.Key },
		key:   func(r *endRow) *endKey { return &r.endKey },
		id: []column[endRow]{
			text("run", func(r *endRow) *domain.ID { return &r.run }),
			integer("attempt", func(r *endRow) *int { return &r.attempt }),
		},
		rest: []column[endRow]{bigint("cost", func(r *endRow) *domain.Money { return &r.cost })},
	})
	t.openObjects(m)
	return t
}

// openObjects adds the tables of what runs made.
func (t *performanceTables) openObjects(m *memory) {
	t.materials = newTable(m, layout[idKey, versionedMaterial]{
		name:  "materials",
		owner: func(r *versionedMaterial) *domain.Key { return &r.Key },
		key:   func(r *versionedMaterial) *idKey { return &r.idKey },
		id:    []column[versionedMaterial]{text("material", func(r *versionedMaterial) *domain.ID { return &r.ID })},
		rest: []column[versionedMaterial]{
			integer("gene_version", func(r *versionedMaterial) *int { return &r.version }),
			text("source", func(r *versionedMaterial) *string { return &r.source }),
			text("external", func(r *versionedMaterial) *string { return &r.external }),
			flag("viewed", func(r *versionedMaterial) *bool { return &r.viewed }),
			flag("ignored", func(r *versionedMaterial) *bool { return &r.ignored }),
		},
	})
	t.external = newExternal(t.materials,
		func(r *versionedMaterial) externalKey { return externalKey{r.Key, r.source, r.external} },
		func(k externalKey) versionedMaterial {
			return versionedMaterial{idKey: idKey{Key: k.Key}, source: k.source, external: k.external}
		})
	t.assets = newTable(m, layout[idKey, ownAsset]{
		name:  "assets",
		owner: func(r *ownAsset) *domain.Key { return &r.Key },
		key:   func(r *ownAsset) *idKey { return &r.idKey },
		id:    []column[ownAsset]{text("asset", func(r *ownAsset) *domain.ID { return &r.ID })},
	})
	t.boards = newTable(m, layout[idKey, versionedBoard]{
		name:  "boards",
		owner: func(r *versionedBoard) *domain.Key { return &r.Key },
		key:   func(r *versionedBoard) *idKey { return &r.idKey },
		id:    []column[versionedBoard]{text("board", func(r *versionedBoard) *domain.ID { return &r.ID })},
		rest: []column[versionedBoard]{
			integer("gene_version", func(r *versionedBoard) *int { return &r.version }),
			bigint("rev", func(r *versionedBoard) *uint64 { return &r.rev }),
		},
	})
	t.cites = newCites(m)
	t.films = newTable(m, layout[idKey, versionedFilm]{
		name:  "films",
		owner: func(r *versionedFilm) *domain.Key { return &r.Key },
		key:   func(r *versionedFilm) *idKey { return &r.idKey },
		id:    []column[versionedFilm]{text("film", func(r *versionedFilm) *domain.ID { return &r.ID })},
		rest: []column[versionedFilm]{
			text("board", func(r *versionedFilm) *domain.ID { return &r.board }),
			integer("gene_version", func(r *versionedFilm) *int { return &r.version }),
			flag("downloaded", func(r *versionedFilm) *bool { return &r.downloaded }),
		},
	})
	t.reactions = newTable(m, layout[idKey, versionedReaction]{
		name:  "reactions",
		owner: func(r *versionedReaction) *domain.Key { return &r.Key },
		key:   func(r *versionedReaction) *idKey { return &r.idKey },
		id:    []column[versionedReaction]{text("feedback", func(r *versionedReaction) *domain.ID { return &r.ID })},
		rest: []column[versionedReaction]{
			text("object_type", func(r *versionedReaction) *domain.ObjectType { return &r.objectType }),
			text("object", func(r *versionedReaction) *domain.ID { return &r.object }),
			text("verdict", func(r *versionedReaction) *feedback.Verdict { return &r.verdict }),
			integer("gene_version", func(r *versionedReaction) *int { return &r.version }),
		},
	})
}
