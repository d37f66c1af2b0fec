package streams_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/streams"
	"sozai/streams/streamstest"
)

func say(t *testing.T, s *streamstest.Server, key domain.Key, text string) domain.Recorded {
	t.Helper()
	events, err := s.Log.Record(t.Context(), key, s.Command("u"), chat.Said{Message: s.Log.NewID(), Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return events[0]
}

func TestFollowGivesHistoryThenLiveWithoutHoles(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	for i := range 50 {
		say(t, s, key, fmt.Sprint(i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seqs := make(chan uint64, 256)
	go func() {
		_ = s.Log.Follow(ctx, 10, func(events []domain.Recorded) error {
			for _, r := range events {
				seqs <- r.Seq
			}
			return nil
		})
	}()
	for i := range 50 {
		say(t, s, key, fmt.Sprint(50+i))
	}
	for want := uint64(11); want <= 100; want++ {
		select {
		case got := <-seqs:
			if got != want {
				t.Fatalf("got event %d, want %d", got, want)
			}
		case <-time.After(deadline):
			t.Fatalf("event %d did not come", want)
		}
	}
}

func TestFollowReturnsTheReadersError(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	say(t, s, s.Key(), "hi")
	stop := errors.New("enough")
	if err := s.Log.Follow(t.Context(), 0, func([]domain.Recorded) error { return stop }); !errors.Is(err, stop) {
		t.Fatalf("got %v", err)
	}
}

func TestReadEndsWhereItWasTold(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	a, b := s.Key(), s.Key()
	for i := range 20 {
		say(t, s, a, fmt.Sprint(i))
		say(t, s, b, fmt.Sprint(i))
	}
	for _, c := range []struct {
		after, upto uint64
		key         domain.Key
		kinds       []domain.Kind
		want        int
	}{
		{0, 0, domain.Key{}, nil, 40},
		{10, 0, domain.Key{}, nil, 30},
		{10, 15, domain.Key{}, nil, 5},
		{40, 0, domain.Key{}, nil, 0},
		{0, 0, a, nil, 20},
		{0, 10, b, []domain.Kind{domain.KindChat}, 5},
		{0, 0, a, []domain.Kind{domain.KindGene}, 0},
		{0, 7, domain.Key{Product: "test"}, nil, 7},
		{0, 8, a, nil, 4}, // the last match lies before, the next behind
	} {
		got := 0
		err := s.Log.Read(t.Context(), c.after, c.upto, c.key, c.kinds, func(events []domain.Recorded) error {
			got += len(events)
			return nil
		})
		if err != nil || got != c.want {
			t.Errorf("Read(%d, %d, %v, %v) gave %d events, %v; want %d", c.after, c.upto, c.key, c.kinds, got, err, c.want)
		}
	}
}

// An event that cannot be decoded reaches readers as poison, in its place.
func TestPoisonKeepsItsPlace(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	say(t, s, key, "before")
	if _, err := s.Conn.Request("evt."+key.Product+"."+string(key.Agent)+".chat", []byte("not ours"), deadline); err != nil {
		t.Fatal(err)
	}
	say(t, s, key, "after")
	all := readAll(t, s.Log, key)
	if len(all) != 3 {
		t.Fatalf("%d events", len(all))
	}
	poison, ok := all[1].Event.(streams.Poison)
	if !ok || poison.Err == nil || all[1].Seq != 2 || all[1].Agent != key.Agent {
		t.Fatalf("got %+v", all[1])
	}
}

func TestHubFansOutByAgentAndCutsTheSlowOff(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	a, b := s.Key(), s.Key()
	watch, slow := s.Hub.Watch(a), s.Hub.Watch(b)
	defer watch.Close()
	say(t, s, b, "not for a")
	want := say(t, s, a, "for a")
	select {
	case events := <-watch.C:
		if len(events) != 1 || events[0].ID != want.ID {
			t.Fatalf("got %v", events)
		}
	case <-time.After(deadline):
		t.Fatal("nothing came")
	}
	within(t, "the slow watcher is cut off", func() bool {
		for range 50 {
			say(t, s, b, "more")
		}
		return slow.Lagged()
	})
	slow.Close()
	slow.Close()
}

func TestAskFindsTheWorkerOrNobody(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	var got map[string]string
	if err := s.Live.Ask(t.Context(), key, &got); domain.CodeOf(err) != domain.NotFound {
		t.Fatalf("got %v", err)
	}
	cancel, err := s.Live.Answer(key, func() any { return map[string]string{"text": "so far"} })
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	if err := s.Live.Ask(t.Context(), key, &got); err != nil || got["text"] != "so far" {
		t.Fatalf("got %v, %v", got, err)
	}
}
