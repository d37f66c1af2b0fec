package projections

import (
	"time"

	"sozai/domain/gene"
)

// Verdict compares a rate with the baseline's.
type Verdict string

// The verdicts. Below the minimum sample there is no colour and no rank.
const (
	NotEnough    Verdict = "not_enough"
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no_difference"
)

// The rates, named after numerator and denominator.
const (
	RateIgnored    = "ignored_of_shown"
	RateAdopted    = "adopted_of_shown"
	RateLiked      = "liked_of_shown"
	RateDisliked   = "disliked_of_shown"
	RateFilmed     = "filmed_of_boards"
	RateDownloaded = "downloaded_of_films"
)

// Rate is a proportion N / Of with its 95 % Wilson interval. Value, Low and High
// are 0 when Of is 0. Verdict is "" on the baseline's own line.
type Rate struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	N       int     `json:"n"`
	Of      int     `json:"of"`
	Verdict Verdict `json:"verdict,omitempty"`
}

// VersionScore is one gene version's line. Version 0 gathers what no version can
// answer for; it is never compared.
type VersionScore struct {
	gene.Score
	Minted  time.Time `json:"minted,omitzero"`
	Boards  int       `json:"boards"`
	Films   int       `json:"films"`
	Runs    int       `json:"runs"`
	Rates   []Rate    `json:"rates"`
	Current bool      `json:"current,omitempty"`
}

// Scores is an agent's table, newest version first, version 0 last.
type Scores struct {
	Versions []VersionScore `json:"versions"`
	Baseline int            `json:"baseline"`   // 0: nothing to compare with
	MinN     int            `json:"min_sample"` // below it a rate says not_enough
	AsOf     uint64         `json:"as_of"`      // log sequence at which this is true
}
