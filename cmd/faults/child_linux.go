package main

import (
	"fmt"
	"runtime"
	"syscall"
)

// childAttr lets no child outlive this process, however that ends. The kernel
// sends the signal when the starting thread ends, so that thread is kept until
// the child has ended.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// mountSmall puts a file system of a few megabytes at a folder, which root may;
// others get an error that says so.
func mountSmall(dir string, megabytes int) (unmount func(), err error) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=700", megabytes)); err != nil {
		return nil, fmt.Errorf("a full disk needs a small file system: %w", err)
	}
	return func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }, nil
}
