package main

import (
	"bufio"
	"errors"
	"fmt"
	"time"

	"sozai/domain"
)

type eventsCommand struct {
	place   `embed:""`
	Agent   string   `help:"Only this agent, by name or id."`
	Product string   `help:"Only this product."`
	Kind    []string `help:"Only these kinds: agent, gene, run, turn, chat, feedback, behavior, library, step, notice."`
	Type    []string `help:"Only these types, such as run.finished or card.*."`
	Actor   []string `help:"Only these actors: user, butler, worker, system, or one such as user:<id>."`
	Since   string   `help:"From this time on: 2h, 3d, 2026-07-01, RFC 3339."`
	Until   string   `help:"Up to this time; a day counts whole."`
	After   uint64   `help:"Only events after this sequence."`
	Limit   int      `short:"n" default:"-1" help:"At most so many: the newest, or with --after the first (0: all; default: 50 on a terminal, all in a pipe)."`
	Follow  bool     `short:"f" help:"Go on with what is appended from now on."`
	JSON    bool     `help:"One JSON object a line."`
}

// terminalLimit is how many events a person sees who asked for nothing in particular.
const terminalLimit = 50

// errEnough ends a reading that has what was asked for.
var errEnough = errors.New("enough")

// Run prints what the log holds, oldest first; an event that cannot be decoded is
// printed with the reason.
func (c *eventsCommand) Run(p *process) error {
	filter, err := c.filter(time.Now())
	if err != nil {
		return err
	}
	n, err := openLog(p.ctx, c.place)
	if err != nil {
		return err
	}
	defer n.close()
	out := &eventPrinter{w: bufio.NewWriter(p.stdout), json: c.JSON, width: p.width()}
	if c.Agent != "" || !c.JSON {
		if out.names, err = agentNames(p.ctx, n.log); err != nil {
			return err
		}
	}
	if c.Agent != "" {
		if filter.key, err = findAgent(out.names, c.Agent); err != nil {
			return err
		}
		if c.Product != "" && c.Product != filter.key.Product {
			return fmt.Errorf("agent %s belongs to product %s, not to %s", filter.key.Agent, filter.key.Product, c.Product)
		}
	}
	end, err := c.past(p, n, filter, out)
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err != nil || !c.Follow:
		return err
	case n.own:
		fmt.Fprintf(p.stderr, "sozai: no server runs on %s, so nothing new can come\n", c.Data)
		return nil
	}
	err = n.log.Follow(p.ctx, end, func(events []domain.Recorded) error {
		for _, r := range events {
			out.learn(r)
			if filter.keeps(r) {
				if err := out.print(r); err != nil {
					return err
				}
			}
		}
		return out.w.Flush()
	})
	if p.ctx.Err() != nil {
		return nil // Ctrl-C is how following ends
	}
	return err
}

func (c *eventsCommand) filter(now time.Time) (f eventFilter, err error) {
	f.key.Product, f.types, f.actors = c.Product, c.Type, c.Actor
	if f.kinds, err = parseKinds(c.Kind); err != nil {
		return f, err
	}
	if f.since, err = parseMoment("--since", c.Since, now, false); err != nil {
		return f, err
	}
	f.until, err = parseMoment("--until", c.Until, now, true)
	return f, err
}

// past prints what the log holds now and returns its end.
func (c *eventsCommand) past(p *process, n *node, filter eventFilter, out *eventPrinter) (end uint64, err error) {
	if end, err = n.log.Last(p.ctx); err != nil {
		return 0, err
	}
	limit := c.Limit
	if limit < 0 {
		limit = 0
		if p.terminal && c.After == 0 && c.Since == "" {
			limit = terminalLimit
		}
	}
	after, upto := c.After, end
	// Times in the log differ a little from its order, so the places found by time
	// are taken with room to spare; the filter is exact.
	const room = time.Minute
	if !filter.since.IsZero() {
		at, err := n.log.SeqAt(p.ctx, filter.since.Add(-room))
		if err != nil {
			return end, err
		}
		after = max(after, at)
	}
	if !filter.until.IsZero() {
		if upto, err = n.log.SeqAt(p.ctx, filter.until.Add(room)); err != nil {
			return end, err
		}
	}
	newest := limit > 0 && c.After == 0
	if newest && filter.plain() && upto > uint64(limit) {
		after = upto - uint64(limit)
	}
	if after >= upto {
		return end, nil
	}
	printed, left := 0, 0
	var ring []domain.Recorded
	err = n.log.Read(p.ctx, after, upto, filter.key, filter.kinds, func(events []domain.Recorded) error {
		for _, r := range events {
			if !filter.keeps(r) {
				continue
			}
			if newest {
				if len(ring) == limit {
					ring, left = ring[1:], left+1
				}
				ring = append(ring, r)
				continue
			}
			if err := out.print(r); err != nil {
				return err
			}
			if printed++; limit > 0 && printed == limit {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		if flushed := out.w.Flush(); flushed != nil {
			return end, flushed
		}
	}
	if err != nil {
		return end, err
	}
	for _, r := range ring {
		if err := out.print(r); err != nil {
			return end, err
		}
	}
	if newest && filter.plain() && upto > uint64(limit) {
		left = int(upto) - limit
	}
	if err := out.w.Flush(); err != nil {
		return end, err
	}
	if !out.started && !c.Follow {
		fmt.Fprintln(p.stderr, "no event matches")
	}
	if left > 0 && c.Limit < 0 {
		fmt.Fprintf(p.stderr, "%s earlier; --limit 0 shows all\n", plural(left, "event"))
	}
	return end, nil
}
