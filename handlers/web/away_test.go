package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestADatabaseThatIsAwayIsTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{fmt.Errorf("read session: %w", io.ErrUnexpectedEOF), true},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, true},
		{fmt.Errorf("read: %w", &pgconn.PgError{Code: "57P01"}), true},
		{&pgconn.PgError{Code: "57P03"}, true},
		{&pgconn.PgError{Code: "08006"}, true},
		{&pgconn.PgError{Code: "53300"}, true},
		{fmt.Errorf("read tasks: %w", pgconn.ErrConnClosed), true},
		{&pgconn.PgError{Code: "57014"}, false},
		{context.Canceled, false},
		{&pgconn.PgError{Code: "42P01"}, false},
		{errors.New("a defect of ours"), false},
	} {
		if got := isAway(c.err); got != c.want {
			t.Errorf("%v: got %v, want %v", c.err, got, c.want)
		}
	}
}

// What is cut off because the server goes down is worth another try; the same error
// at any other time is a defect.
func TestAServerThatGoesDownIsTold(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &Server{ctx: ctx}
	cut := fmt.Errorf("read tasks: %w", context.Canceled)
	if err := s.away(nil, cut); !errors.Is(err, cut) {
		t.Errorf("while it runs: %v", err)
	}
	cancel()
	if err := s.away(nil, cut); !errors.Is(err, errBusy) {
		t.Errorf("when it goes down: %v", err)
	}
}
