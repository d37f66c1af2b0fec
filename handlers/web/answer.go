package web

import (
	"slices"

	"sozai/domain"
)

// answer is the text of the turn that is being written, as far as this gateway
// has heard it. Live frames may be lost and may come before the events that they
// belong to, so it trusts only (turn, attempt, offset): what it hands on is
// always one contiguous text from offset 0.
type answer struct {
	turn    domain.ID
	attempt int
	text    []byte
	calls   []toolFrame
	held    []deltaFrame // beyond a hole, until the worker was asked
	ended   []domain.ID  // turns that are over; their late frames never show
}

// begin notes what the log says: this attempt is the live one.
func (a *answer) begin(turn domain.ID, attempt int) {
	if turn == a.turn && attempt <= a.attempt {
		return
	}
	*a = answer{turn: turn, attempt: attempt, ended: a.ended}
}

// end notes that a turn is over.
func (a *answer) end(turn domain.ID) {
	a.ended = append(a.ended, turn)
	if n := len(a.ended); n > 64 {
		a.ended = slices.Clone(a.ended[n-32:])
	}
	if a.turn == turn {
		*a = answer{ended: a.ended}
	}
}

// accepts says whether a frame belongs to the answer; one of a newer attempt, or
// of a turn whose start is still on its way here, begins it.
func (a *answer) accepts(turn domain.ID, attempt int) bool {
	if turn == "" || attempt < 1 || slices.Contains(a.ended, turn) || turn == a.turn && attempt < a.attempt {
		return false
	}
	a.begin(turn, attempt)
	return true
}

// add takes a delta in and returns the new text, if any, and whether the worker
// must be asked for what is missing.
func (a *answer) add(d deltaFrame) (fresh deltaFrame, hole bool) {
	if d.Offset > len(a.text) {
		if len(a.held) < 4096 {
			a.held = append(a.held, d)
		}
		return deltaFrame{}, true
	}
	at := len(a.text)
	if d.Offset+len(d.Text) <= at {
		return deltaFrame{}, false
	}
	a.text = append(a.text, d.Text[at-d.Offset:]...)
	return a.from(at), false
}

// catchUp lays the worker's text so far under what is held, and returns the text
// that is new by it.
func (a *answer) catchUp(s soFar) deltaFrame {
	if s.Turn != a.turn || s.Attempt != a.attempt {
		return deltaFrame{}
	}
	at := len(a.text)
	if len(s.Text) > at {
		a.text = append(a.text, s.Text[at:]...)
	}
	if len(s.Calls) >= len(a.calls) {
		a.calls = s.Calls
	}
	held := a.held
	a.held = nil
	slices.SortStableFunc(held, func(x, y deltaFrame) int { return x.Offset - y.Offset })
	for _, d := range held {
		a.add(d)
	}
	return a.from(at)
}

// from is the text from an offset on, as a frame; zero if there is none.
func (a *answer) from(offset int) deltaFrame {
	if offset >= len(a.text) {
		return deltaFrame{}
	}
	return deltaFrame{Type: frameDelta, Turn: a.turn, Attempt: a.attempt, Offset: offset, Text: string(a.text[offset:])}
}

// tool keeps a call for late joiners.
func (a *answer) tool(t toolFrame) toolFrame {
	t.Type = frameTool
	for i := range a.calls {
		if a.calls[i].Call == t.Call {
			a.calls[i] = t
			return t
		}
	}
	a.calls = append(a.calls, t)
	return t
}

// soFar are the frames that bring a late joiner up to date: the text in one
// frame, and the calls.
func (a *answer) soFar() [][]byte {
	var frames [][]byte
	if d := a.from(0); d.Text != "" {
		frames = append(frames, encode(d))
	}
	for _, t := range a.calls {
		t.Type = frameTool
		frames = append(frames, encode(t))
	}
	return frames
}
