package source

import (
	"context"
	"time"

	"sozai/domain"
)

// State is how a remote source is.
type State string

// The states. Limited: it asked for a pause. Open: it failed several times in a
// row and is left alone for a while. Stopped: it refuses our key or our account
// is empty, which a person must see to. Off: not configured.
const (
	OK      State = "ok"
	Limited State = "limited"
	Open    State = "open"
	Stopped State = "down"
	Off     State = "off"
)

// Status is the health of one remote source. In a report Calls, Failures and
// Cost are what is new since the report before, so that several processes can be
// added up; Guard.Status has the totals of this process.
type Status struct {
	Name        string       `json:"name"`
	Kind        string       `json:"kind"`
	State       State        `json:"state"`
	Since       time.Time    `json:"since"`
	Until       time.Time    `json:"until,omitzero"` // when a pause ends
	LastOK      time.Time    `json:"last_ok,omitzero"`
	LastError   string       `json:"last_error,omitempty"`
	LastErrorAt time.Time    `json:"last_error_at,omitzero"`
	Calls       int64        `json:"calls"`
	Failures    int64        `json:"failures"`
	Cost        domain.Money `json:"cost"`
}

// Health is told how a source is after every call. It must not fail a search:
// whatever goes wrong is its own to log.
type Health interface {
	Report(ctx context.Context, s Status)
}
