package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// logServerCommand runs this program as the log's server: `faults log-server
// <folder> <port>`. It is a process of its own so that it can be killed, stopped
// for a while, and started again where it was.
const logServerCommand = "log-server"

// serveLog is set up as the embedded server is: JetStream in a folder, every
// append synced before it is acknowledged.
func serveLog(args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: log-server <folder> <port>")
		return 2
	}
	port, err := strconv.Atoi(args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "log-server:", err)
		return 2
	}
	srv, err := natsd.NewServer(&natsd.Options{
		ServerName: "sozai-faults", Host: "127.0.0.1", Port: port,
		JetStream: true, StoreDir: args[0], SyncAlways: true, NoSigs: true,
		LogFile: args[0] + ".log", LogSizeLimit: 4 << 20,
		MaxPayload: 4 << 20, MaxPending: 256 << 20,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "log-server:", err)
		return 1
	}
	srv.ConfigureLogger()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	srv.Start()
	<-ctx.Done()
	srv.Shutdown()
	srv.WaitForShutdown()
	return 0
}

// logServer is the log's server of one round.
type logServer struct {
	*process
	dir  string
	port int
}

func startLogServer(ctx context.Context, dir string, clock *clock) (*logServer, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &logServer{dir: dir, port: port, process: &process{name: "log", log: dir + ".out", clock: clock}}
	return s, s.up(ctx)
}

// up starts it and waits until JetStream answers.
func (s *logServer) up(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := s.start(nil, self, logServerCommand, s.dir, strconv.Itoa(s.port)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return poll(ctx, "the log's server answers", func() error {
		nc, err := s.connect()
		if err != nil {
			return err
		}
		defer nc.Close()
		reply, err := nc.Request("$JS.API.INFO", nil, time.Second)
		if err == nil && len(reply.Data) == 0 {
			err = errors.New("no answer")
		}
		return err
	})
}

func (s *logServer) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.port) }

func (s *logServer) connect() (*nats.Conn, error) {
	return nats.Connect(s.url(), nats.Timeout(time.Second), nats.NoReconnect())
}

func (s *logServer) dial() (net.Conn, error) {
	return dialServer("tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
}

func freePort() (int, error) {
	listener, err := listen()
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("no TCP address")
	}
	return address.Port, nil
}

const pollEvery = 50 * time.Millisecond

// poll repeats a check until it holds or ctx ends, and then says what it was
// about and why it did not hold.
func poll(ctx context.Context, what string, check func() error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var last error
	for {
		err := check()
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil { // the end of ctx is no reason by itself
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: not in time: %w", what, last)
		case <-tick.C:
		}
	}
}
