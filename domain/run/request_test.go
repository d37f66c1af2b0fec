package run_test

import (
	"strings"
	"testing"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/run"
)

func TestRule1_RequestedOnceWithAFittingTrigger(t *testing.T) {
	t.Parallel()
	search := run.Requested{Run: "r", Work: run.Search, Trigger: run.Hand, Request: run.Request{What: "再找一批"}}
	after := given(t).When(request(search)).Then(requested())
	if r := after.Runs["r"]; r.Requester != domaintest.Ann || r.RequestedAt != domaintest.Now() || len(after.Open()) != 1 {
		t.Fatalf("requested as %+v", r)
	}
	given(t, requested()).When(request(search)).ThenError(run.ErrExists)
	given(t).When(request(run.Requested{Work: run.Search, Trigger: run.Hand})).ThenError(domain.ErrMissing)

	fits := map[run.Work]string{
		run.Digest: "hand threshold", run.Search: "first hand daily gene_check",
		run.Board: "hand", run.Film: "hand", run.Analyze: "hand", "dance": "",
	}
	for work, triggers := range fits {
		for _, trigger := range []run.Trigger{run.First, run.Hand, run.Daily, run.GeneCheck, run.Threshold, "whim"} {
			r := run.Requested{Run: "r", Work: work, Trigger: trigger}
			switch trigger {
			case run.Daily:
				r.Day = "2026-03-02"
			case run.GeneCheck:
				r.Card = "c"
			}
			if work == run.Film {
				r.Request.Board = "b"
			}
			s := given(t).When(request(r))
			if strings.Contains(" "+triggers+" ", " "+string(trigger)+" ") {
				s.Then(r)
			} else {
				s.ThenError(run.ErrTrigger)
			}
		}
	}
}

func TestRule1_RequestLimits(t *testing.T) {
	t.Parallel()
	refs := make([]domain.Ref, run.MaxCites+1)
	for i := range refs {
		refs[i] = domain.Ref{Type: domain.Material, ID: "m"}
	}
	long := strings.Repeat("找", domain.MaxMessageRunes)
	for name, c := range map[string]struct {
		work run.Work
		q    run.Request
		want error
	}{
		"at the limits":     {run.Search, run.Request{What: long, Why: long, Source: "hot", Cites: refs[1:], Target: run.MaxTarget}, nil},
		"what too long":     {run.Search, run.Request{What: long + "找"}, domain.ErrTooLong},
		"why too long":      {run.Search, run.Request{Why: long + "找"}, domain.ErrTooLong},
		"too many cites":    {run.Search, run.Request{Cites: refs}, domain.ErrRef},
		"no such object":    {run.Search, run.Request{Cites: []domain.Ref{{Type: "cloud", ID: "x"}}}, domain.ErrRef},
		"target too high":   {run.Search, run.Request{Target: run.MaxTarget + 1}, run.ErrRequest},
		"target below zero": {run.Search, run.Request{Target: -1}, run.ErrRequest},
		"no such source":    {run.Search, run.Request{Source: "slow"}, run.ErrRequest},
		"a board's source":  {run.Board, run.Request{Source: "fast"}, run.ErrRequest},
		"negative cost":     {run.Search, run.Request{CostHint: -1}, run.ErrRequest},
		"film without base": {run.Film, run.Request{}, run.ErrRequest},
		"film of a board":   {run.Film, run.Request{Board: "b"}, nil},
		"film, board cited": {run.Film, run.Request{Cites: []domain.Ref{{Type: domain.Board, ID: "b"}}}, nil},
		"unclean text":      {run.Search, run.Request{What: "a\xffb"}, domain.ErrText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run.Requested{Run: "r", Work: c.work, Trigger: run.Hand, Request: c.q}
			s := given(t).When(request(r))
			if c.want == nil {
				s.Then(r)
			} else {
				s.ThenError(c.want)
			}
		})
	}
	given(t).When(request(run.Requested{Run: "r", Work: run.Search, Trigger: run.Hand, GeneVersion: -1})).
		ThenError(run.ErrRequest)
}

func TestRule1_ATriggerNamesItsOriginAndNoOther(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]run.Requested{
		"gene check without card":  {Run: "r", Work: run.Search, Trigger: run.GeneCheck},
		"card without gene check":  {Run: "r", Work: run.Search, Trigger: run.Hand, Card: "c"},
		"daily without day":        {Run: "r", Work: run.Search, Trigger: run.Daily},
		"day without daily":        {Run: "r", Work: run.Search, Trigger: run.Hand, Day: "2026-03-02"},
		"retry of nothing":         {Run: "r", Work: run.Search, Trigger: run.Retry},
		"hand that retries":        {Run: "r", Work: run.Search, Trigger: run.Hand, RetryOf: "q"},
		"budget that retries":      {Run: "r", Work: run.Search, Trigger: run.Budget, RetryOf: "q"},
		"continues without budget": {Run: "r", Work: run.Search, Trigger: run.Hand, Continues: "q"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given(t).When(request(r)).ThenError(run.ErrTrigger)
		})
	}
}

func TestRule2_OnlyAConfirmedOrderIsAnOrder(t *testing.T) {
	t.Parallel()
	given(t).When(request(run.Requested{Run: "r", Work: run.Search, Trigger: run.Order, Order: "o"})).
		ThenError(run.ErrTrigger)
	given(t).When(request(run.Requested{Run: "r", Work: run.Search, Trigger: run.Hand, Order: "o"})).
		ThenError(run.ErrTrigger)
}

func TestRule3_OneOpenDigest(t *testing.T) {
	t.Parallel()
	next := run.Requested{Run: "r2", Work: run.Digest, Trigger: run.Hand}
	refusal := given(t, digest()).When(request(next)).ThenError(run.ErrDigestOpen)
	if refusal.Details["run"] != domain.ID("r") {
		t.Fatalf("details %v do not name the open digest", refusal.Details)
	}
	given(t, digest(), started(1)).When(request(next)).ThenError(run.ErrDigestOpen)
	given(t, digest(), started(1), finished(1, run.Done, run.ReasonFinished)).When(request(next)).Then(next)
	given(t, requested()).When(request(next)).Then(next)
}

func TestRule4_OneDailySearchADay(t *testing.T) {
	t.Parallel()
	daily := func(id domain.ID, day string) run.Requested {
		return run.Requested{Run: id, Work: run.Search, Trigger: run.Daily, Day: day}
	}
	done := []domain.Event{
		daily("r", "2026-03-02"), started(1), finished(1, run.Done, run.ReasonFinished),
	}
	given(t, done[0]).When(request(daily("r2", "2026-03-02"))).ThenError(run.ErrDailyDone)
	given(t, done...).When(request(daily("r2", "2026-03-02"))).ThenError(run.ErrDailyDone)
	given(t, done...).When(request(daily("r2", "2026-03-03"))).Then(daily("r2", "2026-03-03"))
	given(t).When(request(daily("r", "2026-02-30"))).ThenError(run.ErrRequest)
}

func TestRule5_OnlyFinishedRunsAreRepeated(t *testing.T) {
	t.Parallel()
	retry := run.Requested{Run: "r2", Work: run.Search, Trigger: run.Retry, RetryOf: "r", GeneVersion: 4}
	more := run.Requested{Run: "r2", Work: run.Search, Trigger: run.Budget, Continues: "r"}
	same := func(r run.Requested) run.Requested { r.Request = run.Request{What: "再找一批"}; return r }
	failed := []domain.Event{requested(), started(1), finished(1, run.Failed, run.ReasonSource)}
	capped := []domain.Event{requested(), started(1), finished(1, run.Done, run.ReasonCost)}

	given(t, failed...).When(request(retry)).Then(same(retry))
	given(t, capped...).When(request(more)).Then(same(more))
	given(t, failed...).When(request(more)).ThenError(run.ErrNoCap)
	given(t, requested()).When(request(retry)).ThenError(run.ErrNotEnded)
	given(t, failed[:2]...).When(request(retry)).ThenError(run.ErrNotEnded)
	given(t).When(request(retry)).ThenError(run.ErrUnknown)

	board := retry
	board.Work = run.Board
	given(t, failed...).When(request(board)).ThenError(run.ErrRequest)

	again := retry
	again.Run = "r3"
	given(t, append(failed, same(retry))...).When(request(again)).ThenError(run.ErrRepeated)
	over := append(failed, same(retry), run.Finished{Run: "r2", Outcome: run.Cancelled, Reason: run.ReasonCancelled})
	given(t, over...).When(request(again)).Then(same(again))
}
