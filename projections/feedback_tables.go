package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/feedback"
)

// feedbackTables are the tables of feedback in memory.
type feedbackTables struct {
	refusals
	items   *table[idKey, itemRow]
	rooms   *table[domain.Key, roomState]
	digests *table[idKey, digestRow]
	waiting *table[idKey, waitingRow]
}

type itemRow struct {
	idKey
	seq         uint64
	state       string
	objectType  domain.ObjectType
	object      domain.ID
	panel       int
	from, to    float64
	verdict     feedback.Verdict
	words       string
	person      domain.ID
	writtenBy   domain.Actor
	turn        domain.ID
	document    domain.Document
	at          time.Time
	settledBy   domain.ID
	settledIn   int
	settledAt   time.Time
	withdrawnAt time.Time
}

type roomState struct {
	domain.Key
	lastSpoke  time.Time
	lastDigest uint64
}

type digestRow struct {
	idKey
	started uint64
	open    bool
}

// waitingRow is a pending card that a digest proposed.
type waitingRow struct{ idKey }

func newFeedbackTables(m *memory) *feedbackTables {
	t := &feedbackTables{refusals: newRefusals(m)}
	t.items = newTable(m, layout[idKey, itemRow]{
		name:  "items",
		owner: func(r *itemRow) *domain.Key { return &r.Key },
		key:   func(r *itemRow) *idKey { return &r.idKey },
		id:    []column[itemRow]{text("feedback", func(r *itemRow) *domain.ID { return &r.ID })},
		rest: []column[itemRow]{
			bigint("seq", func(r *itemRow) *uint64 { return &r.seq }),
			text("state", func(r *itemRow) *string { return &r.state }),
			text("object_type", func(r *itemRow) *domain.ObjectType { return &r.objectType }),
			text("object", func(r *itemRow) *domain.ID { return &r.object }),
			integer("panel", func(r *itemRow) *int { return &r.panel }),
			double("from_s", func(r *itemRow) *float64 { return &r.from }),
			double("to_s", func(r *itemRow) *float64 { return &r.to }),
			text("verdict", func(r *itemRow) *feedback.Verdict { return &r.verdict }),
			text("words", func(r *itemRow) *string { return &r.words }),
			text("person", func(r *itemRow) *domain.ID { return &r.person }),
			text("written_by", func(r *itemRow) *domain.Actor { return &r.writtenBy }),
			text("turn", func(r *itemRow) *domain.ID { return &r.turn }),
			text("document", func(r *itemRow) *domain.Document { return &r.document }),
			moment("at", func(r *itemRow) *time.Time { return &r.at }),
			text("settled_by", func(r *itemRow) *domain.ID { return &r.settledBy }),
			integer("settled_in", func(r *itemRow) *int { return &r.settledIn }),
			moment("settled_at", func(r *itemRow) *time.Time { return &r.settledAt }),
			moment("withdrawn_at", func(r *itemRow) *time.Time { return &r.withdrawnAt }),
		},
	})
	t.rooms = newTable(m, layout[domain.Key, roomState]{
		name:  "rooms",
		owner: func(r *roomState) *domain.Key { return &r.Key },
		key:   func(r *roomState) *domain.Key { return &r.Key },
		rest: []column[roomState]{
			moment("last_spoke", func(r *roomState) *time.Time { return &r.lastSpoke }),
			bigint("last_digest", func(r *roomState) *uint64 { return &r.lastDigest }),
		},
	})
	t.digests = newTable(m, layout[idKey, digestRow]{
		name:  "digests",
		owner: func(r *digestRow) *domain.Key { return &r.Key },
		key:   func(r *digestRow) *idKey { return &r.idKey },
		id:    []column[digestRow]{text("run", func(r *digestRow) *domain.ID { return &r.ID })},
		rest: []column[digestRow]{
			bigint("started", func(r *digestRow) *uint64 { return &r.started }),
			flag("open", func(r *digestRow) *bool { return &r.open }),
		},
	})
	t.waiting = newTable(m, layout[idKey, waitingRow]{
		name:  "waiting",
		owner: func(r *waitingRow) *domain.Key { return &r.Key },
		key:   func(r *waitingRow) *idKey { return &r.idKey },
		id:    []column[waitingRow]{text("card", func(r *waitingRow) *domain.ID { return &r.ID })},
	})
	return t
}
