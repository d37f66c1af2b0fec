package projections

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// nearEnough is how many events may be left for the last step of a build, which
	// holds up the serving generation.
	nearEnough = 1000
	// buildChunk is how many events a build applies in a transaction.
	buildChunk = 3500
	// progressEvery is how often a build reports, and looks whether it was cancelled.
	progressEvery = 250 * time.Millisecond
	// viewsFor is how long a build tries to move views that somebody reads.
	viewsFor = 10 * time.Minute
)

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
// event (*PoisonError) or CancelBuild (ErrBuildCancelled) stops the build of that
// projection, whose old generation goes on serving; the others are finished.
func (r *Runner) Rebuild(ctx context.Context, names []string, progress func(RebuildProgress)) error {
	list, err := r.store.pick(names)
	if err != nil {
		return err
	}
	pass, err := r.rebuild(ctx, list, false, progress)
	if err != nil {
		return err
	}
	return pass.reasons()
}

// rebuild is Rebuild, and gives the pass, whose builds say why they stopped. With
// carry set, events that another version has parked are parked again: a first
// build must not be held up by what was known before.
func (r *Runner) rebuild(ctx context.Context, list []Projection, carry bool, progress func(RebuildProgress)) (*pass, error) {
	lease, err := r.store.lease(ctx, list, forRebuild)
	if err != nil {
		return nil, err
	}
	defer lease.release()
	pass := &pass{Runner: r, lease: lease, progress: progress, carry: carry, builds: make([]*build, len(list))}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(buildSlots)
	for i, p := range list {
		g.Go(func() (err error) {
			pass.builds[i], err = r.openBuild(gctx, p, forRebuild, 0)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return pass, pass.run(ctx, func(ctx context.Context) error {
		if err := pass.approach(ctx, pass.builds); err != nil {
			return err
		}
		if err := pass.index(ctx, pass.going(pass.builds)); err != nil {
			return err
		}
		for _, b := range pass.going(pass.builds) {
			if err := pass.finish(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
}
