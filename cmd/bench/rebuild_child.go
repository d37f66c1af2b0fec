package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sozai/domain"
	"sozai/projections"
	"sozai/projections/postgres"
	"sozai/streams"
)

// rebuildOrder tells a rebuilding process what to do: rebuild the named
// projections (none: all) of a folder that its parent serves, or only read and
// decode its log.
type rebuildOrder struct {
	Dir   string
	Names []string
	Read  bool
}

// rebuilt is its answer. Peak is the most memory that was resident.
type rebuilt struct {
	Seconds float64
	Peak    int64
}

// playRebuild does what "sozai rebuild" does on a folder that is being served.
func playRebuild(ctx context.Context, order rebuildOrder, w wire) error {
	conn, err := streams.ConnectFolder(order.Dir, "bench-rebuild")
	if err != nil {
		return err
	}
	defer conn.Close()
	log, err := streams.Open(ctx, conn, streams.Config{})
	if err != nil {
		return err
	}
	dsn, release, err := postgres.Attach(filepath.Join(order.Dir, "postgres"))
	if err != nil {
		return err
	}
	defer release()
	pool, err := connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	debug.SetGCPercent(400) // as "sozai rebuild" does
	runner := projections.NewRunner(projections.NewStore(pool), log, quiet())
	began := time.Now()
	if order.Read {
		err = readAll(ctx, log)
	} else {
		err = runner.Rebuild(ctx, order.Names, nil)
	}
	if err != nil {
		return err
	}
	out := rebuilt{Seconds: time.Since(began).Seconds()}
	if out.Peak, err = memoryOf("VmHWM:"); err != nil {
		return err
	}
	return w.out.Encode(out)
}

func readAll(ctx context.Context, log *streams.Log) error {
	read := 0
	err := log.Read(ctx, 0, 0, domain.Key{}, nil, func(events []domain.Recorded) error {
		read += len(events)
		return nil
	})
	if err == nil && read == 0 {
		err = errNoEvents
	}
	return err
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// missingTable says that a statement named a table that there is not.
func missingTable(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "42P01"
}
