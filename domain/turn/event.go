package turn

import "sozai/domain"

// Started begins an attempt of a turn. Messages are the chat messages it
// answers, in log order; Upto is the last of them.
type Started struct {
	Turn        domain.ID   `json:"turn"`
	Attempt     int         `json:"attempt"`
	Slot        uint64      `json:"slot"`
	Messages    []domain.ID `json:"messages"`
	Upto        domain.ID   `json:"upto"`
	GeneVersion int         `json:"gene_version"`
}

// AttemptLost closes an attempt whose worker is gone. Cause as for runs.
type AttemptLost struct {
	Turn    domain.ID `json:"turn"`
	Attempt int       `json:"attempt"`
	Cause   string    `json:"cause"`
}

// StopRequested asks the running turn to stop; its partial text is kept.
type StopRequested struct {
	Turn domain.ID `json:"turn"`
}

// BlockType says what a block of an answer is.
type BlockType string

// The blocks of an answer.
const (
	Text  BlockType = "text"
	Tool  BlockType = "tool"  // a tool summary
	Card  BlockType = "card"  // a gene card, by id
	Order BlockType = "order" // an order card, by id
	Note  BlockType = "note"  // something that happened: a withheld sentence, an interrupted call
)

// Block is one part of an answer, in the order it was introduced.
type Block struct {
	Type    BlockType `json:"type"`
	Text    string    `json:"text,omitempty"`
	Ref     domain.ID `json:"ref,omitempty"` // card or order
	Call    string    `json:"call,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Object  string    `json:"object,omitempty"`  // what the tool was called on, in words
	Outcome string    `json:"outcome,omitempty"` // ok, error, interrupted
	Seconds float64   `json:"seconds,omitempty"`
}

// Finished ends a turn and settles every message up to Upto, whatever the reason
// (the run package's end reasons, or "stopped").
type Finished struct {
	Turn    domain.ID    `json:"turn"`
	Attempt int          `json:"attempt"`
	Upto    domain.ID    `json:"upto"`
	Reason  string       `json:"reason"`
	Blocks  []Block      `json:"blocks"`
	Usage   domain.Usage `json:"usage"`
	Cost    domain.Money `json:"cost"`
}

func (Started) EventType() string       { return "turn.started" }
func (AttemptLost) EventType() string   { return "turn.attempt_lost" }
func (StopRequested) EventType() string { return "turn.stop_requested" }
func (Finished) EventType() string      { return "turn.finished" }

func (Started) Decision() domain.Kind       { return domain.KindTurn }
func (AttemptLost) Decision() domain.Kind   { return domain.KindTurn }
func (StopRequested) Decision() domain.Kind { return domain.KindTurn }
func (Finished) Decision() domain.Kind      { return domain.KindTurn }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event {
	return []domain.Event{Started{}, AttemptLost{}, StopRequested{}, Finished{}}
}
