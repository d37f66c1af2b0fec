package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/streams"
)

const (
	manyMedianName = "append beside 100k agents, p50"
	manyTailName   = "append beside 100k agents, p99"
	manyMemoryName = "memory an agent of 100k"
)

// manyAgents measures appends to a log of 100,000 agents and, call by call in
// turns, to one of 1,000; and what the agents cost in memory, as the growth of
// the process's heap, which holds server and log, after a collection.
func manyAgents(ctx context.Context, b *bench) error {
	few, fewKeys, err := b.settled(ctx, 1_000)
	if err != nil {
		return err
	}
	before := heap()
	count := b.size(100_000, 5_000)
	many, manyKeys, err := b.settled(ctx, count)
	if err != nil {
		return err
	}
	b.alone(manyMemoryName, float64(heap()-before)/1024/float64(count))
	calls := b.size(1_000, 100)
	return b.rounds(ctx, func() error {
		var mine, limit []float64
		for i := range calls {
			took, err := timed(appendTo(ctx, many, manyKeys[(i*7919)%len(manyKeys)]))
			if err != nil {
				return err
			}
			mine = append(mine, took)
			if took, err = timed(appendTo(ctx, few, fewKeys[(i*7919)%len(fewKeys)])); err != nil {
				return err
			}
			limit = append(limit, took)
		}
		b.add(manyMedianName, median(mine), median(limit))
		b.add(manyTailName, quantile(mine, 0.99), quantile(limit, 0.99))
		return nil
	})
}

func appendTo(ctx context.Context, p *place, key domain.Key) func() error {
	fact, command := said(bodySize), newCommand()
	return func() error {
		_, err := p.log.Record(ctx, key, command, fact)
		return err
	}
}

// settled is a log with so many agents, each of which was created, searched once
// with one material, said something and got an answer: six kinds of events.
func (b *bench) settled(ctx context.Context, agents int) (*place, []domain.Key, error) {
	p, _, err := b.openLog(ctx)
	if err != nil {
		return nil, nil, err
	}
	var keys []domain.Key
	start := time.Now().Add(-30 * 24 * time.Hour)
	var failed error
	n, err := p.log.Import(ctx, func(yield func(streams.Stored, error) bool) {
		for i := range agents {
			l := newLife(uint64(i+1), start) //nolint:gosec // not negative
			keys = append(keys, l.key)
			l.firstDay()
			events, err := export(l.deeds)
			if err != nil {
				failed = err
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}
	}, nil)
	if err == nil {
		err = failed
	}
	if err == nil && len(keys) != agents {
		err = fmt.Errorf("%d events of %d agents imported", n, len(keys))
	}
	return p, keys, err
}

func (l *life) firstDay() {
	id, m, t := l.id(), l.id(), l.id()
	l.decide(l.person(), run.Requested{Run: id, Work: run.Search, Trigger: run.First, Request: run.Request{Target: 1}})
	l.decide(worker, run.Started{Run: id, Attempt: 1, GeneVersion: 1})
	l.record(worker, library.Saved{Material: m, Run: id, Attempt: 1, GeneVersion: 1, Source: "fast", External: string(m), Title: l.text(20)})
	l.decide(worker, run.Finished{Run: id, Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished})
	said := chat.Said{Message: l.id(), Text: l.text(40)}
	l.record(l.person(), said)
	l.decide(domain.Butler(t), turn.Started{Turn: t, Attempt: 1, Messages: []domain.ID{said.Message}, Upto: said.Message, GeneVersion: 1})
	l.decide(domain.Butler(t), turn.Finished{Turn: t, Attempt: 1, Upto: said.Message, Reason: string(run.ReasonFinished),
		Blocks: []turn.Block{{Type: turn.Text, Text: l.text(100)}}})
}

// discard removes a place's data at once: several of them are large.
func (b *bench) discard(p *place) error {
	p.conn.Close()
	p.embedded.Stop()
	return os.RemoveAll(p.dir)
}
