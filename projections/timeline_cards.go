package projections

import (
	"cmp"
	"slices"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/turn"
)

func (t *timelineTables) applyGene(r domain.Recorded) {
	switch e := r.Event.(type) {
	case gene.Proposed:
		t.propose(r, t.cards, turn.Card, RowCard, placedRow{idKey: idOf(r, e.Card), turn: e.Turn, body: RowCardState{
			Card: e.Card, BaseVersion: e.BaseVersion, Documents: changedDocuments(e), Summary: e.Summary, Reason: e.Reason,
			By: r.Actor, ProposedAt: r.Time, Expires: e.Expires,
		}})
	case gene.Applied:
		t.settleCard(r, e.Card, "applied", func(c *RowCardState) { c.Version, c.Edited = e.Version, e.Edited })
		t.addRow(r, Right, RowCardApplied, e.Card, DecisionBody{
			Version: e.Version, Documents: e.Documents, Edited: e.Edited, Settled: len(e.Settled),
		}, []domain.Ref{{Type: domain.CardObj, ID: e.Card}})
	case gene.Rejected:
		t.settleCard(r, e.Card, "rejected", func(c *RowCardState) { c.Why = e.Reason })
		t.addRow(r, Right, RowCardRejected, e.Card, DecisionBody{Reason: e.Reason, Chips: e.Chips},
			[]domain.Ref{{Type: domain.CardObj, ID: e.Card}})
	case gene.Expired:
		t.settleCard(r, e.Card, "expired", func(c *RowCardState) { c.Cause, c.MovedTo = e.Cause, e.MovedTo })
	case gene.Minted:
		body := VersionBody{Version: e.Version, BaseVersion: e.BaseVersion, RolledBackTo: e.RolledBackTo, Summary: e.Summary}
		switch e.Origin {
		case gene.OriginEdit:
			t.addRow(r, Right, RowGeneEdited, "", body, nil)
		case gene.OriginRollback:
			t.addRow(r, Right, RowGeneRolledBack, "", body, nil)
		case gene.OriginCreated, gene.OriginCard: // the agent itself and the applied card show it
		}
	}
}

func (t *timelineTables) applyOrder(r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.OrderProposed:
		t.propose(r, t.orders, turn.Order, RowOrder, placedRow{idKey: idOf(r, e.Order), turn: e.Turn, body: RowOrderState{
			Order: e.Order, Work: e.Work, Request: e.Request, By: r.Actor, ProposedAt: r.Time, Expires: e.Expires,
		}})
	case run.OrderConfirmed:
		t.settleOrder(r, e.Order, "confirmed", func(o *RowOrderState) { o.Run = e.Run })
		t.addRow(r, Right, RowOrderConfirmed, e.Order, DecisionBody{Run: e.Run},
			[]domain.Ref{{Type: domain.OrderObj, ID: e.Order}, {Type: domain.RunObj, ID: e.Run}})
	case run.OrderDeclined:
		t.settleOrder(r, e.Order, "declined", func(o *RowOrderState) { o.Why = e.Reason })
		t.addRow(r, Right, RowOrderDeclined, e.Order, DecisionBody{Reason: e.Reason},
			[]domain.Ref{{Type: domain.OrderObj, ID: e.Order}})
	case run.OrderExpired:
		t.settleOrder(r, e.Order, "expired", func(o *RowOrderState) { o.Why = e.Cause })
	}
}

// propose keeps a card or order, and shows it: in its turn's answer (now, if that
// is there already, else when it comes), or as a row of its own.
func (t *timelineTables) propose(r domain.Recorded, p *placements, block turn.BlockType, kind string, row placedRow) {
	row.seq, row.state = r.Seq, "pending"
	if row.turn == "" {
		row.rowSeq = r.Seq
	}
	p.add(row)
	if row.turn != "" {
		t.place(r, p, block, row.turn)
		return
	}
	side := Left
	if r.Actor.IsPerson() {
		side = Right
	}
	t.addRow(r, side, kind, row.ID, struct{}{}, nil)
}

// place lets the cards (orders) of a turn stand in its row, and appends a block
// for those that the answer does not mention: the attempt that proposed them was
// lost. It does nothing while the turn goes on.
func (t *timelineTables) place(r domain.Recorded, p *placements, block turn.BlockType, id domain.ID) {
	found := p.ofTurn.find(idOf(r, id))
	answers := t.byRef.find(refKey{r.Key, RowTurn, id})
	if len(answers) == 0 || len(found) == 0 {
		return
	}
	slices.SortFunc(found, func(a, b *placedRow) int { return cmp.Compare(a.seq, b.seq) })
	answer := slices.MinFunc(answers, func(a, b *roomRow) int { return cmp.Compare(a.seq, b.seq) })
	body := as[TurnBody](t.m, answer.body)
	shown := len(body.Blocks)
	for _, c := range found {
		if c.rowSeq != 0 {
			continue
		}
		p.edit(c.idKey, func(c *placedRow) { c.rowSeq = answer.seq })
		if !slices.ContainsFunc(body.Blocks, func(b turn.Block) bool { return b.Ref == c.ID }) {
			body.Blocks = append(slices.Clip(body.Blocks), turn.Block{Type: block, Ref: c.ID})
		}
	}
	if len(body.Blocks) > shown {
		t.rows.edit(answer.rowKey, func(row *roomRow) { row.rev, row.body = r.Seq, body })
	}
}

func (t *timelineTables) settleCard(r domain.Recorded, id domain.ID, state string, change func(c *RowCardState)) {
	settle(t, r, t.cards, id, state, func(c *RowCardState) {
		c.ClosedBy, c.ClosedAt = r.Actor, r.Time
		change(c)
	})
}

func (t *timelineTables) settleOrder(r domain.Recorded, id domain.ID, state string, change func(o *RowOrderState)) {
	settle(t, r, t.orders, id, state, func(o *RowOrderState) {
		o.ClosedBy, o.ClosedAt = r.Actor, r.Time
		change(o)
	})
}

// settle closes a card (order): its state, how, and the revision of the row that
// shows it.
func settle[B any](t *timelineTables, r domain.Recorded, p *placements, id domain.ID, state string, change func(b *B)) {
	row := p.get(idOf(r, id))
	if row == nil {
		return
	}
	p.edit(row.idKey, func(row *placedRow) {
		body := as[B](t.m, row.body)
		change(&body)
		row.state, row.body = state, body
	})
	if row.rowSeq != 0 {
		t.touch(r, row.rowSeq)
	}
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

func (t *timelineTables) applyRun(r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.Requested:
		t.runs.add(timelineRun{idOf(r, e.Run), e.Work, e.Trigger, e.GeneVersion})
		body := RunBody{Work: e.Work, Trigger: e.Trigger, Request: e.Request, RetryOf: e.RetryOf, Continues: e.Continues}
		switch e.Trigger {
		case run.Order, run.GeneCheck: // the confirmed order and the applied card show it
		case run.Threshold: // nobody asked
		case run.First, run.Daily:
			t.addRow(r, Centre, RowRunAsked, e.Run, body, e.Request.Cites)
		case run.Hand, run.Retry, run.Budget:
			side, kind := Centre, RowRunAsked
			if r.Actor.IsPerson() {
				side, kind = Right, RowRunOrdered
			}
			t.addRow(r, side, kind, e.Run, body, e.Request.Cites)
		}
	case run.Started:
		t.runs.edit(idOf(r, e.Run), func(row *timelineRun) { row.version = e.GeneVersion })
	case run.Finished:
		row := t.runs.get(idOf(r, e.Run))
		if row == nil {
			return
		}
		counts := map[domain.ObjectType]int{}
		for _, p := range e.Products {
			counts[p.Type]++
		}
		t.addRow(r, Centre, RowRunFinished, e.Run, RunEndBody{
			Work: row.work, Trigger: row.trigger, GeneVersion: row.version, Outcome: e.Outcome, Reason: e.Reason,
			Summary: e.Summary, Counts: counts, CostYuan: e.Cost.Yuan(),
		}, e.Products)
	}
}
