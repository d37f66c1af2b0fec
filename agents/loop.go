package agents

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
)

// Loop plays rounds of a Model and executes the tools it calls, until the model
// ends (by a finishing tool where there is one) or a cap is reached. A Loop holds
// no state of a run; it may be used again, also at the same time.
type Loop struct {
	Model Model
	Tools []Tool
	Caps  Caps             // zero fields take DefaultCaps
	Now   func() time.Time // nil = time.Now; called by several goroutines
	Log   *slog.Logger     // internal errors of tools; nil = discarded

	// Emit gets everything that may be shown, after the gate, never from two
	// goroutines at once; it must not block for long. May be nil.
	Emit func(Event)
	// Record gets every model round once, after its calls ended. An error ends
	// the run. The context outlives a cancelled run by a few seconds; whoever
	// may not write any more (a fenced worker) must refuse by itself. May be nil.
	Record func(context.Context, step.Recorded) error
	// Gate decides what of the model's words is shown when; nil = all at once.
	// It belongs to one run.
	Gate Gate
	// Objection is asked when a run without finishing tools would end with the
	// model's words. A text is told to the model, which gets another round inside
	// the same caps, once a run (say, because all it claimed was withheld). May be nil.
	Objection func() string
}

// Task is one run or turn to be played. Exactly one of Run and Turn is set;
// both only stamp the recorded steps and never enter the prompt.
type Task struct {
	Run     domain.ID
	Turn    domain.ID
	Attempt int
	Version string // of the constitution, for the steps

	Constitution string    // L0: the same for every agent
	Context      string    // L1: gene and brief
	Opening      []Message // L2 begins with it: roles alternate, first and last are User
}

// Gate decides which of the model's words may be shown, and when. The loop calls
// it from one goroutine at a time: Open, Text for each streamed piece, then Close
// once the calls of the round have ended. What it returns is shown in that order.
type Gate interface {
	// Open begins a round. Words still held from a round that was given up
	// before anything of it was shown are dropped.
	Open(round int)
	// Text takes the next words and returns what may be shown at once.
	Text(words string) []Piece
	// Close ends the round; receipts are those of this round's successful
	// calls. Nothing stays held: each sentence is returned or withheld.
	Close(receipts []Receipt) []Piece
}

// Piece is something to show: words of the model or, with Note, a remark about
// the conversation (a withheld sentence).
type Piece struct {
	Text string
	Note bool
}

// EventType says what an Event tells.
type EventType string

// The events of a loop.
const (
	EventText   EventType = "text"         // words, after the gate
	EventNote   EventType = "note"         // a remark of the gate
	EventStart  EventType = "tool_started" // a call is executed now
	EventEnd    EventType = "tool_ended"   // it ended: Outcome says how
	EventStatus EventType = "status"       // what the loop is doing; not part of the answer
)

// What a loop is doing, in Event.Status.
const (
	StatusThinking  = "thinking"  // the model was asked
	StatusPreparing = "preparing" // the model writes a call of Tool
	StatusWaiting   = "waiting"   // for the model (before its retry) or as a source told
	StatusFolding   = "folding"   // the context is being folded
)

// Outcomes of a call.
const (
	OutcomeOK          = "ok"
	OutcomeError       = "error"
	OutcomeInterrupted = "interrupted" // it has no result: cancelled, cut off, never executed
)

// Event is something that happened and may be shown. Offset is the number of
// bytes of text shown before this piece, over all text of the run.
type Event struct {
	Type    EventType
	Round   int
	Offset  int
	Text    string
	Call    string
	Tool    string
	Input   json.RawMessage // tool_started
	Object  string          // tool_ended
	Outcome string          // tool_ended
	Seconds float64         // tool_ended
	Receipt Receipt         // tool_ended
	Status  string
}

// Result is how a run ended and what it left. It is complete as far as the run
// came, whatever the reason and whether or not Run returned an error.
type Result struct {
	Reason run.Reason
	// Blocks are what was shown, in order: text, tool rows, cards and orders
	// where their call stands, notes.
	Blocks     []turn.Block
	Transcript []Message // as the model saw it, after folding
	Receipts   []Receipt
	Rounds     int
	Folds      int
	Usage      domain.Usage // known only if every round's was
	Cost       domain.Money
	Final      *FinalCall // the finishing call; nil if it ended otherwise
}

// FinalCall is the successful call of a finishing tool.
type FinalCall struct {
	ID     string
	Tool   string
	Input  json.RawMessage
	Output Output
}

// Text is all the text that was shown.
func (r Result) Text() string {
	var n []byte
	for _, b := range r.Blocks {
		if b.Type == turn.Text {
			n = append(n, b.Text...)
		}
	}
	return string(n)
}

// ToolError is a tool's refusal that tells when to come back: the loop holds the
// next call of that tool until RetryAfter has passed.
type ToolError struct {
	Message    string
	RetryAfter time.Duration
	Err        error
}

func (e *ToolError) Error() string { return e.Message }
func (e *ToolError) Unwrap() error { return e.Err }

// Run plays the task. The reason in the Result says how it ended; a cancelled
// context is ReasonCancelled with what was said so far and no error. The error
// is set for ReasonModel and ReasonInternal and for a context that could not be
// folded (ErrFold).
//
// A tool that gives the same result to the same call in three rounds, or fails in
// the same way in three rounds running, is closed for the run; a tool that is
// polled must therefore say in its result what moved (for example the time
// waited). Nothing else that moves by itself belongs into a result.
func (l *Loop) Run(ctx context.Context, task Task) (Result, error) {
	s, err := l.begin(task)
	if err != nil {
		return Result{Reason: run.ReasonInternal, Usage: domain.Usage{Known: true}}, err
	}
	return s.play(ctx)
}
