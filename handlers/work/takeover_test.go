package work

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"sozai/agents/rehearsal"
	"sozai/agents/searcher"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// saver is a search of seven items: it asks the library what an earlier attempt
// kept, as the searcher does, and saves the rest.
type saver struct {
	w    *Workers
	key  domain.Key
	id   domain.ID
	each func(saved int) // after each item
}

const wanted = 7

func (s *saver) save(ctx context.Context, b begun, n int) error {
	external := fmt.Sprint("video-", n)
	_, err := s.w.Log.Record(ctx, s.key,
		streams.Command{ID: fmt.Sprintf("%s/%d/save-%d", s.id, b.attempt, n), Actor: domain.Worker(s.w.Name)},
		library.Saved{
			Material: searcher.MaterialID(s.key, "fast", external), Run: s.id, Attempt: b.attempt, GeneVersion: b.run.GeneVersion,
			Source: "fast", External: external, Title: external,
		})
	return err
}

func (s *saver) play(ctx context.Context, b begun) (run.Finished, error) {
	if err := s.w.Store.Wait(ctx, b.seq, projections.Library); err != nil {
		return run.Finished{}, err
	}
	var all []string
	for n := range wanted {
		all = append(all, fmt.Sprint("video-", n))
	}
	kept, err := s.w.Store.MaterialsByExternal(ctx, s.key, "fast", all)
	if err != nil {
		return run.Finished{}, err
	}
	saved := len(kept)
	for n, external := range all {
		if kept[external] != "" {
			continue
		}
		if err := s.save(ctx, b, n); err != nil {
			return run.Finished{}, err
		}
		saved++
		s.each(saved)
	}
	return run.Finished{Outcome: run.Done, Reason: run.ReasonFinished, Summary: fmt.Sprint(saved, " kept")}, nil
}

// T17: a worker is killed after it saved 3 of 7 items, its late ack is kept,
// another takes over. It is shown as lost within the heartbeat limit; no item is
// there twice, there is one completion row, and nothing the dead one still sends
// has any effect.
func TestTakeoverAfterThreeOfSeven(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	id := r.s.Log.NewID()
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: id, Work: run.Search, Trigger: run.Hand}, now)
	})

	first, kill := newWorkers(t, r.s, "first")
	first.Store = r.w.Store
	three, killed := make(chan struct{}), make(chan struct{})
	t.Cleanup(sync.OnceFunc(func() { close(killed) }))
	var late *streams.Job // kept by the dead worker
	one := &saver{w: first, key: r.key, id: id, each: func(saved int) {
		if saved == 3 {
			close(three)
			<-killed // the process is gone
		}
	}}
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = first.Queue.Consume(ctx, first.Deployment, streams.Search, nil, 1, func(ctx context.Context, job *streams.Job) {
			late = job
			first.runJob(ctx, job, id, one.play)
		})
	}()
	t.Cleanup(func() { cancel(); <-gone })
	offerSearch(t, first, r.key, id)
	<-three
	kill()
	died := time.Now()

	second, _ := newWorkers(t, r.s, "second")
	second.Store = r.w.Store
	half, goOn := make(chan struct{}), make(chan struct{})
	two := &saver{w: second, key: r.key, id: id, each: func(saved int) {
		if saved == 5 {
			close(half)
			<-goOn
		}
	}}
	second.work(t, two.play)
	<-half
	if took := time.Since(died); took > 3*second.Queue.AckWait() {
		t.Errorf("taken over after %s, AckWait is %s", took, second.Queue.AckWait())
	}
	// What the dead worker's machine still sends, by a connection that works:
	// one more item, its finish, a heartbeat and its ack.
	stale := &saver{w: second, key: r.key, id: id}
	if err := stale.save(t.Context(), begun{attempt: 1, run: run.Run{GeneVersion: 1}}, wanted+1); err != nil {
		t.Fatal(err)
	}
	if second.finish(t.Context(), nilJob(r.key), id, 1, run.Finished{Run: id, Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished}) {
		t.Error("the finish of the lost attempt was accepted")
	}
	if err := late.Done(t.Context()); err == nil {
		t.Error("the dead worker's connection works")
	}
	close(goOn)
	within(t, "the run ends", func() bool { return finishedOf(t, r.s, r.key, id) != nil })
	r.caughtUp()

	if f := finishedOf(t, r.s, r.key, id); f.Attempt != 2 || f.Summary != "7 kept" {
		t.Errorf("the run ended as %+v", f)
	}
	materials, err := r.w.Store.Materials(t.Context(), r.key, projections.MaterialFilter{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, m := range materials {
		times[m.External]++
	}
	if len(materials) != wanted || len(times) != wanted || times[fmt.Sprint("video-", wanted+1)] != 0 {
		t.Errorf("%d materials: %v", len(materials), times)
	}
	rows, err := r.w.Store.Timeline(t.Context(), r.key, projections.Page{})
	if err != nil {
		t.Fatal(err)
	}
	closing := 0
	for _, row := range rows {
		if row.Type == projections.RowRunFinished && row.Ref == id {
			closing++
		}
	}
	if closing != 1 {
		t.Errorf("%d completion rows", closing)
	}
	within(t, "the slot is free", func() bool { return slotFree(t, second, r.key, id) })
}

// A run of a hundred AckWaits keeps its slot: its heartbeats hold it, nothing is
// delivered again, its attempt stays the first. A machine that itself stood still
// for a good part of an AckWait proves nothing; the run is then done over.
func TestLongRunKeepsItsSlot(t *testing.T) {
	t.Parallel()
	const wait, length = 500 * time.Millisecond, 100
	r := openTestRoomWith(t, rehearsal.New(0), wait)
	for try := 1; ; try++ {
		deliveries, f, stood := r.longRun(wait, length*wait)
		if len(deliveries) == 1 && f.Attempt == 1 && f.Outcome == run.Done {
			return
		}
		if stood < wait/4 || try == 5 {
			t.Fatalf("try %d: deliveries %v, ended as %+v; the machine stood still for %s at most", try, deliveries, f, stood)
		}
	}
}

// longRun lets two processes serve a run that takes a while, or until it is
// delivered again. stood is the longest time that the test's own look at the
// server took.
func (r *room) longRun(wait, length time.Duration) (deliveries []int, f *run.Finished, stood time.Duration) {
	t := r.t
	id := r.s.Log.NewID()
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: id, Work: run.Search, Trigger: run.Hand}, now)
	})
	var mu sync.Mutex
	enough := make(chan struct{})
	stopAll := sync.OnceFunc(func() { close(enough) })
	ctx, cancel := context.WithCancel(context.Background())
	var processes sync.WaitGroup
	defer processes.Wait()
	defer cancel()
	for _, name := range []string{"one", "two"} {
		w, _ := newWorkersWith(t, r.s, name, wait)
		processes.Go(func() {
			_ = w.Queue.Consume(ctx, w.Deployment, streams.Search, nil, 2, func(ctx context.Context, job *streams.Job) {
				mu.Lock()
				deliveries = append(deliveries, job.Deliveries)
				if len(deliveries) > 1 {
					stopAll()
				}
				mu.Unlock()
				w.runJob(ctx, job, id, func(ctx context.Context, _ begun) (run.Finished, error) {
					select {
					case <-ctx.Done():
						return run.Finished{}, ctx.Err()
					case <-enough:
					case <-time.After(length):
					}
					return run.Finished{Outcome: run.Done, Reason: run.ReasonFinished}, nil
				})
			})
		})
	}
	offerSearch(t, r.w, r.key, id)
	limit := time.Now().Add(length + deadline)
	look := time.NewTicker(wait / 20)
	defer look.Stop()
	for last := time.Now(); f == nil; last = time.Now() {
		<-look.C
		slots, err := r.w.Queue.Slots(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f = finishedOf(t, r.s, r.key, id)
		if len(slots) == 0 && f == nil {
			t.Fatal("the slot was free while the run went on")
		}
		stood = max(stood, time.Since(last))
		if time.Now().After(limit) {
			t.Fatal("the run did not end")
		}
	}
	mu.Lock()
	defer mu.Unlock()
	return append([]int(nil), deliveries...), f, stood
}
