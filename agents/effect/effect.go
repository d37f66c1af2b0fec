// Package effect is what agents know of the ledger of outside effects: paid
// searches, analyses and renders that a second attempt must neither pay for nor
// do twice. Ledger is the interface, Memory keeps it for one process; the one
// that outlives processes is handlers/ledger. Both pass effecttest.
//
// It may import domain only.
package effect

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"sozai/domain"
)

// Call names an effect before it is done.
type Call struct {
	// Key is the business key: the same in every attempt, different for what
	// may be done once more, for example a run's page of results.
	Key     string
	Kind    string // "tikhub", "competitor", "hot", "analyze", "render"
	Product string
	Agent   domain.ID
	Run     domain.ID
	Attempt int
	// Paid effects are not repeated when nobody knows whether they were done;
	// others are idempotent at the other side and may be.
	Paid bool
}

// Done is what came of an effect. Answer is kept as it is, whatever it holds.
type Done struct {
	Answer json.RawMessage
	Cost   domain.Money
}

// Ledger remembers outside effects. Safe for concurrent use.
type Ledger interface {
	// Once returns the remembered answer of a call that was done (again is
	// true and the cost 0 then), or marks it intended, runs do and keeps its
	// answer. An error of do is returned as it is: one that wraps ErrNotDone, and
	// any error of an unpaid call, lets it be tried again; any other error of a
	// paid call leaves it unknown, and so does an attempt that died in do. A paid
	// call that is unknown is refused with ErrUnknown. Of two calls at a time the
	// second waits for the first. ctx bounds the wait and do, but not the record
	// of how it ended.
	Once(ctx context.Context, c Call, do func(ctx context.Context) (Done, error)) (d Done, again bool, err error)
}

// ErrNotDone is wrapped by errors of effects that are known not to have
// happened and not to be charged.
var ErrNotDone = errors.New("the effect did not happen")

// ErrUnknown refuses a paid call of which nobody knows whether it was done.
var ErrUnknown = domain.Rule(domain.Conflict, "effect_unknown",
	"上次尝试在付费调用中途中断，结果未知，因此不会重复付费 · an earlier attempt ended in the middle of this paid call, so it is not repeated")

// maxKey bounds a key in bytes.
const maxKey = 400

// Check returns domain.Invalid for a call that cannot be remembered.
func (c Call) Check() error {
	switch {
	case c.Key == "" || len(c.Key) > maxKey || !utf8.ValidString(c.Key) || strings.ContainsRune(c.Key, 0):
		return domain.Errorf(domain.Invalid, "an effect needs a key of at most %d bytes of text", maxKey)
	case c.Kind == "":
		return domain.Errorf(domain.Invalid, "an effect needs a kind")
	}
	return nil
}
