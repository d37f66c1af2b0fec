package access

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// Product is a tenant.
type Product struct {
	ID   string
	Name string
}

// CreateProduct adds a product; its creator, if given, becomes a member.
func (s *Store) CreateProduct(ctx context.Context, p Product, creator domain.ID) error {
	name, err := checkName(p.Name)
	if err != nil {
		return err
	}
	if !productID(p.ID) {
		return domain.Errorf(domain.Invalid, "a product id has 1 to 32 of a-z, 0-9 and -, and starts with a letter or digit")
	}
	return s.tx(ctx, "create product "+p.ID, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO identity.products (id, name, created_at) VALUES ($1, $2, $3)`, p.ID, name, s.now())
		if isUnique(err) {
			return ErrProductExists
		}
		if err != nil || creator == "" {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO identity.memberships (product, account) VALUES ($1, $2)`, p.ID, creator)
		return err
	})
}

func productID(id string) bool {
	ok, _ := regexp.MatchString(`^[a-z0-9][a-z0-9-]{0,31}$`, id)
	return ok
}

// Products lists those a caller belongs to; an administrator belongs to all.
func (s *Store) Products(ctx context.Context, c Caller) ([]Product, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT p.id, p.name FROM identity.products p
		WHERE $2 OR EXISTS (SELECT FROM identity.memberships m WHERE m.product = p.id AND m.account = $1)
		ORDER BY p.id`, c.User, c.Admin)
	if err != nil {
		return nil, fmt.Errorf("list products: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Product])
}

// HasProduct is NotFound for a product that does not exist.
func (s *Store) HasProduct(ctx context.Context, product string) error {
	var found bool
	err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM identity.products WHERE id = $1)`, product).Scan(&found)
	if err != nil {
		return fmt.Errorf("read product: %w", err)
	}
	if !found {
		return domain.Errorf(domain.NotFound, "there is no product %q", product)
	}
	return nil
}

// Belongs says whether the person is a member of the product.
func (s *Store) Belongs(ctx context.Context, user domain.ID, product string) (bool, error) {
	var ok bool
	err := s.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM identity.memberships WHERE product = $1 AND account = $2)`, product, user).Scan(&ok)
	if err != nil {
		return false, fmt.Errorf("read membership: %w", err)
	}
	return ok, nil
}

// SetMembership adds a person to a product or takes them out.
func (s *Store) SetMembership(ctx context.Context, product string, user domain.ID, member bool) error {
	return s.tx(ctx, "set membership", func(tx pgx.Tx) error {
		var found bool
		err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM identity.products WHERE id = $1) AND EXISTS (SELECT FROM identity.accounts WHERE id = $2)`,
			product, user).Scan(&found)
		if err != nil {
			return err
		}
		if !found {
			return domain.Errorf(domain.NotFound, "there is no such product or account")
		}
		if member {
			_, err = tx.Exec(ctx, `INSERT INTO identity.memberships (product, account) VALUES ($1, $2) ON CONFLICT DO NOTHING`, product, user)
		} else {
			_, err = tx.Exec(ctx, `DELETE FROM identity.memberships WHERE product = $1 AND account = $2`, product, user)
		}
		return err
	})
}

// MarkRead moves a person's read mark of a room forward, never back, and
// returns where it stands.
func (s *Store) MarkRead(ctx context.Context, user, agent domain.ID, seq uint64) (uint64, error) {
	var at int64
	err := s.pool.QueryRow(ctx, `
		INSERT INTO identity.read_marks AS m (account, agent, seq) VALUES ($1, $2, $3)
		ON CONFLICT (account, agent) DO UPDATE SET seq = greatest(m.seq, excluded.seq) RETURNING seq`,
		user, agent, int64(seq)).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("set read mark: %w", err)
	}
	return uint64(at), nil
}

// ReadMark is how far a person has read a room; 0 if never.
func (s *Store) ReadMark(ctx context.Context, user, agent domain.ID) (uint64, error) {
	var at int64
	err := s.pool.QueryRow(ctx, `SELECT seq FROM identity.read_marks WHERE account = $1 AND agent = $2`, user, agent).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read read mark: %w", err)
	}
	return uint64(at), nil
}
