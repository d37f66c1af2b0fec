//go:build !linux

package renderer

import "syscall"

// attributes: a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
