package streams

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

const (
	// readAhead is how many decoded events may wait between the connection and
	// the reader.
	readAhead = 4096
	// batchMax is the most events handed over at once.
	batchMax = 1000
	// stallCheck is how often a silent reader is compared with the log's end: an
	// ordered consumer can stop pulling after a leadership change.
	stallCheck = 5 * time.Second
)

var (
	errStalled = errors.New("the reader fell silent")
	errGap     = errors.New("the reader skipped an event")
)

// Read calls each with the events after sequence after up to and including upto
// (0: the present end), in order, in batches. kinds and key narrow it; a zero
// key means all agents, no kinds all kinds. The slice is reused.
func (l *Log) Read(ctx context.Context, after, upto uint64, key domain.Key, kinds []domain.Kind, each func([]domain.Recorded) error) error {
	subjects := filters(key, kinds)
	target, err := l.end(ctx, subjects)
	if err != nil {
		return err
	}
	if upto == 0 || upto > target {
		upto = target
	}
	if after >= upto {
		return nil
	}
	done := errors.New("done")
	err = l.feed(ctx, after, subjects, func(events []domain.Recorded) error {
		last := events[len(events)-1].Seq >= upto
		for last && len(events) > 0 && events[len(events)-1].Seq > upto {
			events = events[:len(events)-1]
		}
		if len(events) > 0 {
			if err := each(events); err != nil {
				return err
			}
		}
		if last {
			return done
		}
		return nil
	})
	if errors.Is(err, done) {
		return nil
	}
	return err
}

// Follow calls each with every event after a sequence, first history, then
// live, in order, in batches as they come, until ctx ends or each returns an
// error, which it returns. The slice is reused.
func (l *Log) Follow(ctx context.Context, after uint64, each func([]domain.Recorded) error) error {
	for {
		err := l.feed(ctx, after, nil, func(events []domain.Recorded) error {
			if err := each(events); err != nil {
				return err
			}
			after = events[len(events)-1].Seq
			return nil
		})
		if !errors.Is(err, errStalled) && !errors.Is(err, errGap) {
			return err
		}
	}
}

// filters lists the subjects of a key and kinds; nil means everything (a filter
// that matches everything is far slower than none).
func filters(key domain.Key, kinds []domain.Kind) []string {
	if key == (domain.Key{}) && len(kinds) == 0 {
		return nil
	}
	product, agent := key.Product, string(key.Agent)
	if product == "" {
		product = "*"
	}
	if agent == "" {
		agent = "*"
	}
	if len(kinds) == 0 {
		return []string{"evt." + product + "." + agent + ".*"}
	}
	subjects := make([]string, len(kinds))
	for i, kind := range kinds {
		subjects[i] = "evt." + product + "." + agent + "." + string(kind)
	}
	return subjects
}

// end is the newest sequence on any of the subjects, read from the leader.
func (l *Log) end(ctx context.Context, subjects []string) (uint64, error) {
	if subjects == nil {
		return l.Last(ctx)
	}
	var last uint64
	for _, subject := range subjects {
		msg, err := l.stream.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("end of %s: %w", subject, err)
		}
		last = max(last, msg.Sequence)
	}
	return last, nil
}

// feed runs one ordered consumer and hands its events over in batches. It
// ends with ctx, with the error of each, or with errStalled or errGap, after
// which a new one may go on where this one stopped.
func (l *Log) feed(ctx context.Context, after uint64, subjects []string, each func([]domain.Recorded) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	consumer, err := l.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1, FilterSubjects: subjects,
	})
	if err != nil {
		return readError(ctx, after, err)
	}
	events := make(chan domain.Recorded, readAhead)
	var seen atomic.Uint64
	seen.Store(after)
	consuming, err := consumer.Consume(func(msg jetstream.Msg) {
		meta, err := msg.Metadata()
		if err != nil {
			cancel()
			return
		}
		seen.Store(meta.Sequence.Stream)
		select {
		case events <- l.codec.decodeOrPoison(msg.Subject(), msg.Headers(), msg.Data(), meta.Sequence.Stream):
		case <-ctx.Done():
		}
	}, jetstream.PullMaxMessages(readAhead))
	if err != nil {
		return readError(ctx, after, err)
	}
	defer func() {
		cancel()
		consuming.Stop()
	}()

	check := time.NewTicker(stallCheck)
	defer check.Stop()
	batch := make([]domain.Recorded, 0, batchMax)
	previous, before := after, after
	for {
		batch = batch[:0]
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-check.C:
			if now := seen.Load(); now != before || len(events) > 0 {
				before = now
				continue
			}
			end, err := l.end(ctx, subjects)
			if err == nil && end > seen.Load() {
				return errStalled
			}
			continue
		case r := <-events:
			batch = append(batch, r)
		}
		for more := true; more && len(batch) < batchMax; {
			select {
			case r := <-events:
				batch = append(batch, r)
			default:
				more = false
			}
		}
		for _, r := range batch {
			// Nothing is ever deleted from EVENTS, so an unfiltered reader sees
			// every sequence; anything else is a hole.
			if r.Seq <= previous || (subjects == nil && r.Seq != previous+1) {
				return errGap
			}
			previous = r.Seq
		}
		if err := each(batch); err != nil {
			return err
		}
	}
}

func readError(ctx context.Context, after uint64, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("read events after %d: %w", after, err)
}
