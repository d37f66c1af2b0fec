package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// signIn is what `sozai login` keeps for later commands, mode 0600.
type signIn struct {
	URL     string `json:"url"`
	Token   string `json:"token"`
	Name    string `json:"name"`
	Product string `json:"product"`
}

// target says which server and product a client command speaks to.
type target struct {
	URL     string `env:"SOZAI_URL" help:"Server (default: the one signed in to)."`
	Token   string `env:"SOZAI_TOKEN" hidden:"" help:"Bearer token (default: that of the sign-in)."`
	Product string `env:"SOZAI_PRODUCT" help:"Product (default: the one signed in to)."`
}

// errSignIn asks for a sign-in.
var errSignIn = errors.New("not signed in; run `sozai login` first")

func signInPath(getenv func(string) string) (string, error) {
	dir := getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home := getenv("HOME")
		if home == "" {
			return "", errors.New("neither XDG_CONFIG_HOME nor HOME is set")
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "sozai", "signin.json"), nil
}

func readSignIn(getenv func(string) string) (signIn, error) {
	var s signIn
	path, err := signInPath(getenv)
	if err != nil {
		return s, err
	}
	data, err := os.ReadFile(path) //nolint:gosec // the person's own configuration
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// client speaks to the HTTP API as one person.
type client struct {
	base    string
	token   string
	product string
	http    *http.Client
}

// connect makes a client of the flags, completed from the sign-in.
func (t target) connect(p *process) (*client, error) {
	s, err := readSignIn(p.getenv)
	if err != nil {
		return nil, err
	}
	if t.URL != "" && t.URL != s.URL {
		s = signIn{URL: t.URL, Product: s.Product}
	}
	if t.Token != "" {
		s.Token = t.Token
	}
	if t.Product != "" {
		s.Product = t.Product
	}
	if s.URL == "" || s.Token == "" {
		return nil, errSignIn
	}
	return &client{base: strings.TrimRight(s.URL, "/"), token: s.Token, product: s.Product, http: &http.Client{}}, nil
}

// problem is an RFC 9457 answer.
type problem struct {
	Status     int            `json:"status"`
	Title      string         `json:"title"`
	Detail     string         `json:"detail"`
	Code       string         `json:"code"`
	Reason     string         `json:"reason"`
	Details    map[string]any `json:"details"`
	RetryAfter int            `json:"-"` // seconds
}

func (p *problem) Error() string {
	text := p.Detail
	if text == "" {
		text = p.Title
	}
	if p.Status == http.StatusUnauthorized {
		text += " (run `sozai login`)"
	}
	if p.RetryAfter > 0 {
		text += fmt.Sprintf(" (try again in %d s)", p.RetryAfter)
	}
	return text
}

// callLimit bounds one request that carries no file.
const callLimit = 30 * time.Second

// call sends a request and decodes the answer into out (nil: ignored). Unsafe
// methods carry a fresh idempotency key.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	return c.send(ctx, method, path, "application/json", body, out)
}

func (c *client) send(ctx context.Context, method, path, contentType string, body io.Reader, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	if method != http.MethodGet && method != http.MethodHead {
		req.Header.Set("Idempotency-Key", ulid.Make().String())
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer drain(resp.Body)
	if resp.StatusCode >= http.StatusBadRequest {
		return readProblem(resp)
	}
	if out == nil || resp.StatusCode == http.StatusNoContent || method == http.MethodHead {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("%s %s: answer: %w", method, path, err)
	}
	return nil
}

func readProblem(resp *http.Response) error {
	p := &problem{}
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/problem+json") {
		err = json.Unmarshal(data, p)
	}
	if err != nil || p.Title == "" && p.Detail == "" {
		p.Detail = resp.Status
	}
	p.Status = resp.StatusCode
	p.RetryAfter, _ = strconv.Atoi(resp.Header.Get("Retry-After"))
	return p
}

// agentOf finds an agent by id, by name, or by a part of its name that fits only one.
func (c *client) agentOf(ctx context.Context, name string) (agentRow, error) {
	agents, err := c.agents(ctx)
	if err != nil {
		return agentRow{}, err
	}
	var part []agentRow
	for _, a := range agents {
		switch {
		case a.ID == strings.ToUpper(name) || a.Name == name:
			return a, nil
		case strings.Contains(strings.ToLower(a.Name), strings.ToLower(name)):
			part = append(part, a)
		}
	}
	if len(part) == 1 {
		return part[0], nil
	}
	if len(agents) == 0 {
		return agentRow{}, fmt.Errorf("product %q has no agents that you may see", c.product)
	}
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	return agentRow{}, fmt.Errorf("no single agent is called %q; there are: %s", name, strings.Join(names, ", "))
}

type agentRow struct {
	ID            string    `json:"agent"`
	Name          string    `json:"name"`
	Brief         string    `json:"brief"`
	GeneVersion   int       `json:"gene_version"`
	LastActivity  time.Time `json:"last_activity"`
	WaitingCards  int       `json:"waiting_cards"`
	WaitingOrders int       `json:"waiting_orders"`
	RunningTasks  int       `json:"running_tasks"`
}

func (c *client) agents(ctx context.Context) ([]agentRow, error) {
	var answer struct {
		Agents []agentRow `json:"agents"`
	}
	err := c.call(ctx, http.MethodGet, "/api/agents?product="+url.QueryEscape(c.product), nil, &answer)
	return answer.Agents, err
}
