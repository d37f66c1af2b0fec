package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sozai/streams/fault"
)

func faultNames() []string { return fault.Names }

// steps are the fault points that a plan arms.
func (p *plan) steps() []string {
	var names []string
	for _, s := range p.Steps {
		name, _, err := fault.Parse(s.Spec)
		if err != nil {
			panic(err)
		}
		names = append(names, name)
	}
	for _, e := range p.Faults {
		if e.Kind == rebuild && e.Text != "" {
			name, _, err := fault.Parse(e.Text)
			if err != nil {
				panic(err)
			}
			names = append(names, name)
		}
	}
	return names
}

// echo is a server that repeats every line, and hears them on a channel.
func echo(t *testing.T) (dial func() (net.Conn, error), heard <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	lines := make(chan string, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				in := bufio.NewScanner(conn)
				for in.Scan() {
					lines <- in.Text()
					_, _ = fmt.Fprintln(conn, in.Text())
				}
				_ = conn.Close()
			}()
		}
	}()
	return func() (net.Conn, error) { return net.Dial("tcp", listener.Addr().String()) }, lines
}

// caller is a client behind a proxy.
type caller struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func call(t *testing.T, p *proxy) *caller {
	t.Helper()
	conn, err := net.Dial("tcp", p.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &caller{t, conn, bufio.NewReader(conn)}
}

func (c *caller) say(line string) { _, _ = fmt.Fprintln(c.conn, line) }

// hears is the next line within a limit, or why there is none.
func (c *caller) hears(limit time.Duration) string {
	c.t.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
		c.t.Fatal(err)
	}
	line, err := c.in.ReadString('\n')
	if err != nil {
		return "nothing"
	}
	return strings.TrimSpace(line)
}

func hears(t *testing.T, heard <-chan string, want string) {
	t.Helper()
	select {
	case got := <-heard:
		if got != want {
			t.Fatalf("the server heard %q, want %q", got, want)
		}
	case <-time.After(5 * time.Second):
		t.Fatalf("the server never heard %q", want)
	}
}

func TestProxy(t *testing.T) {
	t.Parallel()
	dial, heard := echo(t)
	p, err := newProxy(dial)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	c := call(t, p)
	c.say("one")
	hears(t, heard, "one")
	if got := c.hears(5 * time.Second); got != "one" {
		t.Fatalf("undisturbed: %q", got)
	}

	p.drop(toClient)
	c.say("two")
	hears(t, heard, "two")
	if got := c.hears(100 * time.Millisecond); got != "nothing" {
		t.Fatalf("an answer that was to be lost came: %q", got)
	}
	p.heal()
	if got := c.hears(5 * time.Second); got != "nothing" {
		t.Fatalf("a connection that lost something lived on: %q", got)
	}

	c = call(t, p)
	p.cutAfter("three")
	c.say("three")
	hears(t, heard, "three")
	if got := c.hears(5 * time.Second); got != "nothing" {
		t.Fatalf("cut, and answered: %q", got)
	}

	c = call(t, p)
	p.delay(150 * time.Millisecond)
	begun := time.Now()
	c.say("four")
	if got := c.hears(5 * time.Second); got != "four" || time.Since(begun) < 300*time.Millisecond {
		t.Fatalf("delayed: %q after %s", got, time.Since(begun))
	}
	p.heal()

	c = call(t, p)
	p.drop(toServer)
	c.say("five")
	select {
	case got := <-heard:
		if got != "four" {
			t.Fatalf("what was to be lost arrived: %q", got)
		}
	case <-time.After(100 * time.Millisecond):
	}
}

// A process launched under a clock lives at another time of day, from its first
// instruction on and whenever that is moved; its monotonic clock does not notice.
func TestClock(t *testing.T) {
	t.Parallel()
	c, err := newClock()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	said := filepath.Join(dir, "time")
	if err := c.set(192 * time.Hour); err != nil {
		t.Fatal(err)
	}
	p := &process{name: "clock", log: filepath.Join(dir, "log"), clock: c}
	if err := p.start(nil, os.Args[0], clockCommand, said); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, offset := range []time.Duration{192 * time.Hour, -time.Hour, 0} {
		if err := c.set(offset); err != nil {
			t.Fatal(err)
		}
		err := poll(ctx, offset.String(), func() error {
			data, err := os.ReadFile(said) //nolint:gosec // our own file
			if err != nil {
				return err
			}
			var seconds, elapsed int64
			if _, err := fmt.Sscan(string(data), &seconds, &elapsed); err != nil {
				return err
			}
			if off := time.Unix(seconds, 0).Sub(time.Now().Add(offset)).Abs(); off > 5*time.Second {
				return fmt.Errorf("it is off by %s", off)
			}
			if elapsed < 0 || elapsed > 60_000 {
				return fmt.Errorf("it lives for %d ms by its own count", elapsed)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
