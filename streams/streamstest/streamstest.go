// Package streamstest starts a private embedded server for a test. Test code
// only; it may import streams.
package streamstest

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"sozai/domain"
	"sozai/streams"
)

// AckWait is short, so that tests of lost workers are quick.
const AckWait = time.Second

// Server is a running embedded server with everything on it opened.
type Server struct {
	Dir      string
	Embedded *streams.Embedded
	Conn     *nats.Conn
	Log      *streams.Log
	Queue    *streams.Queue
	Alive    *streams.Alive
	Timers   *streams.Timers
	Live     *streams.Live
	Hub      *streams.Hub
}

// Start gives a test its own server in a temporary folder, stopped at its end.
func Start(t testing.TB) *Server {
	t.Helper()
	return StartIn(t, t.TempDir())
}

// StartIn is Start in a folder that may hold an earlier server's log.
func StartIn(t testing.TB, dir string) *Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{Dir: dir}
	var err error
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Embedded, err = streams.Embed(ctx, dir)
	must(err)
	t.Cleanup(s.Embedded.Stop)
	s.Conn, err = s.Embedded.Connect("test")
	must(err)
	t.Cleanup(s.Conn.Close)
	cfg := streams.Config{AckWait: AckWait}
	s.Log, err = streams.Open(ctx, s.Conn, cfg)
	must(err)
	s.Queue, err = streams.OpenQueue(s.Conn, cfg)
	must(err)
	s.Alive, err = streams.OpenAlive(ctx, s.Conn, cfg)
	must(err)
	s.Timers, err = streams.OpenTimers(s.Conn)
	must(err)
	s.Live = streams.NewLive(s.Conn)
	s.Hub = streams.NewHub(s.Log)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = s.Hub.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	<-s.Hub.Ready()
	return s
}

// Key makes a fresh agent's key in the product "test".
func (s *Server) Key() domain.Key {
	return domain.Key{Product: "test", Agent: s.Log.NewID()}
}

// Command makes a command of a person with a fresh idempotency key.
func (s *Server) Command(user string) streams.Command {
	return streams.Command{ID: string(s.Log.NewID()), Actor: domain.User(domain.ID(user))}
}
