package work

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/run"
	"sozai/streams"
	"sozai/streams/streamstest"
)

const deadline = 20 * time.Second

const person domain.Actor = "user:01HZ0000000000000000000009"

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

// newWorkers makes a worker process's view of the server, on a connection of its
// own, so that closing it is the end of that process for everybody else.
func newWorkers(t *testing.T, s *streamstest.Server, name string) (w *Workers, kill func()) {
	t.Helper()
	return newWorkersWith(t, s, name, streamstest.AckWait)
}

func newWorkersWith(t *testing.T, s *streamstest.Server, name string, ackWait time.Duration) (w *Workers, kill func()) {
	t.Helper()
	conn, err := s.Embedded.Connect(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	cfg := streams.Config{AckWait: ackWait}
	log, err := streams.Open(t.Context(), conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	queue, err := streams.OpenQueue(conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	alive, err := streams.OpenAlive(t.Context(), conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &Workers{
		Log: log, Queue: queue, Alive: alive, Timers: s.Timers, Live: s.Live, Hub: s.Hub,
		Name: name, Deployment: "test", Logger: slog.New(slog.DiscardHandler),
	}, conn.Close
}

// askSearch makes an agent with one open search run.
func askSearch(t *testing.T, s *streamstest.Server) (domain.Key, domain.ID) {
	t.Helper()
	key, id := s.Key(), s.Log.NewID()
	_, err := s.Log.Decide(t.Context(), key, streams.Command{ID: string(s.Log.NewID()), Actor: person},
		func(st *streams.State, now time.Time) ([]domain.Decision, error) {
			created, err := st.Agent.Create(agent.Created{Name: "a", Creator: person.ID(), Sources: []string{"fast"}})
			if err != nil {
				return nil, err
			}
			minted, err := st.Gene.Create("爆炸", "", domain.Constraints{})
			if err != nil {
				return nil, err
			}
			asked, err := st.Run.Request(run.Requested{Run: id, Work: run.Search, Trigger: run.First}, now)
			return append(append(created, minted...), asked...), err
		})
	if err != nil {
		t.Fatal(err)
	}
	return key, id
}

type play func(ctx context.Context, b begun) (run.Finished, error)

// work runs a process's search workers with the given play until the returned
// stop is called; stop drains.
func (w *Workers) work(t *testing.T, play play) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.Queue.Consume(ctx, w.Deployment, streams.Search, nil, 2, func(ctx context.Context, job *streams.Job) {
			w.runJob(ctx, job, domain.ID(job.ID), play)
		})
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

func offerSearch(t *testing.T, w *Workers, key domain.Key, id domain.ID) {
	t.Helper()
	if err := w.offerRun(t.Context(), key, id); err != nil {
		t.Fatal(err)
	}
}

// types lists the run events of an agent.
func types(t *testing.T, s *streamstest.Server, key domain.Key) (names []string, all []domain.Recorded) {
	t.Helper()
	err := s.Log.Read(t.Context(), 0, 0, key, []domain.Kind{domain.KindRun}, func(events []domain.Recorded) error {
		for _, r := range events {
			names = append(names, r.Type)
			all = append(all, r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, all
}

func finishedOf(t *testing.T, s *streamstest.Server, key domain.Key, id domain.ID) *run.Finished {
	t.Helper()
	var f *run.Finished
	err := s.Log.View(t.Context(), key, func(st *streams.State) error {
		f = st.Run.Runs[id].Finished
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func done(context.Context, begun) (run.Finished, error) {
	return run.Finished{Outcome: run.Done, Reason: run.ReasonFinished}, nil
}

// slotFree reports whether the run's slot can be taken; it takes it.
func slotFree(t *testing.T, w *Workers, key domain.Key, id domain.ID) bool {
	t.Helper()
	taken, err := w.Queue.Offer(t.Context(), slotOf(key, run.Search, id))
	if err != nil {
		t.Fatal(err)
	}
	return !taken
}

func TestRunIsWorkedOnOnceAndItsSlotFreed(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	w, _ := newWorkers(t, s, "w1")
	var played atomic.Int32
	stop := w.work(t, func(ctx context.Context, b begun) (run.Finished, error) {
		played.Add(1)
		if b.attempt != 1 || b.run.GeneVersion != 1 {
			t.Errorf("got attempt %d, gene version %d", b.attempt, b.run.GeneVersion)
		}
		return done(ctx, b)
	})
	for range 3 {
		offerSearch(t, w, key, id)
	}
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	offerSearch(t, w, key, id) // folds first: a finished run is not offered again
	stop()
	if played.Load() != 1 {
		t.Fatalf("played %d times", played.Load())
	}
	names, _ := types(t, s, key)
	if want := []string{"run.requested", "run.started", "run.finished"}; !slices.Equal(names, want) {
		t.Fatalf("got %v", names)
	}
	within(t, "the slot is free", func() bool { return slotFree(t, w, key, id) })
}

// T17: a killed worker is shown as lost within the heartbeat limit, another one
// takes over under a new attempt, and whatever the dead one still sends is refused.
func TestKilledWorkerIsReplacedAndItsLateFinishRefused(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	first, kill := newWorkers(t, s, "first")
	playing := make(chan struct{})
	release := make(chan struct{})
	letGo := sync.OnceFunc(func() { close(release) })
	first.work(t, func(context.Context, begun) (run.Finished, error) {
		close(playing)
		<-release // deaf to its context, as a dead process is
		return run.Finished{Outcome: run.Done, Reason: run.ReasonFinished, Summary: "late"}, nil
	})
	t.Cleanup(letGo)
	offerSearch(t, first, key, id)
	<-playing
	kill()

	second, _ := newWorkers(t, s, "second")
	second.work(t, func(ctx context.Context, b begun) (run.Finished, error) {
		if b.attempt != 2 {
			t.Errorf("took over as attempt %d", b.attempt)
		}
		// The first attempt's finish, sent over a connection that works.
		if second.finish(ctx, nilJob(key), id, 1, run.Finished{Run: id, Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished, Summary: "late"}) {
			t.Error("the finish of a lost attempt was accepted")
		}
		return done(ctx, b)
	})
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	letGo()
	names, _ := types(t, s, key)
	want := []string{"run.requested", "run.started", "run.attempt_lost", "run.started", "run.finished"}
	if !slices.Equal(names, want) {
		t.Fatalf("got %v", names)
	}
	if f := finishedOf(t, s, key, id); f.Attempt != 2 || f.Summary == "late" {
		t.Fatalf("got %+v", f)
	}
}

func nilJob(key domain.Key) *streams.Job { return &streams.Job{Slot: streams.Slot{Key: key}} }

// J5: a run whose workers all die ends with its reason, its slot is free and the
// next publish is accepted.
func TestThirdLostAttemptEndsTheRun(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	release := make(chan struct{})
	letGo := sync.OnceFunc(func() { close(release) })
	for n := 1; n <= domain.MaxAttempts; n++ {
		w, kill := newWorkers(t, s, "w")
		playing := make(chan int, 1)
		w.work(t, func(_ context.Context, b begun) (run.Finished, error) {
			playing <- b.attempt
			<-release
			return run.Finished{}, nil
		})
		t.Cleanup(letGo)
		if n == 1 {
			offerSearch(t, w, key, id)
		}
		select {
		case got := <-playing:
			if got != n {
				t.Fatalf("attempt %d, want %d", got, n)
			}
		case <-time.After(deadline):
			t.Fatalf("attempt %d did not start", n)
		}
		kill()
	}
	last, _ := newWorkers(t, s, "last")
	last.work(t, func(context.Context, begun) (run.Finished, error) {
		t.Error("a fourth attempt was played")
		return run.Finished{}, nil
	})
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	if f := finishedOf(t, s, key, id); f.Outcome != run.Failed || f.Reason != run.ReasonWorkerLost {
		t.Fatalf("got %+v", f)
	}
	within(t, "the slot is free", func() bool { return slotFree(t, last, key, id) })
}

// T22: cancel moves a run once; a second click is harmless; a finished run says so.
func TestCancel(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	w, _ := newWorkers(t, s, "w")
	playing := make(chan struct{})
	w.work(t, func(ctx context.Context, _ begun) (run.Finished, error) {
		close(playing)
		<-ctx.Done()
		return run.Finished{Summary: "kept 3"}, ctx.Err()
	})
	offerSearch(t, w, key, id)
	<-playing
	cancel := func() error {
		_, err := s.Log.Decide(t.Context(), key, streams.Command{ID: string(s.Log.NewID()), Actor: person},
			func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
				return st.Run.RequestCancel(id, "person")
			})
		return err
	}
	began := time.Now()
	for range 2 {
		if err := cancel(); err != nil && !errors.Is(err, run.ErrFinished) {
			t.Fatal(err)
		}
	}
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("took %s to stop", took)
	}
	if f := finishedOf(t, s, key, id); f.Outcome != run.Cancelled || f.Reason != run.ReasonCancelled || f.Summary != "kept 3" {
		t.Fatalf("got %+v", f)
	}
	if err := cancel(); !errors.Is(err, run.ErrFinished) {
		t.Fatalf("got %v", err)
	}
	names, _ := types(t, s, key)
	if want := []string{"run.requested", "run.started", "run.cancel_requested", "run.finished"}; !slices.Equal(names, want) {
		t.Fatalf("got %v", names)
	}
}

// A worker that drains hands its run over at once, and it does not count as lost.
func TestDrainHandsOver(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	for n := 1; n <= domain.MaxAttempts+1; n++ {
		w, _ := newWorkers(t, s, "w")
		playing := make(chan struct{}, 1)
		stop := w.work(t, func(ctx context.Context, b begun) (run.Finished, error) {
			playing <- struct{}{}
			<-ctx.Done()
			return run.Finished{}, ctx.Err()
		})
		if n == 1 {
			offerSearch(t, w, key, id)
		}
		select {
		case <-playing:
		case <-time.After(deadline):
			t.Fatalf("attempt %d did not start", n)
		}
		stop()
	}
	last, _ := newWorkers(t, s, "last")
	last.work(t, done)
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	if f := finishedOf(t, s, key, id); f.Outcome != run.Done {
		t.Fatalf("got %+v", f)
	}
	_, all := types(t, s, key)
	for _, r := range all {
		if e, ok := r.Event.(run.AttemptLost); ok && e.Cause != run.HandedOver {
			t.Fatalf("got %+v", e)
		}
	}
}

func TestPanicEndsOnlyItsRun(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	w, _ := newWorkers(t, s, "w")
	w.work(t, func(context.Context, begun) (run.Finished, error) { panic("a defect") })
	offerSearch(t, w, key, id)
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	if f := finishedOf(t, s, key, id); f.Outcome != run.Failed || f.Reason != run.ReasonInternal {
		t.Fatalf("got %+v", f)
	}
}
