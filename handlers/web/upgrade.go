package web

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/fasthttp/websocket"
	contrib "github.com/gofiber/contrib/websocket"
	"github.com/gofiber/fiber/v2"

	"sozai/domain"
	"sozai/handlers/access"
)

// readBuffer holds what a client sends at once: a hello, signs of typing. Below
// 257 bytes the upgrader would allocate its own, larger one.
const readBuffer = 512

var errHandshake = domain.Rule(domain.Invalid, "handshake", "this is not a WebSocket handshake of version 13")

// openSocket upgrades a request that passed the guard.
func (s *Server) openSocket(c *fiber.Ctx, r *request) error {
	if !websocket.FastHTTPIsWebSocketUpgrade(c.Context()) {
		return fiber.ErrUpgradeRequired
	}
	key := c.Get("Sec-WebSocket-Key")
	if raw, err := base64.StdEncoding.DecodeString(key); err != nil || len(raw) != 16 || c.Get("Sec-WebSocket-Version") != "13" {
		return errHandshake
	}
	bearer, cookie := c.Get(fiber.HeaderAuthorization), c.Cookies(cookieName)
	sk := &socket{
		key: r.key, caller: r.caller, role: r.role, busy: true,
		identify: func(ctx context.Context) (access.Caller, error) { return s.identifyBy(ctx, bearer, cookie) },
	}
	c.Locals(socketLocal, sk)
	return s.handshake(c)
}

// socketLocal is where the socket waits for its connection.
const socketLocal = "socket"

// newHandshake answers upgrades. The request's buffers, which an upgraded
// connection would keep, are several times what a waiting socket needs: they go
// back to the HTTP server, and the socket lives on the bare connection.
func (s *Server) newHandshake() fiber.Handler {
	return contrib.New(func(c *contrib.Conn) {
		if sk, ok := c.Locals(socketLocal).(*socket); ok {
			s.takeOver(c.NetConn(), sk)
		}
	}, contrib.Config{ReadBufferSize: readBuffer, WriteBufferSize: readBuffer, RecoverHandler: func(*contrib.Conn) {
		if p := recover(); p != nil {
			s.deps.Logger.Error("panic at a handshake", "panic", p, "stack", string(debug.Stack()))
		}
	}})
}

// takeOver gives a socket the connection of its handshake. It returns at once.
func (s *Server) takeOver(hijacked net.Conn, sk *socket) {
	bare, ok := hijacked.(interface{ UnsafeConn() net.Conn })
	if !ok {
		_ = hijacked.Close()
		return
	}
	conn := bare.UnsafeConn()
	// A client must wait for our answer. What it sent before would be lost with the
	// request's buffer, which is all that can be read once the deadline is over.
	if err := conn.SetReadDeadline(time.Unix(1, 0)); err != nil {
		_ = conn.Close()
		return
	}
	if n, _ := hijacked.Read(make([]byte, 1)); n > 0 {
		_ = conn.Close()
		return
	}
	if !s.rooms.begin() {
		_ = conn.Close()
		return
	}
	go func() {
		defer s.rooms.running.Done()
		defer func() {
			if p := recover(); p != nil {
				s.deps.Logger.Error("panic in a socket", "panic", p, "stack", string(debug.Stack()))
			}
			hangUp(conn)
		}()
		ws, err := s.upgrader.Upgrade(alreadyAnswered{conn: conn}, upgradeRequest(), nil)
		if err == nil {
			s.serveSocket(ws, sk)
		}
	}()
}

// hangUp closes a connection. What its peer is still sending is read first, a
// little of it and for a moment: closing over it would reset the connection, and
// the peer would never see the close code.
func hangUp(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		_, _ = io.CopyN(io.Discard, conn, 1<<20)
	}
	_ = conn.Close()
}

// alreadyAnswered lets the upgrader frame a bare connection whose upgrade was answered
// already: the answer that it gives itself goes nowhere.
type alreadyAnswered struct {
	http.ResponseWriter // never written to: whatever could be refused was looked at before
	conn                net.Conn
}

// Hijack gives the connection to the upgrader, with a small buffer to read from.
func (a alreadyAnswered) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn := &afterAnswer{Conn: a.conn}
	return conn, bufio.NewReadWriter(bufio.NewReaderSize(conn, readBuffer), bufio.NewWriterSize(conn, 0)), nil
}

// afterAnswer is a connection that drops what is written to it first.
type afterAnswer struct {
	net.Conn
	dropped bool
}

func (c *afterAnswer) Write(p []byte) (int, error) {
	if !c.dropped {
		c.dropped = true
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// upgradeRequest is a request that the upgrader finds nothing wrong with.
func upgradeRequest() *http.Request {
	return &http.Request{Method: http.MethodGet, Header: http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="},
	}}
}
