package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/run"
)

// timelineTables are the timeline's tables in memory.
type timelineTables struct {
	attempts
	m       *memory
	rows    *table[rowKey, roomRow]
	byRef   *index[refKey, rowKey, roomRow] // messages, answers and reactions with words
	cards   *placements
	orders  *placements
	runs    *table[idKey, timelineRun]
	clicks  *table[idKey, clickRow]
	clickOf *index[rowKey, idKey, clickRow] // by the row that counts them
	groups  *table[groupKey, groupRow]
	films   *table[idKey, filmRow]
}

type rowKey struct {
	domain.Key
	seq uint64
}

type roomRow struct {
	rowKey
	rev   uint64
	side  Side
	kind  string
	ref   domain.ID
	actor domain.Actor
	at    time.Time
	body  any
	refs  any // []domain.Ref
}

type refKey struct {
	domain.Key
	kind string
	ref  domain.ID
}

// placements are the cards, or the orders, and where they stand.
type placements struct {
	*table[idKey, placedRow]
	ofTurn *index[idKey, idKey, placedRow]
}

type placedRow struct {
	idKey
	seq, rowSeq uint64 // rowSeq 0: its turn goes on
	turn        domain.ID
	state       string
	body        any // RowCardState or RowOrderState
}

type timelineRun struct {
	idKey
	work    run.Work
	trigger run.Trigger
	version int
}

type clickRow struct {
	idKey
	rowSeq    uint64
	kind      string
	object    domain.ID
	withdrawn bool
}

type groupKey struct {
	domain.Key
	person domain.Actor
	object domain.ObjectType
	bucket int64
}

type groupRow struct {
	groupKey
	rowSeq uint64
}

type filmRow struct{ idKey }

func newTimelineTables(m *memory) *timelineTables {
	t := &timelineTables{attempts: newAttempts(m), m: m}
	t.rows = newTable(m, layout[rowKey, roomRow]{
		name:  "rows",
		owner: func(r *roomRow) *domain.Key { return &r.Key },
		key:   func(r *roomRow) *rowKey { return &r.rowKey },
		bySeq: true,
		id:    []column[roomRow]{bigint("seq", func(r *roomRow) *uint64 { return &r.seq })},
		rest: []column[roomRow]{
			bigint("rev", func(r *roomRow) *uint64 { return &r.rev }),
			text("side", func(r *roomRow) *Side { return &r.side }),
			text("type", func(r *roomRow) *string { return &r.kind }),
			text("ref", func(r *roomRow) *domain.ID { return &r.ref }),
			text("actor", func(r *roomRow) *domain.Actor { return &r.actor }),
			moment("at", func(r *roomRow) *time.Time { return &r.at }),
			document("body", func(r *roomRow) *any { return &r.body }),
			document("refs", func(r *roomRow) *any { return &r.refs }),
		},
	})
	t.byRef = newIndex(t.rows, "ref", lookup[refKey, roomRow]{
		of: func(r *roomRow) (refKey, bool) {
			return refKey{r.Key, r.kind, r.ref}, r.kind == RowChat || r.kind == RowTurn || r.kind == RowFeedback
		},
		example: func(k refKey) roomRow { return roomRow{rowKey: rowKey{Key: k.Key}, kind: k.kind, ref: k.ref} },
		by: []column[roomRow]{
			text("type", func(r *roomRow) *string { return &r.kind }),
			text("ref", func(r *roomRow) *domain.ID { return &r.ref }),
		},
	})
	t.cards, t.orders = newPlacements(m, "cards", "card"), newPlacements(m, "orders", `"order"`)
	t.runs = newTable(m, layout[idKey, timelineRun]{
		name:  "runs",
		owner: func(r *timelineRun) *domain.Key { return &r.Key },
		key:   func(r *timelineRun) *idKey { return &r.idKey },
		id:    []column[timelineRun]{text("run", func(r *timelineRun) *domain.ID { return &r.ID })},
		rest: []column[timelineRun]{
			text("work", func(r *timelineRun) *run.Work { return &r.work }),
			text("trigger", func(r *timelineRun) *run.Trigger { return &r.trigger }),
			integer("gene_version", func(r *timelineRun) *int { return &r.version }),
		},
	})
	t.clicks = newTable(m, layout[idKey, clickRow]{
		name:  "clicks",
		owner: func(r *clickRow) *domain.Key { return &r.Key },
		key:   func(r *clickRow) *idKey { return &r.idKey },
		id:    []column[clickRow]{text("click", func(r *clickRow) *domain.ID { return &r.ID })},
		rest: []column[clickRow]{
			bigint("row_seq", func(r *clickRow) *uint64 { return &r.rowSeq }),
			text("kind", func(r *clickRow) *string { return &r.kind }),
			text("object", func(r *clickRow) *domain.ID { return &r.object }),
			flag("withdrawn", func(r *clickRow) *bool { return &r.withdrawn }),
		},
	})
	t.clickOf = newIndex(t.clicks, "row", lookup[rowKey, clickRow]{
		of:      func(r *clickRow) (rowKey, bool) { return rowKey{r.Key, r.rowSeq}, true },
		example: func(k rowKey) clickRow { return clickRow{idKey: idKey{Key: k.Key}, rowSeq: k.seq} },
		by:      []column[clickRow]{bigint("row_seq", func(r *clickRow) *uint64 { return &r.rowSeq })},
	})
	t.groups = newTable(m, layout[groupKey, groupRow]{
		name:  "groups",
		owner: func(r *groupRow) *domain.Key { return &r.Key },
		key:   func(r *groupRow) *groupKey { return &r.groupKey },
		id: []column[groupRow]{
			text("person", func(r *groupRow) *domain.Actor { return &r.person }),
			text("object", func(r *groupRow) *domain.ObjectType { return &r.object }),
			bigint("bucket", func(r *groupRow) *int64 { return &r.bucket }),
		},
		rest: []column[groupRow]{bigint("row_seq", func(r *groupRow) *uint64 { return &r.rowSeq })},
	})
	t.films = newTable(m, layout[idKey, filmRow]{
		name:  "films",
		owner: func(r *filmRow) *domain.Key { return &r.Key },
		key:   func(r *filmRow) *idKey { return &r.idKey },
		id:    []column[filmRow]{text("film", func(r *filmRow) *domain.ID { return &r.ID })},
	})
	return t
}

func newPlacements(m *memory, name, id string) *placements {
	t := newTable(m, layout[idKey, placedRow]{
		name:  name,
		owner: func(r *placedRow) *domain.Key { return &r.Key },
		key:   func(r *placedRow) *idKey { return &r.idKey },
		id:    []column[placedRow]{text(id, func(r *placedRow) *domain.ID { return &r.ID })},
		rest: []column[placedRow]{
			bigint("seq", func(r *placedRow) *uint64 { return &r.seq }),
			optionalBigint("row_seq", func(r *placedRow) *uint64 { return &r.rowSeq }),
			text("turn", func(r *placedRow) *domain.ID { return &r.turn }),
			text("state", func(r *placedRow) *string { return &r.state }),
			document("body", func(r *placedRow) *any { return &r.body }),
		},
	})
	return &placements{t, newIndex(t, "turn", lookup[idKey, placedRow]{
		of:      func(r *placedRow) (idKey, bool) { return idKey{r.Key, r.turn}, r.turn != "" },
		example: func(k idKey) placedRow { return placedRow{idKey: idKey{Key: k.Key}, turn: k.ID} },
		by:      []column[placedRow]{text("turn", func(r *placedRow) *domain.ID { return &r.turn })},
		where:   "t.turn <> ''", // as the index has it
	})}
}
