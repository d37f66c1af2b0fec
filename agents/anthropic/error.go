package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"sozai/agents"
)

// byType is what the words of the vendor and of ZenMux mean. Errors that arrive
// inside a stream carry status 200, so that the word decides before the status.
func byType(word string) (kind agents.ErrorKind, retry, known bool) {
	switch word {
	case "overloaded_error":
		return agents.Overloaded, true, true
	case "rate_limit_error", "rate_limit":
		return agents.RateLimited, true, true
	case "billing_error", "insufficient_credit", "reject_no_credit", "quote_exceeded":
		return agents.Spent, false, true
	case "authentication_error", "permission_error", "access_denied", "safety_check_failed":
		return agents.Denied, false, true
	case "request_too_large":
		return agents.TooLarge, false, true
	case "invalid_request_error", "not_found_error", "invalid_model", "model_not_available",
		"model_not_supported", "provider_unprocessable_entity_error":
		return agents.BadRequest, false, true
	case "timeout_error":
		return agents.Timeout, true, true
	case "api_error", "internal_server_error", "provider_api_error", "provider_error",
		"provider_internal_server_error", "no_provider_available":
		return agents.ServerError, true, true
	}
	return "", false, false
}

func byStatus(status int) (kind agents.ErrorKind, retry bool) {
	switch {
	case status == http.StatusTooManyRequests:
		return agents.RateLimited, true
	case status == 529:
		return agents.Overloaded, true
	case status == http.StatusPaymentRequired:
		return agents.Spent, false
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return agents.Denied, false
	case status == http.StatusRequestEntityTooLarge:
		return agents.TooLarge, false
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout, status == 524:
		return agents.Timeout, true
	case status == http.StatusConflict, status >= 500, status < 300:
		return agents.ServerError, true
	}
	return agents.BadRequest, false
}

// classify says what an error of the SDK means. begun tells whether the message
// had begun to arrive: a connection that breaks then is a cut stream.
func classify(err error, begun bool) *agents.ModelError {
	var api *sdk.Error
	if !errors.As(err, &api) {
		kind := agents.ServerError
		if begun {
			kind = agents.Interrupted
		}
		return &agents.ModelError{Kind: kind, Message: "the connection to the model failed", Retry: true, Err: err}
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
			Details struct {
				Code string `json:"error_code"`
			} `json:"details"`
		} `json:"error"`
	}
	// A body that is not JSON (a proxy's page) leaves the status to tell.
	_ = json.Unmarshal([]byte(api.RawJSON()), &body)
	word := string(api.Type())
	kind, retry, known := byType(word)
	if !known {
		kind, retry = byStatus(api.StatusCode)
	}
	if word == "invalid_params" && api.StatusCode == http.StatusRequestEntityTooLarge {
		kind, retry = agents.TooLarge, false
	}
	e := &agents.ModelError{Kind: kind, Retry: retry, Message: fmt.Sprintf("status %d", api.StatusCode), Err: err}
	if word != "" {
		e.Message += " " + word
	}
	if body.Error.Message != "" {
		e.Message += ": " + body.Error.Message
	}
	if api.Response != nil && kind != agents.Denied {
		e.RetryAfter = retryAfter(api.Response.Header)
	}
	// A spending limit comes dressed as a rate limit, but waiting does not help.
	if kind == agents.RateLimited && body.Error.Details.Code == "enforced_spend_limit_reached" {
		e.Kind, e.Retry, e.RetryAfter = agents.Spent, false, 0
	}
	return e
}

// retryAfter reads seconds, milliseconds or a date; 0 = not said.
func retryAfter(h http.Header) time.Duration {
	const most = 24 * 60 * 60 // seconds; more is nonsense and would overflow
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms/1000, most) * float64(time.Second))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(min(s, most) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
