package access

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// The limits on failed sign-ins within tryWindow.
const (
	triesPerNameAndAddress = 8
	triesPerName           = 60
	triesPerAddress        = 120
	tryWindow              = 15 * time.Minute
	tryKeys                = 50_000 // above this many, keys whose window is over are dropped
)

// checkPassword says whether the password is the account's. Unknown names take
// as long as known ones, and give the same answer. address limits guessing.
func (s *Store) checkPassword(ctx context.Context, name, password, address string) (Account, error) {
	// A valid name is cut to what an account can have, so that the limiter's keys stay small.
	clean, nameErr := checkName(name)
	keys := []tryKey{
		{"pair", fold(clean) + "\x00" + address, triesPerNameAndAddress},
		{"name", fold(clean), triesPerName},
		{"address", address, triesPerAddress},
	}
	if wait := s.tries.wait(keys); wait > 0 {
		e := *ErrTooManyTries
		e.RetryAfter = int(math.Ceil(wait.Seconds()))
		return Account{}, &e
	}
	// Counted before the slow part, so that parallel guesses are counted too.
	s.tries.add(keys)

	var a Account
	hash := s.dummy
	if nameErr == nil {
		var stored string
		err := s.pool.QueryRow(ctx, `
			SELECT id, name, admin, created_at, password FROM identity.accounts
			WHERE lower(name) = lower($1) AND NOT disabled`, clean).
			Scan(&a.ID, &a.Name, &a.Admin, &a.Created, &stored)
		switch {
		case err == nil:
			hash = stored
		case !errors.Is(err, pgx.ErrNoRows):
			return Account{}, fmt.Errorf("read account: %w", err)
		}
	}
	if len(password) > MaxPasswordBytes {
		password = password[:MaxPasswordBytes] + "\x00" // never equal to an accepted one
	}
	match, err := s.compare(ctx, password, hash)
	if err != nil {
		return Account{}, err
	}
	if !match || a.ID == "" {
		return Account{}, ErrSignIn
	}
	s.tries.forget(keys)
	return a, nil
}

func (s *Store) compare(ctx context.Context, password, hash string) (bool, error) {
	release, err := s.hashSlot(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("compare a password: %w", err)
	}
	return match, nil
}

// hashPassword checks the password's form and hashes it.
func (s *Store) hashPassword(ctx context.Context, password string) (string, error) {
	if !utf8.ValidString(password) || utf8.RuneCountInString(password) < MinPasswordRunes || len(password) > MaxPasswordBytes {
		return "", &domain.Error{
			Code: domain.Invalid, Reason: "password_form",
			Message: fmt.Sprintf("a password has at least %d characters and at most %d bytes", MinPasswordRunes, MaxPasswordBytes),
		}
	}
	release, err := s.hashSlot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	hash, err := argon2id.CreateHash(password, s.params)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

func (s *Store) hashSlot(ctx context.Context) (release func(), err error) {
	select {
	case s.hashing <- struct{}{}:
		return func() { <-s.hashing }, nil
	case <-ctx.Done():
		return nil, domain.Errorf(domain.Unavailable, "the server is busy; try again")
	}
}

// limiter counts failures by key in windows that start with the first failure.
// It lives in the process: several gateways each allow as many.
type limiter struct {
	mu  sync.Mutex
	now func() time.Time
	n   map[string]*tryCount
}

type tryKey struct {
	kind, value string
	max         int
}

type tryCount struct {
	count int
	until time.Time
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, n: map[string]*tryCount{}}
}

func (l *limiter) wait(keys []tryKey) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	var longest time.Duration
	for _, k := range keys {
		if c := l.n[k.kind+k.value]; c != nil && c.count >= k.max && now.Before(c.until) {
			longest = max(longest, c.until.Sub(now))
		}
	}
	return longest
}

func (l *limiter) add(keys []tryKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.n) > tryKeys {
		for k, c := range l.n {
			if !now.Before(c.until) {
				delete(l.n, k)
			}
		}
	}
	for _, k := range keys {
		c := l.n[k.kind+k.value]
		if c == nil || !now.Before(c.until) {
			c = &tryCount{until: now.Add(tryWindow)}
			l.n[k.kind+k.value] = c
		}
		c.count++
	}
}

// forget takes the last count back after a success; the pair starts afresh.
func (l *limiter) forget(keys []tryKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range keys {
		c := l.n[k.kind+k.value]
		switch {
		case c == nil:
		case k.kind == "pair":
			delete(l.n, k.kind+k.value)
		case c.count > 0:
			c.count--
		}
	}
}
