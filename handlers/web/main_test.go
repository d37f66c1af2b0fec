package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oklog/ulid/v2"
	"go.uber.org/goleak"

	"sozai/agents/catalogue"
	"sozai/domain"
	"sozai/handlers/access"
	"sozai/migrations"
	"sozai/projections"
	"sozai/projections/postgres/postgrestest"
	"sozai/streams"
	"sozai/streams/streamstest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := postgrestest.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if code == 0 {
		if err := goleak.Find(
			// What other packages start for the process and never stop.
			goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
			goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
			goleak.IgnoreAnyFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"),
		); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// bench is a running server on a real log and a real database.
type bench struct {
	t       *testing.T
	nats    *streamstest.Server
	pool    *pgxpool.Pool
	store   *projections.Store
	access  *access.Store
	cat     *catalogue.Catalogue
	server  *Server
	url     string
	log     *logBuffer
	boss    *client // the first administrator
	product string
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// setup starts a server; change adjusts what it stands on.
func setup(t *testing.T, change ...func(*Deps)) *bench {
	t.Helper()
	pool := postgrestest.Copy(t, "migrated", migrations.Up)
	b := &bench{t: t, nats: streamstest.Start(t), pool: pool, log: &logBuffer{}, product: "demo"}
	logger := slog.New(slog.NewTextHandler(b.log, nil))
	b.store = projections.NewStore(pool)
	runner := projections.NewRunner(b.store, b.nats.Log, logger)
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		if err := runner.Run(ctx); err != nil {
			t.Errorf("projections: %v", err)
		}
	}()
	t.Cleanup(func() { cancel(); <-ran })
	var err error
	if b.access, err = access.New(pool); err != nil {
		t.Fatal(err)
	}
	b.cat, err = catalogue.Open(ctx, catalogue.Config{Pool: pool, Dir: t.TempDir(), Video: analyzer(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.cat.Close() })
	deps := Deps{
		Log: b.nats.Log, Hub: b.nats.Hub, Live: b.nats.Live, Store: b.store, Access: b.access, Catalogue: b.cat,
		Frontend: fstest.MapFS{
			"index.html":           {Data: []byte("<!doctype html><title>Sozai</title>")},
			"assets/app-1a2b3c.js": {Data: []byte("console.log(1)")},
			"favicon.svg":          {Data: []byte("<svg/>")},
		},
		Model: Model{Name: "rehearsal", Rehearsal: true}, Version: "test", Logger: logger,
	}
	for _, c := range change {
		c(&deps)
	}
	b.server, b.url = serve(t, deps)
	poll(t, "projections serve", func() bool { return b.store.Ready(ctx) == nil })

	b.boss = b.client()
	link, err := b.access.FirstAdminLink(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b.boss.post("/api/links/"+link, body{"name": "boss", "password": "correct horse"}).want(204)
	b.boss.me()
	b.boss.post("/api/products", body{"id": b.product, "name": "Demo"}).want(200)
	return b
}

// serve runs a server on a free port.
func serve(t *testing.T, deps Deps) (*Server, string) {
	t.Helper()
	s, err := New(deps)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s, "http://" + l.Addr().String()
}

// poll waits for a condition.
func poll(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		<-tick.C
	}
}

// body is a JSON object.
type body map[string]any

// client is one person's browser or program.
type client struct {
	b      *bench
	t      *testing.T
	cookie string
	token  string
	id     domain.ID
	name   string
	key    string // the next command's Idempotency-Key; empty: a fresh one
}

func (b *bench) client() *client { return &client{b: b, t: b.t} }

// person invites somebody into the product (or none) and signs them in.
func (b *bench) person(name string, products ...string) *client {
	b.t.Helper()
	c := b.client()
	if len(products) == 0 {
		products = []string{b.product}
	}
	var inv struct{ Token string }
	b.boss.post("/api/invites", body{"products": products}).want(200).into(&inv)
	c.post("/api/links/"+inv.Token, body{"name": name, "password": "correct horse"}).want(204)
	c.me()
	return c
}

func (c *client) me() {
	c.t.Helper()
	var s sessionView
	c.get("/api/session").want(200).into(&s)
	c.id, c.name = s.User.ID, s.User.Name
}

// agent creates an agent and returns its address.
func (c *client) agent(name string) (path string, created createdAgent) {
	c.t.Helper()
	c.post("/api/agents?product="+c.b.product, body{
		"name": name, "brief": "末日塔防", "search": "爆炸\n僵尸", "steer": "节奏快",
	}).want(200).into(&created)
	return "/api/agents/" + string(created.Agent), created
}

func newKey() string { return ulid.Make().String() }

type answered struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
}

func (c *client) get(path string) *answered          { c.t.Helper(); return c.do("GET", path, nil) }
func (c *client) del(path string) *answered          { c.t.Helper(); return c.do("DELETE", path, nil) }
func (c *client) post(path string, in any) *answered { c.t.Helper(); return c.do("POST", path, in) }
func (c *client) put(path string, in any) *answered  { c.t.Helper(); return c.do("PUT", path, in) }

// with sends the next command under this key.
func (c *client) with(key string) *client {
	d := *c
	d.key = key
	return &d
}

// do sends JSON; edits change the request.
func (c *client) do(method, path string, in any, edits ...func(*http.Request)) *answered {
	c.t.Helper()
	var r io.Reader
	switch v := in.(type) {
	case nil:
	case []byte:
		r = bytes.NewReader(v)
	case io.Reader:
		r = v
	default:
		data, err := json.Marshal(v)
		if err != nil {
			c.t.Fatal(err)
		}
		r = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.b.url+path, r)
	if err != nil {
		c.t.Fatal(err)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if method != "GET" && method != "HEAD" {
		key := c.key
		if key == "" {
			key = newKey()
		}
		req.Header.Set("Idempotency-Key", key)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	} else if c.cookie != "" {
		req.Header.Set("Cookie", cookieName+"="+c.cookie)
	}
	for _, edit := range edits {
		edit(req)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	for _, cookie := range res.Cookies() {
		if cookie.Name == cookieName {
			c.cookie = cookie.Value
		}
	}
	return &answered{t: c.t, what: method + " " + path, status: res.StatusCode, header: res.Header, body: data}
}

func (a *answered) want(status int) *answered {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %s", a.what, a.status, status, a.body)
	}
	return a
}

// problem checks that the answer is a problem of this status and reason.
func (a *answered) problem(status int, reason string) Problem {
	a.t.Helper()
	a.want(status)
	if ct := a.header.Get("Content-Type"); ct != problemType {
		a.t.Fatalf("%s: content type %q", a.what, ct)
	}
	var p Problem
	a.into(&p)
	if p.Status != status || p.Code == "" || p.Detail == "" || p.Title != http.StatusText(status) {
		a.t.Fatalf("%s: problem %s", a.what, a.body)
	}
	if reason != "" && p.Reason != reason {
		a.t.Fatalf("%s: reason %q, want %q: %s", a.what, p.Reason, reason, a.body)
	}
	return p
}

func (a *answered) into(v any) *answered {
	a.t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		a.t.Fatalf("%s: %v: %.2000s", a.what, err, a.body)
	}
	return a
}

// key is the agent's address in the log.
func (b *bench) key(id domain.ID) domain.Key { return domain.Key{Product: b.product, Agent: id} }

// decide appends decisions as a worker or butler would.
func (b *bench) decide(key domain.Key, by domain.Actor, what func(*streams.State, time.Time) ([]domain.Decision, error)) streams.Result {
	b.t.Helper()
	res, err := b.nats.Log.Decide(b.t.Context(), key, streams.Command{ID: newKey(), Actor: by}, what)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// record appends facts as a worker would.
func (b *bench) record(key domain.Key, by domain.Actor, facts ...domain.Fact) uint64 {
	b.t.Helper()
	events, err := b.nats.Log.Record(b.t.Context(), key, streams.Command{ID: newKey(), Actor: by}, facts...)
	if err != nil {
		b.t.Fatal(err)
	}
	return events[len(events)-1].Seq
}

// settle waits until every projection shows the log's end.
func (b *bench) settle() {
	b.t.Helper()
	last, err := b.nats.Log.Last(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	poll(b.t, "projections caught up", func() bool { return b.store.Wait(b.t.Context(), last) == nil })
}

func hasAll(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

func tempFile(t *testing.T, data []byte) string {
	t.Helper()
	path := t.TempDir() + "/file"
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
