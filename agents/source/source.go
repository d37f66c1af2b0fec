// Package source finds candidates for a search run. A source answers page by
// page; what it returns is quoted data from outside, already cut to size.
//
// It may import domain, agents/catalogue and agents/video. It saves nothing.
package source

import (
	"context"
	"fmt"
	"time"

	"sozai/agents/video"
	"sozai/domain/library"
)

// Source is a place to search. Safe for concurrent use. Errors other than a
// cancelled context are *Error.
type Source interface {
	Name() string
	Search(ctx context.Context, q Query) (Page, error)
}

// Query asks for one page, from 1. Platform "" means all.
type Query struct {
	Product  string
	Text     string
	Platform string
	Page     int
}

// Page is a page of results, best first. An empty page beyond Pages is no error.
type Page struct {
	Items []Candidate
	Page  int
	Pages int
	Total int
}

// Candidate is a video that may become a material. ID is its external id at the
// source. Media.Hash is empty if there is no file; Analysis is nil until made.
type Candidate struct {
	ID        string
	Title     string
	Author    string
	Platform  string
	URL       string
	Tags      []string
	Counts    library.Counts
	Published time.Time
	Media     library.Media
	Analysis  *video.Analysis
}

// ErrorKind classifies what went wrong at a source.
type ErrorKind string

// The kinds. Throttled: come back after RetryAfter. Down: may work later.
// Refused: not to be repeated unchanged.
const (
	Throttled ErrorKind = "throttled"
	Down      ErrorKind = "down"
	Refused   ErrorKind = "refused"
)

// Error is a failed search.
type Error struct {
	Source     string
	Kind       ErrorKind
	Message    string
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string { return fmt.Sprintf("source %s %s: %s", e.Source, e.Kind, e.Message) }
func (e *Error) Unwrap() error { return e.Err }
