package main

import (
	"fmt"
	"strings"
	"time"

	"sozai/domain"
	"sozai/streams"
)

// streams looks at the log, the queue and the timers as the server sees them.
func (d *checkup) streams() {
	all, err := d.n.log.Status(d.ctx)
	if err != nil {
		d.fail("log", "", nil, "%s", sentence(err))
		return
	}
	for _, s := range all {
		switch s.Name {
		case streams.EventsStream:
			d.log(s)
		case streams.WorkStream, streams.TimersStream:
			d.consumers(s)
		}
	}
	d.timers()
}

func (d *checkup) log(s streams.StreamStatus) {
	copies := ""
	if s.Replicas > 1 {
		copies = fmt.Sprintf(", %d copies", s.Replicas)
	}
	made := s.Created.Local().Format("2006-01-02 15:04:05")
	switch {
	case s.Messages == 0:
		d.ok("log", s, "empty, made %s%s", made, copies)
	case s.Messages != s.Last-s.First+1 || s.First != 1:
		d.fail("log", "restore the log from a backup, then `sozai rebuild`", s,
			"events are missing: %s between sequences %d and %d", plural(s.Messages, "event"), s.First, s.Last)
	default:
		d.ok("log", s, "%s, %s, made %s%s", plural(s.Messages, "event"), size(s.Bytes), made, copies)
	}
	if exists(importMark(d.Data)) && s.Last > 0 {
		d.fail("import", "remove "+d.Data+"/jetstream and import again", nil, "an import stopped half-way; `serve` refuses this folder")
	}
	d.consumers(s)
}

// lagMuch is how many events a reader of the log may be behind before doctor says so.
const lagMuch = 10_000

// consumers looks at who reads a stream: readers that fall behind, and durable
// ones that nobody reads.
func (d *checkup) consumers(s streams.StreamStatus) {
	var behind, idle, said []string
	for _, c := range s.Consumers {
		durable := strings.Contains(c.Name, "-")
		if c.Pending > lagMuch {
			behind = append(behind, fmt.Sprintf("%s by %s", c.Name, thousands(c.Pending)))
		}
		if durable && c.Waiting == 0 && c.AckPending == 0 && !d.n.own {
			idle = append(idle, c.Name)
		}
		if durable {
			text := c.Name
			if c.Pending > 0 {
				text += fmt.Sprintf(" %s wait", thousands(c.Pending))
			}
			if c.AckPending > 0 {
				text += fmt.Sprintf(" %d at work", c.AckPending)
			}
			if c.Redelivered > 0 {
				text += fmt.Sprintf(" %d again", c.Redelivered)
			}
			said = append(said, text)
		}
	}
	name := map[string]string{streams.EventsStream: "dispatch", streams.WorkStream: "queue", streams.TimersStream: "timers"}[s.Name]
	switch {
	case len(behind) > 0:
		d.warn(name, "look at the processes that read it, or start more", s.Consumers,
			"readers of %s are behind: %s", s.Name, strings.Join(behind, ", "))
	case len(idle) > 0:
		d.warn(name, "start a process with the role worker for that deployment (or delete the consumer of one that is gone)", s.Consumers,
			"nobody pulls %s from %s", strings.Join(idle, ", "), s.Name)
	case s.Name == streams.TimersStream: // what is armed says more
	case len(said) == 0:
		d.ok(name, nil, "no worker has read %s yet", s.Name)
	default:
		d.ok(name, s.Consumers, "read by %s", strings.Join(said, ", "))
	}
}

// late is how long a timer may be over before doctor says that nothing fires.
const late = time.Minute

func (d *checkup) timers() {
	timers, err := streams.OpenTimers(d.n.conn)
	if err != nil {
		d.fail("timers", "", nil, "%s", sentence(err))
		return
	}
	list, err := timers.List(d.ctx)
	if err != nil {
		d.fail("timers", "", nil, "%s", sentence(err))
		return
	}
	nouns := map[string]int{}
	var next time.Time
	overdue := 0
	for _, t := range list {
		noun, _, _ := strings.Cut(t.Name, "-")
		nouns[noun]++
		if next.IsZero() || t.At.Before(next) {
			next = t.At
		}
		if d.now.Sub(t.At) > late {
			overdue++
		}
	}
	switch {
	case overdue > 0 && !d.n.own:
		d.fail("timers", "restart the server; the reconciler looks every 10 s meanwhile", nouns,
			"%s should have fired: the log server fires none", plural(overdue, "timer"))
	case len(list) == 0:
		d.ok("timers", nil, "none armed")
	default:
		var parts []string
		for _, noun := range sortedNames(nouns) {
			parts = append(parts, fmt.Sprintf("%d %s", nouns[noun], noun))
		}
		d.ok("timers", nouns, "%d armed (%s), the next %s", len(list), strings.Join(parts, ", "), when(next, d.now))
	}
}

// newest is the time of the log's last event, zero if there is none.
func (d *checkup) newest() time.Time {
	last, err := d.n.log.Last(d.ctx)
	if err != nil || last == 0 {
		return time.Time{}
	}
	var at time.Time
	err = d.n.log.Read(d.ctx, last-1, last, domain.Key{}, nil, func(events []domain.Recorded) error {
		at = events[len(events)-1].Time
		return nil
	})
	if err != nil {
		return time.Time{}
	}
	return at
}

// when is a moment seen from now: in 3h, 5m ago.
func when(t, now time.Time) string {
	if t.After(now) {
		return "in " + ago(now, t)
	}
	return ago(t, now) + " ago"
}
