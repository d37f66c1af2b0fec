package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/handlers/access"
	"sozai/handlers/web"
	"sozai/projections"
	"sozai/streams"
)

const (
	frameSize    = 400 // bytes of a frame as a socket gets it
	socketPeople = 20  // who have the sockets open, in as many tabs as it takes
	pacedRate    = 50  // frames a second while latency is measured: a fast answer
)

func deliveriesName(n int) string { return fmt.Sprintf("one room, %d sockets, deliveries", n) }
func latencyName(n int) string    { return fmt.Sprintf("one room, %d sockets, p99 at 50 frames/s", n) }
func idleName(n int) string       { return fmt.Sprintf("one room, %d sockets, memory each, idle", n) }
func loadedName(n int) string     { return fmt.Sprintf("one room, %d sockets, memory each, after", n) }

func socketRows(n int) []row {
	return []row{
		{deliveriesName(n), "/s", atLeast(1_000_000, "/s"), "plain writes of the same bytes to as many loopback connections"},
		{latencyName(n), "ms", atMost(30, "ms"), ""},
		{idleName(n), "KiB", atMost(30, "KiB"), ""},
		{loadedName(n), "KiB", atMost(38, "KiB"), ""},
	}
}

// socketsOf measures one room on a real web server: signed-in people shake hands
// and listen over loopback, in a process of their own, while an answer of the
// butler is streamed. Deliveries are measured with never more than 512 frames
// under way, as fast as they go; latency, from publishing to reading, at a pace.
// Memory is what of the serving process stays resident when everything free was
// given back to the system, beyond what it was before the first socket.
func socketsOf(n int) func(ctx context.Context, b *bench) error {
	return func(ctx context.Context, b *bench) error {
		h, err := b.openHall(ctx)
		if err != nil {
			return err
		}
		defer h.stop()
		count := b.size(n, n/10)
		before, err := resident()
		if err != nil {
			return err
		}
		if err := h.crowd.connect(ctx, h.address, h.room, h.cookies, count); err != nil {
			return err
		}
		each := func() (float64, error) {
			now, err := resident()
			return float64(now-before) / 1024 / float64(count), err
		}
		idle, err := each()
		if err != nil {
			return err
		}
		span := time.Duration(b.size(int(3*time.Second), int(time.Second/2)))
		return b.rounds(ctx, func() error {
			rate, err := h.saturate(ctx, count, span)
			if err != nil {
				return err
			}
			bare, err := h.bare(ctx, count, span/2)
			if err != nil {
				return err
			}
			b.add(deliveriesName(n), rate, bare)
			b.alone(idleName(n), idle)
			loaded, err := each()
			if err != nil {
				return err
			}
			b.alone(loadedName(n), loaded)
			p99, err := h.paced(ctx, count, span)
			b.alone(latencyName(n), p99)
			return err
		})
	}
}

// hall is a web server with one room, and the listeners' process.
type hall struct {
	p       *place
	live    *streams.Live
	address string // of the web server
	room    string // its path
	cookies []string
	speaker *speaker
	crowd   *listeners
	stop    func()
}

// openHall starts what serve starts for the web, signs people up and lets them
// into a room, all over HTTP.
func (b *bench) openHall(ctx context.Context) (*hall, error) {
	p, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(ctx)
	parts, running := errgroup.WithContext(running)
	h := &hall{p: p, live: streams.NewLive(p.conn), stop: func() { cancel(); _ = parts.Wait() }}
	hub := streams.NewHub(p.log)
	parts.Go(func() error { return hub.Run(running) })
	parts.Go(func() error { return projections.NewRunner(p.store, p.log, quiet()).Run(running) })
	<-hub.Ready()
	accounts, err := access.New(p.pool)
	if err != nil {
		return nil, err
	}
	cat, err := b.catalogue(ctx, p)
	if err != nil {
		return nil, err
	}
	server, err := web.New(web.Deps{
		Log: p.log, Hub: hub, Live: h.live, Store: p.store, Access: accounts, Catalogue: cat,
		Model: web.Model{Name: "rehearsal", Rehearsal: true}, Version: "bench", Logger: quiet(),
	})
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h.address = listener.Addr().String()
	parts.Go(func() error { return server.Serve(listener) })
	parts.Go(func() error {
		<-running.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(running), 3*time.Second)
		defer cancel()
		return server.Shutdown(ctx)
	})
	for p.store.Ready(ctx) != nil {
		if pause(ctx, 5*time.Millisecond); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if err := h.signUp(ctx, accounts); err != nil {
		return nil, err
	}
	h.crowd, err = startListeners(ctx, b.stderr)
	return h, err
}
