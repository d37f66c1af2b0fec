//go:build unix && !linux

package postgres

import "syscall"

const ctype = "UTF-8"

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func fdPath(int) string { return "" }

func isServer(pid int) bool { return syscall.Kill(pid, 0) == nil }
