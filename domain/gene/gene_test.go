package gene_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/gene"
)

type (
	state     = gene.State
	decisions = []domain.Decision
)

func given(t *testing.T, events ...domain.Event) *domaintest.Scenario[state] {
	t.Helper()
	return domaintest.Given(t, gene.Evolve, events...)
}

func ptr[T any](v T) *T { return &v }

// first is version 1, written by Ann.
func first() domain.Event {
	return gene.Minted{Version: 1, Search: "竖屏\n爆破镜头", Steer: "前三秒有爆点", Origin: gene.OriginCreated}
}

// second is version 2, Bob's edit of the search document.
func second() domain.Event {
	return domaintest.By(domaintest.Bob, gene.Minted{
		Version: 2, BaseVersion: 1, Search: "竖屏\n慢镜头", Steer: "前三秒有爆点", Origin: gene.OriginEdit, Summary: "慢",
	})
}

func edit(base int, e gene.Edit, by domain.Actor) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.Edit(base, e, "", nil, by) }
}

func rollback(base, to int, by domain.Actor) func(state) (decisions, error) {
	return func(s state) (decisions, error) { return s.Rollback(base, to, nil, by) }
}

func TestRule1_VersionsCountFromOne(t *testing.T) {
	t.Parallel()
	create := func(s state) (decisions, error) {
		return s.Create("竖屏  \r\n爆破镜头\n\n", "\n前三秒有爆点", domain.Constraints{})
	}
	after := given(t).When(create).Then(first())
	if after.Version != 1 || after.Search != "竖屏\n爆破镜头" || len(after.Versions) != 1 {
		t.Fatalf("created as %+v", after)
	}
	given(t, first()).When(create).ThenError(gene.ErrExists)
	given(t).When(edit(0, gene.Edit{Search: ptr("x")}, domaintest.Ann)).ThenError(gene.ErrNoGene)
	given(t).When(rollback(0, 1, domaintest.Ann)).ThenError(gene.ErrNoGene)
}

func TestRule2_OnTheCurrentVersionOnly(t *testing.T) {
	t.Parallel()
	after := given(t, first()).When(func(s state) (decisions, error) {
		return s.Edit(1, gene.Edit{Search: ptr("竖屏\n慢镜头")}, "慢", nil, domaintest.Bob)
	}).Then(second())
	if after.Version != 2 || after.Search != "竖屏\n慢镜头" || after.Steer != "前三秒有爆点" {
		t.Fatalf("edited to %+v", after)
	}
	for _, base := range []int{0, 1, 3} {
		refusal := given(t, first(), second()).When(edit(base, gene.Edit{Search: ptr("x")}, domaintest.Ann)).ThenError(gene.ErrBaseMoved)
		if refusal.Details["version"] != 2 {
			t.Fatalf("details %v do not name the current version", refusal.Details)
		}
		given(t, first(), second()).When(rollback(base, 1, domaintest.Ann)).ThenError(gene.ErrBaseMoved)
	}
}

func TestRule3_OnlyAPersonEditsOrRollsBack(t *testing.T) {
	t.Parallel()
	for _, by := range []domain.Actor{domaintest.Butler, domaintest.System, domain.Worker("w"), "user:", ""} {
		given(t, first(), second()).When(edit(2, gene.Edit{Search: ptr("x")}, by)).ThenError(domain.ErrPersonOnly)
		given(t, first(), second()).When(rollback(2, 1, by)).ThenError(domain.ErrPersonOnly)
	}
}

func TestRule4_NothingChangedIsRefused(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]gene.Edit{
		"nothing":     {},
		"same":        {Search: ptr("竖屏\n爆破镜头"), Steer: ptr("前三秒有爆点"), Constraints: &domain.Constraints{}},
		"only spaces": {Search: ptr("\n竖屏 \n爆破镜头\r\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given(t, first()).When(edit(1, e, domaintest.Ann)).ThenError(gene.ErrNothingChanged)
		})
	}
	given(t, first()).When(rollback(1, 1, domaintest.Ann)).ThenError(gene.ErrNothingChanged)
	given(t, first()).When(edit(1, gene.Edit{Constraints: &domain.Constraints{MaxFilmSeconds: 15}}, domaintest.Ann)).Then(gene.Minted{
		Version: 2, BaseVersion: 1, Search: "竖屏\n爆破镜头", Steer: "前三秒有爆点",
		Constraints: domain.Constraints{MaxFilmSeconds: 15}, Origin: gene.OriginEdit,
	})
}

func TestRule5_RollbackMintsAnOlderVersionAgain(t *testing.T) {
	t.Parallel()
	back := domaintest.By(domaintest.Bob, gene.Minted{
		Version: 3, BaseVersion: 2, Search: "竖屏\n爆破镜头", Steer: "前三秒有爆点", Origin: gene.OriginRollback, RolledBackTo: 1,
	})
	after := given(t, first(), second()).When(rollback(2, 1, domaintest.Bob)).Then(back)
	want := []gene.Line{
		{Text: "竖屏", Author: domaintest.Ann, Own: "竖屏"},
		{Text: "爆破镜头", Author: domaintest.Ann, Own: "爆破镜头"},
	}
	if diff := cmp.Diff(want, after.Lines(domain.Search)); diff != "" {
		t.Fatalf("authors after the rollback (-want +got):\n%s", diff)
	}
	for _, to := range []int{-1, 0, 3} {
		given(t, first(), second()).When(rollback(2, to, domaintest.Ann)).ThenError(gene.ErrNoVersion)
	}
}

func TestRule6_MintingExpiresPendingCards(t *testing.T) {
	t.Parallel()
	rejected := domaintest.By(domaintest.Bob, gene.Rejected{Card: "c0"})
	history := []domain.Event{first(), card("c0", 1), card("z", 1), rejected, card("a", 1)}
	moved := func(id domain.ID) domain.Event { return gene.Expired{Card: id, Cause: gene.CauseBaseMoved, MovedTo: 2} }
	after := given(t, history...).When(edit(1, gene.Edit{Steer: ptr("新")}, domaintest.Ann)).Then(
		gene.Minted{Version: 2, BaseVersion: 1, Search: "竖屏\n爆破镜头", Steer: "新", Origin: gene.OriginEdit},
		moved("z"), moved("a"),
	)
	if c := after.Cards["z"]; c.State != gene.StateExpired || c.Cause != gene.CauseBaseMoved || c.Version != 2 {
		t.Fatalf("expired as %+v", c)
	}
	given(t, append(history, second(), moved("z"), moved("a"), card("b", 2))...).When(rollback(2, 1, domaintest.Ann)).Then(
		gene.Minted{Version: 3, BaseVersion: 2, Search: "竖屏\n爆破镜头", Steer: "前三秒有爆点", Origin: gene.OriginRollback, RolledBackTo: 1},
		gene.Expired{Card: "b", Cause: gene.CauseBaseMoved, MovedTo: 3},
	)
}

func TestRule7_DocumentLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"20,000 characters": {strings.Repeat("镜", domain.MaxDocRunes), nil},
		"20,001 characters": {strings.Repeat("镜", domain.MaxDocRunes+1), domain.ErrTooLong},
		"1,000 lines":       {strings.TrimSuffix(strings.Repeat("镜\n", 1000), "\n"), nil},
		"1,001 lines":       {strings.Repeat("镜\n", 1001), gene.ErrLines},
		"not UTF-8":         {"a\xff", domain.ErrText},
		"NUL":               {"a\x00", domain.ErrText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edited := given(t, first()).When(edit(1, gene.Edit{Steer: &c.text}, domaintest.Ann))
			created := given(t).When(func(s state) (decisions, error) { return s.Create("", c.text, domain.Constraints{}) })
			if c.want == nil {
				edited.Then(gene.Minted{Version: 2, BaseVersion: 1, Search: "竖屏\n爆破镜头", Steer: c.text, Origin: gene.OriginEdit})
				created.Then(gene.Minted{Version: 1, Steer: c.text, Origin: gene.OriginCreated})
			} else {
				edited.ThenError(c.want)
				created.ThenError(c.want)
			}
		})
	}
}

func TestRule8_TheScoreIsOfTheVersionBefore(t *testing.T) {
	t.Parallel()
	with := func(score *gene.Score) func(state) (decisions, error) {
		return func(s state) (decisions, error) {
			return s.Edit(1, gene.Edit{Steer: ptr("新")}, "", score, domaintest.Ann)
		}
	}
	score := &gene.Score{Version: 1, AsOf: 40, Found: 12}
	given(t, first()).When(with(score)).Then(gene.Minted{
		Version: 2, BaseVersion: 1, Search: "竖屏\n爆破镜头", Steer: "新", Origin: gene.OriginEdit, Previous: score,
	})
	given(t, first()).When(with(&gene.Score{Version: 2})).ThenError(gene.ErrScore)
}

func TestRule9_Constraints(t *testing.T) {
	t.Parallel()
	for _, good := range []domain.Constraints{
		{MaxFilmSeconds: 1}, {MaxFilmSeconds: 600}, {Aspect: "9:16"}, {Aspect: "4:5"}, {Aspect: "1:1"}, {Aspect: "16:9"},
	} {
		given(t, first()).When(edit(1, gene.Edit{Constraints: &good}, domaintest.Ann)).Then(gene.Minted{
			Version: 2, BaseVersion: 1, Search: "竖屏\n爆破镜头", Steer: "前三秒有爆点", Constraints: good, Origin: gene.OriginEdit,
		})
	}
	for _, bad := range []domain.Constraints{{MaxFilmSeconds: -1}, {MaxFilmSeconds: 601}, {Aspect: "3:2"}} {
		given(t, first()).When(edit(1, gene.Edit{Constraints: &bad}, domaintest.Ann)).ThenError(gene.ErrConstraints)
	}
}

func TestEvolveRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]domain.Event{
		"version skipped":     {gene.Minted{Version: 2, Origin: gene.OriginEdit}},
		"version twice":       {first(), first()},
		"unknown card":        {first(), gene.Minted{Version: 2, Origin: gene.OriginCard, Card: "c"}},
		"rollback to nothing": {first(), gene.Minted{Version: 2, Origin: gene.OriginRollback, RolledBackTo: 2}},
		"card closed twice":   {gene.Proposed{Card: "c"}, gene.Rejected{Card: "c"}, gene.Applied{Card: "c"}},
		"card proposed twice": {gene.Proposed{Card: "c"}, gene.Proposed{Card: "c"}},
		"rejects nothing":     {gene.Rejected{Card: "c"}},
		"foreign":             {nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s state
			var err error
			for _, e := range events {
				s, err = gene.Evolve(s, domain.Recorded{Event: e})
			}
			if err == nil || domain.CodeOf(err) != domain.Internal {
				t.Fatalf("got %v, want an internal error", err)
			}
		})
	}
}
