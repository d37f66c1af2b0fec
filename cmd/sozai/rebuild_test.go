package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/projections"
	"sozai/streams"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Tables as of a sequence, a time and a gene version are made beside the serving
// ones, listed, and dropped.
func TestRebuildAsOf(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	s.decide(n, tower, domain.User("01KBADA0000000000000000001"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		search := "looks for: walls"
		return st.Gene.Edit(1, gene.Edit{Search: &search}, "walls", nil, domain.User("01KBADA0000000000000000001"))
	})
	done()
	minted := s.lines("--agent", "Tower", "--type", "gene.minted")
	if len(minted) != 2 {
		t.Fatalf("%+v", minted)
	}
	first, second := minted[0].Seq, minted[1].Seq
	s.must("rebuild") // what serves stays as it is

	out := s.must("rebuild", "timeline", "genes", "--as-of", "V1", "--agent", "Tower")
	for _, word := range []string{fmt.Sprintf("as of event %d", first), fmt.Sprintf("timeline_at_%d", first), fmt.Sprintf("genes_at_%d", first), "SELECT", "--drop"} {
		if !strings.Contains(out, word) {
			t.Errorf("does not say %q:\n%s", word, out)
		}
	}
	var made struct {
		Seq     uint64            `json:"seq"`
		Schemas map[string]string `json:"schemas"`
	}
	steps := decodeLines[map[string]any](t, s.must("rebuild", "genes", "--as-of", minted[1].Time.Format(time.RFC3339Nano), "--json"))
	last, err := json.Marshal(steps[len(steps)-1])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(last, &made); err != nil || made.Seq != second || made.Schemas["genes"] != fmt.Sprintf("genes_at_%d", second) {
		t.Fatalf("got %s", last)
	}

	n, done = s.open()
	versions := func(schema string) (count int) {
		t.Helper()
		if err := n.pool.QueryRow(t.Context(), "SELECT count(*) FROM "+schema+".versions WHERE agent = $1", string(tower.Agent)).Scan(&count); err != nil {
			t.Fatal(err)
		}
		return count
	}
	for schema, want := range map[string]int{fmt.Sprintf("genes_at_%d", first): 1, fmt.Sprintf("genes_at_%d", second): 2, "genes": 2} {
		if got := versions(schema); got != want {
			t.Errorf("%s has %d versions, want %d", schema, got, want)
		}
	}
	done()
	list := s.must("rebuild", "--list")
	for _, word := range []string{"nothing is being built", fmt.Sprintf("timeline_at_%d", first), fmt.Sprintf("genes_at_%d", second)} {
		if !strings.Contains(list, word) {
			t.Errorf("the list does not show %q:\n%s", word, list)
		}
	}
	s.must("rebuild", "--drop", fmt.Sprint(first))
	if list := s.must("rebuild", "--list"); strings.Contains(list, fmt.Sprintf("_at_%d ", first)) || !strings.Contains(list, fmt.Sprintf("genes_at_%d", second)) {
		t.Errorf("after the drop:\n%s", list)
	}
	s.refuses(1, []string{"no tables as of"}, "rebuild", "--drop", fmt.Sprint(first))
	s.refuses(1, []string{"1 to 15"}, "rebuild", "--as-of", "4711")
	s.refuses(1, []string{"V9", "1 to 2"}, "rebuild", "--as-of", "v9", "--agent", "Tower")
	s.refuses(1, []string{"--agent"}, "rebuild", "--as-of", "V1")
	s.refuses(1, []string{"had no event"}, "rebuild", "--as-of", "20d")
	s.refuses(1, []string{"--as-of", "V5"}, "rebuild", "--as-of", "someday")
	s.refuses(1, []string{"nothing is being built"}, "rebuild", "--cancel")
	s.verdict(0)
}

// An interrupted rebuild says how to go on, is seen, and goes on or is dropped.
func TestRebuildInterrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	if _, err := n.log.Import(t.Context(), reactions(20_000), nil); err != nil {
		t.Fatal(err)
	}
	s.fill(n)
	done()
	s.must("rebuild")

	// A cancelled context stands for Ctrl-C; the first progress says when.
	interrupt := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n, err := open(ctx, s.at, opening{})
		if err != nil {
			t.Fatal(err)
		}
		defer n.close()
		err = projections.NewRunner(n.store, n.log, discard()).Rebuild(ctx, []string{projections.Feedback}, func(projections.RebuildProgress) { cancel() })
		if err == nil {
			t.Fatal("it was quicker than its first progress")
		}
	}
	interrupt()
	list := s.must("rebuild", "--list")
	if !strings.Contains(list, "feedback") || !strings.Contains(list, "stopped") {
		t.Fatalf("the list:\n%s", list)
	}
	if out := s.must("rebuild", "--cancel"); !strings.Contains(out, "feedback") {
		t.Fatal(out)
	}
	interrupt()
	s.must("rebuild", "feedback")
	if list := s.must("rebuild", "--list"); !strings.Contains(list, "nothing is being built") {
		t.Fatalf("the list:\n%s", list)
	}
	s.verdict(0, "feedback")
}

// reactions are n events of people's words, as an exported log holds them.
func reactions(n int) iter.Seq2[streams.Stored, error] {
	return func(yield func(streams.Stored, error) bool) {
		for i := range n {
			id := fmt.Sprintf("01KBDEM0000000000000%06d", i)
			e := streams.Stored{
				Subject: "evt.kitchen." + string(pots.Agent) + ".feedback",
				Data:    []byte(`{"feedback":"` + id + `","object":{"type":"whole"},"words":"again"}`),
				Header: map[string][]string{
					"ce-specversion": {"1.0"}, "ce-id": {id}, "ce-type": {"feedback.given"}, "ce-dataversion": {"1"},
					"ce-time": {"2026-07-01T00:00:00Z"}, "ce-actor": {"user:01KBADA0000000000000000001"}, "ce-command": {id},
				},
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// An event that cannot be applied is parked, shown with its cause, and stays so as
// long as the cause does.
func TestParked(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	done()
	if out := s.must("parked"); !strings.Contains(out, "no event is parked") {
		t.Fatal(out)
	}
	s.must("parked", "retry")
	n, done = s.open()
	s.poison(n, pots, domain.KindFeedback)
	s.record(n, pots, domain.User("01KBADA0000000000000000001"), feedback.Given{Feedback: n.log.NewID(), Object: domain.Ref{Type: domain.Whole}, Words: "behind"})
	done()
	v := s.verdict(1)
	parked := 0
	for _, position := range v.Positions {
		parked += position.Parked
	}
	if parked == 0 || len(v.Unchecked) == 0 {
		t.Fatalf("got %+v", v)
	}
	list := s.must("parked", "list")
	for _, word := range []string{"feedback", string(pots.Agent), "厨房好物 Pots", "15", "feedback.sung", "unknown type", "parked retry"} {
		if !strings.Contains(list, word) {
			t.Errorf("the list does not show %q:\n%s", word, list)
		}
	}
	out, stderr, code := s.run("parked", "retry", "--projection", "feedback", "--agent", "Pots")
	if code != 1 || !strings.Contains(out, "parked") || !strings.Contains(out, "unknown type") || !strings.Contains(stderr, "1 agent still") {
		t.Fatalf("code %d\n%s%s", code, out, stderr)
	}
	s.refuses(1, []string{"nothing of that is parked"}, "parked", "retry", "--agent", "Tower")
	s.refuses(1, []string{"feedback.sung", "--after 14"}, "rebuild", "feedback")
	if doctor, _, code := s.run("doctor"); code != 1 || !strings.Contains(doctor, "fail  parked") {
		t.Fatalf("code %d\n%s", code, doctor)
	}
}
