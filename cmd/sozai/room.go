package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"sozai/projections"
)

type row = projections.Row

// terminalRoom prints a room and answers its cards. Its lines go to one
// goroutine's printing at a time.
type terminalRoom struct {
	p        *process
	api      *client
	agent    agentRow
	json     bool
	answered chan string // ids of messages whose answer has ended

	mu      sync.Mutex
	people  map[string]string
	cards   []string // waiting cards, in the order they were shown
	orders  []string
	turn    string // being written
	written int    // bytes of it on the screen
	midLine bool   // the cursor stands behind streamed text
	reads   map[string][]string
}

func (r *terminalRoom) print(format string, args ...any) {
	if !r.json {
		fmt.Fprintf(r.p.stdout, format, args...)
	}
}

// show prints one frame.
func (r *terminalRoom) show(f frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names map[string]string
	if json.Unmarshal(f.People, &names) == nil {
		for id, name := range names {
			if r.people == nil {
				r.people = map[string]string{}
			}
			r.people[id] = name
		}
	}
	switch f.Type {
	case "hello":
		if f.Model.Rehearsal {
			r.print("(the rehearsal model plays the butler)\n")
		}
	case "sync":
		for i := range f.Rows {
			r.showRow(&f.Rows[i])
		}
	case "chat.user", "timeline.entry":
		r.showRow(f.Row)
	case "chat.delta":
		r.delta(f)
	case "chat.toolcall":
		if f.State == "ended" {
			r.breakLine()
			r.print("  · %s %s  %.1fs %s\n", f.Tool, f.Object, f.Seconds, f.Outcome)
		}
	case "error":
		r.print("! %s\n", f.Detail)
	}
}

func (r *terminalRoom) delta(f frame) {
	if f.Turn != r.turn {
		r.turn, r.written = f.Turn, 0
		r.print("管家 ▸ ")
	}
	if skip := r.written - f.Offset; skip >= 0 && skip < len(f.Text) {
		r.print("%s", f.Text[skip:])
		r.written += len(f.Text) - skip
		r.midLine = !strings.HasSuffix(f.Text, "\n")
	}
}

// breakLine ends a line of streamed text.
func (r *terminalRoom) breakLine() {
	if r.midLine {
		r.print("\n")
		r.midLine = false
	}
}

func (r *terminalRoom) showRow(row *row) {
	if row == nil {
		return
	}
	switch row.Type {
	case projections.RowChat:
		var body projections.ChatBody
		_ = json.Unmarshal(row.Body, &body)
		if body.Turn != "" {
			if r.reads == nil {
				r.reads = map[string][]string{}
			}
			r.reads[string(body.Turn)] = append(r.reads[string(body.Turn)], string(row.Ref))
			return // shown when it was said
		}
		r.print("%s: %s\n", r.name(row), body.Text)
	case projections.RowTurn:
		r.finish(row)
	default:
		r.print("%s\n", r.summary(row))
	}
	r.showCards(row)
}

// finish replaces what was streamed: only what is not on the screen is printed.
func (r *terminalRoom) finish(row *row) {
	var body projections.TurnBody
	_ = json.Unmarshal(row.Body, &body)
	var text strings.Builder
	for _, b := range body.Blocks {
		switch b.Type {
		case "text":
			text.WriteString(b.Text)
		case "note":
			r.breakLine()
			r.print("  ※ %s\n", b.Text)
		}
	}
	if string(row.Ref) != r.turn {
		r.print("管家 ▸ ")
		r.written = 0
	}
	if rest := text.String(); len(rest) > r.written {
		r.print("%s", rest[r.written:])
		r.midLine = true
	}
	r.breakLine()
	if body.Reason != "finished" {
		r.print("  (%s)\n", body.Reason)
	}
	r.turn, r.written = "", 0
	for _, message := range r.reads[string(row.Ref)] {
		select {
		case r.answered <- message:
		default:
		}
	}
	delete(r.reads, string(row.Ref))
}

// showCards prints cards and orders of a row and keeps those that wait.
func (r *terminalRoom) showCards(row *row) {
	for _, c := range row.Cards {
		if c.State != "pending" {
			r.cards = without(r.cards, string(c.Card))
			r.print("  ▪ card %s %s%s\n", c.Card, c.State, by(r.people[string(c.ClosedBy.ID())]))
			continue
		}
		r.cards = append(without(r.cards, string(c.Card)), string(c.Card))
		r.print("  ┌ 基因修改建议 V%d → V%d  (%s)\n  │ %s\n  │ %s\n  └ /apply %d  /reject %d\n",
			c.BaseVersion, c.BaseVersion+1, strings.Join(c.Documents, ", "), c.Summary, c.Reason, len(r.cards), len(r.cards))
	}
	for _, o := range row.Orders {
		if o.State != "pending" {
			r.orders = without(r.orders, string(o.Order))
			r.print("  ▪ order %s %s%s\n", o.Order, o.State, by(r.people[string(o.ClosedBy.ID())]))
			continue
		}
		r.orders = append(without(r.orders, string(o.Order)), string(o.Order))
		r.print("  ┌ 下单 %s: %s\n  │ %s\n  └ /confirm %d  /decline %d\n", o.Work, o.Request.What, o.Request.Why, len(r.orders), len(r.orders))
	}
}

func without(list []string, id string) []string {
	var rest []string
	for _, x := range list {
		if x != id {
			rest = append(rest, x)
		}
	}
	return rest
}

func by(name string) string {
	if name == "" {
		return ""
	}
	return " by " + name
}

func (r *terminalRoom) name(row *row) string {
	if name := r.people[string(row.Actor.ID())]; name != "" {
		return name
	}
	return row.Actor.Role()
}

// summary is a row of the record in one line.
func (r *terminalRoom) summary(row *row) string {
	switch row.Type {
	case projections.RowRunFinished:
		var body projections.RunEndBody
		_ = json.Unmarshal(row.Body, &body)
		mark := "✓"
		if body.Outcome != "done" {
			mark = "✕"
		}
		return fmt.Sprintf("  %s %s %s V%d: %s", mark, body.Work, body.Outcome, body.GeneVersion, body.Summary)
	case projections.RowFeedback:
		var body projections.FeedbackBody
		_ = json.Unmarshal(row.Body, &body)
		return fmt.Sprintf("%s: %s %s %s", r.name(row), body.Verdict, body.Object.Type, body.Words)
	default:
		return fmt.Sprintf("  %s %s", r.name(row), strings.ReplaceAll(row.Type, "_", " "))
	}
}

// command carries out a line that begins with a slash.
func (r *terminalRoom) command(ctx context.Context, line string) error {
	words := strings.Fields(line)
	verb, args := words[0], words[1:]
	n := 0
	if len(args) > 0 {
		if number, err := strconv.Atoi(args[0]); err == nil {
			n, args = number, args[1:]
		}
	}
	base := "/api/agents/" + r.agent.ID
	r.mu.Lock()
	cards, orders, turn := r.cards, r.orders, r.turn
	r.mu.Unlock()
	post := func(path string, body any) error { return r.api.call(ctx, http.MethodPost, base+path, body, nil) }
	pick := func(list []string, noun string) (string, error) {
		if n == 0 {
			n = len(list)
		}
		if n < 1 || n > len(list) {
			return "", &problem{Detail: fmt.Sprintf("no %s waits under that number", noun)}
		}
		return list[n-1], nil
	}
	switch verb {
	case "/apply":
		card, err := pick(cards, "card")
		if err != nil {
			return err
		}
		return post("/cards/"+card+"/apply", map[string]any{"documents": args})
	case "/reject":
		card, err := pick(cards, "card")
		if err != nil {
			return err
		}
		return post("/cards/"+card+"/reject", map[string]any{"reason": strings.Join(args, " ")})
	case "/confirm", "/decline":
		order, err := pick(orders, "order")
		if err != nil {
			return err
		}
		return post("/orders/"+order+verb, map[string]any{})
	case "/stop":
		if turn == "" {
			return &problem{Detail: "no answer is being written"}
		}
		return post("/turns/"+turn+"/stop", nil)
	case "/help":
		r.print("%s\n", chatHelp)
		return nil
	}
	return &problem{Detail: verb + ": no such command; /help lists them"}
}
