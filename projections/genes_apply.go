package projections

import (
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
)

// genesProjection keeps versions, cards and orders.
func genesProjection() Projection {
	return Projection{
		Name: Genes, Version: 1, Apply: applyGenes,
		Kinds: []domain.Kind{domain.KindGene, domain.KindRun},
	}
}

func applyGenes(b *Batch, r domain.Recorded) error {
	switch e := r.Event.(type) {
	case gene.Minted:
		b.do(`INSERT INTO {s}.versions (product, agent, version, base_version, search, steer, constraints, origin, summary,
				minted_by, card, rolled_back_to, at, seq)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`,
			e.Version, e.BaseVersion, e.Search, e.Steer, asJSON{e.Constraints}, e.Origin, e.Summary, r.Actor, e.Card,
			e.RolledBackTo, r.Time, r.Seq)
		if e.Previous != nil {
			b.do(`UPDATE {s}.versions SET score = $4 WHERE product = $1 AND agent = $2 AND version = $3`,
				e.Previous.Version, asJSON{e.Previous})
		}
	case gene.Proposed:
		var constraints any
		if e.Constraints != nil {
			constraints = asJSON{e.Constraints}
		}
		b.do(`INSERT INTO {s}.cards (product, agent, card, seq, rev, state, base_version, search, steer, constraints, summary,
				reason, evidence, feedback, turn, run, proposed_by, proposed_at, expires)
			VALUES ($1, $2, $3, $4, $4, 'pending', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
			ON CONFLICT DO NOTHING`,
			e.Card, r.Seq, e.BaseVersion, e.Search, e.Steer, constraints, e.Summary, e.Reason, refs(e.Evidence),
			asJSON{append([]gene.Citation{}, e.Feedback...)}, e.Turn, e.Run, r.Actor, r.Time, e.Expires)
	case gene.Applied:
		b.do(`UPDATE {s}.cards SET state = 'applied', closed_by = $4, closed_at = $5, rev = $6, version = $7, applied = $8,
				edited = $9, settled = $10
			WHERE product = $1 AND agent = $2 AND card = $3`,
			e.Card, r.Actor, r.Time, r.Seq, e.Version, append([]string{}, e.Documents...), e.Edited, append([]domain.ID{}, e.Settled...))
	case gene.Rejected:
		b.do(`UPDATE {s}.cards SET state = 'rejected', closed_by = $4, closed_at = $5, rev = $6, why = $7, chips = $8
			WHERE product = $1 AND agent = $2 AND card = $3`,
			e.Card, r.Actor, r.Time, r.Seq, e.Reason, append([]string{}, e.Chips...))
	case gene.Expired:
		b.do(`UPDATE {s}.cards SET state = 'expired', closed_by = $4, closed_at = $5, rev = $6, cause = $7, moved_to = $8
			WHERE product = $1 AND agent = $2 AND card = $3`,
			e.Card, r.Actor, r.Time, r.Seq, e.Cause, e.MovedTo)
	case run.OrderProposed:
		b.do(`INSERT INTO {s}.orders (product, agent, "order", seq, rev, state, work, request, turn, proposed_by, proposed_at, expires)
			VALUES ($1, $2, $3, $4, $4, 'pending', $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
			e.Order, r.Seq, e.Work, asJSON{e.Request}, e.Turn, r.Actor, r.Time, e.Expires)
	case run.OrderConfirmed:
		closeOrder(b, r, e.Order, "confirmed", e.Run, "")
	case run.OrderDeclined:
		closeOrder(b, r, e.Order, "declined", "", e.Reason)
	case run.OrderExpired:
		closeOrder(b, r, e.Order, "expired", "", e.Cause)
	}
	return nil
}

func closeOrder(b *Batch, r domain.Recorded, order domain.ID, state string, made domain.ID, why string) {
	b.do(`UPDATE {s}.orders SET state = $4, closed_by = $5, closed_at = $6, rev = $7, run = $8, why = $9
		WHERE product = $1 AND agent = $2 AND "order" = $3`, order, state, r.Actor, r.Time, r.Seq, made, why)
}
