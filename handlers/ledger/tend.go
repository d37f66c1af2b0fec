package ledger

import (
	"context"
	"fmt"
	"time"
)

const (
	// keepFor is how long what came of a call is remembered: much longer than any
	// run lasts. Unknown calls stay.
	keepFor = 60 * 24 * time.Hour
	// tendEvery is how often old calls are looked for.
	tendEvery = 6 * time.Hour
)

// Tend forgets old calls until ctx ends. Several processes may do so at once.
func (l *Ledger) Tend(ctx context.Context) error {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		if err := l.forget(ctx, time.Now().Add(-keepFor)); err != nil && ctx.Err() == nil {
			l.logger.Warn("old effects stay", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// forget drops calls that ended before a moment and whose end is known.
func (l *Ledger) forget(ctx context.Context, before time.Time) error {
	_, err := l.pool.Exec(ctx, `DELETE FROM effects.calls WHERE state IN ('done', 'failed') AND ended_at < $1`, before)
	if err != nil {
		return fmt.Errorf("effects ledger: forget: %w", err)
	}
	return nil
}
