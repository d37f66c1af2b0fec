package source

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"sozai/agents/effect"
	"sozai/domain"
)

// Limits on one exchange with a service.
const (
	maxBody  = 8 << 20
	maxTries = 3
	patience = 5 * time.Second // longer waits are the caller's
	maxPause = time.Hour       // of what a service may ask us to wait
)

// ServiceConfig says where a service is. Zero fields take the defaults in
// brackets.
type ServiceConfig struct {
	Base    string        // address without the path, e.g. "https://api.tikhub.io"
	Key     string        // sent as a bearer token; never logged
	Timeout time.Duration // of one request [45 s]
	Backoff time.Duration // before the second try, doubled before the third [1 s]
	Now     func() time.Time
}

// service is a JSON service of which every request may cost money.
type service struct {
	name   string // in errors
	conf   ServiceConfig
	base   *url.URL
	client *http.Client
}

func newService(name string, c ServiceConfig) (*service, error) {
	u, err := url.Parse(c.Base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, domain.Errorf(domain.Invalid, "the address of %s is not a web address without credentials", name)
	}
	if c.Key == "" {
		return nil, domain.Errorf(domain.Invalid, "%s has no key", name)
	}
	if c.Timeout == 0 {
		c.Timeout = 45 * time.Second
	}
	if c.Backoff == 0 {
		c.Backoff = time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &service{name: name, conf: c, base: u, client: &http.Client{
		Timeout: c.Timeout,
		// A redirected request could carry the key elsewhere, or be charged twice.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			MaxResponseHeaderBytes: 64 << 10,
			// A reused connection that breaks makes net/http send the request
			// again by itself, which may be charged twice.
			DisableKeepAlives: true,
		},
	}}, nil
}

// exchange is one request. Key makes it repeatable at the other side, whatever
// became of it; price is what a good answer costs.
type exchange struct {
	method, path string
	query        url.Values
	body         any
	key          string
	repeat       bool // sending it again changes and costs nothing, even without a key
	price        domain.Money
}

// ask sends an exchange through g, again after a failure that may pass, at most
// maxTries times. An answer is good by its status alone; it is JSON of bounded
// size, or nil if it was charged but cannot be read. Errors besides a cancelled
// context are *Error; they wrap effect.ErrNotDone if nothing was charged.
func (s *service) ask(ctx context.Context, g *Guard, e exchange) (json.RawMessage, error) {
	pause := s.conf.Backoff
	e.repeat = e.repeat || e.key != ""
	for try := 1; ; try++ {
		var answer json.RawMessage
		err := g.Do(ctx, func(ctx context.Context) (domain.Money, error) {
			var err error
			answer, err = s.send(ctx, e, pause)
			if err != nil {
				return 0, err
			}
			return e.price, nil
		})
		var failed *Error
		if !errors.As(err, &failed) {
			return answer, err
		}
		failed.Source = g.conf.Name
		wait := max(failed.RetryAfter, pause)
		if try >= failed.tries || wait > patience {
			return nil, failed
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, notSent(ctx.Err())
		}
		pause *= 2
	}
}

// send makes one request.
func (s *service) send(ctx context.Context, e exchange, pause time.Duration) (json.RawMessage, error) {
	var body io.Reader
	if e.body != nil {
		text, err := json.Marshal(e.body)
		if err != nil {
			return nil, fmt.Errorf("encode request of %s: %w", s.name, err)
		}
		body = bytes.NewReader(text)
	}
	u := s.base.JoinPath(e.path)
	u.RawQuery = e.query.Encode()
	req, err := http.NewRequestWithContext(ctx, e.method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make request of %s: %w", s.name, err)
	}
	req.Header.Set("Authorization", "Bearer "+s.conf.Key)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if e.key != "" {
		req.Header.Set("Idempotency-Key", e.key)
	}
	var sent atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	}))
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, s.broken(ctx, sent.Load(), e.repeat)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return nil, s.refusal(resp, pause)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil && (e.repeat || ctx.Err() != nil):
		return nil, s.broken(ctx, true, e.repeat)
	case err != nil, len(text) > maxBody, !json.Valid(text):
		return nil, nil
	}
	return text, nil
}

// broken is a request without an answer. It was certainly not charged if no
// connection came about; whether it may be sent again depends on that, or on its
// key. What net/http says names the whole address, so it is left out.
func (s *service) broken(ctx context.Context, sent, repeatable bool) error {
	canceled := errors.Is(ctx.Err(), context.Canceled)
	switch {
	case canceled && sent:
		return ctx.Err()
	case canceled:
		return notSent(ctx.Err())
	case !sent:
		return &Error{Kind: Down, Message: "it cannot be reached", tries: maxTries, Err: effect.ErrNotDone}
	case repeatable:
		return &Error{Kind: Down, Message: "it did not answer", tries: maxTries}
	}
	return &Error{Kind: Down, Message: "it did not answer; whether it charged for that is not known"}
}

// notSent says of a cancelled context that nothing was charged.
func notSent(err error) error { return fmt.Errorf("%w: %w", effect.ErrNotDone, err) }
