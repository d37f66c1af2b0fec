package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"sozai/streams/fault"
)

// server is one `sozai serve` under a supervisor that starts it again whenever
// it has ended, as an operator's would.
type server struct {
	*process
	binary string
	args   []string
	addr   string
	toLog  *proxy // nil: its log is embedded
	toDB   *proxy

	mu       sync.Mutex
	steps    []string // fault points still to come, one a start
	killed   bool     // by the harness
	stopping bool
	died     []string // how its processes ended that nobody had killed
	starts   int
	gone     chan struct{} // the supervisor has ended

	draining sync.Mutex // held while it is told to end
}

// supervise keeps it running until stop.
func (s *server) supervise(ctx context.Context) {
	s.gone = make(chan struct{})
	go func() {
		defer close(s.gone)
		for {
			s.mu.Lock()
			if s.stopping || ctx.Err() != nil {
				s.mu.Unlock()
				return
			}
			var env []string
			if len(s.steps) > 0 {
				env = append(env, fault.Variable+"="+s.steps[0])
				s.steps = s.steps[1:]
			}
			s.killed = false
			s.starts++
			err := s.start(env, s.binary, s.args...)
			s.mu.Unlock()
			if err != nil {
				s.note("does not start: " + err.Error())
				return
			}
			begun := time.Now()
			<-s.ended()
			s.mu.Lock()
			code, signal := s.exit()
			// SIGKILL is a fault point's. Whoever finds no log or database at the start may
			// end with a sentence; whoever serves must not.
			if !s.killed && !s.stopping && signal != syscall.SIGKILL && (s.served() || time.Since(begun) > startPatience) {
				s.died = append(s.died, fmt.Sprintf("%s ended by itself after %s (code %d, signal %d)",
					s.name, time.Since(begun).Round(time.Millisecond), code, signal))
			}
			s.mu.Unlock()
			pause(ctx, 50*time.Millisecond)
		}
	}()
}

// startPatience is how long a start may take to find that it cannot be.
const startPatience = 20 * time.Second

// served says whether the last start came as far as to serve.
func (s *server) served() bool {
	data, err := os.ReadFile(s.log)
	if err != nil {
		return false
	}
	last := strings.LastIndex(string(data), startLine)
	return last >= 0 && strings.Contains(string(data[last:]), "Sozai is ready at ")
}

func (s *server) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.died = append(s.died, s.name+" "+what)
}

// crash is kill -9 from outside; the supervisor starts it again.
func (s *server) crash() {
	s.mu.Lock()
	s.killed = true
	s.mu.Unlock()
	s.kill()
}

// drain is SIGTERM and a fresh start: an upgrade. It reports a process that did
// not end as it should.
func (s *server) drain(limit time.Duration) error {
	s.draining.Lock() // a second SIGTERM would end the process at once, as it should
	defer s.draining.Unlock()
	s.mu.Lock()
	s.killed = true
	s.mu.Unlock()
	err := s.process.stop(limit)
	if _, signal := s.exit(); signal == syscall.SIGTERM && !s.served() {
		return nil // it had not come as far as to listen for it
	}
	return err
}

// end stops it for good; kill: by SIGKILL.
func (s *server) end(kill bool, limit time.Duration) (err error) {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	if kill {
		s.kill()
	} else {
		err = s.process.stop(limit)
	}
	if s.gone != nil {
		<-s.gone
	}
	return err
}

// disarm forgets the fault points that were not reached.
func (s *server) disarm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = nil
}

// deaths are the ends that nobody caused.
func (s *server) deaths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.died)
}

// fired reads, from what it printed, which fault points were reached.
func fired(logs ...string) []string {
	var names []string
	for _, path := range logs {
		data, err := os.ReadFile(path) //nolint:gosec // our own log
		if err != nil {
			continue
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if at, found := strings.CutPrefix(line, "fault: killed at "); found {
				name, _, _ := strings.Cut(at, ":")
				names = append(names, name)
			}
		}
	}
	return names
}

// ready waits until it answers.
func (s *server) ready(ctx context.Context) error {
	client := &http.Client{Timeout: 2 * time.Second}
	return poll(ctx, s.name+" is ready", func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+"/readyz", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return errors.New(resp.Status)
		}
		return nil
	})
}

// seedData gives a server the media and the index of the template.
func seedData(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(filepath.Clean(from)))
}
