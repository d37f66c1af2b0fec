// Package source finds candidates for a search run. The fast kinds answer page by
// page (the product's own catalogue and the platforms behind TikHub), the others
// are handed a search and asked for its results: the competitor bridge and the
// hot engine. What they return is quoted data from outside, already cut to size.
//
// Every paid call goes through the effects ledger, so that a second attempt of a
// run neither asks nor pays again, and every remote service stands behind one
// Guard.
//
// It may import domain and agents/{catalogue,effect,fetch,video}. It appends
// nothing to the log; media that it fetches are kept in the catalogue.
package source

import (
	"context"
	"fmt"
	"time"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// Source is a place to search page by page. Safe for concurrent use. Errors
// other than a cancelled context are *Error.
type Source interface {
	Name() string
	// Platforms are what Query.Platform may be besides "".
	Platforms() []string
	// Search returns one page. The same page of a run is the same page, whatever
	// the attempt. A query without words finds nothing and is never sent.
	Search(ctx context.Context, q Query) (Page, error)
	Examiner
}

// Examiner looks at a candidate's video.
type Examiner interface {
	// Examine returns the candidate with Media and Analysis filled: a video that
	// lies elsewhere is fetched and kept, once. The id changes if the catalogue
	// has these very bytes under another one: use the returned candidate.
	// catalogue.ErrNoMedia if there is no video. Any other *domain.Error says that
	// it cannot be had or used: of code NotFound if it is gone, Unavailable if it
	// may be had later, Unprocessable, TooLarge or Invalid if never. *Error if the
	// source had to be asked and failed.
	Examine(ctx context.Context, who Who, c Candidate) (Candidate, error)
}

// Competitor is a slow source: a search is submitted, then asked for until it is
// done. Errors as for Source.
type Competitor interface {
	Name() string
	// Submit returns the task of a query. The same words from the same agent on
	// the same day are one task, paid once.
	Submit(ctx context.Context, who Who, query string) (task string, err error)
	// Check returns the items, complete once done is true; until then wait says
	// when to ask again.
	Check(ctx context.Context, who Who, task string) (items []Candidate, done bool, wait time.Duration, err error)
	Examiner
}

// Hot is the deep-search engine: a run hands it the whole request, waits, and
// imports what it reports. Errors as for Source.
type Hot interface {
	Name() string
	// Start returns the engine's task: one a run, whatever the attempts.
	Start(ctx context.Context, who Who, r HotRequest) (task string, err error)
	// Check returns what is known; complete once done is true.
	Check(ctx context.Context, who Who, task string) (report HotReport, done bool, wait time.Duration, err error)
	Examiner
}

// Who asks, for the ledger and for the scope of what is found.
type Who struct {
	Product string
	Agent   domain.ID
	Run     domain.ID
	Attempt int
}

// Query asks for one page, from 1. Platform "" leaves the choice to the source.
// Remote platforms need Run; their pages come in order.
type Query struct {
	Product  string
	Agent    domain.ID
	Run      domain.ID
	Attempt  int
	Text     string
	Platform string
	Page     int
}

// Who is who asks.
func (q Query) Who() Who { return Who{q.Product, q.Agent, q.Run, q.Attempt} }

// Page is a page of results, best first. An empty page beyond the last is no
// error.
type Page struct {
	Items    []Candidate
	Platform string // which platform answered; "local" for the catalogue
	Page     int
	Pages    int // known so far: Page+1 while there is more at a platform that does not say
	Total    int // 0 if the platform does not say
	More     bool
	Cost     domain.Money // of this call; 0 if it was remembered
	Again    bool         // remembered from an earlier call of this run
}

// Candidate is a video that may become a material. ID is its external id, the
// same whichever way it is found: a catalogue entry's own id, or "tiktok:…",
// "instagram:…", "douyin:…", "competitor:…", "hot:…". Media.Hash is empty until
// there is a file here; Analysis is nil until made, or came from the hot engine.
type Candidate struct {
	ID        string          `json:"id"`
	Title     string          `json:"title,omitempty"`
	Author    string          `json:"author,omitempty"`
	Platform  string          `json:"platform,omitempty"`
	URL       string          `json:"url,omitempty"` // the page people may open
	Tags      []string        `json:"tags,omitempty"`
	Counts    library.Counts  `json:"counts,omitzero"`
	Published time.Time       `json:"published,omitzero"`
	Media     library.Media   `json:"media,omitzero"` // seconds and size as claimed until fetched
	Analysis  *video.Analysis `json:"analysis,omitempty"`

	// Play is where the video file lies, "" if nowhere else. It is signed and
	// short-lived: fetch it within minutes, never show or keep it.
	Play string `json:"play,omitempty"`
}

// HasVideo says whether there is a video to examine.
func (c Candidate) HasVideo() bool { return c.Media.Hash != "" || c.Play != "" }

// HotRequest is what a deep search is for.
type HotRequest struct {
	What   string `json:"what"`
	Why    string `json:"why,omitempty"`
	Brief  string `json:"brief,omitempty"`
	Search string `json:"search,omitempty"` // the gene's search document
	Target int    `json:"target,omitempty"`
}

// HotReport is what the engine has found; items may come analysed.
type HotReport struct {
	Items   []Candidate
	Summary string // quoted data
	Done    int    // the engine's own progress
	Total   int    // 0 if it does not say
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

// Error is a failed search. It wraps effect.ErrNotDone if it is known that
// nothing was charged.
type Error struct {
	Source     string
	Kind       ErrorKind
	Message    string
	RetryAfter time.Duration
	Cost       domain.Money // charged all the same
	Err        error

	tries int  // how often the same request may be sent in all; 0 = once
	stops bool // the key or the account is refused: a person must see to it
}

func (e *Error) Error() string { return fmt.Sprintf("source %s %s: %s", e.Source, e.Kind, e.Message) }
func (e *Error) Unwrap() error { return e.Err }
