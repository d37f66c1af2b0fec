package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
)

// runStartCommand asks for work by hand, as the buttons of the pages do: it is a
// nod to what the work costs.
type runStartCommand struct {
	target `embed:""`
	Work   string   `arg:"" enum:"search,digest,board,film,analyze" help:"search, digest, board, film or analyze."`
	Agent  string   `arg:"" help:"Agent by name or id."`
	What   string   `help:"What it is about, in words."`
	Why    string   `help:"Why, in words."`
	Source string   `enum:"fast,competitor,hot," default:"" help:"Where a search looks: fast, competitor or hot."`
	Board  string   `help:"The board of a film, or the one that a new board starts from."`
	Cite   []string `sep:"," help:"Objects that it is about, as material:<id>, asset:<id> or film:<id>."`
	Count  int      `help:"How many a search looks for (default: its own)."`
	Wait   bool     `help:"Stay until it has ended, and fail if it failed."`
	JSON   bool     `help:"Print JSON."`
}

func (c *runStartCommand) Run(p *process) error {
	request := map[string]any{"work": c.Work, "what": c.What, "why": c.Why, "source": c.Source, "target": c.Count}
	if c.Board != "" {
		id, err := domain.ParseID(c.Board)
		if err != nil {
			return fmt.Errorf("--board: %w", err)
		}
		request["board"] = id
	}
	cites := []domain.Ref{}
	for _, text := range c.Cite {
		kind, id, _ := strings.Cut(text, ":")
		parsed, err := domain.ParseID(id)
		if err != nil {
			return fmt.Errorf("--cite %q: want material:<id>, asset:<id>, board:<id> or film:<id>", text)
		}
		cites = append(cites, domain.Ref{Type: domain.ObjectType(kind), ID: parsed})
	}
	request["cites"] = cites
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	agent, err := api.agentOf(p.ctx, c.Agent)
	if err != nil {
		return err
	}
	var asked struct {
		Run string `json:"run"`
		Seq uint64 `json:"seq"`
	}
	runs := "/api/agents/" + agent.ID + "/runs"
	if err := api.call(p.ctx, http.MethodPost, runs, request, &asked); err != nil {
		return err
	}
	if !c.Wait {
		if c.JSON {
			return p.printJSON(asked)
		}
		fmt.Fprintf(p.stdout, "asked for %s %s; see `sozai run show %s`\n", c.Work, asked.Run, asked.Run)
		return nil
	}
	ended, err := api.await(p.ctx, fmt.Sprintf("%s/%s?min_seq=%d", runs, asked.Run, asked.Seq), func(r projections.Task) {
		if !c.JSON {
			fmt.Fprintf(p.stderr, "%s  %s  %s\n", r.Run, stateOf(r), progressOf(r))
		}
	})
	if err != nil {
		return err
	}
	if c.JSON {
		if err := p.printJSON(ended); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(p.stdout, "%s  %s  ¥%.4f  %s\n", ended.Run, stateOf(ended.Task), ended.CostYuan, oneLine(ended.Summary, 200))
		for _, product := range ended.Products {
			fmt.Fprintf(p.stdout, "product   %s %s\n", product.Type, product.ID)
		}
	}
	if ended.Outcome != run.Done {
		return fmt.Errorf("%s %s: %s", c.Work, ended.Outcome, ended.Reason)
	}
	return nil
}

// lookEvery is how often a run that is waited for is looked at.
const lookEvery = time.Second

// await looks at a run until it has ended, and shows what has changed.
func (c *client) await(ctx context.Context, path string, show func(projections.Task)) (projections.TaskDetail, error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	shown := uint64(0)
	for {
		var r projections.TaskDetail
		if err := c.call(ctx, http.MethodGet, path, nil, &r); err != nil {
			return r, err
		}
		if r.Rev != shown {
			shown = r.Rev
			show(r.Task)
		}
		if !r.State.Open() {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-tick.C:
		}
	}
}

type runContinueCommand struct {
	target `embed:""`
	ID     string `arg:"" name:"run" help:"Run id."`
	JSON   bool   `help:"Print JSON."`
}

// Run gives a run that ended at a cap another budget.
func (c *runContinueCommand) Run(p *process) error {
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
	if err := api.call(p.ctx, http.MethodPost, path+"/continue", nil, &answer); err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(answer)
	}
	fmt.Fprintf(p.stdout, "goes on as %s\n", answer.Run)
	return nil
}
