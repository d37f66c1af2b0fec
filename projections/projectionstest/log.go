package projectionstest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sozai/domain"
	"sozai/streams"
)

// Log is a log in memory with the reading side of streams.Log. Time advances a
// second an event, ids are made from the sequence, so everything is repeatable.
type Log struct {
	mu       sync.Mutex
	identity streams.Identity
	events   []domain.Recorded
	now      time.Time
	restored int // times that something was lost: later events get other ids
	changed  chan struct{}
}

// Start is the time of a new log.
func Start() time.Time { return time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC) }

// NewLog is an empty log.
func NewLog() *Log {
	return &Log{
		identity: streams.Identity{Stream: "EVENTS", Created: Start()}, now: Start(), changed: make(chan struct{}),
	}
}

// ID makes a ULID-shaped id out of a word and a number.
func ID(word string, n int) domain.ID {
	return domain.ID(fmt.Sprintf("01%s%018d", strings.ToUpper((word + "000000")[:6]), n))
}

// kindOf is the subject kind of an event.
func kindOf(e domain.Event) domain.Kind {
	switch e := e.(type) {
	case domain.Decision:
		return e.Decision()
	case domain.Fact:
		return e.Fact()
	default:
		return domain.KindLibrary // a poison event of a test
	}
}

// Add appends events of one agent and returns the sequence of the last.
func (l *Log) Add(key domain.Key, actor domain.Actor, events ...domain.Event) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		l.now = l.now.Add(time.Second)
		seq := uint64(len(l.events) + 1)
		l.events = append(l.events, domain.Recorded{
			Meta: domain.Meta{
				ID: ID("event", int(seq)+1_000_000*l.restored), Type: e.EventType(), Version: 1, Key: key,
				Kind: kindOf(e), Seq: seq, Time: l.now, Actor: actor, Command: string(ID("command", int(seq))),
			},
			Event: e,
		})
	}
	l.wake()
	return uint64(len(l.events))
}

// Pass lets time pass.
func (l *Log) Pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// Events are all events so far.
func (l *Log) Events() []domain.Recorded {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// Replace changes an event in place, as if it had always been so.
func (l *Log) Replace(seq uint64, e domain.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = slices.Clone(l.events)
	l.events[seq-1].Event = e
}

// Restore brings the log back to an earlier point: what came after seq is lost,
// and events that are added get ids of their own.
func (l *Log) Restore(seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = slices.Clone(l.events[:seq])
	l.restored++
	l.wake()
}

// Recreate makes the stream anew, empty.
func (l *Log) Recreate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = nil
	l.restored++
	l.identity.Created = l.identity.Created.Add(time.Second)
	l.wake()
}

func (l *Log) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Identity of the log.
func (l *Log) Identity() streams.Identity {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.identity
}

// Last is the sequence of the newest event.
func (l *Log) Last(context.Context) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.events)), nil
}

// EventID is the id of the event at a sequence; NotFound if there is none.
func (l *Log) EventID(_ context.Context, seq uint64) (domain.ID, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seq == 0 || seq > uint64(len(l.events)) {
		return "", domain.Errorf(domain.NotFound, "the log has no event %d", seq)
	}
	return l.events[seq-1].ID, nil
}

// Read calls each with the events after a sequence up to another (0: the end).
func (l *Log) Read(ctx context.Context, after, upto uint64, key domain.Key, kinds []domain.Kind, each func([]domain.Recorded) error) error {
	l.mu.Lock()
	events := l.events
	l.mu.Unlock()
	if upto == 0 || upto > uint64(len(events)) {
		upto = uint64(len(events))
	}
	var batch []domain.Recorded
	for _, r := range events[min(after, upto):upto] {
		if key != (domain.Key{}) && r.Key != key || kinds != nil && !slices.Contains(kinds, r.Kind) {
			continue
		}
		batch = append(batch, r)
	}
	if ctx.Err() != nil || len(batch) == 0 {
		return ctx.Err()
	}
	return each(batch)
}

// Follow calls each with everything after a sequence, then with what comes.
func (l *Log) Follow(ctx context.Context, after uint64, each func([]domain.Recorded) error) error {
	for {
		l.mu.Lock()
		events, changed := l.events, l.changed
		l.mu.Unlock()
		if uint64(len(events)) > after {
			if err := each(slices.Clone(events[after:])); err != nil {
				return err
			}
			after = uint64(len(events))
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
