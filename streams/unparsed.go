package streams

import (
	"bytes"
	"context"
	"net"
	"strconv"
	"time"
)

// The client makes a map of every message's headers, which costs a bulk reader
// more than all else that it does for a message. So over a connection of unparsed
// an event comes with its headers in front of its body, where the reader finds
// what it needs by itself; its subject begins with a capital letter then. See
// header. Nothing else on the connection is touched.

// unparsed dials. The connections cannot be encrypted.
type unparsed struct{}

const dialTimeout = 2 * time.Second

func (unparsed) Dial(network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(context.Background(), network, address)
	if err != nil {
		return nil, err
	}
	return &unparsedConn{Conn: conn}, nil
}

// unparsedConn turns the line that announces an event with headers into one that
// announces a payload of the same length without.
type unparsedConn struct {
	net.Conn
	payload int    // bytes of the present message that are yet to come
	cut     []byte // the beginning of a line whose end is yet to come
}

// Read is for one reader, whose buffer holds more than the longest line.
func (c *unparsedConn) Read(p []byte) (int, error) {
	for {
		begun := copy(p, c.cut)
		if begun == len(p) {
			return 0, bytes.ErrTooLarge
		}
		n, err := c.Conn.Read(p[begun:])
		n = c.rewrite(p[:begun+n])
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// rewrite goes through what came and returns how much of it is for the reader:
// all but the beginning of a line, which it keeps.
func (c *unparsedConn) rewrite(p []byte) int {
	for at := 0; ; {
		skip := min(c.payload, len(p)-at)
		at, c.payload = at+skip, c.payload-skip
		end := bytes.IndexByte(p[at:], '\n')
		if end < 0 {
			c.cut = append(c.cut[:0], p[at:]...)
			return at
		}
		c.payload = announced(p[at : at+end])
		at += end + 1
	}
}

// announced is how many bytes of payload and line end follow a line of the
// protocol, which it rewrites in place if it is about an event with headers:
//
//	HMSG evt.… <sid> $JS.ACK.… <length of headers> <length>
//	MSG  Evt.… <sid> $JS.ACK.…                     <length>
func announced(line []byte) int {
	if !bytes.HasPrefix(line, []byte("HMSG ")) && !bytes.HasPrefix(line, []byte("MSG ")) {
		return 0
	}
	last := bytes.LastIndexByte(line, ' ')
	length, err := strconv.Atoi(string(bytes.TrimSpace(line[last:])))
	if err != nil || length < 0 {
		return 0 // the client will refuse the line
	}
	if bytes.HasPrefix(line, []byte("HMSG evt.")) && bytes.Contains(line, []byte(" $JS.ACK.")) {
		copy(line, "MSG  E")
		for i := last - 1; line[i] != ' '; i-- {
			line[i] = ' '
		}
	}
	return length + len("\r\n")
}
