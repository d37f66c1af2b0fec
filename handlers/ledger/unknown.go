package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// Unknown is a paid call of which nobody knows whether it was done: a person
// looks it up at the other side.
type Unknown struct {
	Key        string
	Kind       string
	Product    string
	Agent      domain.ID
	Run        domain.ID
	Attempt    int
	Error      string // why nobody knows
	IntendedAt time.Time
	Worker     string
}

// notHeld says of a call that is intended that nobody does it any more.
const notHeld = `NOT EXISTS (
	SELECT FROM pg_locks k WHERE k.locktype = 'advisory' AND k.granted AND k.objsubid = 1
		AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND (k.classid::bigint << 32 | k.objid::bigint) = hashtextextended(c.key, 0))`

// Unknown lists unknown calls, newest first, and says how many there are. Those
// whose process died are among them before anybody tries them again.
func (l *Ledger) Unknown(ctx context.Context, limit int) (list []Unknown, total int, err error) {
	rows, err := l.pool.Query(ctx, `
		SELECT c.key, c.kind, c.product, c.agent, c.run, c.attempt, c.worker, c.intended_at,
			CASE c.state WHEN 'unknown' THEN c.error ELSE 'its process ended in the middle of it' END,
			(count(*) OVER ())::int
		FROM effects.calls c
		WHERE c.paid AND (c.state = 'unknown' OR c.state = 'intended' AND `+notHeld+`)
		ORDER BY c.intended_at DESC LIMIT $1`, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("effects ledger: unknown calls: %w", err)
	}
	list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (u Unknown, err error) {
		err = row.Scan(&u.Key, &u.Kind, &u.Product, &u.Agent, &u.Run, &u.Attempt, &u.Worker, &u.IntendedAt, &u.Error, &total)
		u.IntendedAt = u.IntendedAt.UTC()
		return u, err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("effects ledger: unknown calls: %w", err)
	}
	return list, total, nil
}
