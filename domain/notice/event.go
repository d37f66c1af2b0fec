package notice

import "sozai/domain"

// Sent says that a notice about an object went out through a channel.
type Sent struct {
	Notice  domain.ID  `json:"notice"`
	About   domain.Ref `json:"about"`
	Channel string     `json:"channel"`
	To      domain.ID  `json:"to"`
}

// Failed says that it did not, and why.
type Failed struct {
	Notice  domain.ID  `json:"notice"`
	About   domain.Ref `json:"about"`
	Channel string     `json:"channel"`
	To      domain.ID  `json:"to"`
	Error   string     `json:"error"`
}

func (Sent) EventType() string   { return "notice.sent" }
func (Failed) EventType() string { return "notice.failed" }

func (Sent) Fact() domain.Kind   { return domain.KindNotice }
func (Failed) Fact() domain.Kind { return domain.KindNotice }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event { return []domain.Event{Sent{}, Failed{}} }
