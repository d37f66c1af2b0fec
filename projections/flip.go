package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sozai/streams/fault"
)

// index adds the indexes that queries need to builds that have come near the end,
// as many at once as may apply.
func (p *pass) index(ctx context.Context, builds []*build) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(buildSlots)
	for _, b := range builds {
		g.Go(func() error {
			free, err := p.lease.slot(b.ctx)
			if err != nil {
				return whole(gctx, b, err)
			}
			defer free()
			err = p.store.write(b.ctx, func(tx pgx.Tx) error { return addIndexes(b.ctx, tx, b.Name, b.build) })
			if err != nil && ctx.Err() == nil {
				b.cancel(err)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// finish brings a build near the end once more, as others may have been finished
// meanwhile, and flips it. It tries again for some time while somebody reads the
// views that must move.
func (p *pass) finish(ctx context.Context, b *build) error {
	for begun := time.Now(); ; {
		if err := p.approach(ctx, []*build{b}); err != nil {
			return err
		}
		if b.stopped() != nil {
			return nil
		}
		err := p.flip(b.ctx, b)
		switch {
		case err == nil:
			if p.progress != nil {
				p.progress(b.report(true))
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !isHeld(err) || time.Since(begun) > viewsFor:
			b.cancel(err)
			return nil
		}
		p.logger.Warn("projections: somebody reads the views for long; trying again", "projection", b.Name)
	}
}

// flip catches a build up under the serving generation's lock and lets it serve.
func (p *pass) flip(ctx context.Context, b *build) error {
	err := p.store.write(ctx, func(tx pgx.Tx) error {
		if err := lockName(ctx, tx, b.Name); err != nil {
			return err
		}
		// Before the serving row, as whoever reads a view for long must not hold up
		// those who apply.
		if err := takeViews(ctx, tx, b.Name, b.build); err != nil {
			return err
		}
		serving, err := scanControl(tx.QueryRow(ctx, lockServing, b.Name, b.Version))
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		upto, err := p.log.Last(ctx) // nobody can have applied more, and nobody applies now
		if err != nil {
			return err
		}
		if b.seq.Load() < upto { // in transactions of the build's own
			if err := p.fill(ctx, []*build{b}, upto); err != nil {
				return err
			}
			if err := b.stopped(); err != nil {
				return err
			}
		}
		built, err := scanControl(tx.QueryRow(ctx, lockBuild, b.Name, b.build))
		if err != nil {
			return err
		}
		now := stamp(p.log.Identity())
		batch := &pgx.Batch{}
		batch.Queue(`DELETE FROM control.builds WHERE projection = $1 AND generation = $2`, b.Name, b.build)
		batch.Queue(`
			INSERT INTO control.projections (projection, version, generation, ready, stream, created, seq, event_id)
			VALUES ($1, $2, $3, true, $4, $5, $6, $7)
			ON CONFLICT (projection, version) DO UPDATE SET generation = excluded.generation, ready = true,
				stream = excluded.stream, created = excluded.created, seq = excluded.seq, event_id = excluded.event_id,
				status = 'running', error = '', updated_at = now(), seen_at = now()`,
			b.Name, b.Version, b.build, now.stream, now.created, int64(built.seq), string(built.event))
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if serving.generation != 0 {
			if err := retire(ctx, tx, b.Name, serving.generation); err != nil {
				return err
			}
		}
		fault.Point("flip.before")
		return nil
	})
	if err != nil {
		return fmt.Errorf("flip %s to generation %d: %w", b.Name, b.build, err)
	}
	fault.Point("flip.after")
	p.store.moved(b.Name, 0)
	return nil
}
