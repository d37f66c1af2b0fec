package streams

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

// catchUp folds what the log has beyond the cache and reports whether there was
// anything. The caller holds the fold. After an error the fold starts afresh.
func (l *Log) catchUp(ctx context.Context, key domain.Key, f *fold) (moved bool, err error) {
	defer func() {
		if err != nil {
			f.reset()
		}
	}()
	life := l.life()
	if !f.loaded {
		if err := l.load(ctx, key, f); err != nil {
			return false, err
		}
		f.loaded, f.life = true, life
		return true, nil
	}
	now := l.now()
	for i, kind := range folded() {
		for {
			r, ok, err := l.next(ctx, key, kind, f.heads[i])
			if err != nil {
				return moved, err
			}
			if !ok {
				break
			}
			if err := f.apply(r, now); err != nil {
				return moved, err
			}
			moved = true
		}
	}
	return moved, nil
}

// load folds an agent from nothing.
func (l *Log) load(ctx context.Context, key domain.Key, f *fold) error {
	f.reset()
	now := l.now()
	long := []domain.Kind{}
	for i, kind := range folded() {
		for n := 0; ; n++ {
			if n == fewEvents {
				long = append(long, kind)
				break
			}
			r, ok, err := l.next(ctx, key, kind, f.heads[i])
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if err := f.apply(r, now); err != nil {
				return err
			}
		}
	}
	if len(long) == 0 {
		return nil
	}
	after := f.heads[0]
	for _, kind := range long {
		i, _ := place(kind)
		after = min(after, f.heads[i])
	}
	return l.Read(ctx, after, 0, key, long, func(events []domain.Recorded) error {
		for _, r := range events {
			if err := f.apply(r, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// verify throws the fold away if the log may have changed under it, or asked is
// set, and its newest event no longer stands there. The caller holds the fold.
func (l *Log) verify(ctx context.Context, f *fold, asked bool) error {
	life := l.life()
	if !f.loaded || (!asked && f.life == life) {
		return nil
	}
	if f.newest.seq != 0 {
		holds, err := l.holds(ctx, f.newest.seq, f.newest.id)
		if err != nil {
			return err
		}
		if !holds {
			f.reset()
			return nil
		}
	}
	f.life = life
	return nil
}

// next reads, from the leader, the first event of a subject after a sequence.
func (l *Log) next(ctx context.Context, key domain.Key, kind domain.Kind, after uint64) (domain.Recorded, bool, error) {
	subject := eventSubject(key, kind)
	msg, err := l.message(ctx, after+1, jetstream.WithGetMsgSubject(subject))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return domain.Recorded{}, false, nil
	}
	if err != nil {
		return domain.Recorded{}, false, fmt.Errorf("read %s after %d: %w", subject, after, silence(err))
	}
	return l.codec.decodeOrPoison(msg.Subject, header{parsed: msg.Header}, msg.Data, msg.Sequence), true, nil
}

// recall reads the events of a command that was carried out before.
func (l *Log) recall(ctx context.Context, c carried) ([]domain.Recorded, error) {
	var events []domain.Recorded
	for seq := c.first; seq <= c.last; seq++ {
		msg, err := l.message(ctx, seq)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", seq, silence(err))
		}
		events = append(events, l.codec.decodeOrPoison(msg.Subject, header{parsed: msg.Header}, msg.Data, msg.Sequence))
	}
	return events, nil
}
