package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/domain"
)

// eventTable is what one would build without a log server: a table of events with
// one version a stream, each insert a transaction that waits for its flush.
// Versions are counted in memory, so that no insert is refused.
type eventTable struct {
	pool     *pgxpool.Pool
	streams  []domain.Key
	versions []atomic.Int64
}

func (b *bench) openEventTable(ctx context.Context, p *place) (*eventTable, error) {
	if err := b.openTables(ctx, p); err != nil {
		return nil, err
	}
	config := p.pool.Config().Copy()
	config.MaxConns, config.MinConns = 64, 64
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	b.later(pool.Close)
	var flushed string
	if err := pool.QueryRow(ctx, `SELECT current_setting('synchronous_commit') || current_setting('fsync')`).Scan(&flushed); err != nil {
		return nil, err
	}
	if flushed != "onon" {
		return nil, fmt.Errorf("the database does not flush its commits (%s)", flushed)
	}
	_, err = pool.Exec(ctx, `
		CREATE SCHEMA bench;
		CREATE TABLE bench.events (
			seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			stream  text NOT NULL,
			version bigint NOT NULL,
			id      text NOT NULL,
			type    text NOT NULL,
			at      timestamptz NOT NULL,
			actor   text NOT NULL,
			command text NOT NULL,
			body    jsonb NOT NULL,
			UNIQUE (stream, version)
		)`)
	return &eventTable{pool: pool, streams: newCrowd(crowd), versions: make([]atomic.Int64, crowd)}, err
}

func (t *eventTable) insert(ctx context.Context, caller, n int) error {
	i := (caller*31 + n) % len(t.streams)
	e := said(bodySize)
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = t.pool.Exec(ctx, `INSERT INTO bench.events (stream, version, id, type, at, actor, command, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		product+"/"+string(t.streams[i].Agent), t.versions[i].Add(1), string(newID()), e.EventType(), time.Now(), string(person), string(newID()), body)
	return err
}
