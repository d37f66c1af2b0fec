package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// hammer lets callers call op one after another until the time is over, and
// returns how many calls a second were completed. op gets the caller's number and
// how many calls it has made before. The first error ends it.
func hammer(ctx context.Context, callers int, span time.Duration, op func(ctx context.Context, caller, n int) error) (float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var done atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	deadline := began.Add(span)
	for caller := range callers {
		all.Go(func() {
			n := 0
			for ; time.Now().Before(deadline) && ctx.Err() == nil; n++ {
				if err := op(ctx, caller, n); err != nil {
					cancel(err)
					break
				}
			}
			done.Add(int64(n))
		})
	}
	all.Wait()
	took := time.Since(began)
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	return float64(done.Load()) / took.Seconds(), nil
}

// timed calls op and says how long it took, in milliseconds.
func timed(op func() error) (float64, error) {
	began := time.Now()
	err := op()
	return ms(time.Since(began)), err
}
