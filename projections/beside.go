package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// joinPause is how long to wait before looking again whether another process has
// finished a first build.
const joinPause = 500 * time.Millisecond

// beside brings those projections to the session that began far behind, while the
// others go on: first those that serve old rows, then those of this version that
// have no generation yet. An error is the end of the session; what happens to one
// projection stops that one.
func (s *session) beside(ctx context.Context) error {
	var behind, missing []*progress
	for _, st := range s.states {
		st.mu.Lock()
		switch {
		case st.stopped != nil || st.joined:
		case st.generation == 0:
			missing = append(missing, st)
		default:
			behind = append(behind, st)
		}
		st.mu.Unlock()
	}
	if len(behind) > 0 {
		if err := s.fillBehind(ctx, behind); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return s.buildMissing(ctx, missing)
	}
	return nil
}

// fillBehind applies the log to serving generations in large chunks until its end
// is near; then they join.
func (s *session) fillBehind(ctx context.Context, behind []*progress) error {
	lease, err := s.store.lease(ctx, nil, "catch up")
	if err != nil {
		return err
	}
	defer lease.release()
	pass := &pass{Runner: s.Runner, lease: lease}
	for _, st := range behind {
		b := &build{target: st.target, first: st.seq, begun: time.Now()}
		b.seq.Store(st.seq)
		pass.builds = append(pass.builds, b)
	}
	if err := pass.run(ctx, func(ctx context.Context) error { return pass.approach(ctx, pass.builds) }); err != nil {
		return err
	}
	for i, st := range behind {
		b := pass.builds[i]
		switch {
		case errors.Is(b.reason, errGap):
			return errRestart
		case b.reason != nil:
			err = s.stop(ctx, st, b.reason)
		default:
			err = s.join(ctx, st, b.seq.Load())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// join brings a projection from near the end to where the session stands, while
// that waits, and takes it in.
func (s *session) join(ctx context.Context, st *progress, seq uint64) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	if seq < s.cursor {
		err := s.log.Read(ctx, seq, s.cursor, domain.Key{}, nil, func(events []domain.Recorded) error {
			for len(events) > 0 && st.halted() == nil {
				chunk := events[:min(applyChunk, len(events))]
				events = events[len(chunk):]
				if err := s.applyTo(ctx, st, seq, chunk); err != nil {
					return err
				}
				seq = chunk[len(chunk)-1].Seq
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if st.halted() != nil {
		return nil
	}
	if err := s.passed(ctx, st, seq); err != nil {
		return err
	}
	st.mu.Lock()
	st.joined = true
	st.mu.Unlock()
	return nil
}

// enter takes in a projection whose generation was made meanwhile.
func (s *session) enter(ctx context.Context, st *progress, c control) error {
	if err := s.admit(ctx, st, c); err != nil || st.halted() != nil {
		return err
	}
	return s.join(ctx, st, c.seq)
}

// buildMissing gives a version its first generations, as a rebuild does, so that
// a poison event stops them while an older version beside goes on serving.
func (s *session) buildMissing(ctx context.Context, missing []*progress) error {
	for {
		list := make([]Projection, len(missing))
		for i, st := range missing {
			list[i] = st.Projection
		}
		pass, err := s.rebuild(ctx, list, true, nil)
		elsewhere := errors.Is(err, ErrRebuilding)
		if err != nil && !elsewhere {
			return err
		}
		var left []*progress
		for i, st := range missing {
			c, err := s.store.control(ctx, st.Projection)
			switch {
			case errors.Is(err, pgx.ErrNoRows) && elsewhere:
				left = append(left, st)
				continue
			case errors.Is(err, pgx.ErrNoRows) && pass.builds[i].reason != nil:
				err = s.stop(ctx, st, pass.builds[i].reason)
			case err == nil:
				err = s.enter(ctx, st, c)
			}
			if err != nil {
				return err
			}
		}
		if len(left) == 0 {
			return nil
		}
		missing = left
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(joinPause):
		}
	}
}

// carryOver parks the agent of a poison event in a first build if another version
// has that event parked too, or if there is no other version that could serve.
func (s *Store) carryOver(ctx context.Context, b *build, poison *PoisonError, chunk []domain.Recorded) (bool, error) {
	var known bool
	err := s.pool.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT 1 FROM control.projections WHERE projection = $1 AND version <> $2) OR EXISTS (
			SELECT 1 FROM control.parked k JOIN control.projections c USING (projection, generation)
			WHERE c.projection = $1 AND c.version <> $2 AND k.product = $3 AND k.agent = $4 AND k.seq = $5)`,
		b.Name, b.Version, poison.Key.Product, string(poison.Key.Agent), int64(poison.Seq)).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("parked before: %w", err)
	}
	for _, r := range chunk {
		if !known || r.Seq != poison.Seq {
			continue
		}
		queue := &pgx.Batch{}
		park(queue, b.Name, b.build, r, poison.Err)
		if err := s.pool.SendBatch(ctx, queue).Close(); err != nil {
			return false, fmt.Errorf("park event %d: %w", r.Seq, err)
		}
		return true, nil
	}
	return false, nil
}
