package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"sozai/agents"
	"sozai/agents/catalogue"
	"sozai/agents/source"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/handlers/access"
	"sozai/handlers/work"
	"sozai/projections"
	"sozai/streams"
)

const (
	startMedianName = "run requested to attempt started, p50"
	startTailName   = "run requested to attempt started, p99"
)

// runStart measures, with the workers of serve idle, how long after a run was
// asked for (its append acknowledged) run.started stands in the log, as somebody
// who follows the log hears of it.
func runStart(ctx context.Context, b *bench) error {
	p, err := b.open(ctx)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	parts, running := errgroup.WithContext(running)
	hub := streams.NewHub(p.log)
	parts.Go(func() error { return hub.Run(running) })
	parts.Go(func() error { return projections.NewRunner(p.store, p.log, quiet()).Run(running) })
	<-hub.Ready()
	workers, err := b.workers(ctx, p, hub)
	if err != nil {
		return err
	}
	parts.Go(func() error { return workers.Run(running) })

	d := &decider{p: p, enc: newEncoder()}
	if d.js, err = p.jetStream(); err != nil {
		return err
	}
	if err := d.populate(ctx); err != nil {
		return err
	}
	watch := hub.Watch(domain.Key{})
	defer watch.Close()
	for i := range 20 { // warm
		if _, err := d.start(ctx, watch, i); err != nil {
			return err
		}
	}
	samples := b.size(100, 20)
	err = b.rounds(ctx, func() error {
		var mine, limit []float64
		for i := range samples {
			took, err := d.start(ctx, watch, i)
			if err != nil {
				return err
			}
			mine = append(mine, took)
			if took, err = d.bareStart(ctx); err != nil {
				return err
			}
			limit = append(limit, took)
			pause(ctx, 5*time.Millisecond)
		}
		b.add(startMedianName, median(mine), median(limit))
		b.add(startTailName, quantile(mine, 0.99), quantile(limit, 0.99))
		return nil
	})
	stop()
	_ = parts.Wait()
	return err
}

// workers are those of serve, with a model that ends a search at once.
func (b *bench) workers(ctx context.Context, p *place, hub *streams.Hub) (*work.Workers, error) {
	cfg := streams.Config{}
	queue, err := streams.OpenQueue(p.conn, cfg)
	if err != nil {
		return nil, err
	}
	alive, err := streams.OpenAlive(ctx, p.conn, cfg)
	if err != nil {
		return nil, err
	}
	timers, err := streams.OpenTimers(p.conn)
	if err != nil {
		return nil, err
	}
	accounts, err := access.New(p.pool)
	if err != nil {
		return nil, err
	}
	cat, err := b.catalogue(ctx, p)
	if err != nil {
		return nil, err
	}
	return &work.Workers{
		Log: p.log, Queue: queue, Alive: alive, Timers: timers, Live: streams.NewLive(p.conn), Hub: hub, Store: p.store,
		Model: finisher{}, Catalogue: cat, Fast: source.NewLocal(cat), Names: accounts.Names,
		Name: "bench", Deployment: "bench", Butlers: 4, Searches: 2, Logger: quiet(),
	}, nil
}

func (b *bench) catalogue(ctx context.Context, p *place) (*catalogue.Catalogue, error) {
	analyzer, err := video.New(video.Config{})
	if err != nil {
		return nil, err
	}
	cat, err := catalogue.Open(ctx, catalogue.Config{Pool: p.pool, Dir: p.dir, Video: analyzer})
	if err == nil {
		b.later(func() { _ = cat.Close() })
	}
	return cat, err
}

// start asks for a search and waits until it has begun, then until it is over
// and its worker idle again.
func (d *decider) start(ctx context.Context, watch *streams.Watch, i int) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	id := newID()
	_, err := d.p.log.Decide(ctx, d.keys[i%20], newCommand(), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: id, Work: run.Search, Trigger: run.Hand, Request: run.Request{What: "再找一批", Target: 4}}, now)
	})
	if err != nil {
		return 0, err
	}
	asked := time.Now()
	var took float64
	for {
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("a run was not worked on: %w", ctx.Err())
		case events, ok := <-watch.C:
			if !ok {
				return 0, errors.New("the watch was cut off")
			}
			now := time.Now()
			for _, r := range events {
				switch e := r.Event.(type) {
				case run.Started:
					if e.Run == id {
						took = ms(max(0, now.Sub(asked)))
					}
				case run.Finished:
					if e.Run == id && e.Outcome != run.Done {
						return 0, fmt.Errorf("a run ended as %s: %s", e.Outcome, e.Summary)
					}
					if e.Run == id {
						pause(ctx, 5*time.Millisecond) // its slot is freed
						return took, nil
					}
				}
			}
		}
	}
}

// bareStart is three publishes one after another: what asking, offering and
// starting must at least write.
func (d *decider) bareStart(ctx context.Context) (float64, error) {
	msgs := make([]*nats.Msg, 3)
	for i := range msgs {
		var err error
		if msgs[i], err = d.again(domain.Recorded{Event: said(bodySize), Meta: domain.Meta{
			ID: newID(), Key: domain.Key{Product: product}, Time: time.Now(), Actor: person,
		}}); err != nil {
			return 0, err
		}
	}
	return timed(func() error {
		for _, msg := range msgs {
			if err := publishOne(ctx, d.js, msg); err != nil {
				return err
			}
		}
		return nil
	})
}

// finisher is a model that ends a search with its first word.
type finisher struct{}

func (finisher) Name() string { return "finisher" }

func (finisher) Stream(context.Context, agents.Request, func(agents.Delta)) (agents.Response, error) {
	return agents.Response{
		Model: "finisher", Stop: agents.StopToolUse, Usage: domain.Usage{Known: true},
		Blocks: []agents.Block{{Type: agents.ToolUse, ID: "c1", Name: "finish", Input: json.RawMessage(`{"found":0,"reason":"够了"}`)}},
	}, nil
}
