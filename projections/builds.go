package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// Why a generation is being built.
const (
	forRebuild = "rebuild" // to serve
	forVerify  = "verify"  // to be compared and thrown away
	forAt      = "at"      // as of a sequence, to be kept
	forAsOf    = "asof"    // as of a sequence, one agent, for a request or so
)

// The refusals of builds.
var (
	// ErrRebuilding: another process is at it.
	ErrRebuilding = domain.Rule(domain.Conflict, "rebuild_running", "a rebuild of this projection is already running")
	// ErrNoBuild: there is nothing to cancel.
	ErrNoBuild = domain.Rule(domain.NotFound, "no_build", "nothing is being built")
	// ErrBuildCancelled: somebody called CancelBuild.
	ErrBuildCancelled = domain.Rule(domain.Conflict, "rebuild_cancelled", "the rebuild was cancelled")
)

// cancelWait bounds how long CancelBuild waits for the process that builds.
const cancelWait = 10 * time.Second

// BuildStatus is a build in progress, or one that stopped and can go on.
type BuildStatus struct {
	Projection string        `json:"projection"`
	Version    int           `json:"version"`
	Generation int           `json:"generation"`
	Purpose    string        `json:"purpose"` // rebuild, verify, at
	Seq        uint64        `json:"seq"`
	Target     uint64        `json:"target"`
	Rate       float64       `json:"rate"` // events a second, 0: not known
	ETA        time.Duration `json:"eta"`  // 0: not known
	StartedAt  time.Time     `json:"started_at"`
	UpdatedAt  time.Time     `json:"updated_at"`
	Process    string        `json:"process"`         // the one that built last
	Running    bool          `json:"running"`         // false: it stopped; the same command goes on
	Error      string        `json:"error,omitempty"` // why it stopped
	Cancelled  bool          `json:"cancelled"`       // about to be dropped
}

// Builds lists every build in progress or stopped, whichever process runs it.
func (s *Store) Builds(ctx context.Context) ([]BuildStatus, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT b.projection, b.version, b.generation, b.purpose, b.seq, coalesce(p.target, b.upto), coalesce(p.rate, 0),
			b.started_at, coalesce(p.updated_at, b.started_at), coalesce(p.process, ''), coalesce(p.error, ''),
			coalesce(p.cancelled, false), EXISTS (
				SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
				WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND d.datname = current_database()
					AND (l.classid::bigint << 32 | l.objid::bigint) =
						hashtext('sozai ' || b.purpose || CASE WHEN b.upto > 0 THEN ' ' || b.upto ELSE '' END || ' ' || b.projection))
		FROM control.builds b LEFT JOIN control.progress p USING (projection, generation)
		WHERE b.purpose <> 'asof' ORDER BY b.started_at, b.projection, b.generation`)
	if err != nil {
		return nil, fmt.Errorf("builds: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (BuildStatus, error) {
		var b BuildStatus
		var seq, target int64
		err := row.Scan(&b.Projection, &b.Version, &b.Generation, &b.Purpose, &seq, &target, &b.Rate,
			&b.StartedAt, &b.UpdatedAt, &b.Process, &b.Error, &b.Cancelled, &b.Running)
		b.Seq, b.Target = uint64(seq), uint64(target)
		b.StartedAt, b.UpdatedAt = b.StartedAt.UTC(), b.UpdatedAt.UTC()
		if b.Running {
			b.ETA = eta(b.Target-min(b.Target, b.Seq), b.Rate)
		} else {
			b.Rate = 0
		}
		return b, err
	})
	if err != nil {
		return nil, fmt.Errorf("builds: %w", err)
	}
	return list, nil
}

// eta is how long the rest takes at a rate, 0 if that is not known.
func eta(left uint64, rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(float64(left) / rate * float64(time.Second))
}

// CancelBuild stops the rebuild of a projection (and what is being built of it as
// of a sequence), drops its tables and returns when they are gone. The process
// that builds stops within a second; one that has stopped before is dropped here.
// The serving generation is not touched. ErrNoBuild if there is none.
func (s *Store) CancelBuild(ctx context.Context, projection string) error {
	p, err := s.named(projection)
	if err != nil {
		return err
	}
	rows, err := s.pool.Query(ctx, `
		INSERT INTO control.progress (projection, generation, cancelled)
		SELECT projection, generation, true FROM control.builds WHERE projection = $1 AND purpose IN ($2, $3)
		ON CONFLICT (projection, generation) DO UPDATE SET cancelled = true
		RETURNING generation`, p.Name, forRebuild, forAt)
	if err != nil {
		return fmt.Errorf("cancel the build of %s: %w", p.Name, err)
	}
	doomed, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return fmt.Errorf("cancel the build of %s: %w", p.Name, err)
	}
	if len(doomed) == 0 {
		return ErrNoBuild.With(map[string]any{"projection": p.Name}, "%s is not being built", p.Name)
	}
	deadline := time.Now().Add(cancelWait)
	for {
		left, err := s.dropStopped(ctx, p, doomed)
		if err != nil || left == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return ErrRebuilding.With(map[string]any{"projection": p.Name}, "the build of %s was told to stop, but has not yet", p.Name)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// dropStopped drops those of the generations that no process builds any more and
// returns how many are left.
func (s *Store) dropStopped(ctx context.Context, p Projection, generations []int) (left int, err error) {
	rows, err := s.pool.Query(ctx, `SELECT generation, purpose, upto FROM control.builds WHERE projection = $1 AND generation = ANY ($2)`,
		p.Name, generations)
	if err != nil {
		return 0, fmt.Errorf("builds of %s: %w", p.Name, err)
	}
	type build struct {
		Generation int
		Purpose    string
		Upto       int64
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[build])
	if err != nil {
		return 0, fmt.Errorf("builds of %s: %w", p.Name, err)
	}
	for _, b := range list {
		lease, err := s.lease(ctx, []Projection{p}, workOf(b.Purpose, uint64(b.Upto)))
		if errors.Is(err, ErrRebuilding) {
			left++
			continue
		}
		if err != nil {
			return 0, err
		}
		err = s.drop(ctx, p.Name, b.Generation)
		lease.release()
		if err != nil {
			return 0, err
		}
	}
	return left, nil
}

// drop is dropBuild in a transaction of its own.
func (s *Store) drop(ctx context.Context, projection string, generation int) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		if err := lockName(ctx, tx, projection); err != nil {
			return err
		}
		return dropBuild(ctx, tx, projection, generation)
	})
}

// dropBuild drops a generation with all records of it, if it is still being built.
func dropBuild(ctx context.Context, tx pgx.Tx, projection string, generation int) error {
	tag, err := tx.Exec(ctx, `DELETE FROM control.builds WHERE projection = $1 AND generation = $2`, projection, generation)
	if err == nil && tag.RowsAffected() > 0 { // else it serves by now, or is gone
		_, err = tx.Exec(ctx, `DELETE FROM control.parked WHERE projection = $1 AND generation = $2`, projection, generation)
		err = errors.Join(err, dropGeneration(ctx, tx, projection, generation))
	}
	if err != nil {
		return fmt.Errorf("drop a build of %s: %w", projection, err)
	}
	return nil
}

// workOf names what one process at a time may do to a projection.
func workOf(purpose string, upto uint64) string {
	if upto == 0 {
		return purpose
	}
	return purpose + " " + strconv.FormatUint(upto, 10)
}

// thisProcess names it for those who look at a build from elsewhere.
func thisProcess() string {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return host + ":" + strconv.Itoa(os.Getpid())
}
