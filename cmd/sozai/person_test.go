package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
)

// patience bounds every wait for the workshop to do something, a takeover after
// a killed worker included.
const patience = 60 * time.Second

// person is somebody with a browser: cookies, and commands that are repeated
// with the same idempotency key while the server is away.
type person struct {
	t    *testing.T
	base string
	http *http.Client
}

func newPerson(t *testing.T, base string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, base: base, http: &http.Client{Jar: jar, Timeout: 20 * time.Second}}
}

// answer is what a request came back with.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("answer %s: %v", a.body, err)
	}
}

// once sends one request.
func (p *person) once(method, path, key string, header map[string]string, in any) (answer, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return answer{}, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, p.base+path, body)
	if err != nil {
		return answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	if method != http.MethodGet {
		req.Header.Set("Origin", p.base)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, header: resp.Header, body: data}, err
}

// do repeats a command with one key until the server has answered.
func (p *person) do(method, path string, in any) answer {
	p.t.Helper()
	return p.doWith(ulid.Make().String(), method, path, in)
}

func (p *person) doWith(key, method, path string, in any) answer {
	p.t.Helper()
	var a answer
	p.until(method+" "+path+" is answered", func() bool {
		var err error
		a, err = p.once(method, path, key, nil, in)
		return err == nil && a.status != http.StatusServiceUnavailable
	})
	return a
}

// must is do with a success expected; the answer is decoded into out unless nil.
func (p *person) must(method, path string, in, out any) {
	p.t.Helper()
	a := p.do(method, path, in)
	if a.status >= http.StatusBadRequest {
		p.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	if out != nil {
		a.into(p.t, out)
	}
}

// get reads, waiting out a server that is away.
func (p *person) get(path string, out any) {
	p.t.Helper()
	p.must(http.MethodGet, path, nil, out)
}

// until polls until check is true.
func (p *person) until(what string, check func() bool) {
	p.t.Helper()
	until(p.t, what, check)
}

func until(t *testing.T, what string, check func() bool) {
	t.Helper()
	limit := time.After(patience)
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for !check() {
		select {
		case <-limit:
			t.Fatalf("%s: not within %s", what, patience)
		case <-tick.C:
		}
	}
}

// useLink takes a one-time link as printed, or its token.
func (p *person) useLink(link, name, password string) {
	p.t.Helper()
	token := link[strings.LastIndex(link, "/")+1:]
	a := p.do(http.MethodPost, "/api/links/"+token, map[string]string{"name": name, "password": password})
	if a.status != http.StatusNoContent {
		p.t.Fatalf("link: %d %s", a.status, a.body)
	}
}

// ok fails the test unless the condition holds.
func ok(t *testing.T, condition bool, format string, args ...any) {
	t.Helper()
	if !condition {
		t.Fatalf(format, args...)
	}
}
