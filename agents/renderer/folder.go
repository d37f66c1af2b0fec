package renderer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// folder is where one film is made. Its lock says that somebody is at it; the
// kernel drops the lock of a process that dies.
type folder struct {
	path string
	lock *os.File
}

// working begins the names of folders.
const working = "film-"

// openFolder makes a folder of its own below dir.
func openFolder(dir string) (*folder, error) {
	path, err := os.MkdirTemp(dir, working)
	if err != nil {
		return nil, fmt.Errorf("make film folder: %w", err)
	}
	f := &folder{path: path}
	if f.lock, err = os.Open(path); err == nil {
		err = syscall.Flock(int(f.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		f.remove()
		return nil, fmt.Errorf("lock film folder: %w", err)
	}
	return f, nil
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

func (f *folder) remove() {
	_ = os.RemoveAll(f.path)
	if f.lock != nil {
		_ = f.lock.Close()
	}
}

// prepare makes dir and removes what killed processes have left in it.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("make film folder: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(dir, working+"*"))
	if err != nil {
		return fmt.Errorf("read film folder: %w", err)
	}
	for _, path := range old {
		if err := sweep(path); err != nil {
			return fmt.Errorf("sweep film folder: %w", err)
		}
	}
	return nil
}

// sweep removes a folder unless somebody is at it.
func sweep(path string) error {
	d, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // its owner was quicker
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil
	}
	return os.RemoveAll(path)
}
