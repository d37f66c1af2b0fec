package streams_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// deadline bounds every wait of these tests.
const deadline = 10 * time.Second

// within polls until check is true.
func within(t *testing.T, what string, check func() bool) {
	t.Helper()
	limit := time.After(deadline)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !check() {
		select {
		case <-limit:
			t.Fatalf("%s: not within %s", what, deadline)
		case <-tick.C:
		}
	}
}

type worker struct {
	jobs chan *streams.Job
	stop func()
}

// startWorker takes jobs and keeps each until the test answers it.
func startWorker(t *testing.T, s *streamstest.Server, kind streams.Work) worker {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	jobs := make(chan *streams.Job, 16)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = s.Queue.Consume(ctx, "test", kind, nil, 4, func(_ context.Context, job *streams.Job) { jobs <- job })
	}()
	stop := func() { cancel(); <-stopped }
	t.Cleanup(stop)
	return worker{jobs: jobs, stop: stop}
}

func (w worker) next(t *testing.T) *streams.Job {
	t.Helper()
	select {
	case job := <-w.jobs:
		return job
	case <-time.After(deadline):
		t.Fatalf("no job within %s", deadline)
		return nil
	}
}

func offer(t *testing.T, s *streamstest.Server, slot streams.Slot) (taken bool) {
	t.Helper()
	taken, err := s.Queue.Offer(t.Context(), slot)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func TestSlotIsTakenWhileWaitingAndWhileWorkedOn(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	slot := streams.Slot{Key: s.Key(), Work: streams.Butler, ID: "-"}
	if offer(t, s, slot) {
		t.Fatal("a free slot is taken")
	}
	if !offer(t, s, slot) {
		t.Fatal("a waiting slot took a second message")
	}
	w := startWorker(t, s, streams.Butler)
	job := w.next(t)
	if job.Slot != slot {
		t.Fatalf("got %+v", job.Slot)
	}
	if !offer(t, s, slot) {
		t.Fatal("a slot being worked on took a second message")
	}
	other := streams.Slot{Key: s.Key(), Work: streams.Butler, ID: "-"}
	if offer(t, s, other) {
		t.Fatal("another agent's slot is taken")
	}
	if err := job.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	if offer(t, s, slot) {
		t.Fatal("the slot is not free after the ack")
	}
}

// The same run asked for again inside the server's duplicate window really is
// delivered: slots carry no message id.
func TestSlotAskedForAgainAfterAck(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	w := startWorker(t, s, streams.Search)
	slot := streams.Slot{Key: s.Key(), Work: streams.Search, ID: string(s.Log.NewID())}
	for range 3 {
		if offer(t, s, slot) {
			t.Fatal("taken")
		}
		if err := w.next(t).Done(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A worker that never answers: its job comes to another one after AckWait, as
// often as it takes; one that heartbeats keeps it.
func TestSilentWorkerLosesItsJob(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	w := startWorker(t, s, streams.Search)
	slot := streams.Slot{Key: s.Key(), Work: streams.Search, ID: string(s.Log.NewID())}
	offer(t, s, slot)
	first := w.next(t)
	began := time.Now()
	for time.Since(began) < 2*streamstest.AckWait {
		if err := first.Heartbeat(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-w.jobs:
			t.Fatal("delivered to another worker in spite of heartbeats")
		case <-time.After(streamstest.AckWait / 5):
		}
	}
	for n := 2; n <= 5; n++ {
		job := w.next(t)
		if job.Seq != first.Seq || job.Deliveries < n {
			t.Fatalf("delivery %d: got slot %d, delivery %d", n, job.Seq, job.Deliveries)
		}
	}
}

func TestJobGivenBackComesAgain(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	w := startWorker(t, s, streams.Film)
	offer(t, s, streams.Slot{Key: s.Key(), Work: streams.Film, ID: "run"})
	if err := w.next(t).Later(t.Context(), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if got := w.next(t); got.Deliveries != 2 {
		t.Fatalf("delivery %d", got.Deliveries)
	}
}

func TestQueueServesItsProductsOnly(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	ctx, cancel := context.WithCancel(context.Background())
	jobs := make(chan *streams.Job, 4)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = s.Queue.Consume(ctx, "mine", streams.Search, []string{"mine"}, 1, func(_ context.Context, job *streams.Job) {
			_ = job.Done(ctx)
			jobs <- job
		})
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	agent := s.Log.NewID()
	offer(t, s, streams.Slot{Key: domain.Key{Product: "other", Agent: agent}, Work: streams.Search, ID: "a"})
	offer(t, s, streams.Slot{Key: domain.Key{Product: "mine", Agent: agent}, Work: streams.Search, ID: "b"})
	if got := (worker{jobs: jobs}).next(t); got.Product != "mine" {
		t.Fatalf("took work of %s", got.Product)
	}
	if !offer(t, s, streams.Slot{Key: domain.Key{Product: "other", Agent: agent}, Work: streams.Search, ID: "a"}) {
		t.Fatal("another product's work was taken")
	}
}

// A worker that stops gives back what the server had sent it: whoever pulls next
// gets it at once, not after AckWait.
func TestStoppingWorkerLosesNothing(t *testing.T) {
	t.Parallel()
	const wait = 5 * time.Second
	s := streamstest.Start(t)
	var err error
	if s.Queue, err = streams.OpenQueue(s.Conn, streams.Config{AckWait: wait}); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		slot := streams.Slot{Key: s.Key(), Work: streams.Search, ID: string(s.Log.NewID())}
		first := startWorker(t, s, streams.Search)
		stopped := make(chan struct{})
		go func() { defer close(stopped); first.stop() }() // while the slot is being offered
		offer(t, s, slot)
		<-stopped
		select {
		case job := <-first.jobs:
			if err := job.Done(t.Context()); err != nil {
				t.Fatal(err)
			}
			continue
		default:
		}
		began := time.Now()
		second := startWorker(t, s, streams.Search)
		if job := second.next(t); job.Slot != slot {
			t.Fatalf("got %+v", job.Slot)
		} else if err := job.Done(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > wait/2 {
			t.Fatalf("the next worker got it after %s", took)
		}
		second.stop()
	}
}

// A consumer that is deleted under its workers is made again.
func TestLostConsumerIsMadeAgain(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	w := startWorker(t, s, streams.Film)
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	slot := streams.Slot{Key: s.Key(), Work: streams.Film, ID: "run"}
	for range 2 {
		offer(t, s, slot)
		if err := w.next(t).Done(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := js.DeleteConsumer(t.Context(), streams.WorkStream, "test-film"); err != nil {
			t.Fatal(err)
		}
	}
	offer(t, s, slot)
	w.next(t)
}

func TestLivenessKeyEnds(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	id := s.Log.NewID()
	if err := s.Alive.Set(t.Context(), id, streams.Beat{Attempt: 2, Worker: "w"}); err != nil {
		t.Fatal(err)
	}
	beat, ok, err := s.Alive.Get(t.Context(), id)
	if err != nil || !ok || beat.Attempt != 2 {
		t.Fatalf("got %v %v %v", beat, ok, err)
	}
	other := s.Log.NewID()
	if err := s.Alive.Set(t.Context(), other, streams.Beat{Attempt: 1, Worker: "v"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Alive.Clear(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	beats, err := s.Alive.List(t.Context())
	if diff := cmp.Diff(map[domain.ID]streams.Beat{id: {Attempt: 2, Worker: "w"}}, beats); err != nil || diff != "" {
		t.Fatalf("beats (-want +got): %v\n%s", err, diff)
	}
	within(t, "the key ends", func() bool {
		_, ok, err := s.Alive.Get(t.Context(), id)
		return err == nil && !ok
	})
}

// A consumer that does not know of a slot, as one that came out of a full disk
// ahead of its stream, would never deliver it.
func TestASlotThatItsConsumerHasLostIsDelivered(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	w := startWorker(t, s, streams.Search)
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	lost := jetstream.ConsumerConfig{
		Durable: "test-search", FilterSubjects: []string{"work.elsewhere.search.*.*"}, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: streamstest.AckWait, MaxDeliver: -1, MaxWaiting: 4096, MaxAckPending: 20_000,
	}
	within(t, "the consumer loses what it knew", func() bool {
		_, err := js.UpdateConsumer(t.Context(), streams.WorkStream, lost)
		return err == nil
	})
	slot := streams.Slot{Key: s.Key(), Work: streams.Search, ID: string(domain.ID("01J9Z3K6V8QW2N4R5T7Y9B1C3D"))}
	if _, err := s.Queue.Offer(t.Context(), slot); err != nil {
		t.Fatal(err)
	}
	job := w.next(t)
	if diff := cmp.Diff(slot, job.Slot); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if err := job.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
}
