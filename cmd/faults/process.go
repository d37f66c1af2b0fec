package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is a child that is started again and again under one name; what it
// prints goes to one file.
type process struct {
	name  string
	log   string
	clock *clock // nil: the machine's

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{} // closed when the present one has ended
	state  *os.ProcessState
}

// startLine begins the line that a start leaves in the file.
const startLine = "---- "

// start runs a program; the one before must have ended.
func (p *process) start(env []string, name string, args ...string) error {
	out, err := os.OpenFile(p.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	fmt.Fprintf(out, "%s%s: start %v\n", startLine, time.Now().Format("15:04:05.000"), args)
	cmd := exec.Command(name, args...) //nolint:gosec,noctx // our own programs; a context would end them its own way
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.Getenv("TMPDIR"), "TZ=UTC",
	}, env...)
	cmd.SysProcAttr = childAttr()
	exited := make(chan struct{})
	started := make(chan error)
	p.mu.Lock()
	defer p.mu.Unlock()
	// The kernel ends a child with the thread that started it: see childAttr.
	go func() {
		unlock := lockThread()
		defer unlock()
		err := p.clock.launch(cmd)
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait()
		p.clock.forget(cmd.Process.Pid)
		p.mu.Lock()
		p.state = cmd.ProcessState
		p.mu.Unlock()
		close(exited)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	p.cmd, p.exited, p.state = cmd, exited, nil
	return nil
}

// ended is closed when the process has ended.
func (p *process) ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exited == nil {
		done := make(chan struct{})
		close(done)
		return done
	}
	return p.exited
}

func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && p.state == nil {
		_ = p.cmd.Process.Signal(s)
	}
}

// kill ends it with SIGKILL and waits; harmless if it has ended.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended()
}

// stop asks it to end, kills it when it has not within a limit, and reports how
// it ended.
func (p *process) stop(limit time.Duration) error {
	p.signal(syscall.SIGTERM)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.ended():
	case <-timer.C:
		p.signal(syscall.SIGQUIT) // its goroutines go to the file
		timer.Reset(3 * time.Second)
		select {
		case <-p.ended():
		case <-timer.C:
		}
		p.kill()
		return fmt.Errorf("%s did not end within %s of SIGTERM", p.name, limit)
	}
	if code, signal := p.exit(); code != 0 || signal != 0 {
		return fmt.Errorf("%s ended with code %d, signal %d after SIGTERM", p.name, code, signal)
	}
	return nil
}

// exit says how it ended: code -1 by a signal.
func (p *process) exit() (code int, signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == nil {
		return 0, 0
	}
	status, ok := p.state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return -1, status.Signal()
	}
	return p.state.ExitCode(), 0
}
