package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/projections/postgres"
)

// refused runs `serve` and returns the sentence with which it ended.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), append([]string{"serve", "--no-demo"}, args...)...) //nolint:gosec // our own binary
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		t.Fatalf("it started:\n%s", stdout.String())
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "sozai: ") {
		t.Fatalf("%v: want one sentence, got:\n%s\n%s", err, stderr.String(), stdout.String())
	}
	if strings.Contains(stdout.String(), "ready") {
		t.Fatalf("it said that it was ready:\n%s", stdout.String())
	}
	return lines[0]
}

func wants(t *testing.T, sentence string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(sentence, word) {
			t.Errorf("%q does not say %q", sentence, word)
		}
	}
}

func TestServeRefusesATakenPort(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	data := filepath.Join(t.TempDir(), "data")
	wants(t, refused(t, "--data", data, "--listen", listener.Addr().String()), "listens there", "--listen")
	if exists(data) {
		t.Error("it began a data folder all the same")
	}
}

func TestServeRefusesWrongFlagsAllAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), startDeadline)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary(t), "serve", "--listen", "nowhere", "--roles", "king", "--replicas", "3").CombinedOutput() //nolint:gosec // our own binary
	if err == nil {
		t.Fatal("it started")
	}
	wants(t, string(out), "--listen", "--roles", "--replicas")
}

// One data folder, two servers: the second is told who has it, the first goes on.
// Then the folder is spoiled in every way we know, refused with one sentence
// each, and mended: nothing is lost.
func TestServeRefusesAndLosesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t, "--no-demo")
	s.start()
	wants(t, refused(t, "--data", s.data, "--listen", "127.0.0.1:0"), "in use", "process")
	ada := newPerson(t, s.url())
	until(t, "a link is printed", func() bool { return s.firstLink() != "" })
	ada.useLink(s.firstLink(), "ada", "correct horse battery")
	if err := s.interrupt(); err != nil {
		t.Fatalf("Ctrl-C: %v\n%s", err, s.printed())
	}
	version := find(t, s.data, "PG_VERSION")
	control := find(t, s.data, "pg_control")
	meta := find(t, filepath.Join(s.data, "jetstream"), "meta.inf")
	for _, c := range []struct {
		name, path string
		content    []byte
		words      []string
	}{
		{"another database version", version, []byte("9\n"), []string{"PostgreSQL", "9"}},
		{"a damaged database", control, bytes.Repeat([]byte{0xff}, 64), []string{"database", "does not start"}},
		{"a damaged log", meta, []byte("{"), []string{"log", "damaged"}},
	} {
		good, err := os.ReadFile(c.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Log(c.name)
		wants(t, refused(t, "--data", s.data, "--listen", "127.0.0.1:0"), c.words...)
		if err := os.WriteFile(c.path, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	s.start()
	t.Logf("started again in %s", time.Since(began).Round(time.Millisecond))
	var session struct {
		User struct {
			Name string `json:"name"`
		} `json:"user"`
	}
	ada.get("/api/session", &session)
	if session.User.Name != "ada" {
		t.Fatalf("got %+v", session)
	}
}

// find is the one file of a name closest to the top of a tree.
func find(t *testing.T, root, name string) string {
	t.Helper()
	best := ""
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == name && (best == "" || strings.Count(path, "/") < strings.Count(best, "/")) {
			best = path
		}
		return nil
	})
	if err != nil || best == "" {
		t.Fatalf("no %s below %s: %v", name, root, err)
	}
	return best
}

// A table that cannot be written when the first link is due keeps nobody from being
// served, and the link comes when it can.
func TestServeMakesTheFirstLinkWhenItCan(t *testing.T) {
	t.Parallel()
	s := newServer(t, "--no-demo")
	rename := func(from, to string) {
		t.Helper()
		dsn, release, err := postgres.Attach(filepath.Join(s.data, "postgres"))
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(context.Background()) }()
		if _, err := conn.Exec(t.Context(), "ALTER TABLE identity."+from+" RENAME TO "+to); err != nil {
			t.Fatal(err)
		}
	}
	s.start()
	until(t, "a link is printed", func() bool { return s.firstLink() != "" })
	first := s.firstLink()
	rename("links", "away")
	if err := s.interrupt(); err != nil {
		t.Fatalf("Ctrl-C: %v\n%s", err, s.printed())
	}
	s.start()
	until(t, "it says why there is no link", func() bool { return strings.Contains(s.printed(), "first administrator") })
	rename("away", "links")
	until(t, "another link is printed", func() bool { return s.firstLink() != "" && s.firstLink() != first })
	if err := s.interrupt(); err != nil {
		t.Fatalf("Ctrl-C: %v\n%s", err, s.printed())
	}
}
