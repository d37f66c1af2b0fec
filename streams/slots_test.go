package streams_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"sozai/domain"
	"sozai/streams"
	"sozai/streams/streamstest"
)

func TestSlotsTellWhatWaitsAndWhatIsTaken(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	list := func() []streams.SlotStatus {
		t.Helper()
		slots, err := s.Queue.Slots(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slots
	}
	if got := list(); len(got) != 0 {
		t.Fatalf("got %+v", got)
	}
	one := streams.Slot{Key: s.Key(), Work: streams.Search, ID: "a"}
	two := streams.Slot{Key: s.Key(), Work: streams.Butler, ID: "-"}
	three := streams.Slot{Key: s.Key(), Work: streams.Search, ID: "b"}
	offer(t, s, one)
	offer(t, s, two)
	w := startWorker(t, s, streams.Search)
	job := w.next(t)
	want := []streams.SlotStatus{{Slot: one, Seq: 1, Taken: true}, {Slot: two, Seq: 2}}
	since := cmpopts.IgnoreFields(streams.SlotStatus{}, "Since")
	if diff := cmp.Diff(want, list(), since); diff != "" {
		t.Fatalf("slots (-want +got):\n%s", diff)
	}
	if age := time.Since(list()[0].Since); age < 0 || age > deadline {
		t.Fatalf("offered %s ago", age)
	}
	if err := job.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.stop()
	offer(t, s, three)
	want = []streams.SlotStatus{{Slot: two, Seq: 2}, {Slot: three, Seq: 3}}
	if diff := cmp.Diff(want, list(), since); diff != "" {
		t.Fatalf("slots (-want +got):\n%s", diff)
	}
}

// slotModel is what the queue promises of one subject: at most one message, and
// each delivery of it can be answered, also late.
type slotModel struct {
	slot   streams.Slot
	full   bool
	seq    uint64 // of the message, once delivered
	queued bool   // a worker will get it
	jobs   []*streams.Job
	// ghosts were freed by a late ack while they were on their way to a worker.
	ghosts map[uint64]bool
}

// Random offers, takes, acks, late acks, heartbeats and returns against a model
// of "one message a subject": an offer is refused exactly while there is one, an
// ack of whichever delivery frees it, nothing is delivered that is not there,
// and what was offered is delivered.
func TestPropertySlots(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	ctx, cancel := context.WithCancel(context.Background())
	// Nothing is delivered again for want of a heartbeat: the model does not know
	// when, and on a busy machine that can cross the ack which frees the slot.
	queue, err := streams.OpenQueue(s.Conn, streams.Config{AckWait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	jobs := make(chan *streams.Job, 64)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = queue.Consume(ctx, "test", streams.Film, nil, 3, func(_ context.Context, job *streams.Job) { jobs <- job })
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	rapid.Check(t, func(t *rapid.T) {
		agent := s.Log.NewID()
		models := map[string]*slotModel{}
		for n := range 3 {
			id := fmt.Sprint(n)
			models[id] = &slotModel{slot: streams.Slot{Key: domain.Key{Product: "test", Agent: agent}, Work: streams.Film, ID: id}, ghosts: map[uint64]bool{}}
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			m := models[fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "slot"))]
			m.step(t, queue, jobs, models)
		}
		for _, m := range models { // leave nothing behind
			for m.full {
				m.take(t, jobs, models)
				m.answer(t, "+ACK", len(m.jobs)-1)
			}
		}
	})
}

func (m *slotModel) step(t *rapid.T, queue *streams.Queue, jobs chan *streams.Job, all map[string]*slotModel) {
	switch step := rapid.SampledFrom([]string{"offer", "offer", "take", "+ACK", "-NAK", "+WPI"}).Draw(t, "step"); step {
	case "offer":
		taken, err := queue.Offer(context.Background(), m.slot)
		if err != nil {
			t.Fatal(err)
		}
		if taken != m.full {
			t.Fatalf("an offer to slot %s was refused: %v; there is a message: %v", m.slot.ID, taken, m.full)
		}
		if !m.full {
			m.full, m.queued, m.seq = true, true, 0
		}
	case "take":
		m.take(t, jobs, all)
	default:
		if len(m.jobs) > 0 {
			m.answer(t, step, rapid.IntRange(0, len(m.jobs)-1).Draw(t, "delivery"))
		}
	}
}

// take waits for the message of the slot, if one is on its way.
func (m *slotModel) take(t *rapid.T, jobs chan *streams.Job, all map[string]*slotModel) {
	for m.queued {
		select {
		case job := <-jobs:
			of := all[job.ID]
			if of == nil || job.Agent != of.slot.Agent {
				_ = job.Done(context.Background()) // of an earlier round
				continue
			}
			if of.ghosts[job.Seq] {
				continue
			}
			if of.seq != 0 && of.seq != job.Seq || !of.full {
				t.Fatalf("slot %s delivered message %d, has %d (full: %v)", job.ID, job.Seq, of.seq, of.full)
			}
			of.seq, of.queued = job.Seq, false
			of.jobs = append(of.jobs, job)
		case <-time.After(deadline):
			t.Fatalf("slot %s was offered and never delivered", m.slot.ID)
		}
	}
}

// answer sends the word of one delivery, the last or an earlier one. An ack of
// any delivery of the present message frees the slot; words about a message that
// is gone change nothing.
func (m *slotModel) answer(t *rapid.T, word string, delivery int) {
	job := m.jobs[delivery]
	present := m.full && job.Seq == m.seq
	var err error
	switch word {
	case "+ACK":
		err = job.Done(context.Background())
		if present {
			m.ghosts[m.seq] = m.queued
			m.full, m.queued = false, false
		}
	case "-NAK":
		if !present || delivery != len(m.jobs)-1 || m.queued {
			return
		}
		err = job.Later(context.Background(), 0)
		m.queued = true
	case "+WPI":
		if present && m.queued {
			return // a heartbeat after Later puts the delivery off by another AckWait
		}
		err = job.Heartbeat(context.Background())
	}
	if err != nil {
		t.Fatalf("%s: %v", word, err)
	}
}
