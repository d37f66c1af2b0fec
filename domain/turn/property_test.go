package turn_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/turn"
)

// room is everything that was decided on an agent's turns: messages 1 to said
// were said, in that order.
type room struct {
	state turn.State
	seq   uint64
	said  int
	turns int

	answering map[domain.ID]int // turns that finished over a message
	attempts  map[domain.ID]int // started, of each turn
	finished  map[domain.ID]int
	live      int // attempts that are open
}

func message(n int) domain.ID { return domain.ID(fmt.Sprint("m", n)) }

// open lists the messages behind the last settled one.
func (r *room) open() []domain.ID {
	var open []domain.ID
	for n := r.said; n > 0 && message(n) != r.state.Settled; n-- {
		open = append([]domain.ID{message(n)}, open...)
	}
	return open
}

func (r *room) record(t *rapid.T, events []domain.Decision) {
	for _, e := range events {
		r.seq++
		switch e := e.(type) {
		case turn.Started:
			r.attempts[e.Turn]++
			if e.Attempt != r.attempts[e.Turn] {
				t.Fatalf("attempt %d of turn %s is numbered %d", r.attempts[e.Turn], e.Turn, e.Attempt)
			}
			r.live++
		case turn.AttemptLost:
			r.live--
		case turn.Finished:
			r.finished[e.Turn]++
			if r.state.Current.Live {
				r.live--
			}
			for _, m := range r.state.Current.Messages {
				r.answering[m]++
			}
		}
		if r.live < 0 || r.live > 1 {
			t.Fatalf("%d attempts are live after %T", r.live, e)
		}
		var err error
		if r.state, err = turn.Evolve(r.state, domain.Recorded{Meta: domain.Meta{Seq: r.seq}, Event: e}); err != nil {
			t.Fatalf("evolve %T: %v", e, err)
		}
	}
}

// step asks for one thing, sensible or not.
func (r *room) step(t *rapid.T) {
	attempt := func() int { return rapid.IntRange(0, 5).Draw(t, "attempt") }
	some := func() domain.ID { return domain.ID(fmt.Sprint("t", rapid.IntRange(1, r.turns+1).Draw(t, "turn"))) }
	next := func() domain.ID { r.turns++; return domain.ID(fmt.Sprint("t", r.turns)) }
	s := r.state
	var events []domain.Decision
	switch rapid.SampledFrom([]string{"say", "say", "start", "start", "resume", "stop", "lose", "finish", "finish", "import"}).Draw(t, "step") {
	case "say":
		r.said++
	case "start":
		events, _ = s.Start(turn.Started{Turn: next(), Messages: r.open(), GeneVersion: 1})
	case "resume":
		events, _ = s.Resume(2)
	case "stop":
		events, _ = s.RequestStop(some())
	case "lose":
		events, _ = s.Lose(some(), attempt(), rapid.SampledFrom([]string{run.WorkerLost, run.HandedOver}).Draw(t, "cause"))
	case "finish":
		reason := rapid.SampledFrom([]string{"finished", "model", turn.Stopped}).Draw(t, "reason")
		events, _ = s.Finish(turn.Finished{Turn: some(), Attempt: attempt(), Reason: reason})
	case "import":
		var err error
		if events, err = s.EndImported(r.open(), next(), 1, "n"); err != nil {
			t.Fatalf("an import was refused: %v", err)
		}
		r.record(t, events)
		if r.state.Current != nil || len(r.open()) > 0 {
			t.Fatalf("after the import %v wait, turn %+v", r.open(), r.state.Current)
		}
		return
	}
	r.record(t, events)
}

// Whatever is asked in whatever order: one attempt at most is live, a turn ends
// once, no message is settled by two turns, and a turn that was lost three times
// is over.
func TestPropertyTurns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &room{answering: map[domain.ID]int{}, attempts: map[domain.ID]int{}, finished: map[domain.ID]int{}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			r.step(t)
			for id, n := range r.finished {
				if n > 1 {
					t.Fatalf("turn %s ended %d times", id, n)
				}
			}
			for id, n := range r.answering {
				if n > 1 {
					t.Fatalf("message %s was settled by %d turns", id, n)
				}
			}
			if c := r.state.Current; c != nil && (c.Lost >= domain.MaxAttempts || c.Stop && !c.Live) {
				t.Fatalf("the turn is open as %+v", c)
			}
		}
	})
}
