package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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
	// served says that another process holds the data folder and is attached to.
	served bool
	// own says that the log was started by this process: nobody else writes.
	own bool
	// ended yields an error when the private database ends by itself.
	ended <-chan error

	closers []func()
}

// opening says how a command takes the place that it is given.
type opening struct {
	// attach allows a data folder that another process holds.
	attach bool
	// found refuses a data folder that has no log yet, instead of making one.
	found bool
	// replicas of each stream; 0 keeps what an external cluster has.
	replicas int
}

// startLimit bounds opening everything; a first start makes a database cluster.
const startLimit = 90 * time.Second

// open starts what the configuration does not place elsewhere: log and tables.
func open(ctx context.Context, at place, how opening) (n *node, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	n = &node{}
	defer func() {
		if err != nil {
			n.close()
		}
	}()
	if err := n.claim(at, how); err != nil {
		return n, err
	}
	if err := n.openLog(ctx, at, how); err != nil {
		return n, err
	}
	if err := n.openTables(ctx, at); err != nil {
		return n, err
	}
	if err := migrations.Up(ctx, n.pool); err != nil {
		return n, fmt.Errorf("database schema: %w", err)
	}
	return n, nil
}

// openLog opens the log alone, for commands that need no tables.
func openLog(ctx context.Context, at place) (n *node, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	n = &node{}
	at.DatabaseURL = "" // the data folder is claimed for the log only
	if at.NATSURL == "" {
		if err := n.claim(at, opening{attach: true, found: true}); err != nil {
			return n, err
		}
	}
	if err := n.openLog(ctx, at, opening{}); err != nil {
		n.close()
		return n, err
	}
	return n, nil
}

// claim takes the data folder, if anything lies there, or finds that another
// process has it.
func (n *node) claim(at place, how opening) error {
	if at.NATSURL != "" && at.DatabaseURL != "" {
		return nil
	}
	if how.found && at.NATSURL == "" && !exists(filepath.Join(at.Data, "jetstream")) {
		return fmt.Errorf("there is no log in %s: name the data folder of the workshop with --data, or SOZAI_DATA", at.Data)
	}
	if err := os.MkdirAll(at.Data, 0o700); err != nil {
		return fmt.Errorf("data folder %s: %w", at.Data, err)
	}
	unlock, err := postgres.Lock(at.Data)
	switch {
	case err == nil:
		n.closers = append(n.closers, unlock)
	case how.attach && errors.Is(err, postgres.ErrInUse):
		n.served = true
		return nil // reading goes on, however full the disk is
	default:
		return err
	}
	// Before anything is opened: a full disk would freeze the log at once.
	if free, err := postgres.Free(at.Data); err != nil {
		return err
	} else if free < postgres.MinFree {
		return fmt.Errorf("the disk of %s is nearly full (%d MB free, %d needed); nothing was changed, make room and start again",
			at.Data, free>>20, postgres.MinFree>>20)
	}
	return nil
}

func (n *node) openLog(ctx context.Context, at place, how opening) (err error) {
	switch {
	case at.NATSURL != "":
		n.conn, err = streams.ConnectURL(at.NATSURL, "sozai")
	case n.served:
		n.conn, err = streams.ConnectFolder(at.Data, "sozai-command")
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the process that has %s does not offer its log yet; try again in a moment", at.Data)
		}
	default:
		var embedded *streams.Embedded
		if embedded, err = streams.Embed(ctx, at.Data); err == nil {
			n.own = true
			n.closers = append(n.closers, embedded.Stop)
			n.conn, err = embedded.Connect("sozai")
		}
	}
	if err != nil {
		return err
	}
	n.closers = append(n.closers, n.conn.Close)
	replicas := how.replicas
	if replicas == 0 {
		replicas = replicasOf(ctx, n.conn)
	}
	n.log, err = streams.Open(ctx, n.conn, streams.Config{Replicas: replicas})
	return err
}

// replicasOf is how many copies the log has, so that a command that only looks
// does not scale it down; 1 where there is no log yet.
func replicasOf(ctx context.Context, nc *nats.Conn) int {
	js, err := jetstream.New(nc)
	if err != nil {
		return 1
	}
	stream, err := js.Stream(ctx, streams.EventsStream)
	if err != nil {
		return 1
	}
	return stream.CachedInfo().Config.Replicas
}

func (n *node) openTables(ctx context.Context, at place) error {
	dsn := at.DatabaseURL
	dir := filepath.Join(at.Data, "postgres")
	switch {
	case dsn != "":
	case n.served:
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
	n.store = projections.NewStore(pool)
	return nil
}

// close stops in reverse order; harmless twice.
func (n *node) close() {
	for i := len(n.closers) - 1; i >= 0; i-- {
		n.closers[i]()
	}
	n.closers = nil
}

// holder says which process holds a data folder, and what it does there, as far
// as the system tells; empty if none.
func holder(data string) (pid, command string) {
	text, err := os.ReadFile(filepath.Join(data, "lock"))
	if err != nil {
		return "", ""
	}
	pid = strings.TrimSpace(string(text))
	line, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
	if err != nil {
		return pid, ""
	}
	// Only the command's name: an argument may be a secret.
	if args := strings.Split(string(line), "\x00"); len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		command = args[1]
	}
	return pid, command
}
