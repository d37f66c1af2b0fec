package projections

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// buildSlots is how many builds apply at the same time, in all processes
// together: each has a connection, and the serving pools must not starve.
const buildSlots = 4

// slotPause is how long to wait before looking for a free slot again.
const slotPause = 10 * time.Millisecond

// lease is the sole right to some work on some projections, and the way to the
// slots. It keeps one connection, with whose end, also by kill -9, all of it is free.
type lease struct {
	mu   sync.Mutex
	conn *pgxpool.Conn
	held [buildSlots]bool
}

// lease takes the right to work on the projections (none: only the way to the
// slots); ErrRebuilding if another process has it.
func (s *Store) lease(ctx context.Context, list []Projection, work string) (*lease, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock for %s: %w", work, err)
	}
	l := &lease{conn: conn}
	for _, p := range list {
		var got bool
		err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtext('sozai ' || $1 || ' ' || $2))`, work, p.Name).Scan(&got)
		if err == nil && !got {
			err = ErrRebuilding.With(map[string]any{"projection": p.Name}, "a %s of %s is already running", work, p.Name)
		}
		if err != nil {
			l.release()
			return nil, err
		}
	}
	return l, nil
}

// release gives everything back. The connection is not used again: closing it
// frees the locks in any case, but only some time later.
func (l *lease) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, _ = l.conn.Exec(ctx, `SELECT pg_advisory_unlock_all()`)
	_ = l.conn.Conn().Close(ctx)
	l.conn.Release()
}

// slot waits for one of the slots. free gives it back.
func (l *lease) slot(ctx context.Context) (free func(), err error) {
	for {
		n, err := l.try(ctx)
		if err != nil {
			return nil, err
		}
		if n >= 0 {
			return func() { l.free(n) }, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(slotPause):
		}
	}
}

// try takes a free slot, or returns -1. The caller's end must not break the
// connection, on which the work of others hangs.
func (l *lease) try(ctx context.Context) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for n, held := range l.held {
		if held { // a second lock of one connection would be granted
			continue
		}
		var got bool
		if err := l.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtext('sozai build slot'), $1)`, n).Scan(&got); err != nil {
			return 0, fmt.Errorf("the connection that held the build's locks is gone: %w", err)
		}
		if got {
			l.held[n] = true
			return n, nil
		}
	}
	return -1, nil
}

func (l *lease) free(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// If it fails, the connection is lost and the lock with it.
	_, _ = l.conn.Exec(ctx, `SELECT pg_advisory_unlock(hashtext('sozai build slot'), $1)`, n)
	l.held[n] = false
}
