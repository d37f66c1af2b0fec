package notice_test

import (
	"errors"
	"testing"

	"sozai/domain"
	"sozai/domain/notice"
)

func TestRules(t *testing.T) {
	t.Parallel()
	about := domain.Ref{Type: domain.RunObj, ID: "r"}
	for name, c := range map[string]struct {
		sent notice.Sent
		want error
	}{
		"1 complete":   {notice.Sent{Notice: "n", About: about, Channel: "webhook", To: "ann"}, nil},
		"1 no id":      {notice.Sent{About: about, Channel: "webhook", To: "ann"}, domain.ErrMissing},
		"1 no object":  {notice.Sent{Notice: "n", Channel: "webhook", To: "ann"}, domain.ErrRef},
		"1 no channel": {notice.Sent{Notice: "n", About: about, To: "ann"}, domain.ErrMissing},
		"1 nobody":     {notice.Sent{Notice: "n", About: about, Channel: "webhook"}, domain.ErrMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := c.sent.Check(); !errors.Is(err, c.want) {
				t.Fatalf("sent: got %v, want %v", err, c.want)
			}
			failed := notice.Failed{Notice: c.sent.Notice, About: c.sent.About, Channel: c.sent.Channel, To: c.sent.To, Error: "timeout"}
			if err := failed.Check(); !errors.Is(err, c.want) {
				t.Fatalf("failed: got %v, want %v", err, c.want)
			}
		})
	}
	t.Run("2 a failure says why", func(t *testing.T) {
		t.Parallel()
		silent := notice.Failed{Notice: "n", About: about, Channel: "webhook", To: "ann"}
		if err := silent.Check(); !errors.Is(err, domain.ErrMissing) {
			t.Fatalf("got %v, want %v", err, domain.ErrMissing)
		}
	})
}
