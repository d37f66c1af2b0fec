package feedback

import "sozai/domain"

// Verdict is a like, a dislike, or neither (words only).
type Verdict string

// The verdicts.
const (
	Like    Verdict = "like"
	Dislike Verdict = "dislike"
	None    Verdict = ""
)

// Given is a person's reaction to an object or to the whole. When the butler
// wrote it down from the chat, the actor is the butler and OnBehalf the person.
type Given struct {
	Feedback domain.ID  `json:"feedback"`
	Object   domain.Ref `json:"object"`
	Verdict  Verdict    `json:"verdict,omitempty"`
	Words    string     `json:"words,omitempty"`
	OnBehalf domain.ID  `json:"on_behalf,omitempty"`
	Turn     domain.ID  `json:"turn,omitempty"`
	// Document is the document it speaks to, if whoever wrote it down said so;
	// otherwise the object decides (see DefaultDocument).
	Document domain.Document `json:"document,omitempty"`
}

// Withdrawn takes a reaction back.
type Withdrawn struct {
	Feedback domain.ID `json:"feedback"`
}

func (Given) EventType() string     { return "feedback.given" }
func (Withdrawn) EventType() string { return "feedback.withdrawn" }

func (Given) Fact() domain.Kind     { return domain.KindFeedback }
func (Withdrawn) Fact() domain.Kind { return domain.KindFeedback }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event { return []domain.Event{Given{}, Withdrawn{}} }
