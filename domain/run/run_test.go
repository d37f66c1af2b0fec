package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/run"
)

func given(t *testing.T, events ...domain.Event) *domaintest.Scenario[run.State] {
	t.Helper()
	return domaintest.Given(t, run.Evolve, events...)
}

type (
	state     = run.State
	decisions = []domain.Decision
)

// What happened to the run "r", a search unless it says digest.

func requested() domain.Event {
	return run.Requested{Run: "r", Work: run.Search, Trigger: run.Hand, Request: run.Request{What: "再找一批"}}
}

func digest() domain.Event { return run.Requested{Run: "r", Work: run.Digest, Trigger: run.Threshold} }

func started(attempt int) domain.Event {
	return run.Started{Run: "r", Attempt: attempt, Slot: 7, GeneVersion: 4}
}

func lost(attempt int, cause string) domain.Event {
	return run.AttemptLost{Run: "r", Attempt: attempt, Cause: cause}
}

func cancelAsked(cause string) domain.Event { return run.CancelRequested{Run: "r", Cause: cause} }

func finished(attempt int, o run.Outcome, reason run.Reason) domain.Event {
	return run.Finished{Run: "r", Attempt: attempt, Outcome: o, Reason: reason}
}

// What somebody asks of it.

func request(r run.Requested) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.Request(r, domaintest.Now()) }
}

func start(current int) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.Start("r", 7, current) }
}

func lose(attempt int, cause string) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.Lose("r", attempt, cause) }
}

func cancel(cause string) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.RequestCancel("r", cause) }
}

func finish(attempt int, o run.Outcome, reason run.Reason) func(state) (decisions, error) {
	return func(s state) (decisions, error) {
		return s.Finish(run.Finished{Run: "r", Attempt: attempt, Outcome: o, Reason: reason})
	}
}

func TestRule6_StartingOpensTheNextAttempt(t *testing.T) {
	t.Parallel()
	after := given(t, requested()).When(start(4)).Then(started(1))
	if r := after.Runs["r"]; r.Attempt != 1 || !r.Live || r.GeneVersion != 4 || r.Slot != 7 || r.StartedAt != domaintest.Now() {
		t.Fatalf("started as %+v", r)
	}
	after = given(t, requested(), started(1)).When(start(4)).Then(lost(1, run.WorkerLost), started(2))
	if r := after.Runs["r"]; r.Attempt != 2 || !r.Live || r.Lost != 1 {
		t.Fatalf("started as %+v", r)
	}
	given(t).When(start(4)).ThenError(run.ErrUnknown)
	given(t, requested()).When(start(0)).ThenError(run.ErrNoGene)
}

func TestRule7_TheGeneVersionIsPinnedAtTheFirstStart(t *testing.T) {
	t.Parallel()
	given(t, requested(), started(1), lost(1, run.WorkerLost)).When(start(5)).Then(started(2))
	given(t, requested(), started(1)).When(start(5)).Then(lost(1, run.WorkerLost), started(2))
	pinned := run.Requested{Run: "r", Work: run.Search, Trigger: run.GeneCheck, Card: "c", GeneVersion: 2}
	given(t, pinned).When(start(5)).Then(run.Started{Run: "r", Attempt: 1, Slot: 7, GeneVersion: 2})
}

func TestRule8_ThirdLossFailsTheRun(t *testing.T) {
	t.Parallel()
	twice := []domain.Event{requested(), started(1), lost(1, run.WorkerLost), started(2), lost(2, run.WorkerLost), started(3)}
	for name, decide := range map[string]func(state) (decisions, error){
		"started": start(9), "lost": lose(3, run.WorkerLost),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := given(t, twice...).When(decide).
				Then(lost(3, run.WorkerLost), finished(0, run.Failed, run.ReasonWorkerLost))
			if len(after.Open()) != 0 {
				t.Fatal("the run is still open")
			}
		})
	}
	t.Run("the second does not", func(t *testing.T) {
		t.Parallel()
		given(t, twice[:4]...).When(lose(2, run.WorkerLost)).Then(lost(2, run.WorkerLost))
	})
	t.Run("handing over does not count", func(t *testing.T) {
		t.Parallel()
		history := append(twice[:len(twice):len(twice)], lost(3, run.HandedOver))
		after := given(t, history...).When(start(9)).Then(started(4))
		if n := after.Runs["r"].Lost; n != 2 {
			t.Fatalf("lost %d, want 2", n)
		}
		given(t, append(history, started(4))...).When(lose(4, run.HandedOver)).Then(lost(4, run.HandedOver))
	})
	given(t, requested(), started(1)).When(lose(1, "bored")).ThenError(run.ErrCause)
}

func TestRule9_CancellingIsHarmlessTwice(t *testing.T) {
	t.Parallel()
	asked := cancelAsked(run.CancelPerson)
	ended := finished(0, run.Cancelled, run.ReasonCancelled)
	given(t, requested()).When(cancel(run.CancelPerson)).Then(asked, ended)
	given(t, requested(), started(1), lost(1, run.HandedOver)).When(cancel(run.CancelPerson)).Then(asked, ended)
	after := given(t, requested(), started(1)).When(cancel(run.CancelPerson)).Then(asked)
	if r := after.Runs["r"]; r.Cancel != run.CancelPerson || !r.Live || r.Finished != nil {
		t.Fatalf("asked to cancel: %+v", r)
	}
	given(t, requested(), started(1), asked).When(cancel(run.CancelPerson)).ThenNothing()
	refusal := given(t, requested(), started(1), finished(1, run.Done, run.ReasonFinished)).
		When(cancel(run.CancelPerson)).ThenError(run.ErrFinished)
	if refusal.Details["outcome"] != run.Done {
		t.Fatalf("details %v do not say how it finished", refusal.Details)
	}
	given(t).When(cancel(run.CancelPerson)).ThenError(run.ErrUnknown)
	given(t, requested()).When(cancel("weather")).ThenError(run.ErrCause)
}

func TestRule10_OnlyADigestMakesWay(t *testing.T) {
	t.Parallel()
	given(t, digest()).When(cancel(run.CancelPeopleCame)).
		Then(cancelAsked(run.CancelPeopleCame), finished(0, run.Cancelled, run.ReasonPeopleCame))
	given(t, requested()).When(cancel(run.CancelPeopleCame)).ThenError(run.ErrCause)
}

func TestRule11_ACancelledRunIsNotStartedAgain(t *testing.T) {
	t.Parallel()
	asked := cancelAsked(run.CancelPerson)
	ended := finished(0, run.Cancelled, run.ReasonCancelled)
	given(t, requested(), started(1), asked).When(start(4)).Then(lost(1, run.WorkerLost), ended)
	given(t, requested(), started(1), asked).When(lose(1, run.HandedOver)).Then(lost(1, run.HandedOver), ended)
	given(t, requested(), started(1), asked, lost(1, run.WorkerLost)).When(start(4)).Then(ended)
	third := []domain.Event{requested(), started(1), lost(1, run.WorkerLost), started(2), lost(2, run.WorkerLost), started(3), asked}
	given(t, third...).When(start(4)).Then(lost(3, run.WorkerLost), ended)
}

func TestRule12_OnlyTheLiveAttemptFinishes(t *testing.T) {
	t.Parallel()
	second := []domain.Event{requested(), started(1), lost(1, run.WorkerLost), started(2)}
	done := finish(1, run.Done, run.ReasonFinished)
	refusal := given(t, second...).When(done).ThenError(run.ErrStaleAttempt)
	if refusal.Details["attempt"] != 2 {
		t.Fatalf("details %v do not name the live attempt", refusal.Details)
	}
	given(t, second[:3]...).When(done).ThenError(run.ErrStaleAttempt)
	given(t, second[:3]...).When(lose(1, run.WorkerLost)).ThenError(run.ErrStaleAttempt)
	given(t, requested()).When(finish(0, run.Done, run.ReasonFinished)).ThenError(run.ErrStaleAttempt)
	given(t).When(done).ThenError(run.ErrUnknown)

	after := given(t, second...).When(finish(2, run.Done, run.ReasonRounds)).
		Then(finished(2, run.Done, run.ReasonRounds))
	if r := after.Runs["r"]; r.Live || r.Finished == nil || r.FinishedAt != domaintest.Now() {
		t.Fatalf("finished as %+v", r)
	}
	over := append(second, finished(2, run.Done, run.ReasonFinished))
	given(t, over...).When(finish(2, run.Done, run.ReasonFinished)).ThenError(run.ErrFinished)
	given(t, over...).When(done).ThenError(run.ErrStaleAttempt)
}

func TestRule12_ReasonsFit(t *testing.T) {
	t.Parallel()
	outcomes := []run.Outcome{run.Done, run.Failed, run.Cancelled}
	good := map[run.Reason][]run.Outcome{
		run.ReasonFinished: {run.Done},
		run.ReasonRounds:   {run.Done, run.Failed}, run.ReasonTokens: {run.Done, run.Failed},
		run.ReasonCost: {run.Done, run.Failed}, run.ReasonTime: {run.Done, run.Failed},
		run.ReasonStuck: {run.Done, run.Failed}, run.ReasonModel: {run.Done, run.Failed},
		run.ReasonSource: {run.Done, run.Failed},
		run.ReasonInput:  {run.Failed}, run.ReasonInternal: {run.Failed},
		run.ReasonCancelled: {run.Cancelled}, run.ReasonPeopleCame: {},
		run.ReasonWorkerLost: {}, "tired": {},
	}
	asked := []domain.Event{requested(), started(1), cancelAsked(run.CancelPerson)}
	for reason, fits := range good {
		for _, outcome := range outcomes {
			s := given(t, asked...).When(finish(1, outcome, reason))
			if contains(fits, outcome) {
				s.Then(finished(1, outcome, reason))
			} else {
				s.ThenError(run.ErrReason)
			}
		}
	}
	given(t, requested(), started(1)).When(finish(1, run.Cancelled, run.ReasonCancelled)).ThenError(run.ErrReason)
	given(t, digest(), started(1), cancelAsked(run.CancelPeopleCame)).
		When(finish(1, run.Cancelled, run.ReasonPeopleCame)).Then(finished(1, run.Cancelled, run.ReasonPeopleCame))
	given(t, requested(), started(1)).When(func(s state) (decisions, error) {
		return s.Finish(run.Finished{Run: "r", Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Cost: -1})
	}).ThenError(run.ErrReason)
	given(t, requested(), started(1)).When(func(s state) (decisions, error) {
		return s.Finish(run.Finished{
			Run: "r", Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Products: []domain.Ref{{Type: domain.Film}},
		})
	}).ThenError(domain.ErrRef)
}

func contains(list []run.Outcome, o run.Outcome) bool {
	for _, one := range list {
		if one == o {
			return true
		}
	}
	return false
}

func TestRule12_ASummaryIsCutRatherThanRefused(t *testing.T) {
	t.Parallel()
	long := make([]byte, domain.MaxMessageRunes+1)
	for i := range long {
		long[i] = 'x'
	}
	want := string(long[:domain.MaxMessageRunes-1]) + "…"
	given(t, requested(), started(1)).When(func(s state) (decisions, error) {
		return s.Finish(run.Finished{Run: "r", Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Summary: string(long)})
	}).Then(run.Finished{Run: "r", Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Summary: want})
}

func TestRule13_FinishedRunsStayKnown(t *testing.T) {
	t.Parallel()
	other := run.Requested{Run: "r2", Work: run.Board, Trigger: run.Hand}
	s := domaintest.Fold(t, run.Evolve, requested(), other, started(1), finished(1, run.Done, run.ReasonFinished))
	if s.Runs["r"].Finished.Reason != run.ReasonFinished || s.Runs["r"].Requester != domaintest.Ann {
		t.Fatalf("the finished run is %+v", s.Runs["r"])
	}
	var open []domain.ID
	for _, r := range s.Open() {
		open = append(open, r.ID)
	}
	if diff := cmp.Diff([]domain.ID{"r2"}, open); diff != "" {
		t.Fatalf("open (-want +got):\n%s", diff)
	}
}

func TestRule14_ImportingEndsOpenRuns(t *testing.T) {
	t.Parallel()
	closeAll := func(s state) (decisions, error) { return s.EndImported(), nil }
	imported := finished(0, run.Cancelled, run.ReasonImported)
	given(t).When(closeAll).ThenNothing()
	given(t, requested(), finished(0, run.Cancelled, run.ReasonCancelled)).When(closeAll).ThenNothing()
	given(t, requested()).When(closeAll).Then(imported)
	given(t, requested(), started(1), lost(1, run.WorkerLost)).When(closeAll).Then(imported)
	given(t, requested(), started(1), cancelAsked(run.CancelPerson)).When(closeAll).Then(lost(1, run.WorkerLost), imported)
	second := run.Requested{Run: "r2", Work: run.Search, Trigger: run.Hand}
	after := given(t, requested(), second, started(1)).When(closeAll).Then(
		lost(1, run.WorkerLost), imported,
		run.Finished{Run: "r2", Outcome: run.Cancelled, Reason: run.ReasonImported})
	if open := after.Open(); len(open) != 0 {
		t.Fatalf("%d runs are open after the import", len(open))
	}
	given(t, requested(), imported).When(start(4)).ThenError(run.ErrFinished)
	given(t, requested(), started(1)).When(finish(1, run.Cancelled, run.ReasonImported)).ThenError(run.ErrReason)
	// Only a person's retry brings it back.
	given(t, requested(), imported).
		When(request(run.Requested{Run: "r3", Work: run.Search, Trigger: run.Retry, RetryOf: "r"})).
		Then(run.Requested{Run: "r3", Work: run.Search, Trigger: run.Retry, RetryOf: "r", Request: run.Request{What: "再找一批"}})
}

func TestEvolveRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]domain.Event{
		"requested twice":    {requested(), requested()},
		"started unknown":    {started(1)},
		"started after end":  {requested(), finished(0, run.Cancelled, run.ReasonCancelled), started(1)},
		"unknown order":      {run.OrderDeclined{Order: "o"}},
		"order closed twice": {run.OrderProposed{Order: "o"}, run.OrderDeclined{Order: "o"}, run.OrderExpired{Order: "o"}},
		"foreign":            {nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s state
			var err error
			for _, e := range events {
				s, err = run.Evolve(s, domain.Recorded{Event: e})
			}
			if err == nil || domain.CodeOf(err) != domain.Internal {
				t.Fatalf("got %v, want an internal error", err)
			}
		})
	}
}
