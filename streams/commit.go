package streams

import (
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Group commit. One stream takes no more single publishes a second than the disk
// takes syncs, however many callers there are; an atomic batch costs about as
// much as a dozen of them whatever its size. So few callers publish by
// themselves, side by side, and what waits beyond them goes out as one batch.
const (
	// breakEven is how many single messages cost as much as one batch.
	breakEven = 12
	// batchEvents and batchBytes bound one batch.
	batchEvents = 500
	batchBytes  = 8 << 20
	// waitingUnits and waitingBytes bound what waits to be appended; beyond them
	// callers are refused at once.
	waitingUnits = 8192
	waitingBytes = 64 << 20
	// linger is how long a batch waits, while nobody comes, for as many callers as
	// came last time; gatheringMax bounds all of its waiting, to about the time that
	// the server takes to open a batch anyway. stride is how many are waited for,
	// and staged, at once.
	linger       = 500 * time.Microsecond
	gatheringMax = 2 * time.Millisecond
	stride       = 16
	// pace is how far apart batches begin if fewer come than last time: those who
	// come each at a time of their own, and not when the last batch lets them, gain
	// nothing from many small batches, of which each costs the server the same.
	pace = 2500 * time.Microsecond
)

// unit is what one caller appends: the events of one decision, or some facts.
// It goes out whole.
type unit struct {
	msgs    []*nats.Msg
	guarded []string // subjects that carry a guard
	size    int

	next chan cue // what its caller is to do next
	last uint64   // sequence of its last message
	err  error
}

// cost counts in single messages: several can only go as a batch.
func (u *unit) cost() int {
	if len(u.msgs) == 1 {
		return 1
	}
	return breakEven
}

// cue is what a waiting caller is told.
type cue int

const (
	goAlone   cue = iota // publish your unit yourself
	takeLead             // publish what waits, your unit with it
	isSettled            // your unit has its outcome
)

// committer gathers the units of all callers of a log. There is no goroutine of
// its own: the caller that finds nobody publishing a batch, or the first that
// waits when one was published, leads the next.
type committer struct {
	sender

	mu      sync.Mutex
	waiting []*unit
	bytes   int
	alone   int           // cost of the units whose callers publish them now
	leading bool          // somebody gathers or publishes a batch
	began   time.Time     // when the last batch was gathered
	came    int           // units in the last batch, 0 if it was too little for one
	want    int           // how many must wait for
	full    chan struct{} // to be signalled
}

func newCommitter(s sender) *committer {
	return &committer{sender: s, full: make(chan struct{}, 1)}
}

// append publishes a unit and returns the sequence of its last message. It is
// not cut off by anybody's context, so that a client that hangs up does not
// leave an unknown outcome; it takes at most as long as two publishes may.
func (c *committer) append(u *unit) (uint64, error) {
	c.mu.Lock()
	if !c.leading && len(c.waiting) == 0 && c.alone < breakEven && c.came == 0 {
		c.alone += u.cost()
		c.mu.Unlock()
		return c.publishAlone(u)
	}
	if len(c.waiting) >= waitingUnits || c.bytes+u.size > waitingBytes {
		c.mu.Unlock()
		return 0, ErrBusy
	}
	u.next = make(chan cue, 1)
	c.waiting = append(c.waiting, u)
	c.bytes += u.size
	next := isSettled
	if !c.leading && c.alone == 0 {
		c.leading, next = true, takeLead
	} else if len(c.waiting) == c.want {
		signal(c.full)
	}
	c.mu.Unlock()
	if next != takeLead {
		next = <-u.next
	}
	if next == takeLead {
		next = c.lead(u)
	}
	if next == goAlone {
		return c.publishAlone(u)
	}
	return u.last, u.err
}

// publishAlone publishes a unit that is counted in c.alone.
func (c *committer) publishAlone(u *unit) (uint64, error) {
	last, err := c.publish(u.msgs)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alone -= u.cost()
	if errors.Is(err, ErrLogUnavailable) {
		c.refuse()
	}
	c.next()
	return last, err
}

// next lets whoever waits go on, if it is time. The caller holds c.mu.
func (c *committer) next() {
	if c.leading || len(c.waiting) == 0 {
		return
	}
	if c.alone > 0 {
		// A few that wait fill the places that became free; more are worth a batch,
		// which waits until those before it are through.
		cost := 0
		for _, u := range c.waiting {
			if cost += u.cost(); cost > breakEven {
				return
			}
		}
		for len(c.waiting) > 0 && c.alone < breakEven {
			c.release(c.take(1))
		}
		return
	}
	c.leading = true
	c.waiting[0].next <- takeLead
}

// take removes units from the front of the line. The caller holds c.mu.
func (c *committer) take(n int) []*unit {
	taken := c.waiting[:n:n]
	for _, u := range taken {
		c.bytes -= u.size
	}
	if c.waiting = c.waiting[n:]; len(c.waiting) == 0 {
		c.waiting = nil
	}
	return taken
}

// release sends units off to be published by their callers. The caller holds c.mu.
func (c *committer) release(units []*unit) {
	for _, u := range units {
		c.alone += u.cost()
		u.next <- goAlone
	}
}

// refuse turns everybody who waits away: the log does not answer, and nothing of
// theirs was sent. The caller holds c.mu.
func (c *committer) refuse() {
	for _, u := range c.take(len(c.waiting)) {
		u.err = ErrBusy
		u.next <- isSettled
	}
}

// lead gathers what waits and publishes it as one batch, or sends it off to be
// published singly if it is too little for one. It tells what remains to be done
// for the leader's own unit, which is the first that waits.
func (c *committer) lead(own *unit) cue {
	units, open, staged := c.collect()
	todo, few := [][]*unit{units}, []*unit(nil)
	var lost error
	for len(todo) > 0 {
		units := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		var last uint64
		var err error
		switch {
		case lost != nil:
			settle(units, own, 0, lost)
			continue
		case open != nil:
			last, err = open.commit(messages(units[staged:]))
			open = nil
		case costOf(units) <= breakEven:
			few = append(few, units...)
			continue
		default:
			last, err = c.publish(messages(units))
		}
		if refused(err) {
			// Refused as a whole: part it between units, never inside one.
			half := len(units) / 2
			todo = append(todo, units[half:], units[:half])
			continue
		}
		if err != nil {
			lost = err
		}
		settle(units, own, last, err)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.leading = false
	next := isSettled
	if lost != nil {
		settle(few, own, 0, lost)
		c.refuse()
	} else {
		for _, u := range few {
			if u == own {
				c.alone += u.cost()
				next = goAlone
			} else {
				c.release([]*unit{u})
			}
		}
	}
	c.next()
	return next
}
