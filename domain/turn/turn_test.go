package turn_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/run"
	"sozai/domain/turn"
)

func given(t *testing.T, events ...domain.Event) *domaintest.Scenario[turn.State] {
	t.Helper()
	return domaintest.Given(t, turn.Evolve, events...)
}

type (
	state     = turn.State
	decisions = []domain.Decision
)

func started(attempt int) domain.Event {
	return turn.Started{
		Turn: "t1", Attempt: attempt, Slot: uint64(min(attempt, 2)) * 10,
		Messages: []domain.ID{"m1", "m2"}, Upto: "m2", GeneVersion: 3,
	}
}

func lost(attempt int, cause string) domain.Event {
	return turn.AttemptLost{Turn: "t1", Attempt: attempt, Cause: cause}
}

func finished(attempt int, reason string) domain.Event {
	return turn.Finished{Turn: "t1", Attempt: attempt, Upto: "m2", Reason: reason, Blocks: []turn.Block{}}
}

func start(id domain.ID, messages ...domain.ID) func(state) (decisions, error) {
	return func(s state) (decisions, error) {
		return s.Start(turn.Started{Turn: id, Slot: 10, Messages: messages, GeneVersion: 3})
	}
}

func resume(s state) (decisions, error) { return s.Resume(20) }

func stop(id domain.ID) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.RequestStop(id) }
}

func finish(id domain.ID, attempt int, reason string) func(state) (decisions, error) {
	return func(s state) (decisions, error) {
		return s.Finish(turn.Finished{Turn: id, Attempt: attempt, Reason: reason})
	}
}

func lose(attempt int, cause string) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.Lose("t1", attempt, cause) }
}

func TestRule1_OneTurnAtATime(t *testing.T) {
	t.Parallel()
	after := given(t).When(start("t1", "m1", "m2")).Then(started(1))
	want := &turn.Turn{ID: "t1", Attempt: 1, Slot: 10, Live: true, Messages: []domain.ID{"m1", "m2"}, Upto: "m2", GeneVersion: 3}
	if diff := cmp.Diff(want, after.Current); diff != "" {
		t.Fatalf("turn (-want +got):\n%s", diff)
	}
	refusal := given(t, started(1)).When(start("t2", "m3")).ThenError(turn.ErrRunning)
	if refusal.Details["turn"] != domain.ID("t1") {
		t.Fatalf("details %v do not name the running turn", refusal.Details)
	}
	given(t, started(1), lost(1, run.WorkerLost)).When(start("t2", "m3")).ThenError(turn.ErrRunning)
	given(t, started(1), finished(1, "finished")).When(start("t2", "m3")).
		Then(turn.Started{Turn: "t2", Attempt: 1, Slot: 10, Messages: []domain.ID{"m3"}, Upto: "m3", GeneVersion: 3})
}

func TestRule2_AnswersWhatWaits(t *testing.T) {
	t.Parallel()
	given(t).When(start("t1")).ThenError(turn.ErrNothing)
	given(t).When(start("t1", "m1", "")).ThenError(turn.ErrNothing)
	given(t).When(start("", "m1")).ThenError(domain.ErrMissing)
	given(t, started(1), finished(1, "finished")).When(start("t2", "m2", "m3")).ThenError(turn.ErrSettled)
}

func TestRule3_ATurnHappensOnce(t *testing.T) {
	t.Parallel()
	given(t, started(1), finished(1, "finished")).When(start("t1", "m3")).ThenError(turn.ErrOver)
}

func TestRule4_ResumingOpensTheNextAttempt(t *testing.T) {
	t.Parallel()
	after := given(t, started(1)).When(resume).Then(lost(1, run.WorkerLost), started(2))
	if c := after.Current; c.Attempt != 2 || !c.Live || c.Lost != 1 || c.GeneVersion != 3 {
		t.Fatalf("resumed as %+v", c)
	}
	given(t, started(1), lost(1, run.HandedOver)).When(resume).Then(started(2))
	given(t).When(resume).ThenError(turn.ErrOver)
}

func TestRule5_ThirdLossEndsTheTurn(t *testing.T) {
	t.Parallel()
	twice := []domain.Event{started(1), lost(1, run.WorkerLost), started(2), lost(2, run.WorkerLost), started(3)}
	for name, decide := range map[string]func(state) (decisions, error){
		"resumed": resume, "lost": lose(3, run.WorkerLost),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := given(t, twice...).When(decide).
				Then(lost(3, run.WorkerLost), finished(0, string(run.ReasonWorkerLost)))
			if after.Current != nil || after.Settled != "m2" {
				t.Fatalf("after the third loss: %+v", after)
			}
		})
	}
	t.Run("handing over does not count", func(t *testing.T) {
		t.Parallel()
		history := append(twice[:len(twice):len(twice)], lost(3, run.HandedOver))
		after := given(t, history...).When(resume).Then(started(4))
		if after.Current.Lost != 2 {
			t.Fatalf("lost %d, want 2", after.Current.Lost)
		}
		given(t, append(history, started(4))...).When(lose(4, run.HandedOver)).Then(lost(4, run.HandedOver))
	})
	given(t, started(1)).When(lose(1, "bored")).ThenError(turn.ErrCause)
}

func TestRule6_OnlyTheRunningTurnStops(t *testing.T) {
	t.Parallel()
	asked := turn.StopRequested{Turn: "t1"}
	after := given(t, started(1)).When(stop("t1")).Then(asked)
	if !after.Current.Stop {
		t.Fatal("the stop is not known")
	}
	given(t, started(1), asked).When(stop("t1")).ThenNothing()
	next := turn.Started{Turn: "t2", Attempt: 1, Messages: []domain.ID{"m3"}, Upto: "m3"}
	given(t, started(1), finished(1, "finished"), next).When(stop("t1")).ThenError(turn.ErrOver)
	given(t).When(stop("t1")).ThenError(turn.ErrOver)
}

func TestRule7_AStoppedTurnIsNotResumed(t *testing.T) {
	t.Parallel()
	asked := turn.StopRequested{Turn: "t1"}
	given(t, started(1), asked).When(resume).Then(lost(1, run.WorkerLost), finished(0, turn.Stopped))
	given(t, started(1), asked).When(lose(1, run.HandedOver)).Then(lost(1, run.HandedOver), finished(0, turn.Stopped))
	given(t, started(1), lost(1, run.HandedOver)).When(stop("t1")).Then(asked, finished(0, turn.Stopped))
}

func TestRule8_OnlyTheLiveAttemptFinishes(t *testing.T) {
	t.Parallel()
	second := []domain.Event{started(1), lost(1, run.WorkerLost), started(2)}
	refusal := given(t, second...).When(finish("t1", 1, "finished")).ThenError(turn.ErrStaleAttempt)
	if refusal.Details["attempt"] != 2 {
		t.Fatalf("details %v do not name the live attempt", refusal.Details)
	}
	given(t, second[:2]...).When(finish("t1", 1, "finished")).ThenError(turn.ErrStaleAttempt)
	given(t, second[:2]...).When(lose(1, run.WorkerLost)).ThenError(turn.ErrStaleAttempt)
	given(t, second...).When(finish("t2", 2, "finished")).ThenError(turn.ErrOver)
	given(t, started(1), finished(1, "finished")).When(finish("t1", 1, "finished")).ThenError(turn.ErrOver)
	given(t, started(1)).When(finish("t1", 1, "tired")).ThenError(turn.ErrReason)
	given(t, started(1)).When(finish("t1", 1, turn.Stopped)).ThenError(turn.ErrReason)
	given(t, started(1)).When(func(s state) (decisions, error) {
		return s.Finish(turn.Finished{Turn: "t1", Attempt: 1, Reason: "finished", Cost: -1})
	}).ThenError(turn.ErrReason)
	given(t, second...).When(finish("t1", 2, "rounds")).Then(finished(2, "rounds"))
}

func TestRule9_EveryEndSettles(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"finished", "model", "internal", "worker_lost", turn.Stopped} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			history := []domain.Event{started(1)}
			if reason == turn.Stopped {
				history = append(history, turn.StopRequested{Turn: "t1"})
			}
			after := given(t, history...).When(finish("t1", 1, reason)).Then(finished(1, reason))
			if after.Settled != "m2" || after.Current != nil || after.Ended["t1"] != reason || after.Running() != nil {
				t.Fatalf("after the end: %+v", after)
			}
		})
	}
	running := domaintest.Fold(t, turn.Evolve, started(1))
	if diff := cmp.Diff([]domain.ID{"m1", "m2"}, running.Running()); diff != "" {
		t.Fatalf("running (-want +got):\n%s", diff)
	}
}

func TestRule10_ImportingSettlesWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	closing := func(open ...domain.ID) func(state) (decisions, error) {
		return func(s state) (decisions, error) { return s.EndImported(open, "t9", 3, "imported") }
	}
	blocks := []turn.Block{{Type: turn.Note, Text: "imported"}}
	ended := turn.Finished{Turn: "t1", Upto: "m2", Reason: "imported", Blocks: blocks}
	begun := func(messages ...domain.ID) turn.Started {
		return turn.Started{Turn: "t9", Attempt: 1, Messages: messages, Upto: messages[len(messages)-1], GeneVersion: 3}
	}
	done := func(upto domain.ID) turn.Finished {
		return turn.Finished{Turn: "t9", Attempt: 1, Upto: upto, Reason: "imported", Blocks: blocks}
	}
	given(t).When(closing()).ThenNothing()
	given(t).When(closing("m1", "m2")).Then(begun("m1", "m2"), done("m2"))
	given(t, started(1), finished(1, "finished")).When(closing("m3")).Then(begun("m3"), done("m3"))
	given(t, started(1)).When(closing("m1", "m2")).Then(lost(1, run.WorkerLost), ended)
	given(t, started(1), lost(1, run.HandedOver)).When(closing("m1", "m2")).Then(ended)
	after := given(t, started(1)).When(closing("m1", "m2", "m3")).
		Then(lost(1, run.WorkerLost), ended, begun("m3"), done("m3"))
	if after.Current != nil || after.Settled != "m3" {
		t.Fatalf("after the import: %+v", after)
	}
	given(t, started(1)).When(finish("t1", 1, "imported")).ThenError(turn.ErrReason)
}

func TestEvolveRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]domain.Event{
		"a second turn":   {started(1), turn.Started{Turn: "t2", Attempt: 1}},
		"lost in nothing": {lost(1, run.WorkerLost)},
		"stop of nothing": {turn.StopRequested{Turn: "t1"}},
		"end of nothing":  {finished(1, "finished")},
		"foreign":         {nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s state
			var err error
			for _, e := range events {
				s, err = turn.Evolve(s, domain.Recorded{Event: e})
			}
			if err == nil || domain.CodeOf(err) != domain.Internal {
				t.Fatalf("got %v, want an internal error", err)
			}
		})
	}
}
