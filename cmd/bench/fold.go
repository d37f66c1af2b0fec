package main

import (
	"context"
	"fmt"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/streams"
)

const coldFoldName = "cold fold of a subject with 100k events"

// coldFold measures how long a process that has just opened the log takes to see
// an agent with 100k run events of more than a year. The limit reads the same
// events and decodes none.
func coldFold(ctx context.Context, b *bench) error {
	p, _, err := b.openLog(ctx)
	if err != nil {
		return err
	}
	runs := b.size(100_000, 6_000) / 3
	l := newLife(1, time.Now().Add(-400*24*time.Hour))
	apart := 380 * 24 * time.Hour / time.Duration(runs)
	for range runs {
		id := l.id()
		l.decide(l.person(), run.Requested{Run: id, Work: run.Search, Trigger: run.Hand, Request: run.Request{What: l.text(30), Source: "fast", Target: 12}})
		l.finish(id, l.begin(id), nil)
		l.now = l.deeds[0].at.Add(apart * time.Duration(len(l.deeds)/3))
	}
	events, err := export(l.deeds)
	if err != nil {
		return err
	}
	if _, err := p.log.Import(ctx, each(events), nil); err != nil {
		return err
	}
	return b.rounds(ctx, func() error {
		conn, err := p.embedded.Connect("cold")
		if err != nil {
			return err
		}
		defer conn.Close()
		fresh, err := streams.Open(ctx, conn, streams.Config{})
		if err != nil {
			return err
		}
		known := 0
		mine, err := timed(func() error {
			return fresh.View(ctx, l.key, func(s *streams.State) error { known = len(s.Run.Runs); return nil })
		})
		if err != nil {
			return err
		}
		if known != runs {
			return fmt.Errorf("the fold knows %d of %d runs", known, runs)
		}
		read := 0
		limit, err := timed(func() error {
			return fresh.ReadStored(ctx, 0, 0, domain.Key{}, func(some []streams.Stored) error { read += len(some); return nil })
		})
		if err == nil && read < len(events) {
			err = fmt.Errorf("%d of %d events read", read, len(events))
		}
		b.add(coldFoldName, mine, limit)
		return err
	})
}
