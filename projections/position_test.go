package projections

import (
	"context"
	"errors"
	"testing"
	"time"

	"sozai/domain"
	"sozai/streams"
)

// grown is a log whose end lies at a sequence; only what check asks is answered.
type grown struct {
	Log
	end uint64
}

var made = time.Date(2026, 7, 16, 0, 0, 0, 0, time.UTC)

func (g grown) Identity() streams.Identity                         { return streams.Identity{Stream: "EVENTS", Created: made} }
func (g grown) Last(context.Context) (uint64, error)               { return g.end, nil }
func (g grown) EventID(context.Context, uint64) (domain.ID, error) { return "E60", nil }

// A position that is ahead of an end read earlier is not a diverged log: another
// runner has applied what came in between. Ahead of the present end it is.
func TestAPositionAheadOfAnEarlierEnd(t *testing.T) {
	t.Parallel()
	p := position{stream: "EVENTS", created: made, seq: 60, event: "E60"}
	if err := p.check(t.Context(), grown{end: 60}, 0); err != nil {
		t.Fatalf("the log has grown: %v", err)
	}
	var diverged *divergedError
	if err := p.check(t.Context(), grown{end: 59}, 0); !errors.As(err, &diverged) {
		t.Fatalf("the log ends before the position: %v", err)
	}
}
