package agents

import (
	"context"
	"encoding/json"
)

// Tool is something a model may call. Execute must be safe to call for several
// calls at once. A returned error becomes a tool result with is_error that the
// model reads; only a cancelled context ends the loop.
type Tool struct {
	ToolSpec
	// EndsRun marks a finishing tool: a successful call ends the loop.
	EndsRun bool
	Execute func(ctx context.Context, call Call) (Output, error)
}

// Call is one tool call of a round.
type Call struct {
	ID    string
	Round int // from 1
	Input json.RawMessage
}

// Output is what a tool returns to the model, and beside it what the room shows.
type Output struct {
	// Text goes to the model; a JSON object for tools that return data.
	Text string
	// Object says in words what the tool was called on, for the tool row.
	Object string
	// Receipt proves an effect of this call; zero for reading tools.
	Receipt Receipt
	// Fold is the one line that stands for this result once it is folded away.
	Fold string
}

// Receipt is the proof that a tool changed something: what, and its id.
// Kind is card, order, feedback, material, analysis, board, film or finish.
type Receipt struct {
	Kind string
	ID   string
}
