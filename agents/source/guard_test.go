package source_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sozai/agents/effect"
	"sozai/agents/source"
	"sozai/domain"
)

// clock is a time that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// reports keeps what a guard tells, added up as several processes' would be.
type reports struct {
	mu   sync.Mutex
	last source.Status
	sum  source.Status
}

func (r *reports) Report(_ context.Context, s source.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = s
	r.sum.Calls += s.Calls
	r.sum.Failures += s.Failures
	r.sum.Cost += s.Cost
}

func asked(n *int, cost domain.Money, err error) func(context.Context) (domain.Money, error) {
	return func(context.Context) (domain.Money, error) {
		*n++
		return cost, err
	}
}

func TestGuardKeepsAPauseAndEndsIt(t *testing.T) {
	t.Parallel()
	c, r := &clock{now: time.Unix(1_800_000_000, 0)}, &reports{}
	g := source.NewGuard(source.GuardConfig{Name: "x", Kind: "k", Now: c.Now, Health: r})
	n := 0
	throttled := &source.Error{Kind: source.Throttled, Message: "later", RetryAfter: 30 * time.Second}
	if err := g.Do(t.Context(), asked(&n, 0, throttled)); !errors.Is(err, throttled) {
		t.Fatal(err)
	}
	c.move(10 * time.Second)
	var failed *source.Error
	err := g.Do(t.Context(), asked(&n, 5, nil))
	if !errors.As(err, &failed) || failed.RetryAfter != 20*time.Second || failed.Message != "later" || !errors.Is(err, effect.ErrNotDone) || n != 1 {
		t.Fatalf("%v after %d calls", err, n)
	}
	if s := g.Status(); s.State != source.Limited || !s.Until.Equal(time.Unix(1_800_000_030, 0)) || !s.Since.Equal(time.Unix(1_800_000_000, 0)) {
		t.Fatalf("%+v", s)
	}
	c.move(20 * time.Second)
	if err := g.Do(t.Context(), asked(&n, 5, nil)); err != nil || n != 2 {
		t.Fatalf("%v after %d calls", err, n)
	}
	if r.last.State != source.OK || r.last.Calls != 1 || r.last.Cost != 5 || !r.last.Until.IsZero() || r.last.LastError != "later" {
		t.Fatalf("%+v", r.last)
	}
	if s := g.Status(); s.Calls != 2 || s.Failures != 1 || s.Cost != 5 || r.sum.Calls != 2 || r.sum.Failures != 1 || r.sum.Cost != 5 {
		t.Fatalf("totals %+v, sum of reports %+v", s, r.sum)
	}
}

// What waits for its turn hears of a pause before it asks, and while the pause
// lasts nobody waits for a turn.
func TestGuardKeepsAPauseForThoseWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := must(source.NewPace(1e6, 1))(t)
		throttled, other := source.NewGuard(source.GuardConfig{Name: "x", Pace: p}), source.NewGuard(source.GuardConfig{Name: "y", Pace: p})
		end, results, n := make(chan struct{}), make(chan error, 6), 0
		go func() {
			results <- throttled.Do(t.Context(), func(context.Context) (domain.Money, error) {
				<-end
				return 0, &source.Error{Kind: source.Throttled, Message: "later", RetryAfter: time.Hour}
			})
		}()
		synctest.Wait() // it has the only place
		for range 5 {
			go func() { results <- throttled.Do(t.Context(), asked(&n, 0, nil)) }()
		}
		synctest.Wait() // they wait for it
		close(end)
		for range 6 {
			var failed *source.Error
			if err := <-results; !errors.As(err, &failed) || failed.Kind != source.Throttled {
				t.Fatalf("got %v", err)
			}
		}
		if n != 0 {
			t.Fatalf("%d calls in a pause", n)
		}
		_ = other.Do(t.Context(), func(ctx context.Context) (domain.Money, error) { // takes the only place
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			var failed *source.Error
			if err := throttled.Do(ctx, asked(&n, 0, nil)); !errors.As(err, &failed) || failed.RetryAfter < 59*time.Minute {
				t.Errorf("got %v", err)
			}
			return 0, nil
		})
	})
}

// A breaker that has opened lets one request through after its time, and closes
// with its success.
func TestGuardOpensAndCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &reports{}
		g := source.NewGuard(source.GuardConfig{Name: "x", Failures: 2, Health: r})
		n := 0
		down := &source.Error{Kind: source.Down, Message: "no"}
		refused := &source.Error{Kind: source.Refused, Message: "not like this"}
		for _, err := range []error{down, refused, context.Canceled, down} { // a refusal is an answer, so the row is broken
			_ = g.Do(t.Context(), asked(&n, 0, err))
		}
		if s := g.Status(); s.State != source.OK || n != 4 || s.Calls != 3 {
			t.Fatalf("%+v after %d calls", s, n)
		}
		for range 2 { // opened, then tried after its time and opened again
			_ = g.Do(t.Context(), asked(&n, 0, down))
			if s := g.Status(); s.State != source.Open || r.last.State != source.Open || time.Until(s.Until) != 30*time.Second {
				t.Fatalf("%+v", s)
			}
			before := n
			var failed *source.Error
			if err := g.Do(t.Context(), asked(&n, 0, nil)); !errors.As(err, &failed) || failed.Kind != source.Down || failed.RetryAfter != 30*time.Second || n != before {
				t.Fatalf("%v after %d calls", err, n-before)
			}
			<-time.After(31 * time.Second) // of the bubble's clock
		}
		if err := g.Do(t.Context(), asked(&n, 0, nil)); err != nil || n != 7 {
			t.Fatalf("%v after %d calls", err, n)
		}
		if s := g.Status(); s.State != source.OK || !s.Until.IsZero() {
			t.Fatalf("%+v", s)
		}
	})
}

func TestPaceBoundsCallsAtATime(t *testing.T) {
	t.Parallel()
	p, err := source.NewPace(1e6, 3)
	if err != nil {
		t.Fatal(err)
	}
	g := source.NewGuard(source.GuardConfig{Name: "x", Pace: p})
	var mu sync.Mutex
	now, most := 0, 0
	add := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		now += n
		most = max(most, now)
	}
	var wg sync.WaitGroup
	gate := make(chan struct{})
	for range 12 {
		wg.Go(func() {
			_ = g.Do(t.Context(), func(context.Context) (domain.Money, error) {
				add(1)
				defer add(-1)
				<-gate
				return 0, nil
			})
		})
	}
	for range 12 {
		gate <- struct{}{}
	}
	wg.Wait()
	if most > 3 || most < 1 {
		t.Fatalf("%d at a time, want at most 3", most)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Do(ctx, func(context.Context) (domain.Money, error) { return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if _, err := source.NewPace(0, 1); err == nil {
		t.Fatal("a pace of nothing is accepted")
	}
}
