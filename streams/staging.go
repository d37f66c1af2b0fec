package streams

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/nats-io/nats.go/jetstream"
)

// The server stages each atomic batch in five files and folders before it stores
// it, and takes that away again: most of what a batch costs. What is staged is
// read once more only if the server dies while it stores a batch. So the embedded
// server stages in memory (ADR 12): that outlives the process. If the machine dies,
// what was stored of the batch is taken off the log; see cutAt.
const (
	memoryFolder = "/dev/shm"
	tmpfs        = 0x01021994 // its magic number, see statfs(2)
	// stagingSpace must be free in memory; a batch takes at most batchBytes.
	stagingSpace = 256 << 20
)

// stage has the batches of the log staged in memory from now on; it is called again
// and again, since the memory is everybody's: a session that ends may take the
// folder away, and others may fill it. Where there is no such place the server
// stages on disk, which is slower and nothing else.
func (e *Embedded) stage() {
	folder := filepath.Join(streamsFolder(e.dir), EventsStream)
	if _, err := os.Stat(folder); err != nil {
		return // the log is not made yet
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	link := filepath.Join(folder, "batches")
	target, linked := readLink(link)
	staging, err := e.staging()
	switch {
	case err != nil && linked:
		_ = os.Remove(link)
		return
	case err != nil, target == staging && private(staging) == nil:
		return
	}
	if clearPrivate(staging) != nil {
		if linked {
			_ = os.Remove(link)
		}
		return
	}
	_ = os.Remove(link)           // empty unless a batch is being staged
	_ = os.Symlink(staging, link) // then the server stages on disk for now
}

// distrust takes away a link that a server left behind, if what it leads to is not
// ours alone any more: a server that starts would finish a batch from there.
func (e *Embedded) distrust() {
	link := filepath.Join(streamsFolder(e.dir), EventsStream, "batches")
	if target, linked := readLink(link); linked && private(target) != nil {
		_ = os.Remove(link)
	}
}

func readLink(path string) (target string, is bool) {
	target, err := os.Readlink(path)
	return target, err == nil
}

// unstage frees the memory.
func (e *Embedded) unstage() {
	link := filepath.Join(streamsFolder(e.dir), EventsStream, "batches")
	staging, err := os.Readlink(link)
	if err != nil || os.Remove(link) != nil {
		return
	}
	_ = os.RemoveAll(staging)
}

// staging is the folder in memory for the batches of this data folder.
func (e *Embedded) staging() (string, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(memoryFolder, &stat); err != nil {
		return "", err
	}
	if int64(stat.Type) != tmpfs || freeSpace(memoryFolder) < stagingSpace { //nolint:unconvert // narrower elsewhere
		return "", errors.ErrUnsupported
	}
	info, err := os.Stat(e.dir)
	if err != nil {
		return "", err
	}
	// Containers may share the memory and have their data at the same path.
	folder, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.ErrUnsupported
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", folder.Dev, folder.Ino))
	return filepath.Join(memoryFolder, "sozai-"+strconv.Itoa(os.Getuid())+"-"+hex.EncodeToString(sum[:8])), nil
}

// private is an error unless a folder is there, ours, and closed to everybody else.
func private(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || info.Mode().Perm() != 0o700 || int(stat.Uid) != os.Getuid() {
		return fs.ErrPermission
	}
	return nil
}

// clearPrivate makes an empty private folder. Everybody may write beside it, so
// what is there already has to be ours.
func clearPrivate(path string) error {
	err := private(path)
	if err == nil {
		err = os.RemoveAll(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Mkdir(path, 0o700)
}

// cutAt returns the sequence at which a batch begins whose beginning alone is in
// the log, 0 if there is none: the machine died while the batch was stored, and
// what was staged died with it. Nobody was told that it is in the log, and nobody
// can have read it, since readers get a batch when it is whole.
func cutAt(ctx context.Context, stream jetstream.Stream) (uint64, error) {
	info, err := stream.Info(ctx)
	if err != nil || info.State.Msgs == 0 {
		return 0, err
	}
	last := info.State.LastSeq
	msg, err := stream.GetMsg(ctx, last)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	stored, err := strconv.ParseUint(msg.Header.Get(headerBatchSeq), 10, 64)
	if err != nil || stored > last || msg.Header.Get(headerBatchCommit) != "" {
		return 0, nil //nolint:nilerr // not of a batch, or the end of one
	}
	return last + 1 - stored, nil
}

// cutOff takes the events from a sequence on off a log that no server has open.
// The blocks of the server's file store are records one after the other, each
// beginning with its length in 4 bytes, of which the highest bit is a flag, and its
// sequence in 8, both little endian.
func cutOff(dir string, from uint64) error {
	folder := filepath.Join(streamsFolder(dir), EventsStream, "msgs")
	blocks, err := filepath.Glob(filepath.Join(folder, "*.blk"))
	if err != nil {
		return err
	}
	for _, block := range blocks {
		data, err := os.ReadFile(block) //nolint:gosec // the operator's own data folder
		if err != nil {
			return err
		}
		for at := 0; at+12 <= len(data); {
			length := int(binary.LittleEndian.Uint32(data[at:]) &^ (1 << 31))
			if binary.LittleEndian.Uint64(data[at+4:]) >= from {
				if err := os.Truncate(block, int64(at)); err != nil {
					return err
				}
				break
			}
			if length < 12 {
				return fmt.Errorf("the event log in %s is damaged: %s cannot be read", dir, filepath.Base(block))
			}
			at += length
		}
	}
	// The summary counts what is gone; without it the server reads the blocks.
	if err := os.Remove(filepath.Join(folder, "index.db")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
