package web

import (
	"sync"
	"sync/atomic"

	"github.com/fasthttp/websocket"
)

// The limits of what is on its way to a socket.
const (
	queueFrames = 1024 // frames that may wait before a socket counts as slow
	queueBytes  = 4 << 20
	joinFrames  = 16 // waiting frames that go out in one message
	joinBytes   = 64 << 10
)

// note is one frame on its way to the sockets of a room. The notes of a room are
// one list in its order; each socket remembers the last one that it has. So a
// frame is kept once however many sockets it goes to, and only until the slowest
// of them has it, and the message that joins it with the next ones is put
// together once. Only the room adds to the list; anybody may read it.
type note struct {
	data  []byte
	count uint64 // notes up to this one
	bytes uint64 // of them
	next  atomic.Pointer[note]

	mu     sync.Mutex
	joined *websocket.PreparedMessage // of the notes after this one
	upto   *note                      // the last of those
}

// add puts a frame behind the list's last note and returns the new last one.
func (n *note) add(data []byte) *note {
	next := &note{data: data, count: n.count + 1, bytes: n.bytes + uint64(len(data))}
	n.next.Store(next)
	return next
}

// message joins the notes after this one, as many as fit; upto is the last of
// them, n itself if there is none yet.
func (n *note) message() (msg *websocket.PreparedMessage, upto *note, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.joined != nil && n.upto.count-n.count == joinFrames {
		return n.joined, n.upto, nil
	}
	upto = n
	for next := n.next.Load(); next != nil && n.fits(next); next = next.next.Load() {
		upto = next
	}
	// What was joined for another socket will do while it holds half of it: few
	// are built, and they are long.
	if n.joined != nil && 2*(n.upto.count-n.count) >= upto.count-n.count {
		return n.joined, n.upto, nil
	}
	if upto == n {
		return nil, n, nil
	}
	var frames [][]byte
	for next := n.next.Load(); ; next = next.next.Load() {
		frames = append(frames, next.data)
		if next == upto {
			break
		}
	}
	if msg, err = messageOf(frames); err == nil {
		n.joined, n.upto = msg, upto
	}
	return msg, upto, err
}

func (n *note) fits(next *note) bool {
	return next.count == n.count+1 || next.count-n.count <= joinFrames && next.bytes-n.bytes <= joinBytes
}

// behind says whether a socket that has got as far as this note is too slow for a
// room that has got to another.
func (n *note) behind(last *note) bool {
	return last.count-n.count > queueFrames || last.bytes-n.bytes > queueBytes
}

// messageOf makes frames one message, a JSON array, encoded as it goes over the wire.
func messageOf(frames [][]byte) (*websocket.PreparedMessage, error) {
	size := 2
	for _, f := range frames {
		size += len(f) + 1
	}
	data := append(make([]byte, 0, size), '[')
	for i, f := range frames {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, f...)
	}
	return websocket.NewPreparedMessage(websocket.TextMessage, append(data, ']'))
}
