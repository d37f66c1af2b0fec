package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sozai/domain"
	"sozai/handlers/access"
	"sozai/projections"
	"sozai/projections/postgres"
	"sozai/streams"
)

type importLogCommand struct {
	place `embed:""`
	File  string `arg:"" type:"path" help:"Exported log (-: standard input)."`
	Check bool   `help:"Only check the file."`
	JSON  bool   `help:"Print the report as JSON."`
}

// importReport is what an import did.
type importReport struct {
	From      string   `json:"from"` // the source log
	Digest    string   `json:"digest"`
	Events    int      `json:"events"`
	Agents    int      `json:"agents"`
	Products  []string `json:"products"`  // made, because the log names them
	Runs      int      `json:"runs"`      // that were open, ended as imported
	Turns     int      `json:"turns"`     // likewise, unanswered messages included
	Schedules int      `json:"schedules"` // daily searches switched off
	Strays    int      `json:"strays"`    // agents with events that were never created
	Seconds   float64  `json:"seconds"`
}

// Run checks the whole file, then brings it in, then ends what was open in it, so
// that history never starts paid work, then builds the tables.
func (c *importLogCommand) Run(p *process) error {
	file, closeFile, err := c.source(p)
	if err != nil {
		return err
	}
	defer closeFile()
	sum, err := inspect(p, file)
	if err != nil {
		return fmt.Errorf("%s was not imported, nothing was changed: %w", c.File, err)
	}
	if c.Check {
		return c.printCheck(p, sum)
	}
	begun := time.Now()
	if err := c.room(sum); err != nil {
		return err
	}
	n, err := open(p.ctx, c.place, opening{})
	if err != nil {
		return err
	}
	defer n.close()
	if err := c.empty(p, n); err != nil {
		return err
	}
	report := importReport{From: sum.header.origin(), Digest: sum.footer.SHA256, Agents: len(sum.agents), Products: []string{}}
	mark := importMark(c.Data)
	if err := os.WriteFile(mark, []byte(c.File+"\n"), 0o600); err != nil {
		return err
	}
	if report.Events, err = bringIn(p, n, file, sum); err != nil {
		return c.halfWay(err)
	}
	if err := closeHistory(p, n, sum, &report); err != nil {
		return c.halfWay(err)
	}
	// From here on nothing in the log can start work.
	if err := os.Remove(mark); err != nil {
		return err
	}
	if err := makeProducts(p, n, sum, &report); err != nil {
		return err
	}
	progress := p.rebuildShow(false)
	err = projections.NewRunner(n.store, n.log, slog.New(slog.DiscardHandler)).Rebuild(p.ctx, nil, progress.show)
	progress.meter.end()
	if err != nil {
		return fmt.Errorf("the log is imported and closed, but the tables are not built (`sozai serve` or `sozai rebuild` does it): %w", err)
	}
	report.Seconds = time.Since(begun).Seconds()
	return c.printReport(p, report)
}

// source is the file, or standard input kept on disk until it has been checked.
func (c *importLogCommand) source(p *process) (file *os.File, closeFile func(), err error) {
	if c.File != "-" {
		file, err = os.Open(c.File)
		if err != nil {
			return nil, nil, err
		}
		return file, func() { _ = file.Close() }, nil
	}
	if file, err = os.CreateTemp("", "sozai-import-*"); err != nil {
		return nil, nil, err
	}
	closeFile = func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	if _, err = io.Copy(file, p.stdin); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		closeFile()
		return nil, nil, err
	}
	return file, closeFile, nil
}

// room refuses to begin what the disk cannot hold: the log needs about the file's
// size, the tables less.
func (c *importLogCommand) room(sum archiveSummary) error {
	if c.NATSURL != "" {
		return nil
	}
	dir := c.Data
	for !exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	free, err := postgres.Free(dir)
	if err != nil {
		return err
	}
	if need := uint64(sum.bytes)*2 + postgres.MinFree; free < need {
		return fmt.Errorf("the disk of %s has %d MB free, this import needs %d MB; nothing was changed, make room and try again", c.Data, free>>20, need>>20)
	}
	return nil
}

// importMark is there while a log is imported that has not been closed yet.
func importMark(data string) string { return filepath.Join(data, "importing") }

// empty refuses a log with events, and one that somebody serves.
func (c *importLogCommand) empty(p *process, n *node) error {
	last, err := n.log.Last(p.ctx)
	if err != nil {
		return err
	}
	if last > 0 {
		if exists(importMark(c.Data)) {
			return fmt.Errorf("an earlier import into %s stopped half-way (%s are there): remove %s and run this command again",
				c.Data, plural(last, "event"), filepath.Join(c.Data, "jetstream"))
		}
		return fmt.Errorf("the log holds %s already, and an import needs an empty one: name a new data folder with --data", plural(last, "event"))
	}
	if c.NATSURL == "" {
		return nil
	}
	if _, err := streams.OpenAlive(p.ctx, n.conn, streams.Config{Replicas: replicasOf(p.ctx, n.conn)}); err != nil {
		return err
	}
	all, err := n.log.Status(p.ctx)
	if err != nil {
		return err
	}
	for _, stream := range all {
		for _, consumer := range stream.Consumers {
			if consumer.Waiting > 0 {
				return fmt.Errorf("a server is reading %s at %s (consumer %s): stop all servers of this log first, so that what is imported starts nothing",
					stream.Name, redact(c.NATSURL, ""), consumer.Name)
			}
		}
	}
	return nil
}

func (c *importLogCommand) halfWay(err error) error {
	if errors.Is(err, streams.ErrNotEmpty) {
		return fmt.Errorf("somebody else wrote to the log: %w", err)
	}
	return fmt.Errorf("the import stopped half-way, and `sozai serve` will refuse this folder: remove %s and run this command again: %w",
		filepath.Join(c.Data, "jetstream"), err)
}

// refuseHalfImported keeps serve from a log whose open runs were not closed.
func refuseHalfImported(p *process, data string, n *node) error {
	if !exists(importMark(data)) {
		return nil
	}
	last, err := n.log.Last(p.ctx)
	if err != nil {
		return err
	}
	if last > 0 {
		return fmt.Errorf("an import into %s stopped half-way, and what was open in it would start paid work: remove %s and import again",
			data, filepath.Join(data, "jetstream"))
	}
	if err := os.Remove(importMark(data)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// makeProducts makes the products that the log names and nobody has made, so that
// its agents can be seen.
func makeProducts(p *process, n *node, sum archiveSummary, report *importReport) error {
	accounts, err := access.New(n.pool)
	if err != nil {
		return err
	}
	last := ""
	for _, key := range sortedKeys(sum.agents) {
		if key.Product == last {
			continue
		}
		last = key.Product
		err := accounts.CreateProduct(p.ctx, access.Product{ID: key.Product, Name: key.Product}, "")
		switch {
		case err == nil:
			report.Products = append(report.Products, key.Product)
		case domain.CodeOf(err) != domain.Exists:
			return fmt.Errorf("make product %s: %w", key.Product, err)
		}
	}
	return nil
}

func (c *importLogCommand) printCheck(p *process, sum archiveSummary) error {
	if c.JSON {
		return p.printJSON(map[string]any{
			"from": sum.header.origin(), "digest": sum.footer.SHA256, "events": sum.footer.Count, "agents": len(sum.agents),
		})
	}
	fmt.Fprintf(p.stdout, "whole: %s of %s, every one can be read\nfrom   %s\nsha256 %s\n", plural(sum.footer.Count, "event"),
		plural(len(sum.agents), "agent"), sum.header.origin(), sum.footer.SHA256)
	return nil
}

func (c *importLogCommand) printReport(p *process, r importReport) error {
	if c.JSON {
		return p.printJSON(r)
	}
	fmt.Fprintf(p.stdout, "imported %s of %s in %.1f s\n", plural(r.Events, "event"), plural(r.Agents, "agent"), r.Seconds)
	fmt.Fprintf(p.stdout, "from     %s\nsha256   %s\n", r.From, r.Digest)
	fmt.Fprintf(p.stdout, "closed   %s, %s; %s switched off: nothing in this history starts work\n",
		plural(r.Runs, "open run"), plural(r.Turns, "open answer"), plural(r.Schedules, "daily search"))
	if len(r.Products) > 0 {
		fmt.Fprintf(p.stdout, "products %s made\n", strings.Join(r.Products, ", "))
	}
	if r.Strays > 0 {
		fmt.Fprintf(p.stdout, "note     %s with events but no agent.created, left as they are\n", plural(r.Strays, "agent"))
	}
	fmt.Fprintln(p.stdout, "note     accounts, catalogue and media files are not in the log; bring them from a backup")
	return nil
}
