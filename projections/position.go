package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/streams"
)

// position is up to where a generation's rows are true: of which stream, and by
// which event.
type position struct {
	stream  string
	created time.Time
	seq     uint64
	event   domain.ID
}

// control is a locked control row: a generation and its position.
type control struct {
	generation int
	ready      bool
	status     string
	position
}

// The statuses of a control row.
const (
	statusRunning  = "running"
	statusDiverged = "diverged"
	statusFailed   = "failed"
)

// divergedError says that the rows are not true of this log: it was restored to
// an earlier point or made anew. Only a rebuild helps.
type divergedError struct{ what string }

func (e *divergedError) Error() string { return "log diverged: " + e.what }

// errGap says that events are missing between a generation's position and the
// batch at hand; the reader must start again from the position.
var errGap = errors.New("events are missing before this batch")

// stamp is an identity as the control row stores it.
func stamp(id streams.Identity) position {
	return position{stream: id.Stream, created: id.Created.UTC().Truncate(time.Microsecond)}
}

// sameStream reports whether a position belongs to the stream. A position before
// the first event belongs to any.
func (p position) sameStream(id streams.Identity) bool {
	now := stamp(id)
	return p.stream == now.stream && p.created.Equal(now.created)
}

// check reports a position that cannot be true of the log: another stream, ahead
// of its end, or another event at that sequence. last is an end of the log, read
// before the position or after it.
func (p position) check(ctx context.Context, log Log, last uint64) error {
	id := log.Identity()
	switch {
	case p.seq == 0:
		return nil
	case !p.sameStream(id):
		return &divergedError{fmt.Sprintf("rows are of stream %s made %s, the log is %s made %s",
			p.stream, p.created.Format(time.RFC3339), id.Stream, id.Created.UTC().Format(time.RFC3339))}
	}
	if p.seq > last {
		// Another runner may have applied events that came after last was read.
		var err error
		if last, err = log.Last(ctx); err != nil {
			return fmt.Errorf("end of the log: %w", err)
		}
	}
	if p.seq > last {
		return &divergedError{fmt.Sprintf("rows are true up to %d, the log ends at %d", p.seq, last)}
	}
	found, err := log.EventID(ctx, p.seq)
	if err != nil && domain.CodeOf(err) != domain.NotFound {
		return fmt.Errorf("read event %d: %w", p.seq, err)
	}
	if found != p.event {
		return &divergedError{fmt.Sprintf("event %d is %q, rows were made from %q", p.seq, found, p.event)}
	}
	return nil
}

const (
	lockServing = `SELECT generation, ready, status, stream, created, seq, event_id
		FROM control.projections WHERE projection = $1 AND version = $2 FOR UPDATE`
	lockBuild = `SELECT generation, true, 'running', stream, created, seq, event_id
		FROM control.builds WHERE projection = $1 AND generation = $2 FOR UPDATE`
)

func scanControl(row pgx.Row) (control, error) {
	var c control
	var seq int64
	err := row.Scan(&c.generation, &c.ready, &c.status, &c.stream, &c.created, &seq, &c.event)
	c.seq = uint64(seq)
	return c, err
}

// control reads the control row of this version without locking it; pgx.ErrNoRows
// if there is none yet.
func (s *Store) control(ctx context.Context, p Projection) (control, error) {
	c, err := scanControl(s.pool.QueryRow(ctx, `SELECT generation, ready, status, stream, created, seq, event_id
		FROM control.projections WHERE projection = $1 AND version = $2`, p.Name, p.Version))
	if err != nil {
		return control{}, fmt.Errorf("control row of %s: %w", p.Name, err)
	}
	return c, nil
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// movePositions moves those of the projections that stand at from to another
// event, of which their rows are true already. It returns the names that it moved.
func movePositions(ctx context.Context, db querier, list []Projection, from position, to domain.Recorded) ([]string, error) {
	names, versions := make([]string, len(list)), make([]int, len(list))
	for i, p := range list {
		names[i], versions[i] = p.Name, p.Version
	}
	rows, err := db.Query(ctx, `
		WITH unflushed AS (SELECT set_config('synchronous_commit', 'off', true))
		UPDATE control.projections p SET seq = $7, event_id = $8, updated_at = now()
		FROM unflushed, unnest($1::text[], $2::int[]) AS n (projection, version)
		WHERE (p.projection, p.version) = (n.projection, n.version)
			AND p.stream = $3 AND p.created = $4 AND p.seq = $5 AND p.event_id = $6
		RETURNING p.projection`,
		names, versions, from.stream, from.created, int64(from.seq), string(from.event), int64(to.Seq), string(to.ID))
	if err != nil {
		return nil, fmt.Errorf("move positions: %w", err)
	}
	moved, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("move positions: %w", err)
	}
	return moved, nil
}

// ensure returns the control row of this version, and makes it with an empty
// generation if there is none yet.
func (s *Store) ensure(ctx context.Context, p Projection, id streams.Identity) (control, error) {
	var c control
	err := s.write(ctx, func(tx pgx.Tx) error {
		if err := lockName(ctx, tx, p.Name); err != nil {
			return err
		}
		var err error
		c, err = scanControl(tx.QueryRow(ctx, lockServing, p.Name, p.Version))
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		now := stamp(id)
		c = control{status: statusRunning, position: now}
		if c.generation, err = newGeneration(ctx, tx, p.Name); err != nil {
			return err
		}
		if err := addIndexes(ctx, tx, p.Name, c.generation); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO control.projections (projection, version, generation, stream, created)
			VALUES ($1, $2, $3, $4, $5)`, p.Name, p.Version, c.generation, now.stream, now.created)
		return err
	})
	if err != nil {
		return control{}, fmt.Errorf("control row of %s: %w", p.Name, err)
	}
	return c, nil
}

// setStatus records why a projection stopped, or that it runs again.
func (s *Store) setStatus(ctx context.Context, p Projection, status, reason string) error {
	_, err := s.pool.Exec(ctx, `
		UPDATE control.projections SET status = $3, error = $4, updated_at = now()
		WHERE projection = $1 AND version = $2 AND (status, error) <> ($3, $4)`, p.Name, p.Version, status, clean(reason))
	if err != nil {
		return fmt.Errorf("status of %s: %w", p.Name, err)
	}
	return nil
}

// adopt gives an untouched control row the identity of the log.
func (s *Store) adopt(ctx context.Context, p Projection, id streams.Identity) error {
	now := stamp(id)
	_, err := s.pool.Exec(ctx, `
		UPDATE control.projections SET stream = $3, created = $4
		WHERE projection = $1 AND version = $2 AND seq = 0`, p.Name, p.Version, now.stream, now.created)
	if err != nil {
		return fmt.Errorf("adopt the log for %s: %w", p.Name, err)
	}
	return nil
}

// markReady opens a generation to readers and points the views at it.
func (s *Store) markReady(ctx context.Context, p Projection) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		c, err := scanControl(tx.QueryRow(ctx, lockServing, p.Name, p.Version))
		if err != nil {
			return fmt.Errorf("control row of %s: %w", p.Name, err)
		}
		if c.ready {
			return nil
		}
		if err := publishViews(ctx, tx, p.Name, c.generation); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE control.projections SET ready = true, updated_at = now()
			WHERE projection = $1 AND version = $2`, p.Name, p.Version)
		if err != nil {
			return fmt.Errorf("open %s: %w", p.Name, err)
		}
		return nil
	})
}
