package domain_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"sozai/domain"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	id, err := domain.ParseID("01hzy3v8q5w0c6k2m4n8r9t7xa")
	if err != nil || id != "01HZY3V8Q5W0C6K2M4N8R9T7XA" {
		t.Fatalf("got %q, %v", id, err)
	}
	for _, bad := range []string{"", "01HZY3V8Q5W0C6K2M4N8R9T7X", "81HZY3V8Q5W0C6K2M4N8R9T7XA", "01HZY3V8Q5W0C6K2M4N8R9T7XI", "'; DROP TABLE events; --xx"} {
		if _, err := domain.ParseID(bad); domain.CodeOf(err) != domain.Invalid {
			t.Fatalf("%q: got %v, want invalid", bad, err)
		}
	}
}

func TestIDTime(t *testing.T) {
	t.Parallel()
	// 01ARZ3NDEKTSV4RRFFQ69G5FAV is the example of the ULID specification.
	if got, want := domain.ID("01ARZ3NDEKTSV4RRFFQ69G5FAV").Time(), time.UnixMilli(1469922850259).UTC(); !got.Equal(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for _, none := range []domain.ID{"", "ann", "UUUUUUUUUUUUUUUUUUUUUUUUUU"} {
		if got := none.Time(); !got.IsZero() {
			t.Fatalf("%q has the time %v", none, got)
		}
	}
}

func TestStamp(t *testing.T) {
	t.Parallel()
	east := time.Date(2026, 3, 2, 17, 0, 0, 5, time.FixedZone("", 8*60*60))
	if got := domain.Stamp(east); got != "2026-03-02T09:00:00Z" {
		t.Fatalf("got %q", got)
	}
	if got := domain.Stamp(time.Time{}); got != "" {
		t.Fatalf("no time is shown as %q", got)
	}
}

func TestActors(t *testing.T) {
	t.Parallel()
	for actor, person := range map[domain.Actor]bool{
		domain.User("a"): true, domain.User(""): false, "user": false, "": false,
		domain.Butler("t"): false, domain.Worker("w:1"): false, domain.System("timer"): false,
	} {
		if actor.IsPerson() != person {
			t.Fatalf("%q: person is %v", actor, actor.IsPerson())
		}
		if err := domain.CheckPerson(actor); (err == nil) != person {
			t.Fatalf("%q: %v", actor, err)
		}
	}
	if a := domain.Worker("w:1"); a.Role() != "worker" || a.ID() != "w:1" || a.IsButler() || a.String() != "worker:w:1" {
		t.Fatalf("worker is %q %q", a.Role(), a.ID())
	}
	if !domain.Butler("t").IsButler() {
		t.Fatal("a butler is none")
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	u := domain.Usage{Known: true, Input: 100, CacheWrite: 40, CacheRead: 1000, Output: 10}
	if got := u.Billed(); got != 100+50+100+10 {
		t.Fatalf("billed %g", got)
	}
	sum := u.Add(domain.Usage{Known: true, Input: 1, CacheWrite: 2, CacheRead: 3, Output: 4})
	if want := (domain.Usage{Known: true, Input: 101, CacheWrite: 42, CacheRead: 1003, Output: 14}); sum != want {
		t.Fatalf("sum %+v", sum)
	}
	if u.Add(domain.Usage{}).Known {
		t.Fatal("a sum with an unknown part is known")
	}
	if got := domain.Money(1_500_000).Yuan(); got != 1.5 {
		t.Fatalf("¥%g", got)
	}
}

func TestErrorsAreToldByCodeAndReason(t *testing.T) {
	t.Parallel()
	moved := domain.Rule(domain.Conflict, "base_moved", "moved")
	e := moved.With(map[string]any{"version": 3}, "at %d", 3)
	wrapped := fmt.Errorf("apply card: %w", e)
	switch {
	case !errors.Is(wrapped, moved):
		t.Fatal("a copy is not its rule")
	case errors.Is(wrapped, domain.Rule(domain.Conflict, "card_closed", "")):
		t.Fatal("it is another rule too")
	case errors.Is(domain.Errorf(domain.Conflict, "x"), domain.Errorf(domain.Conflict, "x")):
		t.Fatal("errors without a reason are the same")
	case domain.CodeOf(wrapped) != domain.Conflict, domain.CodeOf(errors.New("x")) != domain.Internal:
		t.Fatal("codes are lost")
	case e.Error() != "at 3" || moved.Details != nil || moved.Error() != "moved":
		t.Fatalf("got %q, and the rule became %+v", e, moved)
	}
}

func TestKindsAreTen(t *testing.T) {
	t.Parallel()
	seen := map[domain.Kind]bool{}
	for _, kind := range domain.Kinds() {
		seen[kind] = true
	}
	if len(seen) != 10 {
		t.Fatalf("%d kinds, want ten", len(seen))
	}
}

func TestCheckText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want error
	}{
		{"", nil}, {"五个字符呢", nil}, {"六个字符了呢", domain.ErrTooLong}, {"a\x00", domain.ErrText}, {"\xff", domain.ErrText},
	} {
		if err := domain.CheckText("note", c.text, 5); !errors.Is(err, c.want) {
			t.Fatalf("%q: got %v, want %v", c.text, err, c.want)
		}
	}
	if err := domain.CheckRequired("note", " \n", 5); !errors.Is(err, domain.ErrMissing) {
		t.Fatalf("blank: got %v", err)
	}
	for text, want := range map[string]string{"一二三": "一二三", "一二三四": "一二…", "a\x00\xff": "a\uFFFD"} {
		if got := domain.Clip(text, 3); got != want {
			t.Fatalf("clipped %q to %q, want %q", text, got, want)
		}
	}
}

func TestRefCheck(t *testing.T) {
	t.Parallel()
	for _, good := range []domain.Ref{
		{Type: domain.Whole}, {Type: domain.Material, ID: "m"}, {Type: domain.Board, ID: "b", Panel: 2},
		{Type: domain.Film, ID: "f", From: 0, To: 2}, {Type: domain.Version, ID: "3"}, {Type: domain.RunObj, ID: "r"},
	} {
		if err := good.Check(); err != nil {
			t.Fatalf("%+v: %v", good, err)
		}
	}
	for _, bad := range []domain.Ref{
		{}, {Type: "moon", ID: "m"}, {Type: domain.Material}, {Type: domain.Whole, ID: "w"},
		{Type: domain.Material, ID: "m", Panel: 1}, {Type: domain.Board, ID: "b", Panel: -1},
		{Type: domain.Board, ID: "b", From: 1, To: 2}, {Type: domain.Film, ID: "f", From: 3, To: 2},
		{Type: domain.Film, ID: "f", From: -1, To: 2}, {Type: domain.Film, ID: "f", To: math.NaN()},
		{Type: domain.Film, ID: domain.ID(strings.Repeat("x", domain.MaxNameRunes+1))},
	} {
		err := bad.Check()
		if domain.CodeOf(err) != domain.Invalid {
			t.Fatalf("%+v: got %v, want invalid", bad, err)
		}
	}
	refs := []domain.Ref{{Type: domain.Whole}, {Type: domain.Whole}}
	if err := domain.CheckRefs(refs, 1); !errors.Is(err, domain.ErrRef) {
		t.Fatalf("too many: %v", err)
	}
	if err := domain.CheckRefs(refs, 2); err != nil {
		t.Fatalf("just enough: %v", err)
	}
}
