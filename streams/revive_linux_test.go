package streams_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// smallDisk is a folder with a file system of its own, of 96 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m,mode=700"); err != nil {
		t.Skipf("a full disk needs a small file system, which root may mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillDisk leaves so many bytes free, until the returned function makes room again.
func fillDisk(t *testing.T, dir string, free int) (empty func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	file, err := os.Create(path) //nolint:gosec // our own folder
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 16
		} else if err != nil {
			t.Fatal(err)
		}
	}
	at, err := file.Seek(0, 1)
	if err == nil {
		err = file.Truncate(at - int64(free))
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// freezer appends, and remembers what was acknowledged.
type freezer struct {
	*streamstest.Server
	log   *streams.Log
	key   domain.Key
	acked []domain.ID
}

func newFreezer(t *testing.T, s *streamstest.Server) *freezer {
	t.Helper()
	w := &freezer{Server: s, log: openLog(t, s), key: s.Key()}
	if err := w.log.Hurry(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *freezer) say(ctx context.Context, size int) error {
	said, err := w.log.Record(ctx, w.key, w.Command("u"), chat.Said{Message: w.log.NewID(), Text: strings.Repeat("a", size)})
	if err == nil {
		w.acked = append(w.acked, said[0].ID)
	}
	return err
}

// freeze appends until the full disk takes no more.
func (w *freezer) freeze(t *testing.T) {
	t.Helper()
	for range 100 {
		if err := w.say(t.Context(), 16<<10); errors.Is(err, streams.ErrLogUnavailable) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("a full disk takes all")
}

// thaw appends until that works again.
func (w *freezer) thaw(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		err := w.say(ctx, 100)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the log stays frozen: %v", err)
		}
		if !errors.Is(err, streams.ErrLogUnavailable) {
			t.Fatal(err)
		}
	}
}

// check fails if something acknowledged is missing, or there twice or out of
// order, and returns everything there is.
func (w *freezer) check(t *testing.T, log *streams.Log) (all []domain.ID) {
	t.Helper()
	want := map[domain.ID]bool{}
	for _, id := range w.acked {
		want[id] = true
	}
	var got []domain.ID // of what was acknowledged
	for _, r := range readAll(t, log, domain.Key{}) {
		all = append(all, r.ID)
		if want[r.ID] {
			got = append(got, r.ID)
		}
	}
	if diff := cmp.Diff(w.acked, got); diff != "" {
		t.Fatalf("acknowledged and in the log (-acknowledged +log):\n%s", diff)
	}
	return all
}

// A full disk freezes the log; when there is room again it goes on by itself, for
// who appends, for who reads, and for who comes over loopback, as often as needed.
func TestFullDiskIsGotOver(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	w := newFreezer(t, streamstest.StartIn(t, dir))
	ctx, cancel := context.WithCancel(t.Context())
	read, told := make(chan domain.ID, 1000), make(chan error, 1)
	go func() {
		told <- w.log.Follow(ctx, 0, func(events []domain.Recorded) error {
			for _, r := range events {
				read <- r.ID
			}
			return nil
		})
	}()
	outside, err := streams.ConnectFolder(dir, "outside")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	for range 10 {
		if err := w.say(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		empty := fillDisk(t, dir, 0)
		w.freeze(t)
		empty()
		w.thaw(t)
	}
	all := w.check(t, w.log)
	var heard []domain.ID
	for range all {
		select {
		case id := <-read:
			heard = append(heard, id)
		case err := <-told:
			t.Fatalf("the reader ended: %v", err)
		case <-time.After(deadline):
			t.Fatalf("the reader heard %d of %d events", len(heard), len(all))
		}
	}
	if diff := cmp.Diff(all, heard); diff != "" {
		t.Fatalf("the log and what the reader heard (-log +reader):\n%s", diff)
	}
	cancel()
	if err := <-told; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	far, err := streams.Open(t.Context(), outside, streams.Config{})
	if err != nil {
		t.Fatalf("a connection over loopback did not come back: %v", err)
	}
	w.check(t, far)
}

// A server that does not come up is started once more, and nothing is made in the
// place of what it could not read.
func TestFailedRevivalIsTriedAgain(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	s := streamstest.StartIn(t, dir)
	w := newFreezer(t, s)
	if err := w.say(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	up := make(chan struct{}, 10)
	s.Conn.SetReconnectHandler(func(*nats.Conn) { up <- struct{}{} })
	empty := fillDisk(t, dir, 0)
	w.freeze(t)
	meta := filepath.Join(dir, "jetstream", "jetstream", "$G", "streams", streams.EventsStream, "meta.inf")
	if err := os.Rename(meta, meta+".away"); err != nil {
		t.Fatal(err)
	}
	empty()
	within(t, "the server is shut down", func() bool { return s.Conn.Status() == nats.RECONNECTING })
	if err := w.say(t.Context(), 100); err == nil {
		t.Fatal("appended to a log that cannot be read")
	}
	if err := os.Rename(meta+".away", meta); err != nil {
		t.Fatal(err)
	}
	select {
	case <-up:
	case <-time.After(30 * time.Second):
		t.Fatal("the server was not started again")
	}
	w.thaw(t)
	w.check(t, w.log)
}

// Stopped in the middle of a revival, the log is left as it was.
func TestStoppedWhileRevived(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	s := streamstest.StartIn(t, dir)
	w := newFreezer(t, s)
	cut := make(chan struct{}, 10)
	s.Conn.SetDisconnectErrHandler(func(*nats.Conn, error) { cut <- struct{}{} })
	empty := fillDisk(t, dir, 0)
	w.freeze(t)
	empty()
	select {
	case <-cut:
	case <-time.After(30 * time.Second):
		t.Fatal("the server was not shut down")
	}
	s.Embedded.Stop()
	s.Embedded.Stop()
	if _, err := streams.ConnectFolder(dir, "late"); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a stopped server offers itself: %v", err)
	}
	if _, err := s.Embedded.Connect("late"); err == nil {
		t.Fatal("a stopped server runs")
	}
	w.check(t, streamstest.StartIn(t, dir).Log)
}

// A write that failed leaves no hole, even if it was the first to its block.
func TestFailedWriteLeavesNoHole(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]int{"in an empty log": 0, "in the first block": 1, "in a new block": 7} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := smallDisk(t)
			s := streamstest.StartIn(t, dir)
			w := newFreezer(t, s)
			for range before {
				if err := w.say(t.Context(), 1<<20); err != nil {
					t.Fatal(err)
				}
			}
			empty := fillDisk(t, dir, 0)
			if err := w.say(t.Context(), 1<<20); !errors.Is(err, streams.ErrLogUnavailable) {
				t.Fatalf("on a full disk: %v", err)
			}
			empty()
			s.Embedded.Stop()
			next := streamstest.StartIn(t, dir)
			w.log = next.Log
			w.thaw(t)
			if last, err := next.Log.Last(t.Context()); err != nil || last != uint64(before+1) {
				t.Fatalf("the log ends at %d, %v", last, err)
			}
			w.check(t, next.Log)
		})
	}
}

// A log started on a nearly full disk takes all that there is room for later.
func TestRoomMadeLaterIsUsed(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	empty := fillDisk(t, dir, 8<<20)
	w := newFreezer(t, streamstest.StartIn(t, dir))
	empty()
	for range 12 {
		if err := w.say(t.Context(), 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	w.check(t, w.log)
}
