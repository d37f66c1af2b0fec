package agents

import (
	"time"

	"sozai/domain"
)

// Caps are the hard limits of a run. Near any of them the model is told to end;
// at the limit the run ends.
type Caps struct {
	Rounds int           // model requests, retries included
	Tokens int           // billed-equivalent tokens
	Cost   domain.Money  // 0 takes the default, below 0 = none
	Soft   time.Duration // the model is told to end; 0 = only near Hard
	Hard   time.Duration // wall clock; 0 = none

	Output      int           // max_tokens of a request
	ToolTimeout time.Duration // of one call
	Parallel    int           // calls executed at a time

	Idle       time.Duration // a model request without a sign of life
	Total      time.Duration // a whole model request
	RetryDelay time.Duration // before the one retry

	FoldAt int // tokens of a request where folding starts
	FoldTo int // and where it stops
	Folds  int
}

// DefaultCaps are the product's limits. Soft and Hard differ by the kind of run.
func DefaultCaps() Caps {
	return Caps{
		Rounds: domain.MaxRounds, Tokens: domain.MaxBilledTokens, Cost: domain.MaxRunCost,
		Output: 8_192, ToolTimeout: 3 * time.Minute, Parallel: 4,
		Idle: domain.ModelRequestTimeout, Total: 5 * domain.ModelRequestTimeout,
		RetryDelay: domain.ModelRetryDelay,
		FoldAt:     domain.FoldAtTokens, FoldTo: domain.FoldToTokens, Folds: domain.MaxFolds,
	}
}

func (c Caps) withDefaults() Caps {
	d := DefaultCaps()
	c.Rounds = or(c.Rounds, d.Rounds)
	c.Tokens = or(c.Tokens, d.Tokens)
	c.Cost = or(c.Cost, d.Cost)
	c.Output = or(c.Output, d.Output)
	c.ToolTimeout = or(c.ToolTimeout, d.ToolTimeout)
	c.Parallel = or(c.Parallel, d.Parallel)
	c.Idle = or(c.Idle, d.Idle)
	c.Total = or(c.Total, d.Total)
	c.RetryDelay = or(c.RetryDelay, d.RetryDelay)
	c.FoldAt = or(c.FoldAt, d.FoldAt)
	c.FoldTo = or(c.FoldTo, d.FoldTo)
	c.Folds = or(c.Folds, d.Folds)
	return c
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
