package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/domain"
	"sozai/streams"
)

// Log is what projections read: streams.Log, or a log in memory in tests.
type Log interface {
	Identity() streams.Identity
	Last(ctx context.Context) (uint64, error)
	EventID(ctx context.Context, seq uint64) (domain.ID, error)
	Read(ctx context.Context, after, upto uint64, key domain.Key, kinds []domain.Kind, each func([]domain.Recorded) error) error
	Follow(ctx context.Context, after uint64, each func([]domain.Recorded) error) error
}

// Store answers queries from the serving generations. Safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	list []Projection
	news *news
	past map[string]query // a look at the past (AsOf): what to read instead of the serving ones
}

// NewStore needs a migrated database (migrations.Up).
func NewStore(pool *pgxpool.Pool) *Store { return newStore(pool, All()) }

func newStore(pool *pgxpool.Pool, list []Projection) *Store {
	return &Store{pool: pool, list: list, news: &news{changed: make(chan struct{}), at: map[string]uint64{}}}
}

// The refusals of a store.
var (
	// ErrBehind: the projection has not applied the log up to min_seq in time.
	ErrBehind = domain.Rule(domain.Unavailable, "projection_behind", "the page is not up to date yet")
	// ErrBuilding: this version's generation is being built for the first time.
	ErrBuilding = domain.Rule(domain.Unavailable, "projection_building", "the read models are being built")
	// ErrDiverged: the rows are not true of this log; a rebuild is needed.
	ErrDiverged = domain.Rule(domain.Unavailable, "log_diverged", "the read model does not match the log; rebuild it")
	// ErrFailed: the projection stopped on an error and will be tried again.
	ErrFailed = domain.Rule(domain.Unavailable, "projection_failed", "the read model has stopped")
)

// named finds a projection.
func (s *Store) named(name string) (Projection, error) {
	for _, p := range s.list {
		if p.Name == name {
			return p, nil
		}
	}
	return Projection{}, domain.Errorf(domain.NotFound, "there is no projection %q", name)
}

// pick returns the named projections, or all if none is named.
func (s *Store) pick(names []string) ([]Projection, error) {
	if len(names) == 0 {
		return s.list, nil
	}
	var out []Projection
	for _, name := range names {
		p, err := s.named(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// query is one read: a snapshot of one generation, and the position of its rows.
type query struct {
	tx     pgx.Tx
	schema string
	seq    uint64
}

// read resolves the serving generation and runs fn in one snapshot of it.
func (s *Store) read(ctx context.Context, name string, fn func(q query) error) error {
	p, err := s.named(name)
	if err != nil {
		return err
	}
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if s.past != nil {
			q, ok := s.past[p.Name]
			if !ok {
				return domain.Errorf(domain.NotFound, "this look at the past is without %s", p.Name)
			}
			q.tx = tx
			return fn(q)
		}
		var generation int
		var seq int64
		err := tx.QueryRow(ctx, `
			SELECT generation, seq FROM control.projections WHERE projection = $1 AND version = $2 AND ready`,
			p.Name, p.Version).Scan(&generation, &seq)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrBuilding.With(map[string]any{"projection": p.Name}, "%s is being built", p.Name)
		}
		if err != nil {
			return err
		}
		return fn(query{tx: tx, schema: schemaOf(p.Name, generation), seq: uint64(seq)})
	})
	var shown *domain.Error
	if err != nil && !errors.As(err, &shown) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return err
}

// collect reads rows of a statement in which {s} stands for the schema.
func collect[T any](ctx context.Context, q query, scan func(row pgx.CollectableRow) (T, error), sql string, args ...any) ([]T, error) {
	rows, err := q.tx.Query(ctx, qualify(q.schema, sql), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// one reads exactly one row; NotFound says what there is none of.
func one[T any](ctx context.Context, q query, what string, scan func(row pgx.CollectableRow) (T, error), sql string, args ...any) (T, error) {
	rows, err := q.tx.Query(ctx, qualify(q.schema, sql), args...)
	if err != nil {
		var zero T
		return zero, err
	}
	v, err := pgx.CollectOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return v, domain.Errorf(domain.NotFound, "there is no such %s", what)
	}
	return v, err
}

// limit bounds a page size: 0 means the default.
func limit(n, standard, most int) int {
	if n <= 0 {
		return standard
	}
	return min(n, most)
}

// before turns a keyset cursor into a bound: 0 means from the newest.
func before(seq uint64) int64 {
	if seq == 0 || seq > 1<<62 {
		return 1 << 62
	}
	return int64(seq)
}

// utc gives a nullable column's time, zero if NULL.
func utc(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// qualify puts the schema in place of {s}.
func qualify(schema, sql string) string { return strings.ReplaceAll(sql, "{s}", schema) }
