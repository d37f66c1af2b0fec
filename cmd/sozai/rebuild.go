package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"sozai/projections"
)

// rebuildGC is how far the heap of a rebuild may grow, in percent of what lives.
const rebuildGC = 400

type rebuildCommand struct {
	place  `embed:""`
	Names  []string `arg:"" optional:"" help:"Projections (default: all)."`
	AsOf   string   `placeholder:"WHEN" help:"Instead of rebuilding, make tables as of a sequence, a time, or a gene version (V5, with --agent), in schemas of their own."`
	Agent  string   `help:"The agent whose gene version --as-of means."`
	List   bool     `help:"List what is being built, and the tables that --as-of made."`
	Cancel bool     `help:"Stop the builds that are under way, in whichever process, and drop them."`
	Drop   uint64   `placeholder:"SEQ" help:"Drop the tables that --as-of made for this sequence."`
	JSON   bool     `help:"Progress as JSON lines."`
}

// Run builds a new generation of each projection while the old one serves, and
// moves the pointer once it has caught up.
func (c *rebuildCommand) Run(p *process) error {
	names, err := projectionNames(c.Names)
	if err != nil {
		return err
	}
	n, err := open(p.ctx, c.place, opening{attach: true, found: true})
	if err != nil {
		return err
	}
	defer n.close()
	// A rebuild makes much garbage and keeps little: collecting it rarely costs some
	// memory and saves a tenth of the time.
	debug.SetGCPercent(rebuildGC)
	runner := projections.NewRunner(n.store, n.log, slog.New(slog.DiscardHandler))
	switch {
	case c.List:
		return c.list(p, n)
	case c.Cancel:
		return c.cancel(p, n, names)
	case c.Drop > 0:
		return c.drop(p, n, names)
	case c.AsOf != "":
		return c.asOf(p, n, runner, names)
	}
	begun := time.Now()
	progress := p.rebuildShow(c.JSON)
	err = runner.Rebuild(p.ctx, names, progress.show)
	progress.meter.end()
	switch {
	case err != nil && p.ctx.Err() != nil:
		return fmt.Errorf("interrupted; `sozai rebuild%s` goes on where it was, with --cancel it is dropped", c.again())
	case errors.Is(err, projections.ErrBuildCancelled):
		return fmt.Errorf("%w; the serving tables are as they were", err)
	case err != nil:
		return poisoned(err)
	}
	if c.JSON {
		return nil
	}
	at, err := n.log.Last(p.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "rebuilt %s: %s in %s\n", strings.Join(names, ", "),
		plural(at, "event"), time.Since(begun).Round(10*time.Millisecond))
	return nil
}

// again is the rest of the command line that says the same.
func (c *rebuildCommand) again() string {
	if len(c.Names) == 0 {
		return ""
	}
	return " " + strings.Join(c.Names, " ")
}

// poisoned adds the way out to an event that stopped a build.
func poisoned(err error) error {
	var poison *projections.PoisonError
	if !errors.As(err, &poison) {
		return err
	}
	return fmt.Errorf("%w; the serving tables are as they were. `sozai events --after %d -n 1 --json` shows the event; a version that can apply it goes on from here",
		err, poison.Seq-1)
}

// rebuildShow shows the projections of one pass on one line, where the one that is
// farthest behind stands.
type rebuildShow struct {
	p      *process
	json   bool
	meter  *meter
	latest map[string]projections.RebuildProgress
}

func (p *process) rebuildShow(json bool) *rebuildShow {
	return &rebuildShow{p: p, json: json, meter: p.meter(), latest: map[string]projections.RebuildProgress{}}
}

// rebuildStep is the progress of one projection as --json prints it.
type rebuildStep struct {
	Projection string  `json:"projection"`
	Generation int     `json:"generation"`
	Seq        uint64  `json:"seq"`
	Target     uint64  `json:"target"`
	Rate       float64 `json:"rate"` // events a second
	ETA        float64 `json:"eta"`  // seconds
	Done       bool    `json:"done"`
}

func (s *rebuildShow) show(at projections.RebuildProgress) {
	if s.json {
		_ = json.NewEncoder(s.p.stdout).Encode(rebuildStep{
			at.Projection, at.Generation, at.Seq, at.Target, at.Rate, at.ETA.Seconds(), at.Done,
		})
		return
	}
	s.latest[at.Projection] = at
	s.meter.say(func() string {
		last, what := at, at.Projection
		for _, other := range s.latest {
			if other.Seq < last.Seq {
				last = other
			}
		}
		if len(s.latest) > 1 {
			what = plural(len(s.latest), "projection")
		}
		return progressLine(what, last.Seq, last.Target, last.Rate, last.ETA)
	})
}

// cancel stops the builds of the named projections; of those named one by one
// each must be under way.
func (c *rebuildCommand) cancel(p *process, n *node, names []string) error {
	var stopped []string
	for _, name := range names {
		err := n.store.CancelBuild(p.ctx, name)
		if errors.Is(err, projections.ErrNoBuild) && len(c.Names) == 0 {
			continue
		}
		if err != nil {
			return err
		}
		stopped = append(stopped, name)
	}
	if len(stopped) == 0 {
		return projections.ErrNoBuild
	}
	fmt.Fprintf(p.stdout, "cancelled the build of %s; the serving tables are as they were\n", strings.Join(stopped, ", "))
	return nil
}

func projectionNames(want []string) ([]string, error) {
	var all []string
	for _, known := range projections.All() {
		all = append(all, known.Name)
	}
	if len(want) == 0 {
		return all, nil
	}
	for _, name := range want {
		found := false
		for _, known := range all {
			found = found || known == name
		}
		if !found {
			return nil, fmt.Errorf("no projection %q; there are %s", name, strings.Join(all, ", "))
		}
	}
	return want, nil
}
