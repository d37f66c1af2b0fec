package video

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

// job is one run of a program. Nil writers discard. Extra is what the program
// writes to its file descriptor 3.
type job struct {
	program string
	args    []string
	stdout  io.Writer
	stderr  io.Writer
	extra   io.Writer
}

// errOutput stops a program that says more than anybody will read.
var errOutput = errors.New("the program's output is over its limit")

// errProgram is how a program says that it could not use the file.
var errProgram = errors.New("the program refused the file")

// run waits for a place, starts the program and waits for its end. It returns
// the context's error if that has ended, ErrNotVideo if the time for one file
// is over, an error that wraps errProgram if the program failed.
func (a *Analyzer) run(ctx context.Context, j job) error {
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()

	// The death signal follows the thread that started the program, so this
	// goroutine keeps its thread until the program has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd := exec.CommandContext(limited, j.program, j.args...)
	cmd.Env = []string{"LC_ALL=C.UTF-8", "AV_LOG_FORCE_NOCOLOR=1", "HOME=/nonexistent"}
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	stop := func() { cancel() }
	var tooMuch error
	guard := func(w io.Writer) io.Writer {
		if w == nil {
			return nil
		}
		return writerFunc(func(p []byte) (int, error) {
			n, err := w.Write(p)
			if err != nil {
				tooMuch = err
				stop()
			}
			return n, err
		})
	}
	cmd.Stdout, cmd.Stderr = guard(j.stdout), j.stderr
	extraDone := make(chan error, 1)
	var parent, child *os.File
	if j.extra != nil {
		var err error
		if parent, child, err = os.Pipe(); err != nil {
			return fmt.Errorf("open pipe: %w", err)
		}
		cmd.ExtraFiles = []*os.File{child}
	}
	if err := cmd.Start(); err != nil {
		if child != nil {
			_ = child.Close()
			_ = parent.Close()
		}
		return fmt.Errorf("start %s: %w", j.program, err)
	}
	_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, niceness) // a wish, not a need
	if j.extra == nil {
		extraDone <- nil
	} else {
		_ = child.Close()
		go func() {
			_, err := io.Copy(j.extra, parent)
			if err != nil {
				stop()
			}
			_ = parent.Close()
			extraDone <- err
		}()
	}
	err := cmd.Wait()
	extraErr := <-extraDone
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case tooMuch != nil:
		return tooMuch
	case extraErr != nil:
		return extraErr
	case limited.Err() != nil:
		return notVideo("reading this file takes longer than %s", a.timeout)
	case err != nil:
		return fmt.Errorf("%w: %w", errProgram, err)
	}
	return nil
}

// writerFunc is an io.Writer made of a function.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// bounded keeps what is written, up to a limit, and then fails with errOutput.
type bounded struct {
	buf   []byte
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.buf)+len(p) > b.limit {
		return 0, errOutput
	}
	b.buf = append(b.buf, p...)
	return len(p), nil
}

// lines calls each for every line, cut at maxLine bytes.
type lines struct {
	each func(line string) error
	rest []byte
}

const maxLine = 4096

func (l *lines) Write(p []byte) (int, error) {
	for i, b := range p {
		switch {
		case b == '\n' || b == '\r':
			if err := l.end(); err != nil {
				return i, err
			}
		case len(l.rest) < maxLine:
			l.rest = append(l.rest, b)
		}
	}
	return len(p), nil
}

// end delivers an unfinished last line.
func (l *lines) end() error {
	if len(l.rest) == 0 {
		return nil
	}
	line := string(l.rest)
	l.rest = l.rest[:0]
	return l.each(line)
}

// input is how every program reads a file: no other protocol, no playlist or
// script reader, no huge allocation, the path never parsed as an option or URL.
func input(path string) []string {
	return []string{
		"-protocol_whitelist", "file,pipe", "-format_whitelist", "mov,matroska",
		"-i", "file:" + path,
	}
}

const maxAlloc = 512 << 20

// ffmpegArgs are the arguments of one ffmpeg run: what stands before the
// input, the input, and what stands after it.
func (a *Analyzer) ffmpegArgs(before []string, path string, after ...string) []string {
	args := []string{
		"-nostdin", "-hide_banner", "-max_alloc", strconv.Itoa(maxAlloc),
		"-timelimit", strconv.Itoa(int(a.timeout.Seconds())*2 + 1),
	}
	args = append(args, before...)
	args = append(args, input(path)...)
	return append(args, after...)
}
