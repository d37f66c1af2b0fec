package projections

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/domain"
)

// NewStoreOf is a store of other read models than All.
func NewStoreOf(pool *pgxpool.Pool, list []Projection) *Store { return newStore(pool, list) }

// Sweep is sweep with another grace.
func (s *Store) Sweep(ctx context.Context, age time.Duration) error { return s.sweep(ctx, age) }

// Pool is the store's pool.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// ApplyBatch applies events as one transaction of a runner would.
func (r *Runner) ApplyBatch(ctx context.Context, name string, after uint64, events []domain.Recorded) error {
	p, err := r.store.named(name)
	if err != nil {
		return err
	}
	if _, err := r.store.ensure(ctx, p, r.log.Identity()); err != nil {
		return err
	}
	_, err = r.store.apply(ctx, target{Projection: p}, r.log.Identity(), after, events)
	return err
}

// Wilson and Difference are the interval formulas.
func Wilson(k, n int) (low, high float64)               { return wilson(k, n) }
func Difference(k1, n1, k2, n2 int) (low, high float64) { return difference(k1, n1, k2, n2) }

// Prepare prepares the statements of events and returns those that are refused.
func (r *Runner) Prepare(ctx context.Context, events []domain.Recorded) map[string]error {
	bad := map[string]error{}
	for _, p := range r.store.list {
		c, err := r.store.ensure(ctx, p, r.log.Identity())
		if err != nil {
			return map[string]error{p.Name: err}
		}
		b := &Batch{schema: schemaOf(p.Name, c.generation), queue: &pgx.Batch{}}
		for _, e := range events {
			if err := p.queue(b, e); err != nil {
				bad[e.Type] = err
			}
		}
		seen := map[string]bool{}
		for _, q := range b.queue.QueuedQueries {
			if seen[q.SQL] {
				continue
			}
			seen[q.SQL] = true
			conn, err := r.store.pool.Acquire(ctx)
			if err != nil {
				return map[string]error{p.Name: err}
			}
			if _, err := conn.Conn().Prepare(ctx, q.SQL, q.SQL); err != nil {
				bad[q.SQL] = err
			}
			conn.Release()
		}
	}
	return bad
}
