package web

import (
	"context"
	"sync"

	"github.com/oklog/ulid/v2"

	"sozai/domain"
)

// rooms are the rooms that somebody on this gateway has open. A room lives as
// long as it has a socket.
type rooms struct {
	s       *Server
	gateway string // tells our presence from other gateways'

	mu      sync.Mutex
	open    map[domain.Key]*room
	sockets map[*socket]struct{}
	closed  bool           // the server goes down: nobody enters
	running sync.WaitGroup // rooms and sockets
}

func newRooms(s *Server) *rooms {
	return &rooms{
		s: s, gateway: ulid.Make().String(),
		open: map[domain.Key]*room{}, sockets: map[*socket]struct{}{},
	}
}

// begin counts a socket in, which must be done with running; false when the server
// goes down.
func (rs *rooms) begin() bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if !rs.closed {
		rs.running.Add(1)
	}
	return !rs.closed
}

// enter brings a socket into its room, which begins if it is the first. The
// socket must leave. It is nil when the server goes down.
func (rs *rooms) enter(sk *socket) *room {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return nil
	}
	rm := rs.open[sk.key]
	if rm == nil || rm.over() {
		rm = newRoom(rs, sk.key)
		rs.open[sk.key] = rm
		rs.running.Add(1)
		go func() {
			defer rs.running.Done()
			rm.run()
		}()
	}
	rm.users++
	rs.sockets[sk] = struct{}{}
	return rm
}

func (rs *rooms) leave(rm *room, sk *socket) {
	select {
	case rm.leaving <- sk:
	case <-rm.done:
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	delete(rs.sockets, sk)
	rm.users--
	if rm.users == 0 {
		rm.cancel()
		if rs.open[rm.key] == rm {
			delete(rs.open, rm.key)
		}
	}
}

// endSession closes the sockets of a session that was signed out.
func (rs *rooms) endSession(session string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for sk := range rs.sockets {
		if session != "" && sk.caller.Session == session {
			sk.close(closeSignedOut)
		}
	}
}

// wait returns when every room and socket has ended, or with ctx.
func (rs *rooms) wait(ctx context.Context) {
	rs.mu.Lock()
	rs.closed = true
	rs.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		rs.running.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
