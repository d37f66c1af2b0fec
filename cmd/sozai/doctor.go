package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"sozai/streams"
)

type doctorCommand struct {
	place   `embed:""`
	Model   modelConfig   `embed:""`
	Outside outsideConfig `embed:""`
	Probe   bool          `default:"true" negatable:"" help:"Ask the services outside; the model costs a few cents."`
	JSON    bool          `help:"Print the checks as JSON."`
}

// How a check went.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
)

// check is one finding: what is, and what to do about it.
type check struct {
	Name    string `json:"check"`
	Status  string `json:"status"`
	Says    string `json:"says"`
	Do      string `json:"do,omitempty"`
	Details any    `json:"details,omitempty"`
}

// checkup gathers findings. A check that cannot be made is a finding too.
type checkup struct {
	*doctorCommand
	ctx   context.Context //nolint:containedctx // the life of the one command
	n     *node
	alive *streams.Alive
	now   time.Time
	done  []check
}

func (d *checkup) ok(name string, details any, format string, args ...any) {
	d.done = append(d.done, check{Name: name, Status: checkOK, Says: fmt.Sprintf(format, args...), Details: details})
}

func (d *checkup) warn(name, do string, details any, format string, args ...any) {
	d.done = append(d.done, check{Name: name, Status: checkWarn, Says: fmt.Sprintf(format, args...), Do: do, Details: details})
}

func (d *checkup) fail(name, do string, details any, format string, args ...any) {
	d.done = append(d.done, check{Name: name, Status: checkFail, Says: fmt.Sprintf(format, args...), Do: do, Details: details})
}

// Run looks at everything that an operator asks about first, beside a server that
// runs or, if none does, by opening the stopped folder for the look.
func (c *doctorCommand) Run(p *process) error {
	ctx, cancel := context.WithTimeout(p.ctx, startLimit)
	defer cancel()
	d := &checkup{doctorCommand: c, ctx: ctx, n: &node{}, now: time.Now()}
	defer d.n.close()
	d.machine()
	d.configuration()
	d.outside()
	if err := d.n.claim(c.place, opening{attach: true, found: true}); err != nil {
		d.fail("open", "", nil, "%s", sentence(err))
		return d.report(p)
	}
	d.holder()
	if err := d.n.openLog(ctx, c.place, opening{}); err != nil {
		d.fail("log", "if a server runs, look at what it prints; if none does, `sozai serve` says more", nil, "%s", sentence(err))
	} else if d.alive, err = streams.OpenAlive(ctx, d.n.conn, streams.Config{Replicas: replicasOf(ctx, d.n.conn)}); err != nil {
		d.fail("log", "", nil, "%s", sentence(err))
	} else {
		d.streams()
		d.writes()
	}
	if err := d.n.openTables(ctx, c.place); err != nil {
		d.fail("database", "see docs/operations.md, “When it does not start”", nil, "%s", sentence(err))
	} else if d.database() {
		d.tables()
		d.effects()
	}
	d.backup()
	return d.report(p)
}

// report prints the findings and fails if one of them does.
func (d *checkup) report(p *process) error {
	counts := map[string]int{}
	for _, c := range d.done {
		counts[c.Status]++
	}
	if d.JSON {
		if err := p.printJSON(map[string]any{
			"version": version, "at": d.now.UTC(), "served": d.n.served, "ok": counts[checkFail] == 0, "checks": d.done,
		}); err != nil {
			return err
		}
	} else {
		for _, c := range d.done {
			fmt.Fprintf(p.stdout, "%s  %-12s %s\n", mark(c.Status, p.terminal), c.Name, c.Says)
			if c.Do != "" {
				fmt.Fprintf(p.stdout, "%-18s → %s\n", "", c.Do)
			}
		}
		fmt.Fprintf(p.stdout, "%d checked: %d ok, %d to look at, %d failed\n", len(d.done), counts[checkOK], counts[checkWarn], counts[checkFail])
	}
	if n := counts[checkFail]; n > 0 {
		return fmt.Errorf("%s failed", plural(n, "check"))
	}
	return nil
}

// mark is a status, in colour on a terminal.
func mark(status string, terminal bool) string {
	text := fmt.Sprintf("%-4s", status)
	if !terminal {
		return text
	}
	colour := map[string]string{checkOK: "32", checkWarn: "33", checkFail: "31;1"}[status]
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// MarshalJSON writes a configuration without its key.
func (c modelConfig) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"key": c.Key != "", "url": redact(c.BaseURL, ""), "model": c.Model})
}
