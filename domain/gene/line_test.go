package gene_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/gene"
)

// history writes one version of the search document after the other.
type history struct {
	t      *testing.T
	events []domain.Event
	text   string
}

func written(t *testing.T, text string) *history {
	t.Helper()
	return &history{t: t, text: text, events: []domain.Event{gene.Minted{Version: 1, Search: text, Origin: gene.OriginCreated}}}
}

func (h *history) version() int { return domaintest.Fold(h.t, gene.Evolve, h.events...).Version }

// edited is a person's direct edit.
func (h *history) edited(by domain.Actor, text string) *history {
	v := h.version()
	h.text = text
	h.events = append(h.events, domaintest.By(by, gene.Minted{Version: v + 1, BaseVersion: v, Search: text, Origin: gene.OriginEdit}))
	return h
}

// carded is a proposer's card, applied by Bob with the text that he made of it.
func (h *history) carded(proposer domain.Actor, proposed, applied string) *history {
	v := h.version()
	id := domain.ID(fmt.Sprint("c", v))
	h.text = applied
	h.events = append(h.events,
		domaintest.By(proposer, gene.Proposed{Card: id, BaseVersion: v, Search: &proposed}),
		domaintest.By(domaintest.Bob, gene.Applied{Card: id, Version: v + 1}),
		domaintest.By(domaintest.Bob, gene.Minted{Version: v + 1, BaseVersion: v, Search: applied, Origin: gene.OriginCard, Card: id}),
	)
	return h
}

func (h *history) rolledBack(to int, text string) *history {
	v := h.version()
	h.events = append(h.events, domaintest.By(domaintest.Bob, gene.Minted{
		Version: v + 1, BaseVersion: v, Search: text, Origin: gene.OriginRollback, RolledBackTo: to,
	}))
	return h
}

func (h *history) wantLines(want ...gene.Line) {
	h.t.Helper()
	got := domaintest.Fold(h.t, gene.Evolve, h.events...).Lines(domain.Search)
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Fatalf("authors (-want +got):\n%s", diff)
	}
}

func ann(text string) gene.Line { return gene.Line{Text: text, Author: domaintest.Ann, Own: text} }
func bob(text string) gene.Line { return gene.Line{Text: text, Author: domaintest.Bob, Own: text} }
func butler(text string) gene.Line {
	return gene.Line{Text: text, Author: domaintest.Butler}
}

func extended(own, text string) gene.Line {
	return gene.Line{Text: text, Author: domaintest.Ann, Own: own}
}

func TestLinesBelongToWhoWroteThem(t *testing.T) {
	t.Parallel()
	written(t, "竖屏\n\n爆破").wantLines(ann("竖屏"), ann("爆破"))
	written(t, "竖屏\n爆破").edited(domaintest.Bob, "爆破  \n慢镜头\n竖屏").wantLines(ann("爆破"), bob("慢镜头"), ann("竖屏"))
	written(t, "竖屏").edited(domaintest.Bob, "竖屏 9:16").wantLines(bob("竖屏 9:16"))
}

func TestAButlersLineStaysTheButlersAfterItIsApplied(t *testing.T) {
	t.Parallel()
	h := written(t, "竖屏").carded(domaintest.Butler, "竖屏\n火光", "竖屏\n火光")
	h.wantLines(ann("竖屏"), butler("火光"))
	h.edited(domaintest.Ann, "竖屏\n火光\n近景").wantLines(ann("竖屏"), butler("火光"), ann("近景"))
}

func TestWhatAButlerAddsLeavesThePersonsLine(t *testing.T) {
	t.Parallel()
	h := written(t, "竖屏\n爆破镜头")
	h.carded(domaintest.Butler, "竖屏\n多用爆破近景镜头", "竖屏\n多用爆破近景镜头").
		wantLines(ann("竖屏"), extended("爆破镜头", "多用爆破近景镜头"))
	h.carded(domaintest.Butler, "多用爆破镜头，三秒内\n竖屏", "多用爆破镜头，三秒内\n竖屏").
		wantLines(extended("爆破镜头", "多用爆破镜头，三秒内"), ann("竖屏"))
}

func TestAChangedLineIsPreferredToAButlersOldOne(t *testing.T) {
	t.Parallel()
	written(t, "红色").
		carded(domaintest.Butler, "多用红色和蓝色\n红色", "多用红色和蓝色\n红色").
		carded(domaintest.Butler, "多用红色和蓝色\n红色为主", "多用红色和蓝色\n红色为主").
		wantLines(butler("多用红色和蓝色"), extended("红色", "红色为主"))
}

func TestWhatAPersonChangesOnTheWayIsThePersons(t *testing.T) {
	t.Parallel()
	written(t, "竖屏\n爆破").
		carded(domaintest.Butler, "竖屏 9:16\n爆破\n火光\n近景", "竖屏 9:16\n爆破\n火光特写\n近景\n慢").
		wantLines(extended("竖屏", "竖屏 9:16"), ann("爆破"), bob("火光特写"), butler("近景"), bob("慢"))
	// Putting a person's line back as it was leaves it that person's.
	written(t, "竖屏\n爆破").
		carded(domaintest.Butler, "竖屏 9:16\n爆破\n火光", "竖屏\n爆破\n火光").
		wantLines(ann("竖屏"), ann("爆破"), butler("火光"))
}

func TestAPersonsCardIsThePersons(t *testing.T) {
	t.Parallel()
	written(t, "竖屏\n爆破").carded(domaintest.Ann, "竖屏 9:16\n近景", "竖屏 9:16\n近景").wantLines(ann("竖屏 9:16"), ann("近景"))
}

func TestAPersonWhoChangesAButlersLineOwnsIt(t *testing.T) {
	t.Parallel()
	written(t, "竖屏").
		carded(domaintest.Butler, "竖屏\n火光", "竖屏\n火光").
		edited(domaintest.Bob, "竖屏\n火光特写").
		wantLines(ann("竖屏"), bob("火光特写"))
}

func TestRollbackRestoresAuthors(t *testing.T) {
	t.Parallel()
	h := written(t, "竖屏").
		carded(domaintest.Butler, "竖屏 9:16\n火光", "竖屏 9:16\n火光").
		edited(domaintest.Bob, "全新")
	h.rolledBack(2, "竖屏 9:16\n火光").wantLines(extended("竖屏", "竖屏 9:16"), butler("火光"))
	s := domaintest.Fold(t, gene.Evolve, h.events...)
	if diff := cmp.Diff([]gene.Line{bob("全新")}, s.LinesAt(3, domain.Search)); diff != "" {
		t.Fatalf("authors of version 3 (-want +got):\n%s", diff)
	}
	if s.LinesAt(0, domain.Search) != nil || s.LinesAt(5, domain.Search) != nil {
		t.Fatal("versions that are not there have lines")
	}
}

func TestOfEqualLinesPeoplesRemainFirst(t *testing.T) {
	t.Parallel()
	h := written(t, "竖屏").
		carded(domaintest.Butler, "火光\n竖屏", "火光\n竖屏").
		edited(domaintest.Bob, "火光\n竖屏\n火光")
	h.wantLines(butler("火光"), ann("竖屏"), bob("火光"))
	h.edited(domaintest.Ann, "火光\n竖屏").wantLines(bob("火光"), ann("竖屏"))
}

func TestAnUnappliedDocumentKeepsItsAuthors(t *testing.T) {
	t.Parallel()
	search, steer := "红\n红 大", "前三秒有爆点\n结尾留白"
	h := written(t, "红").carded(domaintest.Butler, search, search)
	h.wantLines(ann("红"), butler("红 大"))
	// The card would make Ann's line of the butler's, but only its other half is applied.
	h.events = append(h.events,
		domaintest.By(domaintest.Butler, gene.Proposed{Card: "c", BaseVersion: 2, Search: ptr("红 大"), Steer: &steer}),
		gene.Applied{Card: "c", Version: 3, Documents: []string{"steer"}},
		gene.Minted{Version: 3, BaseVersion: 2, Search: search, Steer: steer, Origin: gene.OriginCard, Card: "c"},
	)
	h.wantLines(ann("红"), butler("红 大"))
	s := domaintest.Fold(t, gene.Evolve, h.events...)
	if diff := cmp.Diff([]gene.Line{butler("前三秒有爆点"), butler("结尾留白")}, s.Lines(domain.Steer)); diff != "" {
		t.Fatalf("steer (-want +got):\n%s", diff)
	}
}
