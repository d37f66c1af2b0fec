package access

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// Caller is who sent a request and by which right. The zero Caller is nobody.
type Caller struct {
	User   domain.ID
	Name   string
	Admin  bool
	Scopes []Scope // of the token; empty for a session
	// Session names the session (not its secret), so that what hangs on it can be ended.
	Session string
}

// SignedIn says whether anybody is there.
func (c Caller) SignedIn() bool { return c.User != "" }

// Actor is the caller as events name it.
func (c Caller) Actor() domain.Actor { return domain.User(c.User) }

// SignIn checks a password and opens a session; the secret goes into the cookie.
func (s *Store) SignIn(ctx context.Context, name, password, address string) (Account, string, error) {
	a, err := s.checkPassword(ctx, name, password, address)
	if err != nil {
		return Account{}, "", err
	}
	var text string
	err = s.tx(ctx, "open a session", func(tx pgx.Tx) error {
		text, err = s.openSession(ctx, tx, a.ID)
		return err
	})
	return a, text, err
}

func (s *Store) openSession(ctx context.Context, tx pgx.Tx, account domain.ID) (string, error) {
	text, hash := secret()
	now := s.now()
	if _, err := tx.Exec(ctx, `DELETE FROM identity.sessions WHERE expires_at < $1`, now); err != nil {
		return "", err
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO identity.sessions (hash, account, created_at, seen_at, expires_at) VALUES ($1, $2, $3, $3, $4)`,
		hash, account, now, now.Add(SessionLifetime))
	return text, err
}

// Session returns the caller of a session's secret, ErrSignedOut if it is over.
// A session that is used lives on.
func (s *Store) Session(ctx context.Context, text string) (Caller, error) {
	hash := hashSecret(text)
	now := s.now()
	c := Caller{Session: sessionName(hash)}
	var stale bool
	err := s.pool.QueryRow(ctx, `
		SELECT a.id, a.name, a.admin, s.seen_at < $3
		FROM identity.sessions s JOIN identity.accounts a ON a.id = s.account
		WHERE s.hash = $1 AND s.expires_at > $2 AND NOT a.disabled`, hash, now, now.Add(-seenInterval)).
		Scan(&c.User, &c.Name, &c.Admin, &stale)
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, ErrSignedOut
	}
	if err != nil {
		return Caller{}, fmt.Errorf("read session: %w", err)
	}
	if stale {
		if _, err := s.pool.Exec(ctx, `UPDATE identity.sessions SET seen_at = $2, expires_at = $3 WHERE hash = $1`,
			hash, now, now.Add(SessionLifetime)); err != nil {
			return Caller{}, fmt.Errorf("prolong session: %w", err)
		}
	}
	return c, nil
}

// SignOut ends a session; ending it twice is harmless. It returns the session's name.
func (s *Store) SignOut(ctx context.Context, text string) (string, error) {
	hash := hashSecret(text)
	if _, err := s.pool.Exec(ctx, `DELETE FROM identity.sessions WHERE hash = $1`, hash); err != nil {
		return "", fmt.Errorf("end session: %w", err)
	}
	return sessionName(hash), nil
}

func sessionName(hash []byte) string { return hex.EncodeToString(hash[:8]) }

func fold(s string) string { return strings.ToLower(s) }
