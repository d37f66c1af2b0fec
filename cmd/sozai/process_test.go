package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startDeadline bounds a start, the first one of a data folder included.
const startDeadline = 60 * time.Second

var built struct {
	once sync.Once
	path string
	err  error
}

// binary builds the real program once a test process.
func binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "sozai-bin-")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "sozai")
		out, err := exec.Command("go", "build", "-o", built.path, ".").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// server is the real program, serving one data folder on one port across kills.
type server struct {
	t    *testing.T
	data string
	addr string
	args []string

	mu     sync.Mutex
	cmd    *exec.Cmd
	output *bytes.Buffer
	link   string
	exited chan error
}

func newServer(t *testing.T, args ...string) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	s := &server{t: t, data: filepath.Join(t.TempDir(), "data"), addr: addr, args: args}
	t.Cleanup(s.end)
	return s
}

// end kills the process and clears its folder: the database of a killed one goes
// on writing for a moment.
func (s *server) end() {
	s.kill()
	until(s.t, "the killed server's database ends", func() bool { return os.RemoveAll(s.data) == nil })
}

func (s *server) url() string { return "http://" + s.addr }

var (
	readyLine = regexp.MustCompile(`^Sozai is ready at (\S+)$`)
	linkLine  = regexp.MustCompile(`^\s+(http\S+/link/\S+)$`)
)

// start runs the program and waits until it says that it is ready.
func (s *server) start() {
	s.t.Helper()
	cmd := exec.Command(binary(s.t), append([]string{"serve", "--data", s.data, "--listen", s.addr}, s.args...)...) //nolint:gosec // our own binary
	cmd.Env = append(os.Environ(), "SOZAI_MODEL_KEY=")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	output := &bytes.Buffer{}
	cmd.Stderr = &locked{mu: &s.mu, w: output}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ready := make(chan struct{})
	exited := make(chan error, 1)
	s.mu.Lock()
	s.cmd, s.output, s.exited = cmd, output, exited
	s.mu.Unlock()
	go func() {
		lines := bufio.NewScanner(stdout)
		var once sync.Once
		for lines.Scan() {
			s.mu.Lock()
			fmt.Fprintln(output, lines.Text())
			if m := linkLine.FindStringSubmatch(lines.Text()); m != nil {
				s.link = m[1]
			}
			s.mu.Unlock()
			if readyLine.MatchString(lines.Text()) {
				once.Do(func() { close(ready) })
			}
		}
		exited <- cmd.Wait()
	}()
	select {
	case <-ready:
	case err := <-exited:
		s.t.Fatalf("the server ended at its start: %v\n%s", err, s.printed())
	case <-time.After(startDeadline):
		s.t.Fatalf("the server was not ready within %s\n%s", startDeadline, s.printed())
	}
}

func (s *server) printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.output == nil {
		return ""
	}
	return s.output.String()
}

func (s *server) firstLink() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// kill ends the process with SIGKILL; harmless if none runs.
func (s *server) kill() {
	s.mu.Lock()
	cmd, exited := s.cmd, s.exited
	s.cmd = nil
	s.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Kill()
	if err := <-exited; err == nil {
		s.t.Log("it had ended by itself before it was killed")
	}
}

// interrupt ends it as Ctrl-C does and returns how it ended.
func (s *server) interrupt() error { return s.signal(syscall.SIGINT) }

func (s *server) signal(sig os.Signal) error {
	s.mu.Lock()
	cmd, exited := s.cmd, s.exited
	s.cmd = nil
	s.mu.Unlock()
	if cmd == nil {
		return errors.New("not running")
	}
	if err := cmd.Process.Signal(sig); err != nil {
		return err
	}
	select {
	case err := <-exited:
		return err
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		return errors.New("did not stop within 30 s")
	}
}

// sozai runs another command of the program and returns what it printed.
func sozai(ctx context.Context, t *testing.T, env []string, stdin io.Reader, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(ctx, binary(t), args...) //nolint:gosec // our own binary
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = stdin
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// locked makes a writer safe for the process's two pipes.
type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
