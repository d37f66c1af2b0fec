package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// measure runs every group in a process of its own, prints rows as they come and
// writes the file.
func measure(ctx context.Context, opt options, groups []group, stdout, stderr io.Writer) (int, error) {
	dir, err := os.MkdirTemp(opt.dir, "sozai-bench-")
	if err != nil {
		return 2, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := facts(ctx, stdout, dir); err != nil {
		return 2, err
	}
	if opt.quick {
		fmt.Fprint(stdout, "-quick: small sizes and one round; the figures say that it runs, not how fast\n\n")
	}
	t := table{stdout}
	t.head()
	var all []result
	for _, g := range groups {
		began := time.Now()
		fmt.Fprintf(stderr, "… %s\n", g.name)
		for _, r := range measureGroup(ctx, opt, g, dir, stderr) {
			t.row(r)
			all = append(all, r)
		}
		fmt.Fprintf(stderr, "  %s took %.0f s\n", g.name, time.Since(began).Seconds())
		if ctx.Err() != nil {
			return 2, ctx.Err()
		}
	}
	t.close(all)
	if err := write(opt.out, all); err != nil {
		return 2, err
	}
	if shortfall(all) > 0 {
		return 1, nil
	}
	return 0, nil
}

// groupLimit is how long a group of 5 rounds may take; it only ends what hangs.
const groupLimit = 8 * time.Minute

// measureGroup returns a result for each of the group's rows, whatever happens.
func measureGroup(ctx context.Context, opt options, g group, dir string, stderr io.Writer) []result {
	limit := groupLimit * time.Duration(max(opt.rounds, 5)) / 5
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done within %s", limit))
	defer cancel()
	folder, err := os.MkdirTemp(dir, g.name+"-")
	if err != nil {
		return failed(g, err)
	}
	defer func() { _ = os.RemoveAll(folder) }()

	args := []string{"-rounds", strconv.Itoa(opt.rounds), "-dir", folder}
	if opt.quick {
		args = append(args, "-quick")
	}
	child, err := start(ctx, stderr, "group", append(args, "-run", opt.pattern), g.name)
	if err != nil {
		return failed(g, err)
	}
	got := map[string]result{}
	var failure error
	for {
		var r result
		if err := child.read(&r); err != nil {
			break
		}
		got[r.Name] = r
	}
	if err := child.wait(); err != nil {
		failure = err
		if cause := context.Cause(ctx); cause != nil {
			failure = cause
		}
	}
	var results []result
	for _, r := range g.rows {
		res, ok := got[r.name]
		if !ok {
			if failure == nil {
				failure = errors.New("the measuring process said nothing about it")
			}
			res = r.conclude(nil, failure)
		}
		results = append(results, res)
	}
	return results
}

func failed(g group, err error) []result {
	var results []result
	for _, r := range g.rows {
		results = append(results, r.conclude(nil, err))
	}
	return results
}

// child is this program run again in another role. It ends when its standard
// input does, so none outlives its parent.
type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	stray *tail
}

// start runs a role; it hears of the end of ctx by a signal.
func start(ctx context.Context, stderr io.Writer, role string, flags []string, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, append(append([]string{"-child", role}, flags...), args...)...) //nolint:gosec // ourselves
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	c := &child{cmd: cmd, stray: &tail{w: stderr}}
	cmd.Stderr = c.stray
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	return c, nil
}

// say and read exchange lines of JSON.
func (c *child) say(v any) error { return json.NewEncoder(c.in).Encode(v) }

func (c *child) read(into any) error {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// wait ends the child and says what it said last if it failed.
func (c *child) wait() error {
	_ = c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(c.stray.last))
	}
	return nil
}

// tail passes on what is written and remembers the last line.
type tail struct {
	w    io.Writer
	last string
}

func (t *tail) Write(p []byte) (int, error) {
	if lines := strings.Split(strings.TrimSpace(string(p)), "\n"); lines[len(lines)-1] != "" {
		t.last = lines[len(lines)-1]
	}
	return t.w.Write(p)
}
