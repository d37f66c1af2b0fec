package video

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sozai/domain"
)

// The worker's interface, JSON over HTTP with a bearer token. These shapes are
// ours: the service that they stand for publishes none.
//
//	POST /process         processOrder; Idempotency-Key names the analysis: the same
//	                      key again is the same analysis, made and charged once
//	POST /extract-frames  framesOrder
//	POST /api/query       queryOrder; Idempotency-Key as above
//
// Errors are RFC 9457 problems. Their type ends with unreachable-media,
// unsupported-media or blocked where that is the reason. 429 and 503 may say
// Retry-After; 409 says that the key is being worked on.
type processOrder struct {
	VideoURL string   `json:"video_url"`
	ObjectID string   `json:"object_id"`
	Want     []string `json:"want"`
	Language string   `json:"language"`
}

type framesOrder struct {
	VideoURL string    `json:"video_url"`
	Times    []float64 `json:"times_s,omitempty"`
	Every    float64   `json:"every_s,omitempty"`
	Max      int       `json:"max"`
}

type queryOrder struct {
	VideoURL string `json:"video_url"`
	Question string `json:"question"`
}

type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

const (
	maxAnswer = 1 << 20 // bytes of one answer
	maxTries  = 4
)

// awayError is a worker that cannot be used now, and when to come back.
type awayError struct {
	zh, en    string
	after     time.Duration
	throttled bool
}

func (e *awayError) Error() string { return "the video worker " + e.en }

func (e *awayError) refusal() error {
	code := domain.Unavailable
	if e.throttled {
		code = domain.TooMany
	}
	return &domain.Error{
		Code: code, Reason: "video_worker_away", RetryAfter: int((e.after + time.Second - 1) / time.Second),
		Message: fmt.Sprintf("视频分析服务%s · the video worker %s", e.zh, e.en),
	}
}

// ask sends an order until it is answered, the worker refuses it, or the time for
// it is over. The answer is JSON. Errors are the context's or *domain.Error.
func (w *Worker) ask(ctx context.Context, path, key string, order any) (json.RawMessage, error) {
	text, err := json.Marshal(order)
	if err != nil {
		return nil, fmt.Errorf("encode order of the video worker: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, w.conf.Limit)
	defer cancel()
	end, _ := limited.Deadline()
	pause := w.conf.Backoff
	for try := 1; ; try++ {
		body, err := w.send(limited, path, key, text)
		var away *awayError
		switch {
		case err == nil:
			return body, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case limited.Err() != nil:
			away = &awayError{zh: "没有在 " + w.conf.Limit.String() + " 内答复", en: "did not answer within " + w.conf.Limit.String()}
			return nil, away.refusal()
		case !errors.As(err, &away):
			return nil, err
		}
		wait := max(pause, away.after)
		if try == maxTries || time.Now().Add(wait).After(end) {
			return nil, away.refusal()
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-limited.Done(): // only if the caller gave up: the wait ends before the limit
			timer.Stop()
			return nil, ctx.Err()
		}
		pause *= 2
	}
}

// send makes one request. Its errors are *awayError, *domain.Error for what will
// never be done, or anything once the context has ended.
func (w *Worker) send(ctx context.Context, path, key string, order []byte) (json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.conf.URL+path, bytes.NewReader(order))
	if err != nil {
		return nil, fmt.Errorf("make request of the video worker: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+w.conf.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := w.client.Do(req)
	if err != nil { // what net/http says names the whole address, so it is left out
		return nil, &awayError{zh: "现在联系不上", en: "cannot be reached"}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, &awayError{zh: "的答复中断了", en: "broke off its answer"}
	case resp.StatusCode/100 != 2:
		return nil, refused(resp, body, time.Now())
	case len(body) > maxAnswer, !json.Valid(body):
		return nil, &awayError{zh: "的答复看不懂", en: "gave an answer that makes no sense"}
	}
	return body, nil
}

// refused is the error of an answer that is none.
func refused(resp *http.Response, body []byte, now time.Time) error {
	var p problem
	if json.Unmarshal(body, &p) != nil {
		p = problem{} // a proxy's page says nothing, and is not quoted
	}
	said := harmless(p.Detail)
	if said == "" {
		said = harmless(p.Title)
	}
	kind := p.Type[strings.LastIndexAny(p.Type, "/:#")+1:]
	refuse := func(code domain.Code, reason, zh, en string) error {
		e := &domain.Error{Code: code, Reason: reason, Message: fmt.Sprintf("视频分析服务%s · the video worker %s", zh, en)}
		if said != "" {
			e.Message += fmt.Sprintf(" (%q)", said)
		}
		return e
	}
	switch status := resp.StatusCode; status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType, http.StatusRequestEntityTooLarge:
		switch {
		case kind == "unreachable-media":
			return refuse(domain.Unavailable, "unreachable_media", "打不开我们给的视频地址", "cannot open the address that we gave it")
		case kind == "blocked":
			return refuse(domain.Unprocessable, "blocked", "按它的规则不分析这条视频", "does not analyse this video by its policy")
		case status == http.StatusRequestEntityTooLarge:
			return refuse(domain.TooLarge, "unsupported_media", "嫌这条视频太大", "finds this video too large")
		}
		return refuse(domain.Unprocessable, "unsupported_media", "不能分析这条视频", "cannot analyse this video")
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		zh, en := fmt.Sprintf("拒绝了我们的账号（%d）", status), fmt.Sprintf("refuses our account (%d)", status)
		return refuse(domain.Unavailable, "video_worker_account", zh, en)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return refuse(domain.Unavailable, "video_worker_missing", "不在配置的地址上", "is not at the configured address")
	case http.StatusTooManyRequests:
		return &awayError{zh: "要求暂停", en: "asked for a pause", after: retryAfter(resp.Header, now), throttled: true}
	default:
		return &awayError{
			zh: fmt.Sprintf("出错了（%d）", status), en: fmt.Sprintf("answered %d", status), after: retryAfter(resp.Header, now),
		}
	}
}

// harmless is what a service says, on one line, without addresses: it may repeat
// the signed one that we gave it.
func harmless(text string) string {
	words := strings.Fields(quote(text, 400))
	for i, w := range words {
		if strings.Contains(w, "://") || strings.Contains(w, "sig=") {
			words[i] = "[…]"
		}
	}
	return domain.Clip(strings.Join(words, " "), 160)
}

// maxPause bounds what a worker may ask us to wait.
const maxPause = time.Hour

// retryAfter reads seconds or a date; 0 if it says nothing sensible.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.Atoi(text); err == nil {
		return min(time.Duration(max(0, min(n, 1_000_000)))*time.Second, maxPause)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(now)), maxPause)
	}
	return 0
}
