package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// survivorGrace is how long a server left over from a killed process may take
// to shut down in order before it is stopped without a checkpoint.
const survivorGrace = 20 * time.Second

// chooseAccount decides who the server runs as. An existing cluster keeps its
// account; a new one of root gets the packages' own account, or nobody.
func (f *folder) chooseAccount() error {
	me := os.Geteuid()
	f.account = account{uid: me, gid: os.Getegid()}
	info, err := os.Stat(f.path(clusterDir))
	switch {
	case err == nil:
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return fmt.Errorf("owner of %s: unknown on this system", f.path(clusterDir))
		}
		owner := int(stat.Uid)
		if me != 0 && owner != me {
			return refuse(ErrOwner, "the database folder %s belongs to account %d and this is account %d: run Sozai as that account or as root", f.path(clusterDir), owner, me)
		}
		if me == 0 && owner != 0 {
			f.account = account{uid: owner, gid: int(stat.Gid), drop: true}
			return nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read the database folder: %w", err)
	}
	if me != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(found.Uid)
		gid, gidErr := strconv.Atoi(found.Gid)
		if uidErr != nil || gidErr != nil || uid == 0 {
			continue
		}
		f.account = account{uid: uid, gid: gid, drop: true}
		return nil
	}
	return refuse(ErrOwner, "PostgreSQL refuses to run as root and this machine has neither an account postgres nor nobody: add one, or run Sozai as an ordinary user")
}

// stopSurvivor returns the file whose lock every server process holds, locked.
// Whoever held it was started by a process that is gone, since this one has the
// folder's own lock; so it is told to stop and waited for. When nobody holds it,
// a postmaster.pid that is still there is stale, and removed: its number may
// belong to another program by now, which would keep the server from starting.
func (f *folder) stopSurvivor(ctx context.Context) (*os.File, error) {
	file, err := os.OpenFile(f.path(runName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's lock: %w", err)
	}
	pid := f.postmaster()
	signal := syscall.SIGINT
	deadline := time.Now().Add(survivorGrace)
	for sent := false; !flock(file); {
		if time.Now().After(deadline) {
			if signal != syscall.SIGINT {
				file.Close()
				return nil, refuse(ErrInUse, "a database server of an earlier Sozai still runs in %s (process %d) and does not stop: end it and start again", f.dir, pid)
			}
			signal, sent = syscall.SIGQUIT, false
			deadline = time.Now().Add(immediateGrace)
		}
		if !sent && pid > 0 && isServer(pid) {
			if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				file.Close()
				return nil, fmt.Errorf("stop the earlier server %d: %w", pid, err)
			}
			sent = true
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, fmt.Errorf("wait for the earlier server: %w", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := os.Remove(f.pidFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		file.Close()
		return nil, fmt.Errorf("remove a stale postmaster.pid: %w", err)
	}
	return file, nil
}

func (f *folder) pidFile() string { return filepath.Join(f.path(clusterDir), "postmaster.pid") }

// postmaster is the pid that the cluster's lock file names, or 0.
func (f *folder) postmaster() int {
	text, err := os.ReadFile(f.pidFile())
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

// saysReady reads the state that the server keeps in the eighth line of its lock
// file.
func (f *folder) saysReady() bool {
	text, err := os.ReadFile(f.pidFile())
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	return len(lines) >= 8 && strings.TrimSpace(lines[7]) == "ready"
}

// Attach names the running cluster of dir for a second process, such as a
// command beside serve. It starts nothing; release when the connections are
// closed. ErrEnded means that none is running.
func Attach(dir string) (dsn string, release func(), err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", nil, fmt.Errorf("open folder: %w", err)
	}
	f := &folder{dir: dir, unlock: func() {}}
	if pid := f.postmaster(); pid == 0 || !isServer(pid) {
		return "", nil, refuse(ErrEnded, "no database runs in %s: start Sozai on that folder first", dir)
	}
	if err := errors.Join(f.loadPassword(), f.findSocket()); err != nil {
		return "", nil, err
	}
	return f.dsn(database), f.close, nil
}
