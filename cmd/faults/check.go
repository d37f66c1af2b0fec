package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
)

// checker holds a log against what the clients were told. Every rule is checked
// on the raw events, without the program's own folds.
type checker struct {
	*history
	commands []*command
	// repeats allows a fact twice: the log's clock was moved, and with it the time
	// for which the server remembers messages; readers then tell by the object.
	repeats bool

	findings []string
}

func (c *checker) find(rule, format string, args ...any) {
	c.findings = append(c.findings, rule+": "+fmt.Sprintf(format, args...))
}

// check applies every rule.
func (c *checker) check() []string {
	c.order()
	c.whatWasSaid()
	c.realTime()
	c.genes()
	c.runs()
	c.turns()
	c.messages()
	c.library()
	c.rounds()
	return c.findings
}

// order: sequences without a hole, every id once, every event readable.
func (c *checker) order() {
	seen := map[domain.ID]uint64{}
	for i, e := range c.events {
		if e.Seq != uint64(i)+1 { //nolint:gosec // small
			c.find("order", "event %d stands where %d should", e.Seq, i+1)
			return
		}
		if at := seen[e.ID]; at != 0 {
			c.find("order", "events %d and %d have the id %s", at, e.Seq, e.ID)
		}
		seen[e.ID] = e.Seq
		if !slices.Contains(domain.Kinds(), e.Kind) || e.Event == nil || e.Event.EventType() != e.Type {
			c.find("order", "event %d (%s) cannot be read", e.Seq, e.Type)
		}
	}
}

// whatWasSaid: the events of an acknowledged command stand in the log once and
// together, those of a refused one do not, and nobody's name stands under a
// command that they did not give.
func (c *checker) whatWasSaid() {
	byKey := map[string][]domain.Recorded{}
	for _, e := range c.events {
		if e.Actor.IsPerson() {
			key, _, _ := strings.Cut(e.Command, "/")
			byKey[key] = append(byKey[key], e)
		}
	}
	for _, cmd := range c.commands {
		events := byKey[cmd.Key]
		delete(byKey, cmd.Key)
		switch {
		case cmd.Outcome == acknowledged && len(events) == 0 && !cmd.Optional:
			c.find("acknowledged", "%s %s was acknowledged (%s) and is not in the log", cmd.Name, cmd.Key, cmd.Answer)
		case cmd.Outcome == refused && len(events) > 0:
			c.find("refused", "%s %s was refused (%d %s) after %d tries and is in the log at %d", cmd.Name, cmd.Key, cmd.Status, cmd.Answer, cmd.Tries, events[0].Seq)
		}
		if len(events) > 0 {
			c.once(cmd, events)
		}
	}
	for key, events := range byKey {
		c.find("unasked", "command %s at %d (%s) was given by nobody", key, events[0].Seq, events[0].Type)
	}
}

// once checks that the events of one command are one append, say what was meant,
// and end where the answer says.
func (c *checker) once(cmd *command, events []domain.Recorded) {
	types := map[string]bool{}
	for i, e := range events {
		_, fact := e.Event.(domain.Fact)
		if fact && types[e.Type] && c.repeats {
			events = events[:i]
			break
		}
		if fact && types[e.Type] || e.Seq != events[0].Seq+uint64(i) { //nolint:gosec // small
			c.find("once", "%s %s stands at %d and again at %d (%s)", cmd.Name, cmd.Key, events[0].Seq, e.Seq, e.Type)
			return
		}
		types[e.Type] = true
	}
	if last := events[len(events)-1].Seq; cmd.Outcome == acknowledged && cmd.Seq != last {
		c.find("once", "%s %s was acknowledged at %d and stands at %d", cmd.Name, cmd.Key, cmd.Seq, last)
	}
	in, err := json.Marshal(cmd.In)
	if err != nil {
		return
	}
	var said struct{ Text, Words string }
	if json.Unmarshal(in, &said) != nil {
		return
	}
	switch e := events[0].Event.(type) {
	case chat.Said:
		if e.Text != said.Text {
			c.find("once", "message %s says %q, %q was sent", e.Message, e.Text, said.Text)
		}
	case feedback.Given:
		if e.Words != said.Words {
			c.find("once", "feedback %s says %q, %q was sent", e.Feedback, e.Words, said.Words)
		}
	}
}

// realTime: a command that was acknowledged before another was given stands
// before it.
func (c *checker) realTime() {
	first := map[string]uint64{}
	for _, e := range c.events {
		key, _, _ := strings.Cut(e.Command, "/")
		if first[key] == 0 {
			first[key] = e.Seq
		}
	}
	for _, a := range c.commands {
		for _, b := range c.commands {
			if a.Outcome == acknowledged && first[a.Key] > 0 && first[b.Key] > 0 && a.Answered.Before(b.Sent) && first[a.Key] > first[b.Key] {
				c.find("real time", "%s %s was acknowledged before %s %s was given, and stands behind it (%d, %d)",
					a.Name, a.Key, b.Name, b.Key, first[a.Key], first[b.Key])
			}
		}
	}
}

// genes: versions count up without a gap, each made over the one before; a card
// closes once, and nothing but an application and its version come together.
func (c *checker) genes() {
	version := map[domain.Key]int{}
	state := map[domain.ID]string{}
	closes := func(e domain.Recorded, card domain.ID, as string) {
		if state[card] != "proposed" {
			c.find("guard", "card %s is %s at %d, it was %q before", card, as, e.Seq, state[card])
		}
		state[card] = as
	}
	for i, e := range c.events {
		switch v := e.Event.(type) {
		case gene.Minted:
			if v.Version != version[e.Key]+1 || v.BaseVersion != version[e.Key] {
				c.find("guard", "version %d over %d at %d follows version %d", v.Version, v.BaseVersion, e.Seq, version[e.Key])
			}
			version[e.Key] = v.Version
		case gene.Proposed:
			if state[v.Card] != "" || v.BaseVersion != version[e.Key] {
				c.find("guard", "card %s on version %d at %d: it was %q before, the gene is at %d", v.Card, v.BaseVersion, e.Seq, state[v.Card], version[e.Key])
			}
			state[v.Card] = "proposed"
		case gene.Applied:
			closes(e, v.Card, "applied")
			if !slices.ContainsFunc(c.events[max(0, i-3):min(len(c.events), i+4)], func(o domain.Recorded) bool {
				m, ok := o.Event.(gene.Minted)
				return ok && o.Command == e.Command && m.Card == v.Card && m.Version == v.Version
			}) {
				c.find("guard", "card %s is applied at %d without its version", v.Card, e.Seq)
			}
		case gene.Rejected:
			closes(e, v.Card, "rejected")
		case gene.Expired:
			closes(e, v.Card, "expired")
		}
	}
}

// runs: asked for once, one attempt at a time in order, finished once and by the
// live attempt; an order closes once and makes one run; one daily search a day.
func (c *checker) runs() {
	at := newAttempts()
	asked := map[domain.ID]bool{}
	orders := map[domain.ID]string{}
	days := map[string]domain.ID{}
	closes := func(e domain.Recorded, order domain.ID, as string) {
		if orders[order] != "proposed" {
			c.find("guard", "order %s is %s at %d, it was %q before", order, as, e.Seq, orders[order])
		}
		orders[order] = as
	}
	for _, e := range c.events {
		switch v := e.Event.(type) {
		case run.OrderProposed:
			orders[v.Order] = "proposed"
		case run.OrderConfirmed:
			closes(e, v.Order, "confirmed")
		case run.OrderDeclined:
			closes(e, v.Order, "declined")
		case run.OrderExpired:
			closes(e, v.Order, "expired")
		case run.Requested:
			if asked[v.Run] {
				c.find("guard", "run %s is asked for again at %d", v.Run, e.Seq)
			}
			asked[v.Run] = true
			if v.Order != "" && orders[v.Order] != "confirmed" {
				c.find("guard", "run %s at %d comes of order %s, which is %q", v.Run, e.Seq, v.Order, orders[v.Order])
			}
			if day := string(e.Agent) + v.Day; v.Day != "" {
				if days[day] != "" {
					c.find("guard", "runs %s and %s are both the daily search of %s", days[day], v.Run, v.Day)
				}
				days[day] = v.Run
			}
		case run.Started:
			c.starts(e, at, v.Run, v.Attempt, asked[v.Run])
		case run.AttemptLost:
			c.ends(e, at, v.Run, v.Attempt)
		case run.Finished:
			if at.done[v.Run] {
				c.find("guard", "run %s finishes again at %d", v.Run, e.Seq)
			}
			if v.Attempt != 0 {
				c.ends(e, at, v.Run, v.Attempt)
			} else if at.live[v.Run] {
				c.find("fence", "run %s finishes at %d over its live attempt", v.Run, e.Seq)
			}
		}
		at.see(e.Event)
	}
}

func (c *checker) starts(e domain.Recorded, at *attempts, id domain.ID, attempt int, asked bool) {
	if !asked || at.done[id] || at.live[id] || attempt != at.last[id]+1 {
		c.find("fence", "attempt %d of %s starts at %d: asked for %t, over %t, another live %t, last %d",
			attempt, id, e.Seq, asked, at.done[id], at.live[id], at.last[id])
	}
}

func (c *checker) ends(e domain.Recorded, at *attempts, id domain.ID, attempt int) {
	if !at.live[id] || at.last[id] != attempt {
		c.find("fence", "%s of attempt %d of %s at %d: live %t, last %d", e.Type, attempt, id, e.Seq, at.live[id], at.last[id])
	}
}

// turns: one at a time an agent, one attempt at a time, finished once.
func (c *checker) turns() {
	at := newAttempts()
	open := map[domain.Key]domain.ID{}
	for _, e := range c.events {
		switch v := e.Event.(type) {
		case turn.Started:
			if o := open[e.Key]; o != "" && o != v.Turn {
				c.find("guard", "turn %s starts at %d while %s is open", v.Turn, e.Seq, o)
			}
			c.starts(e, at, v.Turn, v.Attempt, true)
			open[e.Key] = v.Turn
		case turn.AttemptLost:
			c.ends(e, at, v.Turn, v.Attempt)
		case turn.Finished:
			if at.done[v.Turn] || open[e.Key] != v.Turn {
				c.find("guard", "turn %s finishes at %d: over %t, open is %q", v.Turn, e.Seq, at.done[v.Turn], open[e.Key])
			}
			if v.Attempt != 0 {
				c.ends(e, at, v.Turn, v.Attempt)
			}
			open[e.Key] = ""
		}
		at.see(e.Event)
	}
}

// messages: every message is answered by exactly one turn, unless it was taken
// back before one took it up.
func (c *checker) messages() {
	answered := map[domain.ID]map[domain.ID]bool{}
	finished := map[domain.ID]bool{}
	back := map[domain.ID]bool{}
	for _, e := range c.events {
		switch v := e.Event.(type) {
		case turn.Started:
			for _, m := range v.Messages {
				if answered[m] == nil {
					answered[m] = map[domain.ID]bool{}
				}
				answered[m][v.Turn] = true
			}
		case turn.Finished:
			finished[v.Turn] = true
		case chat.TakenBack:
			back[v.Message] = true
		}
	}
	seen := map[domain.ID]bool{}
	for _, e := range c.events {
		v, ok := e.Event.(chat.Said)
		if !ok || seen[v.Message] {
			continue
		}
		seen[v.Message] = true
		switch turns := answered[v.Message]; {
		case len(turns) > 1:
			c.find("messages", "message %s at %d is answered by %d turns", v.Message, e.Seq, len(turns))
		case len(turns) == 0 && !back[v.Message]:
			c.find("messages", "message %s at %d was never answered", v.Message, e.Seq)
		}
		for t := range answered[v.Message] {
			if !finished[t] {
				c.find("messages", "turn %s, which answers %s, never finished", t, v.Message)
			}
		}
	}
}

// library: no video twice, and a run's products are what it saved, each once.
func (c *checker) library() {
	kept, keys, _ := c.kept()
	seen := map[string]domain.ID{}
	of := map[domain.ID]map[domain.ID]bool{}
	for i, m := range kept {
		at := strings.Join([]string{keys[i].Product, string(keys[i].Agent), m.Source, m.External}, "/")
		if before, known := seen[at]; known && before != m.Material {
			c.find("library", "video %s is kept as %s and as %s", at, before, m.Material)
		}
		seen[at] = m.Material
		if of[m.Run] == nil {
			of[m.Run] = map[domain.ID]bool{}
		}
		of[m.Run][m.Material] = true
	}
	for _, e := range c.events {
		f, ok := e.Event.(run.Finished)
		if !ok {
			continue
		}
		products := map[domain.ID]bool{}
		for _, p := range f.Products {
			if p.Type != domain.Material {
				continue
			}
			if products[p.ID] || !of[f.Run][p.ID] {
				c.find("library", "run %s names the product %s (named before: %t, saved by it: %t)", f.Run, p.ID, products[p.ID], of[f.Run][p.ID])
			}
			products[p.ID] = true
		}
	}
}

// rounds: a model round of an attempt is recorded once.
func (c *checker) rounds() {
	seen := map[string]uint64{}
	for _, e := range c.events {
		if v, ok := e.Event.(step.Recorded); ok {
			at := fmt.Sprintf("%s%s/%d/%d", v.Run, v.Turn, v.Attempt, v.Round)
			if before := seen[at]; before != 0 && !c.repeats {
				c.find("rounds", "round %s stands at %d and at %d", at, before, e.Seq)
			}
			seen[at] = e.Seq
		}
	}
}
