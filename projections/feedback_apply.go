package projections

import (
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/turn"
)

// feedbackProjection keeps reactions until a card that used them is applied, and
// what decides when the next digest is due.
func feedbackProjection() Projection {
	return Projection{
		Name: Feedback, Version: 2,
		Kinds: []domain.Kind{
			domain.KindFeedback, domain.KindGene, domain.KindRun, domain.KindChat, domain.KindTurn, domain.KindAgent,
		},
		open: func(m *memory) func(domain.Recorded) error { return newFeedbackTables(m).apply },
	}
}

func (t *feedbackTables) apply(r domain.Recorded) error {
	switch e := r.Event.(type) {
	case feedback.Given:
		t.items.add(newItem(r, e))
	case feedback.Withdrawn:
		if !t.items.edit(idOf(r, e.Feedback), func(i *itemRow) { i.state, i.withdrawnAt = "withdrawn", r.Time }) {
			t.refuse(r, r.Type, refusedUnknown)
		}
	case gene.Proposed:
		if t.digests.get(idOf(r, e.Run)) != nil {
			t.waiting.add(waitingRow{idOf(r, e.Card)})
		}
	case gene.Applied:
		for _, id := range e.Settled {
			if i := t.items.get(idOf(r, id)); i == nil || i.state != "open" {
				continue
			}
			t.items.edit(idOf(r, id), func(i *itemRow) {
				i.state, i.settledBy, i.settledIn, i.settledAt = "settled", e.Card, e.Version, r.Time
			})
		}
		t.waiting.drop(idOf(r, e.Card))
	case gene.Rejected:
		t.waiting.drop(idOf(r, e.Card))
	case gene.Expired:
		t.waiting.drop(idOf(r, e.Card))
	case run.Requested, run.Started, run.Finished:
		t.applyDigest(r)
	case agent.Imported: // what came with the import is old news: only what follows makes a digest due
		t.room(r, func(room *roomState) { room.lastDigest = r.Seq })
	case chat.Said, turn.Finished:
		t.room(r, func(room *roomState) { room.lastSpoke = r.Time })
	}
	return nil
}

// newItem is what a reaction says, with what follows from its object.
func newItem(r domain.Recorded, e feedback.Given) itemRow {
	i := itemRow{
		idKey: idOf(r, e.Feedback), seq: r.Seq, state: "open", objectType: e.Object.Type, object: e.Object.ID,
		panel: e.Object.Panel, from: e.Object.From, to: e.Object.To, verdict: e.Verdict, words: e.Words,
		person: e.OnBehalf, writtenBy: r.Actor, turn: e.Turn, document: e.Document, at: r.Time,
	}
	if i.person == "" {
		i.person = r.Actor.ID()
	}
	if i.document == "" {
		i.document = feedback.DefaultDocument(e.Object)
	}
	return i
}

// room changes the agent's row, which the first change makes.
func (t *feedbackTables) room(r domain.Recorded, change func(*roomState)) {
	if !t.rooms.edit(r.Key, change) {
		room := roomState{Key: r.Key}
		change(&room)
		t.rooms.add(room)
	}
}

// applyDigest follows digests. What was open at a digest's first start has been
// looked at when it ends, unless it made way for people: it will come back.
func (t *feedbackTables) applyDigest(r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.Requested:
		if e.Work == run.Digest {
			t.digests.add(digestRow{idKey: idOf(r, e.Run), open: true})
		}
	case run.Started:
		if d := t.digests.get(idOf(r, e.Run)); d != nil && d.started == 0 {
			t.digests.edit(d.idKey, func(d *digestRow) { d.started = r.Seq })
		}
	case run.Finished:
		d := t.digests.get(idOf(r, e.Run))
		if d == nil || !d.open {
			return
		}
		t.digests.edit(d.idKey, func(d *digestRow) { d.open = false })
		if d.started > 0 && e.Reason != run.ReasonPeopleCame {
			t.room(r, func(room *roomState) { room.lastDigest = max(room.lastDigest, d.started) })
		}
	}
}
