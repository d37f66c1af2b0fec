package web

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/contrib/websocket"
	"github.com/gofiber/fiber/v2"

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
	queueFrames    = 1024
	queueBytes     = 4 << 20
	joinFrames     = 16  // waiting frames that go out in one message
	syncRows       = 500 // changed rows that are sent; more is a reset
)

// socket is one WebSocket of a room. Its reader is the handler's goroutine; after
// the greeting only its writer writes.
type socket struct {
	key      domain.Key
	caller   access.Caller
	role     access.Role
	identify func(context.Context) (access.Caller, error) // again, from the same cookie or token
	isTyping atomic.Bool

	mu    sync.Mutex
	queue []frame
	bytes int
	last  uint64 // sequence up to which it has everything
	code  int
	wake  chan struct{}
	gone  chan struct{} // closed once it is to be closed
}

// openSocket upgrades a request that passed the guard.
func (s *Server) openSocket(c *fiber.Ctx, r *request) error {
	if !websocket.IsWebSocketUpgrade(c) {
		return fiber.ErrUpgradeRequired
	}
	bearer, cookie := c.Get(fiber.HeaderAuthorization), c.Cookies(cookieName)
	sk := &socket{
		key: r.key, caller: r.caller, role: r.role, wake: make(chan struct{}, 1), gone: make(chan struct{}),
		identify: func(ctx context.Context) (access.Caller, error) { return s.identifyBy(ctx, bearer, cookie) },
	}
	return websocket.New(func(conn *websocket.Conn) { s.serveSocket(conn, sk) }, websocket.Config{
		RecoverHandler: func(*websocket.Conn) {
			if p := recover(); p != nil {
				s.deps.Logger.Error("panic in a socket", "panic", p, "stack", string(debug.Stack()))
			}
		},
	})(c)
}

func (s *Server) serveSocket(conn *websocket.Conn, sk *socket) {
	conn.SetReadLimit(readLimit)
	_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	var hello fromClient
	if err := readFrame(conn, &hello); err != nil || hello.Type != frameHello {
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
	if err := s.greet(conn, sk, <-j.reply, hello.After); err != nil {
		farewell(conn, closeBehind)
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		sk.write(s, conn)
	}()
	sk.read(conn, rm)
	sk.close(websocket.CloseNormalClosure)
	<-written
}

// greet sends hello, what changed since after, and the answer that is being
// written. Frames that came meanwhile wait in the queue and follow.
func (s *Server) greet(conn *websocket.Conn, sk *socket, j joined, after uint64) error {
	ctx, cancel := context.WithTimeout(s.ctx, requestTimeout)
	defer cancel()
	sync, err := s.changes(ctx, sk.key, after, j.sent)
	if err != nil {
		return err
	}
	sk.mu.Lock()
	sk.last = j.sent
	sk.mu.Unlock()
	frames := []frame{
		{data: encode(helloFrame{
			Type: frameHello, Seq: j.sent, Role: string(sk.role), Model: s.deps.Model, Version: s.deps.Version,
			You: userView{ID: sk.caller.User, Name: sk.caller.Name, Admin: sk.caller.Admin}, Status: &j.status, People: j.people,
		})},
		{data: encode(sync)},
	}
	for _, data := range j.answer {
		frames = append(frames, frame{data: data})
	}
	return writeFrames(conn, frames)
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

// push queues a frame; a socket whose queue is full is closed and comes back with
// its last sequence.
func (sk *socket) push(f frame) {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	if f.seq != 0 && f.seq <= sk.last {
		return
	}
	if len(sk.queue) >= queueFrames || sk.bytes+len(f.data) > queueBytes {
		sk.closeLocked(closeSlow)
		return
	}
	sk.queue = append(sk.queue, f)
	sk.bytes += len(f.data)
	select {
	case sk.wake <- struct{}{}:
	default:
	}
}

// take removes up to joinFrames waiting frames.
func (sk *socket) take() []frame {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	n := min(len(sk.queue), joinFrames)
	batch := make([]frame, n)
	copy(batch, sk.queue)
	sk.queue = sk.queue[n:]
	if len(sk.queue) == 0 {
		sk.queue = nil
	}
	for _, f := range batch {
		sk.bytes -= len(f.data)
	}
	return batch
}

// close ends the socket with a code; the first one counts.
func (sk *socket) close(code int) {
	sk.mu.Lock()
	defer sk.mu.Unlock()
	sk.closeLocked(code)
}

func (sk *socket) closeLocked(code int) {
	if sk.code != 0 {
		return
	}
	sk.code = code
	close(sk.gone)
}

// write sends queued frames, pings, and at the end the close code.
func (sk *socket) write(s *Server, conn *websocket.Conn) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	check := time.NewTicker(recheckEvery)
	defer check.Stop()
	for {
		select {
		case <-sk.gone:
			goodbye(conn, sk.code)
			return
		case <-s.ctx.Done():
			sk.close(closeGoingAway)
		case <-sk.wake:
			for batch := sk.take(); len(batch) > 0; batch = sk.take() {
				if writeFrames(conn, batch) != nil {
					sk.close(closeSlow)
					break
				}
			}
		case <-ping.C:
			if conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(socketWrite)) != nil {
				sk.close(closeSlow)
			}
		case <-check.C:
			go sk.recheck(s)
		}
	}
}

// read takes typing signs until the peer is gone.
func (sk *socket) read(conn *websocket.Conn, rm *room) {
	alive := func() { _ = conn.SetReadDeadline(time.Now().Add(pongTimeout)) }
	alive()
	conn.SetPongHandler(func(string) error { alive(); return nil })
	for {
		var in fromClient
		err := readFrame(conn, &in)
		if err != nil && !isJSONError(err) {
			return
		}
		select {
		case <-sk.gone:
			return
		default:
		}
		alive()
		if err != nil || in.Type != frameTyping {
			sk.push(frame{data: encode(errorFrame{Type: frameError, Reason: "bad_frame", Detail: "after hello a client sends typing only; commands are HTTP requests"})})
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

// writeFrames sends frames as one message, a JSON array.
func writeFrames(conn *websocket.Conn, frames []frame) error {
	if err := conn.SetWriteDeadline(time.Now().Add(socketWrite)); err != nil {
		return err
	}
	w, err := conn.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	sep := []byte("[")
	for _, f := range frames {
		if _, err := w.Write(sep); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
		sep = []byte(",")
	}
	if _, err := w.Write([]byte("]")); err != nil {
		return err
	}
	return w.Close()
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
