package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// audience is the listeners' process. It reads as cheaply as it can, since it
// shares the machine with what is measured.
type audience struct {
	sockets []*ear // in the room
	plain   []*ear
	timing  *timings
}

// timings counts deliveries by their latency, from every socket at once.
type timings struct {
	count [100_000]atomic.Uint32
	total atomic.Int64
}

func (t *timings) add(d time.Duration) {
	i := min(max(int(d/histogramStep), 0), len(t.count)-1)
	t.count[i].Add(1)
	t.total.Add(1)
}

func (t *timings) quantile(q float64) float64 {
	h := &histogram{}
	for i := range t.count {
		n := uint64(t.count[i].Load())
		h.count[i] = n
		h.total += n
	}
	return h.quantile(q)
}

// playSockets carries out orders until its input ends, and tells every other
// millisecond how far the slowest socket is, when that has changed.
func playSockets(ctx context.Context, w wire) error {
	a := &audience{}
	var mu sync.Mutex // of the output and of the list of sockets
	told := int64(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			mu.Lock()
			if least := a.least(); least != told {
				told = least
				_ = w.out.Encode(listenWord{Least: least})
			}
			mu.Unlock()
		}
	}()
	for {
		var order listenOrder
		if err := w.in.Decode(&order); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		ears, err := a.open(ctx, order)
		mu.Lock()
		word := a.obey(order, ears, err)
		told = word.Least
		err = w.out.Encode(word)
		mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// open makes the connections that an order asks for.
func (a *audience) open(ctx context.Context, order listenOrder) ([]*ear, error) {
	if order.Do != "connect" && order.Do != "dial" {
		return nil, nil
	}
	ears := make([]*ear, order.Sockets)
	var some errgroup.Group
	some.SetLimit(16)
	for i := range ears {
		some.Go(func() error {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", order.Address)
			if err != nil {
				return err
			}
			ears[i] = &ear{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}
			if order.Do == "connect" {
				err = ears[i].greet(order.Address, order.Room, order.Cookies[i%len(order.Cookies)])
			}
			if err == nil {
				go ears[i].listen()
			}
			return err
		})
	}
	return ears, some.Wait()
}

func (a *audience) obey(order listenOrder, ears []*ear, err error) listenWord {
	word := listenWord{Done: true}
	if err != nil {
		word.Error = err.Error()
		return word
	}
	switch order.Do {
	case "connect":
		a.sockets = ears
	case "dial":
		for _, e := range a.plain {
			_ = e.conn.Close()
		}
		a.plain = ears
	case "reset":
		for _, e := range append(a.sockets, a.plain...) {
			e.read.Store(0)
		}
		a.timing = nil
		if order.Timed {
			a.timing = &timings{}
		}
		for _, e := range a.sockets {
			e.timing.Store(a.timing)
		}
	case "latency":
		if a.timing == nil {
			word.Error = "nothing was timed"
			break
		}
		word.P99, word.Total = a.timing.quantile(0.99), a.timing.total.Load()
	case "total":
		for _, e := range a.plain {
			word.Total += e.read.Load()
		}
	default:
		word.Error = fmt.Sprintf("there is no order %q", order.Do)
	}
	for _, e := range a.sockets {
		if gone := e.gone.Load(); gone != nil {
			word.Error = "a socket was closed: " + *gone
			break
		}
	}
	word.Least = a.least()
	return word
}

// least is how far the slowest socket is.
func (a *audience) least() int64 {
	if len(a.sockets) == 0 {
		return 0
	}
	low := a.sockets[0].read.Load()
	for _, e := range a.sockets {
		low = min(low, e.read.Load())
	}
	return low
}

// greet shakes hands as a signed-in browser and waits for the room's greeting.
func (e *ear) greet(address, room, cookie string) error {
	if _, err := fmt.Fprintf(e.conn, "GET %s/ws HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: %s\r\n\r\n", room, address, address, cookie); err != nil {
		return err
	}
	res, err := http.ReadResponse(e.in, nil)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		_ = res.Body.Close()
		return fmt.Errorf("handshake: %s: %s", res.Status, text)
	}
	if err := e.send(opText, []byte(`{"type":"hello","after":0}`)); err != nil {
		return err
	}
	return e.message() // hello
}
