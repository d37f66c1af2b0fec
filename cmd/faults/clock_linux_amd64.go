package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// clock gives processes another time of day than the machine's, without their
// knowing. A Go program reads the time through the vDSO, a page of code that the
// kernel maps into it; in a process that is launched here that code is replaced,
// before its first instruction, by one that asks the kernel and adds an offset to
// the time of day. The monotonic clock is left alone.
type clock struct {
	mu     sync.Mutex
	offset time.Duration // whole seconds
	cells  map[int]*os.File
	at     map[int]int64
}

// newClock begins with the machine's time.
func newClock() (*clock, error) {
	return &clock{cells: map[int]*os.File{}, at: map[int]int64{}}, nil
}

// gettime is clock_gettime: the system call, then the seconds at cell added if
// the clock asked for is the time of day (0).
var gettime = []byte{
	0xb8, 0xe4, 0x00, 0x00, 0x00, // mov eax, 228
	0x0f, 0x05, // syscall
	0x85, 0xff, // test edi, edi
	0x75, 0x0c, // jne ret
	0x48, 0x8b, 0x15, 0x0a, 0x00, 0x00, 0x00, // mov rdx, [rip+10] (cell)
	0x48, 0x01, 0x16, // add [rsi], rdx
	0x31, 0xc0, // xor eax, eax
	0xc3,                   // ret
	0x90, 0x90, 0x90, 0x90, // the cell follows, aligned
}

// launch starts a command under this clock; without one, as it is.
func (c *clock) launch(cmd *exec.Cmd) error {
	if c == nil {
		return cmd.Start()
	}
	// Traced, it stops at its exec; its tracer is this thread.
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	err := c.adopt(pid)
	if detachErr := syscall.PtraceDetach(pid); err == nil {
		err = detachErr
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return fmt.Errorf("give a process its clock: %w", err)
	}
	return nil
}

func (c *clock) adopt(pid int) error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
		return errors.Join(err, errors.New("it did not stop at its start"))
	}
	first, last, err := vdso(pid)
	if err != nil {
		return err
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	image := make([]byte, last-first)
	if _, err := mem.ReadAt(image, first); err != nil {
		return errors.Join(err, mem.Close())
	}
	at, err := symbol(image, "__vdso_clock_gettime")
	if err != nil {
		return errors.Join(err, mem.Close())
	}
	if _, err := mem.WriteAt(gettime, first+at); err != nil {
		return errors.Join(err, mem.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cells[pid], c.at[pid] = mem, first+at+int64(len(gettime))
	return c.write(pid)
}

func (c *clock) write(pid int) error {
	var cell [8]byte
	binary.LittleEndian.PutUint64(cell[:], uint64(int64(c.offset/time.Second))) //nolint:gosec // two's complement is meant
	_, err := c.cells[pid].WriteAt(cell[:], c.at[pid])
	return err
}

// set moves the time of day of every process under this clock, at once.
func (c *clock) set(offset time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = offset
	var problems []error
	for pid := range c.cells {
		problems = append(problems, c.write(pid))
	}
	return errors.Join(problems...)
}

// now is the time of day under this clock.
func (c *clock) now() time.Time {
	if c == nil {
		return time.Now()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

// forget lets go of a process that has ended.
func (c *clock) forget(pid int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if mem := c.cells[pid]; mem != nil {
		_ = mem.Close()
	}
	delete(c.cells, pid)
	delete(c.at, pid)
}

// vdso finds the vDSO in a process.
func vdso(pid int) (first, last int64, err error) {
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = maps.Close() }()
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		if strings.HasSuffix(lines.Text(), "[vdso]") {
			_, err := fmt.Sscanf(lines.Text(), "%x-%x", &first, &last)
			return first, last, err
		}
	}
	return 0, 0, errors.Join(lines.Err(), errors.New("the process has no vDSO"))
}

// symbol finds a function in an ELF image.
func symbol(image []byte, name string) (int64, error) {
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return 0, err
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return 0, err
	}
	for _, s := range symbols {
		if s.Name == name && s.Size >= uint64(len(gettime)+8) {
			return int64(s.Value), nil //nolint:gosec // an offset in a page or two
		}
	}
	return 0, fmt.Errorf("the vDSO has no %s that is long enough", name)
}
