package work

import (
	"context"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/streams"
)

// wake arms a timer for the age of every card and order, and asks the domain
// when one fires. Timers only wake: expiry is decided by the clock.
func (w *Workers) wake(ctx context.Context) error {
	watch := w.Hub.Watch(domain.Key{})
	defer watch.Close()
	fired := make(chan error, 1)
	go func() { fired <- w.Timers.Consume(ctx, w.Deployment, w.due) }()
	for {
		select {
		case <-ctx.Done():
			return <-fired
		case err := <-fired:
			return err
		case events, ok := <-watch.C:
			if !ok {
				if ctx.Err() != nil {
					return <-fired
				}
				watch = w.Hub.Watch(domain.Key{})
				continue
			}
			for _, r := range events {
				w.arm(ctx, r)
			}
		}
	}
}

func (w *Workers) arm(ctx context.Context, r domain.Recorded) {
	if !w.serves(r.Product) {
		return
	}
	var name string
	var at time.Time
	switch e := r.Event.(type) {
	case gene.Proposed:
		name, at = "card-"+string(e.Card), e.Expires
	case run.OrderProposed:
		name, at = "order-"+string(e.Order), e.Expires
	default:
		return
	}
	if err := w.Timers.Arm(ctx, r.Key, name, at); err != nil && ctx.Err() == nil {
		w.Logger.Error("arm timer", "timer", name, "error", err)
	}
}

// due expires what its timer names, if the domain agrees.
func (w *Workers) due(ctx context.Context, due streams.Due) error {
	noun, id, _ := strings.Cut(due.Name, "-")
	_, err := w.Log.Decide(ctx, due.Key, streams.Command{ID: due.Name + "/expire", Actor: domain.System("timers")},
		func(s *streams.State, now time.Time) ([]domain.Decision, error) {
			switch noun {
			case "card":
				return s.Gene.Expire(domain.ID(id), now)
			case "order":
				return s.Run.ExpireOrder(domain.ID(id), now)
			}
			return nil, nil
		})
	switch domain.CodeOf(err) {
	case domain.Conflict, domain.NotFound, domain.Invalid:
		return nil // closed meanwhile, or not old enough: nothing to do
	}
	if err != nil {
		w.Logger.Error("expire", "timer", due.Name, "error", err)
	}
	return err
}
