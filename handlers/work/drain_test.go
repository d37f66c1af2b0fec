package work

import (
	"context"
	"sync"
	"testing"
	"time"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// deaf says a few words and then waits, whatever its context says.
type deaf struct {
	said chan struct{}
	end  chan struct{}
}

func newDeaf(t *testing.T) *deaf {
	d := &deaf{said: make(chan struct{}), end: make(chan struct{})}
	t.Cleanup(func() { close(d.end) })
	return d
}

func (d *deaf) Name() string { return "deaf" }

func (d *deaf) Stream(ctx context.Context, _ agents.Request, emit func(agents.Delta)) (agents.Response, error) {
	emit(agents.Delta{Text: "你好。这条"})
	close(d.said)
	<-d.end
	return agents.Response{}, ctx.Err()
}

// recorded lists the events of one kind with what the log knows about them.
func (r *room) recorded(kind domain.Kind) (all []domain.Recorded) {
	r.t.Helper()
	err := r.s.Log.Read(r.t.Context(), 0, 0, r.key, []domain.Kind{kind}, func(events []domain.Recorded) error {
		all = append(all, events...)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// A process that is asked to end hands its turn over within ten seconds even if
// its model does not listen; that is no lost attempt, and a process that waits
// takes over at once, not after AckWait.
func TestProcessHandsOverWithinTenSeconds(t *testing.T) {
	t.Parallel()
	const wait = 4 * time.Second
	stuck := newDeaf(t)
	r := openTestRoomWith(t, stuck, wait)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.w.Run(ctx) }()
	t.Cleanup(cancel)
	r.say("A", "说说看")
	<-stuck.said

	second, _ := newWorkersWith(t, r.s, "second", wait)
	second.Store, second.Model, second.Butlers = r.w.Store, &parrot{}, 1
	background, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = second.Queue.Consume(background, second.Deployment, streams.Butler, nil, 1, second.butler)
	})
	t.Cleanup(func() { stop(); wg.Wait() })

	told := time.Now()
	cancel()
	select {
	case err := <-ended:
		if took := time.Since(told); err != nil || took > 10*time.Second {
			t.Fatalf("ended after %s: %v", took, err)
		}
	case <-time.After(deadline):
		t.Fatal("the process did not end")
	}
	within(t, "the answer ends", func() bool { _, finished := r.turns(); return len(finished) == 1 })
	all := r.recorded(domain.KindTurn)
	var lost, taken time.Time
	for _, e := range all {
		switch e := e.Event.(type) {
		case turn.AttemptLost:
			if e.Cause != run.HandedOver {
				t.Errorf("the attempt was lost by %s", e.Cause)
			}
		}
	}
	for _, e := range all {
		switch e.Event.(type) {
		case turn.AttemptLost:
			lost = e.Time
		case turn.Started:
			taken = e.Time
		}
	}
	if gap := taken.Sub(lost); lost.IsZero() || gap < 0 || gap > wait/2 {
		t.Errorf("taken over %s after it was handed over", gap)
	}
	if _, finished := r.turns(); finished[0].Reason != "finished" || finished[0].Attempt != 2 {
		t.Errorf("the turn ended as %+v", finished[0])
	}
}

// Stopping an answer whose model does not listen ends the turn all the same, and
// what people have read of it stays.
func TestStopOfADeafModel(t *testing.T) {
	t.Parallel()
	stuck := newDeaf(t)
	r := openTestRoom(t, stuck)
	r.start()
	r.say("A", "说说看")
	<-stuck.said
	started, _ := r.turns()
	asked := time.Now()
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Turn.RequestStop(started[0].Turn)
	})
	within(t, "the turn ends", func() bool { _, finished := r.turns(); return len(finished) == 1 })
	if took := time.Since(asked); took > r.w.grace()+2*time.Second {
		t.Errorf("it took %s", took)
	}
	_, finished := r.turns()
	if f := finished[0]; f.Reason != turn.Stopped || len(f.Blocks) != 1 || f.Blocks[0].Text != "你好。" {
		t.Fatalf("got %+v", f)
	}
}

// Cancelling a run whose tool does not listen ends it all the same.
func TestCancelOfADeafRun(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	w, _ := newWorkers(t, s, "w")
	playing, release := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(release) })
	w.work(t, func(context.Context, begun) (run.Finished, error) {
		close(playing)
		<-release
		return run.Finished{Outcome: run.Done, Reason: run.ReasonFinished}, nil
	})
	offerSearch(t, w, key, id)
	<-playing
	_, err := s.Log.Decide(t.Context(), key, streams.Command{ID: string(s.Log.NewID()), Actor: person},
		func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
			return st.Run.RequestCancel(id, run.CancelPerson)
		})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	if f := finishedOf(t, s, key, id); f.Outcome != run.Cancelled || f.Reason != run.ReasonCancelled || f.Attempt != 1 {
		t.Fatalf("got %+v", f)
	}
	within(t, "the slot is free", func() bool { return slotFree(t, w, key, id) })
}

// A defect in the handling of a job, outside of the run's own work, ends neither
// the process nor the job: it comes again.
func TestPanicInAHandlerIsShielded(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key, id := askSearch(t, s)
	w, _ := newWorkers(t, s, "w")
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	tries := 0
	go func() {
		defer close(stopped)
		_ = w.Queue.Consume(ctx, w.Deployment, streams.Search, nil, 1, w.safely(func(ctx context.Context, job *streams.Job) {
			if tries++; tries == 1 {
				panic("a defect")
			}
			w.runJob(ctx, job, domain.ID(job.ID), done)
		}))
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	offerSearch(t, w, key, id)
	within(t, "the run ends", func() bool { return finishedOf(t, s, key, id) != nil })
	if f := finishedOf(t, s, key, id); f.Outcome != run.Done || f.Attempt != 1 {
		t.Fatalf("got %+v", f)
	}
}

// After WORK was lost the reconciler offers the slot of every open run and
// unanswered message again, and of nothing that ended.
func TestLostSlotsAreOfferedAgain(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, &parrot{})
	open := r.s.Log.NewID()
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: open, Work: run.Search, Trigger: run.Hand}, now)
	})
	r.say("A", "在吗")
	r.caughtUp()
	for range 2 { // slots that exist refuse the second offer
		if err := r.w.reconcileOnce(t.Context(), map[domain.Key]time.Time{}); err != nil {
			t.Fatal(err)
		}
		slots, err := r.w.Queue.Slots(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := map[streams.Work]string{}
		for _, slot := range slots {
			got[slot.Work] = slot.ID
		}
		if len(slots) != 2 || got[streams.Search] != string(open) || got[streams.Butler] != "-" {
			t.Fatalf("slots %+v", slots)
		}
	}
}
