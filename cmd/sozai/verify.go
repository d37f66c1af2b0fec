package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"sozai/domain"
	"sozai/projections"
)

// errDiffers is verify's answer when something is not as the log says.
var errDiffers = errors.New("something is not as the log says; see above")

// exitUnchecked is verify's exit code when it could not find out.
const exitUnchecked = 2

type verifyCommand struct {
	place `embed:""`
	Names []string `arg:"" optional:"" help:"Projections to check (default: all, and the folds and the work too)."`
	JSON  bool     `help:"Print the findings as JSON."`
}

// verdict is everything that was proven or refuted.
type verdict struct {
	OK        bool                        `json:"ok"`
	Seconds   float64                     `json:"seconds"`
	Positions []projections.PositionCheck `json:"positions"`
	Tables    []projections.TableCheck    `json:"tables"`
	Unchecked []string                    `json:"unchecked,omitempty"` // tables that could not be compared, and why
	Folds     *foldVerdict                `json:"folds,omitempty"`
	Work      *workVerdict                `json:"work,omitempty"`
}

// foldVerdict says whether every agent's decisions fold from the log alone.
type foldVerdict struct {
	OK       bool          `json:"ok"`
	Seq      uint64        `json:"seq"` // the log's end when it began
	Problems []foldProblem `json:"problems,omitempty"`
}

type foldProblem struct {
	domain.Key
	Seq   uint64    `json:"seq"`
	Event domain.ID `json:"event"`
	Type  string    `json:"type"`
	Error string    `json:"error"`
}

// Run proves that what serves equals what the log makes: table by table, that
// every agent folds, and that the queue holds the work which the log asks for.
// Exit code 0: all is so; 1: something differs; 2: it could not be found out.
func (c *verifyCommand) Run(p *process) error {
	v, err := c.check(p)
	if err != nil {
		return &exitError{code: exitUnchecked, err: fmt.Errorf("could not verify: %w", err)}
	}
	if c.JSON {
		err = p.printJSON(v)
	} else {
		err = v.print(p)
	}
	if err == nil && !v.OK {
		return errDiffers
	}
	return err
}

func (c *verifyCommand) check(p *process) (v verdict, err error) {
	names, err := projectionNames(c.Names)
	if err != nil {
		return v, err
	}
	n, err := open(p.ctx, c.place, opening{attach: true, found: true})
	if err != nil {
		return v, err
	}
	defer n.close()
	begun := time.Now()
	progress := p.meter()
	defer progress.end()
	if err := v.compare(p, n, names, progress); err != nil {
		return v, err
	}
	if len(c.Names) == 0 {
		if v.Folds, err = checkFolds(p, n); err != nil {
			return v, err
		}
		if v.Work, err = checkWork(p, n, progress); err != nil {
			return v, err
		}
		v.OK = v.OK && v.Folds.OK && v.Work.OK
	}
	v.Seconds = time.Since(begun).Seconds()
	return v, nil
}

// compare checks the named projections: where they stand, and every table against
// its rebuild.
func (v *verdict) compare(p *process, n *node, names []string, progress *meter) error {
	runner := projections.NewRunner(n.store, n.log, slog.New(slog.DiscardHandler))
	if n.own {
		// Nobody else applies what the log has beyond the tables. What stops here is
		// found below.
		if err := runner.CatchUp(p.ctx); err != nil && p.ctx.Err() != nil {
			return err
		}
	}
	all, err := runner.Positions(p.ctx)
	if err != nil {
		return err
	}
	v.OK = true
	for _, position := range all {
		if slices.Contains(names, position.Projection) {
			v.Positions = append(v.Positions, position)
			v.OK = v.OK && position.OK()
		}
	}
	progress.say(func() string { return "comparing tables with their rebuild" })
	v.Tables, err = runner.Verify(p.ctx, names...)
	if err != nil {
		// A projection that is known to have stopped or to wait is a finding; any
		// other reason leaves the question open.
		if v.OK || p.ctx.Err() != nil {
			return err
		}
		v.Unchecked = strings.Split(err.Error(), "\n")
	}
	for _, table := range v.Tables {
		v.OK = v.OK && table.Equal
	}
	return nil
}

func checkFolds(p *process, n *node) (*foldVerdict, error) {
	progress := p.meter()
	defer progress.end()
	f := &foldVerdict{}
	var err error
	if f.Seq, err = n.log.Last(p.ctx); err != nil {
		return nil, err
	}
	problems, err := n.log.FoldAll(p.ctx, func(seq, last uint64) { progress.events("folding", seq, last) })
	if err != nil {
		return nil, err
	}
	for _, problem := range problems {
		f.Problems = append(f.Problems, foldProblem{problem.Key, problem.Seq, problem.Event, problem.Type, problem.Err.Error()})
	}
	f.OK = len(problems) == 0
	return f, nil
}

func (v verdict) print(p *process) error {
	var t table
	t.row("PROJECTION", "TABLE", "ROWS", "AS OF", "RESULT")
	differ := 0
	for _, check := range v.Tables {
		result := "equal"
		if !check.Equal {
			differ++
			result = "DIFFERS at " + check.FirstKey
		}
		t.row(check.Projection, check.Table, strconv.FormatInt(check.Rows, 10), strconv.FormatUint(check.Seq, 10), result)
	}
	if err := t.print(p.stdout); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "tables  %d compared with their rebuild, %d differ\n", len(v.Tables), differ)
	if differ > 0 {
		fmt.Fprintln(p.stdout, "        → sozai rebuild makes them again; keep the difference for a report first")
	}
	for _, text := range v.Unchecked {
		fmt.Fprintf(p.stdout, "        not compared: %s\n", text)
	}
	v.printPositions(p)
	if f := v.Folds; f != nil {
		fmt.Fprintf(p.stdout, "folds   every agent folded from the log up to %s, %s\n", thousands(f.Seq), none(len(f.Problems), "does not fold", "do not fold"))
		for _, problem := range f.Problems {
			fmt.Fprintf(p.stdout, "        agent %s stops at event %d (%s): %s\n", problem.Agent, problem.Seq, problem.Type, problem.Error)
		}
	}
	if w := v.Work; w != nil {
		fmt.Fprintf(p.stdout, "work    %s\n", w.says())
		for _, m := range w.Mismatches {
			fmt.Fprintf(p.stdout, "        %s\n", m)
		}
	}
	word := "all is as the log says"
	if !v.OK {
		word = "NOT as the log says"
	}
	fmt.Fprintf(p.stdout, "%s (%s)\n", word, time.Duration(v.Seconds*float64(time.Second)).Round(time.Millisecond))
	return nil
}

func (v verdict) printPositions(p *process) {
	wrong := 0
	end := uint64(0)
	for _, c := range v.Positions {
		end = max(end, c.End)
		if !c.OK() {
			wrong++
		}
	}
	fmt.Fprintf(p.stdout, "places  %s at the log's end (%s) and of this log, %s\n",
		plural(len(v.Positions)-wrong, "projection"), thousands(end), none(wrong, "is not", "are not"))
	for _, c := range v.Positions {
		if !c.OK() {
			fmt.Fprintf(p.stdout, "        %s: %s\n", c.Projection, c.Problem)
		}
	}
}

// none counts what is wrong: "none does not fold" reads badly.
func none(n int, one, many string) string {
	switch n {
	case 0:
		return "all well"
	case 1:
		return "1 " + one
	}
	return strings.Join([]string{strconv.Itoa(n), many}, " ")
}
