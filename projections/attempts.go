package projections

import (
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/turn"
)

// Why something was refused.
const (
	refusedLate      = "late_attempt"   // its attempt had been closed
	refusedDuplicate = "duplicate"      // it is there already
	refusedUnknown   = "unknown_object" // its object is not the agent's
)

// idKey is the primary key of most tables: one id of one agent.
type idKey struct {
	domain.Key
	ID domain.ID
}

func idOf(r domain.Recorded, id domain.ID) idKey { return idKey{r.Key, id} }

// attempts keeps the open attempt of each run and turn in the read model's own
// table fences, so that facts of an attempt that was closed before them can be
// told, and counts what was refused in its table refused.
type attempts struct {
	fences *table[idKey, fenceRow]
	refusals
}

type fenceRow struct {
	idKey
	attempt int
}

func newAttempts(m *memory) attempts {
	return attempts{
		fences: newTable(m, layout[idKey, fenceRow]{
			name:  "fences",
			owner: func(r *fenceRow) *domain.Key { return &r.Key },
			key:   func(r *fenceRow) *idKey { return &r.idKey },
			id:    []column[fenceRow]{text("subject", func(r *fenceRow) *domain.ID { return &r.ID })},
			rest:  []column[fenceRow]{integer("attempt", func(r *fenceRow) *int { return &r.attempt })},
		}),
		refusals: newRefusals(m),
	}
}

// follow opens and closes attempts. It is called for every event.
func (a attempts) follow(r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.Started:
		a.fences.set(fenceRow{idOf(r, e.Run), e.Attempt})
	case run.AttemptLost:
		a.close(idOf(r, e.Run), e.Attempt)
	case run.Finished:
		a.fences.drop(idOf(r, e.Run))
	case turn.Started:
		a.fences.set(fenceRow{idOf(r, e.Turn), e.Attempt})
	case turn.AttemptLost:
		a.close(idOf(r, e.Turn), e.Attempt)
	case turn.Finished:
		a.fences.drop(idOf(r, e.Turn))
	}
}

func (a attempts) close(k idKey, attempt int) {
	if f := a.fences.get(k); f != nil && f.attempt == attempt {
		a.fences.drop(k)
	}
}

// alive reports whether a fact's attempt is open. A fact without a run or turn has
// no attempt and always passes.
func (a attempts) alive(r domain.Recorded, subject domain.ID, attempt int) bool {
	if subject == "" {
		return true
	}
	f := a.fences.get(idOf(r, subject))
	return f != nil && f.attempt == attempt
}

// made lets an attempt add an object: add reports whether it did. A fact of a
// closed attempt and a second copy are counted as refused. A dry pass, which does
// not know attempts that the chunk opens, looks at everything.
func (a attempts) made(r domain.Recorded, subject domain.ID, attempt int, add func() bool) bool {
	if a.fences.m.dry {
		a.alive(r, subject, attempt)
		add()
		return true
	}
	switch {
	case !a.alive(r, subject, attempt):
		a.refuse(r, r.Type, refusedLate)
	case !add():
		a.refuse(r, r.Type, refusedDuplicate)
	default:
		return true
	}
	return false
}

// refusals counts what was refused.
type refusals struct {
	refused *table[refusedKey, refusedRow]
}

type refusedKey struct {
	domain.Key
	kind, reason string
}

type refusedRow struct {
	refusedKey
	count int64
	last  uint64
}

func newRefusals(m *memory) refusals {
	return refusals{newTable(m, layout[refusedKey, refusedRow]{
		name:  "refused",
		owner: func(r *refusedRow) *domain.Key { return &r.Key },
		key:   func(r *refusedRow) *refusedKey { return &r.refusedKey },
		id: []column[refusedRow]{
			text("type", func(r *refusedRow) *string { return &r.kind }),
			text("reason", func(r *refusedRow) *string { return &r.reason }),
		},
		rest: []column[refusedRow]{
			bigint("count", func(r *refusedRow) *int64 { return &r.count }),
			bigint("last", func(r *refusedRow) *uint64 { return &r.last }),
		},
	})}
}

// refuse counts one refusal of something of a kind: an event's type, or that of an
// observation in it.
func (f refusals) refuse(r domain.Recorded, kind, reason string) {
	k := refusedKey{r.Key, kind, reason}
	if !f.refused.edit(k, func(row *refusedRow) { row.count, row.last = row.count+1, r.Seq }) {
		f.refused.add(refusedRow{k, 1, r.Seq})
	}
}

// refuseForeign counts the ids that are not the agent's.
func (f refusals) refuseForeign(r domain.Recorded, ids []domain.ID, known func(idKey) bool) {
	for _, id := range ids {
		if !known(idOf(r, id)) {
			f.refuse(r, r.Type, refusedUnknown)
		}
	}
}
