package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// facts prints what the figures depend on.
func facts(ctx context.Context, w io.Writer, dir string) error {
	once, err := fsyncTime(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d cores, %s %s/%s, nats-server %s; load %s\n",
		runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, server.VERSION, load())
	fmt.Fprintf(w, "fsync of 400 bytes in %s: median %.2f ms, p99 %.2f ms\n\n",
		filepath.Dir(dir), quantile(once, 0.5), quantile(once, 0.99))
	return nil
}

// fsyncTime appends 400 bytes and syncs them, again and again; milliseconds.
func fsyncTime(ctx context.Context, dir string) ([]float64, error) {
	file, err := os.Create(filepath.Join(dir, "fsync")) //nolint:gosec // our own folder
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close(); _ = os.Remove(file.Name()) }()
	var took []float64
	block := make([]byte, 400)
	for range 300 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		began := time.Now()
		if _, err := file.Write(block); err != nil {
			return nil, err
		}
		if err := file.Sync(); err != nil {
			return nil, err
		}
		took = append(took, ms(time.Since(began)))
	}
	return took, nil
}

// load is the machine's load of the last minute, where the system tells.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(data))[0]
}

// memoryOf is a line of what the system tells of this process's memory, in bytes:
// VmRSS is what is resident, VmHWM the most that ever was.
func memoryOf(line string) (int64, error) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for text := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(text, line); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("the system does not tell %s of a process", line)
}

// resident is what stays in memory when everything that is free was given back.
func resident() (int64, error) {
	debug.FreeOSMemory()
	return memoryOf("VmRSS:")
}

// heap is what lives on the heap and on stacks after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse) //nolint:gosec // far below overflow
}
