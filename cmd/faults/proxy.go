package main

import (
	"bytes"
	"context"
	"net"
	"sync"
	"time"
)

// proxy stands between one process and one server, and is the network between
// them: it can lose what either side says, delay it, and cut connections.
type proxy struct {
	listener net.Listener
	dial     func() (net.Conn, error)

	mu      sync.Mutex
	lose    [2]bool // by direction
	lag     time.Duration
	trigger []byte // cut once the client has sent this;
	deaf    bool   // it has, and hears no answer
	conns   map[net.Conn]bool
	cuts    int
	closed  bool
}

// The directions.
const (
	toServer = 0
	toClient = 1
)

func newProxy(dial func() (net.Conn, error)) (*proxy, error) {
	listener, err := listen()
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener, dial: dial, conns: map[net.Conn]bool{}}
	go p.serve()
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.cut()
}

// drop begins to lose what is said in a direction. A connection of which
// something was lost is of no use any more: heal ends it.
func (p *proxy) drop(direction int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose[direction] = true
}

// delay makes everything arrive later, in order.
func (p *proxy) delay(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lag = by
}

// cutAfter ends all connections once the client has sent a text: it reaches the
// server, the answer does not come back.
func (p *proxy) cutAfter(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trigger = []byte(text)
}

// cut ends every connection; new ones are let through.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts++
	p.deaf = false
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

// heal ends all that was wrong, and connections that lost something.
func (p *proxy) heal() {
	p.mu.Lock()
	lossy := p.lose[toServer] || p.lose[toClient]
	p.lose, p.lag, p.trigger = [2]bool{}, 0, nil
	p.mu.Unlock()
	if lossy {
		p.cut()
	}
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.join(client)
	}
}

func (p *proxy) join(client net.Conn) {
	server, err := p.dial()
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, true
	closed := p.closed
	p.mu.Unlock()
	if closed {
		p.cut()
	}
	go p.carry(server, client, toServer)
	p.carry(client, server, toClient)
}

// chunk is what arrived together, and when it may go on.
type chunk struct {
	data []byte
	due  time.Time
}

// carry forwards one direction until either side ends, then ends both.
func (p *proxy) carry(to, from net.Conn, direction int) {
	defer func() {
		_, _ = to.Close(), from.Close()
		p.mu.Lock()
		delete(p.conns, to)
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	chunks := make(chan chunk, 1024)
	go func() {
		defer close(chunks)
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				p.mu.Lock()
				due := time.Now().Add(p.lag)
				p.mu.Unlock()
				chunks <- chunk{bytes.Clone(buffer[:n]), due}
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() {
		for range chunks { // so that the reader ends
		}
	}()
	defer func() { _ = from.Close() }()
	for c := range chunks {
		if wait := time.Until(c.due); wait > 0 {
			<-time.After(wait)
		}
		if p.loses(c.data, direction) {
			continue
		}
		if _, err := to.Write(c.data); err != nil {
			return
		}
	}
}

// cutDelay lets what was sent last reach the server before the end does.
const cutDelay = 20 * time.Millisecond

// loses decides what becomes of a chunk.
func (p *proxy) loses(data []byte, direction int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if direction == toServer && p.trigger != nil && bytes.Contains(data, p.trigger) {
		p.trigger, p.deaf = nil, true
		time.AfterFunc(cutDelay, p.cut)
	}
	return p.lose[direction] || p.deaf && direction == toClient
}

func listen() (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
}

func dialServer(network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return new(net.Dialer).DialContext(ctx, network, address)
}
