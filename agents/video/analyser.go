package video

import (
	"context"

	"sozai/domain"
	"sozai/domain/library"
)

// Analyser understands one video. Safe for concurrent use. Every analyser passes
// videotest.Run.
type Analyser interface {
	Name() string
	// Analyse returns a digest whose sections fit domain.DigestTokens together.
	// Errors besides a cancelled context are *domain.Error: of code Unprocessable,
	// TooLarge or Invalid for a video that this analyser can never use, TooMany or
	// Unavailable (with RetryAfter if it is known) if it may be asked again.
	Analyse(ctx context.Context, ref Ref) (Analysis, error)
}

var (
	_ Analyser = (*Analyzer)(nil)
	_ Analyser = (*Worker)(nil)
)

// Ref is a video to look at. The analyser of this machine reads Path; an outside
// one is given URL or, without one, a signed link to the file of Hash, which
// names the video in any case.
type Ref struct {
	Path string
	URL  string
	Hash string
	Text Text
	Who
}

// Who asks for an analysis, for the ledger of what is paid.
type Who struct {
	Product string
	Agent   domain.ID
	Run     domain.ID
	Attempt int
}

// Missed says why an outside analyser's part of an analysis is not there.
type Missed struct {
	Reason     string `json:"reason"`          // for people
	Final      bool   `json:"final,omitempty"` // asking again would not help
	RetryAfter int    `json:"retry_after,omitempty"`
}

// Fact is the analysis as it is recorded for an object. The caller adds the run
// or turn that it stands in.
func (a Analysis) Fact(object domain.ID) library.Analyzed {
	return library.Analyzed{
		Material: object, Analyser: a.Analyser, Ruleset: a.Ruleset, Digest: a.Digest, Metrics: a.Metrics, Report: a.Report,
	}
}

// Final says that asking again would give the same error.
func Final(err error) bool {
	switch domain.CodeOf(err) {
	case domain.Unprocessable, domain.TooLarge, domain.Invalid:
		return true
	}
	return false
}
