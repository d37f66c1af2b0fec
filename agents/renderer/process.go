package renderer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// niceness of the programs: answers to people come first.
const niceness = 10

const maxAlloc = 512 << 20

// errProgram is how ffmpeg says that it could not do it.
var errProgram = errors.New("ffmpeg failed")

// command is one run of ffmpeg in a folder, so that its files have plain names.
type command struct {
	dir   string
	args  []string
	stdin *os.File                  // closed in any case; nil = empty
	read  func(out io.Reader) error // reads what it writes; nil = discarded
}

// run starts the program and waits for its end. It returns the context's error
// if that has ended, read's error, or one that wraps errProgram.
func (l *Local) run(ctx context.Context, c command) error {
	if c.stdin != nil {
		defer c.stdin.Close()
	}
	running, stop := context.WithCancel(ctx)
	defer stop()

	// The death signal follows the thread that started the program, so this
	// goroutine keeps its thread until the program has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd := exec.CommandContext(running, l.ffmpeg, append([]string{
		"-nostdin", "-hide_banner", "-v", "error", "-y", "-max_alloc", strconv.Itoa(maxAlloc),
	}, c.args...)...)
	cmd.Dir = c.dir
	cmd.Env = []string{"LC_ALL=C.UTF-8", "AV_LOG_FORCE_NOCOLOR=1", "HOME=/nonexistent"}
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	said := &tail{}
	cmd.Stderr = said
	var out io.Reader
	if c.stdin != nil {
		cmd.Stdin = c.stdin
	}
	if c.read != nil {
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			return fmt.Errorf("open pipe: %w", err)
		}
		out = pipe
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start ffmpeg: %w", err)
	}
	_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, niceness) // a wish, not a need
	if c.stdin != nil {
		_ = c.stdin.Close() // only the program has it now: its death breaks the pipe
	}
	var readErr error
	if c.read != nil {
		if readErr = c.read(out); readErr != nil {
			stop()
		}
	}
	err := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case readErr != nil:
		return readErr
	case err != nil:
		return fmt.Errorf("%w: %w: %q", errProgram, err, said.text)
	}
	return nil
}

// tail keeps the end of what is written.
type tail struct{ text []byte }

const maxTail = 400

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if cut := len(t.text) - maxTail; cut > 0 {
		t.text = append(t.text[:0], t.text[cut:]...)
	}
	return len(p), nil
}

// input is how a clip is read: no other protocol, no playlist or script reader,
// the path never parsed as an option or URL.
func input(path string) []string {
	return []string{
		"-protocol_whitelist", "file,pipe", "-format_whitelist", "mov,matroska", "-i", "file:" + path,
	}
}
