package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// play is a child process in its role.
func play(ctx context.Context, opt options, args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// What does not end when it is told to ends all the same.
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, func() { os.Exit(1) }) })()
	w := wire{in: json.NewDecoder(bufio.NewReader(stdin)), out: json.NewEncoder(stdout)}
	var err error
	switch opt.role {
	case "group":
		go w.listen(cancel)
		err = playGroup(ctx, opt, args[0], w, stderr)
	case "rebuild":
		var order rebuildOrder
		if err = w.in.Decode(&order); err == nil {
			go w.listen(cancel)
			err = playRebuild(ctx, order, w)
		}
	case "sockets":
		err = playSockets(ctx, w)
	default:
		err = fmt.Errorf("there is no role %q", opt.role)
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// wire is a child's end of the conversation: lines of JSON.
type wire struct {
	in  *json.Decoder
	out *json.Encoder
}

// listen is for a child to whom nobody speaks any more: the end of its input is
// the end of its parent.
func (w wire) listen(ended func()) {
	var word json.RawMessage
	for w.in.Decode(&word) == nil {
	}
	ended()
}

// patience is how long a child may take to end.
const patience = 15 * time.Second

func playGroup(ctx context.Context, opt options, name string, w wire, stderr io.Writer) error {
	match, err := regexp.Compile(opt.pattern)
	if err != nil {
		return err
	}
	for _, g := range matching(groups(), match) {
		if g.name != name {
			continue
		}
		b := &bench{opt: opt, stderr: stderr, samples: map[string][]sample{}, wanted: map[string]bool{}}
		for _, r := range g.rows {
			b.wanted[r.name] = true
		}
		err := g.run(ctx, b)
		b.close()
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		for _, r := range g.rows {
			if sayErr := w.out.Encode(r.conclude(b.samples[r.name], err)); sayErr != nil {
				return sayErr
			}
		}
		return nil
	}
	return fmt.Errorf("there is no group %q", name)
}

// bench is what a group measures with.
type bench struct {
	opt     options
	stderr  io.Writer
	samples map[string][]sample
	wanted  map[string]bool
	folders int
	closers []func()
}

// add notes one round of a row.
func (b *bench) add(name string, ours, limit float64) {
	b.samples[name] = append(b.samples[name], sample{ours, limit})
	fmt.Fprintf(b.stderr, "  %-44s %s | %s\n", name, figure(ours), figure(limit))
}

// alone notes one round of a row that has no limit beside it.
func (b *bench) alone(name string, ours float64) { b.add(name, ours, math.NaN()) }

// wants says whether any of the rows was asked for.
func (b *bench) wants(names ...string) bool {
	for _, n := range names {
		if b.wanted[n] {
			return true
		}
	}
	return false
}

// rounds calls each as often as the command line says.
func (b *bench) rounds(ctx context.Context, each func() error) error {
	for range b.opt.rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
	return nil
}

// size is n, or a small part of it with -quick.
func (b *bench) size(n, quick int) int {
	if b.opt.quick {
		return quick
	}
	return n
}

// folder makes a fresh one; it goes with the run.
func (b *bench) folder() (string, error) {
	b.folders++
	dir := filepath.Join(b.opt.dir, fmt.Sprintf("%s-%d", "data", b.folders))
	return dir, os.MkdirAll(dir, 0o700)
}

// later runs at the end, last first.
func (b *bench) later(f func()) { b.closers = append(b.closers, f) }

func (b *bench) close() {
	for i := len(b.closers) - 1; i >= 0; i-- {
		b.closers[i]()
	}
	b.closers = nil
}
