package effect

import (
	"bytes"
	"context"
	"errors"
	"sync"
)

// Memory is a Ledger that forgets when the process ends. The zero value is empty
// and ready.
type Memory struct {
	mu    sync.Mutex
	calls map[string]*entry
}

// entry is a call that is going on, was done, or is unknown.
type entry struct {
	busy    chan struct{} // closed when the one who does it is finished; nil: nobody does it
	unknown bool
	done    Done
}

// Once implements Ledger.
func (m *Memory) Once(ctx context.Context, c Call, do func(ctx context.Context) (Done, error)) (Done, bool, error) {
	if err := c.Check(); err != nil {
		return Done{}, false, err
	}
	for {
		d, busy, err := m.claim(c)
		switch {
		case err != nil:
			return Done{}, false, err
		case d != nil:
			return Done{Answer: bytes.Clone(d.Answer)}, true, nil
		case busy == nil:
			d, err := m.run(ctx, c, do)
			return d, false, err
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return Done{}, false, ctx.Err()
		}
	}
}

// claim returns what was done, or whom to wait for; with neither, the call is
// the caller's to do.
func (m *Memory) claim(c Call) (d *Done, busy chan struct{}, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.calls[c.Key]
	switch {
	case e == nil:
	case e.busy != nil:
		return nil, e.busy, nil
	case !e.unknown:
		return &e.done, nil, nil
	case c.Paid:
		return nil, nil, ErrUnknown
	}
	if m.calls == nil {
		m.calls = map[string]*entry{}
	}
	m.calls[c.Key] = &entry{busy: make(chan struct{})}
	return nil, nil, nil
}

// run does the effect; a panic in do leaves it unknown, like an attempt that died.
func (m *Memory) run(ctx context.Context, c Call, do func(ctx context.Context) (Done, error)) (d Done, err error) {
	ended := false
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		e := m.calls[c.Key]
		close(e.busy)
		e.busy = nil
		switch {
		case ended && err == nil:
			e.done = Done{Answer: bytes.Clone(d.Answer)}
		case ended && (!c.Paid || errors.Is(err, ErrNotDone)):
			delete(m.calls, c.Key)
		default:
			e.unknown = true
		}
	}()
	d, err = do(ctx)
	ended = true
	return d, err
}
