package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/agents/source"
	"sozai/domain"
)

// Report implements source.Health: the newest report says how a source is, the
// numbers of all processes add up.
func (l *Ledger) Report(ctx context.Context, s source.Status) {
	_, err := l.pool.Exec(ctx, `
		INSERT INTO effects.sources AS o (name, kind, state, since, until, last_ok, last_error, last_error_at, calls, failures, cost)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (name) DO UPDATE SET
			kind = excluded.kind, state = excluded.state, until = excluded.until,
			since = CASE WHEN o.state = excluded.state THEN o.since ELSE excluded.since END,
			last_ok = greatest(o.last_ok, excluded.last_ok),
			last_error = CASE WHEN excluded.last_error_at >= coalesce(o.last_error_at, '-infinity') THEN excluded.last_error ELSE o.last_error END,
			last_error_at = greatest(o.last_error_at, excluded.last_error_at),
			calls = o.calls + excluded.calls, failures = o.failures + excluded.failures, cost = o.cost + excluded.cost`,
		s.Name, s.Kind, string(s.State), s.Since, moment(s.Until), moment(s.LastOK), clip(clean(s.LastError)), moment(s.LastErrorAt),
		s.Calls, s.Failures, max(s.Cost, 0))
	if err != nil {
		l.logger.Warn("health of a source is not recorded", "source", s.Name, "state", s.State, "error", err)
	}
}

// Sources lists what is known of every source that was ever called, by name;
// Calls, Failures and Cost are sums over all processes.
func (l *Ledger) Sources(ctx context.Context) ([]source.Status, error) {
	rows, err := l.pool.Query(ctx, `
		SELECT name, kind, state, since, until, last_ok, last_error, last_error_at, calls, failures, cost
		FROM effects.sources ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("health of sources: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s source.Status, err error) {
		var until, ok, failed *time.Time
		var cost int64
		err = row.Scan(&s.Name, &s.Kind, &s.State, &s.Since, &until, &ok, &s.LastError, &failed, &s.Calls, &s.Failures, &cost)
		s.Since, s.Until, s.LastOK, s.LastErrorAt, s.Cost = s.Since.UTC(), utc(until), utc(ok), utc(failed), domain.Money(cost)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("health of sources: %w", err)
	}
	return list, nil
}

// moment is a time as the database takes it, nil for none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func utc(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
