//go:build !linux

package main

import (
	"errors"
	"syscall"
)

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

func lockThread() (unlock func()) { return func() {} }

func mountSmall(string, int) (unmount func(), err error) {
	return nil, errors.New("a full disk needs a small file system, which is made on Linux only")
}
