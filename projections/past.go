package projections

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// ErrNotYet: the log has no such event yet.
var ErrNotYet = domain.Rule(domain.Invalid, "not_yet", "the log does not reach that far")

// AtStatus is a read model as it was after an event.
type AtStatus struct {
	Projection string    `json:"projection"`
	Seq        uint64    `json:"seq"`
	Version    int       `json:"version"`
	Schema     string    `json:"schema"`
	Bytes      int64     `json:"bytes"`
	MadeAt     time.Time `json:"made_at"`
}

// schemaAt names the schema of a projection as of a sequence.
func schemaAt(projection string, seq uint64) string {
	return projection + "_at_" + strconv.FormatUint(seq, 10)
}

// BuildAt makes the tables of the named projections (none: all) as they were after
// the event seq, in one pass, in schemas <name>_at_<seq> that stay until DropAt.
// What is there already is not made again; interrupted, it goes on where it was. A
// poison event or CancelBuild stops the build of that projection; the schemas of
// the others are returned all the same.
func (r *Runner) BuildAt(ctx context.Context, names []string, seq uint64, progress func(RebuildProgress)) (schemas map[string]string, err error) {
	list, err := r.store.pick(names)
	if err != nil {
		return nil, err
	}
	if err := r.reached(ctx, seq); err != nil {
		return nil, err
	}
	lease, err := r.store.lease(ctx, list, workOf(forAt, seq))
	if err != nil {
		return nil, err
	}
	defer lease.release()
	schemas = map[string]string{}
	pass := &pass{Runner: r, lease: lease, progress: progress}
	for _, p := range list {
		there, err := r.store.hasPast(ctx, p, seq, stamp(r.log.Identity()))
		if err != nil {
			return nil, err
		}
		if there {
			schemas[p.Name] = schemaAt(p.Name, seq)
			continue
		}
		b, err := r.openBuild(ctx, p, forAt, seq)
		if err != nil {
			return nil, err
		}
		pass.builds = append(pass.builds, b)
	}
	if len(pass.builds) == 0 {
		return schemas, nil
	}
	if err := pass.run(ctx, func(ctx context.Context) error { return pass.fill(ctx, pass.builds, seq) }); err != nil {
		return nil, err
	}
	for _, b := range pass.builds {
		if b.reason != nil {
			continue
		}
		if err := r.store.keepPast(ctx, b, seq, stamp(r.log.Identity())); err != nil {
			return nil, err
		}
		schemas[b.Name] = schemaAt(b.Name, seq)
		if progress != nil {
			progress(b.report(true))
		}
	}
	return schemas, pass.reasons()
}

// reached refuses a sequence that the log does not have.
func (r *Runner) reached(ctx context.Context, seq uint64) error {
	last, err := r.log.Last(ctx)
	if err != nil {
		return fmt.Errorf("end of the log: %w", err)
	}
	if seq == 0 || seq > last {
		return ErrNotYet.With(map[string]any{"seq": seq, "last": last}, "there is no event %d; the log ends at %d", seq, last)
	}
	return nil
}

// hasPast reports whether a past was made by this version from this log.
func (s *Store) hasPast(ctx context.Context, p Projection, seq uint64, of position) (there bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM control.pasts
		WHERE projection = $1 AND seq = $2 AND version = $3 AND stream = $4 AND created = $5)`,
		p.Name, int64(seq), p.Version, of.stream, of.created).Scan(&there)
	if err != nil {
		return false, fmt.Errorf("%s as of %d: %w", p.Name, seq, err)
	}
	return there, nil
}

// keepPast gives a finished build its lasting name. Only here is a schema renamed:
// nobody has read or written it under the other name.
func (s *Store) keepPast(ctx context.Context, b *build, seq uint64, of position) error {
	err := s.write(ctx, func(tx pgx.Tx) error {
		if err := lockName(ctx, tx, b.Name); err != nil {
			return err
		}
		if err := addIndexes(ctx, tx, b.Name, b.build); err != nil {
			return err
		}
		schema := schemaAt(b.Name, seq)
		if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "ALTER SCHEMA "+schemaOf(b.Name, b.build)+" RENAME TO "+schema); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(`DELETE FROM control.builds WHERE projection = $1 AND generation = $2`, b.Name, b.build)
		batch.Queue(`
			INSERT INTO control.pasts (projection, seq, version, stream, created) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (projection, seq) DO UPDATE SET version = excluded.version, stream = excluded.stream,
				created = excluded.created, made_at = now()`, b.Name, int64(seq), b.Version, of.stream, of.created)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("keep %s as of %d: %w", b.Name, seq, err)
	}
	return nil
}

// ListAt lists what BuildAt has made and nobody has dropped, the newest first.
func (s *Store) ListAt(ctx context.Context) ([]AtStatus, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT p.projection, p.seq, p.version, p.made_at, coalesce((
			SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = p.projection || '_at_' || p.seq AND c.relkind = 'r'), 0)::bigint
		FROM control.pasts p ORDER BY p.made_at DESC, p.projection`)
	if err != nil {
		return nil, fmt.Errorf("read models as of a sequence: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (AtStatus, error) {
		var a AtStatus
		var seq int64
		err := row.Scan(&a.Projection, &seq, &a.Version, &a.MadeAt, &a.Bytes)
		a.Seq, a.MadeAt = uint64(seq), a.MadeAt.UTC()
		a.Schema = schemaAt(a.Projection, a.Seq)
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("read models as of a sequence: %w", err)
	}
	return list, nil
}

// DropAt drops the schema that BuildAt made; NotFound if there is none.
func (s *Store) DropAt(ctx context.Context, name string, seq uint64) error {
	err := s.write(ctx, func(tx pgx.Tx) error {
		if err := lockName(ctx, tx, name); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM control.pasts WHERE projection = $1 AND seq = $2`, name, int64(seq))
		if err != nil {
			return fmt.Errorf("drop %s as of %d: %w", name, seq, err)
		}
		if tag.RowsAffected() == 0 {
			return domain.Errorf(domain.NotFound, "there is no %s as of %d", name, seq)
		}
		// A name in the list was a projection's once, so that it needs no quotes.
		if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+schemaAt(name, seq)+" CASCADE"); err != nil {
			return fmt.Errorf("drop %s as of %d: %w", name, seq, err)
		}
		return nil
	})
	return err
}
