// Package turn owns the butler's answers: one turn at a time an agent, its
// attempts, and which messages it settled. It may import only domain and the
// run package's end reasons.
package turn

import (
	"slices"

	"sozai/domain"
	"sozai/domain/run"
)

// The rules:
//
//  1. Exactly one turn runs at a time.
//  2. A turn answers at least one message, in log order, and none that was
//     settled before.
//  3. A turn happens once; its id is not used again.
//  4. Resuming opens the next attempt with the same messages and gene version; a
//     live attempt is lost by that.
//  5. The third attempt lost with its worker ends the turn; attempts handed over
//     by a draining worker do not count.
//  6. Only the running turn can be stopped; asking again changes nothing, and a
//     late stop says that its turn is over.
//  7. A turn whose stop was asked for is not resumed.
//  8. Only the live attempt finishes its turn, once, for a known reason.
//  9. However a turn ends, every message up to its last one is settled.
//  10. Importing a history ends the turn that ran in it and settles, by a turn
//     that says nothing, what nobody had answered.
var (
	ErrRunning      = domain.Rule(domain.Conflict, "turn_running", "a turn is running")
	ErrOver         = domain.Rule(domain.Conflict, "turn_over", "the turn is over")
	ErrNothing      = domain.Rule(domain.Invalid, "turn_nothing", "there is nothing to answer")
	ErrSettled      = domain.Rule(domain.Conflict, "turn_settled", "the message was answered already")
	ErrStaleAttempt = domain.Rule(domain.Conflict, "stale_attempt", "this attempt is over")
	ErrCause        = domain.Rule(domain.Invalid, "turn_cause", "the cause cannot be right")
	ErrReason       = domain.Rule(domain.Invalid, "turn_reason", "a turn cannot end like that")
)

// Stopped is the end reason of a turn that a person stopped; the others are
// those of package run.
const Stopped = "stopped"

// State is folded from the events of this kind.
type State struct {
	Current *Turn                // nil while none runs
	Settled domain.ID            // the last settled message
	Ended   map[domain.ID]string // reason of every turn that ended
}

// Turn is the running answer.
type Turn struct {
	ID          domain.ID
	Attempt     int    // the last started, from 1
	Slot        uint64 // of that attempt
	Live        bool   // that attempt is open
	Lost        int    // attempts lost with their worker
	Messages    []domain.ID
	Upto        domain.ID
	GeneVersion int
	Stop        bool
}

// Running lists the messages that a turn is answering now.
func (s State) Running() []domain.ID {
	if s.Current == nil {
		return nil
	}
	return slices.Clone(s.Current.Messages)
}

// Start begins a turn with its first attempt. Attempt and Upto of t are filled in.
func (s State) Start(t Started) ([]domain.Decision, error) {
	if s.Current != nil {
		return nil, ErrRunning.With(map[string]any{"turn": s.Current.ID}, "a turn is running")
	}
	if t.Turn == "" {
		return nil, domain.Missing("turn")
	}
	if _, over := s.Ended[t.Turn]; over {
		return nil, ErrOver
	}
	switch {
	case len(t.Messages) == 0, slices.Contains(t.Messages, ""):
		return nil, ErrNothing
	case s.Settled != "" && slices.Contains(t.Messages, s.Settled):
		return nil, ErrSettled
	}
	t.Attempt, t.Upto = 1, t.Messages[len(t.Messages)-1]
	return []domain.Decision{t}, nil
}

// Resume begins the next attempt of the running turn for the worker that holds
// slot. The events tell what came of it: Started as the last one, or Finished if
// the turn ends here (third loss, or a stop that nobody was left to carry out).
func (s State) Resume(slot uint64) ([]domain.Decision, error) {
	t := s.Current
	if t == nil {
		return nil, ErrOver
	}
	var events []domain.Decision
	if t.Live {
		events = t.lose(run.WorkerLost)
		if len(events) > 1 {
			return events, nil
		}
	}
	return append(events, Started{
		Turn: t.ID, Attempt: t.Attempt + 1, Slot: slot,
		Messages: slices.Clone(t.Messages), Upto: t.Upto, GeneVersion: t.GeneVersion,
	}), nil
}

// RequestStop asks the running turn to stop. A live attempt finishes it; a turn
// without one ends at once.
func (s State) RequestStop(id domain.ID) ([]domain.Decision, error) {
	t := s.Current
	switch {
	case t == nil || t.ID != id:
		return nil, ErrOver
	case t.Stop:
		return nil, nil
	}
	events := []domain.Decision{StopRequested{Turn: id}}
	if !t.Live {
		events = append(events, t.ended(Stopped))
	}
	return events, nil
}

// Lose closes a live attempt whose worker is gone or drains (run.WorkerLost,
// run.HandedOver).
func (s State) Lose(id domain.ID, attempt int, cause string) ([]domain.Decision, error) {
	if cause != run.WorkerLost && cause != run.HandedOver {
		return nil, ErrCause.With(nil, "an attempt is not lost by %q", cause)
	}
	t, err := s.live(id, attempt)
	if err != nil {
		return nil, err
	}
	return t.lose(cause), nil
}

// Finish ends the turn on behalf of its live attempt. Upto is filled in.
func (s State) Finish(f Finished) ([]domain.Decision, error) {
	t, err := s.live(f.Turn, f.Attempt)
	if err != nil {
		return nil, err
	}
	switch {
	case f.Reason == Stopped && !t.Stop:
		return nil, ErrReason.With(nil, "nobody asked this turn to stop")
	case f.Reason != Stopped && !run.Reason(f.Reason).Known(), f.Reason == string(run.ReasonImported):
		return nil, ErrReason.With(nil, "a turn does not end by %q", f.Reason)
	case f.Cost < 0:
		return nil, ErrReason.With(nil, "a turn cannot cost %g yuan", f.Cost.Yuan())
	}
	f.Upto = t.Upto
	if f.Blocks == nil {
		f.Blocks = []Block{}
	}
	return []domain.Decision{f}, nil
}

// EndImported ends the turn of a history that was imported, if one ran, and
// settles the messages that then wait: open lists those behind the last settled
// one, as id and version name the turn that does. note is what the room reads.
func (s State) EndImported(open []domain.ID, id domain.ID, version int, note string) ([]domain.Decision, error) {
	var events []domain.Decision
	blocks := []Block{{Type: Note, Text: note}}
	if t := s.Current; t != nil {
		if t.Live {
			events = append(events, AttemptLost{Turn: t.ID, Attempt: t.Attempt, Cause: run.WorkerLost})
		}
		ended := t.ended(string(run.ReasonImported))
		ended.Blocks = blocks
		events = append(events, ended)
		// What it was answering is settled by its end.
		if i := slices.Index(open, t.Upto); i >= 0 {
			open = open[i+1:]
		}
		s.Current, s.Settled = nil, t.Upto
	}
	if len(open) == 0 {
		return events, nil
	}
	started, err := s.Start(Started{Turn: id, Messages: open, GeneVersion: version})
	if err != nil {
		return nil, err
	}
	return append(append(events, started...), Finished{
		Turn: id, Attempt: 1, Upto: open[len(open)-1], Reason: string(run.ReasonImported), Blocks: blocks,
	}), nil
}

// Evolve applies one recorded event.
func Evolve(s State, r domain.Recorded) (State, error) {
	misfit := func(id domain.ID) error {
		return domain.Errorf(domain.Internal, "turn: %T at %d does not fit the history of turn %s", r.Event, r.Seq, id)
	}
	running := func(id domain.ID) bool { return s.Current != nil && s.Current.ID == id }
	switch e := r.Event.(type) {
	case Started:
		t := &Turn{ID: e.Turn, Messages: e.Messages, Upto: e.Upto, GeneVersion: e.GeneVersion}
		switch {
		case e.Attempt > 1 && running(e.Turn):
			t = s.Current
		case s.Current != nil:
			return s, misfit(e.Turn)
		}
		t.Attempt, t.Slot, t.Live = e.Attempt, e.Slot, true
		s.Current = t
		return s, nil
	case AttemptLost:
		if !running(e.Turn) {
			return s, misfit(e.Turn)
		}
		s.Current.Live = false
		if e.Cause == run.WorkerLost {
			s.Current.Lost++
		}
		return s, nil
	case StopRequested:
		if !running(e.Turn) {
			return s, misfit(e.Turn)
		}
		s.Current.Stop = true
		return s, nil
	case Finished:
		if !running(e.Turn) {
			return s, misfit(e.Turn)
		}
		if s.Ended == nil {
			s.Ended = map[domain.ID]string{}
		}
		s.Ended[e.Turn], s.Settled, s.Current = e.Reason, e.Upto, nil
		return s, nil
	}
	return s, domain.Errorf(domain.Internal, "turn: unknown event %T at %d", r.Event, r.Seq)
}

// live refuses a turn that does not run, and every attempt but its live one.
func (s State) live(id domain.ID, attempt int) (*Turn, error) {
	t := s.Current
	switch {
	case t == nil || t.ID != id:
		return nil, ErrOver
	case !t.Live || t.Attempt != attempt:
		return nil, ErrStaleAttempt.With(map[string]any{"turn": id, "attempt": t.Attempt, "live": t.Live},
			"attempt %d is over", attempt)
	}
	return t, nil
}

func (t *Turn) lose(cause string) []domain.Decision {
	events := []domain.Decision{AttemptLost{Turn: t.ID, Attempt: t.Attempt, Cause: cause}}
	switch {
	case t.Stop:
		return append(events, t.ended(Stopped))
	case cause == run.WorkerLost && t.Lost+1 >= domain.MaxAttempts:
		return append(events, t.ended(string(run.ReasonWorkerLost)))
	}
	return events
}

// ended finishes the turn without a live attempt.
func (t *Turn) ended(reason string) Finished {
	return Finished{Turn: t.ID, Upto: t.Upto, Reason: reason, Blocks: []Block{}}
}
