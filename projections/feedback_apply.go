package projections

import (
	"sozai/domain"
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
		Name: Feedback, Version: 1, Apply: applyFeedback,
		Kinds: []domain.Kind{domain.KindFeedback, domain.KindGene, domain.KindRun, domain.KindChat, domain.KindTurn},
	}
}

func applyFeedback(b *Batch, r domain.Recorded) error {
	switch e := r.Event.(type) {
	case feedback.Given:
		person, document := e.OnBehalf, e.Document
		if person == "" {
			person = r.Actor.ID()
		}
		if document == "" {
			document = feedback.DefaultDocument(e.Object)
		}
		b.do(`INSERT INTO {s}.items (product, agent, feedback, seq, state, object_type, object, panel, from_s, to_s, verdict,
				words, person, written_by, turn, document, at)
			VALUES ($1, $2, $3, $4, 'open', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING`,
			e.Feedback, r.Seq, e.Object.Type, e.Object.ID, e.Object.Panel, e.Object.From, e.Object.To, e.Verdict, e.Words,
			person, r.Actor, e.Turn, document, r.Time)
	case feedback.Withdrawn:
		b.do(`WITH done AS (
				UPDATE {s}.items SET state = 'withdrawn', withdrawn_at = $4
				WHERE product = $1 AND agent = $2 AND feedback = $3 RETURNING 1)`+unlessKnownAt(5, 6),
			e.Feedback, r.Time, r.Type, r.Seq)
	case gene.Proposed:
		b.do(`INSERT INTO {s}.waiting (product, agent, card)
			SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM {s}.digests WHERE product = $1 AND agent = $2 AND run = $4)
			ON CONFLICT DO NOTHING`, e.Card, e.Run)
	case gene.Applied:
		b.do(`UPDATE {s}.items SET state = 'settled', settled_by = $4, settled_in = $5, settled_at = $6
			WHERE product = $1 AND agent = $2 AND feedback = ANY ($3::text[]) AND state = 'open'`,
			append([]domain.ID{}, e.Settled...), e.Card, e.Version, r.Time)
		closeWaiting(b, e.Card)
	case gene.Rejected:
		closeWaiting(b, e.Card)
	case gene.Expired:
		closeWaiting(b, e.Card)
	case run.Requested, run.Started, run.Finished:
		applyFeedbackDigest(b, r)
	case chat.Said, turn.Finished:
		b.do(`INSERT INTO {s}.rooms (product, agent, last_spoke) VALUES ($1, $2, $3)
			ON CONFLICT (product, agent) DO UPDATE SET last_spoke = excluded.last_spoke`, r.Time)
	}
	return nil
}

func closeWaiting(b *Batch, card domain.ID) {
	b.do(`DELETE FROM {s}.waiting WHERE product = $1 AND agent = $2 AND card = $3`, card)
}

// applyFeedbackDigest follows digests. What was open at a digest's first start has
// been looked at when it ends, unless it made way for people: it will come back.
func applyFeedbackDigest(b *Batch, r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.Requested:
		if e.Work == run.Digest {
			b.do(`INSERT INTO {s}.digests (product, agent, run) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, e.Run)
		}
	case run.Started:
		b.do(`UPDATE {s}.digests SET started = $4 WHERE product = $1 AND agent = $2 AND run = $3 AND started = 0`, e.Run, r.Seq)
	case run.Finished:
		b.do(`WITH ended AS (
				UPDATE {s}.digests SET open = false WHERE product = $1 AND agent = $2 AND run = $3 AND open RETURNING started)
			INSERT INTO {s}.rooms AS rooms (product, agent, last_digest)
			SELECT $1, $2, started FROM ended WHERE started > 0 AND $4 <> 'people_came'
			ON CONFLICT (product, agent) DO UPDATE SET last_digest = greatest(rooms.last_digest, excluded.last_digest)`,
			e.Run, e.Reason)
	}
}
