package run

import (
	"time"

	"sozai/domain"
)

// Work says what kind of background work a run is.
type Work string

// The kinds of work.
const (
	Digest  Work = "digest"
	Search  Work = "search"
	Board   Work = "board"
	Film    Work = "film"
	Analyze Work = "analyze"
)

// Trigger says what asked for a run.
type Trigger string

// The triggers.
const (
	First     Trigger = "first"      // a new agent's first search
	Hand      Trigger = "hand"       // a button on the page
	Order     Trigger = "order"      // a confirmed order card
	Daily     Trigger = "daily"      // the schedule
	GeneCheck Trigger = "gene_check" // after a card was applied
	Threshold Trigger = "threshold"  // enough unsettled items, or one old enough
	Retry     Trigger = "retry"      // from the task center
	Budget    Trigger = "budget"     // another budget for a run that ended by it
)

// Request is all that a run or an order needs to know: what and why in words,
// the source or creation mode, what it cites, and how much it may cost.
type Request struct {
	What     string       `json:"what,omitempty"`
	Why      string       `json:"why,omitempty"`
	Source   string       `json:"source,omitempty"` // search: fast, competitor, hot
	Mode     string       `json:"mode,omitempty"`   // board, film: creation mode
	Cites    []domain.Ref `json:"cites,omitempty"`
	Board    domain.ID    `json:"board,omitempty"`  // base board of a board or film
	Target   int          `json:"target,omitempty"` // how many products are wanted
	CostHint domain.Money `json:"cost_hint,omitempty"`
}

// OrderProposed is an order card.
type OrderProposed struct {
	Order   domain.ID `json:"order"`
	Work    Work      `json:"work"`
	Request Request   `json:"request"`
	Turn    domain.ID `json:"turn,omitempty"`
	Expires time.Time `json:"expires"`
}

// OrderConfirmed is a person's nod; run.requested follows in the same batch.
type OrderConfirmed struct {
	Order domain.ID `json:"order"`
	Run   domain.ID `json:"run"`
}

// OrderDeclined closes an order without effect.
type OrderDeclined struct {
	Order  domain.ID `json:"order"`
	Reason string    `json:"reason,omitempty"`
}

// OrderExpired closes an order by age.
type OrderExpired struct {
	Order domain.ID `json:"order"`
	Cause string    `json:"cause"`
}

// Requested asks for background work. GeneVersion 0 means the version that is
// current when the first attempt starts.
type Requested struct {
	Run         domain.ID `json:"run"`
	Work        Work      `json:"work"`
	Trigger     Trigger   `json:"trigger"`
	Request     Request   `json:"request"`
	GeneVersion int       `json:"gene_version,omitempty"`
	Order       domain.ID `json:"order,omitempty"`
	Card        domain.ID `json:"card,omitempty"`
	RetryOf     domain.ID `json:"retry_of,omitempty"`
	Continues   domain.ID `json:"continues,omitempty"`
	Day         string    `json:"day,omitempty"` // daily search: its date, one run a day
}

// Started begins an attempt. Attempt is the fence; Slot is the sequence of the
// work message; GeneVersion is the same for every attempt.
type Started struct {
	Run         domain.ID `json:"run"`
	Attempt     int       `json:"attempt"`
	Slot        uint64    `json:"slot"`
	GeneVersion int       `json:"gene_version"`
}

// Why an attempt was lost.
const (
	WorkerLost = "worker_lost"
	HandedOver = "handed_over" // a draining worker gave it back; not counted
)

// AttemptLost closes an attempt whose worker is gone.
type AttemptLost struct {
	Run     domain.ID `json:"run"`
	Attempt int       `json:"attempt"`
	Cause   string    `json:"cause"`
}

// CancelRequested asks a run to stop. Cause is "person" or "people_came".
type CancelRequested struct {
	Run   domain.ID `json:"run"`
	Cause string    `json:"cause"`
}

// Outcome is how a run ended.
type Outcome string

// The outcomes.
const (
	Done      Outcome = "done"
	Failed    Outcome = "failed"
	Cancelled Outcome = "cancelled"
)

// Reason says why a run or turn ended; the list is fixed.
type Reason string

// The end reasons.
const (
	ReasonFinished   Reason = "finished"    // by its finishing tool, or all work done
	ReasonRounds     Reason = "rounds"      // round cap
	ReasonTokens     Reason = "tokens"      // token cap
	ReasonCost       Reason = "cost"        // ¥ cap
	ReasonTime       Reason = "time"        // wall clock
	ReasonStuck      Reason = "stuck"       // no progress any more
	ReasonModel      Reason = "model"       // the model could not be reached or refused
	ReasonSource     Reason = "source"      // the source failed
	ReasonInput      Reason = "input"       // the request cannot be carried out
	ReasonWorkerLost Reason = "worker_lost" // three attempts lost
	ReasonCancelled  Reason = "cancelled"   // a person asked
	ReasonPeopleCame Reason = "people_came" // a digest made way for a person
	ReasonInternal   Reason = "internal"    // a defect of ours
	ReasonImported   Reason = "imported"    // it was open in a history that was imported
)

// Finished ends a run. Attempt 0 means that it ended without a live attempt
// (cancelled before it started, or lost too often).
type Finished struct {
	Run      domain.ID    `json:"run"`
	Attempt  int          `json:"attempt"`
	Outcome  Outcome      `json:"outcome"`
	Reason   Reason       `json:"reason"`
	Summary  string       `json:"summary,omitempty"`
	Products []domain.Ref `json:"products,omitempty"`
	Usage    domain.Usage `json:"usage"`
	Cost     domain.Money `json:"cost"`
}

func (OrderProposed) EventType() string   { return "order.proposed" }
func (OrderConfirmed) EventType() string  { return "order.confirmed" }
func (OrderDeclined) EventType() string   { return "order.declined" }
func (OrderExpired) EventType() string    { return "order.expired" }
func (Requested) EventType() string       { return "run.requested" }
func (Started) EventType() string         { return "run.started" }
func (AttemptLost) EventType() string     { return "run.attempt_lost" }
func (CancelRequested) EventType() string { return "run.cancel_requested" }
func (Finished) EventType() string        { return "run.finished" }

func (OrderProposed) Decision() domain.Kind   { return domain.KindRun }
func (OrderConfirmed) Decision() domain.Kind  { return domain.KindRun }
func (OrderDeclined) Decision() domain.Kind   { return domain.KindRun }
func (OrderExpired) Decision() domain.Kind    { return domain.KindRun }
func (Requested) Decision() domain.Kind       { return domain.KindRun }
func (Started) Decision() domain.Kind         { return domain.KindRun }
func (AttemptLost) Decision() domain.Kind     { return domain.KindRun }
func (CancelRequested) Decision() domain.Kind { return domain.KindRun }
func (Finished) Decision() domain.Kind        { return domain.KindRun }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event {
	return []domain.Event{
		OrderProposed{}, OrderConfirmed{}, OrderDeclined{}, OrderExpired{},
		Requested{}, Started{}, AttemptLost{}, CancelRequested{}, Finished{},
	}
}
