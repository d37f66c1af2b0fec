//go:build !linux

package video

import "syscall"

// attributes: a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
