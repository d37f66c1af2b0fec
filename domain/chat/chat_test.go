package chat_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/domaintest"
)

func fold(t *testing.T, events ...domain.Event) chat.State {
	t.Helper()
	return domaintest.Fold(t, chat.Evolve, events...)
}

func said(id domain.ID) domain.Event { return chat.Said{Message: id, Text: "text of " + string(id)} }

func waiting(s chat.State, settled domain.ID) []domain.ID {
	var ids []domain.ID
	for _, m := range s.After(settled) {
		ids = append(ids, m.ID)
	}
	return ids
}

func wantError(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestRule1_OnlyPeopleSaySomething(t *testing.T) {
	t.Parallel()
	s := fold(t)
	got, err := s.Say(chat.Said{Message: "m", Text: "  爆炸感不够\n"}, domaintest.Ann)
	if err != nil || got.Text != "爆炸感不够" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := s.Say(chat.Said{Message: "m", Refs: []domain.Ref{{Type: domain.Film, ID: "f"}}}, domaintest.Ann); err != nil {
		t.Fatalf("a message of references only: %v", err)
	}
	for _, by := range []domain.Actor{domaintest.Butler, domaintest.System, "user:", ""} {
		_, err := s.Say(chat.Said{Message: "m", Text: "x"}, by)
		wantError(t, err, domain.ErrPersonOnly)
	}
	_, err = s.Say(chat.Said{Message: "m", Text: " \n"}, domaintest.Ann)
	wantError(t, err, domain.ErrMissing)
	_, err = s.Say(chat.Said{Text: "x"}, domaintest.Ann)
	wantError(t, err, domain.ErrMissing)
}

func TestRule2_MessageLimits(t *testing.T) {
	t.Parallel()
	s := fold(t)
	refs := make([]domain.Ref, chat.MaxRefs+1)
	for i := range refs {
		refs[i] = domain.Ref{Type: domain.Material, ID: "x"}
	}
	at := chat.Said{Message: "m", Text: strings.Repeat("好", domain.MaxMessageRunes), Refs: refs[:chat.MaxRefs]}
	if _, err := s.Say(at, domaintest.Ann); err != nil {
		t.Fatalf("at the limits: %v", err)
	}
	_, err := s.Say(chat.Said{Message: "m", Text: at.Text + "好"}, domaintest.Ann)
	wantError(t, err, domain.ErrTooLong)
	_, err = s.Say(chat.Said{Message: "m", Refs: refs}, domaintest.Ann)
	wantError(t, err, domain.ErrRef)
	_, err = s.Say(chat.Said{Message: "m", Text: "a\x00b"}, domaintest.Ann)
	wantError(t, err, domain.ErrText)
	_, err = s.Say(chat.Said{Message: "m", Text: "x", Refs: []domain.Ref{{Type: "card deck", ID: "x"}}}, domaintest.Ann)
	wantError(t, err, domain.ErrRef)
}

func TestRule3_LogOrderCounts(t *testing.T) {
	t.Parallel()
	s := fold(t,
		domaintest.At(domaintest.Now().Add(time.Hour), said("z")),
		domaintest.At(domaintest.Now(), said("a")),
		domaintest.By(domaintest.Bob, said("m")))
	if diff := cmp.Diff([]domain.ID{"z", "a", "m"}, waiting(s, "")); diff != "" {
		t.Fatalf("unanswered (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]domain.ID{"m"}, waiting(s, "a")); diff != "" {
		t.Fatalf("after a (-want +got):\n%s", diff)
	}
	if got := waiting(s, "m"); got != nil {
		t.Fatalf("after the last: %v", got)
	}
	if diff := cmp.Diff([]domain.ID{"z", "a", "m"}, waiting(s, "unknown")); diff != "" {
		t.Fatalf("after an unknown message, nothing may be dropped (-want +got):\n%s", diff)
	}
	last := s.After("a")[0]
	want := chat.Message{ID: "m", Seq: 3, At: domaintest.Now(), Actor: domaintest.Bob, Text: "text of m"}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Fatalf("message (-want +got):\n%s", diff)
	}
}

func TestRule4_OnlyOwnMessagesAreTakenBackOnce(t *testing.T) {
	t.Parallel()
	s := fold(t, said("a"), said("b"), chat.TakenBack{Message: "a"})
	if got, err := s.TakeBack("b", domaintest.Ann, "", nil); err != nil || got.Message != "b" {
		t.Fatalf("got %+v, %v", got, err)
	}
	_, err := s.TakeBack("b", domaintest.Bob, "", nil)
	wantError(t, err, chat.ErrNotOwn)
	_, err = s.TakeBack("a", domaintest.Ann, "", nil)
	wantError(t, err, chat.ErrTakenBack)
	_, err = s.TakeBack("c", domaintest.Ann, "", nil)
	wantError(t, err, chat.ErrUnknown)
}

func TestRule5_CoveredMessagesStay(t *testing.T) {
	t.Parallel()
	s := fold(t, said("a"), said("b"), said("c"), said("d"))
	for _, covered := range []domain.ID{"a", "b"} {
		_, err := s.TakeBack(covered, domaintest.Ann, "b", nil)
		wantError(t, err, chat.ErrCovered)
	}
	_, err := s.TakeBack("c", domaintest.Ann, "b", []domain.ID{"c"})
	wantError(t, err, chat.ErrCovered)
	if _, err := s.TakeBack("d", domaintest.Ann, "b", []domain.ID{"c"}); err != nil {
		t.Fatalf("an uncovered message: %v", err)
	}
}

func TestRule6_TakenBackIsNotAnswered(t *testing.T) {
	t.Parallel()
	s := fold(t, said("a"), said("b"), chat.TakenBack{Message: "a"})
	if diff := cmp.Diff([]domain.ID{"b"}, waiting(s, "")); diff != "" {
		t.Fatalf("unanswered (-want +got):\n%s", diff)
	}
	if !s.Messages[0].TakenBack {
		t.Fatal("the message does not say that it was taken back")
	}
	s = fold(t, said("a"), domaintest.By(domaintest.Bob, chat.TakenBack{Message: "a"}), chat.TakenBack{Message: "?"})
	if diff := cmp.Diff([]domain.ID{"a"}, waiting(s, "")); diff != "" {
		t.Fatalf("another's withdrawal counted (-want +got):\n%s", diff)
	}
}

func TestRule7_AnIDStandsForOneMessage(t *testing.T) {
	t.Parallel()
	s := fold(t, said("a"), said("a"))
	if n := len(s.Messages); n != 1 {
		t.Fatalf("a repeated message counts %d times", n)
	}
	if _, err := s.Say(chat.Said{Message: "a", Text: "text of a"}, domaintest.Ann); err != nil {
		t.Fatalf("saying the same again: %v", err)
	}
	_, err := s.Say(chat.Said{Message: "a", Text: "other"}, domaintest.Ann)
	wantError(t, err, chat.ErrExists)
	_, err = s.Say(chat.Said{Message: "a", Text: "text of a"}, domaintest.Bob)
	wantError(t, err, chat.ErrExists)
}

func TestEvolveRefusesForeignEvents(t *testing.T) {
	t.Parallel()
	if _, err := chat.Evolve(chat.State{}, domain.Recorded{}); domain.CodeOf(err) != domain.Internal || err == nil {
		t.Fatalf("got %v, want an internal error", err)
	}
}
