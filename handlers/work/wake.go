package work

import (
	"context"
	"errors"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/streams"
	"sozai/streams/fault"
)

// rearmEvery is how often missing timers are looked for.
const rearmEvery = time.Minute

// wake arms a timer for the age of every card and order and for the daily
// search, and asks the domain when one fires. Timers only wake: what is due is
// decided by the clock.
func (w *Workers) wake(ctx context.Context) error {
	watch := w.Hub.Watch(domain.Key{})
	defer func() { watch.Close() }()
	fired := make(chan error, 1)
	go func() { fired <- w.Timers.Consume(ctx, w.Deployment, w.Products, w.due) }()
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
				watch = w.Hub.Watch(domain.Key{}) // what was missed is armed by the reconciler
				continue
			}
			for _, r := range events {
				if err := shielded(func() error { return w.arm(ctx, r) }); err != nil && ctx.Err() == nil {
					w.Logger.Error("arm timer", "event", r.Seq, "error", err)
				}
			}
		}
	}
}

func (w *Workers) arm(ctx context.Context, r domain.Recorded) error {
	if !w.serves(r.Product) {
		return nil
	}
	switch e := r.Event.(type) {
	case gene.Proposed:
		return w.Timers.Arm(ctx, r.Key, expiry(domain.CardObj, e.Card), e.Expires)
	case run.OrderProposed:
		return w.Timers.Arm(ctx, r.Key, expiry(domain.OrderObj, e.Order), e.Expires)
	case agent.ScheduleSet, agent.Archived:
		return w.daily(ctx, r.Key)
	}
	return nil
}

// expiry names the timer for the age of a card or order.
func expiry(of domain.ObjectType, id domain.ID) string { return string(of) + "-" + string(id) }

// rearm sets the timers that should be pending and are not: those of events that
// nobody was there to hear, and all of them when TIMERS was lost.
func (w *Workers) rearm(ctx context.Context) error {
	type timer struct {
		domain.Key
		name string
	}
	pending := map[timer]time.Time{}
	list, err := w.Timers.List(ctx)
	if err != nil {
		return err
	}
	for _, t := range list {
		pending[timer{t.Key, t.Name}] = t.At
	}
	now := w.now()
	waiting, err := w.Store.PendingExpiry(ctx, now.Add(2*domain.ProposalLifetime))
	if err != nil {
		return err
	}
	var problems []error
	for _, e := range waiting {
		name := expiry(e.Type, e.ID)
		if _, armed := pending[timer{e.Key, name}]; !armed && w.serves(e.Product) && e.Expires.After(now) {
			problems = append(problems, w.Timers.Arm(ctx, e.Key, name, e.Expires))
		}
	}
	schedules, err := w.Store.Schedules(ctx)
	if err != nil {
		return err
	}
	for _, s := range schedules {
		zone, err := time.LoadLocation(s.Zone)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		_, next := agent.State{Daily: true, At: s.At, Zone: s.Zone}.DailySearch(now, zone)
		if !pending[timer{s.Key, dailyTimer}].Equal(next) && w.serves(s.Product) {
			problems = append(problems, w.daily(ctx, s.Key))
		}
	}
	return errors.Join(problems...)
}

// due does what its timer is for, if the domain agrees.
func (w *Workers) due(ctx context.Context, due streams.Due) error {
	fault.Point("timer.due")
	err := shielded(func() error {
		switch due.Name {
		case dailyTimer:
			return w.daily(ctx, due.Key)
		case digestTimer:
			return w.digestFired(ctx, due.Key)
		}
		return w.expire(ctx, due)
	})
	if err != nil && ctx.Err() == nil && domain.CodeOf(err) != domain.Unavailable { // it comes again
		w.Logger.Error("timer", "timer", due.Name, "agent", due.Agent, "error", err)
	}
	return err
}

// expire closes the card or order that the timer names, if it is old enough.
func (w *Workers) expire(ctx context.Context, due streams.Due) error {
	noun, id, _ := strings.Cut(due.Name, "-")
	_, err := w.Log.Decide(ctx, due.Key, streams.Command{ID: due.Name + "/expire", Actor: domain.System("timers")},
		func(s *streams.State, now time.Time) ([]domain.Decision, error) {
			switch domain.ObjectType(noun) {
			case domain.CardObj:
				return s.Gene.Expire(domain.ID(id), now)
			case domain.OrderObj:
				return s.Run.ExpireOrder(domain.ID(id), now)
			}
			return nil, nil
		})
	switch domain.CodeOf(err) {
	case domain.Conflict, domain.NotFound, domain.Invalid:
		return nil // closed meanwhile: nothing to do
	}
	return err
}
