package projections

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/domain"
)

// NewStoreOf is a store of other read models than All.
func NewStoreOf(pool *pgxpool.Pool, list []Projection) *Store { return newStore(pool, list) }

// Sweep is sweep with another grace.
func (s *Store) Sweep(ctx context.Context, age time.Duration) error { return s.sweep(ctx, age) }

// Pool is the store's pool.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Saying is the runner with another logger.
func (r *Runner) Saying(logger *slog.Logger) *Runner {
	r.logger = logger
	return r
}

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

// Memory is what a runner keeps of a projection between chunks.
type Memory = memory

// Remember is a memory of a projection that knows nothing yet.
func (r *Runner) Remember(name string) *Memory {
	p, err := r.store.named(name)
	if err != nil {
		panic(err)
	}
	return newMemory(p)
}

// ApplyWith is ApplyBatch by somebody who keeps a memory.
func (r *Runner) ApplyWith(ctx context.Context, m *Memory, after uint64, events []domain.Recorded) error {
	if _, err := r.store.ensure(ctx, m.Projection, r.log.Identity()); err != nil {
		return err
	}
	_, err := r.store.apply(ctx, target{Projection: m.Projection, memory: m}, r.log.Identity(), after, events)
	return err
}

// Complete reports whether the memory knows every key that was ever written.
func (m *memory) Complete() bool { return m.complete }

// Wilson and Difference are the interval formulas.
func Wilson(k, n int) (low, high float64)               { return wilson(k, n) }
func Difference(k1, n1, k2, n2 int) (low, high float64) { return difference(k1, n1, k2, n2) }

// statements are what a table or an index says to the database.
func (t *table[K, R]) statements(schema string) []string {
	return []string{
		t.selectSQL(schema, t.columns[:t.keys], ""), t.upsertSQL(schema), t.deleteSQL(schema),
		"SELECT " + names(t.columns, "") + " FROM " + schema + "." + t.name, // COPY cannot be prepared
	}
}

func (x *index[I, K, R]) statements(schema string) []string {
	return []string{x.t.selectSQL(schema, x.by, x.where)}
}

// Prepare prepares every statement of every read model and returns those that the
// database refuses.
func (r *Runner) Prepare(ctx context.Context) map[string]error {
	bad := map[string]error{}
	for _, p := range r.store.list {
		c, err := r.store.ensure(ctx, p, r.log.Identity())
		if err != nil {
			return map[string]error{p.Name: err}
		}
		conn, err := r.store.pool.Acquire(ctx)
		if err != nil {
			return map[string]error{p.Name: err}
		}
		for _, t := range newMemory(p).tables {
			for _, sql := range t.(interface{ statements(string) []string }).statements(schemaOf(p.Name, c.generation)) {
				if _, err := conn.Conn().Prepare(ctx, sql, sql); err != nil {
					bad[sql] = err
				}
			}
		}
		conn.Release()
	}
	return bad
}
