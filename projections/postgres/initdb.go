package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// prepare makes what the server needs: its password, its socket folder and, the
// first time, the cluster. A cluster is made beside its place and renamed, so
// that an interrupted initdb leaves nothing that looks like a cluster.
func (f *folder) prepare(ctx context.Context, server install, test bool) error {
	if err := f.openSocket(); err != nil {
		return err
	}
	switch _, err := os.Stat(f.path(clusterDir)); {
	case err == nil:
		return f.loadPassword()
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read the database folder: %w", err)
	}
	if err := f.newPassword(); err != nil {
		return err
	}
	if err := os.RemoveAll(f.path(newDir)); err != nil {
		return fmt.Errorf("clear an unfinished database: %w", err)
	}
	if err := f.makeDir(newDir); err != nil {
		return err
	}
	if err := f.initdb(ctx, server, test); err != nil {
		return err
	}
	if err := os.Rename(f.path(newDir), f.path(clusterDir)); err != nil {
		return fmt.Errorf("put the new database in place: %w", err)
	}
	if test {
		return nil
	}
	return syncDir(f.dir)
}

func (f *folder) initdb(ctx context.Context, server install, test bool) error {
	// initdb opens the file by its name, as the server's account.
	secret := filepath.Join(f.path(socketDir), "pw")
	if err := os.WriteFile(secret, []byte(f.password+"\n"), 0o600); err != nil {
		return fmt.Errorf("hand over the password: %w", err)
	}
	defer os.Remove(secret)
	if f.account.drop {
		if err := os.Chown(secret, f.account.uid, f.account.gid); err != nil {
			return fmt.Errorf("hand over the password: %w", err)
		}
	}
	dirs, err := f.openDirs(f.path(newDir), nil)
	if err != nil {
		return err
	}
	defer dirs.close()

	args := []string{
		"--pgdata=" + dirs.cluster,
		"--username=" + superuser,
		"--pwfile=" + filepath.Join(dirs.socket, "pw"),
		"--auth=scram-sha-256",
		"--encoding=UTF8",
		"--lc-collate=C",
		"--lc-ctype=" + ctype,
	}
	if test {
		args = append(args, "--no-sync", "--wal-segsize=1")
	} else {
		args = append(args, "--data-checksums")
	}
	cmd := exec.CommandContext(ctx, server.program("initdb"), args...)
	f.dress(cmd, dirs)

	type result struct {
		out []byte
		err error
	}
	finished := make(chan result)
	go func() { // on a thread of its own, as launch says
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		out, err := cmd.CombinedOutput()
		finished <- result{out, err}
	}()
	r := <-finished
	if r.err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("initdb: %w", ctx.Err())
		}
		said := strings.Split(strings.TrimSpace(string(r.out)), "\n")
		return fmt.Errorf("initdb in %s: %w: %s", f.dir, r.err, said[len(said)-1])
	}
	return nil
}

func syncDir(dir string) error {
	open, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	defer open.Close()
	if err := open.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
