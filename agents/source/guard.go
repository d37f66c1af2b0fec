package source

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"sozai/agents/effect"
	"sozai/domain"
)

// GuardConfig says how a remote source may be used. Zero fields take the
// defaults in brackets.
type GuardConfig struct {
	Name     string        // shown on the System page, e.g. "tiktok"
	Kind     string        // "tikhub", "competitor", "hot"
	Failures int           // in a row that open the breaker [5]
	OpenFor  time.Duration // then nothing is asked for this long [30 s]
	StopFor  time.Duration // after a refused key or an empty account [15 min]
	Pace     *Pace         // shared by sources that share a key [none]
	Health   Health        // told after every call [nobody]
	Now      func() time.Time
}

// Guard stands before one remote source: it keeps the pace, stops asking while
// the source asked for a pause, refuses us or fails again and again, and tells
// how the source is. Safe for concurrent use.
type Guard struct {
	conf    GuardConfig
	breaker *gobreaker.CircuitBreaker[domain.Money]

	mu     sync.Mutex // taken inside the breaker's lock, never the other way round
	status Status     // totals of this process
	pause  *Error     // why nothing is asked until status.Until
}

// NewGuard makes the guard of a source that has not been asked yet.
func NewGuard(c GuardConfig) *Guard {
	c.Failures = cmp.Or(c.Failures, 5)
	c.OpenFor = cmp.Or(c.OpenFor, 30*time.Second)
	c.StopFor = cmp.Or(c.StopFor, 15*time.Minute)
	if c.Now == nil {
		c.Now = time.Now
	}
	g := &Guard{conf: c, status: Status{Name: c.Name, Kind: c.Kind, State: OK, Since: c.Now()}}
	g.breaker = gobreaker.NewCircuitBreaker[domain.Money](gobreaker.Settings{
		Timeout:     c.OpenFor,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= uint32(c.Failures) },
		IsSuccessful: func(err error) bool {
			var e *Error
			return !errors.As(err, &e) || e.Kind != Down
		},
		IsExcluded:    func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, _, to gobreaker.State) { g.turned(to) },
	})
	return g
}

// Status is how the source is, with the totals of this process.
func (g *Guard) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.status
}

// Do asks once. What ask returns besides a cancelled context is *Error, with the
// cost if the answer was charged. A refusal of the guard itself wraps
// effect.ErrNotDone: nothing was sent.
func (g *Guard) Do(ctx context.Context, ask func(ctx context.Context) (domain.Money, error)) error {
	if err := g.held(); err != nil {
		return err
	}
	leave, err := g.conf.Pace.enter(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return notSent(ctx.Err())
		}
		return g.refuse(Throttled, "too many searches wait for this source", time.Second)
	}
	defer leave()
	if err := g.held(); err != nil { // it may have said so while we waited
		return err
	}
	cost, err := g.breaker.Execute(func() (domain.Money, error) { return ask(ctx) })
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return g.refuse(Down, "it failed several times in a row and is left alone for a while", g.conf.OpenFor)
	}
	g.settle(ctx, cost, err)
	return err
}

// held is the pause's reason while it lasts, with the time that is left.
func (g *Guard) held() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	left := g.status.Until.Sub(g.conf.Now())
	if g.pause == nil || left <= 0 {
		return nil
	}
	again := *g.pause
	if again.Kind != Refused {
		again.RetryAfter = left
	}
	return &again
}

func (g *Guard) refuse(kind ErrorKind, message string, after time.Duration) *Error {
	return &Error{Source: g.conf.Name, Kind: kind, Message: message, RetryAfter: after, Err: effect.ErrNotDone}
}

// turned follows the breaker. It runs under the breaker's lock.
func (g *Guard) turned(to gobreaker.State) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.conf.Now()
	switch to {
	case gobreaker.StateOpen:
		g.become(Open, now, now.Add(g.conf.OpenFor))
		g.pause = g.refuse(Down, "it failed several times in a row and is left alone for a while", 0)
	case gobreaker.StateClosed:
		g.become(OK, now, time.Time{})
	}
}

// become changes the state; mu is held.
func (g *Guard) become(s State, now, until time.Time) {
	if g.status.State != s {
		g.status.Since = now
	}
	g.status.State, g.status.Until = s, until
	if until.IsZero() {
		g.pause = nil
	}
}

// settle counts a call that was made and reports it.
func (g *Guard) settle(ctx context.Context, cost domain.Money, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	g.mu.Lock()
	now := g.conf.Now()
	report := Status{Calls: 1, Cost: cost}
	g.status.Calls++
	g.status.Cost += cost
	var failed *Error
	switch {
	case err == nil:
		g.status.LastOK = now
		if g.status.State != Open { // else it is an answer from before
			g.become(OK, now, time.Time{})
		}
	case errors.As(err, &failed):
		report.Failures = 1
		g.status.Failures++
		g.status.LastError, g.status.LastErrorAt = domain.Clip(failed.Message, 200), now
		switch {
		case failed.stops:
			g.become(Stopped, now, now.Add(g.conf.StopFor))
			g.pause = g.refuse(Refused, failed.Message, 0)
		case failed.Kind == Throttled && failed.RetryAfter > 0:
			g.become(Limited, now, now.Add(failed.RetryAfter))
			g.pause = g.refuse(Throttled, failed.Message, 0)
		}
	}
	s := g.status
	g.mu.Unlock()
	if g.conf.Health == nil {
		return
	}
	s.Calls, s.Failures, s.Cost = report.Calls, report.Failures, report.Cost
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	g.conf.Health.Report(ctx, s)
}
