package streamstest

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
)

// Proxy stands between a client and the server and can lose the server's
// answers: what the client sends still arrives.
type Proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	from  string
	once  string
	deaf  bool
	conns []net.Conn
}

// ConnectThrough connects to the server through a new proxy.
func (s *Server) ConnectThrough(t testing.TB) (*nats.Conn, *Proxy) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.Dir, "nats.json"))
	if err != nil {
		t.Fatal(err)
	}
	var access struct{ URL, User, Password string }
	if err := json.Unmarshal(data, &access); err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(access.URL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, target: server.Host}
	go p.serve()
	t.Cleanup(func() { _ = listener.Close(); p.Cut() })
	nc, err := nats.Connect("nats://"+listener.Addr().String(), nats.UserInfo(access.User, access.Password),
		nats.MaxReconnects(-1), nats.ReconnectWait(50e6), nats.IgnoreDiscoveredServers())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, p
}

// LoseAnswers drops everything the server sends from the first answer on that
// contains a text, until Cut.
func (p *Proxy) LoseAnswers(from string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from = from
}

// LoseAnswer drops the next answer that contains a text, and no other. Nothing
// else may be on its way at that moment.
func (p *Proxy) LoseAnswer(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.once = text
}

// Lost says that the answer has been dropped.
func (p *Proxy) Lost() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.once == ""
}

// Cut ends every connection and lets new ones through unharmed.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf, p.from = false, ""
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
		go func() { _, _ = io.Copy(lossy{client, p}, server); _ = client.Close() }()
	}
}

// lossy forwards to the client unless answers are being lost.
type lossy struct {
	client net.Conn
	proxy  *Proxy
}

func (l lossy) Write(b []byte) (int, error) {
	l.proxy.mu.Lock()
	if l.proxy.from != "" && bytes.Contains(b, []byte(l.proxy.from)) {
		l.proxy.deaf = true
	}
	deaf := l.proxy.deaf
	if l.proxy.once != "" && bytes.Contains(b, []byte(l.proxy.once)) {
		l.proxy.once, deaf = "", true
	}
	l.proxy.mu.Unlock()
	if deaf {
		return len(b), nil
	}
	return l.client.Write(b)
}
