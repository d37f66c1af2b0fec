package streams

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// A store that once failed to write takes nothing more, whatever room is made:
// only a server that starts anew reads what is there and goes on.
const (
	healthCheck = time.Second
	// reviveSpace must be free before a server is started anew.
	reviveSpace = 64 << 20
	// noSpace is as good as full: a large message finds no room. What failed to be
	// removed or noted down then is not told by the server's health.
	noSpace = 4 << 20
	// revivePause is for how many checks nothing is done after a revival, or a try;
	// it doubles up to the longest while it does not help, so that a broken disk can
	// still be read from.
	revivePause, revivePauseMax = 2, 60
)

// watch replaces the server when its store froze and the disk has room again.
// What is being appended then has an unknown outcome, as when any server is lost.
// A revival that fails is tried again; until then the log is unavailable.
func (e *Embedded) watch(ctx context.Context) {
	defer close(e.ended)
	tick := time.NewTicker(healthCheck)
	defer tick.Stop()
	full, sick := false, 0
	pause, left := revivePause, 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		e.stage()
		free := freeSpace(e.store())
		full = full || free < noSpace
		if frozen(e.current()) {
			sick++
		} else {
			sick = 0
		}
		if left > 0 {
			left--
			continue
		}
		// Sick once may be a stream that is just being made or deleted.
		if !full && sick < 2 {
			if sick == 0 {
				pause = revivePause
			}
			continue
		}
		if free < reviveSpace {
			continue
		}
		full, sick = e.revive(ctx) != nil, 0 // as long as it fails, once more
		left, pause = pause, min(2*pause, revivePauseMax)
	}
}

// revive shuts the server down and starts another in its place. If that fails
// the one that was shut down stays.
func (e *Embedded) revive(ctx context.Context) error {
	old := e.current()
	old.Shutdown()
	old.WaitForShutdown()
	srv, err := e.start(ctx, e.port)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.server = srv
	return nil
}

// frozen reports that the server gave up its store, or a stream that it has.
func frozen(srv *server.Server) bool {
	if !srv.JetStreamEnabled() {
		return true
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.HealthzPath+"?details=true", http.NoBody)
	if err != nil {
		return false
	}
	answer := answer{header: http.Header{}}
	srv.HandleHealthz(&answer, request)
	var health server.HealthStatus
	if json.Unmarshal(answer.body.Bytes(), &health) != nil || len(health.Errors) == 0 {
		return false
	}
	info, err := srv.Jsz(&server.JSzOptions{Accounts: true, Streams: true})
	if err != nil {
		return false
	}
	// A stream that the server has, and that is not well, failed to write; one that
	// it has not could not be read, which starting anew would not change.
	has := map[string]bool{}
	for _, account := range info.AccountDetails {
		for _, stream := range account.Streams {
			has[stream.Name] = true
		}
	}
	for _, e := range health.Errors {
		if e.Type == server.HealthzErrorStream && has[e.Stream] {
			return true
		}
	}
	return false
}

// forgetUnwritten removes the summary of a stream whose newest block is empty. If
// the first write to a block failed, the summary counts that message all the same;
// with it the stream would go on behind a hole, at which readers stop. Without it
// the server reads the blocks.
func forgetUnwritten(dir string, names []string) error {
	for _, name := range names {
		folder := filepath.Join(streamsFolder(dir), name, "msgs")
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		newest, size := -1, int64(0)
		for _, entry := range entries {
			number, isBlock := strings.CutSuffix(entry.Name(), ".blk")
			n, err := strconv.Atoi(number)
			if !isBlock || err != nil || n < newest {
				continue
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			newest, size = n, info.Size()
		}
		if newest < 0 || size > 0 {
			continue
		}
		if err := os.Remove(filepath.Join(folder, "index.db")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// answer keeps what a handler writes.
type answer struct {
	header http.Header
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(int)             {}
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// freeSpace is how many bytes may still be written in a folder, 0 if that cannot
// be told.
func freeSpace(dir string) uint64 {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0
	}
	return uint64(s.Bavail) * uint64(s.Bsize)
}
