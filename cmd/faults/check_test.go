package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
)

// story tells a history, event by event.
type story struct {
	history
	commands []*command
}

var teller = domain.Key{Product: "games", Agent: "01M8PMY7PN8J59VKC8B86WBW62"}

func (s *story) by(actor domain.Actor, key string, events ...domain.Event) *story {
	for _, e := range events {
		kind := domain.KindChat
		switch v := e.(type) {
		case domain.Decision:
			kind = v.Decision()
		case domain.Fact:
			kind = v.Fact()
		}
		seq := uint64(len(s.events) + 1)
		s.events = append(s.events, domain.Recorded{Event: e, Meta: domain.Meta{
			ID: domain.ID(fmt.Sprintf("event-%d", seq)), Type: e.EventType(), Version: 1, Key: teller, Kind: kind, Seq: seq,
			Actor: actor, Command: key,
		}})
	}
	return s
}

// told is a command that a person gave, what they were told of it, and when.
func (s *story) told(key string, as outcome, seq uint64, sent, answered int) *story {
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	s.commands = append(s.commands, &command{
		Name: "say", Key: key, Outcome: as, Seq: seq, Sent: at(sent), Answered: at(answered), In: map[string]string{"text": "hello"},
	})
	return s
}

func (s *story) check() []string {
	c := &checker{history: &s.history, commands: s.commands}
	return c.check()
}

const (
	ada    domain.Actor = "user:ada"
	worker domain.Actor = "worker:w"
)

// good is a short history with everything in it.
func good() *story {
	s := &story{}
	s.by(ada, "A/1", gene.Minted{Version: 1}, run.Requested{Run: "r", Work: run.Search})
	s.by(ada, "B/1", chat.Said{Message: "m", Text: "hello"})
	s.by(worker, "w1", run.Started{Run: "r", Attempt: 1}, run.AttemptLost{Run: "r", Attempt: 1}, run.Started{Run: "r", Attempt: 2})
	s.by(worker, "w2", library.Saved{Material: "x", Run: "r", Attempt: 1, Source: "fast", External: "e"})
	s.by(worker, "w3", library.Saved{Material: "x", Run: "r", Attempt: 2, Source: "fast", External: "e"})
	s.by(worker, "w4", run.Finished{Run: "r", Attempt: 2, Products: []domain.Ref{{Type: domain.Material, ID: "x"}}})
	s.by(worker, "w5", turn.Started{Turn: "t", Attempt: 1, Messages: []domain.ID{"m"}}, step.Recorded{Turn: "t", Attempt: 1, Round: 1})
	s.by(worker, "w6", gene.Proposed{Card: "c", BaseVersion: 1}, turn.Finished{Turn: "t", Attempt: 1})
	s.by(ada, "C/1", gene.Minted{Version: 2, BaseVersion: 1, Card: "c"}, gene.Applied{Card: "c", Version: 2})
	s.told("A", acknowledged, 2, 1, 2).told("B", acknowledged, 3, 3, 4).told("C", acknowledged, 15, 5, 6)
	return s
}

func TestCheckerFindsNothingInAGoodHistory(t *testing.T) {
	t.Parallel()
	s := good()
	if found := s.check(); len(found) > 0 {
		t.Fatalf("found %v", found)
	}
	if _, _, late := s.kept(); late != 1 {
		t.Fatalf("%d late facts, want the one of attempt 1", late)
	}
}

// Each way in which a history can be wrong is found, and named.
func TestCheckerFinds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(s *story)
		rule  string
	}{
		"a hole":                  {func(s *story) { s.events = append(s.events[:1:1], s.events[2:]...) }, "order: event 3 stands where 2"},
		"an id twice":             {func(s *story) { s.events[3].ID = s.events[2].ID }, "have the id"},
		"a lost command":          {func(s *story) { s.told("D", acknowledged, 99, 7, 8) }, "acknowledged: say D"},
		"a refused command":       {func(s *story) { s.commands[1].Outcome = refused }, "refused: say B"},
		"a command twice":         {func(s *story) { s.by(ada, "B/1", chat.Said{Message: "m", Text: "hello"}) }, "once: say B stands at 3 and again at 16"},
		"another answer":          {func(s *story) { s.commands[1].Seq = 7 }, "once: say B was acknowledged at 7"},
		"other words":             {func(s *story) { s.commands[1].In = map[string]string{"text": "bye"} }, `says "hello", "bye" was sent`},
		"somebody else's command": {func(s *story) { s.by(ada, "X/1", chat.TakenBack{Message: "z"}) }, "unasked: command X"},
		"the wrong way round":     {func(s *story) { s.commands[1].Sent, s.commands[1].Answered = time.Unix(8, 0), time.Unix(9, 0) }, "real time: say C"},
		"a version twice":         {func(s *story) { s.by(worker, "w", gene.Minted{Version: 2, BaseVersion: 1}) }, "guard: version 2 over 1"},
		"a card closed twice":     {func(s *story) { s.by(worker, "w", gene.Rejected{Card: "c"}) }, "guard: card c is rejected"},
		"a card without a version": {func(s *story) {
			s.by(worker, "w", gene.Proposed{Card: "d", BaseVersion: 2}, gene.Applied{Card: "d", Version: 3})
		}, "is applied at 17 without"},
		"a run finished twice": {func(s *story) { s.by(worker, "w", run.Finished{Run: "r", Attempt: 2}) }, "guard: run r finishes again"},
		"two live attempts": {func(s *story) {
			s.by(worker, "w", run.Requested{Run: "q"}, run.Started{Run: "q", Attempt: 1}, run.Started{Run: "q", Attempt: 2})
		}, "fence: attempt 2 of q starts"},
		"an attempt after the end": {func(s *story) { s.by(worker, "w", run.Started{Run: "r", Attempt: 3}) }, "fence: attempt 3 of r starts"},
		"a stale end":              {func(s *story) { s.by(worker, "w", turn.Finished{Turn: "t", Attempt: 1}) }, "guard: turn t finishes"},
		"two turns at once": {func(s *story) {
			s.by(worker, "w", turn.Started{Turn: "u", Attempt: 1}, turn.Started{Turn: "v", Attempt: 1}, turn.Finished{Turn: "v", Attempt: 1})
		}, "guard: turn v starts"},
		"an order confirmed twice": {func(s *story) {
			s.by(worker, "w", run.OrderProposed{Order: "o"}, run.OrderConfirmed{Order: "o"}, run.OrderConfirmed{Order: "o"})
		}, "guard: order o is confirmed"},
		"a run without its nod": {func(s *story) { s.by(worker, "w", run.OrderProposed{Order: "o"}, run.Requested{Run: "q", Order: "o"}) }, "guard: run q at 17 comes of order o"},
		"two daily searches": {func(s *story) {
			s.by(worker, "w", run.Requested{Run: "q", Day: "2026-01-01"}, run.Requested{Run: "p", Day: "2026-01-01"})
		}, "are both the daily search"},
		"no answer": {func(s *story) { s.by(worker, "w", chat.Said{Message: "n", Text: "?"}) }, "message n at 16 was never answered"},
		"two answers": {func(s *story) {
			s.by(worker, "w", turn.Started{Turn: "u", Attempt: 1, Messages: []domain.ID{"m"}}, turn.Finished{Turn: "u", Attempt: 1})
		}, "is answered by 2 turns"},
		"a video twice": {func(s *story) {
			s.by(worker, "w", run.Requested{Run: "q"}, run.Started{Run: "q", Attempt: 1}, library.Saved{Material: "y", Run: "q", Attempt: 1, Source: "fast", External: "e"})
		}, "library: video"},
		"a product of nobody": {func(s *story) {
			s.by(worker, "w", run.Requested{Run: "q"}, run.Started{Run: "q", Attempt: 1}, run.Finished{Run: "q", Attempt: 1, Products: []domain.Ref{{Type: domain.Material, ID: "x"}}})
		}, "names the product x"},
		"a round twice": {func(s *story) { s.by(worker, "w", step.Recorded{Turn: "t", Attempt: 1, Round: 1}) }, "rounds: round t/1/1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good()
			tc.spoil(s)
			if found := strings.Join(s.check(), "\n"); !strings.Contains(found, tc.rule) {
				t.Fatalf("want a finding that says %q, got:\n%s", tc.rule, found)
			}
		})
	}
}
