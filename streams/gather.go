package streams

import (
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// collect gathers the units of the next batch. If many came last time it waits
// for as many, as long as they keep coming, and opens the batch meanwhile: it
// stages what there is, since the server takes longest to make room for a batch.
// The first staged units are on their way; the last never is, as it has to say
// commit.
func (c *committer) collect() (units []*unit, open *batch, staged int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := gathering{subjects: map[string]bool{}}
	came := c.came
	if came > 0 {
		over := make(chan struct{})
		defer time.AfterFunc(gatheringMax, func() { close(over) }).Stop()
		if c.await(2, over) {
			open = c.batch()
		}
		for late := open == nil; ; late = !c.await(min(stride, came-len(g.units)), over) {
			c.gather(&g)
			if late || g.full || len(g.units) >= came {
				break
			}
			ready := g.units[staged : len(g.units)-1]
			c.mu.Unlock()
			open.stage(messages(ready))
			c.mu.Lock()
			staged += len(ready)
		}
		if open != nil && len(g.units) < came && !g.full {
			c.rest(pace - time.Since(c.began))
			c.gather(&g)
		}
	} else {
		c.gather(&g)
	}
	c.began = time.Now()
	if len(g.units) == 1 {
		open = nil
	}
	if c.came = 0; open != nil || costOf(g.units) > breakEven {
		c.came = len(g.units)
	}
	return g.units, open, staged
}

// await returns whether n units wait, or do so within a moment that ends with
// over at the latest. The caller holds c.mu, which is free meanwhile.
func (c *committer) await(n int, over <-chan struct{}) bool {
	if len(c.waiting) >= n {
		return true
	}
	select {
	case <-c.full: // left over
	default:
	}
	c.want = n
	c.mu.Unlock()
	timer := time.NewTimer(linger)
	defer timer.Stop()
	select {
	case <-c.full:
	case <-timer.C:
	case <-over:
	}
	c.mu.Lock()
	c.want = 0
	return len(c.waiting) >= n
}

// rest lets others come for a while. The caller holds c.mu, which is free meanwhile.
func (c *committer) rest(d time.Duration) {
	if d <= 0 {
		return
	}
	c.mu.Unlock()
	defer c.mu.Lock()
	<-time.After(d)
}

// gathering is a batch being put together.
type gathering struct {
	units        []*unit
	events, size int
	subjects     map[string]bool // that carry a guard
	full         bool
}

// gather takes what still fits from those who wait, in the order in which they
// came. Two that guard one subject do not go together: the second guard could
// not hold. The caller holds c.mu.
func (c *committer) gather(g *gathering) {
	for len(c.waiting) > 0 && !g.full {
		u := c.waiting[0]
		clash := slices.ContainsFunc(u.guarded, func(s string) bool { return g.subjects[s] })
		events, size := g.events+len(u.msgs), g.size+u.size
		if len(g.units) > 0 && (clash || events > batchEvents || size > batchBytes) {
			g.full = true
			return
		}
		for _, s := range u.guarded {
			g.subjects[s] = true
		}
		g.units, g.events, g.size = append(g.units, u), events, size
		c.take(1)
	}
}

func messages(units []*unit) []*nats.Msg {
	msgs := make([]*nats.Msg, 0, len(units))
	for _, u := range units {
		msgs = append(msgs, u.msgs...)
	}
	return msgs
}

func costOf(units []*unit) int {
	cost := 0
	for _, u := range units {
		cost += u.cost()
	}
	return cost
}

// settle gives every unit of a batch its outcome; last is the sequence of the
// batch's last message, and its sequences are consecutive.
func settle(units []*unit, own *unit, last uint64, err error) {
	for i := len(units) - 1; i >= 0; i-- {
		u := units[i]
		u.last, u.err = last, err
		if err == nil {
			last -= uint64(len(u.msgs))
		}
		if u != own {
			u.next <- isSettled
		}
	}
}
