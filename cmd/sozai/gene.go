package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sozai/domain"
	"sozai/projections"
)

type geneCommand struct {
	Show geneShowCommand `cmd:"" help:"The documents of a version, with each line's author."`
	Diff geneDiffCommand `cmd:"" help:"What changed between two versions, by words."`
	Log  geneLogCommand  `cmd:"" help:"The versions: who proposed and applied them, from what, with which result."`
}

type geneShowCommand struct {
	target  `embed:""`
	Agent   string `arg:"" help:"Agent by name or id."`
	Version int    `short:"v" help:"Version (default: the current one)."`
	JSON    bool   `help:"Print JSON."`
}

// document is a text with its lines' authors.
type document struct {
	Text  string `json:"text"`
	Lines []struct {
		Text string       `json:"text"`
		By   domain.Actor `json:"by"`
		Role string       `json:"role"`
	} `json:"lines"`
}

func (c *geneShowCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	a, err := api.agentOf(p.ctx, c.Agent)
	if err != nil {
		return err
	}
	var g struct {
		Version     int                  `json:"version"`
		Search      document             `json:"search"`
		Steer       document             `json:"steer"`
		Constraints domain.Constraints   `json:"constraints"`
		People      map[domain.ID]string `json:"people"`
	}
	if err := api.call(p.ctx, http.MethodGet, fmt.Sprintf("/api/agents/%s/gene?version=%d", a.ID, c.Version), nil, &g); err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(g)
	}
	fmt.Fprintf(p.stdout, "%s  V%d\n", a.Name, g.Version)
	for _, doc := range []struct {
		name string
		document
	}{{"检索需求 search", g.Search}, {"创意规则 steer", g.Steer}} {
		fmt.Fprintf(p.stdout, "\n%s\n", doc.name)
		for _, line := range doc.Lines {
			fmt.Fprintf(p.stdout, "  %-12s %s\n", authorName(line.By, g.People), line.Text)
		}
	}
	if g.Constraints != (domain.Constraints{}) {
		fmt.Fprintf(p.stdout, "\n硬性约束 constraints\n  max film seconds %d, aspect %s\n", g.Constraints.MaxFilmSeconds, g.Constraints.Aspect)
	}
	return nil
}

// authorName is a person's name, or the role of what is not a person.
func authorName(by domain.Actor, people map[domain.ID]string) string {
	if name := people[by.ID()]; by.IsPerson() && name != "" {
		return name
	}
	return by.Role()
}

type geneDiffCommand struct {
	target `embed:""`
	Agent  string `arg:"" help:"Agent by name or id."`
	From   int    `arg:"" help:"Version."`
	To     int    `arg:"" optional:"" help:"Version (default: the current one)."`
	JSON   bool   `help:"Print JSON."`
}

type piece struct {
	Op   string `json:"op"` // same, added, removed
	Text string `json:"text"`
}

func (c *geneDiffCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	a, err := api.agentOf(p.ctx, c.Agent)
	if err != nil {
		return err
	}
	to := c.To
	if to == 0 {
		to = a.GeneVersion
	}
	var d struct {
		From   int     `json:"from"`
		To     int     `json:"to"`
		Search []piece `json:"search"`
		Steer  []piece `json:"steer"`
		// Constraints lists those that differ.
		Constraints []struct {
			Name string `json:"name"`
			From string `json:"from"`
			To   string `json:"to"`
		} `json:"constraints"`
	}
	if err := api.call(p.ctx, http.MethodGet, fmt.Sprintf("/api/agents/%s/gene/diff?from=%d&to=%d", a.ID, c.From, to), nil, &d); err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(d)
	}
	fmt.Fprintf(p.stdout, "%s  V%d → V%d\n", a.Name, d.From, d.To)
	p.printPieces("检索需求 search", d.Search)
	p.printPieces("创意规则 steer", d.Steer)
	for _, k := range d.Constraints {
		fmt.Fprintf(p.stdout, "\n%s: %s → %s\n", k.Name, k.From, k.To)
	}
	return nil
}

// printPieces shows changed words in colour on a terminal, in [-…-]{+…+} elsewhere.
func (p *process) printPieces(name string, pieces []piece) {
	var out strings.Builder
	changed := false
	for _, piece := range pieces {
		switch {
		case piece.Op == "same":
			out.WriteString(piece.Text)
			continue
		case piece.Op == "added" && p.terminal:
			out.WriteString("\x1b[32;4m" + piece.Text + "\x1b[0m")
		case piece.Op == "added":
			out.WriteString("{+" + piece.Text + "+}")
		case p.terminal:
			out.WriteString("\x1b[31;9m" + piece.Text + "\x1b[0m")
		default:
			out.WriteString("[-" + piece.Text + "-]")
		}
		changed = true
	}
	if changed {
		fmt.Fprintf(p.stdout, "\n%s\n  %s\n", name, strings.ReplaceAll(strings.TrimRight(out.String(), "\n"), "\n", "\n  "))
	}
}

type geneLogCommand struct {
	target `embed:""`
	Agent  string `arg:"" help:"Agent by name or id."`
	JSON   bool   `help:"Print JSON."`
}

func (c *geneLogCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	a, err := api.agentOf(p.ctx, c.Agent)
	if err != nil {
		return err
	}
	var answer struct {
		Versions []projections.GeneVersion `json:"versions"`
		People   map[domain.ID]string      `json:"people"`
	}
	if err := api.call(p.ctx, http.MethodGet, "/api/agents/"+a.ID+"/gene/versions", nil, &answer); err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(answer)
	}
	var t table
	t.row("VERSION", "ORIGIN", "BY", "AGE", "FOUND", "ADOPTED", "LIKES", "DISLIKES", "SUMMARY")
	for _, v := range answer.Versions {
		score := []string{"–", "–", "–", "–"}
		if s := v.Score; s != nil {
			for i, n := range []int{s.Found, s.Adopted, s.Likes, s.Dislikes} {
				score[i] = strconv.Itoa(n)
			}
		}
		by := authorName(v.By, answer.People)
		if v.ProposedBy != "" {
			by = authorName(v.ProposedBy, answer.People) + " → " + by
		}
		cells := append([]string{versionName(v.Version), string(v.Origin), by, ago(v.At, time.Now())}, score...)
		t.row(append(cells, oneLine(v.Summary, 60))...)
	}
	return t.print(p.stdout)
}
