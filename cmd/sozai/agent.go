package main

import (
	"strconv"
	"time"
)

type agentCommand struct {
	List agentListCommand `cmd:"" help:"The agents of the product."`
}

type agentListCommand struct {
	target `embed:""`
	JSON   bool `help:"Print JSON."`
}

func (c *agentListCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	agents, err := api.agents(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(agents)
	}
	var t table
	t.row("AGENT", "NAME", "GENE", "WAITING", "RUNNING", "ACTIVE")
	for _, a := range agents {
		t.row(a.ID, a.Name, versionName(a.GeneVersion), strconv.Itoa(a.WaitingCards+a.WaitingOrders),
			strconv.Itoa(a.RunningTasks), ago(a.LastActivity, time.Now()))
	}
	return t.print(p.stdout)
}
