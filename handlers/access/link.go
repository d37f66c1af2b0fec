package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// The purposes of one-time links.
const (
	FirstAdmin = "first_admin"
	Invite     = "invite"
)

// Link is what a one-time link is good for.
type Link struct {
	Purpose  string
	Admin    bool
	Products []string
	Expires  time.Time
}

// FirstAdminLink makes the link that creates the first administrator and voids
// earlier ones; it returns "" as soon as an administrator exists. serve prints it.
func (s *Store) FirstAdminLink(ctx context.Context) (string, error) {
	var text string
	err := s.tx(ctx, "make the first administrator's link", func(tx pgx.Tx) error {
		text = ""
		if err := lockAdmins(ctx, tx); err != nil {
			return err
		}
		exists, err := adminExists(ctx, tx)
		if err != nil || exists {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM identity.links WHERE purpose = $1 AND used_by IS NULL`, FirstAdmin); err != nil {
			return err
		}
		var hash []byte
		text, hash = secret()
		now := s.now()
		_, err = tx.Exec(ctx, `
			INSERT INTO identity.links (hash, purpose, admin, created_at, expires_at) VALUES ($1, $2, true, $3, $4)`,
			hash, FirstAdmin, now, now.Add(LinkLifetime))
		return err
	})
	return text, err
}

// Invite makes a link for one new account that will belong to the products.
func (s *Store) Invite(ctx context.Context, by domain.ID, admin bool, products []string) (Link, string, error) {
	if !admin && len(products) == 0 {
		return Link{}, "", domain.Errorf(domain.Invalid, "an invitation names at least one product")
	}
	now := s.now()
	l := Link{Purpose: Invite, Admin: admin, Products: products, Expires: now.Add(LinkLifetime)}
	if l.Products == nil {
		l.Products = []string{}
	}
	var text string
	err := s.tx(ctx, "make an invitation", func(tx pgx.Tx) error {
		var known int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM identity.products WHERE id = ANY($1)`, l.Products).Scan(&known); err != nil {
			return err
		}
		if known != len(l.Products) {
			return domain.Errorf(domain.NotFound, "there is no such product")
		}
		var hash []byte
		text, hash = secret()
		_, err := tx.Exec(ctx, `
			INSERT INTO identity.links (hash, purpose, admin, products, created_by, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, hash, Invite, admin, l.Products, by, now, l.Expires)
		return err
	})
	return l, text, err
}

// Link reads what a link is good for; ErrLinkGone if it is good for nothing.
func (s *Store) Link(ctx context.Context, text string) (Link, error) {
	l, err := s.readLink(ctx, s.pool, hashSecret(text), "")
	if err != nil && domain.CodeOf(err) == domain.Internal {
		return Link{}, fmt.Errorf("read link: %w", err)
	}
	return l, err
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (s *Store) readLink(ctx context.Context, q querier, hash []byte, lock string) (Link, error) {
	var l Link
	err := q.QueryRow(ctx, `
		SELECT purpose, admin, products, expires_at FROM identity.links
		WHERE hash = $1 AND used_by IS NULL AND expires_at > $2 `+lock, hash, s.now()).
		Scan(&l.Purpose, &l.Admin, &l.Products, &l.Expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return Link{}, ErrLinkGone
	}
	return l, err
}

// UseLink creates the account of a link, once, and signs it in. The first
// administrator joins every product that exists.
func (s *Store) UseLink(ctx context.Context, text, name, password string) (Account, string, error) {
	name, err := checkName(name)
	if err != nil {
		return Account{}, "", err
	}
	if _, err := s.Link(ctx, text); err != nil { // before the expensive hash
		return Account{}, "", err
	}
	hashed, err := s.hashPassword(ctx, password)
	if err != nil {
		return Account{}, "", err
	}
	var a Account
	var session string
	err = s.tx(ctx, "use link", func(tx pgx.Tx) error {
		if err := lockAdmins(ctx, tx); err != nil {
			return err
		}
		hash := hashSecret(text)
		l, err := s.readLink(ctx, tx, hash, "FOR UPDATE")
		if err != nil {
			return err
		}
		if l.Purpose == FirstAdmin {
			exists, err := adminExists(ctx, tx)
			if err != nil {
				return err
			}
			if exists {
				return ErrAdminExists
			}
		}
		if a, err = s.createAccount(ctx, tx, name, hashed, l.Admin); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `UPDATE identity.links SET used_by = $2 WHERE hash = $1`, hash, a.ID); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `
			INSERT INTO identity.memberships (product, account)
			SELECT id, $1 FROM identity.products WHERE $2 OR id = ANY($3)`, a.ID, l.Purpose == FirstAdmin, l.Products); err != nil {
			return err
		}
		session, err = s.openSession(ctx, tx, a.ID)
		return err
	})
	return a, session, err
}
