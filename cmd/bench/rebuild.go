package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/projections"
	"sozai/streams"
)

const (
	rebuildTimelineName = "rebuild timeline, 200k row-making events"
	rebuildAllName      = "rebuild all, 200k mixed events, one pass"
	rebuildMemoryName   = "memory of that rebuild"
)

// rebuildTimeline measures a rebuild by a process of its own that attaches to the
// folder, and COPY of the rows that it made.
func rebuildTimeline(ctx context.Context, b *bench) error {
	p, err := b.open(ctx)
	if err != nil {
		return err
	}
	count := b.size(200_000, 5_000)
	events, err := export(chronicle(crowd, count, (*life).chat))
	if err != nil {
		return err
	}
	if err := b.fill(ctx, p, events); err != nil {
		return err
	}
	visible := 0 // all but those that create the agents
	for _, e := range events {
		if !strings.HasSuffix(e.Subject, ".agent") && !strings.HasSuffix(e.Subject, ".gene") {
			visible++
		}
	}
	var source *copySource
	return b.rounds(ctx, func() error {
		out, err := b.rebuild(ctx, p, rebuildOrder{Names: []string{projections.Timeline}})
		if err != nil {
			return err
		}
		if source == nil {
			if source, err = loadRows(ctx, p.pool); err != nil {
				return err
			}
			if rows := len(source.rows); rows != visible {
				return fmt.Errorf("%d events made %d rows", visible, rows)
			}
		}
		limit, err := source.copy(ctx, p.pool)
		if err != nil {
			return err
		}
		rate := float64(len(source.rows)) / out.Seconds
		b.add(rebuildTimelineName, rate, limit)
		return nil
	})
}

// chat is what makes one row an event: messages, words of feedback, uploads.
func (l *life) chat() {
	for range 17 {
		l.record(l.person(), chat.Said{Message: l.id(), Text: l.text(60)})
	}
	for range 2 {
		l.record(l.person(), feedback.Given{Feedback: l.id(), Object: domain.Ref{Type: domain.Whole}, Words: l.text(40)})
	}
	l.upload()
}

// rebuildAll measures a rebuild of every projection in one pass over a mixed
// history, and the memory of the process that does it.
func rebuildAll(ctx context.Context, b *bench) error {
	p, err := b.open(ctx)
	if err != nil {
		return err
	}
	events, err := export(chronicle(crowd, b.size(200_000, 5_000), (*life).wheel))
	if err != nil {
		return err
	}
	if err := b.fill(ctx, p, events); err != nil {
		return err
	}
	return b.rounds(ctx, func() error {
		out, err := b.rebuild(ctx, p, rebuildOrder{})
		if err != nil {
			return err
		}
		read, err := b.rebuild(ctx, p, rebuildOrder{Read: true})
		if err != nil {
			return err
		}
		if err := b.complete(ctx, p, len(events)); err != nil {
			return err
		}
		n := float64(len(events))
		b.add(rebuildAllName, n/out.Seconds, n/read.Seconds)
		b.alone(rebuildMemoryName, float64(out.Peak)/(1<<20))
		return nil
	})
}

// fill imports a history and makes the empty generations that serve meanwhile.
func (b *bench) fill(ctx context.Context, p *place, events []streams.Stored) error {
	if err := projections.NewRunner(p.store, p.log, quiet()).CatchUp(ctx); err != nil {
		return err
	}
	n, err := p.log.Import(ctx, each(events), nil)
	if err == nil && n != len(events) {
		err = fmt.Errorf("%d of %d events imported", n, len(events))
	}
	return err
}

// rebuild lets a process of its own do it.
func (b *bench) rebuild(ctx context.Context, p *place, order rebuildOrder) (rebuilt, error) {
	if _, err := p.pool.Exec(ctx, `CHECKPOINT`); err != nil {
		return rebuilt{}, err
	}
	child, err := start(ctx, b.stderr, "rebuild", nil)
	if err != nil {
		return rebuilt{}, err
	}
	order.Dir = p.dir
	var out rebuilt
	err = child.say(order)
	if err == nil {
		err = child.read(&out)
	}
	if waited := child.wait(); waited != nil {
		return out, waited
	}
	return out, err
}

// complete says whether the tables hold what the history must have left: every
// position at the end, nothing parked, nothing refused.
func (b *bench) complete(ctx context.Context, p *place, events int) error {
	status, err := p.store.Status(ctx)
	if err != nil {
		return err
	}
	for _, s := range status {
		if s.Position < uint64(events) || s.Parked > 0 || s.Status != "running" { //nolint:gosec // not negative
			return fmt.Errorf("%s stands at %d of %d, %s, %d agents parked", s.Name, s.Position, events, s.Status, s.Parked)
		}
	}
	for _, s := range status {
		var refused int64
		err := p.pool.QueryRow(ctx, fmt.Sprintf(`SELECT coalesce(sum(count), 0) FROM %s_g%d.refused`, s.Name, s.Generation)).Scan(&refused)
		if missingTable(err) {
			continue // not every projection can refuse anything
		}
		if err != nil {
			return err
		}
		if refused > 0 {
			return fmt.Errorf("%s refused %d facts of an honest history", s.Name, refused)
		}
	}
	return nil
}

var errNoEvents = errors.New("there was nothing to read")
