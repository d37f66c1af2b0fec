// Package run owns background work: runs with their attempts, and the orders
// that ask a person for one (order.go). Both share one guard, since confirming
// an order requests its run. It may import only domain.
package run

import (
	"time"

	"sozai/domain"
)

// The rules of runs (those of orders stand in order.go):
//
//  1. A run is requested once, with a kind of work, a trigger that fits it, and
//     a request within its limits.
//  2. Only a confirmed order requests a run with the trigger "order".
//  3. At most one digest of an agent is open at a time.
//  4. The daily search runs once a day.
//  5. Only a finished run is retried, with the same work and request, and not
//     while another retry of it is open; only one that ended at a cap is
//     continued with another budget, under the same terms.
//  6. Starting opens the next attempt; the attempt is the fence. A live attempt
//     is lost by that.
//  7. A run keeps the gene version pinned at its first start.
//  8. The third attempt lost with its worker fails the run; attempts handed over
//     by a draining worker do not count.
//  9. Cancelling asks a live attempt and ends a run that has none; asking again
//     changes nothing; a finished run says so.
//  10. Only a digest makes way for people.
//  11. A run whose cancel was asked for is not started again.
//  12. Only the live attempt finishes its run, once, for a reason that fits.
//  13. Finished runs stay known.
//  14. Importing a history ends the runs that were open in it.
var (
	ErrExists       = domain.Rule(domain.Exists, "run_exists", "the run was requested already")
	ErrUnknown      = domain.Rule(domain.NotFound, "run_unknown", "there is no such run")
	ErrTrigger      = domain.Rule(domain.Invalid, "run_trigger", "this work is not started that way")
	ErrRequest      = domain.Rule(domain.Invalid, "run_request", "the request cannot be right")
	ErrDigestOpen   = domain.Rule(domain.Conflict, "digest_open", "a digest is open already")
	ErrDailyDone    = domain.Rule(domain.Conflict, "daily_done", "the daily search of this day was requested already")
	ErrNotEnded     = domain.Rule(domain.Conflict, "run_not_finished", "only a finished run can be repeated")
	ErrNoCap        = domain.Rule(domain.Conflict, "run_not_capped", "only a run that ended at a cap can be continued")
	ErrRepeated     = domain.Rule(domain.Conflict, "run_repeated", "the run is being repeated already")
	ErrNoGene       = domain.Rule(domain.Conflict, "gene_unknown", "the agent has no gene yet")
	ErrFinished     = domain.Rule(domain.Conflict, "run_finished", "the run has finished already")
	ErrStaleAttempt = domain.Rule(domain.Conflict, "stale_attempt", "this attempt is over")
	ErrCause        = domain.Rule(domain.Invalid, "run_cause", "the cause cannot be right")
	ErrReason       = domain.Rule(domain.Invalid, "run_reason", "a run cannot end like that")
)

// Why a run is asked to stop.
const (
	CancelPerson     = "person"
	CancelPeopleCame = "people_came"
)

// State is folded from the events of this kind.
type State struct {
	Runs   map[domain.ID]*Run
	Orders map[domain.ID]*OrderCard
	open   []*Run // in log order
	days   map[string]domain.ID
}

// Run is one piece of background work as the log knows it.
type Run struct {
	ID domain.ID
	Requested
	Requester   domain.Actor
	RequestedAt time.Time
	GeneVersion int       // pinned at the first start; 0 before
	Attempt     int       // the last started; 0 before the first
	Slot        uint64    // of the last started attempt
	StartedAt   time.Time // of the last started attempt
	Live        bool      // an attempt is open
	Lost        int       // attempts lost with their worker
	Cancel      string    // cause; "" while nobody asked
	Finished    *Finished
	FinishedAt  time.Time
	Seq         uint64 // of run.requested
}

// Open lists the runs that have not finished, in log order.
func (s State) Open() []*Run {
	return append([]*Run(nil), s.open...)
}

// Evolve applies one recorded event.
func Evolve(s State, r domain.Recorded) (State, error) {
	if s.Runs == nil {
		s = State{Runs: map[domain.ID]*Run{}, Orders: map[domain.ID]*OrderCard{}, days: map[string]domain.ID{}}
	}
	switch e := r.Event.(type) {
	case OrderProposed, OrderConfirmed, OrderDeclined, OrderExpired:
		return evolveOrder(s, r)
	case Requested:
		if _, known := s.Runs[e.Run]; known {
			return s, domain.Errorf(domain.Internal, "run: %s is requested again at %d", e.Run, r.Seq)
		}
		run := &Run{ID: e.Run, Requested: e, Requester: r.Actor, RequestedAt: r.Time, Seq: r.Seq}
		s.Runs[e.Run] = run
		s.open = append(s.open, run)
		if e.Day != "" {
			s.days[e.Day] = e.Run
		}
		return s, nil
	case Started:
		return s, s.change(e.Run, r, func(run *Run) {
			run.Attempt, run.Slot, run.StartedAt, run.Live = e.Attempt, e.Slot, r.Time, true
			run.GeneVersion = e.GeneVersion
		})
	case AttemptLost:
		return s, s.change(e.Run, r, func(run *Run) {
			run.Live = false
			if e.Cause == WorkerLost {
				run.Lost++
			}
		})
	case CancelRequested:
		return s, s.change(e.Run, r, func(run *Run) { run.Cancel = e.Cause })
	case Finished:
		err := s.change(e.Run, r, func(run *Run) {
			run.Live, run.Finished, run.FinishedAt = false, &e, r.Time
		})
		s.open = without(s.open, e.Run)
		return s, err
	}
	return s, domain.Errorf(domain.Internal, "run: unknown event %T at %d", r.Event, r.Seq)
}

func (s State) change(id domain.ID, r domain.Recorded, change func(*Run)) error {
	run, known := s.Runs[id]
	if !known || run.Finished != nil {
		return domain.Errorf(domain.Internal, "run: %T at %d does not fit the history of run %s", r.Event, r.Seq, id)
	}
	change(run)
	return nil
}

func without(open []*Run, id domain.ID) []*Run {
	kept := make([]*Run, 0, len(open))
	for _, run := range open {
		if run.ID != id {
			kept = append(kept, run)
		}
	}
	return kept
}

// find refuses with ErrUnknown, or with ErrFinished and how it finished.
func (s State) find(id domain.ID) (*Run, error) {
	run, known := s.Runs[id]
	switch {
	case !known:
		return nil, ErrUnknown
	case run.Finished != nil:
		return nil, ErrFinished.With(map[string]any{
			"run": id, "outcome": run.Finished.Outcome, "reason": run.Finished.Reason, "at": domain.Stamp(run.FinishedAt),
		}, "the run has finished already (%s)", run.Finished.Outcome)
	}
	return run, nil
}
