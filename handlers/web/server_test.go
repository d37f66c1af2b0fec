package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"sozai/domain"
	"sozai/handlers/access"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	want := map[domain.Code]int{
		domain.Invalid: 400, domain.Unauthorized: 401, domain.Forbidden: 403, domain.NotFound: 404, domain.Conflict: 409,
		domain.Exists: 409, domain.TooLarge: 413, domain.Unprocessable: 422, domain.TooMany: 429, domain.Unavailable: 503,
		domain.Internal: 500, "never heard of": 500,
	}
	for code, s := range want {
		if got := status(code); got != s {
			t.Errorf("%s: %d, want %d", code, got, s)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.client()
	p := c.get("/nowhere/else").want(200)
	if !strings.Contains(string(p.body), "Sozai") {
		t.Fatal("an unknown page is the index page")
	}
	c.get("/api/nowhere").problem(404, "")
	c.post("/nowhere", body{}).problem(404, "method")
	b.boss.post("/api/products", []byte(`{"id":`)).problem(400, "validation")
	if p := b.boss.post("/api/products", body{"id": "x", "name": "y", "colour": "z"}).problem(400, "validation"); len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Location, "colour") {
		t.Fatalf("an unknown field: %+v", p)
	}
	b.boss.post("/api/products", []byte(`{"id":"x","name":"a\u0000b"}`)).problem(400, "validation")
	b.boss.get("/api/agents?product=demo%00").problem(400, "")
	big := b.boss.post("/api/products", []byte(`{"id":"`+strings.Repeat("x", jsonLimit)+`"}`)).problem(413, "validation")
	if big.Code != domain.TooLarge {
		t.Fatalf("%+v", big)
	}
	b.boss.get("/api/session").want(200) // the connection is of use after that
}

func TestInternalErrorsAreHidden(t *testing.T) {
	t.Parallel()
	log := &logBuffer{}
	s := bareServer(t, log)
	app := fiber.New(fiber.Config{ErrorHandler: s.fail})
	app.Use(s.outermost)
	app.Get("/:what", func(c *fiber.Ctx) error {
		switch c.Params("what") {
		case "secret":
			return fmt.Errorf("open /etc/passwd: %w", errors.New("password=hunter2"))
		case "panic":
			panic("hunter3")
		case "busy":
			e := domain.Rule(domain.TooMany, "slow_down", "not so fast")
			e.RetryAfter = 7
			return fmt.Errorf("wrapped: %w", e)
		}
		return domain.Rule(domain.Conflict, "base_moved", "it moved").With(map[string]any{"version": 3}, "it moved to 3")
	})
	ask := func(path string) (Problem, *http.Response) {
		res, err := app.Test(must(http.NewRequest("GET", path, nil)))
		if err != nil {
			t.Fatal(err)
		}
		var p Problem
		if err := json.NewDecoder(res.Body).Decode(&p); err != nil {
			t.Fatal(err)
		}
		return p, res
	}
	for _, what := range []string{"secret", "panic"} {
		p, res := ask("/" + what)
		if res.StatusCode != 500 || p.Code != domain.Internal || p.ID == "" || strings.Contains(p.Detail, "hunter") {
			t.Fatalf("%s: %d %+v", what, res.StatusCode, p)
		}
		if n := strings.Count(log.String(), p.ID); n != 1 {
			t.Fatalf("%s: logged %d times under its id", what, n)
		}
	}
	if !hasAll(log.String(), "hunter2", "hunter3") {
		t.Fatal("the log does not say what happened")
	}
	p, res := ask("/busy")
	if res.StatusCode != 429 || res.Header.Get("Retry-After") != "7" || p.Reason != "slow_down" {
		t.Fatalf("%d %v %+v", res.StatusCode, res.Header, p)
	}
	p, res = ask("/moved")
	if res.StatusCode != 409 || p.Details["version"] != float64(3) || p.Detail != "it moved to 3" {
		t.Fatalf("%d %+v", res.StatusCode, p)
	}
}

// bareServer has a logger and nothing else.
func bareServer(t *testing.T, log *logBuffer) *Server {
	t.Helper()
	s, err := New(Deps{Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *Deps) { d.PublicURL = "https://sozai.example" })
	try := func(method string, header map[string]string) *answered {
		return b.boss.do(method, "/api/agents?product=demo", body{"name": "x", "search": "y"}, func(r *http.Request) {
			for k, v := range header {
				r.Header.Set(k, v)
			}
		})
	}
	own := b.url
	for _, h := range []map[string]string{
		{"Origin": "https://evil.example"},
		{"Origin": "null"},
		{"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
		{"Sec-Fetch-Site": "cross-site"},
		{"Sec-Fetch-Site": "same-site"},
		{"Origin": own + ".evil.example"},
		{"Origin": "http://127.0.0.1:1"},
	} {
		try("POST", h).problem(403, "origin")
	}
	for _, h := range []map[string]string{
		{},
		{"Origin": own},
		{"Origin": "https://sozai.example"},
		{"Sec-Fetch-Site": "same-origin"},
	} {
		try("POST", h).want(200)
	}
	b.boss.do("GET", "/api/agents?product=demo", nil, func(r *http.Request) {
		r.Header.Set("Origin", "https://evil.example")
	}).want(200) // reading is what CORS keeps from other sites, and we grant none
}

func TestPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.client()
	for _, path := range []string{"/", "/agents/x", "/link/abc", "/../etc/passwd", "/.git"} {
		a := c.get(path).want(200)
		if !strings.Contains(string(a.body), "<title>Sozai") || a.header.Get("Cache-Control") != "no-cache" {
			t.Fatalf("%s: %v %s", path, a.header, a.body)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		} {
			if a.header.Get(name) != want {
				t.Fatalf("%s: %s is %q", path, name, a.header.Get(name))
			}
		}
		if !hasAll(a.header.Get("Content-Security-Policy"), "default-src 'self'", "frame-ancestors 'none'") {
			t.Fatal(a.header.Get("Content-Security-Policy"))
		}
	}
	a := c.get("/assets/app-1a2b3c.js").want(200)
	if !hasAll(a.header.Get("Cache-Control"), "immutable") || !strings.Contains(a.header.Get("Content-Type"), "javascript") {
		t.Fatal(a.header)
	}
	c.do("GET", "/assets/app-1a2b3c.js", nil, func(r *http.Request) { r.Header.Set("If-None-Match", a.header.Get("ETag")) }).want(304)
	c.get("/assets/gone.js").problem(404, "")
	if head := c.do("HEAD", "/", nil).want(200); len(head.body) != 0 {
		t.Fatal("a HEAD with a body")
	}
	if ct := c.get("/favicon.svg").want(200).header.Get("Content-Type"); ct != "image/svg+xml" {
		t.Fatal(ct)
	}
	c.get("/healthz").want(200)
	c.get("/readyz").want(200)
}

// Connections that browsers open ahead, and a request that hangs, hold up a
// shutdown no longer than they should.
func TestShutdown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ahead, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer ahead.Close()
	b.boss.get("/api/session").want(200)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	began := time.Now()
	if err := b.server.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Fatalf("took %s", took)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://")); err == nil {
		t.Fatal("still listening")
	}
	if err := b.server.Shutdown(ctx); err != nil {
		t.Fatalf("the second time: %v", err)
	}

	b = setup(t)
	stuck, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	if _, err := fmt.Fprint(stuck, "POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	b.boss.get("/api/session").want(200)
	ctx, cancel = context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := b.server.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(stuck); err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
}

// The document is valid OpenAPI 3.1 as far as its own schema rules go, and lists
// every route with its rights.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Summary     string
			Security    []map[string][]string
			Responses   map[string]any
			Parameters  []struct{ In, Name string }
		}
	}
	a := b.client().get("/api/openapi.json").want(200).into(&doc)
	if doc.OpenAPI != "3.1.0" || a.header.Get("Content-Type") != "application/openapi+json" {
		t.Fatalf("%s %v", doc.OpenAPI, a.header)
	}
	ids := map[string]bool{}
	n := 0
	for _, rt := range b.server.routes() {
		op, ok := doc.Paths[rt.path][strings.ToLower(rt.method)]
		if !ok {
			t.Errorf("%s %s is not in the document", rt.method, rt.path)
			continue
		}
		n++
		if op.OperationID == "" || ids[op.OperationID] || op.Summary == "" || op.Responses["default"] == nil {
			t.Errorf("%s %s: %+v", rt.method, rt.path, op)
		}
		ids[op.OperationID] = true
		if (len(op.Security) > 0) != (rt.action != access.Anyone) {
			t.Errorf("%s %s: security %v", rt.method, rt.path, op.Security)
		}
		seen := map[string]bool{}
		for _, p := range op.Parameters {
			if seen[p.In+p.Name] {
				t.Errorf("%s %s: parameter %s twice", rt.method, rt.path, p.Name)
			}
			seen[p.In+p.Name] = true
		}
		for _, name := range pathParams(rt.path) {
			if !seen["path"+name] {
				t.Errorf("%s %s: parameter %s is missing", rt.method, rt.path, name)
			}
		}
		if rt.command != seen["header"+idempotencyKey] {
			t.Errorf("%s %s: Idempotency-Key", rt.method, rt.path)
		}
	}
	all := 0
	for _, item := range doc.Paths {
		all += len(item)
	}
	if all != n {
		t.Errorf("%d operations for %d routes", all, n)
	}
	checkRefs(t, a.body)
}

// checkRefs follows every $ref of a document.
func checkRefs(t *testing.T, data []byte) {
	t.Helper()
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(at any)
	walk = func(at any) {
		switch v := at.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				var to any = doc
				for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
					m, _ := to.(map[string]any)
					to = m[part]
				}
				if to == nil {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(doc)
}

// textPlain is how sendBeacon sends.
func textPlain(r *http.Request) { r.Header.Set("Content-Type", "text/plain;charset=UTF-8") }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
