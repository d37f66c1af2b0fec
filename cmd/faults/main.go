// Command faults holds the whole program against failures: it runs rounds of
// people working at real `sozai serve` processes while processes are killed at
// named steps, the log and the database restart, answers are lost, disks fill
// and clocks jump, and then holds the log against what those people were told.
// A round follows from its seed alone.
//
// It may import everything; nothing may import it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == logServerCommand {
		os.Exit(serveLog(os.Args[2:]))
	}
	var o options
	flag.IntVar(&o.seeds, "seeds", 20, "how many rounds")
	flag.Uint64Var(&o.first, "first", 1, "the first round's seed")
	flag.IntVar(&o.lanes, "lanes", 2, "rounds at once")
	flag.StringVar(&o.keep, "keep", "", "folder for what rounds with findings leave behind (default: a new one)")
	flag.StringVar(&o.binary, "binary", "", "a sozai built by -build instead of a fresh build")
	flag.StringVar(&o.only, "scenario", "", "only seeds that draw this scenario")
	build := flag.String("build", "", "only build the sozai that rounds run, at this path")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	clean := true
	if *build != "" {
		err = buildSozai(ctx, *build)
	} else {
		clean, err = playAll(ctx, o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(2)
	}
	if !clean {
		os.Exit(1)
	}
}

// options of the long form.
type options struct {
	seeds  int
	first  uint64
	lanes  int
	keep   string
	binary string
	only   string
}

// playAll plays the rounds, prints one line each and ends in a count; false means
// that there were findings.
func playAll(ctx context.Context, o options, out io.Writer) (clean bool, err error) {
	dir, err := os.MkdirTemp("", "sozai-faults-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if o.binary == "" {
		o.binary = dir + "/sozai"
		if err := buildSozai(ctx, o.binary); err != nil {
			return false, err
		}
	}
	if o.keep == "" {
		if o.keep, err = os.MkdirTemp("", "sozai-findings-"); err != nil {
			return false, err
		}
		defer func() { _ = os.Remove(o.keep) }() // only if nothing was kept
	}
	seeds := make(chan uint64)
	go func() {
		defer close(seeds)
		for sent, seed := 0, o.first; sent < o.seeds && ctx.Err() == nil; seed++ {
			if o.only != "" && draw(seed).Scenario != o.only {
				continue
			}
			seeds <- seed
			sent++
		}
	}()
	began := time.Now()
	var sum summary
	var mu sync.Mutex
	var lanes sync.WaitGroup
	for i := range max(o.lanes, 1) {
		lanes.Go(func() {
			l, laneErr := openLane(ctx, fmt.Sprintf("%s/lane%d", dir, i), o.binary, o.keep)
			if laneErr != nil {
				mu.Lock()
				err = laneErr
				mu.Unlock()
				for range seeds { // so that the sender ends
				}
				return
			}
			defer l.close()
			for seed := range seeds {
				r := l.play(ctx, draw(seed))
				if ctx.Err() != nil {
					return // an interrupted round says nothing
				}
				mu.Lock()
				sum.add(r)
				fmt.Fprintln(out, r.line())
				mu.Unlock()
			}
		})
	}
	lanes.Wait()
	fmt.Fprintf(out, "%s in %s\n", sum.String(), time.Since(began).Round(time.Second))
	return sum.findings == 0, err
}

// summary counts rounds.
type summary struct {
	rounds, findings int
	commands         int
	fired            map[string]int
	notes            map[string]int
}

func (s *summary) add(r result) {
	if s.fired == nil {
		s.fired, s.notes = map[string]int{}, map[string]int{}
	}
	s.rounds++
	s.commands += r.commands
	if len(r.findings) > 0 {
		s.findings++
	}
	for _, f := range r.fired {
		s.fired[f]++
	}
	for note, n := range r.notes {
		s.notes[note] += n
	}
}

func (s *summary) String() string {
	var b strings.Builder
	for _, part := range []struct {
		title  string
		counts map[string]int
	}{{"faults", s.fired}, {"notes", s.notes}} {
		if len(part.counts) == 0 {
			continue
		}
		names := make([]string, 0, len(part.counts))
		for name := range part.counts {
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Fprintf(&b, "%s:", part.title)
		for _, name := range names {
			fmt.Fprintf(&b, " %s %d,", name, part.counts[name])
		}
		b.WriteString("\n")
	}
	return strings.ReplaceAll(b.String(), ",\n", "\n") +
		fmt.Sprintf("%d rounds, %d commands, %d rounds with findings", s.rounds, s.commands, s.findings)
}
