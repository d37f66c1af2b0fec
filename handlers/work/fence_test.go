package work

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// A worker whose heartbeats nobody confirms stops its own work before the server
// gives the job to another one, and says nothing more.
func TestUnconfirmedWorkerStopsItself(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	w, kill := newWorkers(t, s, "w")
	playing, ended := make(chan struct{}), make(chan time.Time, 1)
	stop := w.work(t, func(ctx context.Context, _ begun) (run.Finished, error) {
		close(playing)
		<-ctx.Done()
		ended <- time.Now()
		return run.Finished{Outcome: run.Done, Reason: run.ReasonFinished}, nil
	})
	offerSearch(t, w, key, id)
	<-playing
	cut := time.Now()
	kill()
	select {
	case at := <-ended:
		if took := at.Sub(cut); took > w.Queue.AckWait() {
			t.Errorf("it went on for %s, AckWait is %s", took, w.Queue.AckWait())
		}
	case <-time.After(deadline):
		t.Fatal("it went on")
	}
	stop()
	if names, _ := types(t, s, key); !slices.Equal(names, []string{"run.requested", "run.started"}) {
		t.Fatalf("got %v", names)
	}
}

// When the queue loses the message of a run that is being worked on, the slot is
// offered again and delivered to another worker: that one waits as long as the
// attempt is alive, and then finds it finished.
func TestSecondDeliveryOfALiveRunWaits(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	first, _ := newWorkers(t, s, "first")
	playing, release := make(chan struct{}), make(chan struct{})
	first.work(t, func(ctx context.Context, b begun) (run.Finished, error) {
		if b.attempt != 1 {
			t.Errorf("attempt %d was started", b.attempt)
		}
		close(playing)
		select {
		case <-release:
		case <-ctx.Done():
			t.Error("the live attempt was cancelled")
		}
		return run.Finished{Outcome: run.Done, Reason: run.ReasonFinished}, nil
	})
	offerSearch(t, first, key, id)
	<-playing
	within(t, "the first heartbeat", func() bool {
		_, alive, err := s.Alive.Get(t.Context(), id)
		return err == nil && alive
	})
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), streams.WorkStream)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, _ := newWorkers(t, s, "second")
	seen := make(chan int, 64)
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = second.Queue.Consume(ctx, second.Deployment, streams.Search, nil, 4, func(ctx context.Context, job *streams.Job) {
			second.runJob(ctx, job, id, done)
			seen <- job.Deliveries
		})
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	offerSearch(t, second, key, id)
	for deliveries := 0; deliveries < 4; { // far longer than AckWait/5 at a time
		select {
		case deliveries = <-seen:
		case <-time.After(deadline):
			t.Fatal("the second delivery did not come back")
		}
	}
	close(release)
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	within(t, "the slot is free", func() bool {
		slots, err := s.Queue.Slots(t.Context())
		return err == nil && len(slots) == 0
	})
	if names, _ := types(t, s, key); !slices.Equal(names, []string{"run.requested", "run.started", "run.finished"}) {
		t.Fatalf("got %v", names)
	}
}

// Slots of which the log knows no run, or no agent, are freed; one whose request
// this worker's fold has not seen yet is worked on.
func TestWorkOnAnUnknownRunFreesItsSlot(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	w, _ := newWorkers(t, s, "w")
	w.work(t, done)
	strange := s.Log.NewID()
	if _, err := w.Queue.Offer(t.Context(), slotOf(key, run.Search, strange)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Queue.Offer(t.Context(), slotOf(domain.Key{Product: "test", Agent: strange}, run.Search, id)); err != nil {
		t.Fatal(err)
	}
	within(t, "both slots are free", func() bool {
		slots, err := s.Queue.Slots(t.Context())
		return err == nil && len(slots) == 0
	})
	offerSearch(t, w, key, id)
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
}
