package streams

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

// Rule errors of the log.
var (
	// ErrContended: other processes kept deciding on the same agent.
	ErrContended = domain.Rule(domain.Unavailable, "contended", "the agent is being changed by too many at once; nothing was recorded, try again")
	// ErrLogUnavailable: the log did not answer in time. Whether what was to be
	// appended is in it is not known; repeating the command finds out.
	ErrLogUnavailable = domain.Rule(domain.Unavailable, "log_unavailable", "the event log did not answer in time; repeat the command with the same key")
	// ErrBusy: too much waits to be appended already. Nothing was recorded.
	ErrBusy = domain.Rule(domain.Unavailable, "log_busy", "too much is being written at once; nothing was recorded, try again in a moment")
	// ErrNotEmpty: an import goes only into a log without events.
	ErrNotEmpty = domain.Rule(domain.Conflict, "log_not_empty", "the log holds events already; import into an empty system")
	// ErrCommandExpired: the idempotency key is older than its lifetime.
	ErrCommandExpired = domain.Rule(domain.Invalid, "command_expired", "the idempotency key is too old; make a new one")
	// ErrCommandEarly: the key's time lies more than a day ahead.
	ErrCommandEarly = domain.Rule(domain.Invalid, "command_from_future", "the idempotency key lies in the future; check this device's clock")
	// ErrNoAgent: nothing was ever decided about this agent.
	ErrNoAgent = domain.Rule(domain.NotFound, "no_agent", "no such agent")
)

// Codes of the server that nats.go has no sentinel for, or two for one meaning.
const (
	codeWrongLastSequence         = jetstream.JSErrCodeStreamWrongLastSequence         // 10071
	codeWrongLastSequenceConstant = jetstream.JSErrCodeStreamWrongLastSequenceConstant // 10164: another write is in flight
	codeDuplicateInBatch          = jetstream.ErrorCode(10201)
	codeDuplicateInFlight         = jetstream.ErrorCode(10158)
	codeStoreFailed               = jetstream.ErrorCode(10077) // shared; see isSlotTaken
	codeTooManyBatches            = jetstream.ErrorCode(10210)
)

// silence turns an error that is not the server's word into ErrLogUnavailable,
// unless the caller itself gave up.
func silence(err error) error {
	if apiCode(err) != 0 || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrLogUnavailable, err)
}

func apiCode(err error) jetstream.ErrorCode {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.ErrorCode
	}
	var js jetstream.JetStreamError
	if errors.As(err, &js) && js.APIError() != nil {
		return js.APIError().ErrorCode
	}
	return 0
}

// IsConflict reports that a guard did not hold: 10071, or 10164 on replicated
// streams.
func IsConflict(err error) bool {
	code := apiCode(err)
	return code == codeWrongLastSequence || code == codeWrongLastSequenceConstant
}

// isDuplicate reports that an earlier try of the same messages is, or is about
// to be, in the log.
func isDuplicate(err error) bool {
	code := apiCode(err)
	return errors.Is(err, errDuplicate) || code == codeDuplicateInBatch || code == codeDuplicateInFlight
}
