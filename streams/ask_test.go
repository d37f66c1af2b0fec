package streams_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// answer names the server's answer to one kind of request.
func answer(kind string) string { return `"io.nats.jetstream.api.v1.` + kind + `_response"` }

// One reply is lost, the caller has a minute: it gets its answer as soon as the
// question was put again.
func TestOneLostAnswerCostsLittle(t *testing.T) {
	t.Parallel()
	view := func(log *streams.Log, ctx context.Context, key domain.Key) error {
		return log.View(ctx, key, func(st *streams.State) error {
			if st.Agent.Name != "塔防" {
				return fmt.Errorf("sees %q", st.Agent.Name)
			}
			return nil
		})
	}
	const info, get, consumer = "stream_info", "stream_msg_get", "consumer_create"
	for name, c := range map[string]struct {
		lost string
		call func(ctx context.Context, log *streams.Log, s *streamstest.Server, key domain.Key) error
	}{
		"view": {get, func(ctx context.Context, log *streams.Log, _ *streamstest.Server, key domain.Key) error {
			return view(log, ctx, key)
		}},
		"decide": {get, func(ctx context.Context, log *streams.Log, s *streamstest.Server, key domain.Key) error {
			_, err := log.Decide(ctx, key, s.Command("u"), rename("new"))
			return err
		}},
		"end": {info, func(ctx context.Context, log *streams.Log, _ *streamstest.Server, _ domain.Key) error {
			_, err := log.Last(ctx)
			return err
		}},
		"end of an agent": {get, func(ctx context.Context, log *streams.Log, _ *streamstest.Server, key domain.Key) error {
			return log.Read(ctx, 0, 0, key, nil, func([]domain.Recorded) error { return nil })
		}},
		"reader": {consumer, func(ctx context.Context, log *streams.Log, _ *streamstest.Server, key domain.Key) error {
			return log.Read(ctx, 0, 0, key, nil, func([]domain.Recorded) error { return nil })
		}},
		"status": {"consumer_list", func(ctx context.Context, log *streams.Log, _ *streamstest.Server, _ domain.Key) error {
			_, err := log.Status(ctx)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := streamstest.Start(t)
			key := s.Key()
			create(t, s, s.Log, key)
			nc, proxy := s.ConnectThrough(t)
			log, err := streams.Open(t.Context(), nc, streams.Config{})
			if err != nil {
				t.Fatal(err)
			}
			proxy.LoseAnswer(answer(c.lost))
			soon(t, proxy, func(ctx context.Context) error { return c.call(ctx, log, s, key) })
			if err := view(log, t.Context(), key); name != "decide" && err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The same at the start, for every kind of question that is put there.
func TestOneLostAnswerDoesNotHoldUpTheStart(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{"stream_update", "stream_info"} {
		t.Run(lost, func(t *testing.T) {
			t.Parallel()
			s := streamstest.Start(t)
			nc, proxy := s.ConnectThrough(t)
			cfg := streams.Config{AckWait: streamstest.AckWait}
			proxy.LoseAnswer(answer(lost))
			soon(t, proxy, func(ctx context.Context) error {
				_, err := streams.Open(ctx, nc, cfg)
				return err
			})
			proxy.LoseAnswer(answer("stream_update"))
			soon(t, proxy, func(ctx context.Context) error {
				_, err := streams.OpenAlive(ctx, nc, cfg)
				return err
			})
			timers, err := streams.OpenTimers(nc)
			if err != nil {
				t.Fatal(err)
			}
			key, at := s.Key(), time.Now().Add(time.Hour).UTC().Truncate(time.Second)
			proxy.LoseAnswer(answer("stream_info"))
			soon(t, proxy, func(ctx context.Context) error { return timers.Arm(ctx, key, "card", at) })
			proxy.LoseAnswer(answer("consumer_create"))
			soon(t, proxy, func(ctx context.Context) error {
				got, err := timers.List(ctx)
				if diff := cmp.Diff([]streams.Timer{{Key: key, Name: "card", At: at}}, got); err == nil && diff != "" {
					return fmt.Errorf("timers (-want +got):\n%s", diff)
				}
				return err
			})
		})
	}
}

// A consumer is made, and the work comes, though the answer to that was lost.
func TestOneLostAnswerDoesNotHoldUpWorkers(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	nc, proxy := s.ConnectThrough(t)
	queue, err := streams.OpenQueue(nc, streams.Config{AckWait: streamstest.AckWait})
	if err != nil {
		t.Fatal(err)
	}
	offer(t, s, streams.Slot{Key: s.Key(), Work: streams.Search, ID: "a"})
	done := errors.New("done")
	proxy.LoseAnswer(answer("consumer_create"))
	soon(t, proxy, func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		_ = queue.Consume(ctx, "test", streams.Search, nil, 1, func(ctx context.Context, job *streams.Job) {
			if err := job.Done(ctx); err != nil {
				cancel(err)
			}
			cancel(done)
		})
		if err := context.Cause(ctx); !errors.Is(err, done) {
			return fmt.Errorf("no work: %w", err)
		}
		return nil
	})
}

// Who is never answered is told so, long before its deadline, and lets go of the
// agent.
func TestNoAnswerAtAllIsToldSoon(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	create(t, s, s.Log, key)
	nc, proxy := s.ConnectThrough(t)
	log, err := streams.Open(t.Context(), nc, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	proxy.LoseAnswers(answer("stream_msg_get"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = log.View(ctx, key, func(*streams.State) error { return nil })
	if !errors.Is(err, streams.ErrLogUnavailable) || ctx.Err() != nil {
		t.Fatalf("got %v", err)
	}
	proxy.Cut()
	if err := log.View(ctx, key, func(*streams.State) error { return nil }); err != nil {
		t.Fatalf("when answers come again: %v", err)
	}
}

// soon fails unless call succeeds well before its deadline, with one answer lost.
func soon(t *testing.T, proxy *streamstest.Proxy, call func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	if err := call(ctx); err != nil {
		t.Fatal(err)
	}
	if !proxy.Lost() {
		t.Fatal("no answer was lost")
	}
	if took := time.Since(began); took > deadline {
		t.Fatalf("took %s", took)
	}
}

// A reader takes its consumer with it: the server refuses more than 1,000.
func TestReadersLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	for range 3 {
		if _, err := s.Log.Record(t.Context(), key, s.Command("u"), chat.Said{Message: s.Log.NewID(), Text: "hi"}); err != nil {
			t.Fatal(err)
		}
	}
	stop := errors.New("enough")
	for i := range 1300 {
		got := 0
		err := s.Log.Read(t.Context(), 0, 0, key, nil, func(events []domain.Recorded) error {
			got += len(events)
			if i%2 == 1 {
				return stop
			}
			return nil
		})
		if i%2 == 0 && (err != nil || got != 3) || i%2 == 1 && !errors.Is(err, stop) {
			t.Fatalf("read %d gave %d events, %v", i, got, err)
		}
		if i%100 == 0 {
			if _, err := s.Timers.List(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{streams.EventsStream: 1, streams.TimersStream: 0} { // the hub's
		within(t, "the consumers are gone", func() bool {
			stream, err := js.Stream(t.Context(), name)
			return err == nil && stream.CachedInfo().State.Consumers <= want
		})
	}
}
