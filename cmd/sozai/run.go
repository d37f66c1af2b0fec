package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sozai/domain"
	"sozai/projections"
)

type runCommand struct {
	List     runListCommand     `cmd:"" help:"Runs of an agent, or of all, newest first."`
	Show     runShowCommand     `cmd:"" help:"One run with its attempts and rounds."`
	Start    runStartCommand    `cmd:"" help:"Ask for a search, digest, board, film or analysis."`
	Cancel   runCancelCommand   `cmd:"" help:"Ask a run to stop."`
	Retry    runRetryCommand    `cmd:"" help:"Ask for a finished run again."`
	Continue runContinueCommand `cmd:"" help:"Give a run that ended at a cap another budget."`
}

type runListCommand struct {
	target `embed:""`
	Agent  string   `arg:"" optional:"" help:"Agent by name or id (default: all)."`
	State  []string `help:"Only these states: requested, running, stopping, worker_lost, done, failed, cancelled."`
	Limit  int      `default:"30" help:"At most so many an agent."`
	JSON   bool     `help:"Print JSON."`
}

func (c *runListCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	agents, err := api.agents(p.ctx)
	if c.Agent != "" {
		var one agentRow
		one, err = api.agentOf(p.ctx, c.Agent)
		agents = []agentRow{one}
	}
	if err != nil {
		return err
	}
	names := map[domain.ID]string{}
	var runs []projections.Task
	for _, a := range agents {
		names[domain.ID(a.ID)] = a.Name
		query := url.Values{"limit": {fmt.Sprint(c.Limit)}}
		if len(c.State) > 0 {
			query["state"] = c.State
		}
		var answer struct {
			Runs []projections.Task `json:"runs"`
		}
		if err := api.call(p.ctx, http.MethodGet, "/api/agents/"+a.ID+"/runs?"+query.Encode(), nil, &answer); err != nil {
			return err
		}
		runs = append(runs, answer.Runs...)
	}
	slices.SortStableFunc(runs, func(a, b projections.Task) int { return b.RequestedAt.Compare(a.RequestedAt) })
	if c.JSON {
		return p.printJSON(runs)
	}
	var t table
	t.row("RUN", "AGENT", "WORK", "TRIGGER", "GENE", "STATE", "PROGRESS", "COST", "AGE")
	now := time.Now()
	for _, r := range runs {
		t.row(string(r.Run), names[r.Agent], string(r.Work), string(r.Trigger), versionName(r.GeneVersion), stateOf(r),
			progressOf(r), fmt.Sprintf("¥%.2f", r.CostYuan), ago(r.RequestedAt, now))
	}
	return t.print(p.stdout)
}

func versionName(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("V%d", n)
}

func stateOf(r projections.Task) string {
	if r.Reason != "" && r.Reason != "finished" && r.Reason != "cancelled" {
		return fmt.Sprintf("%s (%s)", r.State, r.Reason)
	}
	return string(r.State)
}

func progressOf(r projections.Task) string {
	switch {
	case !r.State.Open() && len(r.Products) > 0:
		return fmt.Sprintf("%d products", len(r.Products))
	case r.Progress == nil:
		return ""
	}
	text := fmt.Sprintf("%d", r.Progress.Done)
	if r.Progress.Target > 0 {
		text += fmt.Sprintf(" of %d", r.Progress.Target)
	}
	text += " " + r.Progress.Unit
	if r.Progress.Pages > 0 {
		text += fmt.Sprintf(", page %d of %d", r.Progress.Page, r.Progress.Pages)
	}
	return text
}

// runOf finds a run and its agent among those that the caller may see.
func (c *client) runOf(ctx context.Context, id string) (projections.TaskDetail, string, error) {
	var detail projections.TaskDetail
	parsed, err := domain.ParseID(id)
	if err != nil {
		return detail, "", err
	}
	agents, err := c.agents(ctx)
	if err != nil {
		return detail, "", err
	}
	for _, a := range agents {
		path := "/api/agents/" + a.ID + "/runs/" + string(parsed)
		err := c.call(ctx, http.MethodGet, path, nil, &detail)
		var missing *problem
		if errors.As(err, &missing) && missing.Status == http.StatusNotFound {
			continue
		}
		return detail, path, err
	}
	return detail, "", fmt.Errorf("no run %s in product %q", parsed, c.product)
}

type runShowCommand struct {
	target `embed:""`
	ID     string `arg:"" name:"run" help:"Run id."`
	JSON   bool   `help:"Print JSON."`
}

func (c *runShowCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	r, _, err := api.runOf(p.ctx, c.ID)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(r)
	}
	now := time.Now()
	fmt.Fprintf(p.stdout, "%s  %s  %s\n", r.Run, r.Work, stateOf(r.Task))
	fmt.Fprintf(p.stdout, "asked     %s ago by %s, trigger %s, gene %s\n", ago(r.RequestedAt, now), r.Requester, r.Trigger, versionName(r.GeneVersion))
	for _, row := range [][2]string{{"what", r.Request.What}, {"why", r.Request.Why}, {"progress", progressOf(r.Task)}, {"ended", r.Summary}} {
		if row[1] != "" {
			fmt.Fprintf(p.stdout, "%-9s %s\n", row[0], row[1])
		}
	}
	fmt.Fprintf(p.stdout, "cost      ¥%.4f in %d rounds\n", r.CostYuan, r.Rounds)
	for _, product := range r.Products {
		fmt.Fprintf(p.stdout, "product   %s %s\n", product.Type, product.ID)
	}
	for _, a := range r.Attempts {
		end := a.End
		if end == "" {
			end = "alive, last sign " + ago(r.LastSign, now) + " ago"
		}
		fmt.Fprintf(p.stdout, "attempt %d  %s  %s\n", a.Attempt, a.Worker, end)
	}
	for _, s := range r.Steps {
		fmt.Fprintf(p.stdout, "round %d.%d  %s\n", s.Attempt, s.Round, oneLine(s.Why, 100))
		for _, call := range s.Calls {
			fmt.Fprintf(p.stdout, "    %-16s %s → %s (%s, %.1fs)\n", call.Tool, oneLine(call.Input, 60), oneLine(call.Output, 60), call.Outcome, call.Seconds)
		}
	}
	return nil
}

// oneLine cuts text to n runes on one line.
func oneLine(text string, n int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return string(runes)
}

type runCancelCommand struct {
	target `embed:""`
	ID     string `arg:"" name:"run" help:"Run id."`
}

func (c *runCancelCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	r, path, err := api.runOf(p.ctx, c.ID)
	if err != nil {
		return err
	}
	if err := api.call(p.ctx, http.MethodPost, path+"/cancel", nil, nil); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "asked %s to stop; what it has kept stays\n", r.Run)
	return nil
}

type runRetryCommand struct {
	target  `embed:""`
	ID      string `arg:"" name:"run" help:"Run id."`
	Current bool   `help:"With the current gene instead of the run's own."`
	JSON    bool   `help:"Print JSON."`
}

func (c *runRetryCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	_, path, err := api.runOf(p.ctx, c.ID)
	if err != nil {
		return err
	}
	var answer struct {
		Run string `json:"run"`
		Seq uint64 `json:"seq"`
	}
	if err := api.call(p.ctx, http.MethodPost, path+"/retry", map[string]bool{"same_gene": !c.Current}, &answer); err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(answer)
	}
	fmt.Fprintf(p.stdout, "asked for again as %s\n", answer.Run)
	return nil
}
