// Package postgres runs the private PostgreSQL cluster of one data folder, for
// serve and for tests: it finds the installed server binaries, makes the
// cluster, starts it as a child, and stops it. It owns that folder and the
// processes in it, and knows nothing of what is stored there.
//
// Root is refused by PostgreSQL, so a root caller runs the server as an
// unprivileged account. The server reaches its folders only through directory
// descriptors that it inherits (/proc/self/fd/N), so neither a 0700 home above
// the folder nor the length or spelling of its path matters.
//
// It may import the standard library and pgx only.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Names inside every cluster. The port only names the socket file; nothing
// listens on the network.
const (
	superuser = "sozai"
	database  = "sozai"
	port      = 5432
)

// MinFree is the free space below which no cluster is started: a server that
// meets a full disk in the middle of a checkpoint goes down.
const MinFree = 256 << 20

// immediateGrace is how long a server that was told to stop at once may take
// before it is killed.
const immediateGrace = 5 * time.Second

// Config says where a cluster lives.
type Config struct {
	// Dir is the cluster's own folder, usually <data>/postgres. It is made if
	// it is missing; nothing else may be kept there.
	Dir string
	// Test gives up durability for speed: no fsync, small buffers, no
	// autovacuum. Such a cluster may be lost when the machine stops.
	Test bool
}

// Cluster is a running private server. Its methods may be called concurrently.
type Cluster struct {
	dsn      string
	process  *os.Process
	exited   chan struct{} // closed when the server has ended and been reaped
	done     chan error
	stop     sync.Once
	stopping chan struct{} // closed by the first Stop
	release  func()
}

// Start returns when the cluster of cfg.Dir answers queries. It makes the
// cluster if there is none, and first stops a server that outlived the process
// that had started it. The server ends when the calling process ends, however
// that happens. Refusals wrap one of this package's Err values and read as one
// sentence for a person.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	f, err := openFolder(cfg.Dir)
	if err != nil {
		return nil, err
	}
	c, err := start(ctx, f, cfg.Test)
	if err != nil {
		f.close()
		return nil, err
	}
	return c, nil
}

func start(ctx context.Context, f *folder, test bool) (*Cluster, error) {
	if err := f.chooseAccount(); err != nil {
		return nil, err
	}
	server, err := f.chooseInstall(ctx)
	if err != nil {
		return nil, err
	}
	running, err := f.stopSurvivor(ctx)
	if err != nil {
		return nil, err
	}
	// The server's copy of this descriptor holds the lock from here on.
	defer running.Close()
	if err := f.prepare(ctx, server, test); err != nil {
		return nil, err
	}
	c, err := f.launch(server, running, test)
	if err != nil {
		return nil, err
	}
	if err := c.ready(ctx, f); err != nil {
		over, cancel := context.WithCancel(ctx)
		cancel()
		return nil, errors.Join(err, c.Stop(over))
	}
	return c, nil
}

// DSN connects to the cluster's database as its owner. It holds a password, and
// may name a descriptor of this process, so it is of no use to another one:
// that calls Attach.
func (c *Cluster) DSN() string { return c.dsn }

// Done yields one error if the server ends without Stop, and is closed when it
// has ended.
func (c *Cluster) Done() <-chan error { return c.done }

// Stop closes all sessions, writes a checkpoint and ends the server. When ctx
// ends first the server is stopped without the checkpoint, which costs the next
// start a recovery and no data. Stopping twice is harmless.
func (c *Cluster) Stop(ctx context.Context) (err error) {
	c.stop.Do(func() {
		close(c.stopping)
		err = c.shutdown(ctx)
		c.release()
	})
	return err
}

func (c *Cluster) shutdown(ctx context.Context) error {
	for _, step := range []struct {
		signal  os.Signal
		giveUp  <-chan struct{}
		timeout time.Duration
	}{
		{syscall.SIGINT, ctx.Done(), 1 << 62},
		{syscall.SIGQUIT, nil, immediateGrace},
		{os.Kill, nil, 1 << 62},
	} {
		if err := c.process.Signal(step.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stop postgres: %w", err)
		}
		select {
		case <-c.exited:
			return nil
		case <-step.giveUp:
		case <-time.After(step.timeout):
		}
	}
	return nil
}

// launch starts the server. The goroutine that starts it keeps its thread until
// the server has ended, since the kernel sends the parent-death signal when the
// starting thread ends, not the process.
func (f *folder) launch(server install, running *os.File, test bool) (*Cluster, error) {
	logFile, err := f.openLog()
	if err != nil {
		return nil, err
	}
	defer logFile.Close()
	dirs, err := f.openDirs(f.path(clusterDir), running)
	if err != nil {
		return nil, err
	}
	defer dirs.close()

	//nolint:noctx // a context would kill the server; Stop shuts it down
	cmd := exec.Command(server.program("postgres"), settings(dirs, test)...)
	f.dress(cmd, dirs)
	cmd.Stdout, cmd.Stderr = logFile, logFile

	c := &Cluster{
		dsn:      f.dsn(database),
		exited:   make(chan struct{}),
		done:     make(chan error, 1),
		stopping: make(chan struct{}),
		release:  f.close,
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		c.process = cmd.Process
		started <- err
		if err != nil {
			return
		}
		err = cmd.Wait()
		close(c.exited)
		select {
		case <-c.stopping:
		default:
			c.done <- refuse(ErrEnded, "the database server ended by itself (%v): %s", exitOf(err), f.lastWords())
		}
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return c, nil
}

func exitOf(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// settings are the server's arguments. Everything lies on the command line, so
// an edited or truncated postgresql.conf cannot open a port.
func settings(dirs *dirs, test bool) []string {
	args := []string{"-D", dirs.cluster, "-p", strconv.Itoa(port)}
	set := func(name, value string) { args = append(args, "-c", name+"="+value) }
	set("listen_addresses", "")
	set("unix_socket_directories", `"`+dirs.socket+`"`)
	set("unix_socket_permissions", "0700")
	set("cluster_name", "sozai")
	set("logging_collector", "off")
	set("log_destination", "stderr")
	set("log_checkpoints", "off")
	set("log_timezone", "UTC")
	set("timezone", "UTC")
	set("lc_messages", "C")
	set("jit", "off")
	set("max_connections", "200")
	if test {
		set("fsync", "off")
		set("synchronous_commit", "off")
		set("full_page_writes", "off")
		set("autovacuum", "off")
		set("max_wal_size", "256MB")
		set("wal_level", "minimal")
		set("max_wal_senders", "0")
		set("shared_buffers", "32MB")
		return args
	}
	set("fsync", "on")
	set("synchronous_commit", "on")
	set("full_page_writes", "on")
	return args
}

// ready waits until the server answers, and makes the database on first use.
func (c *Cluster) ready(ctx context.Context, f *folder) error {
	for {
		up := f.saysReady()
		conn, err := pgx.Connect(ctx, f.dsn("postgres"))
		if err == nil {
			defer conn.Close(context.WithoutCancel(ctx))
			return ensureDatabase(ctx, conn)
		}
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code != cannotConnectNow {
			return refuse(ErrDamaged, "the database in %s refuses the password in %s: %s", f.path(clusterDir), f.path(passFile), refused.Message)
		}
		if up && refused == nil {
			return fmt.Errorf("connect to postgres: %w", err)
		}
		select {
		case <-c.exited:
			return refuse(ErrDamaged, "the database in %s does not start: %s (more in %s)", f.path(clusterDir), f.lastWords(), f.path(logName))
		case <-ctx.Done():
			return fmt.Errorf("wait for postgres: %w", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// cannotConnectNow is the SQLSTATE of a server that is starting or recovering.
const cannotConnectNow = "57P03"

func ensureDatabase(ctx context.Context, conn *pgx.Conn) error {
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, database).Scan(&exists); err != nil {
		return fmt.Errorf("look for database: %w", err)
	}
	if !exists {
		if _, err := conn.Exec(ctx, `CREATE DATABASE `+database); err != nil {
			return fmt.Errorf("create database: %w", err)
		}
	}
	return compressQuickly(ctx, conn)
}

// compressQuickly has large values compressed by lz4 from now on, which takes a
// fraction of the default's time, unless this build of PostgreSQL lacks it.
func compressQuickly(ctx context.Context, conn *pgx.Conn) error {
	var missing bool
	err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals))
		AND NOT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
			WHERE d.datname = $1 AND 'default_toast_compression=lz4' = ANY (s.setconfig))`, database).Scan(&missing)
	if err == nil && missing {
		_, err = conn.Exec(ctx, `ALTER DATABASE `+database+` SET default_toast_compression = 'lz4'`)
	}
	if err != nil {
		return fmt.Errorf("compression of large values: %w", err)
	}
	return nil
}

// dsn names every parameter that PG* variables of the environment could change.
func (f *folder) dsn(name string) string {
	u := url.URL{
		Scheme: "postgres",
		User:   url.UserPassword(superuser, f.password),
		Path:   "/" + name,
		// pgx takes a plus sign for itself, not for a space.
		RawQuery: strings.ReplaceAll(url.Values{
			"host":    {f.socketHost},
			"port":    {strconv.Itoa(port)},
			"sslmode": {"disable"},
		}.Encode(), "+", "%20"),
	}
	return u.String()
}
