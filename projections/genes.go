package projections

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
)

// GeneVersion is one version of a gene with its full texts.
type GeneVersion struct {
	Version      int                `json:"version"`
	BaseVersion  int                `json:"base_version"`
	Search       string             `json:"search"`
	Steer        string             `json:"steer"`
	Constraints  domain.Constraints `json:"constraints"`
	Origin       gene.Origin        `json:"origin"`
	Summary      string             `json:"summary"`
	By           domain.Actor       `json:"by"`                    // who minted it
	ProposedBy   domain.Actor       `json:"proposed_by,omitempty"` // of its card
	Card         domain.ID          `json:"card,omitempty"`
	RolledBackTo int                `json:"rolled_back_to,omitempty"`
	At           time.Time          `json:"at"`
	Seq          uint64             `json:"seq"`
	// Score is this version's result as it stood when the next was minted; nil
	// for the current version.
	Score *gene.Score `json:"score,omitempty"`
}

// Card is a gene card. Absent documents stay as they are.
type Card struct {
	Card        domain.ID           `json:"card"`
	State       string              `json:"state"` // pending, applied, rejected, expired
	BaseVersion int                 `json:"base_version"`
	Search      *string             `json:"search,omitempty"`
	Steer       *string             `json:"steer,omitempty"`
	Constraints *domain.Constraints `json:"constraints,omitempty"`
	Summary     string              `json:"summary"`
	Reason      string              `json:"reason"`
	Evidence    []domain.Ref        `json:"evidence,omitempty"`
	Feedback    []gene.Citation     `json:"feedback,omitempty"`
	Turn        domain.ID           `json:"turn,omitempty"`
	Run         domain.ID           `json:"run,omitempty"`
	By          domain.Actor        `json:"by"`
	ProposedAt  time.Time           `json:"proposed_at"`
	Expires     time.Time           `json:"expires"`
	Seq         uint64              `json:"seq"`
	Rev         uint64              `json:"rev"`
	ClosedBy    domain.Actor        `json:"closed_by,omitempty"`
	ClosedAt    time.Time           `json:"closed_at,omitzero"`
	Version     int                 `json:"version,omitempty"`
	Applied     []string            `json:"applied,omitempty"` // documents that were applied
	Edited      bool                `json:"edited,omitempty"`
	Settled     []domain.ID         `json:"settled,omitempty"`
	Cause       gene.Cause          `json:"cause,omitempty"`
	MovedTo     int                 `json:"moved_to,omitempty"`
	Why         string              `json:"why,omitempty"`
	Chips       []string            `json:"chips,omitempty"`
}

// Order is an order card.
type Order struct {
	Order      domain.ID    `json:"order"`
	State      string       `json:"state"` // pending, confirmed, declined, expired
	Work       run.Work     `json:"work"`
	Request    run.Request  `json:"request"`
	Turn       domain.ID    `json:"turn,omitempty"`
	By         domain.Actor `json:"by"`
	ProposedAt time.Time    `json:"proposed_at"`
	Expires    time.Time    `json:"expires"`
	Seq        uint64       `json:"seq"`
	Rev        uint64       `json:"rev"`
	ClosedBy   domain.Actor `json:"closed_by,omitempty"`
	ClosedAt   time.Time    `json:"closed_at,omitzero"`
	Run        domain.ID    `json:"run,omitempty"`
	Why        string       `json:"why,omitempty"`
}

// Expiring is a card or order (Type) that waits for an answer until Expires.
type Expiring struct {
	domain.Key
	Type    domain.ObjectType
	ID      domain.ID
	Expires time.Time
}

func scanVersion(row pgx.CollectableRow) (GeneVersion, error) {
	var v GeneVersion
	var seq int64
	err := row.Scan(&v.Version, &v.BaseVersion, &v.Search, &v.Steer, &v.Constraints, &v.Origin, &v.Summary, &v.By,
		&v.ProposedBy, &v.Card, &v.RolledBackTo, &v.At, &seq, &v.Score)
	v.At, v.Seq = v.At.UTC(), uint64(seq)
	return v, err
}

const selectVersion = `
	SELECT v.version, v.base_version, v.search, v.steer, v.constraints, v.origin, v.summary, v.minted_by,
		coalesce(c.proposed_by, ''), v.card, v.rolled_back_to, v.at, v.seq, v.score
	FROM {s}.versions v
	LEFT JOIN {s}.cards c ON c.product = v.product AND c.agent = v.agent AND c.card = v.card
	WHERE v.product = $1 AND v.agent = $2`

// GeneVersions lists an agent's versions, newest first; most 0 means all.
func (s *Store) GeneVersions(ctx context.Context, key domain.Key, most int) ([]GeneVersion, error) {
	var out []GeneVersion
	err := s.read(ctx, Genes, func(q query) (err error) {
		out, err = collect(ctx, q, scanVersion, selectVersion+` ORDER BY v.version DESC LIMIT $3`,
			key.Product, key.Agent, limit(most, math.MaxInt32, math.MaxInt32))
		return err
	})
	return out, err
}

// GeneVersion is one version; version 0 means the current one.
func (s *Store) GeneVersion(ctx context.Context, key domain.Key, version int) (GeneVersion, error) {
	var out GeneVersion
	err := s.read(ctx, Genes, func(q query) (err error) {
		out, err = one(ctx, q, "gene version", scanVersion, selectVersion+` AND ($3 = 0 OR v.version = $3) ORDER BY v.version DESC LIMIT 1`,
			key.Product, key.Agent, version)
		return err
	})
	return out, err
}

const selectCard = `
	SELECT card, state, base_version, search, steer, constraints, summary, reason, evidence, feedback, turn, run, proposed_by,
		proposed_at, expires, seq, rev, closed_by, closed_at, version, applied, edited, settled, cause, moved_to, why, chips
	FROM {s}.cards WHERE product = $1 AND agent = $2`

func scanCard(row pgx.CollectableRow) (Card, error) {
	var c Card
	var seq, rev int64
	var closed *time.Time
	err := row.Scan(&c.Card, &c.State, &c.BaseVersion, &c.Search, &c.Steer, &c.Constraints, &c.Summary, &c.Reason, &c.Evidence,
		&c.Feedback, &c.Turn, &c.Run, &c.By, &c.ProposedAt, &c.Expires, &seq, &rev, &c.ClosedBy, &closed, &c.Version,
		&c.Applied, &c.Edited, &c.Settled, &c.Cause, &c.MovedTo, &c.Why, &c.Chips)
	c.Seq, c.Rev = uint64(seq), uint64(rev)
	c.ProposedAt, c.Expires, c.ClosedAt = c.ProposedAt.UTC(), c.Expires.UTC(), utc(closed)
	return c, err
}

// Cards lists cards, newest first; state "" means all. made narrows to a turn or
// run ("" for any): what an earlier attempt of it has proposed.
func (s *Store) Cards(ctx context.Context, key domain.Key, state string, made domain.ID, most int) ([]Card, error) {
	var out []Card
	err := s.read(ctx, Genes, func(q query) (err error) {
		out, err = collect(ctx, q, scanCard, selectCard+`
			AND ($3 = '' OR state = $3) AND ($4 = '' OR turn = $4 OR run = $4) ORDER BY seq DESC LIMIT $5`,
			key.Product, key.Agent, state, string(made), limit(most, 50, 500))
		return err
	})
	return out, err
}

// Card is one card.
func (s *Store) Card(ctx context.Context, key domain.Key, id domain.ID) (Card, error) {
	var out Card
	err := s.read(ctx, Genes, func(q query) (err error) {
		out, err = one(ctx, q, "card", scanCard, selectCard+` AND card = $3`, key.Product, key.Agent, id)
		return err
	})
	return out, err
}

const selectOrder = `
	SELECT "order", state, work, request, turn, proposed_by, proposed_at, expires, seq, rev, closed_by, closed_at, run, why
	FROM {s}.orders WHERE product = $1 AND agent = $2`

func scanOrder(row pgx.CollectableRow) (Order, error) {
	var o Order
	var seq, rev int64
	var closed *time.Time
	err := row.Scan(&o.Order, &o.State, &o.Work, &o.Request, &o.Turn, &o.By, &o.ProposedAt, &o.Expires, &seq, &rev,
		&o.ClosedBy, &closed, &o.Run, &o.Why)
	o.Seq, o.Rev = uint64(seq), uint64(rev)
	o.ProposedAt, o.Expires, o.ClosedAt = o.ProposedAt.UTC(), o.Expires.UTC(), utc(closed)
	return o, err
}

// Orders lists orders, newest first; made narrows to the turn that proposed them.
func (s *Store) Orders(ctx context.Context, key domain.Key, state string, made domain.ID, most int) ([]Order, error) {
	var out []Order
	err := s.read(ctx, Genes, func(q query) (err error) {
		out, err = collect(ctx, q, scanOrder, selectOrder+`
			AND ($3 = '' OR state = $3) AND ($4 = '' OR turn = $4) ORDER BY seq DESC LIMIT $5`,
			key.Product, key.Agent, state, string(made), limit(most, 50, 500))
		return err
	})
	return out, err
}

// Order is one order.
func (s *Store) Order(ctx context.Context, key domain.Key, id domain.ID) (Order, error) {
	var out Order
	err := s.read(ctx, Genes, func(q query) (err error) {
		out, err = one(ctx, q, "order", scanOrder, selectOrder+` AND "order" = $3`, key.Product, key.Agent, id)
		return err
	})
	return out, err
}

// PendingExpiry lists the pending cards and orders of all agents whose age ends
// before a time, oldest first.
func (s *Store) PendingExpiry(ctx context.Context, until time.Time) ([]Expiring, error) {
	var out []Expiring
	err := s.read(ctx, Genes, func(q query) (err error) {
		out, err = collect(ctx, q, func(row pgx.CollectableRow) (Expiring, error) {
			var e Expiring
			err := row.Scan(&e.Product, &e.Agent, &e.Type, &e.ID, &e.Expires)
			e.Expires = e.Expires.UTC()
			return e, err
		}, `
			SELECT product, agent, 'card', card, expires FROM {s}.cards WHERE state = 'pending' AND expires < $1
			UNION ALL
			SELECT product, agent, 'order', "order", expires FROM {s}.orders WHERE state = 'pending' AND expires < $1
			ORDER BY 5, 4`, until)
		return err
	})
	return out, err
}
