package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// socket is a person's room, live: it comes back by itself with its last
// sequence, as a browser does, and keeps every frame it got.
type socket struct {
	person *person
	agent  string
	stop   func()

	mu     sync.Mutex
	last   uint64
	frames []frame
	raws   []json.RawMessage
	hellos int
}

func (p *person) enter(t *testing.T, agent string) *socket {
	ctx, cancel := context.WithCancel(context.Background())
	s := &socket{person: p, agent: agent}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			s.connect(ctx)
			wait := time.NewTimer(50 * time.Millisecond)
			select {
			case <-ctx.Done():
			case <-wait.C:
			}
			wait.Stop()
		}
	}()
	s.stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(s.stop)
	return s
}

func (s *socket) connect(ctx context.Context) {
	base, err := url.Parse(s.person.base)
	if err != nil {
		return
	}
	var cookies []string
	for _, c := range s.person.http.Jar.Cookies(base) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	conn, _, err := websocket.Dial(ctx, s.person.base+"/api/agents/"+s.agent+"/ws", &websocket.DialOptions{
		HTTPHeader: http.Header{"Cookie": {strings.Join(cookies, "; ")}, "Origin": {s.person.base}},
	})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(16 << 20)
	s.mu.Lock()
	hello, err := json.Marshal(map[string]any{"type": "hello", "after": s.last})
	s.mu.Unlock()
	if err != nil || conn.Write(ctx, websocket.MessageText, hello) != nil {
		return
	}
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var raws []json.RawMessage
		if json.Unmarshal(data, &raws) != nil {
			return
		}
		s.mu.Lock()
		for _, raw := range raws {
			var f frame
			if json.Unmarshal(raw, &f) != nil {
				continue
			}
			if f.Type == "hello" {
				s.hellos++
			}
			s.last = max(s.last, f.Seq)
			s.frames = append(s.frames, f)
			s.raws = append(s.raws, raw)
		}
		s.mu.Unlock()
	}
}

// saw reports whether any frame so far fits.
func (s *socket) saw(fits func(f frame, raw string) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.frames {
		if fits(f, string(s.raws[i])) {
			return true
		}
	}
	return false
}

// wait polls until a frame fits.
func (s *socket) wait(t *testing.T, what string, fits func(f frame, raw string) bool) {
	t.Helper()
	until(t, what, func() bool { return s.saw(fits) })
}

// streamed is the text of a turn as its deltas made it, the newest attempt's.
func (s *socket) streamed(turn string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text []byte
	attempt := 0
	for _, f := range s.frames {
		if f.Type != "chat.delta" || f.Turn != turn {
			continue
		}
		if f.Attempt > attempt {
			attempt, text = f.Attempt, nil
		}
		if f.Attempt == attempt && f.Offset <= len(text) {
			text = append(text[:f.Offset], f.Text...)
		}
	}
	return string(text)
}

// connected waits for the first hello.
func (s *socket) connected(t *testing.T) {
	t.Helper()
	until(t, "the room is entered", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.hellos > 0
	})
}
