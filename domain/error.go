package domain

import (
	"errors"
	"fmt"
)

// Code classifies an error for callers and for the HTTP status table.
type Code string

// The codes. Anything that is not an *Error is Internal, and its text never
// leaves the process.
const (
	Invalid       Code = "invalid"       // the request cannot be right, whatever the state
	NotFound      Code = "not_found"     // the object does not exist for this caller
	Unauthorized  Code = "unauthorized"  // nobody is signed in
	Forbidden     Code = "forbidden"     // signed in, but not allowed
	Conflict      Code = "conflict"      // the state has moved or forbids it; Details say how
	Exists        Code = "exists"        // it is there already
	TooMany       Code = "too_many"      // a limit; RetryAfter says when to come back
	TooLarge      Code = "too_large"     // the body or file is over its limit
	Unprocessable Code = "unprocessable" // understood, but the content is unusable (a broken video)
	Unavailable   Code = "unavailable"   // a dependency is down or full; nothing was changed
	Internal      Code = "internal"
)

// Error is a refusal that may be shown to whoever asked. Reason is a stable
// snake_case word for machines (for example "base_moved"); Message is a sentence.
type Error struct {
	Code       Code
	Reason     string
	Message    string
	Details    map[string]any
	RetryAfter int // seconds; 0 = not said
}

func (e *Error) Error() string { return e.Message }

// Is matches a declared rule error by code and reason, so that
// errors.Is(err, gene.ErrBaseMoved) holds for a copy with its own message.
func (e *Error) Is(target error) bool {
	var t *Error
	if !errors.As(target, &t) {
		return false
	}
	return t.Code == e.Code && t.Reason == e.Reason && t.Reason != ""
}

// With returns a copy that carries a message and details of this case.
func (e *Error) With(details map[string]any, format string, args ...any) *Error {
	c := *e
	c.Message = fmt.Sprintf(format, args...)
	c.Details = details
	return &c
}

// Rule declares a rule violation: a sentinel to be compared with errors.Is.
func Rule(code Code, reason, message string) *Error {
	return &Error{Code: code, Reason: reason, Message: message}
}

// Errorf is an error without a reason of its own.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf is Internal for anything that is not, and does not wrap, an *Error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
