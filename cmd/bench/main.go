// Command bench measures how fast the parts of Sozai are, and prints beside each
// figure the limit it is measured against: what the same server or database does
// with the same bytes and nothing of ours in between. Ours and the limit take
// turns within one run, so that a busy machine slows down both.
//
// Only real parts are measured: the embedded log server as serve starts it (every
// append synced), a private PostgreSQL, the runner, the workers, the web server
// and its sockets. Each group of rows runs in a process of its own, so that none
// inherits another's memory, and one that fails or hangs costs only its rows.
//
// It may import everything but cmd/sozai; nothing imports it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// options are what the command line says.
type options struct {
	pattern string
	rounds  int
	quick   bool
	list    bool
	dir     string // where the temporary folders are made
	out     string // bench.json
	role    string // of a child process; empty: the one that people start
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := command(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code)
}

// command returns the exit code: 0 if every row is reached, 1 if any falls short, 2
// if nothing could be measured.
func command(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	opt := options{rounds: 5}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opt.pattern, "run", "", "only rows whose name matches this regular expression")
	flags.IntVar(&opt.rounds, "rounds", opt.rounds, "rounds a row; the figures are their medians")
	flags.BoolVar(&opt.quick, "quick", false, "one round of small sizes: shows that everything runs, measures nothing well")
	flags.BoolVar(&opt.list, "list", false, "list the rows and what each must reach")
	flags.StringVar(&opt.dir, "dir", "", "folder for temporary data (default: the system's)")
	flags.StringVar(&opt.out, "json", "bench.json", "where the results are written")
	flags.StringVar(&opt.role, "child", "", "used by bench itself")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0, nil
		}
		return 2, nil // flag has said why
	}
	if opt.quick {
		opt.rounds = 1
	}
	if opt.role != "" {
		return play(ctx, opt, flags.Args(), stdin, stdout, stderr)
	}
	match, err := regexp.Compile(opt.pattern)
	if err != nil {
		return 2, fmt.Errorf("-run: %w", err)
	}
	groups := matching(groups(), match)
	if len(groups) == 0 {
		return 2, fmt.Errorf("no row matches %q; -list names them", opt.pattern)
	}
	if opt.list {
		for _, g := range groups {
			for _, r := range g.rows {
				fmt.Fprintf(stdout, "%-44s %-18s %s\n", r.name, r.must, r.against)
			}
		}
		return 0, nil
	}
	return measure(ctx, opt, groups, stdout, stderr)
}

// matching keeps the rows whose names match, and the groups that have any.
func matching(all []group, match *regexp.Regexp) []group {
	var kept []group
	for _, g := range all {
		var rows []row
		for _, r := range g.rows {
			if match.MatchString(r.name) {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			g.rows = rows
			kept = append(kept, g)
		}
	}
	return kept
}
