package projections

import (
	"fmt"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
)

// genesProjection keeps versions, cards and orders.
func genesProjection() Projection {
	return Projection{
		Name: Genes, Version: 2,
		Kinds: []domain.Kind{domain.KindGene, domain.KindRun},
		open:  func(m *memory) func(domain.Recorded) error { return newGenesTables(m).apply },
	}
}

func (t *genesTables) apply(r domain.Recorded) error {
	switch e := r.Event.(type) {
	case gene.Minted:
		return t.mint(r, e)
	case gene.Proposed:
		card := geneCard{
			idKey: idOf(r, e.Card), decided: proposed(r), base: e.BaseVersion, search: e.Search, steer: e.Steer,
			summary: e.Summary, reason: e.Reason, evidence: append([]domain.Ref{}, e.Evidence...),
			feedback: append([]gene.Citation{}, e.Feedback...), turn: e.Turn, run: e.Run,
		}
		card.expires = e.Expires
		if e.Constraints != nil {
			card.constraints = e.Constraints
		}
		t.cards.add(card)
	case gene.Applied:
		t.closeCard(r, e.Card, "applied", func(c *geneCard) {
			c.version, c.applied, c.edited, c.settled = e.Version, e.Documents, e.Edited, e.Settled
		})
	case gene.Rejected:
		t.closeCard(r, e.Card, "rejected", func(c *geneCard) { c.why, c.chips = e.Reason, e.Chips })
	case gene.Expired:
		t.closeCard(r, e.Card, "expired", func(c *geneCard) { c.cause, c.movedTo = e.Cause, e.MovedTo })
	case run.OrderProposed:
		order := geneOrder{idKey: idOf(r, e.Order), decided: proposed(r), work: e.Work, request: e.Request, turn: e.Turn}
		order.expires = e.Expires
		t.orders.add(order)
	case run.OrderConfirmed:
		t.closeOrder(r, e.Order, "confirmed", e.Run, "")
	case run.OrderDeclined:
		t.closeOrder(r, e.Order, "declined", "", e.Reason)
	case run.OrderExpired:
		t.closeOrder(r, e.Order, "expired", "", e.Cause)
	}
	return nil
}

// mint keeps a version, and the score that the one before it has reached.
func (t *genesTables) mint(r domain.Recorded, e gene.Minted) error {
	if e.Version < 1 {
		return fmt.Errorf("there is no gene version %d", e.Version)
	}
	t.versions.add(versionRow{
		versionKey: versionKey{r.Key, e.Version}, base: e.BaseVersion, search: e.Search, steer: e.Steer,
		constraints: e.Constraints, origin: e.Origin, summary: e.Summary, by: r.Actor, card: e.Card,
		rolledBackTo: e.RolledBackTo, at: r.Time, seq: r.Seq,
	})
	if e.Previous != nil {
		t.versions.edit(versionKey{r.Key, e.Previous.Version}, func(v *versionRow) { v.score = e.Previous })
	}
	return nil
}

// proposed is a card or order of which nobody has decided.
func proposed(r domain.Recorded) decided {
	return decided{seq: r.Seq, rev: r.Seq, state: "pending", by: r.Actor, at: r.Time}
}

// close notes how a card or order was closed.
func (d *decided) close(r domain.Recorded, state string) {
	d.state, d.closedBy, d.closedAt, d.rev = state, r.Actor, r.Time, r.Seq
}

func (t *genesTables) closeCard(r domain.Recorded, id domain.ID, state string, change func(c *geneCard)) {
	t.cards.edit(idOf(r, id), func(c *geneCard) {
		c.close(r, state)
		change(c)
	})
}

func (t *genesTables) closeOrder(r domain.Recorded, id domain.ID, state string, made domain.ID, why string) {
	t.orders.edit(idOf(r, id), func(o *geneOrder) {
		o.close(r, state)
		o.run, o.why = made, why
	})
}
