package agents

import (
	"encoding/json"
	"slices"

	"sozai/domain"
	"sozai/domain/turn"
)

// display is what was shown: it emits events and keeps the blocks of the answer.
type display struct {
	emit   func(Event)
	round  int
	offset int
	blocks []turn.Block
	why    string // text shown in this round
	any    bool   // anything of the model was shown in this round
}

func (d *display) begin(round int) { d.round, d.why, d.any = round, "", false }

func (d *display) send(e Event) {
	if d.emit != nil {
		e.Round, e.Offset = d.round, d.offset
		d.emit(e)
	}
}

func (d *display) status(status, call, tool string) {
	d.send(Event{Type: EventStatus, Status: status, Call: call, Tool: tool})
}

func (d *display) pieces(pieces []Piece) {
	for _, p := range pieces {
		switch {
		case p.Text == "":
		case p.Note:
			d.any = true
			d.send(Event{Type: EventNote, Text: p.Text})
			d.blocks = append(d.blocks, turn.Block{Type: turn.Note, Text: p.Text})
		default:
			d.text(p.Text)
		}
	}
}

// text shows words. Rounds without a tool row between them are kept apart by an
// empty line, in the stream as in the block.
func (d *display) text(words string) {
	last := len(d.blocks) - 1
	joins := last >= 0 && d.blocks[last].Type == turn.Text
	if joins && d.why == "" {
		words = "\n\n" + words
	}
	d.any = true
	d.why += words
	d.send(Event{Type: EventText, Text: words})
	d.offset += len(words)
	if joins {
		d.blocks[last].Text += words
	} else {
		d.blocks = append(d.blocks, turn.Block{Type: turn.Text, Text: words})
	}
}

func (d *display) start(call Block) {
	d.send(Event{Type: EventStart, Call: call.ID, Tool: call.Name, Input: json.RawMessage(call.Input)})
	d.blocks = append(d.blocks, turn.Block{Type: turn.Tool, Call: call.ID, Tool: call.Name})
}

func (d *display) end(e ending) {
	d.send(Event{
		Type: EventEnd, Call: e.call.ID, Tool: e.call.Name, Object: e.out.Object,
		Outcome: e.outcome, Seconds: e.seconds, Receipt: e.out.Receipt,
	})
	if i := d.row(e.call.ID); i >= 0 {
		b := &d.blocks[i]
		b.Object, b.Outcome, b.Seconds = e.out.Object, e.outcome, e.seconds
	}
}

func (d *display) row(call string) int {
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if d.blocks[i].Type == turn.Tool && d.blocks[i].Call == call {
			return i
		}
	}
	return -1
}

// refer puts the cards and orders of a round behind the calls they came from.
func (d *display) refer(round []ending) {
	for _, e := range round {
		kind := turn.BlockType(e.out.Receipt.Kind)
		if e.outcome != OutcomeOK || kind != turn.Card && kind != turn.Order {
			continue
		}
		if i := d.row(e.call.ID); i >= 0 {
			d.blocks = slices.Insert(d.blocks, i+1, turn.Block{Type: kind, Ref: domain.ID(e.out.Receipt.ID), Call: e.call.ID})
		}
	}
}
