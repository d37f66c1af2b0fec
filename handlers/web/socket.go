package web

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"

	"sozai/domain"
	"sozai/handlers/access"
	"sozai/projections"
)

// The limits of a socket.
const (
	closeGoingAway = websocket.CloseGoingAway
	helloTimeout   = 10 * time.Second
	pingEvery      = 25 * time.Second
	pongTimeout    = 60 * time.Second
	socketWrite    = 10 * time.Second
	recheckEvery   = 30 * time.Second
	readLimit      = 4 << 10
	ownFrames      = 64  // that may wait for one socket alone
	syncRows       = 500 // changed rows that are sent; more is a reset
)

// socket is one WebSocket of a room. Its reader is the goroutine of serveSocket. A
// writer runs only while there is something to write, so that a waiting socket
// costs one small stack.
type socket struct {
	key      domain.Key
	caller   access.Caller
	role     access.Role
	identify func(context.Context) (access.Caller, error) // again, from the same cookie or token
	isTyping atomic.Bool
	conn     *websocket.Conn
	writers  sync.WaitGroup

	mu      sync.Mutex
	at      *note    // the last of the room's notes that it has
	own     [][]byte // frames for it alone
	ping    bool
	code    int  // what it is to be closed with
	busy    bool // somebody writes: who greets it, a writer, or nobody ever again
	pingAt  time.Time
	checkAt time.Time
}

func (s *Server) serveSocket(conn *websocket.Conn, sk *socket) {
	sk.conn = conn
	conn.SetReadLimit(readLimit)
	_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	hangUp := context.AfterFunc(s.ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	var hello fromClient
	err := readFrame(conn, &hello)
	if !hangUp() {
		farewell(conn, closeGoingAway)
		return
	}
	if err != nil || hello.Type != frameHello {
		farewell(conn, closeBadFrame)
		return
	}
	rm := s.rooms.enter(sk)
	if rm == nil {
		farewell(conn, closeGoingAway)
		return
	}
	defer s.rooms.leave(rm, sk)
	j := joinRequest{sk: sk, reply: make(chan joined, 1)}
	select {
	case rm.joining <- j:
	case <-rm.done:
		farewell(conn, rm.endCode)
		return
	}
	if err := s.greet(sk, <-j.reply, hello.After); err != nil {
		farewell(conn, closeBehind)
		return
	}
	sk.greeted()
	sk.read(rm)
	sk.close(websocket.CloseNormalClosure)
	sk.writers.Wait()
}

// greet sends hello, what changed since after, and the answer that is being
// written. Notes that came meanwhile follow.
func (s *Server) greet(sk *socket, j joined, after uint64) error {
	ctx, cancel := context.WithTimeout(s.ctx, requestTimeout)
	defer cancel()
	sync, err := s.changes(ctx, sk.key, after, j.sent)
	if err != nil {
		return err
	}
	frames := append([][]byte{
		encode(helloFrame{
			Type: frameHello, Seq: j.sent, Role: string(sk.role), Model: s.deps.Model, Version: s.deps.Version,
			You: userView{ID: sk.caller.User, Name: sk.caller.Name, Admin: sk.caller.Admin}, Status: &j.status, People: j.people,
		}),
		encode(sync),
	}, j.answer...)
	msg, err := messageOf(frames)
	if err != nil {
		return err
	}
	return sk.send(msg)
}

// changes are the rows that changed after a sequence, up to another.
func (s *Server) changes(ctx context.Context, key domain.Key, after, upto uint64) (syncFrame, error) {
	f := syncFrame{Type: frameSync, Seq: upto, Rows: []projections.Row{}}
	if after > upto {
		last, err := s.deps.Log.Last(ctx)
		if err != nil {
			return f, err
		}
		f.Reset = after > last // the log was restored to an earlier point
	}
	var err error
	for since := after; !f.Reset && since < upto; {
		var rows []projections.Row
		if rows, err = s.deps.Store.TimelineChanged(ctx, key, since, rowPage); err != nil {
			return f, err
		}
		since = upto
		for _, row := range rows {
			if row.Rev <= upto {
				f.Rows = append(f.Rows, row)
			}
		}
		if n := len(rows); n == rowPage {
			since = rows[n-1].Rev
		}
		f.Reset = len(f.Rows) > syncRows
	}
	if f.Reset {
		f.Rows = []projections.Row{}
	}
	f.People, err = s.peopleIn(ctx, f.Rows)
	return f, err
}

// joins says from which note on the socket gets the room's.
func (sk *socket) joins(at *note, now time.Time) {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	sk.at, sk.pingAt, sk.checkAt = at, now.Add(pingEvery), now.Add(recheckEvery)
}

// greeted lets the notes flow.
func (sk *socket) greeted() {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	sk.busy = false
	sk.wake()
}

// reach says that the room has got to a note. A socket that is too far behind is
// closed and comes back with its last sequence.
func (sk *socket) reach(last *note) {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	if sk.at.behind(last) {
		sk.closes(closeSlow)
		return
	}
	sk.wake()
}

// push sends a frame to this socket alone.
func (sk *socket) push(data []byte) {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	if len(sk.own) == ownFrames {
		sk.closes(closeSlow)
		return
	}
	sk.own = append(sk.own, data)
	sk.wake()
}

// tick sends pings and looks at the session again when it is time to.
func (sk *socket) tick(s *Server, now time.Time) {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	if now.After(sk.pingAt) {
		sk.ping, sk.pingAt = true, now.Add(pingEvery)
		sk.wake()
	}
	if now.After(sk.checkAt) {
		sk.checkAt = now.Add(recheckEvery)
		go sk.recheck(s)
	}
}

// close ends the socket with a code; the first one counts.
func (sk *socket) close(code int) {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	sk.closes(code)
}

func (sk *socket) closing() bool {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	return sk.code != 0
}

// closes needs the lock.
func (sk *socket) closes(code int) {
	if sk.code != 0 {
		return
	}
	sk.code = code
	sk.wake()
}

// wake needs the lock. It begins a writer unless one is there, which then sees by
// itself what is new.
func (sk *socket) wake() {
	if sk.busy {
		return
	}
	sk.busy = true
	sk.writers.Add(1)
	go sk.write()
}

// write sends what there is to send, and at the end the close code.
func (sk *socket) write() {
	defer sk.writers.Done()
	for {
		code, ping, own, at, more := sk.next()
		if code != 0 {
			goodbye(sk.conn, code)
			return
		}
		if !more {
			return
		}
		if err := sk.deliver(ping, own, at); err != nil {
			sk.close(closeSlow)
		}
	}
}

// next is what the writer has to do; if it is nothing, the writer must end.
func (sk *socket) next() (code int, ping bool, own [][]byte, at *note, more bool) {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	code, ping, own, at = sk.code, sk.ping, sk.own, sk.at
	sk.ping, sk.own = false, nil
	more = ping || own != nil || at.next.Load() != nil
	sk.busy = more || code != 0
	return code, ping, own, at, more
}

func (sk *socket) deliver(ping bool, own [][]byte, at *note) error {
	if ping {
		if err := sk.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(socketWrite)); err != nil {
			return err
		}
	}
	if own != nil {
		msg, err := messageOf(own)
		if err == nil {
			err = sk.send(msg)
		}
		if err != nil {
			return err
		}
	}
	msg, upto, err := at.message()
	if err == nil && upto != at {
		err = sk.send(msg)
	}
	if err != nil {
		return err
	}
	sk.mu.Lock()
	defer sk.mu.Unlock()
	sk.at = upto
	return nil
}

func (sk *socket) send(msg *websocket.PreparedMessage) error {
	if err := sk.conn.SetWriteDeadline(time.Now().Add(socketWrite)); err != nil {
		return err
	}
	return sk.conn.WritePreparedMessage(msg)
}

// read takes typing signs until the peer is gone.
func (sk *socket) read(rm *room) {
	conn := sk.conn
	alive := func() { _ = conn.SetReadDeadline(time.Now().Add(pongTimeout)) }
	alive()
	conn.SetPongHandler(func(string) error { alive(); return nil })
	for {
		var in fromClient
		err := readFrame(conn, &in)
		if err != nil && !isJSONError(err) {
			return
		}
		if sk.closing() {
			return
		}
		alive()
		if err != nil || in.Type != frameTyping {
			sk.push(encode(errorFrame{Type: frameError, Reason: "bad_frame", Detail: "after hello a client sends typing only; commands are HTTP requests"}))
			continue
		}
		sk.isTyping.Store(in.On)
		select {
		case rm.typing <- sk:
		case <-rm.done:
			return
		}
	}
}

// recheck closes the socket if its session is over or its person may no longer
// see the room.
func (sk *socket) recheck(s *Server) {
	ctx, cancel := context.WithTimeout(s.ctx, requestTimeout)
	defer cancel()
	caller, err := sk.identify(ctx)
	switch {
	case domain.CodeOf(err) == domain.Unauthorized || err == nil && !caller.SignedIn():
		sk.close(closeSignedOut)
		return
	case err != nil:
		return // the next check will tell
	}
	_, st, err := s.standing(ctx, caller, string(sk.key.Agent))
	if err == nil && access.Authorize(caller, access.ReadRoom, st) != nil {
		sk.close(closeNotAllowed)
	}
}

func readFrame(conn *websocket.Conn, into any) error {
	_, data, err := conn.ReadMessage()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return jsonError{err}
	}
	return nil
}

type jsonError struct{ error }

func isJSONError(err error) bool {
	var bad jsonError
	return errors.As(err, &bad)
}

// farewell is goodbye for a socket that nobody reads: it waits for the answer.
func farewell(conn *websocket.Conn, code int) {
	goodbye(conn, code)
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			return
		}
	}
}

// goodbye sends the close code and gives the peer a moment to answer, so that the
// code arrives before the connection ends.
func goodbye(conn *websocket.Conn, code int) {
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(socketWrite))
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
}
