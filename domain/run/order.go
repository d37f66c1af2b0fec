package run

import (
	"math"
	"time"

	"sozai/domain"
)

// The rules of orders:
//
//  1. An order is for a search, a board or a film, and says what and why in words.
//  2. It expires 7 days after it was proposed.
//  3. At most 5 orders of an agent are pending; those expired by now do not count.
//  4. One search order a minute.
//  5. Only a person confirms or declines.
//  6. Confirming requests the run in the same batch, with the order's request.
//  7. An order is closed once; whoever comes later is told how and by whom.
//  8. Age closes an order, whether or not the timer has come.
var (
	ErrOrderExists  = domain.Rule(domain.Exists, "order_exists", "the order was proposed already")
	ErrOrderUnknown = domain.Rule(domain.NotFound, "order_unknown", "there is no such order")
	ErrOrderClosed  = domain.Rule(domain.Conflict, "order_closed", "the order is closed")
	ErrOrderWork    = domain.Rule(domain.Invalid, "order_work", "only a search, a board or a film can be ordered")
	ErrOrdersFull   = domain.Rule(domain.TooMany, "orders_pending", "too many orders wait for an answer")
	ErrOrderRate    = domain.Rule(domain.TooMany, "order_rate", "searches are ordered too fast")
)

// The states of an order.
const (
	StatePending   = "pending"
	StateConfirmed = "confirmed"
	StateDeclined  = "declined"
	StateExpired   = "expired"
)

// OrderCard is proposed work that waits for a person's nod.
type OrderCard struct {
	ID    domain.ID
	State string // pending, confirmed, declined, expired
	OrderProposed
	By         domain.Actor // who proposed it
	ProposedAt time.Time
	Seq        uint64
	ClosedBy   domain.Actor
	ClosedAt   time.Time
	Run        domain.ID // of a confirmed order
	Reason     string    // of a declined one
	Cause      string    // of an expired one
}

// ProposeOrder puts an order card in front of people.
func (s State) ProposeOrder(p OrderProposed, now time.Time) ([]domain.Decision, error) {
	if p.Order == "" {
		return nil, domain.Missing("order")
	}
	if _, known := s.Orders[p.Order]; known {
		return nil, ErrOrderExists
	}
	if p.Work != Search && p.Work != Board && p.Work != Film {
		return nil, ErrOrderWork.With(nil, "%q cannot be ordered", p.Work)
	}
	if err := domain.CheckRequired("what", p.Request.What, domain.MaxMessageRunes); err != nil {
		return nil, err
	}
	if err := domain.CheckRequired("why", p.Request.Why, domain.MaxMessageRunes); err != nil {
		return nil, err
	}
	if err := p.Request.check(p.Work); err != nil {
		return nil, err
	}
	if err := s.checkOrderLimits(p.Work, now); err != nil {
		return nil, err
	}
	p.Expires = now.Add(domain.ProposalLifetime)
	return []domain.Decision{p}, nil
}

// ConfirmOrder is a person's nod. run is the id of the run that it asks for.
func (s State) ConfirmOrder(order, run domain.ID, by domain.Actor, now time.Time) ([]domain.Decision, error) {
	o, err := s.pendingOrder(order, by, now)
	if err != nil {
		return nil, err
	}
	requested, err := s.request(Requested{
		Run: run, Work: o.Work, Trigger: Order, Request: o.Request, Order: order,
	})
	if err != nil {
		return nil, err
	}
	return []domain.Decision{OrderConfirmed{Order: order, Run: run}, requested}, nil
}

// DeclineOrder closes an order without effect.
func (s State) DeclineOrder(order domain.ID, reason string, by domain.Actor, now time.Time) ([]domain.Decision, error) {
	if _, err := s.pendingOrder(order, by, now); err != nil {
		return nil, err
	}
	if err := domain.CheckText("reason", reason, domain.MaxFeedback); err != nil {
		return nil, err
	}
	return []domain.Decision{OrderDeclined{Order: order, Reason: reason}}, nil
}

// ExpireOrder closes an order whose age is over; before that, and when it is
// closed already, it does nothing.
func (s State) ExpireOrder(order domain.ID, now time.Time) ([]domain.Decision, error) {
	o, known := s.Orders[order]
	switch {
	case !known:
		return nil, ErrOrderUnknown
	case o.State != StatePending || now.Before(o.Expires):
		return nil, nil
	}
	return []domain.Decision{OrderExpired{Order: order, Cause: ExpiredByAge}}, nil
}

// ExpiredByAge is the only cause for which an order expires.
const ExpiredByAge = "age"

func (s State) pendingOrder(order domain.ID, by domain.Actor, now time.Time) (*OrderCard, error) {
	if err := domain.CheckPerson(by); err != nil {
		return nil, err
	}
	o, known := s.Orders[order]
	switch {
	case !known:
		return nil, ErrOrderUnknown
	case o.State != StatePending:
		return nil, closedOrder(*o)
	case !now.Before(o.Expires):
		old := *o
		old.State, old.Cause, old.ClosedAt = StateExpired, ExpiredByAge, o.Expires
		return nil, closedOrder(old)
	}
	return o, nil
}

func closedOrder(o OrderCard) error {
	return ErrOrderClosed.With(map[string]any{
		"order": o.ID, "state": o.State, "by": o.ClosedBy, "at": domain.Stamp(o.ClosedAt), "run": o.Run, "cause": o.Cause,
	}, "the order is %s already (%s)", o.State, domain.Stamp(o.ClosedAt))
}

func (s State) checkOrderLimits(w Work, now time.Time) error {
	pending := 0
	var opens, lastSearch time.Time
	for _, o := range s.Orders {
		if o.State == StatePending && now.Before(o.Expires) {
			pending++
			if opens.IsZero() || o.Expires.Before(opens) {
				opens = o.Expires
			}
		}
		if o.Work == Search && o.ProposedAt.After(lastSearch) {
			lastSearch = o.ProposedAt
		}
	}
	if pending >= domain.MaxPendingOrders {
		return later(ErrOrdersFull, opens.Sub(now), "%d orders wait for an answer", pending)
	}
	if wait := lastSearch.Add(domain.SearchOrderInterval).Sub(now); w == Search && wait > 0 {
		return later(ErrOrderRate, min(wait, domain.SearchOrderInterval), "a search was ordered less than a minute ago")
	}
	return nil
}

func later(rule *domain.Error, wait time.Duration, format string, args ...any) error {
	e := rule.With(nil, format, args...)
	e.RetryAfter = int(math.Ceil(wait.Seconds()))
	return e
}

func evolveOrder(s State, r domain.Recorded) (State, error) {
	if p, proposed := r.Event.(OrderProposed); proposed {
		s.Orders[p.Order] = &OrderCard{
			ID: p.Order, State: StatePending, OrderProposed: p, By: r.Actor, ProposedAt: r.Time, Seq: r.Seq,
		}
		return s, nil
	}
	var id domain.ID
	closed := OrderCard{ClosedBy: r.Actor, ClosedAt: r.Time}
	switch e := r.Event.(type) {
	case OrderConfirmed:
		id, closed.State, closed.Run = e.Order, StateConfirmed, e.Run
	case OrderDeclined:
		id, closed.State, closed.Reason = e.Order, StateDeclined, e.Reason
	case OrderExpired:
		id, closed.State, closed.Cause = e.Order, StateExpired, e.Cause
	}
	o, known := s.Orders[id]
	if !known || o.State != StatePending {
		return s, domain.Errorf(domain.Internal, "run: %T at %d does not fit the history of order %s", r.Event, r.Seq, id)
	}
	o.State, o.Run, o.Reason, o.Cause = closed.State, closed.Run, closed.Reason, closed.Cause
	o.ClosedBy, o.ClosedAt = closed.ClosedBy, closed.ClosedAt
	return s, nil
}
