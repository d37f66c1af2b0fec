// Package access owns who people are and what they may do: accounts, one-time
// links, sessions, bearer tokens, products, memberships, read marks, and the
// one policy table. These are plain rows in schema identity, not events.
//
// Every way in starts from a password or a one-time link; there is no other.
// Secrets handed out (sessions, tokens, links) are 256 random bits and are
// stored hashed, so a copy of the database opens nothing.
//
// access may import domain and pgx; it knows nothing of HTTP.
package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oklog/ulid/v2"

	"sozai/domain"
)

// How long things last, and the sizes that are accepted.
const (
	SessionLifetime  = 30 * 24 * time.Hour
	LinkLifetime     = 7 * 24 * time.Hour
	MinPasswordRunes = 10
	MaxPasswordBytes = 256
	seenInterval     = 5 * time.Minute // a session's seen_at is written at most this often
)

// The declared refusals.
var (
	ErrSignIn        = domain.Rule(domain.Unauthorized, "bad_credentials", "the name or the password is wrong")
	ErrSignedOut     = domain.Rule(domain.Unauthorized, "signed_out", "sign in first")
	ErrLinkGone      = domain.Rule(domain.NotFound, "link_gone", "this link is unknown, expired or was used")
	ErrAdminExists   = domain.Rule(domain.Conflict, "admin_exists", "an administrator exists already; ask for an invitation")
	ErrNameTaken     = domain.Rule(domain.Exists, "name_taken", "an account of this name exists")
	ErrProductExists = domain.Rule(domain.Exists, "product_exists", "a product of this id exists")
	ErrTooManyTries  = domain.Rule(domain.TooMany, "too_many_sign_ins", "too many failed sign-ins; wait and try again")
	ErrLastAdmin     = domain.Rule(domain.Conflict, "last_admin", "the last administrator cannot be disabled or demoted")
)

// Store is the identity tables. Safe for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	params  *argon2id.Params
	dummy   string        // compared against when the name is unknown, so that both take as long
	hashing chan struct{} // bounds the memory that hashing takes
	tries   *limiter
	now     func() time.Time
}

// New takes about one password hash's time.
func New(pool *pgxpool.Pool) (*Store, error) {
	return newStore(pool, argon2id.Params{
		Memory: 64 * 1024, Iterations: 1, Parallelism: 2, SaltLength: 16, KeyLength: 32,
	}, time.Now)
}

func newStore(pool *pgxpool.Pool, params argon2id.Params, now func() time.Time) (*Store, error) {
	dummy, err := argon2id.CreateHash(rand.Text(), &params)
	if err != nil {
		return nil, fmt.Errorf("hash a password: %w", err)
	}
	return &Store{
		pool: pool, params: &params, dummy: dummy,
		hashing: make(chan struct{}, 2), tries: newLimiter(now), now: now,
	}, nil
}

// Account is a person. Admins manage accounts, products and the system.
type Account struct {
	ID       domain.ID
	Name     string
	Admin    bool
	Disabled bool
	Created  time.Time
	Products []string
}

// Accounts lists every account by name.
func (s *Store) Accounts(ctx context.Context) ([]Account, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT a.id, a.name, a.admin, a.disabled, a.created_at,
			coalesce(array_agg(m.product ORDER BY m.product) FILTER (WHERE m.product IS NOT NULL), '{}')
		FROM identity.accounts a LEFT JOIN identity.memberships m ON m.account = a.id
		GROUP BY a.id ORDER BY lower(a.name)`)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Account, error) {
		var a Account
		err := row.Scan(&a.ID, &a.Name, &a.Admin, &a.Disabled, &a.Created, &a.Products)
		return a, err
	})
}

// Names maps account ids to names; unknown ids are absent.
func (s *Store) Names(ctx context.Context, ids []domain.ID) (map[domain.ID]string, error) {
	names := make(map[domain.ID]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	rows, err := s.pool.Query(ctx, `SELECT id, name FROM identity.accounts WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	var id domain.ID
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error { names[id] = name; return nil })
	return names, err
}

// People lists the accounts that belong to a product, for choosing members.
func (s *Store) People(ctx context.Context, product string) ([]Account, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT a.id, a.name, a.admin FROM identity.accounts a JOIN identity.memberships m ON m.account = a.id
		WHERE m.product = $1 AND NOT a.disabled ORDER BY lower(a.name)`, product)
	if err != nil {
		return nil, fmt.Errorf("list people of %s: %w", product, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Account, error) {
		var a Account
		err := row.Scan(&a.ID, &a.Name, &a.Admin)
		return a, err
	})
}

// SetAccount changes what an account may do. Disabling ends its sessions and
// tokens at once. The last administrator stays one.
func (s *Store) SetAccount(ctx context.Context, id domain.ID, admin, disabled bool) error {
	return s.tx(ctx, "set account "+id.String(), func(tx pgx.Tx) error {
		if err := lockAdmins(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `UPDATE identity.accounts SET admin = $2, disabled = $3 WHERE id = $1`, id, admin, disabled)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return domain.Errorf(domain.NotFound, "there is no such account")
		}
		exists, err := adminExists(ctx, tx)
		if err != nil {
			return err
		}
		if !exists {
			return ErrLastAdmin
		}
		if !disabled {
			return nil
		}
		if _, err := tx.Exec(ctx, `DELETE FROM identity.sessions WHERE account = $1`, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE identity.tokens SET revoked_at = $2 WHERE account = $1 AND revoked_at IS NULL`, id, s.now())
		return err
	})
}

// lockAdmins serialises everything that depends on whether an administrator exists.
func lockAdmins(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('sozai identity admins'))`)
	return err
}

func adminExists(ctx context.Context, tx pgx.Tx) (exists bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM identity.accounts WHERE admin AND NOT disabled)`).Scan(&exists)
	return exists, err
}

func (s *Store) createAccount(ctx context.Context, tx pgx.Tx, name, hash string, admin bool) (Account, error) {
	a := Account{ID: s.newID(), Name: name, Admin: admin, Created: s.now()}
	_, err := tx.Exec(ctx, `
		INSERT INTO identity.accounts (id, name, password, admin, created_at) VALUES ($1, $2, $3, $4, $5)`,
		a.ID, a.Name, hash, a.Admin, a.Created)
	if isUnique(err) {
		return Account{}, ErrNameTaken
	}
	return a, err
}

func (s *Store) tx(ctx context.Context, what string, do func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, s.pool, do)
	if err == nil || domain.CodeOf(err) != domain.Internal {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (s *Store) newID() domain.ID {
	return domain.ID(ulid.MustNew(ulid.Timestamp(s.now()), rand.Reader).String())
}

// secret returns 256 random bits as text, and the hash that is stored.
func secret() (text string, hash []byte) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	text = base64.RawURLEncoding.EncodeToString(b[:])
	return text, hashSecret(text)
}

func hashSecret(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

func isUnique(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}

// checkName refuses names that cannot be told apart or printed.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	n := utf8.RuneCountInString(name)
	if n == 0 || n > domain.MaxNameRunes || !utf8.ValidString(name) {
		return "", domain.Errorf(domain.Invalid, "a name has 1 to %d characters", domain.MaxNameRunes)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return "", domain.Errorf(domain.Invalid, "a name holds printable characters only")
		}
	}
	return name, nil
}
