package source

import (
	"context"
	"errors"

	"sozai/agents/effect"
)

// once does a call through the ledger. Errors besides a cancelled context, and
// those of do that only wrap effect.ErrNotDone, are *Error.
func once(ctx context.Context, l effect.Ledger, source string, c effect.Call, do func(context.Context) (effect.Done, error)) (effect.Done, bool, error) {
	d, again, err := l.Once(ctx, c, do)
	var failed *Error
	switch {
	case err == nil:
		return d, again, nil
	case errors.As(err, &failed):
		return d, false, failed
	case ctx.Err() != nil:
		return d, false, ctx.Err()
	case errors.Is(err, effect.ErrNotDone):
		return d, false, err
	case errors.Is(err, effect.ErrUnknown):
		return d, false, &Error{
			Source: source, Kind: Refused, Err: err,
			Message: "an earlier attempt was broken off in the middle of this and may have been charged, so it is not repeated; use other words",
		}
	}
	return d, false, &Error{Source: source, Kind: Down, Message: "the ledger of paid calls cannot be used now", Err: err}
}
