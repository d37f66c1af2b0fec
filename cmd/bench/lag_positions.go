package main

import (
	"context"
	"sort"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// positions watches how far every projection has applied the log.
type positions struct {
	p     *place
	mu    sync.Mutex
	moves []appended // when the lowest position was first seen at a sequence
}

// run reads the lowest position until ctx ends.
func (w *positions) run(ctx context.Context) error {
	return w.p.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		tick := time.NewTicker(lagPoll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
			var low int64
			if err := conn.QueryRow(ctx, `SELECT coalesce(min(seq), 0) FROM control.projections`).Scan(&low); err != nil {
				return err
			}
			w.mu.Lock()
			if n := len(w.moves); n == 0 || w.moves[n-1].seq < uint64(low) { //nolint:gosec // not negative
				w.moves = append(w.moves, appended{uint64(low), time.Now()}) //nolint:gosec // not negative
			}
			w.mu.Unlock()
		}
	})
}

// low is the lowest position seen so far.
func (w *positions) low() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.moves) == 0 {
		return 0
	}
	return w.moves[len(w.moves)-1].seq
}

// reached is when every projection had applied a sequence that is known to be
// reached.
func (w *positions) reached(seq uint64) time.Time {
	i := sort.Search(len(w.moves), func(i int) bool { return w.moves[i].seq >= seq })
	return w.moves[i].at
}
