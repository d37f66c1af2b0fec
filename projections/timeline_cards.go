package projections

import (
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
)

func applyTimelineGene(b *Batch, r domain.Recorded) {
	switch e := r.Event.(type) {
	case gene.Proposed:
		card := RowCardState{
			Card: e.Card, BaseVersion: e.BaseVersion, Documents: changedDocuments(e), Summary: e.Summary, Reason: e.Reason,
			By: r.Actor, ProposedAt: r.Time, Expires: e.Expires,
		}
		proposed(b, r, placeCards(), `INSERT INTO {s}.cards (product, agent, card, seq, row_seq, turn, state, body)
			VALUES ($1, $2, $3, $4, CASE WHEN $5 = '' THEN $4::bigint END, $5, 'pending', $6) ON CONFLICT DO NOTHING`,
			RowCard, e.Card, e.Turn, card)
	case gene.Applied:
		b.do(settleCard(), e.Card, "applied", closed(r, map[string]any{"version": e.Version, "edited": e.Edited}), r.Seq)
		addRow(b, r, Right, RowCardApplied, e.Card, DecisionBody{
			Version: e.Version, Documents: e.Documents, Edited: e.Edited, Settled: len(e.Settled),
		}, []domain.Ref{{Type: domain.CardObj, ID: e.Card}})
	case gene.Rejected:
		b.do(settleCard(), e.Card, "rejected", closed(r, map[string]any{"why": e.Reason}), r.Seq)
		addRow(b, r, Right, RowCardRejected, e.Card, DecisionBody{Reason: e.Reason, Chips: e.Chips},
			[]domain.Ref{{Type: domain.CardObj, ID: e.Card}})
	case gene.Expired:
		b.do(settleCard(), e.Card, "expired", closed(r, map[string]any{"cause": e.Cause, "moved_to": e.MovedTo}), r.Seq)
	case gene.Minted:
		body := VersionBody{Version: e.Version, BaseVersion: e.BaseVersion, RolledBackTo: e.RolledBackTo, Summary: e.Summary}
		switch e.Origin {
		case gene.OriginEdit:
			addRow(b, r, Right, RowGeneEdited, "", body, nil)
		case gene.OriginRollback:
			addRow(b, r, Right, RowGeneRolledBack, "", body, nil)
		case gene.OriginCreated, gene.OriginCard: // the agent itself and the applied card show it
		}
	}
}

func applyTimelineOrder(b *Batch, r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.OrderProposed:
		order := RowOrderState{
			Order: e.Order, Work: e.Work, Request: e.Request, By: r.Actor, ProposedAt: r.Time, Expires: e.Expires,
		}
		proposed(b, r, placeOrders(), `INSERT INTO {s}.orders (product, agent, "order", seq, row_seq, turn, state, body)
			VALUES ($1, $2, $3, $4, CASE WHEN $5 = '' THEN $4::bigint END, $5, 'pending', $6) ON CONFLICT DO NOTHING`,
			RowOrder, e.Order, e.Turn, order)
	case run.OrderConfirmed:
		b.do(settleOrder(), e.Order, "confirmed", closed(r, map[string]any{"run": e.Run}), r.Seq)
		addRow(b, r, Right, RowOrderConfirmed, e.Order, DecisionBody{Run: e.Run},
			[]domain.Ref{{Type: domain.OrderObj, ID: e.Order}, {Type: domain.RunObj, ID: e.Run}})
	case run.OrderDeclined:
		b.do(settleOrder(), e.Order, "declined", closed(r, map[string]any{"why": e.Reason}), r.Seq)
		addRow(b, r, Right, RowOrderDeclined, e.Order, DecisionBody{Reason: e.Reason},
			[]domain.Ref{{Type: domain.OrderObj, ID: e.Order}})
	case run.OrderExpired:
		b.do(settleOrder(), e.Order, "expired", closed(r, map[string]any{"why": e.Cause}), r.Seq)
	}
}

// proposed keeps a card or order, and shows it: in its turn's answer (now, if that
// is there already, else when it comes), or as a row of its own.
func proposed(b *Batch, r domain.Recorded, place, insert, kind string, id, turn domain.ID, body any) {
	b.do(insert, id, r.Seq, turn, asJSON{body})
	if turn != "" {
		b.do(place, turn, r.Seq)
		return
	}
	side := Left
	if r.Actor.IsPerson() {
		side = Right
	}
	addRow(b, r, side, kind, id, struct{}{}, nil)
}

// closed adds who closed a card or order, and when, to how it was closed.
func closed(r domain.Recorded, fields map[string]any) asJSON {
	fields["closed_by"], fields["closed_at"] = r.Actor, r.Time
	return asJSON{fields}
}

// changedDocuments names what a card would change.
func changedDocuments(e gene.Proposed) []string {
	list := []string{}
	if e.Search != nil {
		list = append(list, string(domain.Search))
	}
	if e.Steer != nil {
		list = append(list, string(domain.Steer))
	}
	if e.Constraints != nil {
		list = append(list, "constraints")
	}
	return list
}

func applyTimelineRun(b *Batch, r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.Requested:
		b.do(`INSERT INTO {s}.runs (product, agent, run, work, trigger, gene_version)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`, e.Run, e.Work, e.Trigger, e.GeneVersion)
		body := RunBody{Work: e.Work, Trigger: e.Trigger, Request: e.Request, RetryOf: e.RetryOf, Continues: e.Continues}
		switch e.Trigger {
		case run.Order, run.GeneCheck: // the confirmed order and the applied card show it
		case run.Threshold: // nobody asked
		case run.First, run.Daily:
			addRow(b, r, Centre, RowRunAsked, e.Run, body, e.Request.Cites)
		case run.Hand, run.Retry, run.Budget:
			side, kind := Centre, RowRunAsked
			if r.Actor.IsPerson() {
				side, kind = Right, RowRunOrdered
			}
			addRow(b, r, side, kind, e.Run, body, e.Request.Cites)
		}
	case run.Started:
		b.do(`UPDATE {s}.runs SET gene_version = $4 WHERE product = $1 AND agent = $2 AND run = $3`, e.Run, e.GeneVersion)
	case run.Finished:
		counts := map[domain.ObjectType]int{}
		for _, p := range e.Products {
			counts[p.Type]++
		}
		body := RunEndBody{Outcome: e.Outcome, Reason: e.Reason, Summary: e.Summary, Counts: counts, CostYuan: e.Cost.Yuan()}
		b.do(`INSERT INTO {s}.rows (product, agent, seq, rev, side, type, ref, actor, at, body, refs)
			SELECT $1, $2, $3, $3, 'centre', 'run_finished', $4, $5, $6,
				$7::jsonb || jsonb_build_object('work', work, 'trigger', trigger, 'gene_version', gene_version), $8
			FROM {s}.runs WHERE product = $1 AND agent = $2 AND run = $4 ON CONFLICT DO NOTHING`,
			r.Seq, e.Run, r.Actor, r.Time, asJSON{body}, refs(e.Products))
	}
}
