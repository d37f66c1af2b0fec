package projections

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sozai/domain"
	"sozai/streams/fault"
)

const (
	// togetherMost is how many events are applied to several projections in one
	// transaction; more are worth a connection for each.
	togetherMost = 250
	// togetherAtOnce is how many such transactions there are for a chunk.
	togetherAtOnce = 2
	// togetherTune is tune for a transaction that must not keep several projections
	// waiting for long because somebody has locked a table of one.
	togetherTune = tune + `, set_config('lock_timeout', '1s', true)`
)

// together brings the projections that stand where the session does past a chunk
// in few transactions: of a few events the begin, the locks and the commit of one for
// each projection cost as much as the rows. It returns those that must go by
// themselves: whose row somebody else holds or has moved, and that have agents parked.
// If anything fails all of its transaction must, so that what is wrong with one
// projection stops only that one.
func (s *session) together(ctx context.Context, states []*progress, chunk []domain.Recorded) ([]*progress, error) {
	at := stamp(s.log.Identity())
	at.seq, at.event = s.cursor, s.event
	parts := make([][]*progress, togetherAtOnce)
	for i, st := range states {
		parts[i%len(parts)] = append(parts[i%len(parts)], st)
	}
	g, gctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		if len(part) == 0 {
			continue
		}
		g.Go(func() error {
			done, err := s.store.applyTogether(gctx, part, at, chunk)
			if err != nil {
				if gctx.Err() == nil && !isPoison(err) {
					s.logger.Warn("projections: each by itself", "error", err)
				}
				return gctx.Err()
			}
			for _, st := range done {
				if err := s.passed(gctx, st, chunk[len(chunk)-1].Seq); err != nil {
					return err
				}
			}
			parts[i] = slices.DeleteFunc(part, func(st *progress) bool { return slices.Contains(done, st) })
			return nil
		})
	}
	err := g.Wait()
	return slices.Concat(parts...), err
}

// applyTogether applies a chunk that follows the position at to those of the
// projections that stand there, that nobody else has locked and that have no agent
// parked; it returns them.
func (s *Store) applyTogether(ctx context.Context, states []*progress, at position, chunk []domain.Recorded) (done []*progress, err error) {
	last := chunk[len(chunk)-1]
	var used []*memory
	err = s.write(ctx, func(tx pgx.Tx) error {
		serving, err := lockFree(ctx, tx, states, at)
		if err != nil || len(serving) == 0 {
			return err
		}
		fault.Point("apply.locked")
		var list []Projection
		for _, st := range states {
			generation, free := serving[st.Name]
			if !free {
				continue
			}
			done, list = append(done, st), append(list, st.Projection)
			if !st.concerned(chunk) {
				continue
			}
			used = append(used, st.memory)
			st.memory.begin(control{generation: generation, position: at}, false)
		}
		if len(used) > 0 {
			if err := runAll(ctx, tx, used, chunk); err != nil {
				return err
			}
		}
		moved, err := movePositions(ctx, tx, list, at, last)
		if err != nil {
			return err
		}
		if len(moved) != len(done) {
			return fmt.Errorf("only %v could be moved from %d to %d", moved, at.seq, last.Seq)
		}
		fault.Point("apply.rows")
		return nil
	})
	if err != nil {
		for _, m := range used {
			m.forget()
		}
		return nil, err
	}
	for _, st := range done {
		if slices.Contains(used, st.memory) {
			st.memory.committed(last.Seq)
		} else {
			st.memory.skipped(at.seq, last.Seq)
		}
	}
	if len(done) > 0 {
		fault.Point("apply.committed")
	}
	return done, nil
}

// lockFree locks the control rows that stand at a position, and sets the
// transaction up as lockTarget does. It waits for no row, since a transaction that
// holds others must not. It returns the generations of those without parked agents,
// which it reads under the locks: whoever parks or flips has them too.
func lockFree(ctx context.Context, tx pgx.Tx, states []*progress, at position) (map[string]int, error) {
	names, versions := make([]string, len(states)), make([]int, len(states))
	for i, st := range states {
		names[i], versions[i] = st.Name, st.Version
	}
	batch := &pgx.Batch{}
	batch.Queue(togetherTune)
	batch.Queue(`
		SELECT p.projection, p.generation FROM control.projections p, unnest($1::text[], $2::int[]) AS n (projection, version)
		WHERE (p.projection, p.version) = (n.projection, n.version)
			AND p.stream = $3 AND p.created = $4 AND p.seq = $5 AND p.event_id = $6
		FOR UPDATE OF p SKIP LOCKED`, names, versions, at.stream, at.created, int64(at.seq), string(at.event))
	batch.Queue(`
		SELECT p.projection FROM control.projections p, unnest($1::text[], $2::int[]) AS n (projection, version)
		WHERE (p.projection, p.version) = (n.projection, n.version) AND EXISTS (
			SELECT FROM control.parked k WHERE (k.projection, k.generation) = (p.projection, p.generation))`, names, versions)
	results := tx.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }()
	if _, err := results.Exec(); err != nil {
		return nil, fmt.Errorf("lock the projections: %w", err)
	}
	serving := map[string]int{}
	var name string
	var generation int
	rows, _ := results.Query()
	if _, err := pgx.ForEachRow(rows, []any{&name, &generation}, func() error {
		serving[name] = generation
		return nil
	}); err != nil {
		return nil, fmt.Errorf("lock the projections: %w", err)
	}
	rows, _ = results.Query()
	if _, err := pgx.ForEachRow(rows, []any{&name}, func() error {
		delete(serving, name)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("parked agents: %w", err)
	}
	return serving, results.Close()
}
