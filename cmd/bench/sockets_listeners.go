package main

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// The conversation with the listeners' process: one order, one answer, and word
// of the slowest socket in between.
type listenOrder struct {
	Do      string // connect, dial, reset, latency, total
	Address string
	Room    string
	Cookies []string
	Sockets int
	Timed   bool // reset: time what comes
}

type listenWord struct {
	Done  bool   // the answer to an order
	Error string // of one that failed
	Least int64  // frames that the slowest socket has read since the reset
	Total int64
	P99   float64
}

// listeners is the process that holds the sockets' other ends.
type listeners struct {
	child   *child
	answers chan listenWord
	slowest atomic.Int64
	gone    chan struct{}
}

func startListeners(ctx context.Context, stderr io.Writer) (*listeners, error) {
	c, err := start(ctx, stderr, "sockets", nil)
	if err != nil {
		return nil, err
	}
	l := &listeners{child: c, answers: make(chan listenWord, 1), gone: make(chan struct{})}
	go func() {
		defer close(l.gone)
		for {
			var word listenWord
			if c.read(&word) != nil {
				return
			}
			l.slowest.Store(word.Least)
			if word.Done {
				l.answers <- word
			}
		}
	}()
	return l, nil
}

func (l *listeners) ask(ctx context.Context, order listenOrder) (listenWord, error) {
	if err := l.child.say(order); err != nil {
		return listenWord{}, err
	}
	select {
	case word := <-l.answers:
		if word.Error != "" {
			return word, fmt.Errorf("listeners: %s: %s", order.Do, word.Error)
		}
		return word, nil
	case <-l.gone:
		return listenWord{}, fmt.Errorf("listeners: %w", l.child.wait())
	case <-ctx.Done():
		return listenWord{}, ctx.Err()
	}
}

// connect opens sockets in a room, in turns for each cookie.
func (l *listeners) connect(ctx context.Context, address, room string, cookies []string, sockets int) error {
	_, err := l.ask(ctx, listenOrder{Do: "connect", Address: address, Room: room, Cookies: cookies, Sockets: sockets})
	pause(ctx, time.Second) // the last ones' greetings
	return err
}

// dial opens plain connections, in place of those dialled before.
func (l *listeners) dial(ctx context.Context, address string, sockets int) error {
	_, err := l.ask(ctx, listenOrder{Do: "dial", Address: address, Sockets: sockets})
	return err
}

// reset counts from nothing again, and times what comes if it is asked to:
// timing costs the listeners more than counting.
func (l *listeners) reset(ctx context.Context, timed bool) error {
	_, err := l.ask(ctx, listenOrder{Do: "reset", Timed: timed})
	l.slowest.Store(0)
	return err
}

// least is how many frames the slowest socket has read since the reset.
func (l *listeners) least() int64 { return l.slowest.Load() }

// await waits until every socket has read so many frames.
func (l *listeners) await(ctx context.Context, frames int64) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for l.least() < frames {
		if pause(ctx, 100*time.Microsecond); ctx.Err() != nil {
			return fmt.Errorf("the slowest socket read %d of %d frames: %w", l.least(), frames, ctx.Err())
		}
	}
	return nil
}

// latency is the p99 of all deliveries since the reset, and how many there were.
func (l *listeners) latency(ctx context.Context) (p99 float64, seen int64, err error) {
	word, err := l.ask(ctx, listenOrder{Do: "latency"})
	return word.P99, word.Total, err
}

// total is how many frames the plain connections have read since the reset.
func (l *listeners) total(ctx context.Context) (int64, error) {
	word, err := l.ask(ctx, listenOrder{Do: "total"})
	return word.Total, err
}
