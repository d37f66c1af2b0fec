package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// park queues the record of an event that waits: the one that could not be
// applied (failed), or one behind it (nil).
func park(queue *pgx.Batch, projection string, generation int, r domain.Recorded, failed error) {
	text := ""
	if failed != nil {
		text = clean(failed.Error())
	}
	queue.Queue(`
		INSERT INTO control.parked (projection, generation, product, agent, seq, event_id, type, error, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		projection, generation, r.Product, string(r.Agent), int64(r.Seq), string(r.ID), r.Type, text, r.Time)
}

// ParkedAgent is an agent whose event could not be applied; its later events wait.
type ParkedAgent struct {
	Projection string `json:"projection"`
	domain.Key
	Seq     uint64    `json:"seq"` // the event that could not be applied
	Event   domain.ID `json:"event"`
	Type    string    `json:"type"`
	Error   string    `json:"error"`
	Waiting int       `json:"waiting"` // events behind it
}

// Parked lists them.
func (s *Store) Parked(ctx context.Context) ([]ParkedAgent, error) {
	var out []ParkedAgent
	for _, p := range s.list {
		rows, err := s.pool.Query(ctx, `
			SELECT DISTINCT ON (k.product, k.agent) k.product, k.agent, k.seq, k.event_id, k.type, k.error,
				count(*) OVER (PARTITION BY k.product, k.agent) - 1
			FROM control.parked k JOIN control.projections c USING (projection, generation)
			WHERE c.projection = $1 AND c.version = $2
			ORDER BY k.product, k.agent, k.seq`, p.Name, p.Version)
		if err != nil {
			return nil, fmt.Errorf("parked agents of %s: %w", p.Name, err)
		}
		list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (ParkedAgent, error) {
			a := ParkedAgent{Projection: p.Name}
			var seq int64
			err := row.Scan(&a.Product, &a.Agent, &seq, &a.Event, &a.Type, &a.Error, &a.Waiting)
			a.Seq = uint64(seq)
			return a, err
		})
		if err != nil {
			return nil, fmt.Errorf("parked agents of %s: %w", p.Name, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

// Retry replays a parked agent's events in order, in one transaction. If one
// still cannot be applied it becomes the new head of the queue and a *PoisonError
// says so; what came before it is kept. NotFound if the agent is not parked.
func (r *Runner) Retry(ctx context.Context, projection string, key domain.Key) error {
	p, err := r.store.named(projection)
	if err != nil {
		return err
	}
	var poison *PoisonError
	err = r.store.write(ctx, func(tx pgx.Tx) error {
		poison = nil
		var c control
		if _, err := lockTarget(ctx, tx, target{Projection: p}, &c); err != nil {
			return err
		}
		waiting, err := parkedSeqs(ctx, tx, p.Name, c.generation, key)
		if err != nil {
			return err
		}
		if len(waiting) == 0 {
			return domain.Errorf(domain.NotFound, "agent %s is not parked in %s", key.Agent, p.Name)
		}
		if !c.sameStream(r.log.Identity()) {
			return &divergedError{"the parked events are of another stream"}
		}
		poison, err = p.replay(ctx, tx, r.log, c, key, waiting)
		return err
	})
	if err == nil && poison != nil {
		err = poison
	}
	if err == nil {
		r.store.moved(p.Name, 0)
	}
	return err
}

// replay applies an agent's waiting events until one fails.
func (p Projection) replay(ctx context.Context, tx pgx.Tx, log Log, c control, key domain.Key, waiting map[uint64]bool) (*PoisonError, error) {
	first, last := bounds(waiting)
	var poison *PoisonError
	err := log.Read(ctx, first-1, last, key, nil, func(events []domain.Recorded) error {
		for _, r := range events {
			if poison != nil || !waiting[r.Seq] {
				continue
			}
			failed, err := p.try(ctx, tx, c.generation, r)
			if err != nil {
				return err
			}
			sql := `DELETE FROM control.parked WHERE projection = $1 AND generation = $2 AND product = $3 AND agent = $4 AND seq = $5`
			args := []any{p.Name, c.generation, key.Product, string(key.Agent), int64(r.Seq)}
			if failed != nil {
				poison = &PoisonError{p.Name, r.Seq, r.ID, r.Type, key, failed}
				sql = `UPDATE control.parked SET error = $6 WHERE projection = $1 AND generation = $2 AND product = $3 AND agent = $4 AND seq = $5`
				args = append(args, clean(failed.Error()))
			}
			if _, err := tx.Exec(ctx, sql, args...); err != nil {
				return fmt.Errorf("parked event %d: %w", r.Seq, err)
			}
		}
		return nil
	})
	return poison, err
}

func parkedSeqs(ctx context.Context, tx pgx.Tx, projection string, generation int, key domain.Key) (map[uint64]bool, error) {
	rows, err := tx.Query(ctx, `
		SELECT seq FROM control.parked WHERE projection = $1 AND generation = $2 AND product = $3 AND agent = $4`,
		projection, generation, key.Product, string(key.Agent))
	if err != nil {
		return nil, fmt.Errorf("parked events of %s: %w", key.Agent, err)
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("parked events of %s: %w", key.Agent, err)
	}
	out := make(map[uint64]bool, len(seqs))
	for _, seq := range seqs {
		out[uint64(seq)] = true
	}
	return out, nil
}

func bounds(seqs map[uint64]bool) (first, last uint64) {
	for seq := range seqs {
		if first == 0 || seq < first {
			first = seq
		}
		last = max(last, seq)
	}
	return first, last
}
