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
		Name: Timeline, Version: 2,
		Kinds: []domain.Kind{
			domain.KindGene, domain.KindRun, domain.KindTurn, domain.KindChat,
			domain.KindFeedback, domain.KindBehavior, domain.KindLibrary,
		},
		open: func(m *memory) func(domain.Recorded) error { return newTimelineTables(m).apply },
	}
}

func (t *timelineTables) apply(r domain.Recorded) error {
	t.follow(r)
	switch e := r.Event.(type) {
	case chat.Said:
		if t.byRef.first(refKey{r.Key, RowChat, e.Message}) == nil {
			t.addRow(r, Right, RowChat, e.Message, ChatBody{Text: e.Text}, e.Refs)
		}
	case chat.TakenBack:
		amendRow(t, r, RowChat, e.Message, func(b *ChatBody) { b.TakenBack = true })
	case turn.Started:
		for _, m := range e.Messages {
			amendRow(t, r, RowChat, m, func(b *ChatBody) { b.Turn = e.Turn })
		}
	case turn.Finished:
		t.addRow(r, Left, RowTurn, e.Turn, TurnBody{
			Reason: e.Reason, Upto: e.Upto, Blocks: append([]turn.Block{}, e.Blocks...), Usage: e.Usage, CostYuan: e.Cost.Yuan(),
		}, nil)
		t.place(r, t.cards, turn.Card, e.Turn)
		t.place(r, t.orders, turn.Order, e.Turn)
	case gene.Proposed, gene.Applied, gene.Rejected, gene.Expired, gene.Minted:
		t.applyGene(r)
	case run.Requested, run.Started, run.Finished:
		t.applyRun(r)
	case run.OrderProposed, run.OrderConfirmed, run.OrderDeclined, run.OrderExpired:
		t.applyOrder(r)
	case feedback.Given, feedback.Withdrawn, behavior.Observed:
		t.applyReaction(r)
	case library.BoardEdited:
		t.addRow(r, Right, RowBoardEdited, e.Board, TitleBody{e.Title}, []domain.Ref{{Type: domain.Board, ID: e.Board}})
	case library.AssetUploaded:
		t.addRow(r, Right, RowAssetUploaded, e.Asset, TitleBody{e.Title}, []domain.Ref{{Type: domain.Asset, ID: e.Asset}})
	case library.FilmRendered:
		t.made(r, e.Run, e.Attempt, func() bool { return t.films.add(filmRow{idOf(r, e.Film)}) })
	}
	return nil
}

// addRow adds a row for an event, unless the event has made one already, and
// reports whether it did.
func (t *timelineTables) addRow(r domain.Recorded, side Side, kind string, ref domain.ID, body any, cited []domain.Ref) bool {
	return t.rows.addNew(roomRow{
		rowKey: rowKey{r.Key, r.Seq}, rev: r.Seq, side: side, kind: kind, ref: ref, actor: r.Actor, at: r.Time,
		body: body, refs: append([]domain.Ref{}, cited...),
	})
}

// amendRow changes the body of the row of a type that is about ref.
func amendRow[B any](t *timelineTables, r domain.Recorded, kind string, ref domain.ID, change func(b *B)) {
	for _, row := range t.byRef.find(refKey{r.Key, kind, ref}) {
		t.rows.edit(row.rowKey, func(row *roomRow) {
			body := as[B](t.m, row.body)
			change(&body)
			row.rev, row.body = r.Seq, body
		})
	}
}

// touch marks a row as changed by an event.
func (t *timelineTables) touch(r domain.Recorded, seq uint64) {
	t.rows.edit(rowKey{r.Key, seq}, func(row *roomRow) { row.rev = r.Seq })
}
