package streams

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Embedded is a NATS server inside this process: JetStream in a folder, sync
// always, reachable on loopback only, by whoever can read its credentials file.
// A server whose store froze is replaced by a new one at the same address, to
// which all connections come back by themselves; see watch.
type Embedded struct {
	access access
	dir    string
	port   int                // for the servers to come
	cancel context.CancelFunc // ends the watch
	ended  chan struct{}      // closed when it has

	mu     sync.Mutex
	server *server.Server
}

// access is the credentials file (mode 0600): where the server listens, and the
// password of this start.
type access struct {
	URL      string `json:"url"`
	User     string `json:"user"`
	Password string `json:"password"`
}

const accessFile = "nats.json"

// Embed starts the server on a free loopback port with its store in
// <dir>/jetstream and writes <dir>/nats.json.
func Embed(ctx context.Context, dir string) (*Embedded, error) {
	e := &Embedded{access: access{User: "sozai", Password: rand.Text()}, dir: dir, ended: make(chan struct{})}
	var err error
	if e.server, err = e.start(ctx, server.RANDOM_PORT); err != nil {
		return nil, err
	}
	e.access.URL = e.server.ClientURL()
	if at, ok := e.server.Addr().(*net.TCPAddr); ok {
		e.port = at.Port
	}
	if err := e.writeAccess(); err != nil {
		e.server.Shutdown()
		return nil, err
	}
	ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go e.watch(ctx)
	return e, nil
}

func (e *Embedded) store() string { return filepath.Join(e.dir, "jetstream") }

// start runs a new server on the store and makes sure that it has read it.
func (e *Embedded) start(ctx context.Context, port int) (*server.Server, error) {
	srv, cut, err := e.run(ctx, port)
	if cut > 0 {
		if err := cutOff(e.dir, cut); err != nil {
			return nil, fmt.Errorf("embedded log server: half a batch at the end of the log: %w", err)
		}
		srv, _, err = e.run(ctx, port)
	}
	if err != nil {
		return nil, err
	}
	e.stage()
	return srv, nil
}

// run is start, which has to be repeated when the log was cut.
func (e *Embedded) run(ctx context.Context, port int) (srv *server.Server, cut uint64, err error) {
	srv, err = server.NewServer(&server.Options{
		ServerName: "sozai-embedded",
		Host:       "127.0.0.1", Port: port,
		Username: e.access.User, Password: e.access.Password,
		JetStream: true, StoreDir: e.store(), SyncAlways: true,
		// Left alone the server would take 3/4 of what is free when it starts, and
		// refuse to append beyond that, whatever room there is later.
		JetStreamMaxStore: math.MaxInt64,
		NoLog:             true, NoSigs: true,
		MaxPayload: 4 << 20, MaxPending: 256 << 20,
	})
	if err != nil {
		return nil, 0, fmt.Errorf("embedded log server: %w", err)
	}
	before, err := storedStreams(e.dir)
	if err == nil {
		err = forgetUnwritten(e.dir, before)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("embedded log server: %w", err)
	}
	e.distrust()
	srv.Start()
	deadline := 30 * time.Second
	if d, ok := ctx.Deadline(); ok {
		deadline = time.Until(d)
	}
	// Start comes back when the server listens, or never will.
	if srv.Addr() == nil || !srv.ReadyForConnections(deadline) {
		srv.Shutdown()
		return nil, 0, fmt.Errorf("embedded log server: not ready: the event log in %s may be damaged", e.dir)
	}
	if !srv.JetStreamEnabled() {
		srv.Shutdown()
		return nil, 0, fmt.Errorf("embedded log server: the event log in %s cannot be opened", e.dir)
	}
	cut, err = e.recovered(ctx, srv, before)
	if cut > 0 || err != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
		return nil, cut, err
	}
	return srv, 0, nil
}

func streamsFolder(dir string) string {
	return filepath.Join(dir, "jetstream", "jetstream", "$G", "streams")
}

// storedStreams are the names of the streams whose folders exist.
func storedStreams(dir string) ([]string, error) {
	entries, err := os.ReadDir(streamsFolder(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); name == EventsStream || name == WorkStream || name == TimersStream {
			names = append(names, name)
		}
	}
	return names, err
}

// recovered refuses to go on when the server has skipped a stream that it could
// not read: an empty one would be made in its place, and the log be lost. It
// returns from where on the log has to be cut; see cutAt.
func (e *Embedded) recovered(ctx context.Context, srv *server.Server, names []string) (cut uint64, err error) {
	if len(names) == 0 {
		return 0, nil
	}
	nc, err := connect("", "recovery", nats.InProcessServer(srv), nats.UserInfo(e.access.User, e.access.Password))
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	js, err := newJetStream(nc)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return 0, fmt.Errorf("the event log in %s is damaged: stream %s cannot be read (%w); nothing was changed, restore %s from a backup",
				e.dir, name, err, e.store())
		}
		if name == EventsStream {
			if cut, err = cutAt(ctx, stream); err != nil {
				return cut, fmt.Errorf("embedded log server: %w", err)
			}
		}
	}
	return cut, nil
}

func (e *Embedded) writeAccess() error {
	data, err := json.Marshal(e.access)
	if err != nil {
		return err
	}
	path := filepath.Join(e.dir, accessFile)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return fmt.Errorf("embedded log server: credentials file: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("embedded log server: credentials file: %w", err)
	}
	return nil
}

// inside makes connections inside the process, to the server that there is at the
// time, and knows the way over loopback.
type inside struct{ *Embedded }

func (i inside) InProcessConn() (net.Conn, error) { return i.current().InProcessConn() }

func (e *Embedded) current() *server.Server {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.server
}

// Connect opens a connection inside the process, over which a publish is quicker
// than over loopback. A log opened on it reads over a loopback connection of its
// own, which is quicker for that, and lives as long as this one.
func (e *Embedded) Connect(name string) (*nats.Conn, error) {
	return connect("", name, nats.InProcessServer(inside{e}), nats.UserInfo(e.access.User, e.access.Password))
}

// forReading is the connection over which a log on nc reads.
func forReading(nc *nats.Conn) (*nats.Conn, error) {
	server, ok := nc.Opts.InProcessServer.(inside)
	if !ok {
		return nc, nil
	}
	reader, err := connect(server.access.URL, nc.Opts.Name+"-reader", nats.SetCustomDialer(unparsed{}), nats.UserInfo(server.access.User, server.access.Password))
	if err != nil {
		return nil, err
	}
	before := nc.ClosedHandler()
	nc.SetClosedHandler(func(nc *nats.Conn) {
		reader.Close()
		if before != nil {
			before(nc)
		}
	})
	return reader, nil
}

// ConnectTCP opens a connection over loopback.
func (e *Embedded) ConnectTCP(name string) (*nats.Conn, error) {
	return connect(e.access.URL, name, nats.UserInfo(e.access.User, e.access.Password))
}

// Stop shuts the server down and removes the credentials file; harmless twice.
func (e *Embedded) Stop() {
	e.cancel()
	<-e.ended
	srv := e.current()
	srv.Shutdown()
	srv.WaitForShutdown()
	e.unstage()
	_ = os.Remove(filepath.Join(e.dir, accessFile))
}

// ConnectFolder connects to the embedded server of another process by the
// credentials file in its data folder. fs.ErrNotExist if none runs there.
func ConnectFolder(dir, name string) (*nats.Conn, error) {
	data, err := os.ReadFile(filepath.Join(dir, accessFile)) //nolint:gosec // the operator's own data folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("log credentials: %w", err)
	}
	var acc access
	if err := json.Unmarshal(data, &acc); err != nil {
		return nil, fmt.Errorf("log credentials: %w", err)
	}
	var nc *nats.Conn
	replaced := false // while we knocked; see watch
	for deadline := time.Now().Add(folderWait); ; <-time.After(50 * time.Millisecond) {
		nc, err = connect(acc.URL, name, nats.SetCustomDialer(unparsed{}), nats.UserInfo(acc.User, acc.Password))
		replaced = replaced || errors.Is(err, io.EOF)
		if err == nil || !replaced || time.Now().After(deadline) {
			return nc, err
		}
	}
}

// folderWait is how long a server that is just being replaced is waited for.
const folderWait = 5 * time.Second

// ConnectURL connects to a NATS server or cluster of the operator's.
func ConnectURL(url, name string) (*nats.Conn, error) { return connect(url, name) }

func connect(url, name string, opts ...nats.Option) (*nats.Conn, error) {
	opts = append(opts, nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(200*time.Millisecond))
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to the log: %w", err)
	}
	return nc, nil
}
