package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/migrations"
	"sozai/projections"
	"sozai/projections/postgres"
	"sozai/streams"
)

// place is a data folder with what serve has on it: the embedded log server and,
// where a row needs them, the tables.
type place struct {
	dir      string
	embedded *streams.Embedded
	conn     *nats.Conn
	log      *streams.Log
	pool     *pgxpool.Pool
	store    *projections.Store
}

// openLog starts an embedded server in a fresh folder; it ends with the group, or
// earlier by the returned function.
func (b *bench) openLog(ctx context.Context) (*place, func(), error) {
	dir, err := b.folder()
	if err != nil {
		return nil, nil, err
	}
	p := &place{dir: dir}
	if p.embedded, err = streams.Embed(ctx, dir); err != nil {
		return nil, nil, err
	}
	stop := func() {
		if p.conn != nil {
			p.conn.Close()
		}
		p.embedded.Stop()
	}
	b.later(stop)
	if p.conn, err = p.embedded.Connect("bench"); err != nil {
		return nil, nil, err
	}
	p.log, err = streams.Open(ctx, p.conn, streams.Config{})
	return p, stop, err
}

// openTables starts a private database cluster beside the log, as serve does.
func (b *bench) openTables(ctx context.Context, p *place) error {
	cluster, err := postgres.Start(ctx, postgres.Config{Dir: filepath.Join(p.dir, "postgres")})
	if err != nil {
		return err
	}
	b.later(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		_ = cluster.Stop(ctx)
	})
	if p.pool, err = connect(ctx, cluster.DSN()); err != nil {
		return err
	}
	b.later(p.pool.Close)
	if err := migrations.Up(ctx, p.pool); err != nil {
		return fmt.Errorf("database schema: %w", err)
	}
	p.store = projections.NewStore(p.pool)
	return nil
}

// open is a fresh folder with log and tables.
func (b *bench) open(ctx context.Context) (*place, error) {
	p, _, err := b.openLog(ctx)
	if err != nil {
		return nil, err
	}
	return p, b.openTables(ctx, p)
}

// connect opens a pool as serve does.
func connect(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	config.MaxConns = 24
	return pgxpool.NewWithConfig(ctx, config)
}

// jetStream is the bare client on a connection to the same server as the log's.
func (p *place) jetStream() (jetstream.JetStream, error) {
	conn, err := p.embedded.Connect("bench-limit")
	if err != nil {
		return nil, err
	}
	return jetstream.New(conn, jetstream.WithDefaultTimeout(10*time.Second))
}
