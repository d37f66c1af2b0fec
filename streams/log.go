package streams

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/oklog/ulid/v2"

	"sozai/domain"
)

// Identity tells one life of a stream from another (recreated, restored).
type Identity struct {
	Stream  string    `json:"stream"`
	Created time.Time `json:"created"`
}

// Command says who appends, under which idempotency key, and what caused it.
// The time is stamped by the log.
type Command struct {
	// ID is a ULID from a client, or a composite such as
	// "<run>/<attempt>/<n>" from a worker. It is unique an agent.
	ID        string
	Actor     domain.Actor
	Causation domain.ID
}

// Log is the EVENTS stream. Safe for concurrent use.
type Log struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	stream  jetstream.Stream
	source  jetstream.Stream // the same, for readers
	id      Identity
	codec   *Codec
	commit  *committer
	now     func() time.Time
	shaken  atomic.Uint64 // see life
	advised *nats.Subscription

	mu    sync.Mutex
	folds map[domain.Key]*fold
}

// Open ensures all streams and returns the log.
func Open(ctx context.Context, nc *nats.Conn, cfg Config) (*Log, error) {
	js, err := newJetStream(nc)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	if err := ensure(ctx, js, max(cfg.Replicas, 1)); err != nil {
		return nil, err
	}
	if server, ok := nc.Opts.InProcessServer.(inside); ok {
		server.stage()
	}
	stream, err := openStream(ctx, js)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	source, err := openSource(ctx, nc)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	l := &Log{
		nc: nc, js: js, stream: stream, source: source, codec: NewCodec(), now: time.Now,
		id:    Identity{Stream: EventsStream, Created: stream.CachedInfo().Created.UTC()},
		folds: map[domain.Key]*fold{},
	}
	l.watchLife()
	l.commit = newCommitter(sender{nc: nc, js: js, timeout: appendTimeout})
	return l, nil
}

func openSource(ctx context.Context, nc *nats.Conn) (jetstream.Stream, error) {
	reader, err := forReading(nc)
	if err != nil {
		return nil, err
	}
	js, err := newJetStream(reader)
	if err != nil {
		return nil, err
	}
	return openStream(ctx, js)
}

func openStream(ctx context.Context, js jetstream.JetStream) (jetstream.Stream, error) {
	stream, err := askUpTo(ctx, openTries, func(ctx context.Context) (jetstream.Stream, error) { return js.Stream(ctx, EventsStream) })
	if err != nil {
		return nil, silence(err)
	}
	return stream, nil
}

// Identity of the EVENTS stream, as it was when its end was last asked for.
func (l *Log) Identity() Identity {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.id
}

// NewID makes an id for an event or object.
func (l *Log) NewID() domain.ID { return domain.ID(ulid.Make().String()) }

// Last is the sequence of the log's newest event (0: empty).
func (l *Log) Last(ctx context.Context) (uint64, error) {
	info, err := l.info(ctx)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	l.id.Created = info.Created.UTC()
	l.mu.Unlock()
	return info.State.LastSeq, nil
}

func (l *Log) info(ctx context.Context) (*jetstream.StreamInfo, error) {
	info, err := ask(ctx, func(ctx context.Context) (*jetstream.StreamInfo, error) { return l.stream.Info(ctx) })
	if err != nil {
		return nil, fmt.Errorf("log end: %w", silence(err))
	}
	return info, nil
}

// message reads from the leader.
func (l *Log) message(ctx context.Context, seq uint64, opts ...jetstream.GetMsgOpt) (*jetstream.RawStreamMsg, error) {
	return ask(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) { return l.stream.GetMsg(ctx, seq, opts...) })
}

// EventID is the id of the event at a sequence, read from the leader; NotFound
// if the log has none there.
func (l *Log) EventID(ctx context.Context, seq uint64) (domain.ID, error) {
	msg, err := l.message(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return "", domain.Errorf(domain.NotFound, "the log has no event %d", seq)
	}
	if err != nil {
		return "", fmt.Errorf("event %d: %w", seq, silence(err))
	}
	return domain.ID(first(msg.Header, headerID)), nil
}

func (l *Log) check(key domain.Key, cmd Command, now time.Time) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if !plain(cmd.ID) || !plain(string(cmd.Actor)) {
		return fmt.Errorf("append to %s/%s: command %q of %q does not fit into a header", key.Product, key.Agent, cmd.ID, cmd.Actor)
	}
	if id, err := domain.ParseID(cmd.ID); err == nil {
		switch age := now.Sub(id.Time()); {
		case age > domain.CommandLifetime:
			return ErrCommandExpired
		case age < -24*time.Hour:
			return ErrCommandEarly
		}
	}
	return nil
}

func (l *Log) record(key domain.Key, cmd Command, now time.Time, event domain.Event) domain.Recorded {
	kind, _ := kindOf(event)
	return domain.Recorded{Event: event, Meta: domain.Meta{
		ID: l.NewID(), Type: event.EventType(), Version: versionOf(event), Key: key, Kind: kind, Time: now,
		Actor: cmd.Actor, Command: cmd.ID, Causation: cmd.Causation,
	}}
}

// Record appends facts, in order, each of which must pass its own Check if it
// has one. A repeated command inside the server's
// duplicate window leaves one event; after that readers recognise the object's
// own id. The returned events carry their sequences, 0 for one that was a
// duplicate inside a batch.
func (l *Log) Record(ctx context.Context, key domain.Key, cmd Command, facts ...domain.Fact) ([]domain.Recorded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err // a fenced or stopped worker appends nothing
	}
	now := l.now().UTC()
	if err := l.check(key, cmd, now); err != nil {
		return nil, err
	}
	events := make([]domain.Recorded, len(facts))
	for i, f := range facts {
		if checked, ok := f.(interface{ Check() error }); ok {
			if err := checked.Check(); err != nil {
				return nil, err
			}
		}
		events[i] = l.record(key, cmd, now, f)
	}
	if len(events) == 0 {
		return nil, nil
	}
	last, err := l.append(events, nil)
	if err != nil {
		if isDuplicate(err) {
			if last != 0 {
				number(events, last)
			}
			return events, nil
		}
		return nil, err
	}
	number(events, last)
	return events, nil
}

// number gives consecutive events their sequences, last being the newest's.
func number(events []domain.Recorded, last uint64) {
	for i := range events {
		events[i].Seq = last - uint64(len(events)-1-i)
	}
}
