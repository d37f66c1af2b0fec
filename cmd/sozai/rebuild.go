package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"sozai/projections"
)

// errDiffers is verify's answer when something is not as the log says.
var errDiffers = errors.New("projections differ from the log; `sozai rebuild` makes them again")

type rebuildCommand struct {
	serverConfig `embed:""`
	Names        []string `arg:"" optional:"" help:"Projections to build (default: all)."`
	JSON         bool     `help:"Progress as JSON lines."`
}

// Run builds a new generation of each projection while the old one serves, and
// moves the pointer once it has caught up.
func (c *rebuildCommand) Run(p *process) error {
	n, err := open(p.ctx, c.serverConfig, true)
	if err != nil {
		return err
	}
	defer n.close()
	names, err := projectionNames(c.Names)
	if err != nil {
		return err
	}
	runner := projections.NewRunner(n.store, n.log, slog.New(slog.DiscardHandler))
	show := func(at projections.RebuildProgress) {
		switch {
		case c.JSON:
			_ = json.NewEncoder(p.stdout).Encode(at)
		case p.terminal:
			fmt.Fprintf(p.stderr, "\r%s\033[K", progressLine(at))
		}
	}
	if err := runner.Rebuild(p.ctx, names, show); err != nil {
		return err
	}
	if !c.JSON {
		if p.terminal {
			fmt.Fprintln(p.stderr)
		}
		fmt.Fprintf(p.stdout, "rebuilt %s\n", strings.Join(names, ", "))
	}
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

type verifyCommand struct {
	serverConfig `embed:""`
	Names        []string `arg:"" optional:"" help:"Projections to check (default: all)."`
	JSON         bool     `help:"Print the checks as JSON."`
}

// Run proves, table by table, that what serves equals what the log makes.
func (c *verifyCommand) Run(p *process) error {
	n, err := open(p.ctx, c.serverConfig, true)
	if err != nil {
		return err
	}
	defer n.close()
	names, err := projectionNames(c.Names)
	if err != nil {
		return err
	}
	runner := projections.NewRunner(n.store, n.log, slog.New(slog.DiscardHandler))
	began := time.Now()
	// Without a server nobody else applies what the log has beyond the tables.
	if err := runner.CatchUp(p.ctx); err != nil {
		return err
	}
	checks, err := runner.Verify(p.ctx, names...)
	if err != nil {
		return err
	}
	differ := 0
	for _, check := range checks {
		if !check.Equal {
			differ++
		}
	}
	if c.JSON {
		err = json.NewEncoder(p.stdout).Encode(checks)
	} else {
		var t table
		t.row("PROJECTION", "TABLE", "ROWS", "AS OF", "RESULT")
		for _, check := range checks {
			result := "equal"
			if !check.Equal {
				result = "DIFFERS at " + check.FirstKey
			}
			t.row(check.Projection, check.Table, strconv.FormatInt(check.Rows, 10), strconv.FormatUint(check.Seq, 10), result)
		}
		err = t.print(p.stdout)
		fmt.Fprintf(p.stdout, "%d tables compared in %s, %d differ\n", len(checks), time.Since(began).Round(time.Millisecond), differ)
	}
	if err == nil && differ > 0 {
		return errDiffers
	}
	return err
}
