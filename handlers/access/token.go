package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// TokenPrefix starts every bearer token, so that leaked ones can be searched for.
const TokenPrefix = "sozai_"

// Token is a bearer token without its secret.
type Token struct {
	ID      domain.ID
	Label   string
	Scopes  []Scope
	Created time.Time
	Expires *time.Time // nil: never
	Used    *time.Time // nil: not yet
}

// NewToken makes a token that acts for the signed-in caller. Only a session may
// make one (a token that made tokens would outlive its own revocation), and
// scope admin takes an administrator. The secret is shown once.
func (s *Store) NewToken(ctx context.Context, by Caller, label string, scopes []Scope, expires *time.Time) (Token, string, error) {
	if by.Session == "" {
		return Token{}, "", domain.Rule(domain.Forbidden, "session_needed", "tokens are made by a signed-in person, not by a token")
	}
	for _, sc := range scopes {
		if !sc.valid() {
			return Token{}, "", domain.Errorf(domain.Invalid, "%q is not a scope", string(sc))
		}
	}
	if slices.Contains(scopes, ScopeAdmin) && !by.Admin {
		return Token{}, "", domain.Rule(domain.Forbidden, "admin_needed", "scope admin needs an administrator")
	}
	return s.insertToken(ctx, by.User, label, scopes, expires)
}

// NewPersonToken is the command line's sign-in: a password, and a token of
// scope person in return.
func (s *Store) NewPersonToken(ctx context.Context, name, password, address, label string) (Token, string, error) {
	a, err := s.checkPassword(ctx, name, password, address)
	if err != nil {
		return Token{}, "", err
	}
	return s.insertToken(ctx, a.ID, label, []Scope{ScopePerson}, nil)
}

func (s *Store) insertToken(ctx context.Context, account domain.ID, label string, scopes []Scope, expires *time.Time) (Token, string, error) {
	if len(scopes) == 0 {
		return Token{}, "", domain.Errorf(domain.Invalid, "a token needs at least one scope")
	}
	if n := utf8.RuneCountInString(label); n > domain.MaxNameRunes {
		return Token{}, "", domain.Errorf(domain.Invalid, "a label has at most %d characters", domain.MaxNameRunes)
	}
	now := s.now()
	if expires != nil && !expires.After(now) {
		return Token{}, "", domain.Errorf(domain.Invalid, "the token would be expired already")
	}
	text, _ := secret()
	text = TokenPrefix + text
	t := Token{ID: s.newID(), Label: label, Scopes: scopes, Created: now, Expires: expires}
	_, err := s.pool.Exec(ctx, `
		INSERT INTO identity.tokens (id, hash, account, label, scopes, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, t.ID, hashSecret(text), account, label, scopes, now, expires)
	if err != nil {
		return Token{}, "", fmt.Errorf("store token: %w", err)
	}
	return t, text, nil
}

// Bearer returns the caller of a bearer token. It acts for the person who made
// it, as that person stands now.
func (s *Store) Bearer(ctx context.Context, text string) (Caller, error) {
	if !strings.HasPrefix(text, TokenPrefix) {
		return Caller{}, ErrSignedOut
	}
	now := s.now()
	var c Caller
	var id domain.ID
	var stale bool
	err := s.pool.QueryRow(ctx, `
		SELECT t.id, a.id, a.name, a.admin, t.scopes, t.used_at IS NULL OR t.used_at < $3
		FROM identity.tokens t JOIN identity.accounts a ON a.id = t.account
		WHERE t.hash = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $2) AND NOT a.disabled`,
		hashSecret(text), now, now.Add(-seenInterval)).
		Scan(&id, &c.User, &c.Name, &c.Admin, &c.Scopes, &stale)
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, ErrSignedOut
	}
	if err != nil {
		return Caller{}, fmt.Errorf("read token: %w", err)
	}
	if stale {
		if _, err := s.pool.Exec(ctx, `UPDATE identity.tokens SET used_at = $2 WHERE id = $1`, id, now); err != nil {
			return Caller{}, fmt.Errorf("mark token %s used: %w", id, err)
		}
	}
	return c, nil
}

// Tokens lists a person's living tokens, newest first.
func (s *Store) Tokens(ctx context.Context, account domain.ID) ([]Token, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT id, label, scopes, created_at, expires_at, used_at FROM identity.tokens
		WHERE account = $1 AND revoked_at IS NULL ORDER BY id DESC`, account)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Token, error) {
		var t Token
		err := row.Scan(&t.ID, &t.Label, &t.Scopes, &t.Created, &t.Expires, &t.Used)
		return t, err
	})
}

// Revoke ends a person's own token; NotFound if it is not theirs.
func (s *Store) Revoke(ctx context.Context, account, token domain.ID) error {
	tag, err := s.pool.Exec(ctx, `
		UPDATE identity.tokens SET revoked_at = coalesce(revoked_at, $3) WHERE id = $1 AND account = $2`, token, account, s.now())
	if err != nil {
		return fmt.Errorf("revoke token %s: %w", token, err)
	}
	if tag.RowsAffected() == 0 {
		return domain.Errorf(domain.NotFound, "there is no such token")
	}
	return nil
}
