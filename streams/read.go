package streams

import (
	"context"
	"errors"
	"fmt"
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
	// lifeCheck is how often a reader asks whether the log is still the same. One
	// that was silent for stallTicks of these is compared with the log's end: an
	// ordered consumer can stop pulling after a leadership change.
	lifeCheck  = time.Second
	stallTicks = 5
)

var (
	errStalled = errors.New("the reader fell silent")
	errGap     = errors.New("the reader skipped an event")
	errShaken  = errors.New("the log may be another than it was")
)

// Read calls each with the events after sequence after up to and including upto
// (0: the present end), in order, in batches. kinds and key narrow it; a zero
// key means all agents, no kinds all kinds. ErrRewound if the log is no longer
// the one that was read so far. The slice is reused.
func (l *Log) Read(ctx context.Context, after, upto uint64, key domain.Key, kinds []domain.Kind, each func([]domain.Recorded) error) error {
	return readRange(ctx, l, after, upto, filters(key, kinds), l.codec.decodeOrPoison, each)
}

// Follow calls each with every event after a sequence, first history, then
// live, in order, in batches as they come, until ctx ends or each returns an
// error, which it returns. It returns ErrRewound when the log no longer holds
// what was followed. The slice is reused.
func (l *Log) Follow(ctx context.Context, after uint64, each func([]domain.Recorded) error) error {
	return follow(ctx, l, after, nil, l.codec.decodeOrPoison, each)
}

// item is what a reader hands over.
type item interface{ domain.Recorded | Stored }

func seqOf[T item](v T) uint64 {
	switch v := any(v).(type) {
	case domain.Recorded:
		return v.Seq
	case Stored:
		return v.Seq
	}
	return 0
}

func idOf[T item](v T) domain.ID {
	switch v := any(v).(type) {
	case domain.Recorded:
		return v.ID
	case Stored:
		return domain.ID(first(v.Header, headerID))
	}
	return ""
}

func readRange[T item](ctx context.Context, l *Log, after, upto uint64, subjects []string, decode decoder[T], each func([]T) error) error {
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
	err = follow(ctx, l, after, subjects, decode, func(events []T) error {
		last := seqOf(events[len(events)-1]) >= upto
		for last && len(events) > 0 && seqOf(events[len(events)-1]) > upto {
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

// follow runs one feed after the other.
func follow[T item](ctx context.Context, l *Log, after uint64, subjects []string, decode decoder[T], each func([]T) error) error {
	var newest domain.ID // of the event at after, if it was read here
	for again := false; ; again = true {
		life := l.life()
		if again {
			if err := l.still(ctx, after, newest); err != nil {
				return err
			}
		}
		err := feed(ctx, l, after, life, subjects, decode, func(events []T) error {
			if err := each(events); err != nil {
				return err
			}
			last := events[len(events)-1]
			after, newest = seqOf(last), idOf(last)
			return nil
		})
		if !errors.Is(err, errStalled) && !errors.Is(err, errGap) && !errors.Is(err, errShaken) {
			return err
		}
	}
}

// still returns nil if the log still holds the event at a sequence, or, if its
// id is not known, reaches as far, and ErrRewound if not. A server that has only
// just come back is asked again for a while.
func (l *Log) still(ctx context.Context, seq uint64, id domain.ID) (err error) {
	for range stillTries {
		var holds bool
		if id == "" {
			var last uint64
			last, err = l.Last(ctx)
			holds = last >= seq
		} else {
			holds, err = l.holds(ctx, seq, id)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && holds:
			return nil
		case err == nil:
			return ErrRewound
		}
		sleep(ctx, 200*time.Millisecond)
	}
	return err
}

// stillTries bounds how often still asks.
const stillTries = 50

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
		msg, err := ask(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return l.stream.GetLastMsgForSubject(ctx, subject)
		})
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("end of %s: %w", subject, silence(err))
		}
		last = max(last, msg.Sequence)
	}
	return last, nil
}
