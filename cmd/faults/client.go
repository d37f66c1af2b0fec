package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Limits of one request, and of one command with all its repeats.
const (
	tryLimit     = 8 * time.Second
	commandLimit = 30 * time.Second
)

// outcome is what a client knows of a command in the end.
type outcome int

// The outcomes. Unknown: it was never answered; it may be in the log, once.
const (
	unknown outcome = iota
	acknowledged
	refused
)

// command is one that a client gave, and what it was told.
type command struct {
	Client   string    `json:"client"`
	Name     string    `json:"name"`
	Key      string    `json:"key"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	In       any       `json:"in,omitempty"`
	Optional bool      `json:"optional,omitempty"` // an answer without events is right, too
	Sent     time.Time `json:"sent"`
	Answered time.Time `json:"answered"`
	Tries    int       `json:"tries"`
	Status   int       `json:"status"`
	Answer   string    `json:"answer,omitempty"`
	Outcome  outcome   `json:"outcome"`
	Seq      uint64    `json:"seq,omitempty"`
}

// world is what the clients of a round share.
type world struct {
	addrs []string
	clock *clock

	mu       sync.Mutex
	agents   []string
	commands []*command
	answered int
	notes    map[string]int
	turns    map[string]string // by agent, the answer last seen being written
	findings []string
}

func (w *world) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes[what]++
}

func (w *world) find(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.findings = append(w.findings, fmt.Sprintf(format, args...))
}

// progress is how many commands have been answered.
func (w *world) progress() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answered
}

// client is somebody with a browser.
type client struct {
	*world
	account
	rng  *rand.Rand
	http *http.Client
}

func newClient(w *world, who account, seed uint64) *client {
	return &client{
		world: w, account: who,
		rng:  rand.New(rand.NewPCG(seed, 2)), //nolint:gosec // a round must be repeatable
		http: &http.Client{Timeout: tryLimit},
	}
}

// once sends one request to one of the servers.
func (c *client) once(ctx context.Context, method, path, key string, in []byte) (status int, answer []byte, err error) {
	addr := c.addrs[c.rng.IntN(len(c.addrs))]
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+path, bytes.NewReader(in))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Cookie", "sozai_session="+c.session)
	req.Header.Set("Origin", "http://"+addr)
	if len(in) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// give gives a command, again and again under one key until it is answered.
func (c *client) give(ctx context.Context, cmd command) *command {
	cmd.Client, cmd.Sent = c.name, time.Now()
	if cmd.Key == "" {
		cmd.Key = c.newKey()
	}
	given := &cmd
	c.mu.Lock()
	c.commands = append(c.commands, given)
	c.mu.Unlock()
	var body []byte
	if cmd.In != nil {
		var err error
		if body, err = json.Marshal(cmd.In); err != nil {
			panic(err) // a defect of this program
		}
	}
	c.repeat(ctx, given, body)
	given.Answered = time.Now()
	c.mu.Lock()
	c.answered++
	c.mu.Unlock()
	return given
}

func (c *client) repeat(ctx context.Context, cmd *command, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	key := cmd.Key
	if cmd.Name == "behavior" {
		key = "" // a beacon has its key inside
	}
	for ctx.Err() == nil {
		cmd.Tries++
		status, answer, err := c.once(ctx, cmd.Method, cmd.Path, key, body)
		switch {
		case err != nil:
		case status >= 500:
			if status != http.StatusServiceUnavailable {
				c.note(fmt.Sprintf("status %d", status))
			}
		default:
			cmd.Status, cmd.Answer = status, string(answer)
			c.judge(cmd, answer)
			return
		}
		pause(ctx, time.Duration(20+c.rng.IntN(80))*time.Millisecond)
	}
}

// judge reads an answer.
func (c *client) judge(cmd *command, answer []byte) {
	var body struct {
		Seq    uint64 `json:"seq"`
		Reason string `json:"reason"`
	}
	_ = json.Unmarshal(answer, &body) // an answer without a body has no sequence
	switch {
	case cmd.Status < 300:
		cmd.Outcome, cmd.Seq = acknowledged, body.Seq
	case body.Reason == "command_expired" || body.Reason == "command_from_future":
		// The clock was moved meanwhile: what became of an earlier try is not said.
		cmd.Outcome = unknown
	case cmd.Status < 500:
		cmd.Outcome = refused
	}
}

// newKey makes a ULID by the clock that the servers have.
func (c *client) newKey() string {
	return ulid.MustNew(ulid.Timestamp(c.clock.now()), ulid.DefaultEntropy()).String()
}

// get reads; false if nobody answered in time or the answer was an error.
func (c *client) get(ctx context.Context, path string, out any) bool {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	for ctx.Err() == nil {
		status, answer, err := c.once(ctx, http.MethodGet, path, "", nil)
		if err == nil && status < 300 {
			return json.Unmarshal(answer, out) == nil
		}
		if err == nil && status < 500 {
			return false
		}
		pause(ctx, time.Duration(20+c.rng.IntN(80))*time.Millisecond)
	}
	return false
}
