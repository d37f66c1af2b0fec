package sourcetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sozai/agents/source"
)

// fails searches and returns the source's error.
func (s Subject) fails(t *testing.T) *source.Error {
	t.Helper()
	if s.Desk == nil {
		t.Skip("nothing outside that could fail")
	}
	p, err := s.Search(t.Context(), s.Who, s.Words, 1)
	var failed *source.Error
	if !errors.As(err, &failed) || failed.Source == "" || failed.Message == "" || strings.Contains(err.Error(), s.Desk.Key) {
		t.Fatalf("%d found, %v", len(p.Items), err)
	}
	return failed
}

func (s Subject) breaks(f Fault) {
	if s.Desk != nil {
		s.Desk.Break(f)
	}
}

func pause(t *testing.T, s Subject) {
	s.breaks(Fault{Status: 429, RetryAfter: "30"})
	for range 5 { // a caller that does not listen
		failed := s.fails(t)
		if failed.Kind != source.Throttled || failed.RetryAfter < 25*time.Second || failed.RetryAfter > 30*time.Second {
			t.Fatalf("got %s after %s", failed.Kind, failed.RetryAfter)
		}
	}
	if s.counts() != [2]int{1, 0} {
		t.Fatalf("a source that asked for a pause got %v calls and charges", s.counts())
	}
}

func stopped(t *testing.T, s Subject) {
	s.breaks(Fault{Status: 402, Times: 1})
	for range 3 {
		if failed := s.fails(t); failed.Kind != source.Refused {
			t.Fatalf("got %s", failed.Kind)
		}
	}
	if s.counts() != [2]int{1, 0} {
		t.Fatalf("a source with an empty account got %v calls and charges", s.counts())
	}
}

func refusedOnce(t *testing.T, s Subject) {
	s.breaks(Fault{Status: 422, Times: 1})
	if failed := s.fails(t); failed.Kind != source.Refused || s.counts() != [2]int{1, 0} {
		t.Fatalf("got %s after %v calls and charges", failed.Kind, s.counts())
	}
	if p := s.page(t, 1); len(p.Items) == 0 { // it was not charged, so a later run of ours may ask
		t.Fatal("the page is empty afterwards")
	}
}

func passes(t *testing.T, s Subject) {
	if s.Desk == nil {
		t.Skip("nothing outside that could fail")
	}
	s.breaks(Fault{Status: 503, Times: 1})
	s.breaks(Fault{Status: 429, Times: 1})
	if p := s.page(t, 1); len(p.Items) == 0 || s.Desk.Charges() != 1 {
		t.Fatalf("%d found, %d charges", len(p.Items), s.Desk.Charges())
	}
}

func leftAlone(t *testing.T, s Subject) {
	s.breaks(Fault{Status: 502})
	for range 6 {
		if failed := s.fails(t); failed.Kind != source.Down {
			t.Fatalf("got %s", failed.Kind)
		}
	}
	// Three tries, and two more until the breaker opens.
	if s.counts() != [2]int{5, 0} {
		t.Fatalf("a source that is down got %v calls and charges", s.counts())
	}
}

func nothing(t *testing.T, s Subject) {
	if s.Desk == nil {
		t.Skip("nothing outside that could be charged")
	}
	s.breaks(Fault{Odd: Empty})
	for range 2 {
		if p := s.page(t, 1); len(p.Items) != 0 || p.More {
			t.Fatalf("%+v", p)
		}
	}
	if s.Desk.Charges() != 1 {
		t.Fatalf("%d charges for an empty page", s.Desk.Charges())
	}
}
