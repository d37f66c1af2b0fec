package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sozai/domain"
)

// nearEnough is how many events may be left for the last step of a rebuild, which
// holds up the serving generation.
const nearEnough = 1000

// progressEvery is how often a rebuild reports.
const progressEvery = 250 * time.Millisecond

// ErrRebuilding: another process is at it.
var ErrRebuilding = domain.Rule(domain.Conflict, "rebuild_running", "a rebuild of this projection is already running")

// RebuildProgress is reported a few times a second and at the end (Done).
type RebuildProgress struct {
	Projection string
	Generation int
	Seq        uint64
	Target     uint64
	Rate       float64 // events a second
	ETA        time.Duration
	Done       bool
}

// Rebuild builds a new generation of each named projection (none: all) while the
// old one serves, then flips. Interrupted, it goes on where it was. A poison
// event stops it (*PoisonError), and the old generation goes on serving.
func (r *Runner) Rebuild(ctx context.Context, names []string, progress func(RebuildProgress)) error {
	list, err := r.store.pick(names)
	if err != nil {
		return err
	}
	unlock, err := r.store.exclusive(ctx, list, "rebuild")
	if err != nil {
		return err
	}
	defer unlock()
	var builds []*build
	for _, p := range list {
		b, err := r.openBuild(ctx, p, "rebuild")
		if err != nil {
			return err
		}
		builds = append(builds, b)
	}
	for {
		last, err := r.log.Last(ctx)
		if err != nil {
			return fmt.Errorf("end of the log: %w", err)
		}
		from := lowest(builds)
		if last <= from+nearEnough && from > 0 || last == from {
			break
		}
		if err := r.fill(ctx, builds, last, progress); err != nil {
			return err
		}
	}
	for _, b := range builds {
		if err := r.finish(ctx, b); err != nil {
			return err
		}
		if progress != nil {
			progress(b.report(b.seq, true))
		}
	}
	return nil
}

// build is a generation under way.
type build struct {
	target
	seq   uint64
	first uint64    // where this process began,
	begun time.Time // and when
}

func (b *build) report(last uint64, done bool) RebuildProgress {
	p := RebuildProgress{Projection: b.Name, Generation: b.build, Seq: b.seq, Target: last, Done: done}
	if spent := time.Since(b.begun).Seconds(); spent > 0 {
		p.Rate = float64(b.seq-b.first) / spent
	}
	if p.Rate > 0 && last > b.seq {
		p.ETA = time.Duration(float64(last-b.seq) / p.Rate * float64(time.Second))
	}
	return p
}

func lowest(builds []*build) uint64 {
	low := builds[0].seq
	for _, b := range builds {
		low = min(low, b.seq)
	}
	return low
}

// exclusive keeps other processes from the same work on the same projections
// until unlock.
func (s *Store) exclusive(ctx context.Context, list []Projection, work string) (unlock func(), err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock for %s: %w", work, err)
	}
	// The connection is not used again: closing it frees the locks in any case, but
	// only some time later.
	unlock = func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
		_ = conn.Conn().Close(context.WithoutCancel(ctx))
		conn.Release()
	}
	for _, p := range list {
		var got bool
		err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtext('sozai ' || $1 || ' ' || $2))`, work, p.Name).Scan(&got)
		if err == nil && !got {
			err = ErrRebuilding.With(map[string]any{"projection": p.Name}, "a %s of %s is already running", work, p.Name)
		}
		if err != nil {
			unlock()
			return nil, err
		}
	}
	return unlock, nil
}

// openBuild finds the interrupted build of a projection, if it is still true of
// the log, or begins a new one. Scratch builds are always new.
func (r *Runner) openBuild(ctx context.Context, p Projection, purpose string) (*build, error) {
	last, err := r.log.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("end of the log: %w", err)
	}
	if _, err := r.store.ensure(ctx, p, r.log.Identity()); err != nil {
		return nil, err
	}
	b := &build{target: target{Projection: p}, begun: time.Now()}
	err = r.store.write(ctx, func(tx pgx.Tx) error {
		if err := lockName(ctx, tx, p.Name); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			SELECT generation, version = $3, stream, created, seq, event_id FROM control.builds
			WHERE projection = $1 AND purpose = $2 ORDER BY seq DESC`, p.Name, purpose, p.Version)
		if err != nil {
			return err
		}
		type found struct {
			control
			same bool
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
			if purpose == "rebuild" && b.build == 0 && f.same && f.check(ctx, r.log, last) == nil {
				b.build, b.seq, b.first = f.generation, f.seq, f.seq
				continue
			}
			if err := dropBuild(ctx, tx, p.Name, f.generation); err != nil {
				return err
			}
		}
		if b.build != 0 {
			return nil
		}
		if b.build, err = newGeneration(ctx, tx, p.Name); err != nil {
			return err
		}
		now := stamp(r.log.Identity())
		_, err = tx.Exec(ctx, `
			INSERT INTO control.builds (projection, version, generation, purpose, stream, created)
			VALUES ($1, $2, $3, $4, $5, $6)`, p.Name, p.Version, b.build, purpose, now.stream, now.created)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("begin a %s of %s: %w", purpose, p.Name, err)
	}
	return b, nil
}

func dropBuild(ctx context.Context, tx pgx.Tx, projection string, generation int) error {
	if _, err := tx.Exec(ctx, `DELETE FROM control.builds WHERE projection = $1 AND generation = $2`, projection, generation); err != nil {
		return fmt.Errorf("drop a build of %s: %w", projection, err)
	}
	return dropGeneration(ctx, tx, projection, generation)
}

// fill applies the log to all builds up to a sequence.
func (r *Runner) fill(ctx context.Context, builds []*build, upto uint64, progress func(RebuildProgress)) error {
	cursor, reported := lowest(builds), time.Now()
	return r.log.Read(ctx, cursor, upto, domain.Key{}, nil, func(events []domain.Recorded) error {
		for len(events) > 0 {
			chunk := events[:min(applyChunk, len(events))]
			events = events[len(chunk):]
			g, gctx := errgroup.WithContext(ctx)
			g.SetLimit(applyAtOnce)
			for _, b := range builds {
				g.Go(func() error {
					c, err := r.store.apply(gctx, b.target, r.log.Identity(), cursor, chunk)
					b.seq = max(b.seq, c.seq)
					return err
				})
			}
			if err := g.Wait(); err != nil {
				return err
			}
			cursor = chunk[len(chunk)-1].Seq
			if progress != nil && time.Since(reported) > progressEvery {
				reported = time.Now()
				for _, b := range builds {
					progress(b.report(upto, false))
				}
			}
		}
		return nil
	})
}

// finish flips a build. If the last events hold a poison one, they are applied
// once more outside the flip, which names it.
func (r *Runner) finish(ctx context.Context, b *build) error {
	err := r.flip(ctx, b)
	if err == nil || !isPoison(err) {
		return err
	}
	last, failed := r.log.Last(ctx)
	if failed != nil {
		return err
	}
	return errors.Join(r.fill(ctx, []*build{b}, last, nil), err)
}

// flip catches a build up under the serving generation's lock and lets it serve.
func (r *Runner) flip(ctx context.Context, b *build) error {
	err := r.store.write(ctx, func(tx pgx.Tx) error {
		serving, err := scanControl(tx.QueryRow(ctx, lockServing, b.Name, b.Version))
		if err != nil {
			return err
		}
		upto, err := r.log.Last(ctx) // nobody can have applied more, and nobody applies now
		if err != nil {
			return err
		}
		built, err := scanControl(tx.QueryRow(ctx, lockBuild, b.Name, b.build))
		if err != nil {
			return err
		}
		if built.seq < upto {
			err := r.log.Read(ctx, built.seq, upto, domain.Key{}, nil, func(events []domain.Recorded) error {
				return b.applyInside(ctx, tx, &built, events)
			})
			if err != nil {
				return err
			}
		}
		now := stamp(r.log.Identity())
		if err := publishViews(ctx, tx, b.Name, b.build); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(`DELETE FROM control.builds WHERE projection = $1 AND generation = $2`, b.Name, b.build)
		batch.Queue(`
			UPDATE control.projections SET generation = $3, ready = true, stream = $4, created = $5, seq = $6, event_id = $7,
				status = 'running', error = '', updated_at = now()
			WHERE projection = $1 AND version = $2`,
			b.Name, b.Version, b.build, now.stream, now.created, int64(built.seq), string(built.event))
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		b.seq = built.seq
		return retire(ctx, tx, b.Name, serving.generation)
	})
	if err != nil {
		return fmt.Errorf("flip %s to generation %d: %w", b.Name, b.build, err)
	}
	r.store.moved(b.Name, 0)
	return nil
}

// applyInside applies events within a transaction that holds the build's lock.
func (b *build) applyInside(ctx context.Context, tx pgx.Tx, c *control, events []domain.Recorded) error {
	batch := &Batch{schema: schemaOf(b.Name, b.build), queue: &pgx.Batch{}}
	for _, r := range events {
		if err := b.queue(batch, r); err != nil {
			return err
		}
		c.seq, c.event = r.Seq, r.ID
	}
	return tx.SendBatch(ctx, batch.queue).Close()
}
