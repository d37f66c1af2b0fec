package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// TestMain is also the program of the process that tests kill: "hold DIR" runs a
// durable cluster until it is killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "hold" {
		if _, err := Start(context.Background(), Config{Dir: os.Args[2]}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready")
		select {}
	}
	goleak.VerifyTestMain(m)
}

// folderIn is a fresh cluster folder under a path that only its owner may enter.
func folderIn(t *testing.T, name string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Chmod(home, 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(home, name)
}

func mustStart(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mustStop(t, c) })
	return c
}

func mustStop(t *testing.T, c *Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := c.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
}

// query runs statements on a connection of its own and returns the last one's
// first column.
func query(t *testing.T, dsn string, statements ...string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var got string
	for _, sql := range statements {
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		lines, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (string, error) {
			values, err := r.Values()
			return fmt.Sprint(values[0]), err
		})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		got = strings.Join(lines, ",")
	}
	return got
}

func TestRowsOutliveARestart(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: folderIn(t, "postgres")}
	first := mustStart(t, cfg)
	query(t, first.DSN(), `CREATE TABLE kept AS SELECT 42 AS n`)
	mustStop(t, first)
	mustStop(t, first)
	if _, open := <-first.Done(); open {
		t.Fatal("Done yields an error after Stop")
	}
	begun := time.Now()
	second := mustStart(t, cfg)
	t.Logf("restart took %v", time.Since(begun))
	if got := query(t, second.DSN(), `SELECT n FROM kept`); got != "42" {
		t.Fatalf("got %q, want 42", got)
	}
}

func TestServeIsDurableAndClosedToTheNetwork(t *testing.T) {
	t.Parallel()
	c := mustStart(t, Config{Dir: folderIn(t, "postgres")})
	got := map[string]string{}
	for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes", "listen_addresses", "data_checksums", "server_encoding", "lc_ctype"} {
		got[name] = query(t, c.DSN(), `SELECT current_setting('`+name+`')`)
	}
	want := map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
		"listen_addresses": "", "data_checksums": "on", "server_encoding": "UTF8", "lc_ctype": ctype,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	can := query(t, c.DSN(), `SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'`)
	if now := query(t, c.DSN(), `SELECT current_setting('default_toast_compression')`); (now == "lz4") != (can == "true") {
		t.Errorf("large values are compressed by %s; lz4 is there: %s", now, can)
	}
	if _, err := pgx.Connect(t.Context(), strings.Replace(c.DSN(), "sozai:", "sozai:x", 1)); err == nil {
		t.Fatal("a wrong password is let in")
	}
}

func TestAnyPathWorks(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{
		"longer than a socket path": strings.Repeat("very-long-folder-name/", 12) + "postgres",
		"not ASCII":                 "素材 工作室/données/postgres",
		"with quotes and signs":     `it's "50%", a=b; $HOME/postgres`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			full := folderIn(t, dir)
			c := mustStart(t, Config{Dir: full, Test: true})
			if got := query(t, c.DSN(), `SELECT lower('ÄÖ')`); got != "äö" {
				t.Fatalf("got %q", got)
			}
			dsn, release, err := Attach(full)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			if got := query(t, dsn, `SELECT current_database()`); got != database {
				t.Fatalf("attached to %q", got)
			}
		})
	}
}

func TestASecondOneIsRefusedByName(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: folderIn(t, "postgres"), Test: true}
	c := mustStart(t, cfg)
	_, err := Start(t.Context(), cfg)
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Fatalf("got %v, want ErrInUse with our pid", err)
	}
	query(t, c.DSN(), `SELECT 1`)
}

func TestKillNineLosesNoCommittedRow(t *testing.T) {
	t.Parallel()
	dir := folderIn(t, "postgres")
	holder := hold(t, dir)
	dsn, release, err := Attach(dir)
	if err != nil {
		t.Fatal(err)
	}
	query(t, dsn, `CREATE TABLE kept AS SELECT 'all' AS n`)
	release()
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // "signal: killed"
	c := mustStart(t, Config{Dir: dir})
	if got := query(t, c.DSN(), `SELECT n FROM kept`); got != "all" {
		t.Fatalf("got %q, want all", got)
	}
}

// hold starts a process that runs the cluster of dir, and returns when it is up.
func hold(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "hold", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) || line != "ready\n" {
		t.Fatalf("the holder said %q (%v)", line, err)
	}
	return cmd
}

func TestTheServerEndsWithItsParent(t *testing.T) {
	t.Parallel()
	dir := folderIn(t, "postgres")
	holder := hold(t, dir)
	running, err := os.OpenFile(filepath.Join(dir, runName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	if flock(running) {
		t.Fatal("the running server does not hold its lock")
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	for deadline := time.Now().Add(20 * time.Second); !flock(running); {
		if time.Now().After(deadline) {
			t.Fatal("the server still runs 20 s after its parent was killed")
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestAServerThatOutlivedItsParentIsReplaced(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: folderIn(t, "postgres")}
	old := mustStart(t, cfg)
	query(t, old.DSN(), `CREATE TABLE kept AS SELECT 7 AS n`)
	oldPid := old.process.Pid
	old.release() // as if this process were gone: its lock is free, its server is not

	c := mustStart(t, cfg)
	if c.process.Pid == oldPid {
		t.Fatal("the old server was taken over, not replaced")
	}
	select {
	case <-old.exited:
	case <-t.Context().Done():
	}
	if got := query(t, c.DSN(), `SELECT n FROM kept`); got != "7" {
		t.Fatalf("got %q, want 7", got)
	}
}

func TestAStalePidFileIsNoObstacle(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: folderIn(t, "postgres"), Test: true}
	mustStop(t, mustStart(t, cfg))
	// The number belongs to a living program of the server's own account.
	other := exec.Command("sleep", "60")
	f := &folder{dir: cfg.Dir}
	if err := f.chooseAccount(); err != nil {
		t.Fatal(err)
	}
	f.dress(other, &dirs{})
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	stale := fmt.Sprintf("%d\n/proc/self/fd/3\n1\n5432\n/proc/self/fd/4\n\n1 1\nready   \n", other.Process.Pid)
	if err := os.WriteFile(f.pidFile(), []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	mustStart(t, cfg)
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Fatalf("the other program was ended: %v", err)
	}
}

func TestAServerThatEndsByItselfIsReported(t *testing.T) {
	t.Parallel()
	c := mustStart(t, Config{Dir: folderIn(t, "postgres"), Test: true})
	if err := c.process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-c.Done(); !errors.Is(err, ErrEnded) {
		t.Fatalf("got %v, want ErrEnded", err)
	}
}

func TestStopDoesNotWaitForSessions(t *testing.T) {
	t.Parallel()
	c := mustStart(t, Config{Dir: folderIn(t, "postgres"), Test: true})
	conn, err := pgx.Connect(t.Context(), c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `BEGIN`); err != nil {
		t.Fatal(err)
	}
	mustStop(t, c)
	if err := conn.Ping(t.Context()); err == nil {
		t.Fatal("the session outlived the server")
	}
}
