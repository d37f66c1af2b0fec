package work

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/streams"
)

// A history with everything open in it is closed in one batch; a whole
// background that starts on it then finds nothing to do and asks no model.
func TestImportedHistoryStartsNothing(t *testing.T) {
	t.Parallel()
	model := &parrot{}
	r := openTestRoom(t, model)
	waiting, running, order, card := r.s.Log.NewID(), r.s.Log.NewID(), r.s.Log.NewID(), r.s.Log.NewID()
	var said []domain.ID
	for _, text := range []string{"一", "二", "三"} {
		said = append(said, r.say("A", text))
	}
	r.schedule(true, "08:30", "Asia/Shanghai")
	r.propose(card, time.Now().Add(domain.ProposalLifetime))
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: waiting, Work: run.Search, Trigger: run.Hand}, now)
	})
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: running, Work: run.Digest, Trigger: run.Hand}, now)
	})
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) { return s.Run.Start(running, 1, 1) })
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.ProposeOrder(run.OrderProposed{Order: order, Work: run.Search, Request: run.Request{What: "a", Why: "b"}}, now)
	})
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Turn.Start(turn.Started{Turn: r.s.Log.NewID(), Messages: said[:2], GeneVersion: 1})
	})

	r.folded()
	imported := agent.Imported{From: "EVENTS 2026-01-01T00:00:00Z", Events: 12, Digest: "sha256:00"}
	result, err := r.s.Log.Decide(t.Context(), r.key, streams.Command{ID: "import/00", Actor: domain.System("import")},
		func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
			return CloseImported(s, imported, r.s.Log.NewID)
		})
	if err != nil {
		t.Fatal(err)
	}
	if last := result.Events[len(result.Events)-1]; last.Event != imported || last.Seq != result.Seq {
		t.Fatalf("the last event is %+v", last)
	}
	err = r.s.Log.View(t.Context(), r.key, func(s *streams.State) error {
		if len(s.Run.Open()) > 0 || s.Turn.Current != nil || len(s.Chat.After(s.Turn.Settled)) > 0 || s.Agent.Daily {
			t.Errorf("open runs %v, turn %+v, messages %v, daily %v",
				s.Run.Open(), s.Turn.Current, s.Chat.After(s.Turn.Settled), s.Agent.Daily)
		}
		if f := s.Run.Runs[running].Finished; f.Outcome != run.Cancelled || f.Reason != run.ReasonImported {
			t.Errorf("the running digest ended as %+v", f)
		}
		if c, o := s.Gene.Cards[card].State, s.Run.Orders[order].State; c != "pending" || o != "pending" {
			t.Errorf("the card is %s, the order %s", c, o)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	// A background that reads this log from its beginning.
	before, _ := types(t, r.s, r.key)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.w.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	r.caughtUp()
	for range 2 {
		if err := r.w.reconcileOnce(t.Context(), map[domain.Key]time.Time{}); err != nil {
			t.Fatal(err)
		}
		if err := r.w.rearm(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// The dispatcher has been through everything once this is answered.
	r.say("A", "在吗")
	within(t, "the new message is answered", func() bool {
		_, finished := r.turns()
		return len(finished) > 0 && finished[len(finished)-1].Reason == "finished"
	})
	started, finished := r.turns()
	if last := started[len(started)-1]; len(last.Messages) != 1 || slices.Contains(said, last.Messages[0]) {
		t.Fatalf("history is answered: %v", last.Messages)
	}
	if len(finished) != 3 || finished[0].Reason != "imported" || finished[1].Reason != "imported" || finished[1].Upto != said[2] {
		t.Fatalf("finished %+v", finished)
	}
	if after, _ := types(t, r.s, r.key); !slices.Equal(before, after) {
		t.Fatalf("runs moved: %v", after[len(before):])
	}
	if n := model.asked.Load(); n != 1 {
		t.Fatalf("the model was asked %d times", n)
	}
}
