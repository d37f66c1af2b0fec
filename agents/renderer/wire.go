package renderer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sozai/domain"
)

// The render service's interface, JSON over HTTP, with a bearer token:
//
//	POST   /renders       order; Idempotency-Key names it → 202 ordered. The same
//	                      key again is the same render, and is charged once.
//	GET    /renders/{id}  → 200 state, 404 unknown
//	DELETE /renders/{id}  stops it → 204, 404 unknown
//
// Errors are {"message", "panel"}; panel is 0 unless one panel is to blame. 429 and
// 503 may say Retry-After. The order answers 400 or 422 for what can never be
// rendered.
type order struct {
	Title  string       `json:"title"`
	Width  int          `json:"width"`
	Height int          `json:"height"`
	FPS    int          `json:"fps"`
	Frames int          `json:"frames"`
	Panels []orderPanel `json:"panels"`
}

// orderPanel without a URL is a card. To 0 is the end of the clip.
type orderPanel struct {
	Number  int     `json:"number"`
	Caption string  `json:"caption"`
	Seconds float64 `json:"seconds"`
	URL     string  `json:"url,omitempty"`
	From    float64 `json:"from,omitempty"`
	To      float64 `json:"to,omitempty"`
}

// ordered is kept in the ledger. Cost is in millionths of a yuan.
type ordered struct {
	ID   string       `json:"render_id"`
	Cost domain.Money `json:"cost"`
}

// The states of a render.
const (
	stateQueued    = "queued"
	stateRendering = "rendering"
	stateDone      = "done"
	stateFailed    = "failed"
)

// state of a render; URL once it is done, Error once it has failed.
type state struct {
	State string   `json:"state"`
	Done  int      `json:"frames_done"`
	Total int      `json:"frames_total"`
	URL   string   `json:"url"`
	Error *problem `json:"error"`
}

type problem struct {
	Message string `json:"message"`
	Panel   int    `json:"panel"`
}

// maxAnswer bounds what a service may say at a time.
const maxAnswer = 64 << 10

// awayError is a service that cannot be used now, and when to come back.
type awayError struct {
	why   string
	after time.Duration
}

func (e *awayError) Error() string { return e.why }

// errForgotten: the service knows no such render.
var errForgotten = errors.New("the render service does not know this render")

// call sends one request and decodes the answer. Errors: the context's,
// *awayError, errForgotten, or *domain.Error for what can never be.
func (r *Remote) call(ctx context.Context, method, path, key string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, r.request)
	defer cancel()
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode order: %w", err)
		}
		reader = strings.NewReader(string(raw))
	}
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, reader)
	if err != nil {
		return fmt.Errorf("ask render service: %w", bare(err))
	}
	req.Header.Set("Content-Type", "application/json")
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return &awayError{why: fmt.Sprint("cannot be reached: ", bare(err))}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(raw) > maxAnswer {
		return &awayError{why: "its answer broke off or is too long"}
	}
	if resp.StatusCode/100 != 2 {
		return refused(resp, raw)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return &awayError{why: "its answer makes no sense"}
	}
	return nil
}

// refused is the error of an answer that is none.
func refused(resp *http.Response, raw []byte) error {
	var p problem
	_ = json.Unmarshal(raw, &p) // a proxy's page says nothing, and is not quoted
	switch code := resp.StatusCode; code {
	case http.StatusNotFound:
		return errForgotten
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return p.refusal()
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired:
		return domain.Errorf(domain.Unavailable, "渲染服务拒绝了我们的账号（%d）· the render service refuses our account (%d)", code, code)
	default:
		return &awayError{why: fmt.Sprint("it answered ", code), after: retryAfter(resp)}
	}
}

// refusal is a problem in words for people; the service's own are quoted.
func (p *problem) refusal() *domain.Error {
	words := domain.Clip(strings.Join(strings.Fields(p.Message), " "), 200)
	if p.Panel > 0 && p.Panel <= MaxPanels {
		return ErrPanel.With(map[string]any{"panel": p.Panel}, "第 %d 格：渲染服务画不出来 · panel %d: the render service says: %q", p.Panel, p.Panel, words)
	}
	return domain.Errorf(domain.Unprocessable, "渲染服务没有做成 · the render service says: %q", words)
}

// retryAfter reads a number of seconds, within reason.
func retryAfter(resp *http.Response) time.Duration {
	n, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, 300)) * time.Second
}

// bare is a transport's error without the address.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
