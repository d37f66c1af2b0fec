package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/domain"
	"sozai/projections"
	"sozai/streams"
)

const lagName = "lag at 5k events/s, all projections, p99"

const (
	lagRate = 5_000 // events a second
	lagWarm = time.Second
	lagSpan = 5 * time.Second
	lagPoll = 2 * time.Millisecond
)

// lag measures how long after its append was acknowledged an event is applied by
// every projection, while a mixed history of 100 agents is appended at 5,000
// events a second through Record and Decide. Applied means committed: a
// connection of its own reads the lowest position every 2 ms, so the figures are
// too high by up to that, never too low.
func lag(ctx context.Context, b *bench) error {
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

	span := time.Duration(b.size(int(lagSpan), int(lagSpan/5)))
	perRound := int((lagWarm + span).Seconds() * lagRate)
	next, end := iter.Pull(tale(crowd, (*life).wheel))
	defer end()
	story := &story{p: p, next: next}
	err = b.rounds(ctx, func() error { return story.round(ctx, b, perRound) })
	stop()
	_ = parts.Wait()
	return err
}

// story is a history that is being appended. It is made up while it is told: it
// would be more than all else that the collector has to look through.
type story struct {
	p    *place
	next func() (deed, bool)
}

// appended is when an append was acknowledged, and its last sequence.
type appended struct {
	seq uint64
	at  time.Time
}

// round appends the next events and notes the p99 of their lags.
func (s *story) round(ctx context.Context, b *bench, events int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch := &positions{p: s.p}
	watching, stopped := errgroup.WithContext(ctx)
	watching.Go(func() error { return watch.run(stopped) })

	began := time.Now()
	acks, told, err := s.tell(ctx, events)
	if err != nil {
		return err
	}
	if rate := float64(told) / time.Since(began).Seconds(); rate < 0.97*lagRate {
		return fmt.Errorf("only %s events a second could be appended", figure(rate))
	}
	last := acks[len(acks)-1].seq
	for deadline := time.Now().Add(30 * time.Second); watch.low() < last; {
		if time.Now().After(deadline) {
			return fmt.Errorf("the projections stand at %d, the log at %d, 30 s after the last append", watch.low(), last)
		}
		pause(ctx, lagPoll)
	}
	cancel()
	_ = watching.Wait()
	var lags []float64
	for _, a := range acks {
		if a.at.Sub(began) > lagWarm {
			lags = append(lags, ms(max(0, watch.reached(a.seq).Sub(a.at))))
		}
	}
	fmt.Fprintf(b.stderr, "  lag p50 %.1f ms, max %.1f ms of %d appends\n", median(lags), quantile(lags, 1), len(lags))
	b.alone(lagName, quantile(lags, 0.99))
	return nil
}

// tell appends deeds at the pace, each agent's in order, all agents at once. acks
// are in the order of the log.
func (s *story) tell(ctx context.Context, events int) (acks []appended, told int, err error) {
	tellers, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	queues := map[domain.Key]chan deed{}
	began := time.Now()
	for told < events && ctx.Err() == nil {
		d, _ := s.next() // it has no end
		if ahead := time.Duration(told)*time.Second/lagRate - time.Since(began); ahead > time.Millisecond {
			pause(ctx, ahead)
		}
		told += len(d.decisions) + len(d.facts)
		queue := queues[d.key]
		if queue == nil {
			queue = make(chan deed, 4096)
			queues[d.key] = queue
			tellers.Go(func() error {
				for d := range queue {
					seq, err := s.append(ctx, d)
					if err != nil {
						return err
					}
					mu.Lock()
					acks = append(acks, appended{seq, time.Now()})
					mu.Unlock()
				}
				return nil
			})
		}
		select {
		case queue <- d:
		case <-ctx.Done():
		}
	}
	for _, queue := range queues {
		close(queue)
	}
	if err := tellers.Wait(); err != nil {
		return nil, 0, err
	}
	slices.SortFunc(acks, func(a, b appended) int { return int(a.seq) - int(b.seq) }) //nolint:gosec // far below overflow
	return acks, told, nil
}

func (s *story) append(ctx context.Context, d deed) (uint64, error) {
	cmd := streams.Command{ID: string(newID()), Actor: d.actor}
	if len(d.facts) > 0 {
		events, err := s.p.log.Record(ctx, d.key, cmd, d.facts...)
		if err != nil {
			return 0, err
		}
		return events[len(events)-1].Seq, nil
	}
	res, err := s.p.log.Decide(ctx, d.key, cmd, func(*streams.State, time.Time) ([]domain.Decision, error) { return d.decisions, nil })
	return res.Seq, err
}

// pause waits without holding up the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
