// Package fetch gets a video file from an address that somebody outside gave us.
//
// The address is hostile: only http and https, only public network addresses,
// judged where the connection is made, so that neither a redirect nor a name that
// resolves differently the second time leads inside; no proxy, no credentials,
// no cookies. The answer is bounded in size and time and must begin like a video.
// Errors name the host only: a signed address is a secret.
//
// It may import domain and agents/video.
package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sozai/agents/video"
	"sozai/domain"
)

// Limits that hold unless a Config says otherwise.
const (
	MaxBytes     = 512 << 20
	Timeout      = 2 * time.Minute
	maxRedirects = 5
	maxAddress   = 4_000 // bytes of an address; signed ones are long
)

// The refusals, all of them *domain.Error.
var (
	ErrAddress  = domain.Rule(domain.Invalid, "fetch_address", "this is no address of a public web server")
	ErrGone     = domain.Rule(domain.NotFound, "fetch_gone", "the file is not there any more, or its address has expired")
	ErrAway     = domain.Rule(domain.Unavailable, "fetch_away", "the file cannot be had at present")
	ErrTooLarge = domain.Rule(domain.TooLarge, "fetch_too_large", "the file is too large")
	ErrNotVideo = domain.Rule(domain.Unprocessable, "fetch_not_video", "what lies there is not a video")
)

// Config of a Fetcher. The zero value is the right one outside tests.
type Config struct {
	MaxBytes int64         // of one file; 0 = MaxBytes
	Timeout  time.Duration // from the request to the last byte; 0 = Timeout
	// Allow lists host:port of servers that may lie in a private network, as an
	// address writes them. For tests and a media server of one's own.
	Allow []string
}

// Fetcher is safe for concurrent use.
type Fetcher struct {
	client  *http.Client
	dialer  net.Dialer
	allow   []string
	limit   int64
	timeout time.Duration
}

// New makes a Fetcher.
func New(c Config) *Fetcher {
	f := &Fetcher{limit: c.MaxBytes, timeout: c.Timeout}
	if f.limit == 0 {
		f.limit = MaxBytes
	}
	if f.timeout == 0 {
		f.timeout = Timeout
	}
	for _, a := range c.Allow {
		f.allow = append(f.allow, strings.ToLower(a))
	}
	f.dialer = net.Dialer{Timeout: 10 * time.Second, ControlContext: publicOnly}
	f.client = &http.Client{
		CheckRedirect: f.redirect,
		Transport: &http.Transport{
			DialContext:            f.dial,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true, // a small answer must not become a large one
			DisableKeepAlives:      true, // every request is dialled, and so judged, anew
		},
	}
	return f
}

// Open begins to read the video at address; the caller closes it. Reading
// returns ErrTooLarge beyond the limit and ErrAway when the file breaks off or
// the time is over.
func (f *Fetcher) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	u, err := f.check(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	file, err := f.open(ctx, u)
	if err != nil {
		cancel()
		return nil, f.refusal(u, err)
	}
	file.cancel = cancel
	return file, nil
}

func (f *Fetcher) open(ctx context.Context, u *url.URL) (*file, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, ErrAddress
	}
	req.Header.Set("Accept", "video/*")
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; sozai)")
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, err
	}
	if err := answered(resp, f.limit); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	body := &file{body: resp.Body, left: f.limit, host: u.Hostname()}
	head, err := video.ReadHead(body)
	if err == nil && video.Sniff(head) == "" {
		err = ErrNotVideo
	}
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	body.head = bytes.NewReader(head)
	return body, nil
}

// answered judges the status and the announced size.
func answered(resp *http.Response, limit int64) error {
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
	case code == http.StatusForbidden, code == http.StatusNotFound, code == http.StatusGone, code == http.StatusUnauthorized:
		return ErrGone
	default:
		return ErrAway.With(nil, "the file's server answered %d", code)
	}
	if resp.ContentLength > limit {
		return tooLarge(limit)
	}
	return nil
}

// check takes an address apart; ErrAddress if it can lead nowhere allowed.
func (f *Fetcher) check(address string) (*url.URL, error) {
	if len(address) > maxAddress {
		return nil, ErrAddress
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, ErrAddress
	}
	if p := u.Port(); p != "" && p != "80" && p != "443" && !slices.Contains(f.allow, strings.ToLower(u.Host)) {
		return nil, ErrAddress.With(nil, "port %s is not one of the web", p)
	}
	return u, nil
}

func (f *Fetcher) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return ErrAway.With(nil, "the file's address leads round in circles")
	}
	req.Header.Del("Referer") // the address before may be signed
	_, err := f.check(req.URL.String())
	return err
}

// refusal is err as one of the refusals. What net/http says names the address,
// so it is left out.
func (f *Fetcher) refusal(u *url.URL, err error) error {
	var known *domain.Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	return ErrAway.With(nil, "the file's server %s cannot be reached or is too slow", domain.Clip(u.Hostname(), 100))
}

func tooLarge(limit int64) error {
	return ErrTooLarge.With(nil, "the file is larger than %d MiB", limit>>20)
}

// file is a body under its limits.
type file struct {
	head   *bytes.Reader // read already, to be read again
	body   io.ReadCloser
	left   int64
	host   string
	cancel context.CancelFunc
}

func (f *file) Read(p []byte) (int, error) {
	if f.head != nil && f.head.Len() > 0 {
		return f.head.Read(p)
	}
	if f.left < 0 {
		return 0, ErrTooLarge
	}
	n, err := f.body.Read(p)
	if f.left -= int64(n); f.left < 0 {
		return 0, ErrTooLarge
	}
	switch {
	case err == nil, errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return n, err
	case errors.Is(err, context.Canceled):
		return n, context.Canceled
	}
	return n, ErrAway.With(nil, "the file from %s broke off", domain.Clip(f.host, 100))
}

// Close ends the transfer.
func (f *file) Close() error {
	err := f.body.Close()
	if f.cancel != nil {
		f.cancel()
	}
	return err
}
