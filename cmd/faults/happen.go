package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// happen waits for an event's moment and lets it come to pass. When people have
// finished first, it does not happen any more.
func (r *round) happen(ctx context.Context, e event) {
	for r.world.progress() < e.After {
		if ctx.Err() != nil {
			return
		}
		pause(ctx, 5*time.Millisecond)
	}
	pause(ctx, e.Wait)
	if ctx.Err() != nil {
		return
	}
	if err := r.cause(ctx, e); err != nil {
		r.world.find("%s: %v", e.Kind, err)
		return
	}
	r.mu.Lock()
	r.fired = append(r.fired, e.Kind)
	r.mu.Unlock()
}

func (r *round) cause(ctx context.Context, e event) error {
	s := r.servers[e.Server]
	switch e.Kind {
	case killServer:
		s.crash()
	case killLog:
		if r.log == nil {
			s.crash()
			return nil
		}
		r.log.kill()
		pause(ctx, e.For)
		return r.log.up(context.WithoutCancel(ctx))
	case crashDB:
		return r.crashCluster(ctx, e.For)
	case cutDB:
		s.toDB.cut()
	case cutCommit:
		s.toDB.cutAfter(e.Text)
	case loseAnswers, loseRequests, partition, cutAppend, slowNet:
		if s.toLog == nil {
			return nil // the log is inside
		}
		r.network(ctx, s.toLog, e)
	case freeze:
		s.signal(syscall.SIGSTOP)
		pause(ctx, e.For)
		s.signal(syscall.SIGCONT)
	case slowDisk:
		r.stutter(ctx, e.For)
	case fullDisk:
		return r.fillDisk(ctx, e)
	case drainServer:
		before := len(fired(s.log))
		if err := s.drain(drainLimit); err != nil && len(fired(s.log)) == before {
			return err
		}
	case moveClock:
		by, err := time.ParseDuration(e.Text)
		if err != nil {
			return err
		}
		// The log's server keeps its deadlines by the time of day: moved back, it would
		// redeliver nothing until that has caught up. It is only moved ahead.
		if by > 0 {
			if err := r.logClock.set(by); err != nil {
				return err
			}
		}
		return r.clock.set(by)
	case rebuild:
		return r.rebuild(ctx, e.Text)
	}
	return nil
}

func (r *round) network(ctx context.Context, p *proxy, e event) {
	switch e.Kind {
	case loseAnswers:
		p.drop(toClient)
	case loseRequests:
		p.drop(toServer)
	case partition:
		p.drop(toClient)
		p.drop(toServer)
	case cutAppend:
		p.cutAfter(e.Text)
		return
	case slowNet:
		lag, err := time.ParseDuration(e.Text)
		if err != nil {
			panic(err) // a defect of the plan
		}
		p.delay(lag)
	}
	pause(ctx, e.For)
	p.heal()
}

// stutter lets the log's server stand still again and again, as a disk does that
// is far behind.
func (r *round) stutter(ctx context.Context, total time.Duration) {
	var target interface{ signal(syscall.Signal) } = r.servers[0]
	if r.log != nil {
		target = r.log
	}
	for begun := time.Now(); time.Since(begun) < total && ctx.Err() == nil; {
		target.signal(syscall.SIGSTOP)
		pause(ctx, 250*time.Millisecond)
		target.signal(syscall.SIGCONT)
		pause(ctx, 60*time.Millisecond)
	}
}

// fillDisk leaves the log's disk without a byte for a while. The log freezes
// then, until its server starts again: an embedded one is started by itself.
func (r *round) fillDisk(ctx context.Context, e event) error {
	ballast := filepath.Join(r.logDisk, "ballast")
	if err := fill(ballast); err != nil {
		return err
	}
	pause(ctx, e.For)
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if r.log == nil {
		return nil
	}
	r.log.kill()
	return r.log.up(context.WithoutCancel(ctx))
}

// fill writes until the disk is full.
func fill(path string) error {
	file, err := os.Create(path) //nolint:gosec // our own folder
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 16
		} else if err != nil {
			return err
		}
	}
	return nil
}

// rebuild is an operator's: killed at a step first if one is named, then again.
func (r *round) rebuild(ctx context.Context, step string) error {
	ctx = context.WithoutCancel(ctx)
	r.rebuilding.Lock() // a second one at once is refused, and rightly
	defer r.rebuilding.Unlock()
	if step != "" {
		out, _ := r.tool(ctx, step, "rebuild") // it is killed, or what it needs is away
		if at, found := strings.CutPrefix(out, "fault: killed at "); found {
			name, _, _ := strings.Cut(at, ":")
			r.mu.Lock()
			r.fired = append(r.fired, name)
			r.mu.Unlock()
		}
	}
	// Log or database may be away just now; the operator tries again.
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return poll(ctx, "a rebuild", func() error {
		out, err := r.tool(ctx, "", "rebuild")
		if err != nil {
			err = errors.New(err.Error() + "\n" + out)
		}
		return err
	})
}
