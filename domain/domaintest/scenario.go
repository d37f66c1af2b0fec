// Package domaintest tests decisions by events: Given what happened, When
// somebody asks for something, Then these events follow, or this error. Only
// tests may import it; it may import only domain.
package domaintest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
)

// Now is the time of a scenario's command, and of every given event that At does
// not place elsewhere.
func Now() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

// Ann and Bob are people; Butler and System are not.
const (
	Ann    domain.Actor = "user:ann"
	Bob    domain.Actor = "user:bob"
	Butler domain.Actor = "butler:turn-1"
	System domain.Actor = "system:timer"
)

// stamped is an event with what the log knows about it.
type stamped struct {
	domain.Event
	by domain.Actor
	at time.Time
}

// By says who made an event happen; Ann did unless said otherwise.
func By(who domain.Actor, e domain.Event) domain.Event {
	s := stamp(e)
	s.by = who
	return s
}

// At says when an event happened.
func At(when time.Time, e domain.Event) domain.Event {
	s := stamp(e)
	s.at = when
	return s
}

func stamp(e domain.Event) stamped {
	if s, is := e.(stamped); is {
		return s
	}
	return stamped{Event: e, by: Ann, at: Now()}
}

// Evolve is a kind's fold step.
type Evolve[S any] func(S, domain.Recorded) (S, error)

// Fold folds events from nothing, as they would stand in the log.
func Fold[S any](t testing.TB, evolve Evolve[S], events ...domain.Event) S {
	t.Helper()
	var state S
	return further(t, evolve, state, 0, events)
}

func further[S any](t testing.TB, evolve Evolve[S], state S, seq int, events []domain.Event) S {
	t.Helper()
	for i, e := range events {
		s := stamp(e)
		var err error
		state, err = evolve(state, domain.Recorded{
			Meta: domain.Meta{
				Seq: uint64(seq + i + 1), Type: s.EventType(), Version: 1, Time: s.at, Actor: s.by,
			},
			Event: s.Event,
		})
		if err != nil {
			t.Fatalf("evolve %s: %v", s.EventType(), err)
		}
	}
	return state
}

// Scenario is a history and a command on it.
type Scenario[S any] struct {
	t      testing.TB
	evolve Evolve[S]
	given  []domain.Event
	got    []domain.Decision
	err    error
}

// Given starts a scenario with what happened.
func Given[S any](t testing.TB, evolve Evolve[S], events ...domain.Event) *Scenario[S] {
	t.Helper()
	return &Scenario[S]{t: t, evolve: evolve, given: events}
}

// When decides on the folded state, and fails the test if that changed it.
func (s *Scenario[S]) When(decide func(S) ([]domain.Decision, error)) *Scenario[S] {
	s.t.Helper()
	state := Fold(s.t, s.evolve, s.given...)
	s.got, s.err = decide(state)
	if untouched := Fold(s.t, s.evolve, s.given...); !reflect.DeepEqual(state, untouched) {
		s.t.Fatalf("the command changed the state it decided on")
	}
	return s
}

// Then expects these events, and that they can be folded. It returns the state
// after them; the command's actor is Ann unless By says otherwise.
func (s *Scenario[S]) Then(events ...domain.Event) S {
	s.t.Helper()
	if s.err != nil {
		s.t.Fatalf("got error %v, want %d events", s.err, len(events))
	}
	got := make([]domain.Event, len(s.got))
	for i, e := range s.got {
		got[i] = e
	}
	want := make([]domain.Event, len(events))
	for i, e := range events {
		want[i] = stamp(e).Event
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Fatalf("events (-want +got):\n%s", diff)
	}
	return further(s.t, s.evolve, Fold(s.t, s.evolve, s.given...), len(s.given), events)
}

// ThenNothing expects that there was nothing to do.
func (s *Scenario[S]) ThenNothing() {
	s.t.Helper()
	s.Then()
}

// ThenError expects a refusal, and returns it for a look at its details.
func (s *Scenario[S]) ThenError(want error) *domain.Error {
	s.t.Helper()
	if s.err == nil {
		s.t.Fatalf("got %d events, want error %q", len(s.got), want)
	}
	if !errors.Is(s.err, want) {
		s.t.Fatalf("got error %q, want %q", s.err, want)
	}
	if len(s.got) > 0 {
		s.t.Fatalf("got %d events beside the error", len(s.got))
	}
	var refusal *domain.Error
	if !errors.As(s.err, &refusal) {
		s.t.Fatalf("got error %T, want a *domain.Error", s.err)
	}
	return refusal
}
