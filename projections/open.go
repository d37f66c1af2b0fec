package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// openBuild finds the interrupted build of a projection, if it is still true of
// the log, or begins a new one. Those to be thrown away are always new. The
// caller has the lease, except for asof.
func (r *Runner) openBuild(ctx context.Context, p Projection, purpose string, upto uint64) (*build, error) {
	last, err := r.log.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("end of the log: %w", err)
	}
	goal := int64(last)
	if upto > 0 {
		goal = int64(upto)
	}
	b := &build{target: target{Projection: p, memory: newMemory(p)}, upto: upto, begun: time.Now()}
	kept := upto
	if purpose == forVerify {
		kept = 0 // whatever an earlier check left is of no use
	}
	err = r.store.write(ctx, func(tx pgx.Tx) error {
		if err := lockName(ctx, tx, p.Name); err != nil {
			return err
		}
		if purpose != forAsOf {
			if err := r.resume(ctx, tx, b, purpose, kept, last, goal); err != nil || b.build != 0 {
				return err
			}
		}
		if b.build, err = newGeneration(ctx, tx, p.Name); err != nil {
			return err
		}
		now := stamp(r.log.Identity())
		batch := &pgx.Batch{}
		batch.Queue(`
			INSERT INTO control.builds (projection, version, generation, purpose, stream, created, upto)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, p.Name, p.Version, b.build, purpose, now.stream, now.created, int64(kept))
		batch.Queue(`INSERT INTO control.progress (projection, generation, target, process) VALUES ($1, $2, $3, $4)`,
			p.Name, b.build, goal, thisProcess())
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return nil, fmt.Errorf("begin a %s of %s: %w", purpose, p.Name, err)
	}
	return b, nil
}

// resume lets b go on with an interrupted build of the same purpose, and drops
// those that are of no use any more.
func (r *Runner) resume(ctx context.Context, tx pgx.Tx, b *build, purpose string, upto, last uint64, goal int64) error {
	rows, err := tx.Query(ctx, `
		SELECT b.generation, b.version = $3 AND NOT coalesce(g.cancelled, false), b.stream, b.created, b.seq, b.event_id
		FROM control.builds b LEFT JOIN control.progress g USING (projection, generation)
		WHERE b.projection = $1 AND b.purpose = $2 AND b.upto = $4 ORDER BY b.seq DESC`, b.Name, purpose, b.Version, int64(upto))
	if err != nil {
		return err
	}
	type found struct {
		position
		generation int
		same       bool
	}
	old, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (found, error) {
		var f found
		var seq int64
		err := row.Scan(&f.generation, &f.same, &f.stream, &f.created, &seq, &f.event)
		f.seq = uint64(seq)
		return f, err
	})
	if err != nil {
		return err
	}
	for _, f := range old {
		if purpose != forVerify && b.build == 0 && f.same && f.check(ctx, r.log, last) == nil {
			b.build, b.first = f.generation, f.seq
			b.seq.Store(f.seq)
			_, err := tx.Exec(ctx, `
				INSERT INTO control.progress (projection, generation, target, process) VALUES ($1, $2, $3, $4)
				ON CONFLICT (projection, generation) DO UPDATE SET target = $3, process = $4, rate = 0, error = '', updated_at = now()`,
				b.Name, b.build, goal, thisProcess())
			if err != nil {
				return err
			}
			continue
		}
		if err := dropBuild(ctx, tx, b.Name, f.generation); err != nil {
			return err
		}
	}
	return nil
}
