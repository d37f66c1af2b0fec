package web

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"sozai/domain"
)

// writeStall is how long one write may wait for the peer. A limit for a whole
// response would cut off a slow download of a large file.
const writeStall = 60 * time.Second

// readStall is how long an upload may pause.
const readStall = 60 * time.Second

// listener gives every connection a deadline for each write, and knows which are
// open.
type listener struct {
	net.Listener
	mu   sync.Mutex
	open map[*conn]struct{}
}

func newListener(l net.Listener) *listener {
	return &listener{Listener: l, open: map[*conn]struct{}{}}
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	wrapped := &conn{Conn: c, of: l}
	l.open[wrapped] = struct{}{}
	return wrapped, nil
}

// drop closes open connections: those on which nothing was ever sent to us, which
// browsers open ahead, or all.
func (l *listener) drop(all bool) {
	l.mu.Lock()
	var doomed []*conn
	for c := range l.open {
		if all || !c.spoke.Load() {
			doomed = append(doomed, c)
		}
	}
	l.mu.Unlock()
	for _, c := range doomed {
		_ = c.Close()
	}
}

// conn sets writeStall before each write unless its user set a deadline.
type conn struct {
	net.Conn
	of    *listener
	own   atomic.Bool // the user sets write deadlines
	spoke atomic.Bool // the peer sent something
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.spoke.Store(true)
	}
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	if !c.own.Load() {
		if err := c.Conn.SetWriteDeadline(time.Now().Add(writeStall)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(p)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.own.Store(!t.IsZero())
	return c.Conn.SetWriteDeadline(t)
}

// CloseWrite says that nothing more will be sent.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(*net.TCPConn)
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

func (c *conn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// uploadReader reads a request's body as it comes, up to a limit, and lets it
// take as long as it needs while bytes keep coming.
type uploadReader struct {
	r     io.Reader
	conn  net.Conn
	left  int64
	limit int64
}

func newUploadReader(c *fiber.Ctx, limit int64) io.Reader {
	u := &uploadReader{r: c.Context().RequestBodyStream(), conn: c.Context().Conn(), left: limit, limit: limit}
	c.Locals(bodyTaken, u)
	return u
}

func (u *uploadReader) Read(p []byte) (int, error) {
	if u.r == nil {
		return 0, io.EOF
	}
	if err := u.conn.SetReadDeadline(time.Now().Add(readStall)); err != nil {
		return 0, err
	}
	if int64(len(p)) > u.left+1 {
		p = p[:u.left+1]
	}
	n, err := u.r.Read(p)
	u.left -= int64(n)
	if u.left < 0 {
		return 0, domain.Errorf(domain.TooLarge, "the upload is larger than %d MB", u.limit>>20)
	}
	if err == io.EOF {
		u.r = nil // a chunked stream must not be read past its end
	}
	return n, err
}

// bodyTaken marks (in the request's locals) that a handler read the body itself.
const bodyTaken = "body taken"

// settleBody leaves no unread byte of a request on a connection that lives on:
// it would be read as the next request. What is short is read away, so that the
// peer gets our answer instead of a reset; otherwise the connection closes.
func settleBody(c *fiber.Ctx) {
	length := c.Request().Header.ContentLength()
	chunked := length == -1
	if chunked {
		c.Context().SetConnectionClose() // where its body ends cannot be told twice
	}
	body := c.Context().RequestBodyStream() // nil once it was read whole
	if body == nil || length == 0 {
		return
	}
	if upload, ok := c.Locals(bodyTaken).(*uploadReader); ok {
		body = upload.r
	} else if chunked && c.Locals(bodyTaken) != nil {
		return
	}
	if body == nil {
		return
	}
	_ = c.Context().Conn().SetReadDeadline(time.Now().Add(2 * time.Second))
	if n, err := io.CopyN(io.Discard, body, drainLimit); !errors.Is(err, io.EOF) || n == drainLimit {
		c.Context().SetConnectionClose()
	}
}

const (
	jsonLimit  = 1 << 20 // of a request body that is held in memory
	drainLimit = 8 << 20
)
