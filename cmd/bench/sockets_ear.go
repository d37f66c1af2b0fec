package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// The opcodes of WebSocket frames that a listener meets.
const (
	opText  = 1
	opClose = 8
	opPing  = 9
	opPong  = 10
)

// ear is one connection that is listened to: the frames of ours on it are counted
// and timed, and nothing else is looked at.
type ear struct {
	conn net.Conn
	in   *bufio.Reader
	read atomic.Int64 // frames
	gone atomic.Pointer[string]

	timing atomic.Pointer[timings] // nil: frames are only counted

	stamp []byte // the digits of a stamp that a read has cut
	open  bool   // within a stamp
}

// listen reads until the connection ends.
func (e *ear) listen() {
	for {
		if err := e.message(); err != nil {
			text := err.Error()
			e.gone.Store(&text)
			return
		}
	}
}

// message reads one WebSocket frame.
func (e *ear) message() error {
	var head [10]byte
	if _, err := io.ReadFull(e.in, head[:2]); err != nil {
		return err
	}
	size := uint64(head[1] & 0x7f)
	switch size {
	case 126:
		if _, err := io.ReadFull(e.in, head[2:4]); err != nil {
			return err
		}
		size = uint64(binary.BigEndian.Uint16(head[2:4]))
	case 127:
		if _, err := io.ReadFull(e.in, head[2:10]); err != nil {
			return err
		}
		size = binary.BigEndian.Uint64(head[2:10])
	}
	if op := head[0] & 0x0f; op > opText {
		return e.control(op, int(size)) //nolint:gosec // a control frame has at most 125 bytes
	}
	for size > 0 {
		if _, err := e.in.Peek(1); err != nil { // waits for something
			return err
		}
		chunk, err := e.in.Peek(int(min(size, uint64(e.in.Buffered())))) //nolint:gosec // as much as there is
		if err != nil {
			return err
		}
		e.count(chunk)
		n, err := e.in.Discard(len(chunk))
		if err != nil {
			return err
		}
		size -= uint64(n) //nolint:gosec // not negative
	}
	return nil
}

// count looks for markers in a piece of a message.
func (e *ear) count(chunk []byte) {
	found := int64(0)
	for len(chunk) > 0 {
		if !e.open {
			i := bytes.IndexByte(chunk, marker)
			if i < 0 {
				break
			}
			chunk, e.open, e.stamp = chunk[i+1:], true, e.stamp[:0]
		}
		n := min(stampDigits-len(e.stamp), len(chunk))
		e.stamp = append(e.stamp, chunk[:n]...)
		chunk = chunk[n:]
		if len(e.stamp) == stampDigits {
			e.open = false
			e.time()
			found++
		}
	}
	if found > 0 {
		e.read.Add(found)
	}
}

func (e *ear) time() {
	timing := e.timing.Load()
	if timing == nil {
		return
	}
	sent, err := strconv.ParseInt(string(e.stamp), 10, 64)
	if err != nil {
		return
	}
	timing.add(time.Duration(time.Now().UnixNano() - sent))
}

// control answers a ping and takes a farewell.
func (e *ear) control(op byte, size int) error {
	body := make([]byte, size)
	if _, err := io.ReadFull(e.in, body); err != nil {
		return err
	}
	switch op {
	case opPing:
		return e.send(opPong, body)
	case opClose:
		if size >= 2 {
			return fmt.Errorf("code %d", binary.BigEndian.Uint16(body))
		}
		return io.EOF
	}
	return nil
}

// send writes a frame of at most 125 bytes, masked with zeros.
func (e *ear) send(op byte, body []byte) error {
	_, err := e.conn.Write(append([]byte{0x80 | op, 0x80 | byte(len(body)), 0, 0, 0, 0}, body...)) //nolint:gosec // short
	return err
}
