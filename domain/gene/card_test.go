package gene_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/gene"
)

// proposal is a butler's card on a version: one line more in each document, and
// feedback cited for both.
func proposal(id domain.ID, base int) gene.Proposed {
	return gene.Proposed{
		Card: id, BaseVersion: base,
		Search: ptr("竖屏\n爆破镜头\n火光近景"), Steer: ptr("前三秒有爆点\n结尾留白"),
		Constraints: &domain.Constraints{MaxFilmSeconds: 15},
		Summary:     "加火光近景", Reason: "三条反馈说爆炸感不够",
		Evidence: []domain.Ref{{Type: domain.Material, ID: "m1"}},
		Feedback: []gene.Citation{
			{Feedback: "f1", Document: domain.Search}, {Feedback: "f2", Document: domain.Steer},
			{Feedback: "f3", Document: domain.Search}, {Feedback: "f3", Document: domain.Steer},
		},
		Turn: "t", Expires: domaintest.Now().Add(domain.ProposalLifetime),
	}
}

// card is the proposal as it stands in the log.
func card(id domain.ID, base int) domain.Event {
	return domaintest.By(domaintest.Butler, proposal(id, base))
}

// old is a card whose age is over now.
func old() domain.Event {
	p := proposal("c", 1)
	p.Expires = domaintest.Now()
	return domaintest.By(domaintest.Butler, domaintest.At(domaintest.Now().Add(-domain.ProposalLifetime), p))
}

func propose(by domain.Actor, change func(*gene.Proposed)) func(state) (decisions, error) {
	p := proposal("c", 1)
	p.Expires = time.Time{}
	if change != nil {
		change(&p)
	}
	return func(s state) (decisions, error) { return s.Propose(p, by, domaintest.Now()) }
}

func apply(a gene.ApplyCard, by domain.Actor) func(state) (decisions, error) {
	a.Card = "c"
	return func(s state) (decisions, error) { return s.Apply(a, by, domaintest.Now()) }
}

func reject(by domain.Actor) func(state) (decisions, error) {
	return func(s state) (decisions, error) {
		return s.Reject("c", "太散", []string{"方向不对"}, by, domaintest.Now())
	}
}

func expire(s state) (decisions, error) { return s.Expire("c", domaintest.Now()) }

// minted is version 2 from the card c.
func minted(change func(*gene.Minted)) domain.Event {
	m := gene.Minted{
		Version: 2, BaseVersion: 1, Search: "竖屏\n爆破镜头\n火光近景", Steer: "前三秒有爆点\n结尾留白",
		Constraints: domain.Constraints{MaxFilmSeconds: 15}, Origin: gene.OriginCard, Card: "c", Summary: "加火光近景",
	}
	if change != nil {
		change(&m)
	}
	return m
}

func TestCardRule1_OnTheCurrentVersionWithSummaryAndReason(t *testing.T) {
	t.Parallel()
	given(t, first()).When(propose(domaintest.Butler, nil)).Then(card("c", 1))
	given(t).When(propose(domaintest.Butler, nil)).ThenError(gene.ErrNoGene)
	given(t, first(), card("c", 1)).When(propose(domaintest.Butler, nil)).ThenError(gene.ErrCardExists)
	refusal := given(t, first(), second()).When(propose(domaintest.Butler, nil)).ThenError(gene.ErrBaseMoved)
	if refusal.Details["version"] != 2 {
		t.Fatalf("details %v do not name the current version", refusal.Details)
	}
	for name, change := range map[string]func(*gene.Proposed){
		"no card":    func(p *gene.Proposed) { p.Card = "" },
		"no summary": func(p *gene.Proposed) { p.Summary = " " },
		"no reason":  func(p *gene.Proposed) { p.Reason = "" },
		"no id":      func(p *gene.Proposed) { p.Feedback[0].Feedback = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given(t, first()).When(propose(domaintest.Butler, change)).ThenError(domain.ErrMissing)
		})
	}
	given(t, first()).When(propose(domaintest.Butler, func(p *gene.Proposed) {
		p.Search = ptr(strings.Repeat("镜", domain.MaxDocRunes+1))
	})).ThenError(domain.ErrTooLong)
	given(t, first()).When(propose(domaintest.Butler, func(p *gene.Proposed) {
		p.Evidence = []domain.Ref{{Type: domain.Film}}
	})).ThenError(domain.ErrRef)
}

func TestCardRule2_HoldsWhatChanges(t *testing.T) {
	t.Parallel()
	given(t, first()).When(propose(domaintest.Butler, func(p *gene.Proposed) {
		p.Steer, p.Constraints, p.Feedback = ptr("前三秒有爆点 "), &domain.Constraints{}, p.Feedback[:1]
	})).Then(gene.Proposed{
		Card: "c", BaseVersion: 1, Search: ptr("竖屏\n爆破镜头\n火光近景"), Summary: "加火光近景", Reason: "三条反馈说爆炸感不够",
		Evidence: []domain.Ref{{Type: domain.Material, ID: "m1"}},
		Feedback: []gene.Citation{{Feedback: "f1", Document: domain.Search}},
		Turn:     "t", Expires: domaintest.Now().Add(domain.ProposalLifetime),
	})
	given(t, first()).When(propose(domaintest.Butler, func(p *gene.Proposed) {
		p.Search, p.Steer, p.Constraints, p.Feedback = ptr("竖屏\n爆破镜头"), nil, nil, nil
	})).ThenError(gene.ErrNothingChanged)
	given(t, first()).When(propose(domaintest.Butler, func(p *gene.Proposed) {
		p.Search, p.Steer, p.Constraints, p.Feedback = nil, nil, nil, nil
	})).ThenError(gene.ErrNothingChanged)
}

func TestCardRule3_FeedbackIsCitedForWhatChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*gene.Proposed){
		"absent document": func(p *gene.Proposed) { p.Steer = nil },
		"equal document":  func(p *gene.Proposed) { p.Steer = ptr("前三秒有爆点") },
		"no document":     func(p *gene.Proposed) { p.Feedback[0].Document = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given(t, first()).When(propose(domaintest.Butler, change)).ThenError(gene.ErrDocument)
		})
	}
}

func TestCardRule4_AButlersCardKeepsWhatPeopleWrote(t *testing.T) {
	t.Parallel()
	breaks := func(p *gene.Proposed) {
		p.Search, p.Steer = ptr("竖屏\n不要爆破镜头"), ptr("结尾留白")
	}
	refusal := given(t, first()).When(propose(domaintest.Butler, breaks)).ThenError(gene.ErrPersonLines)
	want := []map[string]any{
		{"document": domain.Search, "line": "爆破镜头", "by": domaintest.Ann},
		{"document": domain.Steer, "line": "前三秒有爆点", "by": domaintest.Ann},
	}
	if diff := cmp.Diff(want, refusal.Details["lines"]); diff != "" {
		t.Fatalf("lines (-want +got):\n%s", diff)
	}
	given(t, first()).When(propose(domaintest.System, breaks)).ThenError(gene.ErrPersonLines)
	byBob := proposal("c", 1)
	breaks(&byBob)
	given(t, first()).When(propose(domaintest.Bob, breaks)).Then(domaintest.By(domaintest.Bob, byBob))
}

func TestCardRule5_ExpiresAfterSevenDays(t *testing.T) {
	t.Parallel()
	s := domaintest.Fold(t, gene.Evolve, first(), card("c", 1))
	if c := s.Cards["c"]; !c.Expires.Equal(domaintest.Now().AddDate(0, 0, 7)) || c.State != gene.StatePending || c.By != domaintest.Butler {
		t.Fatalf("proposed as %+v", c)
	}
}

func TestCardRule6_OnlyAPersonAnswers(t *testing.T) {
	t.Parallel()
	for _, by := range []domain.Actor{domaintest.Butler, domaintest.System, domain.Worker("w"), ""} {
		given(t, first(), card("c", 1)).When(apply(gene.ApplyCard{}, by)).ThenError(domain.ErrPersonOnly)
		given(t, first(), card("c", 1)).When(reject(by)).ThenError(domain.ErrPersonOnly)
	}
}

func TestCardRule7_ApplyingMints(t *testing.T) {
	t.Parallel()
	history := []domain.Event{first(), card("b", 1), card("c", 1)}
	moved := gene.Expired{Card: "b", Cause: gene.CauseBaseMoved, MovedTo: 2}

	t.Run("the whole card", func(t *testing.T) {
		t.Parallel()
		score := &gene.Score{Version: 1, AsOf: 9}
		after := given(t, history...).When(apply(gene.ApplyCard{Previous: score}, domaintest.Ann)).Then(
			gene.Applied{Card: "c", Version: 2, Documents: []string{"search", "steer", "constraints"}, Settled: []domain.ID{"f1", "f2", "f3"}},
			minted(func(m *gene.Minted) { m.Previous = score }), moved,
		)
		c := after.Cards["c"]
		if c.State != gene.StateApplied || c.Version != 2 || c.ClosedBy != domaintest.Ann || len(c.Settled) != 3 {
			t.Fatalf("applied as %+v", c)
		}
		if after.Version != 2 || after.Cards["b"].State != gene.StateExpired {
			t.Fatalf("after applying: version %d, sibling %s", after.Version, after.Cards["b"].State)
		}
	})
	t.Run("some of its documents", func(t *testing.T) {
		t.Parallel()
		given(t, history...).When(apply(gene.ApplyCard{Documents: []string{"steer"}, Summary: "只留白"}, domaintest.Ann)).Then(
			gene.Applied{Card: "c", Version: 2, Documents: []string{"steer"}, Settled: []domain.ID{"f2", "f3"}},
			minted(func(m *gene.Minted) {
				m.Search, m.Constraints, m.Summary = "竖屏\n爆破镜头", domain.Constraints{}, "只留白"
			}), moved,
		)
		given(t, history...).When(apply(gene.ApplyCard{Documents: []string{"constraints"}}, domaintest.Ann)).Then(
			gene.Applied{Card: "c", Version: 2, Documents: []string{"constraints"}},
			minted(func(m *gene.Minted) { m.Search, m.Steer = "竖屏\n爆破镜头", "前三秒有爆点" }), moved,
		)
		given(t, history...).When(apply(gene.ApplyCard{Documents: []string{"sauce"}}, domaintest.Ann)).ThenError(gene.ErrDocument)
	})
	t.Run("edited", func(t *testing.T) {
		t.Parallel()
		given(t, history...).When(apply(gene.ApplyCard{Edit: &gene.Edit{Search: ptr("竖屏\n火光近景 ")}}, domaintest.Ann)).Then(
			gene.Applied{
				Card: "c", Version: 2, Documents: []string{"search", "steer", "constraints"}, Edited: true,
				Settled: []domain.ID{"f1", "f2", "f3"},
			},
			minted(func(m *gene.Minted) { m.Search = "竖屏\n火光近景" }), moved,
		)
	})
	t.Run("an edit to what the card says is none", func(t *testing.T) {
		t.Parallel()
		same := gene.Edit{Search: ptr("竖屏\n爆破镜头\n火光近景\n"), Constraints: &domain.Constraints{MaxFilmSeconds: 15}}
		given(t, history...).When(apply(gene.ApplyCard{Edit: &same}, domaintest.Ann)).Then(
			gene.Applied{Card: "c", Version: 2, Documents: []string{"search", "steer", "constraints"}, Settled: []domain.ID{"f1", "f2", "f3"}},
			minted(nil), moved,
		)
	})
	t.Run("a base that moved", func(t *testing.T) {
		t.Parallel()
		// In the log the card expires with the version; the check stands by itself.
		given(t, first(), card("c", 1), second()).When(apply(gene.ApplyCard{}, domaintest.Ann)).ThenError(gene.ErrBaseMoved)
	})
}

func TestCardRule8_SettlesWhatWasCitedForWhatChanged(t *testing.T) {
	t.Parallel()
	back := &gene.Edit{Search: ptr("竖屏\n爆破镜头")}
	given(t, first(), card("c", 1)).When(apply(gene.ApplyCard{Edit: back}, domaintest.Ann)).Then(
		gene.Applied{
			Card: "c", Version: 2, Documents: []string{"steer", "constraints"}, Edited: true, Settled: []domain.ID{"f2", "f3"},
		},
		minted(func(m *gene.Minted) { m.Search = "竖屏\n爆破镜头" }),
	)
	given(t, first(), card("c", 1)).When(apply(gene.ApplyCard{Documents: []string{"search"}, Edit: back}, domaintest.Ann)).
		ThenError(gene.ErrNothingChanged)
	for _, closing := range []domain.Event{gene.Rejected{Card: "c"}, gene.Expired{Card: "c", Cause: gene.CauseAge}} {
		if s := domaintest.Fold(t, gene.Evolve, first(), card("c", 1), closing); len(s.Cards["c"].Settled) != 0 {
			t.Fatalf("%T settled %v", closing, s.Cards["c"].Settled)
		}
	}
}

func TestCardRule9_ClosedOnce(t *testing.T) {
	t.Parallel()
	rejected := domaintest.By(domaintest.Bob, gene.Rejected{Card: "c", Reason: "太散", Chips: []string{"方向不对"}})
	after := given(t, first(), card("c", 1)).When(reject(domaintest.Bob)).Then(rejected)
	if c := after.Cards["c"]; c.State != gene.StateRejected || c.Rejection != "太散" || len(c.Chips) != 1 || after.Version != 1 {
		t.Fatalf("rejected as %+v", c)
	}
	for _, decide := range []func(state) (decisions, error){apply(gene.ApplyCard{}, domaintest.Ann), reject(domaintest.Ann)} {
		refusal := given(t, first(), card("c", 1), rejected).When(decide).ThenError(gene.ErrCardClosed)
		want := map[string]any{
			"card": domain.ID("c"), "state": gene.StateRejected, "by": domaintest.Bob, "at": "2026-03-02T09:00:00Z",
			"version": 0, "cause": gene.Cause(""),
		}
		if diff := cmp.Diff(want, refusal.Details); diff != "" {
			t.Fatalf("details (-want +got):\n%s", diff)
		}
		if want := "the card was rejected by user:bob at 2026-03-02T09:00:00Z"; refusal.Message != want {
			t.Fatalf("message %q, want %q", refusal.Message, want)
		}
	}
	given(t, first(), card("c", 1), rejected).When(expire).ThenNothing()

	won := []domain.Event{
		first(), card("c", 1),
		domaintest.By(domaintest.Bob, gene.Applied{Card: "c", Version: 2, Documents: []string{"search"}}),
		domaintest.By(domaintest.Bob, minted(nil)),
	}
	refusal := given(t, won...).When(apply(gene.ApplyCard{}, domaintest.Ann)).ThenError(gene.ErrCardClosed)
	if d := refusal.Details; d["state"] != gene.StateApplied || d["by"] != domaintest.Bob || d["version"] != 2 {
		t.Fatalf("details %v do not say who won", d)
	}
	given(t, first()).When(apply(gene.ApplyCard{}, domaintest.Ann)).ThenError(gene.ErrUnknownCard)
	given(t, first()).When(reject(domaintest.Ann)).ThenError(gene.ErrUnknownCard)
}

func TestCardRule9_TheAnswerLandsOnTheRightCard(t *testing.T) {
	t.Parallel()
	after := given(t, first(), card("b", 1), card("c", 1)).When(reject(domaintest.Ann)).
		Then(gene.Rejected{Card: "c", Reason: "太散", Chips: []string{"方向不对"}})
	if after.Cards["b"].State != gene.StatePending {
		t.Fatalf("the other card is %s", after.Cards["b"].State)
	}
}

func TestCardRule10_AgeCloses(t *testing.T) {
	t.Parallel()
	for _, decide := range []func(state) (decisions, error){apply(gene.ApplyCard{}, domaintest.Ann), reject(domaintest.Ann)} {
		refusal := given(t, first(), old()).When(decide).ThenError(gene.ErrCardClosed)
		if d := refusal.Details; d["state"] != gene.StateExpired || d["cause"] != gene.CauseAge || d["by"] != domain.Actor("") {
			t.Fatalf("details %v do not say that age closed it", d)
		}
	}
	after := given(t, first(), old()).When(expire).Then(gene.Expired{Card: "c", Cause: gene.CauseAge})
	if c := after.Cards["c"]; c.State != gene.StateExpired || c.Cause != gene.CauseAge {
		t.Fatalf("expired as %+v", c)
	}
	given(t, first(), card("c", 1)).When(expire).ThenNothing()
	given(t, first()).When(expire).ThenError(gene.ErrUnknownCard)
}

func TestCardRule11_AnEditTouchesOnlyWhatIsApplied(t *testing.T) {
	t.Parallel()
	edit := &gene.Edit{Steer: ptr("新")}
	given(t, first(), card("c", 1)).When(apply(gene.ApplyCard{Documents: []string{"search"}, Edit: edit}, domaintest.Ann)).
		ThenError(gene.ErrDocument)
	given(t, first(), card("c", 1)).When(apply(gene.ApplyCard{Edit: &gene.Edit{Steer: ptr("\xff")}}, domaintest.Ann)).
		ThenError(domain.ErrText)
}

func TestRejectionLimits(t *testing.T) {
	t.Parallel()
	with := func(reason string, chips ...string) func(state) (decisions, error) {
		return func(s state) (decisions, error) {
			return s.Reject("c", reason, chips, domaintest.Ann, domaintest.Now())
		}
	}
	given(t, first(), card("c", 1)).When(with(strings.Repeat("x", domain.MaxFeedback+1))).ThenError(domain.ErrTooLong)
	given(t, first(), card("c", 1)).When(with("", make([]string, gene.MaxChips+1)...)).ThenError(domain.ErrTooLong)
	given(t, first(), card("c", 1)).When(with("", strings.Repeat("x", domain.MaxNameRunes+1))).ThenError(domain.ErrTooLong)
	ten := make([]string, gene.MaxChips)
	given(t, first(), card("c", 1)).When(with("", ten...)).Then(gene.Rejected{Card: "c", Chips: ten})
}
