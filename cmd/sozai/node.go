package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"sozai/migrations"
	"sozai/projections"
	"sozai/projections/postgres"
	"sozai/streams"
)

// node is the log and the tables of one deployment: those of a data folder,
// started here or attached to, or external ones.
type node struct {
	conn  *nats.Conn
	log   *streams.Log
	pool  *pgxpool.Pool
	store *projections.Store
	// ended yields an error when the private database ends by itself.
	ended <-chan error

	closers []func()
}

// startLimit bounds opening everything; a first start makes a database cluster.
const startLimit = 90 * time.Second

// open starts what the configuration does not place elsewhere. With attach, a
// data folder that another process serves is attached to instead of refused.
func open(ctx context.Context, cfg serverConfig, attach bool) (n *node, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	n = &node{}
	defer func() {
		if err != nil {
			n.close()
		}
	}()
	served := false
	if cfg.NATSURL == "" || cfg.DatabaseURL == "" {
		if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
			return n, fmt.Errorf("data folder %s: %w", cfg.Data, err)
		}
		// Before anything is opened: a full disk freezes the log until a restart.
		if free, err := postgres.Free(cfg.Data); err != nil {
			return n, err
		} else if free < postgres.MinFree {
			return n, fmt.Errorf("the disk of %s is nearly full (%d MB free, %d needed); nothing was changed, make room and start again",
				cfg.Data, free>>20, postgres.MinFree>>20)
		}
		unlock, err := postgres.Lock(cfg.Data)
		switch {
		case err == nil:
			n.closers = append(n.closers, unlock)
		case attach && errors.Is(err, postgres.ErrInUse):
			served = true
		default:
			return n, err
		}
	}
	if err := n.openLog(ctx, cfg, served); err != nil {
		return n, err
	}
	if err := n.openTables(ctx, cfg, served); err != nil {
		return n, err
	}
	n.store = projections.NewStore(n.pool)
	return n, nil
}

func (n *node) openLog(ctx context.Context, cfg serverConfig, served bool) (err error) {
	switch {
	case cfg.NATSURL != "":
		n.conn, err = streams.ConnectURL(cfg.NATSURL, "sozai")
	case served:
		n.conn, err = streams.ConnectFolder(cfg.Data, "sozai-command")
	default:
		var embedded *streams.Embedded
		if embedded, err = streams.Embed(ctx, cfg.Data); err == nil {
			n.closers = append(n.closers, embedded.Stop)
			n.conn, err = embedded.Connect("sozai")
		}
	}
	if err != nil {
		return err
	}
	n.closers = append(n.closers, n.conn.Close)
	n.log, err = streams.Open(ctx, n.conn, streams.Config{Replicas: cfg.Replicas})
	return err
}

func (n *node) openTables(ctx context.Context, cfg serverConfig, served bool) error {
	dsn := cfg.DatabaseURL
	dir := filepath.Join(cfg.Data, "postgres")
	switch {
	case dsn != "":
	case served:
		attached, release, err := postgres.Attach(dir)
		if err != nil {
			return err
		}
		n.closers = append(n.closers, release)
		dsn = attached
	default:
		cluster, err := postgres.Start(ctx, postgres.Config{Dir: dir})
		if err != nil {
			return err
		}
		n.closers = append(n.closers, func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
			defer cancel()
			_ = cluster.Stop(ctx)
		})
		n.ended = cluster.Done()
		dsn = cluster.DSN()
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	config.MaxConns = max(config.MaxConns, 24)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	n.pool = pool
	n.closers = append(n.closers, pool.Close)
	if err := migrations.Up(ctx, pool); err != nil {
		return fmt.Errorf("database schema: %w", err)
	}
	return nil
}

// close stops in reverse order; harmless twice.
func (n *node) close() {
	for i := len(n.closers) - 1; i >= 0; i-- {
		n.closers[i]()
	}
	n.closers = nil
}
