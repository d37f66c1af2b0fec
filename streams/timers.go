package streams

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"sozai/domain"
)

const (
	// dueFor is how long a fired timer waits for its reader; timers only wake, the
	// domain decides by the clock, and the reconciler arms a lost one again.
	dueFor = time.Hour
	// dueAgain is when a timer comes again whose reader failed.
	dueAgain = time.Second

	headerSchedule = "Nats-Schedule"
	headerDueAt    = "Sozai-At"
)

// Timers is the TIMERS stream: one schedule a subject, a new one replaces the
// old. Safe for concurrent use.
type Timers struct {
	js jetstream.JetStream

	mu     sync.Mutex
	stream jetstream.Stream // once it was asked for
}

// Timer is a schedule that has not fired.
type Timer struct {
	domain.Key
	Name string
	At   time.Time
}

// Due is a timer that fired, for the time it was armed for. The same timer and
// time may come more than once: the server gives what it fires no id.
type Due struct {
	domain.Key
	Name string
	At   time.Time
}

// OpenTimers returns the timers; the streams must have been ensured (see Open).
func OpenTimers(nc *nats.Conn) (*Timers, error) {
	js, err := newJetStream(nc)
	if err != nil {
		return nil, fmt.Errorf("open timers: %w", err)
	}
	return &Timers{js: js}, nil
}

// Arm sets a timer to fire once at a time, rounded up to the second; a past time
// fires at once. name is one subject token, for example "card-<id>". A pending
// timer for the same time is left alone.
func (t *Timers) Arm(ctx context.Context, key domain.Key, name string, at time.Time) error {
	suffix := timerSuffix(key, name)
	schedule := "@at " + wholeSecond(at).Format(time.RFC3339)
	stream, err := t.opened(ctx)
	if err != nil {
		return fmt.Errorf("arm timer %s: %w", suffix, err)
	}
	pending, err := ask(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return stream.GetLastMsgForSubject(ctx, "timer."+suffix)
	})
	if err == nil && pending.Header.Get(headerSchedule) == schedule {
		return nil
	}
	_, err = t.js.PublishMsg(ctx, &nats.Msg{Subject: "timer." + suffix, Header: nats.Header{
		headerSchedule:         {schedule},
		"Nats-Schedule-Target": {"due." + suffix},
		"Nats-Schedule-TTL":    {dueFor.String()},
		headerDueAt:            {strings.TrimPrefix(schedule, "@at ")},
	}})
	if err != nil {
		return fmt.Errorf("arm timer %s: %w", suffix, err)
	}
	return nil
}

// Disarm takes a pending timer back; harmless if there is none. One that fires
// in the same moment still fires: the domain decides.
func (t *Timers) Disarm(ctx context.Context, key domain.Key, name string) error {
	suffix := timerSuffix(key, name)
	stream, err := t.opened(ctx)
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject("timer."+suffix))
	}
	if err != nil {
		return fmt.Errorf("disarm timer %s: %w", suffix, err)
	}
	return nil
}

// List returns every pending timer.
func (t *Timers) List(ctx context.Context) ([]Timer, error) {
	consumer, err := ensureConsumer(ctx, t.js, TimersStream, jetstream.ConsumerConfig{
		Name: nuid.Next(), InactiveThreshold: readerLife, MemoryStorage: true, Replicas: 1, AckPolicy: jetstream.AckNonePolicy,
		FilterSubject: "timer.>", DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, HeadersOnly: true,
	})
	if err != nil {
		return nil, fmt.Errorf("list timers: %w", silence(err))
	}
	defer discard(t.js.Conn(), TimersStream, consumer)
	var timers []Timer
	for waiting := consumer.CachedInfo().NumPending; waiting > 0; {
		batch, err := consumer.FetchNoWait(1000)
		if err != nil {
			return nil, fmt.Errorf("list timers: %w", err)
		}
		some := false
		for msg := range batch.Messages() {
			some = true
			if timer, ok := pendingTimer(msg); ok {
				timers = append(timers, timer)
			}
			meta, err := msg.Metadata()
			if err != nil {
				return nil, fmt.Errorf("list timers: %w", err)
			}
			waiting = meta.NumPending
		}
		if err := batch.Error(); err != nil {
			return nil, fmt.Errorf("list timers: %w", err)
		}
		if !some { // the rest fired meanwhile
			break
		}
	}
	return timers, nil
}

func pendingTimer(msg jetstream.Msg) (Timer, bool) {
	key, name, ok := parseTimer(msg.Subject())
	at, err := time.Parse("@at "+time.RFC3339, msg.Headers().Get(headerSchedule))
	return Timer{Key: key, Name: name, At: at}, ok && err == nil
}

// Consume calls each for every fired timer of the given products (none: all)
// until ctx ends; a timer whose each fails comes again.
func (t *Timers) Consume(ctx context.Context, deployment string, products []string, each func(ctx context.Context, due Due) error) error {
	if len(products) == 0 {
		products = []string{"*"}
	}
	var subjects []string
	for _, p := range products {
		subjects = append(subjects, "due."+p+".*.*")
	}
	return consume(ctx, t.js, TimersStream, jetstream.ConsumerConfig{
		Durable: deployment + "-timers", FilterSubjects: subjects,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: dispatchAckWait, MaxDeliver: -1,
	}, func(msg jetstream.Msg) {
		key, name, ok := parseTimer(msg.Subject())
		if !ok {
			_ = msg.Term()
			return
		}
		at, _ := time.Parse(time.RFC3339, msg.Headers().Get(headerDueAt))
		if err := each(ctx, Due{Key: key, Name: name, At: at}); err != nil {
			_ = msg.NakWithDelay(dueAgain)
			return
		}
		_ = msg.Ack()
	})
}

func (t *Timers) opened(ctx context.Context) (jetstream.Stream, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stream == nil {
		stream, err := ask(ctx, func(ctx context.Context) (jetstream.Stream, error) { return t.js.Stream(ctx, TimersStream) })
		if err != nil {
			return nil, silence(err)
		}
		t.stream = stream
	}
	return t.stream, nil
}

func timerSuffix(key domain.Key, name string) string {
	return key.Product + "." + string(key.Agent) + "." + name
}

// parseTimer reads timer.… or due.<product>.<agent>.<name>.
func parseTimer(subject string) (key domain.Key, name string, ok bool) {
	token := strings.Split(subject, ".")
	if len(token) != 4 {
		return key, "", false
	}
	return domain.Key{Product: token[1], Agent: domain.ID(token[2])}, token[3], true
}

// wholeSecond rounds up: a timer that fires early wakes for nothing.
func wholeSecond(at time.Time) time.Time {
	at = at.UTC()
	if whole := at.Truncate(time.Second); whole.Before(at) {
		return whole.Add(time.Second)
	}
	return at
}
