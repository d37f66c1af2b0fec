package behavior

import (
	"time"

	"sozai/domain"
)

// Type says what was observed.
type Type string

// The observations. Adoption and filming are not observed: they come from
// references between objects.
const (
	Viewed     Type = "material_viewed"
	Ignored    Type = "material_ignored"
	Downloaded Type = "delivery_downloaded"
)

// Observation is one look, pass or download, stamped with the run and gene
// version that made the object (0 and empty when unknown).
type Observation struct {
	ID          domain.ID  `json:"id"`
	Type        Type       `json:"type"`
	Object      domain.Ref `json:"object"`
	Run         domain.ID  `json:"run,omitempty"`
	GeneVersion int        `json:"gene_version,omitempty"`
	At          time.Time  `json:"at"`
}

// Observed is one beacon of a browser.
type Observed struct {
	Beacon       domain.ID     `json:"beacon"`
	Observations []Observation `json:"observations"`
}

func (Observed) EventType() string { return "behavior.observed" }
func (Observed) Fact() domain.Kind { return domain.KindBehavior }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event { return []domain.Event{Observed{}} }
