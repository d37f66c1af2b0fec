package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"sozai/domain/run"
	"sozai/projections"
)

// backfillCommand asks for what is not analysed yet, one run an agent, and stays
// until they have ended. A run that is at it already is followed, so calling it
// again after Ctrl-C goes on where it was.
type backfillCommand struct {
	target `embed:""`
	Agent  []string `sep:"," help:"Only these agents, by name or id (default: all of the product)."`
	JSON   bool     `help:"Print JSON."`
}

// backfilled is one agent's run and how it ended.
type backfilled struct {
	Agent   string      `json:"agent"`
	Name    string      `json:"name"`
	Run     string      `json:"run,omitempty"`
	Outcome run.Outcome `json:"outcome,omitempty"`
	Reason  run.Reason  `json:"reason,omitempty"`
	Summary string      `json:"summary,omitempty"`
	Cost    float64     `json:"cost_yuan"`
	Error   string      `json:"error,omitempty"` // why there is no run, or no end of it

	path string
	task projections.Task
	open bool
}

// Run asks, follows and tells how it ended.
func (c *backfillCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	agents, err := c.agents(p.ctx, api)
	if err != nil {
		return err
	}
	list := make([]*backfilled, len(agents))
	for i, a := range agents {
		list[i] = &backfilled{Agent: a.ID, Name: a.Name}
		if err := api.backfill(p.ctx, list[i]); err != nil {
			list[i].Error = sentence(err)
		}
	}
	m := p.meter()
	err = api.follow(p.ctx, list, func() {
		if !c.JSON {
			m.say(func() string { return backfillProgress(list) })
		}
	})
	m.end()
	if err != nil {
		return fmt.Errorf("%w; what was asked for goes on, `sozai backfill` follows it again", err)
	}
	if err := c.tell(p, list); err != nil {
		return err
	}
	failed := 0
	for _, b := range list {
		if b.Outcome != run.Done {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s of %d not done", plural(failed, "agent"), len(list))
	}
	return nil
}

func (c *backfillCommand) agents(ctx context.Context, api *client) ([]agentRow, error) {
	if len(c.Agent) == 0 {
		return api.agents(ctx)
	}
	var list []agentRow
	for _, name := range c.Agent {
		a, err := api.agentOf(ctx, name)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// backfill finds the run that is at an agent's whole library already, or asks for
// one.
func (c *client) backfill(ctx context.Context, b *backfilled) error {
	runs := "/api/agents/" + b.Agent + "/runs"
	var open struct {
		Runs []projections.Task `json:"runs"`
	}
	query := url.Values{"work": {string(run.Analyze)}, "state": {
		string(projections.TaskRequested), string(projections.TaskRunning), string(projections.TaskWorkerLost),
	}}
	if err := c.call(ctx, http.MethodGet, runs+"?"+query.Encode(), nil, &open); err != nil {
		return err
	}
	for _, r := range open.Runs {
		if r.State.Open() && len(r.Request.Cites) == 0 {
			b.Run, b.path, b.open = string(r.Run), runs+"/"+string(r.Run), true
			return nil
		}
	}
	var asked struct {
		Run string `json:"run"`
		Seq uint64 `json:"seq"`
	}
	if err := c.call(ctx, http.MethodPost, runs, map[string]any{"work": run.Analyze}, &asked); err != nil {
		return err
	}
	b.Run, b.path, b.open = asked.Run, fmt.Sprintf("%s/%s?min_seq=%d", runs, asked.Run, asked.Seq), true
	return nil
}

// outage is how long a server may be away while a run is followed: a restart is no
// reason to give up.
const outage = time.Minute

// follow looks at the open runs until all have ended. What a run's reader is told
// for good ends that one only.
func (c *client) follow(ctx context.Context, list []*backfilled, show func()) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	answered := time.Now()
	for {
		open := false
		for _, b := range list {
			if !b.open {
				continue
			}
			var r projections.TaskDetail
			err := c.call(ctx, http.MethodGet, b.path, nil, &r)
			var refused *problem
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err == nil:
				answered = time.Now()
				b.see(r.Task)
			case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError && refused.Status != http.StatusTooManyRequests:
				b.open, b.Error = false, sentence(err)
			case time.Since(answered) > outage:
				return err
			}
			open = open || b.open
		}
		show()
		if !open {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (b *backfilled) see(t projections.Task) {
	b.task, b.open = t, t.State.Open()
	b.Outcome, b.Reason, b.Summary, b.Cost = t.Outcome, t.Reason, t.Summary, t.CostYuan
}

// backfillProgress is one line about all of them.
func backfillProgress(list []*backfilled) string {
	done, target, ended := 0, 0, 0
	for _, b := range list {
		if !b.open {
			ended++
		}
		if p := b.task.Progress; p != nil {
			done, target = done+p.Done, target+p.Target
		}
	}
	return fmt.Sprintf("analysing  %d of %d videos known so far, %d of %s done", done, target, ended, plural(len(list), "agent"))
}

func (c *backfillCommand) tell(p *process, list []*backfilled) error {
	if c.JSON {
		return p.printJSON(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(p.stdout, "there are no agents that you may see")
		return nil
	}
	var t table
	t.row("AGENT", "RUN", "STATE", "COST", "SUMMARY")
	for _, b := range list {
		if b.Error != "" {
			t.row(b.Name, b.Run, "error", "", oneLine(b.Error, 200))
			continue
		}
		t.row(b.Name, b.Run, stateOf(b.task), fmt.Sprintf("¥%.2f", b.Cost), oneLine(b.Summary, 200))
	}
	return t.print(p.stdout)
}
