package source

import (
	"context"
	"fmt"

	"golang.org/x/time/rate"
)

// Pace is how fast a key may be used. Nil is no limit.
type Pace struct {
	limiter *rate.Limiter
	slots   chan struct{}
}

// NewPace allows so many requests a second, and so many at the same time.
func NewPace(perSecond float64, parallel int) (*Pace, error) {
	if perSecond <= 0 || parallel < 1 {
		return nil, fmt.Errorf("a pace of %g requests a second, %d at a time is none", perSecond, parallel)
	}
	return &Pace{rate.NewLimiter(rate.Limit(perSecond), parallel), make(chan struct{}, parallel)}, nil
}

// enter waits for a place and returns how to leave it.
func (p *Pace) enter(ctx context.Context) (leave func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := p.limiter.Wait(ctx); err != nil {
		<-p.slots
		return nil, err
	}
	return func() { <-p.slots }, nil
}
