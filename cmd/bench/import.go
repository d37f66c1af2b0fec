package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/nats-io/nats.go"

	"sozai/streams"
)

const importName = "bulk import of 200k events"

// importRun measures Log.Import of a mixed history into an empty log, and bare
// batches of the same messages into another.
func importRun(ctx context.Context, b *bench) error {
	events, err := export(chronicle(crowd, b.size(200_000, 10_000), (*life).wheel))
	if err != nil {
		return err
	}
	return b.rounds(ctx, func() error {
		runtime.GC()
		mine, err := b.onFresh(ctx, func(p *place) (float64, error) {
			began := time.Now()
			n, err := p.log.Import(ctx, each(events), nil)
			if err == nil && n != len(events) {
				err = fmt.Errorf("%d of %d events imported", n, len(events))
			}
			return float64(n) / time.Since(began).Seconds(), err
		})
		if err != nil {
			return err
		}
		runtime.GC()
		limit, err := b.onFresh(ctx, func(p *place) (float64, error) { return bareImport(ctx, p, events) })
		b.add(importName, mine, limit)
		return err
	})
}

// bareImport publishes the events in atomic batches of 500.
func bareImport(ctx context.Context, p *place, events []streams.Stored) (float64, error) {
	began := time.Now()
	for from := 0; from < len(events); from += 500 {
		chunk := events[from:min(from+500, len(events))]
		msgs := make([]*nats.Msg, len(chunk))
		for i, e := range chunk {
			msgs[i] = bare(e)
		}
		if err := publishBatch(ctx, p.conn, msgs); err != nil {
			return 0, err
		}
	}
	return float64(len(events)) / time.Since(began).Seconds(), nil
}

// onFresh measures on a log of its own, which is thrown away.
func (b *bench) onFresh(ctx context.Context, measure func(p *place) (float64, error)) (float64, error) {
	p, stop, err := b.openLog(ctx)
	if err != nil {
		return 0, err
	}
	defer stop()
	rate, err := measure(p)
	if err != nil {
		return 0, err
	}
	return rate, b.discard(p)
}
