package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sozai/domain"
	"sozai/streams"
)

// PoisonError names an event that cannot be applied.
type PoisonError struct {
	Projection string
	Seq        uint64
	Event      domain.ID
	Type       string
	Key        domain.Key
	Err        error
}

func (e *PoisonError) Error() string {
	return fmt.Sprintf("%s: event %d (%s, %s) of agent %s cannot be applied: %v",
		e.Projection, e.Seq, e.Type, e.Event, e.Key.Agent, e.Err)
}

func (e *PoisonError) Unwrap() error { return e.Err }

// target is the generation that events are applied to: the serving one
// (build 0), or one being built, in which a poison event stops the build.
type target struct {
	Projection
	build int
}

// apply brings a target from wherever it stands to the end of events, which
// follow the event at after without a gap, in one transaction. Events that it
// has applied already are skipped. It returns the position it left.
func (s *Store) apply(ctx context.Context, t target, id streams.Identity, after uint64, events []domain.Recorded) (control, error) {
	c, err := s.applyWhole(ctx, t, id, after, events)
	if err == nil || !isPoison(err) {
		return c, err
	}
	return s.applyEach(ctx, t, id, after, events)
}

// applyWhole sends all statements in one round trip; one that fails undoes all.
func (s *Store) applyWhole(ctx context.Context, t target, id streams.Identity, after uint64, events []domain.Recorded) (control, error) {
	var c control
	err := s.write(ctx, func(tx pgx.Tx) error {
		parked, err := lockTarget(ctx, tx, t, &c)
		if err != nil {
			return err
		}
		todo, err := c.pending(id, after, events)
		if err != nil || len(todo) == 0 {
			return err
		}
		b := &Batch{schema: schemaOf(t.Name, c.generation), queue: &pgx.Batch{}}
		for _, r := range todo {
			if parked[r.Key] {
				park(b.queue, t.Name, c.generation, r, nil)
				continue
			}
			if err := t.queue(b, r); err != nil {
				return err
			}
		}
		c.move(b.queue, t, todo[len(todo)-1])
		return tx.SendBatch(ctx, b.queue).Close()
	})
	return c, err
}

// applyEach finds the events that cannot be applied and parks their agents; in a
// build it stops at the first, after keeping what came before it.
func (s *Store) applyEach(ctx context.Context, t target, id streams.Identity, after uint64, events []domain.Recorded) (control, error) {
	var c control
	var poison *PoisonError
	err := s.write(ctx, func(tx pgx.Tx) error {
		poison = nil
		parked, err := lockTarget(ctx, tx, t, &c)
		if err != nil {
			return err
		}
		todo, err := c.pending(id, after, events)
		if err != nil || len(todo) == 0 {
			return err
		}
		control := &pgx.Batch{}
		for i, r := range todo {
			var failed error
			if !parked[r.Key] {
				if failed, err = t.try(ctx, tx, c.generation, r); err != nil {
					return err
				}
			}
			if failed != nil && t.build != 0 {
				poison = &PoisonError{t.Name, r.Seq, r.ID, r.Type, r.Key, failed}
				todo = todo[:i]
				break
			}
			if failed != nil || parked[r.Key] {
				parked[r.Key] = true
				park(control, t.Name, c.generation, r, failed)
			}
		}
		if len(todo) > 0 {
			c.move(control, t, todo[len(todo)-1])
		}
		return tx.SendBatch(ctx, control).Close()
	})
	if err == nil && poison != nil {
		err = poison
	}
	return c, err
}

// lockTarget locks the control row, reads the position and the parked agents.
// Commits need not be flushed to disk: after a crash of the database rows and
// position are lost together and are made again from the log.
func lockTarget(ctx context.Context, tx pgx.Tx, t target, c *control) (map[domain.Key]bool, error) {
	batch := &pgx.Batch{}
	if t.build == 0 {
		batch.Queue(lockServing, t.Name, t.Version)
	} else {
		batch.Queue(lockBuild, t.Name, t.build)
	}
	batch.Queue(`SET LOCAL synchronous_commit = off`)
	batch.Queue(`SELECT DISTINCT k.product, k.agent FROM control.parked k
		WHERE k.projection = $1 AND k.generation = CASE WHEN $3 > 0 THEN $3 ELSE
			(SELECT generation FROM control.projections WHERE projection = $1 AND version = $2) END`,
		t.Name, t.Version, t.build)
	results := tx.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }()
	var err error
	if *c, err = scanControl(results.QueryRow()); err != nil {
		return nil, fmt.Errorf("lock %s: %w", t.Name, err)
	}
	if _, err := results.Exec(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", t.Name, err)
	}
	rows, err := results.Query()
	if err != nil {
		return nil, fmt.Errorf("parked agents of %s: %w", t.Name, err)
	}
	parked := map[domain.Key]bool{}
	var key domain.Key
	if _, err := pgx.ForEachRow(rows, []any{&key.Product, &key.Agent}, func() error {
		parked[key] = true
		return nil
	}); err != nil {
		return nil, fmt.Errorf("parked agents of %s: %w", t.Name, err)
	}
	return parked, results.Close()
}

// pending returns the events beyond the position. It refuses a batch that does
// not follow it, or that shows the position to be of another log.
func (c *control) pending(id streams.Identity, after uint64, events []domain.Recorded) ([]domain.Recorded, error) {
	if c.seq == 0 {
		c.position = stamp(id)
	}
	if !c.sameStream(id) {
		return nil, &divergedError{fmt.Sprintf("rows are of stream %s made %s", c.stream, c.created)}
	}
	if c.seq < after {
		return nil, errGap
	}
	i, found := slices.BinarySearchFunc(events, c.seq, func(r domain.Recorded, seq uint64) int {
		switch {
		case r.Seq < seq:
			return -1
		case r.Seq > seq:
			return 1
		}
		return 0
	})
	if found {
		if events[i].ID != c.event {
			return nil, &divergedError{fmt.Sprintf("event %d is %q, rows were made from %q", c.seq, events[i].ID, c.event)}
		}
		i++
	}
	return events[i:], nil
}

// move queues the new position.
func (c *control) move(queue *pgx.Batch, t target, last domain.Recorded) {
	c.seq, c.event = last.Seq, last.ID
	if t.build != 0 {
		queue.Queue(`UPDATE control.builds SET stream = $3, created = $4, seq = $5, event_id = $6
			WHERE projection = $1 AND generation = $2`,
			t.Name, t.build, c.stream, c.created, int64(c.seq), string(c.event))
		return
	}
	queue.Queue(`UPDATE control.projections SET stream = $3, created = $4, seq = $5, event_id = $6, updated_at = now()
		WHERE projection = $1 AND version = $2`,
		t.Name, t.Version, c.stream, c.created, int64(c.seq), string(c.event))
}

// queue adds the statements of one event.
func (p Projection) queue(b *Batch, r domain.Recorded) error {
	if !slices.Contains(p.Kinds, r.Kind) {
		return nil
	}
	if bad, is := r.Event.(streams.Poison); is {
		return p.poison(r, bad.Err)
	}
	b.key = r.Key
	err := p.Apply(b, r)
	if err == nil {
		err = b.err
	}
	b.err = nil
	if err != nil {
		return p.poison(r, err)
	}
	return nil
}

func (p Projection) poison(r domain.Recorded, err error) error {
	return &PoisonError{p.Name, r.Seq, r.ID, r.Type, r.Key, err}
}

// try applies one event behind a savepoint. failed says why it cannot be
// applied; err that applying must be given up altogether.
func (p Projection) try(ctx context.Context, tx pgx.Tx, generation int, r domain.Recorded) (failed, err error) {
	b := &Batch{schema: schemaOf(p.Name, generation), queue: &pgx.Batch{}}
	if failed = p.queue(b, r); failed != nil || b.queue.Len() == 0 {
		return cause(failed), nil
	}
	sub, err := tx.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("try event %d: %w", r.Seq, err)
	}
	failed = sub.SendBatch(ctx, b.queue).Close()
	if failed == nil {
		return nil, sub.Commit(ctx)
	}
	if !isPoison(failed) {
		return nil, failed
	}
	return failed, sub.Rollback(ctx)
}

// cause is what a poison event failed with, without its name.
func cause(err error) error {
	var p *PoisonError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// isPoison tells an event that can never be applied from trouble that passes
// (connections, locks, a full disk) and from defects of our statements: only
// data that is wrong, breaks a constraint or is too large is its fault.
func isPoison(err error) bool {
	var p *PoisonError
	if errors.As(err, &p) {
		return true
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code[:2] {
		case "21", "22", "23", "54":
			return true
		}
		return false
	}
	return false
}

// isDefect tells a statement that can never work (a missing table, a wrong
// column) from trouble that passes.
func isDefect(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code[:2] == "42"
}
