package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"

	"sozai/domain"
)

// Problem is the body of every error (RFC 9457, application/problem+json).
// Code and Reason are for machines, Detail is a sentence for people, Details say
// what the state is. Retry-After comes as a header.
type Problem struct {
	Type    string         `json:"type" example:"about:blank"`
	Title   string         `json:"title" doc:"The HTTP status in words"`
	Status  int            `json:"status"`
	Code    domain.Code    `json:"code" doc:"The class of the error; decides the status"`
	Reason  string         `json:"reason,omitempty" doc:"A stable word for this very refusal, such as base_moved"`
	Detail  string         `json:"detail"`
	Details map[string]any `json:"details,omitempty"`
	Errors  []FieldError   `json:"errors,omitempty" doc:"The fields that are wrong, when the request's form is"`
	ID      string         `json:"id,omitempty" doc:"Of an internal error: find it in the server's log"`

	retryAfter int
}

// FieldError says what is wrong with one field of a request.
type FieldError struct {
	Location string `json:"location"`
	Message  string `json:"message"`
}

// The next four make a Problem an error that huma writes as it is.
func (p *Problem) Error() string                { return p.Detail }
func (p *Problem) GetStatus() int               { return p.Status }
func (p *Problem) ContentType(ct string) string { return problemType }
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfter > 0 {
		h.Set(fiber.HeaderRetryAfter, strconv.Itoa(p.retryAfter))
	}
	return h
}

const problemType = "application/problem+json"

// status is the one table from code to HTTP status.
func status(c domain.Code) int {
	switch c {
	case domain.Invalid:
		return http.StatusBadRequest
	case domain.Unauthorized:
		return http.StatusUnauthorized
	case domain.Forbidden:
		return http.StatusForbidden
	case domain.NotFound:
		return http.StatusNotFound
	case domain.Conflict, domain.Exists:
		return http.StatusConflict
	case domain.TooLarge:
		return http.StatusRequestEntityTooLarge
	case domain.Unprocessable:
		return http.StatusUnprocessableEntity
	case domain.TooMany:
		return http.StatusTooManyRequests
	case domain.Unavailable:
		return http.StatusServiceUnavailable
	case domain.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// problem turns any error into what the client sees. The text of an internal
// error stays here: it is logged once, under an id that the client is given.
func (s *Server) problem(c *fiber.Ctx, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	var fe *fiber.Error
	if errors.As(err, &fe) {
		err = fromStatus(fe.Code)
	}
	err = s.away(c, err)
	var e *domain.Error
	if errors.As(err, &e) && e.Code != domain.Internal {
		p := &Problem{
			Type: "about:blank", Title: http.StatusText(status(e.Code)), Status: status(e.Code),
			Code: e.Code, Reason: e.Reason, Detail: e.Message, Details: e.Details, retryAfter: retryAfter(e),
		}
		s.nameWho(p)
		return p
	}
	id := ulid.Make().String()
	s.deps.Logger.LogAttrs(c.UserContext(), slog.LevelError, "internal error",
		slog.String("id", id), slog.String("method", c.Method()), slog.String("route", c.Route().Path), slog.Any("error", err))
	return &Problem{
		Type: "about:blank", Title: http.StatusText(http.StatusInternalServerError), Status: http.StatusInternalServerError,
		Code: domain.Internal, Detail: "something went wrong on our side; nothing is known to have changed, and it is safe to repeat the request with the same key",
		ID: id,
	}
}

// nameWho adds the name of the person whom a refusal names, such as who applied
// the card first.
func (s *Server) nameWho(p *Problem) {
	by, ok := p.Details["by"].(domain.Actor)
	if !ok || !by.IsPerson() {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, time.Second)
	defer cancel()
	people, err := s.nameOf(ctx, by)
	if err != nil || people[by.ID()] == "" {
		return // the id says it too
	}
	p.Details = maps.Clone(p.Details)
	p.Details["by_name"] = people[by.ID()]
	p.Detail = strings.ReplaceAll(p.Detail, string(by), people[by.ID()])
}

func retryAfter(e *domain.Error) int {
	if e.RetryAfter == 0 && (e.Code == domain.TooMany || e.Code == domain.Unavailable) {
		return 1
	}
	return e.RetryAfter
}

// fromStatus gives fiber's own refusals (unknown route, oversized header) our form.
func fromStatus(code int) error {
	switch code {
	case http.StatusNotFound:
		return domain.Errorf(domain.NotFound, "there is nothing at this address")
	case http.StatusRequestEntityTooLarge:
		return domain.Errorf(domain.TooLarge, "the request is too large")
	case http.StatusMethodNotAllowed:
		return domain.Rule(domain.NotFound, "method", "this address does not know this method")
	case http.StatusUpgradeRequired:
		return domain.Rule(domain.Invalid, "upgrade_required", "this address speaks WebSocket only")
	case http.StatusInternalServerError:
		return errors.New("fiber: internal server error")
	}
	if code >= 500 {
		return domain.Errorf(domain.Unavailable, "%s", http.StatusText(code))
	}
	return domain.Errorf(domain.Invalid, "%s", http.StatusText(code))
}

// fromHuma gives the refusals of request validation our form. Whatever huma
// refuses by itself, the request was at fault.
func fromHuma(m *huma.ErrorModel) *Problem {
	code := domain.Invalid
	switch m.Status {
	case http.StatusRequestEntityTooLarge:
		code = domain.TooLarge
	case http.StatusNotFound:
		code = domain.NotFound
	}
	p := &Problem{
		Type: "about:blank", Title: http.StatusText(status(code)), Status: status(code),
		Code: code, Reason: "validation", Detail: m.Detail,
	}
	for _, e := range m.Errors {
		p.Errors = append(p.Errors, FieldError{Location: e.Location, Message: e.Message})
	}
	return p
}

// fail writes an error as the response.
func (s *Server) fail(c *fiber.Ctx, err error) error {
	p := s.problem(c, err)
	body, jerr := json.Marshal(p)
	if jerr != nil { // details that cannot be encoded: the rest still can
		p.Details = nil
		body, _ = json.Marshal(p)
	}
	c.Response().ResetBody()
	c.Status(p.Status)
	for k, v := range p.GetHeaders() {
		c.Set(k, v[0])
	}
	if p.Status == http.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="sozai"`)
	}
	c.Set(fiber.HeaderContentType, problemType)
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.Send(body)
}
