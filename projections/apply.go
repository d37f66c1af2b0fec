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
	"sozai/streams/fault"
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
	// memory is what the caller keeps of the generation from chunk to chunk; nil:
	// nothing.
	memory *memory
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

// applyWhole applies all events as one unit of work; one that fails undoes all.
func (s *Store) applyWhole(ctx context.Context, t target, id streams.Identity, after uint64, events []domain.Recorded) (control, error) {
	m := t.memory
	if m == nil {
		m = newMemory(t.Projection)
	}
	var c control
	moved := false
	err := s.write(ctx, func(tx pgx.Tx) error {
		parked, err := lockTarget(ctx, tx, t, &c)
		if err != nil {
			return err
		}
		fault.Point("apply.locked")
		todo, err := c.pending(id, after, events)
		if err != nil || len(todo) == 0 {
			return err
		}
		m.begin(c, len(parked) > 0 && t.build == 0) // nobody retries in a build
		going := todo
		if len(parked) > 0 {
			waiting := &pgx.Batch{}
			going = t.split(waiting, c.generation, todo, parked)
			if err := tx.SendBatch(ctx, waiting).Close(); err != nil {
				return err
			}
		}
		if err := m.run(ctx, tx, going); err != nil {
			return err
		}
		if err := c.move(ctx, tx, t, todo[len(todo)-1]); err != nil {
			return err
		}
		fault.Point("apply.rows")
		moved = true
		return nil
	})
	switch {
	case err != nil:
		m.forget()
	case moved:
		m.committed(c.seq)
		fault.Point("apply.committed")
	}
	return c, err
}

// split queues the records of events whose agents are parked and returns the others.
func (t target) split(queue *pgx.Batch, generation int, events []domain.Recorded, parked map[domain.Key]bool) []domain.Recorded {
	if len(parked) == 0 {
		return events
	}
	var going []domain.Recorded
	for _, r := range events {
		if parked[r.Key] {
			park(queue, t.Name, generation, r, nil)
			continue
		}
		going = append(going, r)
	}
	return going
}

// applyEach finds the events that cannot be applied and parks their agents; in a
// build it stops at the first, after keeping what came before it.
func (s *Store) applyEach(ctx context.Context, t target, id streams.Identity, after uint64, events []domain.Recorded) (control, error) {
	var c control
	var found sieve
	err := s.write(ctx, func(tx pgx.Tx) error {
		parked, err := lockTarget(ctx, tx, t, &c)
		if err != nil {
			return err
		}
		todo, err := c.pending(id, after, events)
		if err != nil || len(todo) == 0 {
			return err
		}
		found = sieve{target: t, generation: c.generation, parked: parked, queue: &pgx.Batch{}}
		if err := found.sift(ctx, tx, todo); err != nil {
			return err
		}
		if err := tx.SendBatch(ctx, found.queue).Close(); err != nil {
			return err
		}
		if found.poison != nil {
			todo = todo[:slices.IndexFunc(todo, func(r domain.Recorded) bool { return r.Seq == found.poison.Seq })]
		}
		if len(todo) == 0 {
			return nil
		}
		return c.move(ctx, tx, t, todo[len(todo)-1])
	})
	if err == nil && found.poison != nil {
		err = found.poison
	}
	return c, err
}

// sieve separates the events that can be applied from those that cannot.
type sieve struct {
	target
	generation int
	parked     map[domain.Key]bool
	queue      *pgx.Batch   // the records of events that wait
	poison     *PoisonError // what stopped a build
}

// sift applies events in order, a piece behind a savepoint; a piece that fails is
// cut in two, until the event that it failed for is alone.
func (f *sieve) sift(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	going := f.split(f.queue, f.generation, events, f.parked)
	if len(going) == 0 || f.poison != nil {
		return nil
	}
	failed, err := f.try(ctx, tx, f.generation, going...)
	if err != nil || failed == nil {
		return err
	}
	cut := len(going) / 2
	var named *PoisonError
	if errors.As(failed, &named) {
		cut = max(1, slices.IndexFunc(going, func(r domain.Recorded) bool { return r.Seq == named.Seq }))
	}
	switch r := going[0]; {
	case len(going) > 1:
		if err := f.sift(ctx, tx, going[:cut]); err != nil {
			return err
		}
		return f.sift(ctx, tx, going[cut:])
	case f.build != 0:
		f.poison = &PoisonError{f.Name, r.Seq, r.ID, r.Type, r.Key, cause(failed)}
	default:
		f.parked[r.Key] = true
		park(f.queue, f.Name, f.generation, r, cause(failed))
	}
	return nil
}

// tune sets the transaction up for set-based work: commits need not be flushed to
// disk, since after a crash of the database rows and position are lost together
// and are made again from the log; and the plans of our statements, which are
// kept, always go from the parameters to the table by its index.
const tune = `SELECT set_config('synchronous_commit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
	set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
	set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)`

// lockTarget locks the control row, reads the position and the parked agents.
func lockTarget(ctx context.Context, tx pgx.Tx, t target, c *control) (map[domain.Key]bool, error) {
	batch := &pgx.Batch{}
	if t.build == 0 {
		batch.Queue(lockServing, t.Name, t.Version)
	} else {
		batch.Queue(lockBuild, t.Name, t.build)
	}
	batch.Queue(tune)
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

// move writes the new position.
func (c *control) move(ctx context.Context, tx pgx.Tx, t target, last domain.Recorded) error {
	c.seq, c.event = last.Seq, last.ID
	sql, key := `UPDATE control.projections SET stream = $3, created = $4, seq = $5, event_id = $6, updated_at = now()
		WHERE projection = $1 AND version = $2`, t.Version
	if t.build != 0 {
		sql, key = `UPDATE control.builds SET stream = $3, created = $4, seq = $5, event_id = $6
			WHERE projection = $1 AND generation = $2`, t.build
	}
	_, err := tx.Exec(ctx, sql, t.Name, key, c.stream, c.created, int64(c.seq), string(c.event))
	return err
}

func (p Projection) poison(r domain.Recorded, err error) error {
	return &PoisonError{p.Name, r.Seq, r.ID, r.Type, r.Key, err}
}

// try applies events behind a savepoint. failed says why they cannot be applied;
// err that applying must be given up altogether.
func (p Projection) try(ctx context.Context, tx pgx.Tx, generation int, events ...domain.Recorded) (failed, err error) {
	sub, err := tx.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("try event %d: %w", events[0].Seq, err)
	}
	failed = p.applyIn(ctx, sub, generation, events)
	if failed == nil {
		return nil, sub.Commit(ctx)
	}
	if !isPoison(failed) {
		return nil, failed
	}
	return failed, sub.Rollback(ctx)
}

// applyIn applies events within a transaction that holds the generation's lock. It
// neither checks nor moves the position, and parks nobody.
func (p Projection) applyIn(ctx context.Context, tx pgx.Tx, generation int, events []domain.Recorded) error {
	if _, err := tx.Exec(ctx, tune); err != nil {
		return fmt.Errorf("apply to %s: %w", schemaOf(p.Name, generation), err)
	}
	m := newMemory(p)
	m.generation, m.schema = generation, schemaOf(p.Name, generation)
	return m.run(ctx, tx, events)
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
	if errors.As(err, &p) || errors.Is(err, errUnstorable) {
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
