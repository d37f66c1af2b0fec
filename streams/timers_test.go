package streams_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// listen collects the timers that fire for some products.
func listen(t *testing.T, s *streamstest.Server, deployment string, products ...string) (fired <-chan streams.Due) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out := make(chan streams.Due, 16)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = s.Timers.Consume(ctx, deployment, products, func(_ context.Context, due streams.Due) error {
			out <- due
			return nil
		})
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	return out
}

func next(t *testing.T, fired <-chan streams.Due) streams.Due {
	t.Helper()
	select {
	case due := <-fired:
		return due
	case <-time.After(deadline):
		t.Fatalf("no timer fired within %s", deadline)
		return streams.Due{}
	}
}

func arm(t *testing.T, s *streamstest.Server, key domain.Key, name string, at time.Time) {
	t.Helper()
	if err := s.Timers.Arm(t.Context(), key, name, at); err != nil {
		t.Fatal(err)
	}
}

func pending(t *testing.T, s *streamstest.Server) []streams.Timer {
	t.Helper()
	list, err := s.Timers.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(x, y streams.Timer) int { return cmp.Compare(x.Name, y.Name) })
	return list
}

func timersStream(t *testing.T, s *streamstest.Server) *jetstream.StreamInfo {
	t.Helper()
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), streams.TimersStream)
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo()
}

func TestTimerFires(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	fired := listen(t, s, "test")
	at := time.Now().Add(-time.Minute).Truncate(time.Second).UTC()
	arm(t, s, key, "card-1", at)
	if diff := gocmp.Diff(streams.Due{Key: key, Name: "card-1", At: at}, next(t, fired)); diff != "" {
		t.Fatalf("due (-want +got):\n%s", diff)
	}
	if left := pending(t, s); len(left) != 0 {
		t.Fatalf("a timer that fired is pending: %+v", left)
	}
}

// A timer never fires before its time: part of a second is rounded up.
func TestTimerDoesNotFireEarly(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	fired := listen(t, s, "test")
	at := time.Now().Truncate(time.Second).Add(1200 * time.Millisecond)
	arm(t, s, s.Key(), "card-1", at)
	next(t, fired)
	if now := time.Now(); now.Before(at) {
		t.Fatalf("fired %s early", at.Sub(now))
	}
}

// Arming again for the same time writes nothing; for another time it replaces.
func TestArmingTwice(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, at := s.Key(), time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	for range 3 {
		arm(t, s, key, "daily", at)
	}
	if last := timersStream(t, s).State.LastSeq; last != 1 {
		t.Fatalf("%d messages were written for one timer", last)
	}
	arm(t, s, key, "daily", at.Add(time.Hour))
	if diff := gocmp.Diff([]streams.Timer{{Key: key, Name: "daily", At: at.Add(time.Hour)}}, pending(t, s)); diff != "" {
		t.Fatalf("pending (-want +got):\n%s", diff)
	}
}

func TestListedAndDisarmed(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	if list := pending(t, s); len(list) != 0 {
		t.Fatalf("got %+v", list)
	}
	a, b, at := s.Key(), s.Key(), time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	arm(t, s, a, "1", at)
	arm(t, s, a, "2", at.Add(time.Minute))
	arm(t, s, b, "3", at)
	for range 2 { // harmless twice
		if err := s.Timers.Disarm(t.Context(), a, "1"); err != nil {
			t.Fatal(err)
		}
	}
	want := []streams.Timer{{Key: a, Name: "2", At: at.Add(time.Minute)}, {Key: b, Name: "3", At: at}}
	if diff := gocmp.Diff(want, pending(t, s)); diff != "" {
		t.Fatalf("pending (-want +got):\n%s", diff)
	}
}

func TestDisarmedTimerDoesNotFire(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	fired := listen(t, s, "test")
	key, soon := s.Key(), time.Now().Add(time.Second)
	arm(t, s, key, "1", soon)
	if err := s.Timers.Disarm(t.Context(), key, "1"); err != nil {
		t.Fatal(err)
	}
	arm(t, s, key, "2", soon.Add(time.Second))
	if due := next(t, fired); due.Name != "2" {
		t.Fatalf("timer %s fired", due.Name)
	}
}

// A time that passed while everything was down fires once after the start.
func TestTimerMissedDuringDowntimeFiresOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := domain.Key{Product: "test"}
	at := time.Now().Add(time.Second).Truncate(time.Second).Add(time.Second)
	t.Run("armed", func(t *testing.T) { //nolint:tparallel // one after the other
		s := streamstest.StartIn(t, dir)
		key.Agent = s.Log.NewID()
		arm(t, s, key, "daily", at)
	})
	within(t, "the time has passed", func() bool { return time.Now().After(at.Add(500 * time.Millisecond)) })
	s := streamstest.StartIn(t, dir)
	fired := listen(t, s, "test")
	if due := next(t, fired); due.Key != key || !due.At.Equal(at) {
		t.Fatalf("got %+v, want %s", due, at)
	}
	arm(t, s, key, "end", time.Now())
	if due := next(t, fired); due.Name != "end" {
		t.Fatalf("it fired again: %+v", due)
	}
}

func TestTimersOfOtherProductsAreNotOurs(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	mine, all := listen(t, s, "mine", "mine"), listen(t, s, "all")
	agent := s.Log.NewID()
	arm(t, s, domain.Key{Product: "other", Agent: agent}, "1", time.Now())
	next(t, all)
	arm(t, s, domain.Key{Product: "mine", Agent: agent}, "2", time.Now())
	if due := next(t, mine); due.Product != "mine" {
		t.Fatalf("got a timer of %s", due.Product)
	}
}

// A fired timer whose reader fails comes again.
func TestDueComesAgainAfterAnError(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	ctx, cancel := context.WithCancel(context.Background())
	tries := make(chan int, 16)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		n := 0
		_ = s.Timers.Consume(ctx, "test", nil, func(context.Context, streams.Due) error {
			n++
			tries <- n
			if n == 1 {
				return streams.ErrLogUnavailable
			}
			return nil
		})
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	arm(t, s, s.Key(), "card-1", time.Now())
	for want := 1; want <= 2; want++ {
		select {
		case got := <-tries:
			if got != want {
				t.Fatalf("try %d, want %d", got, want)
			}
		case <-time.After(deadline):
			t.Fatalf("try %d did not come", want)
		}
	}
}
