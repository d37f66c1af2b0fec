package streams_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// rewind puts another log in the place of the present one while everybody stays
// connected: the first n events of it, as a restored backup would.
func rewind(t *testing.T, s *streamstest.Server, n int) {
	t.Helper()
	kept := bytes.SplitAfter(export(t, s.Log, domain.Key{}), []byte("\n"))[:n]
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), streams.EventsStream); err != nil {
		t.Fatal(err)
	}
	if _, err := openLog(t, s).Import(t.Context(), lines(bytes.Join(kept, nil)), nil); err != nil {
		t.Fatal(err)
	}
}

func nameOf(t *testing.T, log *streams.Log, key domain.Key) (name string) {
	t.Helper()
	if err := log.View(t.Context(), key, func(st *streams.State) error { name = st.Agent.Name; return nil }); err != nil {
		t.Fatal(err)
	}
	return name
}

// J10: the log is restored to an earlier point while a process holds folds of
// what came later. Those are thrown away and read again, never decided on.
func TestFoldsOfARewoundLogAreThrownAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		deaf  bool
		since int // events that another process appends before we look again
	}{
		"told by the server":                     {},
		"found out by the refused guard":         {deaf: true},
		"grown again to where it was":            {since: 2},
		"grown again beyond":                     {since: 5},
		"grown again to another event, not told": {deaf: true, since: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := streamstest.Start(t)
			key, log := s.Key(), openLog(t, s)
			create(t, s, log, key)
			for _, name := range []string{"one", "two"} {
				if _, err := log.Decide(t.Context(), key, s.Command("u"), rename(name)); err != nil {
					t.Fatal(err)
				}
			}
			if c.deaf {
				if err := log.Deafen(); err != nil {
					t.Fatal(err)
				}
			}
			rewind(t, s, 2) // as created
			other, want := openLog(t, s), "塔防"
			for i := range c.since {
				want = "other " + string('0'+rune(i))
				if _, err := other.Decide(t.Context(), key, s.Command("v"), rename(want)); err != nil {
					t.Fatal(err)
				}
			}
			decidedOn := ""
			result, err := log.Decide(t.Context(), key, s.Command("u"), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
				decidedOn = st.Agent.Name
				return rename("after")(st, now)
			})
			if err != nil {
				t.Fatal(err)
			}
			if decidedOn != want {
				t.Fatalf("decided on %q, the log says %q", decidedOn, want)
			}
			if result.Seq != uint64(3+c.since) {
				t.Fatalf("appended at %d", result.Seq)
			}
			if got := nameOf(t, log, key); got != "after" {
				t.Fatalf("sees %q", got)
			}
		})
	}
}

// A repeated command that only the lost part of the log knew is carried out anew.
func TestCommandsOfARewoundLogAreForgotten(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, cmd := s.Key(), s.Command("u")
	create(t, s, s.Log, key)
	if _, err := s.Log.Decide(t.Context(), key, cmd, rename("lost")); err != nil {
		t.Fatal(err)
	}
	rewind(t, s, 2)
	again, err := s.Log.Decide(t.Context(), key, cmd, rename("again"))
	if err != nil || again.Replayed || again.Seq != 3 {
		t.Fatalf("%+v, %v", again, err)
	}
}

// Who follows a log that is rewound is told, whether it has grown again or not.
func TestFollowersOfARewoundLogAreTold(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]int{"shorter": 0, "grown again": 6} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := streamstest.Start(t)
			key := s.Key()
			for range 5 {
				say(t, s, key, "before")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			read, told := make(chan uint64, 100), make(chan error, 1)
			go func() {
				told <- s.Log.Follow(ctx, 0, func(events []domain.Recorded) error {
					read <- events[len(events)-1].Seq
					return nil
				})
			}()
			for seq := uint64(0); seq < 5; {
				seq = <-read
			}
			rewind(t, s, 2)
			for range since {
				say(t, s, key, "after")
			}
			if err := <-told; !errors.Is(err, streams.ErrRewound) {
				t.Fatalf("got %v", err)
			}
			if len(read) > 0 {
				t.Fatalf("was given event %d of another log", <-read)
			}
		})
	}
}

// The hub cuts its watches off, and goes on with the log that there is now.
func TestHubGoesOnWithARewoundLog(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	watch := s.Hub.Watch(key)
	for range 5 {
		say(t, s, key, "before")
	}
	before := s.Log.Identity()
	rewind(t, s, 2)
	within(t, "the watch is cut off", func() bool {
		select {
		case _, open := <-watch.C:
			return !open
		default:
			return false
		}
	})
	if !watch.Lagged() {
		t.Fatal("the watch does not say why it ended")
	}
	within(t, "a new watch hears what is said", func() bool {
		next := s.Hub.Watch(key)
		defer next.Close()
		said := say(t, s, key, "after")
		select {
		case events := <-next.C:
			return events[len(events)-1].ID == said.ID
		case <-time.After(time.Second):
			return false
		}
	})
	if s.Log.Identity() == before {
		t.Fatal("the log still says that it is the old one")
	}
}
