package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/projections"
)

// asOf makes the tables of the named projections as they were at an earlier
// moment, beside the serving ones, and says how to look at them.
func (c *rebuildCommand) asOf(p *process, n *node, runner *projections.Runner, names []string) error {
	seq, err := c.moment(p, n)
	if err != nil {
		return err
	}
	progress := p.rebuildShow(c.JSON)
	schemas, err := runner.BuildAt(p.ctx, names, seq, progress.show)
	progress.meter.end()
	if err != nil && p.ctx.Err() != nil {
		return errors.New("interrupted; the same command goes on where it was, `sozai rebuild --cancel` drops it")
	}
	if err != nil {
		return poisoned(err)
	}
	if c.JSON {
		return p.printJSON(map[string]any{"seq": seq, "schemas": schemas})
	}
	fmt.Fprintf(p.stdout, "as of event %d:\n", seq)
	var t table
	t.row("SCHEMA", "TABLES")
	example := ""
	for _, name := range sortedNames(schemas) {
		tables, err := tablesIn(p, n, schemas[name])
		if err != nil {
			return err
		}
		t.row(schemas[name], strings.Join(tables, " "))
		if example == "" && len(tables) > 0 {
			example = schemas[name] + "." + mainTable(tables)
		}
	}
	if err := t.print(p.stdout); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "look    %s -c 'SELECT * FROM %s LIMIT 20'\n", c.psql(), example)
	fmt.Fprintf(p.stdout, "drop    sozai rebuild --drop %d\n", seq)
	return nil
}

// moment is the sequence that --as-of means.
func (c *rebuildCommand) moment(p *process, n *node) (uint64, error) {
	last, err := n.log.Last(p.ctx)
	if err != nil {
		return 0, err
	}
	if seq, err := strconv.ParseUint(c.AsOf, 10, 64); err == nil {
		if seq == 0 || seq > last {
			return 0, fmt.Errorf("--as-of %d: the log has the events 1 to %d", seq, last)
		}
		return seq, nil
	}
	if version, ok := strings.CutPrefix(strings.ToUpper(c.AsOf), "V"); ok {
		if number, err := strconv.Atoi(version); err == nil {
			return c.minted(p, n, number)
		}
	}
	at, err := parseMoment("--as-of", c.AsOf, time.Now(), true)
	if err != nil {
		return 0, fmt.Errorf("%w, a sequence, or a gene version such as V5 with --agent", err)
	}
	seq, err := n.log.SeqAt(p.ctx, at)
	if err == nil && seq == 0 {
		err = fmt.Errorf("--as-of %s: the log had no event then", c.AsOf)
	}
	return seq, err
}

// minted is the sequence at which an agent's gene version was made.
func (c *rebuildCommand) minted(p *process, n *node, number int) (seq uint64, err error) {
	if c.Agent == "" {
		return 0, fmt.Errorf("--as-of V%d: name the agent with --agent, each has versions of its own", number)
	}
	names, err := agentNames(p.ctx, n.log)
	if err != nil {
		return 0, err
	}
	key, err := findAgent(names, c.Agent)
	if err != nil {
		return 0, err
	}
	newest := 0
	err = n.log.Read(p.ctx, 0, 0, key, []domain.Kind{domain.KindGene}, func(events []domain.Recorded) error {
		for _, r := range events {
			if m, ok := r.Event.(gene.Minted); ok {
				newest = m.Version
				if m.Version == number {
					seq = r.Seq
				}
			}
		}
		return nil
	})
	if err == nil && seq == 0 {
		err = fmt.Errorf("--as-of V%d: the gene of %s has the versions 1 to %d", number, names[key], newest)
	}
	return seq, err
}

// psql is the command line that opens the tables.
func (c *rebuildCommand) psql() string {
	if c.DatabaseURL != "" {
		return "psql $SOZAI_DATABASE_URL"
	}
	dir := filepath.Join(c.Data, "postgres")
	return fmt.Sprintf("PGPASSFILE=%s psql -h %s -U sozai sozai", filepath.Join(dir, "pgpass"), filepath.Join(dir, "socket"))
}

// mainTable is the one that people look at first.
func mainTable(tables []string) string {
	for _, name := range []string{"rows", "versions", "runs", "materials"} {
		if slices.Contains(tables, name) {
			return name
		}
	}
	return tables[0]
}

func tablesIn(p *process, n *node, schema string) ([]string, error) {
	rows, err := n.pool.Query(p.ctx, `SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename`, schema)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// drop drops what --as-of made for a sequence; named projections must be there.
func (c *rebuildCommand) drop(p *process, n *node, names []string) error {
	dropped := 0
	for _, name := range names {
		err := n.store.DropAt(p.ctx, name, c.Drop)
		if domain.CodeOf(err) == domain.NotFound && len(c.Names) == 0 {
			continue
		}
		if err != nil {
			return err
		}
		dropped++
	}
	if dropped == 0 {
		return fmt.Errorf("there are no tables as of event %d; `sozai rebuild --list` shows what there is", c.Drop)
	}
	fmt.Fprintf(p.stdout, "dropped the tables of %s as of event %d\n", plural(dropped, "projection"), c.Drop)
	return nil
}

// list shows what is being built or has stopped, and the tables of earlier moments.
func (c *rebuildCommand) list(p *process, n *node) error {
	builds, err := n.store.Builds(p.ctx)
	if err != nil {
		return err
	}
	pasts, err := n.store.ListAt(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(map[string]any{"builds": slices.Concat([]projections.BuildStatus{}, builds), "as_of": slices.Concat([]projections.AtStatus{}, pasts)})
	}
	if len(builds) == 0 {
		fmt.Fprintln(p.stdout, "nothing is being built")
	} else if err := printBuilds(p, builds); err != nil {
		return err
	}
	if len(pasts) == 0 {
		return nil
	}
	var t table
	t.row("SCHEMA", "AS OF", "SIZE", "MADE")
	for _, past := range pasts {
		t.row(past.Schema, strconv.FormatUint(past.Seq, 10), size(uint64(max(past.Bytes, 0))), ago(past.MadeAt, time.Now())+" ago")
	}
	return t.print(p.stdout)
}

func printBuilds(p *process, builds []projections.BuildStatus) error {
	var t table
	t.row("PROJECTION", "FOR", "EVENTS", "OF", "DONE", "RATE", "LEFT", "STATE", "PROCESS")
	for _, b := range builds {
		state := "stopped " + ago(b.UpdatedAt, time.Now()) + " ago"
		if b.Running {
			state = "running"
		}
		if b.Error != "" {
			state += ": " + oneLine(b.Error, 80)
		}
		done := "–"
		if b.Target > 0 {
			done = strconv.FormatUint(100*b.Seq/b.Target, 10) + "%"
		}
		rate, left := "–", "–"
		if b.Rate > 0 {
			rate, left = thousands(uint64(b.Rate))+"/s", b.ETA.Round(time.Second).String()
		}
		t.row(b.Projection, b.Purpose, thousands(b.Seq), thousands(b.Target), done, rate, left, state, b.Process)
	}
	return t.print(p.stdout)
}
