package projections

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/turn"
)

// Side is where a row stands in the room.
type Side string

// Left is the butler, right are people, centre is the system's record.
const (
	Left   Side = "left"
	Right  Side = "right"
	Centre Side = "centre"
)

// The row types, each with the body it carries.
const (
	RowChat           = "chat"             // ChatBody
	RowTurn           = "turn"             // TurnBody
	RowCard           = "card"             // a card outside a turn; see Row.Cards
	RowOrder          = "order"            // an order outside a turn; see Row.Orders
	RowCardApplied    = "card_applied"     // DecisionBody
	RowCardRejected   = "card_rejected"    // DecisionBody
	RowOrderConfirmed = "order_confirmed"  // DecisionBody
	RowOrderDeclined  = "order_declined"   // DecisionBody
	RowGeneEdited     = "gene_edited"      // VersionBody
	RowGeneRolledBack = "gene_rolled_back" // VersionBody
	RowRunOrdered     = "run_ordered"      // RunBody: a person pressed a button
	RowRunAsked       = "run_asked"        // RunBody: the system asked
	RowRunFinished    = "run_finished"     // RunEndBody
	RowFeedback       = "feedback"         // FeedbackBody
	RowReactions      = "reactions"        // ReactionsBody
	RowBoardEdited    = "board_edited"     // TitleBody
	RowAssetUploaded  = "asset_uploaded"   // TitleBody
)

// Row is one row of the room. Seq is its place (the sequence of the event that
// made it), Rev the sequence of the event that changed it last.
type Row struct {
	Seq    uint64          `json:"seq"`
	Rev    uint64          `json:"rev"`
	Side   Side            `json:"side"`
	Type   string          `json:"type"`
	Ref    domain.ID       `json:"ref,omitempty"` // the message, turn, card, order, run, feedback … it is about
	Actor  domain.Actor    `json:"actor"`
	Time   time.Time       `json:"time"`
	Body   json.RawMessage `json:"body"`
	Refs   []domain.Ref    `json:"refs,omitempty"`
	Cards  []RowCardState  `json:"cards,omitempty"`  // cards that stand in this row, as they are now
	Orders []RowOrderState `json:"orders,omitempty"` // orders likewise
}

// RowCardState is a gene card as a row shows it. The full texts are the genes
// projection's (Store.Card).
type RowCardState struct {
	Card        domain.ID    `json:"card"`
	State       string       `json:"state"` // pending, applied, rejected, expired
	BaseVersion int          `json:"base_version"`
	Documents   []string     `json:"documents"` // what it would change
	Summary     string       `json:"summary"`
	Reason      string       `json:"reason"`
	By          domain.Actor `json:"by"`
	ProposedAt  time.Time    `json:"proposed_at"`
	Expires     time.Time    `json:"expires"`
	ClosedBy    domain.Actor `json:"closed_by,omitempty"`
	ClosedAt    time.Time    `json:"closed_at,omitzero"`
	Version     int          `json:"version,omitempty"`  // applied: the version that came of it
	Edited      bool         `json:"edited,omitempty"`   // applied after an edit
	Cause       gene.Cause   `json:"cause,omitempty"`    // expired: age or base_moved
	MovedTo     int          `json:"moved_to,omitempty"` // expired: the version that moved the base
	Why         string       `json:"why,omitempty"`      // rejected: the person's reason
}

// RowOrderState is an order card as a row shows it.
type RowOrderState struct {
	Order      domain.ID    `json:"order"`
	State      string       `json:"state"` // pending, confirmed, declined, expired
	Work       run.Work     `json:"work"`
	Request    run.Request  `json:"request"`
	By         domain.Actor `json:"by"`
	ProposedAt time.Time    `json:"proposed_at"`
	Expires    time.Time    `json:"expires"`
	ClosedBy   domain.Actor `json:"closed_by,omitempty"`
	ClosedAt   time.Time    `json:"closed_at,omitzero"`
	Run        domain.ID    `json:"run,omitempty"`
	Why        string       `json:"why,omitempty"` // declined: the reason; expired: the cause
}

// ChatBody is a person's message. Turn is the turn that read it; empty while it waits.
type ChatBody struct {
	Text      string    `json:"text"`
	TakenBack bool      `json:"taken_back,omitempty"`
	Turn      domain.ID `json:"turn,omitempty"`
}

// TurnBody is a finished answer. Cards and orders stand where their block does.
type TurnBody struct {
	Reason   string       `json:"reason"`
	Upto     domain.ID    `json:"upto"`
	Blocks   []turn.Block `json:"blocks"`
	Usage    domain.Usage `json:"usage"`
	CostYuan float64      `json:"cost_yuan"`
}

// DecisionBody is a person's answer to a card or order.
type DecisionBody struct {
	Version   int       `json:"version,omitempty"`
	Documents []string  `json:"documents,omitempty"`
	Edited    bool      `json:"edited,omitempty"`
	Settled   int       `json:"settled,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Chips     []string  `json:"chips,omitempty"`
	Run       domain.ID `json:"run,omitempty"`
}

// VersionBody is a person's edit or rollback of the gene.
type VersionBody struct {
	Version      int    `json:"version"`
	BaseVersion  int    `json:"base_version"`
	RolledBackTo int    `json:"rolled_back_to,omitempty"`
	Summary      string `json:"summary"`
}

// RunBody says that a run was asked for.
type RunBody struct {
	Work      run.Work    `json:"work"`
	Trigger   run.Trigger `json:"trigger"`
	Request   run.Request `json:"request"`
	RetryOf   domain.ID   `json:"retry_of,omitempty"`
	Continues domain.ID   `json:"continues,omitempty"`
}

// RunEndBody says how a run ended; Row.Ref is the run, Row.Refs its products.
type RunEndBody struct {
	Work        run.Work                  `json:"work"`
	Trigger     run.Trigger               `json:"trigger"`
	GeneVersion int                       `json:"gene_version"`
	Outcome     run.Outcome               `json:"outcome"`
	Reason      run.Reason                `json:"reason"`
	Summary     string                    `json:"summary,omitempty"`
	Counts      map[domain.ObjectType]int `json:"counts,omitempty"`
	CostYuan    float64                   `json:"cost_yuan"`
}

// FeedbackBody is a reaction with words.
type FeedbackBody struct {
	Object    domain.Ref `json:"object"`
	Verdict   string     `json:"verdict,omitempty"`
	Words     string     `json:"words"`
	Withdrawn bool       `json:"withdrawn,omitempty"`
}

// ReactionsBody gathers one person's bare reactions to one kind of object within
// ten minutes of the clock. Withdrawn ones are no longer in the counts.
type ReactionsBody struct {
	Object    domain.ObjectType `json:"object"`
	Likes     int               `json:"likes"`
	Dislikes  int               `json:"dislikes"`
	Downloads int               `json:"downloads"`
	Objects   int               `json:"objects"` // distinct objects
}

// TitleBody names an object that a person changed or brought.
type TitleBody struct {
	Title string `json:"title"`
}

// Page asks for rows before or after a sequence (exclusive); both 0: the newest.
// Limit 0 means 50, at most 200.
type Page struct {
	Before uint64
	After  uint64
	Limit  int
}

// Timeline returns rows in ascending order of Seq.
func (s *Store) Timeline(ctx context.Context, key domain.Key, page Page) ([]Row, error) {
	order := "DESC"
	if page.After > 0 {
		order = "ASC"
	}
	var out []Row
	err := s.read(ctx, Timeline, func(q query) (err error) {
		out, err = timelineRows(ctx, q, key, `seq > $3 AND seq < $4 ORDER BY seq `+order+` LIMIT $5`,
			int64(page.After), before(page.Before), limit(page.Limit, 50, 200))
		return err
	})
	if order == "DESC" {
		slices.Reverse(out)
	}
	return out, err
}

// TimelineChanged returns the rows whose Rev is above since, in order of Rev: what
// a live view must draw anew. More than limit: call again with the last Rev.
func (s *Store) TimelineChanged(ctx context.Context, key domain.Key, since uint64, most int) ([]Row, error) {
	var out []Row
	err := s.read(ctx, Timeline, func(q query) (err error) {
		out, err = timelineRows(ctx, q, key, `rev > $3 AND rev <= coalesce((
				SELECT rev FROM {s}.rows WHERE product = $1 AND agent = $2 AND rev > $3 ORDER BY rev OFFSET $4 - 1 LIMIT 1),
			9223372036854775807) ORDER BY rev, seq`,
			int64(since), limit(most, 200, 1000))
		return err
	})
	return out, err
}

// Unread counts the left and centre rows after a sequence.
func (s *Store) Unread(ctx context.Context, key domain.Key, after uint64) (int, error) {
	var n int
	err := s.read(ctx, Timeline, func(q query) error {
		return q.tx.QueryRow(ctx, qualify(q.schema, `
			SELECT count(*) FROM {s}.rows WHERE product = $1 AND agent = $2 AND seq > $3 AND side IN ('left', 'centre')`),
			key.Product, key.Agent, int64(after)).Scan(&n)
	})
	return n, err
}

// timelineRows reads rows with the cards and orders that stand in them.
func timelineRows(ctx context.Context, q query, key domain.Key, where string, args ...any) ([]Row, error) {
	rows, err := collect(ctx, q, scanRow, `
		SELECT seq, rev, side, type, ref, actor, at, body, refs FROM {s}.rows
		WHERE product = $1 AND agent = $2 AND `+where, append([]any{key.Product, key.Agent}, args...)...)
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	at := make(map[uint64]*Row, len(rows))
	seqs := make([]int64, len(rows))
	for i := range rows {
		at[rows[i].Seq] = &rows[i]
		seqs[i] = int64(rows[i].Seq)
	}
	cards, err := collect(ctx, q, scanPlaced[RowCardState], `
		SELECT row_seq, state, body FROM {s}.cards WHERE product = $1 AND agent = $2 AND row_seq = ANY ($3) ORDER BY seq`,
		key.Product, key.Agent, seqs)
	if err != nil {
		return nil, err
	}
	for _, c := range cards {
		c.value.State = c.state
		at[c.row].Cards = append(at[c.row].Cards, c.value)
	}
	orders, err := collect(ctx, q, scanPlaced[RowOrderState], `
		SELECT row_seq, state, body FROM {s}.orders WHERE product = $1 AND agent = $2 AND row_seq = ANY ($3) ORDER BY seq`,
		key.Product, key.Agent, seqs)
	if err != nil {
		return nil, err
	}
	for _, o := range orders {
		o.value.State = o.state
		at[o.row].Orders = append(at[o.row].Orders, o.value)
	}
	return rows, nil
}

func scanRow(row pgx.CollectableRow) (Row, error) {
	var r Row
	var seq, rev int64
	err := row.Scan(&seq, &rev, &r.Side, &r.Type, &r.Ref, &r.Actor, &r.Time, &r.Body, &r.Refs)
	r.Seq, r.Rev, r.Time = uint64(seq), uint64(rev), r.Time.UTC()
	return r, err
}

// placed is a card or order with the row in which it stands.
type placed[T any] struct {
	row   uint64
	state string
	value T
}

func scanPlaced[T any](row pgx.CollectableRow) (placed[T], error) {
	var p placed[T]
	var seq int64
	err := row.Scan(&seq, &p.state, &p.value)
	p.row = uint64(seq)
	return p, err
}
