// Package step records what happens inside a run or turn: model rounds and
// progress. Steps make no timeline row. It may import only domain.
package step

import "sozai/domain"

// Call is the preview of one tool call of a round.
type Call struct {
	ID      string  `json:"id"`
	Tool    string  `json:"tool"`
	Input   string  `json:"input"`   // shortened
	Output  string  `json:"output"`  // shortened
	Outcome string  `json:"outcome"` // ok, error, interrupted
	Seconds float64 `json:"seconds"`
}

// Recorded is one model round. Exactly one of Run and Turn is set.
type Recorded struct {
	Run     domain.ID    `json:"run,omitempty"`
	Turn    domain.ID    `json:"turn,omitempty"`
	Attempt int          `json:"attempt"`
	Round   int          `json:"round"` // from 1
	Model   string       `json:"model"`
	Prompt  string       `json:"prompt"` // version of the constitution
	Stop    string       `json:"stop"`
	Usage   domain.Usage `json:"usage"`
	Cost    domain.Money `json:"cost"`
	Why     string       `json:"why,omitempty"` // what the model said in this round
	Calls   []Call       `json:"calls,omitempty"`
	Folded  bool         `json:"folded,omitempty"`
}

// Progressed is a run's progress, at most every 2 s.
type Progressed struct {
	Run     domain.ID `json:"run"`
	Attempt int       `json:"attempt"`
	Done    int       `json:"done"`
	Target  int       `json:"target,omitempty"` // 0 = not known
	Unit    string    `json:"unit"`             // materials, pages, panels, frames, videos, steps
	Page    int       `json:"page,omitempty"`
	Pages   int       `json:"pages,omitempty"`
}

func (Recorded) EventType() string   { return "step.recorded" }
func (Progressed) EventType() string { return "run.progressed" }

func (Recorded) Fact() domain.Kind   { return domain.KindStep }
func (Progressed) Fact() domain.Kind { return domain.KindStep }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event { return []domain.Event{Recorded{}, Progressed{}} }
