package chat

import "sozai/domain"

// Said is a message of a person; the speaker is the event's actor. What the
// butler says stands in turn.finished.
type Said struct {
	Message domain.ID    `json:"message"`
	Text    string       `json:"text"`
	Refs    []domain.Ref `json:"refs,omitempty"`
}

// TakenBack withdraws an own message that no turn has covered yet.
type TakenBack struct {
	Message domain.ID `json:"message"`
}

func (Said) EventType() string      { return "chat.said" }
func (TakenBack) EventType() string { return "chat.taken_back" }

func (Said) Fact() domain.Kind      { return domain.KindChat }
func (TakenBack) Fact() domain.Kind { return domain.KindChat }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event { return []domain.Event{Said{}, TakenBack{}} }
