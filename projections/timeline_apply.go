package projections

import (
	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/turn"
)

// timelineProjection is the room. Rules: a run leaves at most two rows, that it
// was asked for (unless an action or card shows it) and how it ended; people's
// actions stand on the right, bare reactions in one row a person, kind of object
// and ten minutes; looking leaves none; a card stands where its answer
// introduced it, a card without an answer is a row of its own.
func timelineProjection() Projection {
	return Projection{
		Name: Timeline, Version: 1, Apply: applyTimeline,
		Kinds: []domain.Kind{
			domain.KindGene, domain.KindRun, domain.KindTurn, domain.KindChat,
			domain.KindFeedback, domain.KindBehavior, domain.KindLibrary,
		},
	}
}

func applyTimeline(b *Batch, r domain.Recorded) error {
	fence(b, r)
	switch e := r.Event.(type) {
	case chat.Said:
		b.do(`INSERT INTO {s}.rows (product, agent, seq, rev, side, type, ref, actor, at, body, refs)
			SELECT $1, $2, $3, $3, 'right', 'chat', $4, $5, $6, $7, $8
			WHERE NOT EXISTS (SELECT 1 FROM {s}.rows WHERE product = $1 AND agent = $2 AND type = 'chat' AND ref = $4)
			ON CONFLICT DO NOTHING`,
			r.Seq, e.Message, r.Actor, r.Time, asJSON{ChatBody{Text: e.Text}}, refs(e.Refs))
	case chat.TakenBack:
		amendRow(b, r, RowChat, e.Message, map[string]any{"taken_back": true})
	case turn.Started:
		for _, m := range e.Messages {
			amendRow(b, r, RowChat, m, map[string]any{"turn": e.Turn})
		}
	case turn.Finished:
		addRow(b, r, Left, RowTurn, e.Turn, TurnBody{
			Reason: e.Reason, Upto: e.Upto, Blocks: append([]turn.Block{}, e.Blocks...), Usage: e.Usage, CostYuan: e.Cost.Yuan(),
		}, nil)
		b.do(placeCards(), e.Turn, r.Seq)
		b.do(placeOrders(), e.Turn, r.Seq)
	case gene.Proposed, gene.Applied, gene.Rejected, gene.Expired, gene.Minted:
		applyTimelineGene(b, r)
	case run.Requested, run.Started, run.Finished:
		applyTimelineRun(b, r)
	case run.OrderProposed, run.OrderConfirmed, run.OrderDeclined, run.OrderExpired:
		applyTimelineOrder(b, r)
	case feedback.Given, feedback.Withdrawn, behavior.Observed:
		applyTimelineReaction(b, r)
	case library.BoardEdited:
		addRow(b, r, Right, RowBoardEdited, e.Board, TitleBody{e.Title}, []domain.Ref{{Type: domain.Board, ID: e.Board}})
	case library.AssetUploaded:
		addRow(b, r, Right, RowAssetUploaded, e.Asset, TitleBody{e.Title}, []domain.Ref{{Type: domain.Asset, ID: e.Asset}})
	case library.FilmRendered:
		b.do(alive+`, done AS (INSERT INTO {s}.films (product, agent, film) SELECT $1, $2, $7 FROM alive ON CONFLICT DO NOTHING RETURNING 1)`+
			unlessDone, e.Run, e.Attempt, r.Type, r.Seq, e.Film)
	}
	return nil
}

// addRow adds a row for an event.
func addRow(b *Batch, r domain.Recorded, side Side, kind string, ref domain.ID, body any, cited []domain.Ref) {
	b.do(`INSERT INTO {s}.rows (product, agent, seq, rev, side, type, ref, actor, at, body, refs)
		VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		r.Seq, side, kind, ref, r.Actor, r.Time, asJSON{body}, refs(cited))
}

// amendRow changes fields of the body of the row of a type that is about ref.
func amendRow(b *Batch, r domain.Recorded, kind string, ref domain.ID, fields map[string]any) {
	b.do(`UPDATE {s}.rows SET rev = $3, body = body || $6::jsonb WHERE product = $1 AND agent = $2 AND type = $4 AND ref = $5`,
		r.Seq, kind, ref, asJSON{fields})
}

// refs writes references as a JSON array, never null.
func refs(list []domain.Ref) asJSON { return asJSON{append([]domain.Ref{}, list...)} }

// The statements for cards and for orders.
func placeCards() string  { return place("cards", "card", "card") }
func placeOrders() string { return place("orders", `"order"`, "order") }
func settleCard() string  { return settle("cards", "card") }
func settleOrder() string { return settle("orders", `"order"`) }

// place lets the cards (orders) of a turn ($3) stand in its row, and appends a
// block for those that the answer does not mention: the attempt that proposed
// them was lost. It does nothing while the turn goes on. $4 is the sequence.
func place(table, id, block string) string {
	return `WITH shown AS (
			SELECT seq, body FROM {s}.rows WHERE product = $1 AND agent = $2 AND type = 'turn' AND ref = $3),
		placed AS (
			UPDATE {s}.` + table + ` c SET row_seq = shown.seq FROM shown
			WHERE c.product = $1 AND c.agent = $2 AND c.turn = $3 AND c.row_seq IS NULL
			RETURNING c.` + id + ` AS id, c.seq),
		missing AS (
			SELECT jsonb_agg(jsonb_build_object('type', '` + block + `', 'ref', p.id) ORDER BY p.seq) AS blocks
			FROM placed p, shown s WHERE NOT (s.body -> 'blocks') @> jsonb_build_array(jsonb_build_object('ref', p.id)))
		UPDATE {s}.rows r SET rev = greatest(r.rev, $4), body = jsonb_set(r.body, '{blocks}', (r.body -> 'blocks') || missing.blocks)
		FROM missing
		WHERE r.product = $1 AND r.agent = $2 AND r.type = 'turn' AND r.ref = $3 AND missing.blocks IS NOT NULL`
}

// settle closes a card (order): its state, the fields that say how, and the
// revision of the row that shows it.
func settle(table, id string) string {
	return `WITH closed AS (
			UPDATE {s}.` + table + ` SET state = $4, body = body || $5::jsonb
			WHERE product = $1 AND agent = $2 AND ` + id + ` = $3 RETURNING row_seq)
		UPDATE {s}.rows r SET rev = $6 FROM closed WHERE r.product = $1 AND r.agent = $2 AND r.seq = closed.row_seq`
}
