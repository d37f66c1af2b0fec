package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

// Alive holds a liveness key for every attempt being worked on. A key lives as
// long as AckWait after its last beat; it is kept in memory, so that a beat
// costs no sync, and a server that restarts forgets it, which is safe: the
// fence decides.
type Alive struct {
	kv jetstream.KeyValue
}

// Beat says who works on which attempt.
type Beat struct {
	Attempt int    `json:"attempt"`
	Worker  string `json:"worker"`
}

// OpenAlive ensures the bucket.
func OpenAlive(ctx context.Context, nc *nats.Conn, cfg Config) (*Alive, error) {
	js, err := newJetStream(nc)
	if err != nil {
		return nil, fmt.Errorf("open liveness keys: %w", err)
	}
	kv, err := askUpTo(ctx, openTries, func(ctx context.Context) (jetstream.KeyValue, error) {
		return js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: aliveBucket, Storage: jetstream.MemoryStorage, TTL: cfg.ackWait(), History: 1,
			Replicas: max(cfg.Replicas, 1),
		})
	})
	if err != nil {
		return nil, fmt.Errorf("open liveness keys: %w", silence(err))
	}
	return &Alive{kv: kv}, nil
}

// Set refreshes the key of a run or turn.
func (a *Alive) Set(ctx context.Context, id domain.ID, beat Beat) error {
	data, err := json.Marshal(beat)
	if err != nil {
		return err
	}
	if _, err := a.kv.Put(ctx, string(id), data); err != nil {
		return fmt.Errorf("liveness key %s: %w", id, err)
	}
	return nil
}

// Get returns the last beat; false if there was none within its life.
func (a *Alive) Get(ctx context.Context, id domain.ID) (Beat, bool, error) {
	entry, err := ask(ctx, func(ctx context.Context) (jetstream.KeyValueEntry, error) { return a.kv.Get(ctx, string(id)) })
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return Beat{}, false, nil
	}
	if err != nil {
		return Beat{}, false, fmt.Errorf("liveness key %s: %w", id, silence(err))
	}
	var beat Beat
	if err := json.Unmarshal(entry.Value(), &beat); err != nil {
		return Beat{}, false, fmt.Errorf("liveness key %s: %w", id, err)
	}
	return beat, true, nil
}

// List returns every beat within its life, by run or turn.
func (a *Alive) List(ctx context.Context) (map[domain.ID]Beat, error) {
	entries, err := ask(ctx, a.entries)
	if err != nil {
		return nil, fmt.Errorf("liveness keys: %w", silence(err))
	}
	beats := make(map[domain.ID]Beat, len(entries))
	for _, entry := range entries {
		var beat Beat
		if err := json.Unmarshal(entry.Value(), &beat); err != nil {
			return nil, fmt.Errorf("liveness key %s: %w", entry.Key(), err)
		}
		beats[domain.ID(entry.Key())] = beat
	}
	return beats, nil
}

func (a *Alive) entries(ctx context.Context) ([]jetstream.KeyValueEntry, error) {
	watch, err := a.kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	defer func() { _ = watch.Stop() }()
	var entries []jetstream.KeyValueEntry
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case entry, open := <-watch.Updates():
			switch {
			case !open && ctx.Err() != nil:
				return nil, ctx.Err()
			case !open:
				return nil, errWatchEnded
			case entry == nil: // the present keys are through
				return entries, nil
			}
			entries = append(entries, entry)
		}
	}
}

var errWatchEnded = errors.New("the list broke off")

// Clear removes the key of work that ended or was handed over.
func (a *Alive) Clear(ctx context.Context, id domain.ID) error {
	if err := a.kv.Delete(ctx, string(id)); err != nil {
		return fmt.Errorf("liveness key %s: %w", id, err)
	}
	return nil
}
