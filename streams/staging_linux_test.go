package streams_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/streams"
)

// embed runs a server on a folder until the returned function is called.
func embed(t *testing.T, dir string) (*streams.Log, func()) {
	t.Helper()
	e, err := streams.Embed(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := e.Connect("test")
	if err != nil {
		t.Fatal(err)
	}
	stop := func() { nc.Close(); e.Stop() }
	t.Cleanup(stop)
	log, err := streams.Open(t.Context(), nc, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return log, stop
}

// tell records so many facts of a size in one batch.
func tell(t *testing.T, log *streams.Log, key domain.Key, n, size int) (last uint64) {
	t.Helper()
	facts := make([]domain.Fact, n)
	for i := range facts {
		facts[i] = chat.Said{Message: log.NewID(), Text: strings.Repeat("a", size+i)}
	}
	events, err := log.Record(t.Context(), key, streams.Command{ID: string(log.NewID()), Actor: domain.User(log.NewID())}, facts...)
	if err != nil {
		t.Fatal(err)
	}
	return events[n-1].Seq
}

func eventsFolder(dir string) string {
	return filepath.Join(dir, "jetstream", "jetstream", "$G", "streams", "EVENTS")
}

func TestBatchesAreStagedInMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(eventsFolder(dir), "batches")
	for start := range 2 { // of a folder without and with a log
		log, stop := embed(t, dir)
		staging, err := os.Readlink(link)
		if err != nil {
			t.Fatalf("start %d: %v", start, err)
		}
		info, err := os.Lstat(staging)
		if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 || !strings.HasPrefix(staging, "/dev/shm/") {
			t.Fatalf("start %d: staged in %s: %v, %v", start, staging, info, err)
		}
		tell(t, log, domain.Key{Product: "p", Agent: log.NewID()}, 5, 100)
		stop()
		for _, path := range []string{link, staging} {
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("start %d: %s is left: %v", start, path, err)
			}
		}
	}
}

// What somebody else has put into the place in memory is neither used nor touched.
func TestAnotherPersonsStagingIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path, elsewhere string) error{
		"a link":                      func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"a file":                      func(path, _ string) error { return os.WriteFile(path, nil, 0o600) },
		"a folder anybody may enter":  func(path, _ string) error { return os.Mkdir(path, 0o755) }, //nolint:gosec // the point
		"a folder of another account": func(path, _ string) error { return foreignFolder(path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, elsewhere := t.TempDir(), t.TempDir()
			staging, err := streams.StagingOf(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(staging) })
			if err := put(staging, elsewhere); os.IsPermission(err) {
				t.Skip("only root may give a folder away")
			} else if err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(staging)
			if err != nil {
				t.Fatal(err)
			}
			log, stop := embed(t, dir)
			tell(t, log, domain.Key{Product: "p", Agent: log.NewID()}, 5, 100)
			if _, err := os.Readlink(filepath.Join(eventsFolder(dir), "batches")); err == nil {
				t.Error("it is used")
			}
			stop()
			after, err := os.Lstat(staging)
			if err != nil || after.Mode() != before.Mode() || !os.SameFile(before, after) {
				t.Errorf("it was %v, and is %v: %v", before, after, err)
			}
			if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
				t.Errorf("written elsewhere: %v", left)
			}
		})
	}
}

// The memory is everybody's: when the folder is taken away, batches go on without it
// and soon with a new one.
func TestStagingThatIsTakenAwayIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, _ := embed(t, dir)
	key := domain.Key{Product: "p", Agent: log.NewID()}
	say := func() error {
		facts := []domain.Fact{chat.Said{Message: log.NewID(), Text: "a"}, chat.Said{Message: log.NewID(), Text: "b"}}
		_, err := log.Record(t.Context(), key, streams.Command{ID: string(log.NewID()), Actor: domain.User("u")}, facts...)
		return err
	}
	if err := say(); err != nil {
		t.Fatal(err)
	}
	staging, err := os.Readlink(filepath.Join(eventsFolder(dir), "batches"))
	if err == nil {
		err = os.RemoveAll(staging)
	}
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		if err = say(); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no batch since the folder was taken away: %v", err)
		}
	}
	if info, err := os.Lstat(staging); err != nil || !info.IsDir() {
		t.Errorf("the folder: %v, %v", info, err)
	}
}

// A link that a killed server left is not followed into a folder that somebody else
// has put there since.
func TestALinkIntoAnotherFolderIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	log, stop := embed(t, dir)
	tell(t, log, domain.Key{Product: "p", Agent: log.NewID()}, 5, 100)
	stop()
	link := filepath.Join(eventsFolder(dir), "batches")
	if err := os.Chmod(elsewhere, 0o777); err != nil { //nolint:gosec // the point
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	streams.Distrust(dir)
	if target, err := os.Readlink(link); err == nil {
		t.Errorf("the link leads to %s", target)
	}
}

func foreignFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return os.Chown(path, 65534, 65534)
}

// If the machine dies while a batch is stored, its beginning is on the disk and what
// was staged is gone. All of the batch goes, and nothing else.
func TestHalfABatchIsCutOff(t *testing.T) {
	t.Parallel()
	const batch = 4
	for kept := range batch + 1 {
		// A block is 8 MB, so the last batch lies in two.
		for _, before := range []int{0, 1, 7, 14} {
			t.Run(fmt.Sprintf("%d of %d after %d", kept, batch, before), func(t *testing.T) {
				t.Parallel()
				size := 100
				if before == 14 {
					size = 500 << 10
				}
				dir := t.TempDir()
				log, stop := embed(t, dir)
				key := domain.Key{Product: "p", Agent: log.NewID()}
				if before > 0 {
					tell(t, log, key, before, size)
				}
				last := tell(t, log, key, batch, size)
				stop()
				blocks := keepUpTo(t, dir, last-uint64(batch-kept)) //nolint:gosec // not negative
				if before == 14 && blocks != 2 {
					t.Fatalf("the log had %d blocks", blocks)
				}

				log, _ = embed(t, dir)
				want := uint64(before) //nolint:gosec // not negative
				if kept == batch {
					want = last
				}
				if got, err := log.Last(t.Context()); err != nil || got != want {
					t.Fatalf("the log ends at %d, want %d (%v)", got, want, err)
				}
				if got := readAll(t, log, domain.Key{}); len(got) != int(want) { //nolint:gosec // small
					t.Fatalf("%d events are left, want %d", len(got), want)
				}
				if got := tell(t, log, key, 2, size); got != want+2 {
					t.Fatalf("the next two end at %d, want %d", got, want+2)
				}
			})
		}
	}
}

// keepUpTo cuts the blocks behind a sequence, as if the rest had not reached the
// disk, and returns how many there were.
func keepUpTo(t *testing.T, dir string, seq uint64) int {
	t.Helper()
	folder := filepath.Join(eventsFolder(dir), "msgs")
	blocks, err := filepath.Glob(filepath.Join(folder, "*.blk"))
	if err != nil || len(blocks) == 0 {
		t.Fatalf("blocks: %v, %v", blocks, err)
	}
	for _, block := range blocks {
		data, err := os.ReadFile(block) //nolint:gosec // our own folder
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for at < len(data) && binary.LittleEndian.Uint64(data[at+4:]) <= seq {
			at += int(binary.LittleEndian.Uint32(data[at:]) &^ (1 << 31))
		}
		if at == 0 {
			err = os.Remove(block)
		} else {
			err = os.Truncate(block, int64(at))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(folder, "index.db")); err != nil {
		t.Fatal(err)
	}
	return len(blocks)
}
