package access

import (
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/migrations"
	"sozai/projections/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// cheap makes hashing fast; the form of the hash is the same.
func cheap() argon2id.Params {
	return argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

func setup(t *testing.T) (*Store, *clock, *pgxpool.Pool) {
	t.Helper()
	pool := postgrestest.Copy(t, "migrated", migrations.Up)
	c := &clock{t: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	s, err := newStore(pool, cheap(), c.now)
	if err != nil {
		t.Fatal(err)
	}
	return s, c, pool
}

// admin makes the first administrator and returns their session's caller.
func admin(t *testing.T, s *Store) Caller {
	t.Helper()
	link, err := s.FirstAdminLink(t.Context())
	if err != nil || link == "" {
		t.Fatalf("first link: %q, %v", link, err)
	}
	_, secret, err := s.UseLink(t.Context(), link, "ada", "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Session(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
