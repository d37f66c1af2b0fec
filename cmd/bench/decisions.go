package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/run"
	"sozai/streams"
)

const (
	decideOneName   = "decision of one event, 1 caller"
	decideManyName  = "decision of two events, 1 caller"
	decideCrowdName = "decisions, 64 callers, 100 agents"
)

// decider makes decisions about agents whose folds are warm.
type decider struct {
	p    *place
	js   jetstream.JetStream
	enc  encoder
	keys []domain.Key
}

// decisions measures guarded decisions. Ours and the limit alternate call by
// call where there is one caller; a round's figure is the median of its calls.
func decisions(ctx context.Context, b *bench) error {
	p, _, err := b.openLog(ctx)
	if err != nil {
		return err
	}
	d := &decider{p: p, enc: newEncoder()}
	if d.js, err = p.jetStream(); err != nil {
		return err
	}
	if err := d.populate(ctx); err != nil {
		return err
	}
	calls := b.size(400, 40)
	length := time.Duration(b.size(int(span), int(span/4)))
	return b.rounds(ctx, func() error {
		if b.wants(decideOneName) {
			if err := d.one(ctx, b, calls); err != nil {
				return err
			}
		}
		if b.wants(decideManyName) {
			if err := d.many(ctx, b, calls/2); err != nil {
				return err
			}
		}
		if !b.wants(decideCrowdName) {
			return nil
		}
		mine, err := hammer(ctx, 64, length, func(ctx context.Context, caller, n int) error {
			_, err := d.edit(ctx, d.keys[(caller*31+n*7)%len(d.keys)])
			return err
		})
		if err != nil {
			return err
		}
		limit, err := rawFacts(p, d.keys, func() domain.Fact { return said(bodySize) })
		if err != nil {
			return err
		}
		raw, err := limit(ctx, 64, length)
		b.add(decideCrowdName, mine, raw)
		return err
	})
}

// populate makes the agents and warms their folds.
func (d *decider) populate(ctx context.Context) error {
	var deeds []deed
	for i := range crowd {
		l := newLife(uint64(i+1), time.Now().Add(-24*time.Hour))
		deeds = append(deeds, l.deeds...)
		d.keys = append(d.keys, l.key)
	}
	events, err := export(deeds)
	if err != nil {
		return err
	}
	if _, err := d.p.log.Import(ctx, each(events), nil); err != nil {
		return err
	}
	for _, key := range d.keys {
		if _, err := d.edit(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// edit is a decision of one event. It renames the agent: the state does not grow
// by it.
func (d *decider) edit(ctx context.Context, key domain.Key) (streams.Result, error) {
	res, err := d.p.log.Decide(ctx, key, newCommand(), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		name := "末日塔防 " + string(newID())
		return s.Agent.Edit(agent.Edited{Name: &name})
	})
	if err == nil && len(res.Events) != 1 {
		err = fmt.Errorf("an edit left %d events", len(res.Events))
	}
	return res, err
}

// one alternates decisions of one event with raw publishes of the same event.
func (d *decider) one(ctx context.Context, b *bench, calls int) error {
	var mine, raw []float64
	for i := range calls {
		key := d.keys[i%len(d.keys)]
		var res streams.Result
		took, err := timed(func() (err error) {
			res, err = d.edit(ctx, key)
			return err
		})
		if err != nil {
			return err
		}
		mine = append(mine, took)
		msg, err := d.again(res.Events[0])
		if err != nil {
			return err
		}
		if took, err = timed(func() error { return publishOne(ctx, d.js, msg) }); err != nil {
			return err
		}
		raw = append(raw, took)
	}
	b.add(decideOneName, median(mine), median(raw))
	return nil
}

// many alternates confirmations of orders, which are two events of one batch,
// with bare batches of the same two.
func (d *decider) many(ctx context.Context, b *bench, calls int) error {
	var mine, raw []float64
	for i := range calls {
		key, order := d.keys[i%len(d.keys)], newID()
		if _, err := d.p.log.Decide(ctx, key, newCommand(), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
			return s.Run.ProposeOrder(run.OrderProposed{Order: order, Work: run.Board, Request: run.Request{What: "板", Why: "因"}}, now)
		}); err != nil {
			return err
		}
		var res streams.Result
		took, err := timed(func() (err error) {
			res, err = d.p.log.Decide(ctx, key, newCommand(), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
				return s.Run.ConfirmOrder(order, newID(), person, now)
			})
			return err
		})
		if err != nil {
			return err
		}
		mine = append(mine, took)
		var msgs []*nats.Msg
		for _, r := range res.Events {
			msg, err := d.again(r)
			if err != nil {
				return err
			}
			msgs = append(msgs, msg)
		}
		if len(msgs) != 2 {
			return fmt.Errorf("a confirmation left %d events", len(msgs))
		}
		if took, err = timed(func() error { return publishBatch(ctx, d.p.conn, msgs) }); err != nil {
			return err
		}
		raw = append(raw, took)
	}
	b.add(decideManyName, median(mine), median(raw))
	return nil
}

// again is the message of an event once more, for another agent that nobody
// folds: the same bytes, and the agents under test stay foldable.
func (d *decider) again(r domain.Recorded) (*nats.Msg, error) {
	r.Agent = "01HZ00000000000000000LIM1T"
	r.Command = string(newID())
	return d.enc.message(r)
}
