package streams_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/chat"
	"sozai/domain/gene"
	"sozai/streams"
	"sozai/streams/streamstest"
)

func create(t *testing.T, s *streamstest.Server, log *streams.Log, key domain.Key) streams.Result {
	t.Helper()
	result, err := log.Decide(t.Context(), key, s.Command("01HZ0000000000000000000009"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		first, err := st.Agent.Create(agent.Created{Name: "塔防", Creator: "01HZ0000000000000000000009", Sources: []string{"fast"}})
		if err != nil {
			return nil, err
		}
		second, err := st.Gene.Create("爆炸", "节奏快", domain.Constraints{})
		return append(first, second...), err
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func rename(name string) func(*streams.State, time.Time) ([]domain.Decision, error) {
	return func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Agent.Edit(agent.Edited{Name: &name})
	}
}

func readAll(t *testing.T, log *streams.Log, key domain.Key, kinds ...domain.Kind) []domain.Recorded {
	t.Helper()
	var all []domain.Recorded
	err := log.Read(t.Context(), 0, 0, key, kinds, func(events []domain.Recorded) error {
		all = append(all, events...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDecideAppendsOneBatchInOrder(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	result := create(t, s, s.Log, key)
	all := readAll(t, s.Log, key)
	if diff := cmp.Diff(result.Events, all); diff != "" {
		t.Fatalf("the log differs from what the decision returned (-returned +log):\n%s", diff)
	}
	if len(all) != 2 || all[1].Seq != all[0].Seq+1 || all[0].Type != "agent.created" || all[1].Type != "gene.minted" {
		t.Fatalf("got %v", all)
	}
	if result.Seq != all[1].Seq {
		t.Fatalf("result is at %d, the log at %d", result.Seq, all[1].Seq)
	}
}

func TestDecideRefusesWithoutAppending(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	create(t, s, s.Log, key)
	before, _ := s.Log.Last(t.Context())
	refusal := domain.Rule(domain.Conflict, "no", "no")
	_, err := s.Log.Decide(t.Context(), key, s.Command("u"), func(*streams.State, time.Time) ([]domain.Decision, error) {
		return nil, refusal
	})
	if !errors.Is(err, refusal) {
		t.Fatalf("got %v", err)
	}
	if after, _ := s.Log.Last(t.Context()); after != before {
		t.Fatalf("the log moved from %d to %d", before, after)
	}
}

// A repeated command gets its first answer from the log: on the same log value,
// on another process's, and after a restart of the server.
func TestDecideRepeatedCommandIsAnsweredFromTheLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := streamstest.StartIn(t, dir)
	key := s.Key()
	create(t, s, s.Log, key)
	cmd := s.Command("u")
	first, err := s.Log.Decide(t.Context(), key, cmd, rename("one"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := streams.Open(t.Context(), s.Conn, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, log *streams.Log) {
		t.Helper()
		again, err := log.Decide(t.Context(), key, cmd, rename("two"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !again.Replayed || again.Seq != first.Seq || again.Events[0].ID != first.Events[0].ID {
			t.Fatalf("%s: got %+v, want a replay of %+v", name, again, first)
		}
	}
	check("same log", s.Log)
	check("other process", other)
	s.Embedded.Stop()
	check("after a restart", streamstest.StartIn(t, dir).Log)
}

// Two processes decide on one agent: exactly one append a version, losers see a
// conflict and succeed on the newer state.
func TestDecideConcurrentProcesses(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	create(t, s, s.Log, key)
	logs := []*streams.Log{s.Log}
	for range 2 {
		other, err := streams.Open(t.Context(), s.Conn, streams.Config{})
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, other)
	}
	const each = 10
	var wg sync.WaitGroup
	for i, log := range logs {
		wg.Go(func() {
			for n := range each {
				text := fmt.Sprintf("line %d of %d", n, i)
				for {
					_, err := log.Decide(t.Context(), key, s.Command("01HZ0000000000000000000009"), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
						search := st.Gene.Search + "\n" + text
						return st.Gene.Edit(st.Gene.Version, gene.Edit{Search: &search}, text, nil, domain.User("01HZ0000000000000000000009"))
					})
					if errors.Is(err, streams.ErrContended) {
						continue
					}
					if err != nil {
						t.Errorf("edit: %v", err)
					}
					break
				}
			}
		})
	}
	wg.Wait()
	var versions []int
	for _, r := range readAll(t, s.Log, key, domain.KindGene) {
		if m, ok := r.Event.(gene.Minted); ok {
			versions = append(versions, m.Version)
		}
	}
	if len(versions) != 1+each*len(logs) {
		t.Fatalf("%d versions, want %d", len(versions), 1+each*len(logs))
	}
	for i, v := range versions {
		if v != i+1 {
			t.Fatalf("versions %v are not consecutive", versions)
		}
	}
}

// A batch over several guarded subjects is refused whole when one guard is stale.
func TestDecideBatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	create(t, s, s.Log, key)
	other, err := streams.Open(t.Context(), s.Conn, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	user := domain.User("01HZ0000000000000000000009")
	tries := 0
	result, err := s.Log.Decide(t.Context(), key, s.Command("u"), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		tries++
		if tries == 1 {
			// Another process mints a version between our fold and our append.
			text := "moved"
			if _, err := other.Decide(context.WithoutCancel(t.Context()), key, s.Command("v"), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
				return st.Gene.Edit(1, gene.Edit{Steer: &text}, "moved", nil, user)
			}); err != nil {
				return nil, err
			}
		}
		name, text := "new name", "ours"
		first, err := st.Agent.Edit(agent.Edited{Name: &name})
		if err != nil {
			return nil, err
		}
		second, err := st.Gene.Edit(st.Gene.Version, gene.Edit{Search: &text}, "ours", nil, user)
		return append(first, second...), err
	})
	if err != nil {
		t.Fatal(err)
	}
	if tries != 2 {
		t.Fatalf("decided %d times, want 2", tries)
	}
	if got := len(readAll(t, s.Log, key, domain.KindAgent)); got != 2 {
		t.Fatalf("%d agent events, want 2: half of the refused batch is in the log", got)
	}
	if m, ok := result.Events[1].Event.(gene.Minted); !ok || m.Version != 3 {
		t.Fatalf("got %+v, want version 3", result.Events[1].Event)
	}
}

func TestCommandAges(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	for id, want := range map[string]error{
		"01HZ0000000000000000000000": streams.ErrCommandExpired, // 2024
		"7ZZZZZZZZZZZZZZZZZZZZZZZZZ": streams.ErrCommandEarly,
	} {
		_, err := s.Log.Record(t.Context(), key, streams.Command{ID: id, Actor: "user:u"}, chat.Said{Message: "m", Text: "hi"})
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", id, err, want)
		}
	}
	if last, _ := s.Log.Last(t.Context()); last != 0 {
		t.Fatalf("%d events were recorded", last)
	}
}

func TestRecordRepeatedCommandLeavesOneEvent(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	cmd := s.Command("u")
	fact := chat.Said{Message: s.Log.NewID(), Text: "爆炸感不够"}
	first, err := s.Log.Record(t.Context(), key, cmd, fact)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Log.Record(t.Context(), key, cmd, fact)
	if err != nil {
		t.Fatal(err)
	}
	if again[0].Seq != first[0].Seq {
		t.Fatalf("repeat is at %d, first at %d", again[0].Seq, first[0].Seq)
	}
	if got := readAll(t, s.Log, key); len(got) != 1 {
		t.Fatalf("%d events", len(got))
	}
}

func TestViewSeesOtherProcesses(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	create(t, s, s.Log, key)
	other, err := streams.Open(t.Context(), s.Conn, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		name := fmt.Sprintf("name %d", i)
		if _, err := other.Decide(t.Context(), key, s.Command("u"), rename(name)); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Record(t.Context(), key, s.Command("u"), chat.Said{Message: s.Log.NewID(), Text: name}); err != nil {
			t.Fatal(err)
		}
		err := s.Log.View(t.Context(), key, func(st *streams.State) error {
			if st.Agent.Name != name || len(st.Chat.After("")) != i+1 {
				t.Errorf("sees %q and %d messages", st.Agent.Name, len(st.Chat.After("")))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Log.View(t.Context(), s.Key(), func(*streams.State) error { return nil }); !errors.Is(err, streams.ErrNoAgent) {
		t.Fatalf("got %v", err)
	}
}
