package projections

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/domain/feedback"
)

// FeedbackItem is one reaction. It is open until a card that used it is applied
// (settled) or its person takes it back (withdrawn).
type FeedbackItem struct {
	Feedback   domain.ID        `json:"feedback"`
	State      string           `json:"state"` // open, settled, withdrawn
	Object     domain.Ref       `json:"object"`
	Verdict    feedback.Verdict `json:"verdict,omitempty"`
	Words      string           `json:"words,omitempty"`
	Strong     bool             `json:"strong"` // it has words
	By         domain.ID        `json:"by"`     // the person
	WrittenBy  domain.Actor     `json:"written_by"`
	Turn       domain.ID        `json:"turn,omitempty"`
	Document   domain.Document  `json:"document,omitempty"` // said, or the object's default; "" for the whole
	At         time.Time        `json:"at"`
	Seq        uint64           `json:"seq"`
	SettledBy  domain.ID        `json:"settled_by,omitempty"` // the card
	SettledIn  int              `json:"settled_in,omitempty"` // the version
	SettledAt  time.Time        `json:"settled_at,omitzero"`
	WithdrawAt time.Time        `json:"withdrawn_at,omitzero"`
}

// FeedbackFilter narrows a listing; zero fields do not narrow.
type FeedbackFilter struct {
	State  string
	Object domain.Ref // type and id only
	By     domain.ID
	Turn   domain.ID
	Strong bool // only with words
	Before uint64
	Limit  int // 0 means 50, at most 500
}

// DigestInputs is what decides whether an agent's digest is due. Fresh are the
// open items newer than the start of the last digest that ran (one that made way
// for people does not count).
type DigestInputs struct {
	domain.Key
	Fresh       int
	Oldest      time.Time // of the fresh items
	LastSpoke   time.Time // last message of a person or answer of the butler
	PendingCard domain.ID // a digest's card that waits
	Running     domain.ID // a digest that has not ended
	LastDigest  uint64    // sequence of the last digest's start, 0 = none
}

const selectFeedback = `
	SELECT feedback, state, object_type, object, panel, from_s, to_s, verdict, words, words <> '', person, written_by, turn,
		document, at, seq, settled_by, settled_in, settled_at, withdrawn_at
	FROM {s}.items WHERE product = $1 AND agent = $2`

func scanFeedback(row pgx.CollectableRow) (FeedbackItem, error) {
	var f FeedbackItem
	var seq int64
	var settled, withdrawn *time.Time
	err := row.Scan(&f.Feedback, &f.State, &f.Object.Type, &f.Object.ID, &f.Object.Panel, &f.Object.From, &f.Object.To,
		&f.Verdict, &f.Words, &f.Strong, &f.By, &f.WrittenBy, &f.Turn, &f.Document, &f.At, &seq, &f.SettledBy, &f.SettledIn,
		&settled, &withdrawn)
	f.At, f.Seq, f.SettledAt, f.WithdrawAt = f.At.UTC(), uint64(seq), utc(settled), utc(withdrawn)
	return f, err
}

// Feedback lists reactions, newest first.
func (s *Store) Feedback(ctx context.Context, key domain.Key, f FeedbackFilter) ([]FeedbackItem, error) {
	var out []FeedbackItem
	err := s.read(ctx, Feedback, func(q query) (err error) {
		out, err = collect(ctx, q, scanFeedback, selectFeedback+`
			AND ($3 = '' OR state = $3) AND ($4 = '' OR object_type = $4) AND ($5 = '' OR object = $5)
			AND ($6 = '' OR person = $6) AND ($7 = '' OR turn = $7) AND (NOT $8 OR words <> '') AND seq < $9
			ORDER BY seq DESC LIMIT $10`,
			key.Product, key.Agent, f.State, string(f.Object.Type), string(f.Object.ID), string(f.By), string(f.Turn), f.Strong,
			before(f.Before), limit(f.Limit, 50, 500))
		return err
	})
	return out, err
}

// FeedbackItem is one reaction.
func (s *Store) FeedbackItem(ctx context.Context, key domain.Key, id domain.ID) (FeedbackItem, error) {
	var out FeedbackItem
	err := s.read(ctx, Feedback, func(q query) (err error) {
		out, err = one(ctx, q, "feedback", scanFeedback, selectFeedback+` AND feedback = $3`, key.Product, key.Agent, id)
		return err
	})
	return out, err
}

// Unsettled lists the open reactions, oldest first.
func (s *Store) Unsettled(ctx context.Context, key domain.Key) ([]FeedbackItem, error) {
	var out []FeedbackItem
	err := s.read(ctx, Feedback, func(q query) (err error) {
		out, err = collect(ctx, q, scanFeedback, selectFeedback+` AND state = 'open' ORDER BY seq`, key.Product, key.Agent)
		return err
	})
	return out, err
}

// digestInputs reads the inputs of agents that have something to say: fresh open
// items, or a row in rooms. A zero key means all.
func digestInputs(ctx context.Context, q query, key domain.Key) ([]DigestInputs, error) {
	return collect(ctx, q, func(row pgx.CollectableRow) (DigestInputs, error) {
		var d DigestInputs
		var oldest, spoke *time.Time
		var last int64
		err := row.Scan(&d.Product, &d.Agent, &d.Fresh, &oldest, &spoke, &last, &d.PendingCard, &d.Running)
		d.Oldest, d.LastSpoke, d.LastDigest = utc(oldest), utc(spoke), uint64(last)
		return d, err
	}, `
		WITH agents AS (
			SELECT product, agent FROM {s}.rooms WHERE $1 = '' OR product = $1 AND agent = $2
			UNION SELECT product, agent FROM {s}.items WHERE state = 'open' AND ($1 = '' OR product = $1 AND agent = $2))
		SELECT a.product, a.agent, i.fresh, i.oldest, r.last_spoke, coalesce(r.last_digest, 0),
			coalesce((SELECT min(w.card) FROM {s}.waiting w WHERE w.product = a.product AND w.agent = a.agent), ''),
			coalesce((SELECT min(d.run) FROM {s}.digests d WHERE d.product = a.product AND d.agent = a.agent AND d.open), '')
		FROM agents a LEFT JOIN {s}.rooms r USING (product, agent)
		CROSS JOIN LATERAL (
			SELECT count(*)::int AS fresh, min(i.at) AS oldest FROM {s}.items i
			WHERE i.product = a.product AND i.agent = a.agent AND i.state = 'open' AND i.seq > coalesce(r.last_digest, 0)) i
		WHERE i.fresh > 0 OR $1 <> ''
		ORDER BY 1, 2`, key.Product, string(key.Agent))
}

// DigestDue lists the inputs of every agent that has fresh items.
func (s *Store) DigestDue(ctx context.Context) ([]DigestInputs, error) {
	var out []DigestInputs
	err := s.read(ctx, Feedback, func(q query) (err error) {
		out, err = digestInputs(ctx, q, domain.Key{})
		return err
	})
	return out, err
}

// DigestInputs are one agent's.
func (s *Store) DigestInputs(ctx context.Context, key domain.Key) (DigestInputs, error) {
	out := DigestInputs{Key: key}
	err := s.read(ctx, Feedback, func(q query) error {
		list, err := digestInputs(ctx, q, key)
		if err == nil && len(list) > 0 {
			out = list[0]
		}
		return err
	})
	return out, err
}
