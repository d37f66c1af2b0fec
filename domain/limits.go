package domain

import "time"

// Limits of the product, in one place. docs/limits.md is checked against it.
const (
	MaxRounds           = 40               // model rounds a run
	MaxBilledTokens     = 200_000          // billed-equivalent tokens a run
	MaxRunCost          = Money(3_000_000) // ¥3 a run
	ModelRequestTimeout = 120 * time.Second
	ModelRetryDelay     = 2 * time.Second

	SearchSoftLimit       = 10 * time.Minute
	SearchHardLimit       = 15 * time.Minute
	FastSourcePages       = 12
	CompetitorSubmissions = 2
	CompetitorWait        = 8 * time.Minute
	HotWait               = 30 * time.Minute // for the deep-search engine, an attempt

	FoldAtTokens  = 60_000 // context folding starts here
	FoldToTokens  = 30_000 // and ends here
	MaxFolds      = 2
	ChatContext   = 8_000 // tokens of room history a turn sees
	DigestTokens  = 500   // upper size of a video digest
	FullViews     = 2     // view_object detail:full a model round
	MaxPageTokens = 1_000 // one page of search results in the transcript

	DigestQuiet    = 10 * time.Minute // nobody has spoken for this long
	DigestMinItems = 5
	DigestMaxAge   = 30 * time.Minute // of the oldest unsettled item

	MaxPendingOrders    = 5
	SearchOrderInterval = time.Minute
	ProposalLifetime    = 7 * 24 * time.Hour // cards and orders
	CommandLifetime     = 7 * 24 * time.Hour // idempotency keys

	MaxAttempts     = 3 // the third lost attempt ends the run
	MaxObservations = 100
	MaxMessageRunes = 8_000
	MaxDocRunes     = 20_000
	MaxNameRunes    = 80
	MaxFeedback     = 2_000 // runes of words
)

// IsSource tells where agents can search: fast (the catalogue and the platforms),
// competitor (the bridge) and hot (the deep-search engine).
func IsSource(name string) bool { return name == "fast" || name == "competitor" || name == "hot" }
