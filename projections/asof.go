package projections

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// The bounds of a look at the past.
const (
	// AsOfEvents is how many events of one agent are applied for a request; more
	// are a matter for BuildAt.
	AsOfEvents = 100_000
	// asOfAlive is how many read models stand at once, in all processes together.
	asOfAlive = 32
	// asOfAge is how long one stands at most; then it is dropped even if whoever
	// made it has died.
	asOfAge = 10 * time.Minute
)

// The refusals of a look at the past.
var (
	// ErrTooLong: the agent has too many events for a request.
	ErrTooLong = domain.Rule(domain.Unprocessable, "past_too_long", "this agent's history is too long to be shown at once")
	// ErrPastsFull: too many looks at the past at once.
	ErrPastsFull = domain.Rule(domain.Unavailable, "pasts_full", "too many looks at the past at once; try again in a minute")
	// ErrNoAgentYet: the agent's first event comes later.
	ErrNoAgentYet = domain.Rule(domain.NotFound, "not_yet_there", "the agent was not there yet")
)

// AsOf gives the named read models (none: all) of one agent as they were after the
// event seq, made from the agent's events alone. The view answers queries about
// that agent until release, which drops it, but no longer than ten minutes.
func (r *Runner) AsOf(ctx context.Context, key domain.Key, seq uint64, names ...string) (view *Store, release func(), err error) {
	list, err := r.store.pick(names)
	if err != nil {
		return nil, nil, err
	}
	if err := r.reached(ctx, seq); err != nil {
		return nil, nil, err
	}
	var alive int
	if err := r.store.pool.QueryRow(ctx, `SELECT count(*) FROM control.builds WHERE purpose = $1`, forAsOf).Scan(&alive); err != nil {
		return nil, nil, fmt.Errorf("looks at the past: %w", err)
	}
	if alive+len(list) > asOfAlive {
		return nil, nil, ErrPastsFull
	}
	pass := &pass{Runner: r, key: key, most: AsOfEvents}
	drop := sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		for _, b := range pass.builds {
			if err := r.store.drop(ctx, b.Name, b.build); err != nil { // the sweep will do it
				r.logger.Warn("projections: drop a look at the past", "projection", b.Name, "error", err)
			}
		}
	})
	defer func() {
		if err != nil {
			drop()
		}
	}()
	view = &Store{pool: r.store.pool, list: r.store.list, news: r.store.news, past: map[string]query{}}
	for _, p := range list {
		b, err := r.openBuild(ctx, p, forAsOf, seq)
		if err != nil {
			return nil, nil, err
		}
		pass.builds = append(pass.builds, b)
		view.past[p.Name] = query{schema: schemaOf(p.Name, b.build), seq: seq}
	}
	if err := pass.run(ctx, func(ctx context.Context) error { return pass.fill(ctx, pass.builds, seq) }); err != nil {
		return nil, nil, err
	}
	if err := pass.reasons(); err != nil {
		return nil, nil, err
	}
	if pass.read == 0 {
		return nil, nil, ErrNoAgentYet.With(map[string]any{"seq": seq}, "agent %s had no event up to %d", key.Agent, seq)
	}
	return view, drop, nil
}

// sweepScratch drops what was made to be thrown away and was left behind by
// processes that died: looks at the past after their time, checks and unfinished
// pasts that nobody has worked on for long.
func (s *Store) sweepScratch(ctx context.Context, p Projection, age time.Duration) error {
	return s.cleanUp(ctx, p, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT b.generation FROM control.builds b LEFT JOIN control.progress g USING (projection, generation)
			WHERE b.projection = $1 AND CASE b.purpose
				WHEN $2 THEN b.started_at < now() - least($5::interval, $6::interval)
				WHEN $3 THEN coalesce(g.updated_at, b.started_at) < now() - $5::interval
				WHEN $4 THEN coalesce(g.updated_at, b.started_at) < now() - $7::interval
				ELSE false END`, p.Name, forAsOf, forVerify, forAt, age, asOfAge, max(age, oldVersionAge))
		if err != nil {
			return fmt.Errorf("scratch builds of %s: %w", p.Name, err)
		}
		left, err := pgx.CollectRows(rows, pgx.RowTo[int])
		if err != nil {
			return fmt.Errorf("scratch builds of %s: %w", p.Name, err)
		}
		for _, generation := range left {
			err = errors.Join(err, dropBuild(ctx, tx, p.Name, generation))
		}
		return err
	})
}
