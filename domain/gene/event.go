package gene

import (
	"time"

	"sozai/domain"
)

// Origin says how a version came to be.
type Origin string

// The four ways to a version.
const (
	OriginCreated  Origin = "created"
	OriginCard     Origin = "card"
	OriginEdit     Origin = "edit"
	OriginRollback Origin = "rollback"
)

// Score is the previous version's result as it stood when the next was minted.
// AsOf is the log sequence at which the numbers were true.
type Score struct {
	Version    int     `json:"version"`
	AsOf       uint64  `json:"as_of"`
	Found      int     `json:"found"`
	Shown      int     `json:"shown"`
	Ignored    int     `json:"ignored"`
	Adopted    int     `json:"adopted"`
	Filmed     int     `json:"filmed"`
	Downloaded int     `json:"downloaded"`
	Likes      int     `json:"likes"`
	Dislikes   int     `json:"dislikes"`
	CostYuan   float64 `json:"cost_yuan"`
}

// Minted is a new gene version with its full texts. BaseVersion is 0 for the first.
type Minted struct {
	Version      int                `json:"version"`
	BaseVersion  int                `json:"base_version"`
	Search       string             `json:"search"`
	Steer        string             `json:"steer"`
	Constraints  domain.Constraints `json:"constraints"`
	Origin       Origin             `json:"origin"`
	Card         domain.ID          `json:"card,omitempty"`
	RolledBackTo int                `json:"rolled_back_to,omitempty"`
	Summary      string             `json:"summary"`
	Previous     *Score             `json:"previous,omitempty"`
}

// Citation is feedback that a card used, and the document it was used for.
type Citation struct {
	Feedback domain.ID       `json:"feedback"`
	Document domain.Document `json:"document"`
}

// Proposed is a card. Absent documents stay as they are; present ones are full texts.
type Proposed struct {
	Card        domain.ID           `json:"card"`
	BaseVersion int                 `json:"base_version"`
	Search      *string             `json:"search,omitempty"`
	Steer       *string             `json:"steer,omitempty"`
	Constraints *domain.Constraints `json:"constraints,omitempty"`
	Summary     string              `json:"summary"`
	Reason      string              `json:"reason"`
	Evidence    []domain.Ref        `json:"evidence,omitempty"`
	Feedback    []Citation          `json:"feedback,omitempty"`
	Turn        domain.ID           `json:"turn,omitempty"`
	Run         domain.ID           `json:"run,omitempty"`
	Expires     time.Time           `json:"expires"`
}

// Applied says that a person applied a card, which documents of it ("search",
// "steer", "constraints"), whether it was edited first, which version came of
// it, and which feedback is settled by that. The new version is in the same batch.
type Applied struct {
	Card      domain.ID   `json:"card"`
	Version   int         `json:"version"`
	Documents []string    `json:"documents"`
	Edited    bool        `json:"edited,omitempty"`
	Settled   []domain.ID `json:"settled,omitempty"`
}

// Rejected closes a card without effect.
type Rejected struct {
	Card   domain.ID `json:"card"`
	Reason string    `json:"reason,omitempty"`
	Chips  []string  `json:"chips,omitempty"`
}

// Cause says why a card or order expired.
type Cause string

// The causes of expiry.
const (
	CauseAge       Cause = "age"
	CauseBaseMoved Cause = "base_moved"
)

// Expired closes a card by rule. It is not a refusal by a person.
type Expired struct {
	Card  domain.ID `json:"card"`
	Cause Cause     `json:"cause"`
	// MovedTo is the version that moved the base.
	MovedTo int `json:"moved_to,omitempty"`
}

func (Minted) EventType() string   { return "gene.minted" }
func (Proposed) EventType() string { return "card.proposed" }
func (Applied) EventType() string  { return "card.applied" }
func (Rejected) EventType() string { return "card.rejected" }
func (Expired) EventType() string  { return "card.expired" }

func (Minted) Decision() domain.Kind   { return domain.KindGene }
func (Proposed) Decision() domain.Kind { return domain.KindGene }
func (Applied) Decision() domain.Kind  { return domain.KindGene }
func (Rejected) Decision() domain.Kind { return domain.KindGene }
func (Expired) Decision() domain.Kind  { return domain.KindGene }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event {
	return []domain.Event{Minted{}, Proposed{}, Applied{}, Rejected{}, Expired{}}
}
