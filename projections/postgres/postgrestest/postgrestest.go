// Package postgrestest gives every test a private database on one cluster per
// test process, which is started by the first test that asks and must be
// stopped by TestMain (see Main). It may be imported by tests only.
package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/projections/postgres"
)

// startLimit bounds initdb and start together on a busy machine.
const startLimit = 2 * time.Minute

// shared is the one cluster of this test process.
//
//nolint:gochecknoglobals // it belongs to the process, and a test has no other way to it
var shared struct {
	sync.Mutex
	cluster   *postgres.Cluster
	dir       string
	err       error
	databases int
	templates map[string]string
}

// Main runs a package's tests and stops the cluster afterwards:
//
//	func TestMain(m *testing.M) { postgrestest.Main(m) }
func Main(m *testing.M) {
	code := m.Run()
	if err := Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the test database:", err)
		code = 1
	}
	os.Exit(code)
}

// Stop ends the cluster and removes its folder, for a TestMain that has more to
// do than Main. Without a cluster it does nothing.
func Stop() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := shared.cluster.Stop(ctx)
	shared.cluster = nil
	if removeErr := os.RemoveAll(shared.dir); err == nil {
		err = removeErr
	}
	return err
}

// Pool is an empty database of this test's own, closed and dropped when the test
// ends.
func Pool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return open(tb, "template1")
}

// Copy is a database of this test's own that starts as build left it. build runs
// once per key and process, on an empty database.
func Copy(tb testing.TB, key string, build func(context.Context, *pgxpool.Pool) error) *pgxpool.Pool {
	tb.Helper()
	return open(tb, template(tb, key, build))
}

// DSN connects to the database of a pool that Pool or Copy returned, for code
// under test that opens its own connections.
func DSN(pool *pgxpool.Pool) string { return pool.Config().ConnString() }

func template(tb testing.TB, key string, build func(context.Context, *pgxpool.Pool) error) string {
	tb.Helper()
	start(tb)
	shared.Lock()
	defer shared.Unlock()
	if name, ok := shared.templates[key]; ok {
		return name
	}
	name := create(tb, "template1")
	pool := connect(tb, name)
	defer pool.Close()
	if err := build(tb.Context(), pool); err != nil {
		tb.Fatalf("build the database template %q: %v", key, err)
	}
	shared.templates[key] = name
	return name
}

func open(tb testing.TB, from string) *pgxpool.Pool {
	tb.Helper()
	start(tb)
	shared.Lock()
	name := create(tb, from)
	shared.Unlock()
	pool := connect(tb, name)
	tb.Cleanup(func() {
		pool.Close()
		admin(context.Background(), tb, `DROP DATABASE `+name+` WITH (FORCE)`)
	})
	return pool
}

// create makes a database; the caller holds the lock, since a template can be
// copied by one session at a time only.
func create(tb testing.TB, from string) string {
	tb.Helper()
	shared.databases++
	name := "test_" + strconv.Itoa(shared.databases)
	admin(tb.Context(), tb, `CREATE DATABASE `+name+` TEMPLATE `+from+` STRATEGY FILE_COPY`)
	return name
}

func admin(ctx context.Context, tb testing.TB, sql string) {
	tb.Helper()
	conn, err := pgx.Connect(ctx, shared.cluster.DSN())
	if err != nil {
		tb.Fatalf("connect to the test cluster: %v", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, sql); err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
}

func connect(tb testing.TB, name string) *pgxpool.Pool {
	tb.Helper()
	dsn, err := url.Parse(shared.cluster.DSN())
	if err != nil {
		tb.Fatalf("test database: %v", err)
	}
	dsn.Path = "/" + name
	config, err := pgxpool.ParseConfig(dsn.String())
	if err != nil {
		tb.Fatalf("test database: %v", err)
	}
	config.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		tb.Fatalf("test database: %v", err)
	}
	return pool
}

// start brings the cluster up once; a failure fails every test that asks.
func start(tb testing.TB) {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.err != nil {
		tb.Fatalf("test cluster: %v", shared.err)
	}
	if shared.cluster != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	prefix := fmt.Sprintf("sozai-test-%d-", os.Getuid())
	sweep(prefix)
	dir, err := os.MkdirTemp("", prefix)
	if err == nil {
		shared.dir, shared.templates = dir, map[string]string{}
		shared.cluster, err = postgres.Start(ctx, postgres.Config{Dir: dir, Test: true})
	}
	if err != nil {
		shared.err = err
		tb.Fatalf("test cluster: %v", err)
	}
}

// sweep removes what killed test processes left behind. A folder whose lock is
// held, or that is too young to have one yet, is in use.
func sweep(prefix string) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*")) // errs only on a bad pattern
	for _, dir := range old {
		info, err := os.Stat(dir)
		if err != nil || time.Since(info.ModTime()) < 10*time.Minute {
			continue
		}
		release, err := postgres.Lock(dir)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(dir) // what cannot be removed is tried again next time
		release()
	}
}
