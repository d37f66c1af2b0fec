package postgres

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// What lies in a cluster's folder.
const (
	lockName   = "lock"       // held by the process that runs the cluster; its pid is inside
	runName    = "running"    // held by the server processes themselves
	passFile   = "pgpass"     // the owner's password, in the format of libpq's PGPASSFILE
	logName    = "server.log" // what the server says
	clusterDir = "cluster"    // PGDATA
	newDir     = "cluster.new"
	socketDir  = "socket"
)

// maxLog is the size at which the server's log starts anew.
const maxLog = 8 << 20

// maxSocketPath is what fits into sockaddr_un.
const maxSocketPath = 107

// account is who the server runs as.
type account struct {
	uid, gid int
	drop     bool // the caller is root: become this account
}

// folder is the open folder of one cluster, locked for this process.
type folder struct {
	dir        string
	account    account
	password   string
	socketHost string   // what a client of this process connects to
	socket     *os.File // open for as long as socketHost names its descriptor
	unlock     func()
}

func openFolder(dir string) (*folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	if err := checkSpace(dir, MinFree); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the database folder: %w", err)
	}
	unlock, err := Lock(dir)
	if err != nil {
		return nil, err
	}
	return &folder{dir: dir, unlock: unlock}, nil
}

func (f *folder) close() {
	if f.socket != nil {
		f.socket.Close()
	}
	f.unlock()
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// Lock takes the folder for this process, so that a second one is refused with
// ErrInUse and the pid of the first. The lock is the kernel's: it ends with the
// process, and the file that stays behind means nothing.
func Lock(dir string) (release func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, refuse(ErrOwner, "the folder %s belongs to another account: run Sozai as that account, or give the folder away with chown -R", dir)
		}
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if !flock(file) {
		defer file.Close()
		pid, err := io.ReadAll(io.LimitReader(file, 32))
		if err != nil || len(bytes.TrimSpace(pid)) == 0 {
			pid = []byte("unknown")
		}
		return nil, refuse(ErrInUse, "the folder %s is in use by another Sozai (process %s): stop that one, or choose another folder", dir, bytes.TrimSpace(pid))
	}
	if err := errors.Join(file.Truncate(0), writePid(file)); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return func() { file.Close() }, nil
}

func writePid(file *os.File) error {
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// flock is false when another open file holds the lock.
func flock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Free is how many bytes an ordinary account may still write below dir.
func Free(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}

// checkSpace asks the nearest folder that exists, before anything is written.
func checkSpace(dir string, least uint64) error {
	free, err := Free(dir)
	for at := dir; errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at); {
		at = filepath.Dir(at)
		free, err = Free(at)
	}
	if err != nil {
		return err
	}
	if free < least {
		return refuse(ErrDiskFull, "only %d MiB are free for %s and at least %d MiB are needed: free some space and start again; nothing was changed", free>>20, dir, least>>20)
	}
	return nil
}

// clusterMajor is 0 when no cluster was made yet.
func (f *folder) clusterMajor() (int, error) {
	cluster := f.path(clusterDir)
	if _, err := os.Stat(cluster); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	const wayOut = "restore it from a backup, or move it away to start with an empty database; nothing was changed"
	text, err := os.ReadFile(filepath.Join(cluster, "PG_VERSION"))
	if err != nil {
		return 0, refuse(ErrDamaged, "the database folder %s is damaged (PG_VERSION cannot be read: %v): %s", cluster, cause(err), wayOut)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, refuse(ErrDamaged, "the database folder %s is damaged (PG_VERSION holds %.20q): %s", cluster, text, wayOut)
	}
	if _, err := os.Stat(filepath.Join(cluster, "global", "pg_control")); err != nil {
		return 0, refuse(ErrDamaged, "the database folder %s is damaged (global/pg_control cannot be read: %v): %s", cluster, cause(err), wayOut)
	}
	return major, nil
}

// cause is the error without the path that the sentence names already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// loadPassword reads the owner's password.
func (f *folder) loadPassword() error {
	line, err := os.ReadFile(f.path(passFile))
	if err != nil {
		return refuse(ErrDamaged, "the password file %s of the database cannot be read (%v): restore it from a backup", f.path(passFile), cause(err))
	}
	fields := strings.Split(strings.TrimSpace(string(line)), ":")
	f.password = fields[len(fields)-1]
	return nil
}

func (f *folder) newPassword() error {
	var secret [24]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return fmt.Errorf("make a password: %w", err)
	}
	f.password = hex.EncodeToString(secret[:])
	file, err := os.OpenFile(f.path(passFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the password file: %w", err)
	}
	_, err = fmt.Fprintf(file, "*:*:*:%s:%s\n", superuser, f.password)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write the password file: %w", err)
	}
	return nil
}

// openSocket makes the socket's folder and decides how this process names it.
func (f *folder) openSocket() error {
	if err := f.makeDir(socketDir); err != nil {
		return err
	}
	return f.findSocket()
}

func (f *folder) findSocket() error {
	dir := f.path(socketDir)
	// A comma separates hosts in a connection string.
	if len(dir)+len("/.s.PGSQL.5432") <= maxSocketPath && !strings.Contains(dir, ",") {
		f.socketHost = dir
		return nil
	}
	open, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open the socket folder: %w", err)
	}
	if f.socketHost = fdPath(int(open.Fd())); f.socketHost == "" {
		open.Close()
		return refuse(ErrNotInstalled, "the path %s is too long for a Unix socket on this system, or holds a comma: use a data folder with another path", dir)
	}
	f.socket = open
	return nil
}

// makeDir makes a folder inside the cluster's folder, of the server's account.
func (f *folder) makeDir(name string) error {
	if err := os.Mkdir(f.path(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make a folder for postgres: %w", err)
	}
	if !f.account.drop {
		return nil
	}
	if err := os.Chown(f.path(name), f.account.uid, f.account.gid); err != nil {
		return refuse(ErrOwner, "the folder %s cannot be given to account %d, which PostgreSQL must run as because it refuses root (%v): use a data folder on a file system that keeps owners", f.path(name), f.account.uid, cause(err))
	}
	return nil
}

func (f *folder) openLog() (*os.File, error) {
	path := f.path(logName)
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("turn the server log: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server log: %w", err)
	}
	return file, nil
}

// lastWords is the last grave line of the server's log, or its last line.
func (f *folder) lastWords() string {
	file, err := os.Open(f.path(logName))
	if err != nil {
		return "it left no log"
	}
	defer file.Close()
	if size, err := file.Seek(0, io.SeekEnd); err == nil && size > 4096 {
		_, _ = file.Seek(size-4096, io.SeekStart)
	} else {
		_, _ = file.Seek(0, io.SeekStart)
	}
	tail, _ := io.ReadAll(file)
	lines := strings.Split(strings.TrimSpace(string(tail)), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		for _, severity := range []string{"PANIC:  ", "FATAL:  "} {
			if _, text, ok := strings.Cut(lines[i], severity); ok {
				return text
			}
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return "it said nothing"
}

// dirs are the descriptors that a server process inherits, and its names for
// them. The order of files fixes the numbers: the first becomes 3.
type dirs struct {
	files           []*os.File
	cluster, socket string
}

// openDirs opens the folders as the caller, who may traverse what stands above
// them, for a server that may not.
func (f *folder) openDirs(cluster string, running *os.File) (*dirs, error) {
	d := &dirs{cluster: cluster, socket: f.path(socketDir)}
	for i, name := range []*string{&d.cluster, &d.socket} {
		file, err := os.Open(*name)
		if err != nil {
			d.close()
			return nil, fmt.Errorf("open a folder for postgres: %w", err)
		}
		d.files = append(d.files, file)
		if path := fdPath(3 + i); path != "" {
			*name = path
		}
	}
	if running != nil {
		d.files = append(d.files, running)
	}
	return d, nil
}

// close leaves the lock file alone, which is the caller's.
func (d *dirs) close() {
	for _, file := range d.files[:min(2, len(d.files))] {
		file.Close()
	}
}

// dress gives a command the server's account, folders and a clean environment:
// PG* variables of the caller must not reach it.
func (f *folder) dress(cmd *exec.Cmd, d *dirs) {
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.ExtraFiles = d.files
	cmd.SysProcAttr = childAttr()
	if f.account.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(f.account.uid), Gid: uint32(f.account.gid)}
	}
}
