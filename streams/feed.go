package streams

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// decoder turns a delivered message into what the reader wants.
type decoder[T item] func(subject string, header header, body []byte, seq uint64) T

// feed runs one ordered consumer and hands its events over in batches. It
// ends with ctx, with the error of each, or with errStalled, errGap or errShaken,
// after which a new one may go on where this one stopped if the log still holds it.
func feed[T item](ctx context.Context, l *Log, after, life uint64, subjects []string, decode decoder[T], each func([]T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	config := jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1, FilterSubjects: subjects,
		InactiveThreshold: readerLife, NamePrefix: nuid.Next(), // the same each time it is asked for
	}
	consumer, err := ask(ctx, func(ctx context.Context) (jetstream.Consumer, error) {
		return l.source.OrderedConsumer(ctx, config)
	})
	if err != nil {
		return readError(ctx, after, err)
	}
	defer func() { discard(l.nc, EventsStream, consumer) }()
	waiting := newInbox[T]()
	var seen atomic.Uint64
	seen.Store(after)
	consuming, err := consumer.Consume(func(msg jetstream.Msg) {
		seq := streamSequence(msg.Reply())
		seen.Store(seq)
		subject, header, body := part(msg.Subject(), msg.Headers(), msg.Data())
		waiting.put(ctx, decode(subject, header, body, seq))
	}, jetstream.PullMaxMessages(readAhead))
	if err != nil {
		return readError(ctx, after, err)
	}
	defer func() {
		cancel()
		consuming.Stop()
	}()

	check := time.NewTicker(lifeCheck)
	defer check.Stop()
	var events []T
	previous, before, silent := after, after, 0
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-check.C:
			if l.life() != life {
				return errShaken
			}
			if now := seen.Load(); now != before {
				before, silent = now, 0
				continue
			}
			if silent++; silent < stallTicks {
				continue
			}
			silent = 0
			// What the reader has not got is behind it or, in another log, before it.
			if end, err := l.end(ctx, subjects); err == nil && end != seen.Load() && (end > seen.Load() || subjects == nil) {
				return errStalled
			}
			continue
		case <-waiting.ready:
			events = waiting.take(events)
		}
		for batch := range slices.Chunk(events, batchMax) {
			for _, r := range batch {
				// Nothing is ever deleted from EVENTS, so an unfiltered reader sees
				// every sequence; anything else is a hole.
				seq := seqOf(r)
				if seq <= previous || (subjects == nil && seq != previous+1) {
					return errGap
				}
				previous = seq
			}
			if l.life() != life {
				return errShaken
			}
			if err := each(batch); err != nil {
				return err
			}
		}
	}
}

// readerLife is how long the server keeps a reader's consumer that nobody pulls
// from. Who was killed leaves one behind; who is only slow gets another.
const readerLife = 30 * time.Second

// discard takes a reader's consumer, under the name that it has by now, off the
// server, which bears only so many. Nobody waits for the answer: what is lost is
// gone after readerLife.
func discard(nc *nats.Conn, stream string, consumer jetstream.Consumer) {
	_ = nc.Publish("$JS.API.CONSUMER.DELETE."+stream+"."+consumer.CachedInfo().Name, nil)
}

// inbox hands decoded events from the connection to the reader, many at once.
type inbox[T any] struct {
	ready chan struct{} // there is something to take
	room  chan struct{} // there is room again

	mu    sync.Mutex
	items []T
}

func newInbox[T any]() *inbox[T] {
	return &inbox[T]{ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put waits for room; what comes after the end of ctx is dropped.
func (b *inbox[T]) put(ctx context.Context, item T) {
	b.mu.Lock()
	for len(b.items) >= readAhead {
		b.mu.Unlock()
		select {
		case <-b.room:
		case <-ctx.Done():
			return
		}
		b.mu.Lock()
	}
	b.items = append(b.items, item)
	b.mu.Unlock()
	signal(b.ready)
}

// take returns what is there and keeps used, which was taken before, for reuse.
func (b *inbox[T]) take(used []T) []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	clear(used)
	b.items = used[:0]
	signal(b.room)
	return items
}

// signal wakes whoever waits on a channel of one place.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// streamSequence reads the stream sequence from a delivered message's reply
// subject: $JS.ACK.<stream>.<consumer>.<delivered>.<stream seq>.… or, from a
// server with domains, with two more tokens before the stream. 0 if it is
// neither, which no reader accepts. Parsing all of it costs a bulk reader a third.
func streamSequence(reply string) uint64 {
	skip := 5
	if strings.Count(reply, ".") > 8 {
		skip = 7
	}
	for range skip {
		_, rest, ok := strings.Cut(reply, ".")
		if !ok {
			return 0
		}
		reply = rest
	}
	token, _, _ := strings.Cut(reply, ".")
	seq, err := strconv.ParseUint(token, 10, 64)
	if err != nil {
		return 0
	}
	return seq
}

func readError(ctx context.Context, after uint64, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("read events after %d: %w", after, silence(err))
}
