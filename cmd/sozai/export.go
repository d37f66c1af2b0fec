package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sozai/domain"
	"sozai/streams"
)

type exportCommand struct {
	place `embed:""`
	Agent string `default:"all" help:"One agent by name or id, or all."`
	Out   string `short:"o" default:"-" type:"path" help:"File to write (-: standard output)."`
}

// Run writes the log up to its present end, beside a server that runs.
func (c *exportCommand) Run(p *process) error {
	n, err := openLog(p.ctx, c.place)
	if err != nil {
		return err
	}
	defer n.close()
	var key domain.Key
	if c.Agent != "all" {
		names, err := agentNames(p.ctx, n.log)
		if err != nil {
			return err
		}
		if key, err = findAgent(names, c.Agent); err != nil {
			return err
		}
	}
	if c.Out == "-" {
		_, err := c.write(p, n.log, key, p.stdout)
		return err
	}
	footer, err := writeWhole(c.Out, func(w io.Writer) (archiveFooter, error) { return c.write(p, n.log, key, w) })
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s written to %s\nsha256 %s\n", plural(footer.Count, "event"), c.Out, footer.SHA256)
	return nil
}

func (c *exportCommand) write(p *process, log *streams.Log, key domain.Key, w io.Writer) (archiveFooter, error) {
	last, err := log.Last(p.ctx)
	if err != nil {
		return archiveFooter{}, err
	}
	out, err := newArchiveWriter(w, archiveHeader{
		Format: archiveFormat, Version: archiveVersion, Stream: log.Identity(), Product: key.Product, Agent: key.Agent,
		First: min(1, last), Last: last, ExportedAt: time.Now().UTC(), Program: version,
	})
	if err != nil {
		return archiveFooter{}, err
	}
	progress := p.meter()
	defer progress.end()
	if last > 0 {
		err = log.ReadStored(p.ctx, 0, last, key, func(events []streams.Stored) error {
			for _, e := range events {
				if err := out.add(e); err != nil {
					return err
				}
			}
			progress.events("exporting", events[len(events)-1].Seq, last)
			return nil
		})
	}
	if err != nil {
		return archiveFooter{}, err
	}
	return out.close()
}

// writeWhole writes a file under another name and gives it its own only when it
// is whole and on the disk, so that a cut one is never taken for it.
func writeWhole(path string, write func(io.Writer) (archiveFooter, error)) (footer archiveFooter, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return footer, err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if footer, err = write(file); err != nil {
		return footer, err
	}
	if err = file.Sync(); err != nil {
		return footer, err
	}
	if err = file.Close(); err != nil {
		return footer, err
	}
	return footer, os.Rename(file.Name(), path)
}
