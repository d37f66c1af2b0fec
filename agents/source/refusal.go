package source

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sozai/agents/effect"
)

// refusal is an answer other than a good one; none of them is charged.
func (s *service) refusal(resp *http.Response, pause time.Duration) *Error {
	e := &Error{Kind: Refused, Err: effect.ErrNotDone}
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized:
		e.Message, e.stops = "the key is not accepted", true
	case code == http.StatusPaymentRequired:
		e.Message, e.stops = "the account is empty, or its credit does not cover this platform", true
	case code == http.StatusForbidden:
		e.Message, e.stops = "the key does not cover this", true
	case code == http.StatusNotFound, code == http.StatusGone:
		e.Message = "it is not there any more"
	case code == http.StatusUnprocessableEntity:
		e.Message = "it does not take these parameters"
	case code == http.StatusTooManyRequests:
		e.Kind, e.tries, e.Message = Throttled, maxTries, "it asks to come back later"
		if e.RetryAfter = retryAfter(resp.Header, s.conf.Now()); e.RetryAfter == 0 {
			e.RetryAfter = pause
		}
	case code >= 500, code == http.StatusRequestTimeout:
		e.Kind, e.tries, e.Message = Down, maxTries, fmt.Sprintf("it answered %d", code)
		e.RetryAfter = retryAfter(resp.Header, s.conf.Now())
	case code == http.StatusBadRequest:
		e.tries, e.Message = 2, "it could not answer this"
	default:
		e.Message = fmt.Sprintf("it answered %d", code)
	}
	return e
}

// retryAfter reads how long a service asks us to wait: Retry-After in seconds or
// as a date, else X-RateLimit-Reset in seconds or as a unix time; 0 if neither
// says anything sensible.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After", "X-RateLimit-Reset"} {
		text := strings.TrimSpace(h.Get(name))
		wait := time.Duration(0)
		if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 && n < 1e11 {
			if wait = time.Duration(min(n, 1e9) * float64(time.Second)); n > 1e9 {
				wait = time.Unix(int64(n), 0).Sub(now)
			}
		} else if at, err := http.ParseTime(text); err == nil {
			wait = at.Sub(now)
		}
		if wait > 0 {
			return min(wait, maxPause)
		}
	}
	return 0
}
