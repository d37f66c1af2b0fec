package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/library"
)

// libraryTables are the tables of the library in memory.
type libraryTables struct {
	attempts
	materials *table[idKey, materialRow]
	external  *index[externalKey, idKey, materialRow]
	standing  *table[idKey, standingRow] // a row a material
	boards    *table[idKey, boardRow]
	cites     *cites
	films     *table[idKey, libraryFilm]
	assets    *table[idKey, assetRow]
	reactions *table[idKey, reactionRow]
	downloads *table[idKey, downloadRow]
}

type materialRow struct {
	idKey
	seq        uint64
	version    int
	saved      library.Saved
	counts     any // library.Counts
	media      any // library.Media
	savedAt    time.Time
	analysis   any // Analysis
	report     string
	rating     library.Rating
	analyzedAt time.Time
}

type standingRow struct {
	idKey
	rev      uint64
	observed string
	viewed   bool
	passed   bool
	boards   int
}

type boardRow struct {
	idKey
	seq, rev uint64
	run      domain.ID
	version  int
	base     domain.ID
	title    string
	panels   any // []library.Panel
	at       time.Time
	editedBy domain.Actor
	editedAt time.Time
}

type libraryFilm struct {
	idKey
	seq, rev uint64
	board    domain.ID
	run      domain.ID
	version  int
	hash     string
	media    any // library.Media
	at       time.Time
}

type assetRow struct {
	idKey
	seq        uint64
	title      string
	file       string
	hash       string
	media      any // library.Media
	by         domain.Actor
	at         time.Time
	analysis   any // Analysis
	report     string
	analyzedAt time.Time
}

type reactionRow struct {
	idKey
	objectType domain.ObjectType
	object     domain.ID
	verdict    feedback.Verdict
	words      bool
}

// downloadRow is one observation of a download.
type downloadRow struct {
	idKey
	film domain.ID
}

func newLibraryTables(m *memory) *libraryTables {
	t := &libraryTables{attempts: newAttempts(m), materials: newMaterials(m)}
	t.external = newExternal(t.materials,
		func(r *materialRow) externalKey { return externalKey{r.Key, r.saved.Source, r.saved.External} },
		func(k externalKey) materialRow {
			return materialRow{idKey: idKey{Key: k.Key}, saved: library.Saved{Source: k.source, External: k.external}}
		})
	t.standing = newTable(m, layout[idKey, standingRow]{
		name:  "standing",
		owner: func(r *standingRow) *domain.Key { return &r.Key },
		key:   func(r *standingRow) *idKey { return &r.idKey },
		id:    []column[standingRow]{text("material", func(r *standingRow) *domain.ID { return &r.ID })},
		rest: []column[standingRow]{
			bigint("rev", func(r *standingRow) *uint64 { return &r.rev }),
			text("observed", func(r *standingRow) *string { return &r.observed }),
			flag("viewed", func(r *standingRow) *bool { return &r.viewed }),
			flag("passed", func(r *standingRow) *bool { return &r.passed }),
			integer("boards", func(r *standingRow) *int { return &r.boards }),
		},
	})
	t.boards = newTable(m, layout[idKey, boardRow]{
		name:  "boards",
		owner: func(r *boardRow) *domain.Key { return &r.Key },
		key:   func(r *boardRow) *idKey { return &r.idKey },
		id:    []column[boardRow]{text("board", func(r *boardRow) *domain.ID { return &r.ID })},
		rest: []column[boardRow]{
			bigint("seq", func(r *boardRow) *uint64 { return &r.seq }),
			bigint("rev", func(r *boardRow) *uint64 { return &r.rev }),
			text("run", func(r *boardRow) *domain.ID { return &r.run }),
			integer("gene_version", func(r *boardRow) *int { return &r.version }),
			text("base", func(r *boardRow) *domain.ID { return &r.base }),
			text("title", func(r *boardRow) *string { return &r.title }),
			document("panels", func(r *boardRow) *any { return &r.panels }),
			moment("at", func(r *boardRow) *time.Time { return &r.at }),
			text("edited_by", func(r *boardRow) *domain.Actor { return &r.editedBy }),
			moment("edited_at", func(r *boardRow) *time.Time { return &r.editedAt }),
		},
	})
	t.cites = newCites(m)
	t.films = newTable(m, layout[idKey, libraryFilm]{
		name:  "films",
		owner: func(r *libraryFilm) *domain.Key { return &r.Key },
		key:   func(r *libraryFilm) *idKey { return &r.idKey },
		id:    []column[libraryFilm]{text("film", func(r *libraryFilm) *domain.ID { return &r.ID })},
		rest: []column[libraryFilm]{
			bigint("seq", func(r *libraryFilm) *uint64 { return &r.seq }),
			bigint("rev", func(r *libraryFilm) *uint64 { return &r.rev }),
			text("board", func(r *libraryFilm) *domain.ID { return &r.board }),
			text("run", func(r *libraryFilm) *domain.ID { return &r.run }),
			integer("gene_version", func(r *libraryFilm) *int { return &r.version }),
			text("hash", func(r *libraryFilm) *string { return &r.hash }),
			document("media", func(r *libraryFilm) *any { return &r.media }),
			moment("at", func(r *libraryFilm) *time.Time { return &r.at }),
		},
	})
	t.openPeople(m)
	return t
}

// openPeople adds the tables of what people gave and did.
func (t *libraryTables) openPeople(m *memory) {
	t.assets = newTable(m, layout[idKey, assetRow]{
		name:  "assets",
		owner: func(r *assetRow) *domain.Key { return &r.Key },
		key:   func(r *assetRow) *idKey { return &r.idKey },
		id:    []column[assetRow]{text("asset", func(r *assetRow) *domain.ID { return &r.ID })},
		rest: []column[assetRow]{
			bigint("seq", func(r *assetRow) *uint64 { return &r.seq }),
			text("title", func(r *assetRow) *string { return &r.title }),
			text("file", func(r *assetRow) *string { return &r.file }),
			text("hash", func(r *assetRow) *string { return &r.hash }),
			document("media", func(r *assetRow) *any { return &r.media }),
			text("uploaded_by", func(r *assetRow) *domain.Actor { return &r.by }),
			moment("at", func(r *assetRow) *time.Time { return &r.at }),
			document("analysis", func(r *assetRow) *any { return &r.analysis }),
			text("report", func(r *assetRow) *string { return &r.report }),
			moment("analyzed_at", func(r *assetRow) *time.Time { return &r.analyzedAt }),
		},
	})
	t.reactions = newTable(m, layout[idKey, reactionRow]{
		name:  "reactions",
		owner: func(r *reactionRow) *domain.Key { return &r.Key },
		key:   func(r *reactionRow) *idKey { return &r.idKey },
		id:    []column[reactionRow]{text("feedback", func(r *reactionRow) *domain.ID { return &r.ID })},
		rest: []column[reactionRow]{
			text("object_type", func(r *reactionRow) *domain.ObjectType { return &r.objectType }),
			text("object", func(r *reactionRow) *domain.ID { return &r.object }),
			text("verdict", func(r *reactionRow) *feedback.Verdict { return &r.verdict }),
			flag("words", func(r *reactionRow) *bool { return &r.words }),
		},
	})
	t.downloads = newTable(m, layout[idKey, downloadRow]{
		name:  "downloads",
		owner: func(r *downloadRow) *domain.Key { return &r.Key },
		key:   func(r *downloadRow) *idKey { return &r.idKey },
		id:    []column[downloadRow]{text("observation", func(r *downloadRow) *domain.ID { return &r.ID })},
		rest:  []column[downloadRow]{text("film", func(r *downloadRow) *domain.ID { return &r.film })},
	})
}

func newMaterials(m *memory) *table[idKey, materialRow] {
	return newTable(m, layout[idKey, materialRow]{
		name:  "materials",
		owner: func(r *materialRow) *domain.Key { return &r.Key },
		key:   func(r *materialRow) *idKey { return &r.idKey },
		id:    []column[materialRow]{text("material", func(r *materialRow) *domain.ID { return &r.ID })},
		rest: []column[materialRow]{
			bigint("seq", func(r *materialRow) *uint64 { return &r.seq }),
			text("run", func(r *materialRow) *domain.ID { return &r.saved.Run }),
			integer("gene_version", func(r *materialRow) *int { return &r.version }),
			text("source", func(r *materialRow) *string { return &r.saved.Source }),
			text("external", func(r *materialRow) *string { return &r.saved.External }),
			text("title", func(r *materialRow) *string { return &r.saved.Title }),
			text("author", func(r *materialRow) *string { return &r.saved.Author }),
			text("platform", func(r *materialRow) *string { return &r.saved.Platform }),
			text("url", func(r *materialRow) *string { return &r.saved.URL }),
			list("tags", func(r *materialRow) *[]string { return &r.saved.Tags }),
			document("counts", func(r *materialRow) *any { return &r.counts }),
			moment("published", func(r *materialRow) *time.Time { return &r.saved.Published }),
			text("hash", func(r *materialRow) *string { return &r.saved.Media.Hash }),
			document("media", func(r *materialRow) *any { return &r.media }),
			text("why", func(r *materialRow) *string { return &r.saved.Why }),
			moment("saved_at", func(r *materialRow) *time.Time { return &r.savedAt }),
			document("analysis", func(r *materialRow) *any { return &r.analysis }),
			text("report", func(r *materialRow) *string { return &r.report }),
			text("rating", func(r *materialRow) *library.Rating { return &r.rating }),
			moment("analyzed_at", func(r *materialRow) *time.Time { return &r.analyzedAt }),
		},
	})
}
