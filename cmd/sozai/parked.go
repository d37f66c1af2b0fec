package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"sozai/projections"
)

type parkedCommand struct {
	List  parkedListCommand  `cmd:"" default:"withargs" help:"Agents whose events wait because one could not be applied."`
	Retry parkedRetryCommand `cmd:"" help:"Try the waiting events again, in order."`
}

type parkedListCommand struct {
	place `embed:""`
	JSON  bool `help:"Print JSON."`
}

func (c *parkedListCommand) Run(p *process) error {
	n, err := open(p.ctx, c.place, opening{attach: true, found: true})
	if err != nil {
		return err
	}
	defer n.close()
	list, err := n.store.Parked(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		if list == nil {
			list = []projections.ParkedAgent{}
		}
		return p.printJSON(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(p.stdout, "no event is parked")
		return nil
	}
	names, err := agentNames(p.ctx, n.log)
	if err != nil {
		return err
	}
	var t table
	t.row("PROJECTION", "AGENT", "NAME", "EVENT", "TYPE", "BEHIND", "CAUSE")
	for _, a := range list {
		t.row(a.Projection, string(a.Agent), names[a.Key], strconv.FormatUint(a.Seq, 10), a.Type, strconv.Itoa(a.Waiting), oneLine(a.Error, 100))
	}
	if err := t.print(p.stdout); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s parked; when the cause is gone: sozai parked retry\n", plural(len(list), "agent"))
	return nil
}

type parkedRetryCommand struct {
	place      `embed:""`
	Projection string `help:"Only this projection."`
	Agent      string `help:"Only this agent, by name or id."`
}

// Run tries every parked agent that is meant; those that still cannot be applied
// are named, and stay.
func (c *parkedRetryCommand) Run(p *process) error {
	n, err := open(p.ctx, c.place, opening{attach: true, found: true})
	if err != nil {
		return err
	}
	defer n.close()
	list, err := n.store.Parked(p.ctx)
	if err != nil {
		return err
	}
	if c.Projection != "" {
		if _, err := projectionNames([]string{c.Projection}); err != nil {
			return err
		}
	}
	names, err := agentNames(p.ctx, n.log)
	if err != nil {
		return err
	}
	only := ""
	if c.Agent != "" {
		key, err := findAgent(names, c.Agent)
		if err != nil {
			return err
		}
		only = string(key.Agent)
	}
	runner := projections.NewRunner(n.store, n.log, slog.New(slog.DiscardHandler))
	tried, still := 0, 0
	for _, a := range list {
		if c.Projection != "" && a.Projection != c.Projection || only != "" && string(a.Agent) != only {
			continue
		}
		tried++
		what := strings.TrimSpace(fmt.Sprintf("%s %s %s", a.Projection, a.Agent, names[a.Key]))
		err := runner.Retry(p.ctx, a.Projection, a.Key)
		var poison *projections.PoisonError
		switch {
		case errors.As(err, &poison):
			still++
			fmt.Fprintf(p.stdout, "parked   %s: %v\n", what, poison)
		case err != nil:
			return fmt.Errorf("%s: %w", what, err)
		default:
			fmt.Fprintf(p.stdout, "applied  %s: %s\n", what, plural(a.Waiting+1, "event"))
		}
	}
	switch {
	case tried == 0 && c.Projection == "" && c.Agent == "":
		fmt.Fprintln(p.stdout, "no event is parked")
	case tried == 0:
		return errors.New("nothing of that is parked; `sozai parked` lists what is")
	case still > 0:
		return fmt.Errorf("%s still cannot be applied", plural(still, "agent"))
	}
	return nil
}
