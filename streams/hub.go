package streams

import (
	"context"
	"errors"
	"sync"

	"sozai/domain"
)

// watchBuffer is how many batches may wait for a watcher before it is cut off.
const watchBuffer = 256

// Hub is one ordered feed a process, fanned out in memory by agent. Everybody
// in the process that wants live events watches it, so the server carries one
// consumer a process, whatever the number of rooms.
type Hub struct {
	log   *Log
	ready chan struct{}

	mu      sync.Mutex
	watches map[domain.Key]map[*Watch]struct{}
	last    uint64
	closed  bool
}

// NewHub makes a hub; its watches hear nothing until Run runs.
func NewHub(l *Log) *Hub {
	return &Hub{log: l, ready: make(chan struct{}), watches: map[domain.Key]map[*Watch]struct{}{}}
}

// Run follows the log from its present end until ctx ends, then closes every
// watch. If the log was rewound, every watch is cut off as if it lagged, since
// what it was sent is no longer true, and the hub goes on from the new end.
func (h *Hub) Run(ctx context.Context) error {
	defer h.close()
	for first := true; ; first = false {
		last, err := h.log.Last(ctx)
		if err != nil {
			return err
		}
		h.begin(last, !first)
		if first {
			close(h.ready)
		}
		err = h.log.Follow(ctx, last, func(events []domain.Recorded) error {
			h.deliver(events)
			return nil
		})
		if !errors.Is(err, ErrRewound) {
			return err
		}
	}
}

// begin makes last the newest sequence heard.
func (h *Hub) begin(last uint64, cut bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = last
	if !cut {
		return
	}
	for _, set := range h.watches {
		for w := range set {
			w.lagged = true
			w.remove()
		}
	}
}

// Ready is closed once the hub follows the log.
func (h *Hub) Ready() <-chan struct{} { return h.ready }

// Watch delivers events in log order. C is closed when the watcher was too slow
// (Lagged reports it) or the hub stopped; the watcher then re-reads from the log.
type Watch struct {
	C <-chan []domain.Recorded
	// After is the sequence the hub had seen when the watch began: C carries
	// every event of the agent beyond it.
	After uint64

	hub    *Hub
	key    domain.Key
	out    chan []domain.Recorded
	lagged bool
	gone   bool
}

// Watch registers for one agent's events from now on. A zero key watches all.
func (h *Hub) Watch(key domain.Key) *Watch {
	out := make(chan []domain.Recorded, watchBuffer)
	h.mu.Lock()
	defer h.mu.Unlock()
	w := &Watch{C: out, After: h.last, hub: h, key: key, out: out}
	if h.closed {
		w.gone = true
		close(out)
		return w
	}
	if h.watches[key] == nil {
		h.watches[key] = map[*Watch]struct{}{}
	}
	h.watches[key][w] = struct{}{}
	return w
}

// Lagged says that C was closed because its buffer overflowed.
func (w *Watch) Lagged() bool {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return w.lagged
}

// Close ends the watch; harmless twice.
func (w *Watch) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	w.remove()
}

// remove needs the hub's lock.
func (w *Watch) remove() {
	if w.gone {
		return
	}
	w.gone = true
	delete(w.hub.watches[w.key], w)
	if len(w.hub.watches[w.key]) == 0 {
		delete(w.hub.watches, w.key)
	}
	close(w.out)
}

func (h *Hub) deliver(events []domain.Recorded) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = events[len(events)-1].Seq
	if len(h.watches) == 0 {
		return
	}
	all := append([]domain.Recorded(nil), events...)
	h.send(h.watches[domain.Key{}], all)
	byKey := map[domain.Key][]domain.Recorded{}
	for _, r := range all {
		if len(h.watches[r.Key]) > 0 {
			byKey[r.Key] = append(byKey[r.Key], r)
		}
	}
	for key, some := range byKey {
		h.send(h.watches[key], some)
	}
}

// send never blocks: a watcher whose buffer is full is cut off.
func (h *Hub) send(watches map[*Watch]struct{}, events []domain.Recorded) {
	for w := range watches {
		select {
		case w.out <- events:
		default:
			w.lagged = true
			w.remove()
		}
	}
}

func (h *Hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, set := range h.watches {
		for w := range set {
			w.remove()
		}
	}
}
