package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/streams"
)

// settleFor is how long a difference between log and queue may last: the
// reconciler makes it good every ten seconds.
const settleFor = 13 * time.Second

// settlePause is how long to wait before looking again.
const settlePause = 500 * time.Millisecond

// workVerdict compares the work that the log asks for with the queue's slots.
type workVerdict struct {
	OK         bool       `json:"ok"`
	Runs       int        `json:"runs"`  // open in the log
	Rooms      int        `json:"rooms"` // with something for the butler to do
	Slots      int        `json:"slots"` // in the queue
	Stopped    bool       `json:"stopped,omitempty"`
	Mismatches []mismatch `json:"mismatches,omitempty"`
}

// mismatch is work without a slot, or a slot without work.
type mismatch struct {
	domain.Key
	Work streams.Work `json:"work"`
	Run  string       `json:"run"` // "-" for the butler
	What string       `json:"what"`
}

const (
	withoutSlot = "asked for, but nothing in the queue"
	withoutWork = "in the queue, but nothing asks for it"
)

func (m mismatch) String() string {
	return fmt.Sprintf("%s %s of agent %s: %s", m.Work, m.Run, m.Agent, m.What)
}

func (w workVerdict) says() string {
	text := fmt.Sprintf("%s and %s open, %s", plural(w.Runs, "run"), plural(w.Rooms, "room"), plural(w.Slots, "slot"))
	switch {
	case len(w.Mismatches) > 0:
		text += fmt.Sprintf(", %d do not match", len(w.Mismatches))
	case w.Stopped && w.Runs+w.Rooms > w.Slots:
		text += "; the rest is offered at the next start"
	default:
		text += ", all match"
	}
	return text
}

// checkWork compares until all matches or a difference has outlasted the
// reconciler. Without a server only a slot of work that the log never heard of is
// a finding: the next start offers what is missing and frees what is over.
func checkWork(p *process, n *node, progress *meter) (*workVerdict, error) {
	queue, err := streams.OpenQueue(n.conn, streams.Config{})
	if err != nil {
		return nil, err
	}
	var lasting map[mismatch]bool
	for until := time.Now().Add(settleFor); ; {
		w, err := compareWork(p.ctx, n, queue)
		if err != nil {
			return nil, err
		}
		w.Stopped = n.own
		if n.own {
			w.Mismatches = slices.DeleteFunc(w.Mismatches, func(m mismatch) bool { return m.What == withoutSlot || known(p.ctx, n, m) })
		}
		// Only what differs at every look counts: work comes and goes between reading
		// the tables and reading the queue.
		now := map[mismatch]bool{}
		for _, m := range w.Mismatches {
			if lasting == nil || lasting[m] {
				now[m] = true
			}
		}
		lasting = now
		w.Mismatches = slices.DeleteFunc(w.Mismatches, func(m mismatch) bool { return !lasting[m] })
		if len(lasting) == 0 || n.own || time.Now().After(until) {
			w.OK = len(w.Mismatches) == 0
			return w, nil
		}
		progress.say(func() string { return fmt.Sprintf("waiting whether %s settles", plural(len(lasting), "difference")) })
		select {
		case <-p.ctx.Done():
			return nil, p.ctx.Err()
		case <-time.After(settlePause):
		}
	}
}

// known reports whether the log knows the work of a slot, open or finished.
func known(ctx context.Context, n *node, m mismatch) bool {
	found := false
	err := n.log.View(ctx, m.Key, func(s *streams.State) error {
		found = m.Run == "-" || s.Run.Runs[domain.ID(m.Run)] != nil
		return nil
	})
	return err == nil && found
}

func compareWork(ctx context.Context, n *node, queue *streams.Queue) (*workVerdict, error) {
	runs, rooms, err := n.store.OpenWork(ctx)
	if err != nil {
		return nil, err
	}
	slots, err := queue.Slots(ctx)
	if err != nil {
		return nil, err
	}
	w := &workVerdict{Slots: len(slots)}
	held := map[streams.Slot]bool{}
	for _, s := range slots {
		held[s.Slot] = true
	}
	wanted := map[streams.Slot]bool{}
	for _, r := range runs {
		w.Runs++
		slot := streams.Slot{Key: r.Key, Work: streams.Work(r.Work), ID: string(r.Run)}
		if r.Work == run.Digest {
			slot.Work, slot.ID = streams.Butler, "-"
		}
		wanted[slot] = true
	}
	for _, room := range rooms {
		w.Rooms++
		wanted[streams.Slot{Key: room.Key, Work: streams.Butler, ID: "-"}] = true
	}
	for slot := range wanted {
		if !held[slot] {
			w.Mismatches = append(w.Mismatches, mismatch{slot.Key, slot.Work, slot.ID, withoutSlot})
		}
	}
	for _, s := range slots {
		if !wanted[s.Slot] {
			w.Mismatches = append(w.Mismatches, mismatch{s.Key, s.Work, s.ID, withoutWork})
		}
	}
	slices.SortFunc(w.Mismatches, func(a, b mismatch) int {
		return compareText(a.Product, b.Product, string(a.Agent), string(b.Agent), a.Run, b.Run, a.What, b.What)
	})
	return w, nil
}

// compareText compares pairs of texts, the first that differs decides.
func compareText(pairs ...string) int {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != pairs[i+1] {
			if pairs[i] < pairs[i+1] {
				return -1
			}
			return 1
		}
	}
	return 0
}
