package run_test

import (
	"fmt"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/run"
)

func what() run.Request {
	return run.Request{What: "竖屏爆破镜头", Why: "反馈说爆炸感不够", Target: 5}
}

func order(id domain.ID, work run.Work) run.OrderProposed {
	p := run.OrderProposed{Order: id, Work: work, Request: what(), Turn: "t"}
	if work == run.Film {
		p.Request.Board = "b"
	}
	return p
}

// ordered is the order as it stands in the log, proposed ago before Now.
func ordered(id domain.ID, work run.Work, ago time.Duration) domain.Event {
	p := order(id, work)
	when := domaintest.Now().Add(-ago)
	p.Expires = when.Add(domain.ProposalLifetime)
	return domaintest.By(domaintest.Butler, domaintest.At(when, p))
}

func propose(p run.OrderProposed) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.ProposeOrder(p, domaintest.Now()) }
}

func confirm(by domain.Actor) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.ConfirmOrder("o", "r", by, domaintest.Now()) }
}

func decline(by domain.Actor) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.DeclineOrder("o", "too dear", by, domaintest.Now()) }
}

func expire(s state) (decisions, error) { return s.ExpireOrder("o", domaintest.Now()) }

func TestOrderRule1_WorkAndWords(t *testing.T) {
	t.Parallel()
	for _, work := range []run.Work{run.Search, run.Board, run.Film} {
		given(t).When(propose(order("o", work))).Then(ordered("o", work, 0))
	}
	given(t).When(propose(order("o", run.Digest))).ThenError(run.ErrOrderWork)
	given(t).When(propose(order("", run.Search))).ThenError(domain.ErrMissing)
	given(t, ordered("o", run.Board, time.Hour)).When(propose(order("o", run.Board))).ThenError(run.ErrOrderExists)
	wordless := order("o", run.Search)
	wordless.Request.What = " "
	given(t).When(propose(wordless)).ThenError(domain.ErrMissing)
	reasonless := order("o", run.Search)
	reasonless.Request.Why = ""
	given(t).When(propose(reasonless)).ThenError(domain.ErrMissing)
	baseless := order("o", run.Film)
	baseless.Request.Board = ""
	given(t).When(propose(baseless)).ThenError(run.ErrRequest)
}

func TestOrderRule2_ExpiresAfterSevenDays(t *testing.T) {
	t.Parallel()
	after := given(t).When(propose(order("o", run.Search))).
		Then(domaintest.By(domaintest.Butler, ordered("o", run.Search, 0)))
	o := after.Orders["o"]
	if o.State != run.StatePending || o.By != domaintest.Butler || !o.Expires.Equal(domaintest.Now().AddDate(0, 0, 7)) {
		t.Fatalf("proposed as %+v", o)
	}
}

func TestOrderRule3_FivePending(t *testing.T) {
	t.Parallel()
	pending := func(n int) []domain.Event {
		var events []domain.Event
		for i := range n {
			events = append(events, ordered(domain.ID(fmt.Sprint("o", i)), run.Board, time.Duration(6-i)*24*time.Hour))
		}
		return events
	}
	given(t, pending(4)...).When(propose(order("o", run.Board))).Then(ordered("o", run.Board, 0))
	refusal := given(t, pending(5)...).When(propose(order("o", run.Board))).ThenError(run.ErrOrdersFull)
	if refusal.Code != domain.TooMany || refusal.RetryAfter != 24*60*60 {
		t.Fatalf("got code %s, retry after %d s; want %d s, when the oldest expires", refusal.Code, refusal.RetryAfter, 24*60*60)
	}
	answered := append(pending(5), run.OrderDeclined{Order: "o3"})
	given(t, answered...).When(propose(order("o", run.Board))).Then(ordered("o", run.Board, 0))
	stale := append(pending(4), ordered("old", run.Board, domain.ProposalLifetime))
	given(t, stale...).When(propose(order("o", run.Board))).Then(ordered("o", run.Board, 0))
	fresh := append(pending(4), ordered("old", run.Board, domain.ProposalLifetime-time.Second))
	if refusal := given(t, fresh...).When(propose(order("o", run.Board))).ThenError(run.ErrOrdersFull); refusal.RetryAfter != 1 {
		t.Fatalf("retry after %d s, want 1", refusal.RetryAfter)
	}
}

func TestOrderRule4_OneSearchAMinute(t *testing.T) {
	t.Parallel()
	given(t, ordered("p", run.Search, time.Minute)).When(propose(order("o", run.Search))).Then(ordered("o", run.Search, 0))
	refusal := given(t, ordered("p", run.Search, 59*time.Second+time.Millisecond)).
		When(propose(order("o", run.Search))).ThenError(run.ErrOrderRate)
	if refusal.Code != domain.TooMany || refusal.RetryAfter != 1 {
		t.Fatalf("got code %s, retry after %d s; want 1 s", refusal.Code, refusal.RetryAfter)
	}
	declined := []domain.Event{ordered("p", run.Search, 10*time.Second), run.OrderDeclined{Order: "p"}}
	if refusal := given(t, declined...).When(propose(order("o", run.Search))).ThenError(run.ErrOrderRate); refusal.RetryAfter != 50 {
		t.Fatalf("retry after %d s, want 50", refusal.RetryAfter)
	}
	given(t, ordered("p", run.Search, 0)).When(propose(order("o", run.Board))).Then(ordered("o", run.Board, 0))
	given(t, ordered("p", run.Board, 0)).When(propose(order("o", run.Search))).Then(ordered("o", run.Search, 0))
	ahead := ordered("p", run.Search, -time.Hour) // another clock
	if refusal := given(t, ahead).When(propose(order("o", run.Search))).ThenError(run.ErrOrderRate); refusal.RetryAfter != 60 {
		t.Fatalf("retry after %d s, want at most a minute", refusal.RetryAfter)
	}
}

func TestOrderRule5_OnlyAPersonAnswers(t *testing.T) {
	t.Parallel()
	for _, by := range []domain.Actor{domaintest.Butler, domaintest.System, domain.Worker("w"), ""} {
		given(t, ordered("o", run.Search, 0)).When(confirm(by)).ThenError(domain.ErrPersonOnly)
		given(t, ordered("o", run.Search, 0)).When(decline(by)).ThenError(domain.ErrPersonOnly)
	}
}

func TestOrderRule6_ConfirmingRequestsTheRun(t *testing.T) {
	t.Parallel()
	requested := run.Requested{Run: "r", Work: run.Search, Trigger: run.Order, Request: what(), Order: "o"}
	after := given(t, ordered("o", run.Search, time.Hour)).When(confirm(domaintest.Bob)).Then(
		domaintest.By(domaintest.Bob, run.OrderConfirmed{Order: "o", Run: "r"}),
		domaintest.By(domaintest.Bob, requested),
	)
	if o := after.Orders["o"]; o.State != run.StateConfirmed || o.Run != "r" || o.ClosedBy != domaintest.Bob {
		t.Fatalf("confirmed as %+v", o)
	}
	if r := after.Runs["r"]; r.Requester != domaintest.Bob || r.Order != "o" || r.Request.What != what().What {
		t.Fatalf("requested as %+v", r)
	}
	given(t, ordered("o", run.Search, time.Hour), run.Requested{Run: "r", Work: run.Search, Trigger: run.Hand}).
		When(confirm(domaintest.Bob)).ThenError(run.ErrExists)
}

func TestOrderRule7_ClosedOnce(t *testing.T) {
	t.Parallel()
	given(t).When(confirm(domaintest.Ann)).ThenError(run.ErrOrderUnknown)
	declined := []domain.Event{
		ordered("o", run.Search, time.Hour), domaintest.By(domaintest.Bob, run.OrderDeclined{Order: "o", Reason: "too dear"}),
	}
	after := given(t, declined[0]).When(decline(domaintest.Bob)).Then(declined[1])
	if o := after.Orders["o"]; o.State != run.StateDeclined || o.Reason != "too dear" {
		t.Fatalf("declined as %+v", o)
	}
	for _, decide := range []func(state) (decisions, error){confirm(domaintest.Ann), decline(domaintest.Ann)} {
		refusal := given(t, declined...).When(decide).ThenError(run.ErrOrderClosed)
		if d := refusal.Details; d["state"] != run.StateDeclined || d["by"] != domaintest.Bob || d["at"] != "2026-03-02T09:00:00Z" {
			t.Fatalf("details %v do not say how it was closed", d)
		}
	}
	given(t, declined...).When(expire).ThenNothing()
}

func TestOrderRule8_AgeCloses(t *testing.T) {
	t.Parallel()
	old := ordered("o", run.Search, domain.ProposalLifetime)
	for _, decide := range []func(state) (decisions, error){confirm(domaintest.Ann), decline(domaintest.Ann)} {
		refusal := given(t, old).When(decide).ThenError(run.ErrOrderClosed)
		if d := refusal.Details; d["state"] != run.StateExpired || d["cause"] != run.ExpiredByAge || d["by"] != domain.Actor("") {
			t.Fatalf("details %v do not say that age closed it", d)
		}
	}
	after := given(t, old).When(expire).Then(run.OrderExpired{Order: "o", Cause: "age"})
	if o := after.Orders["o"]; o.State != run.StateExpired || o.Cause != "age" {
		t.Fatalf("expired as %+v", o)
	}
	given(t, ordered("o", run.Search, domain.ProposalLifetime-time.Nanosecond)).When(expire).ThenNothing()
	given(t).When(expire).ThenError(run.ErrOrderUnknown)
}
