package run

import "sozai/domain"

// Start begins the next attempt for the worker that holds slot. currentVersion
// is the gene's; it is pinned if this is the first attempt and the request named
// none. The events tell what came of it: Started as the last one, or Finished if
// the run ends here (third loss, or a cancel that nobody was left to carry out).
func (s State) Start(id domain.ID, slot uint64, currentVersion int) ([]domain.Decision, error) {
	run, err := s.find(id)
	if err != nil {
		return nil, err
	}
	if run.Live {
		events := run.lose(WorkerLost)
		if len(events) > 1 {
			return events, nil
		}
		return append(events, run.start(slot, run.GeneVersion)), nil
	}
	if run.Cancel != "" {
		return []domain.Decision{run.cancelled()}, nil
	}
	version := run.GeneVersion
	if version == 0 {
		version = run.Requested.GeneVersion
	}
	if version == 0 {
		version = currentVersion
	}
	if version == 0 {
		return nil, ErrNoGene
	}
	return []domain.Decision{run.start(slot, version)}, nil
}

// Lose closes a live attempt whose worker is gone (WorkerLost) or drains
// (HandedOver). The run ends with it if it was the third lost, or if a cancel
// had been asked for.
func (s State) Lose(id domain.ID, attempt int, cause string) ([]domain.Decision, error) {
	if cause != WorkerLost && cause != HandedOver {
		return nil, ErrCause.With(nil, "an attempt is not lost by %q", cause)
	}
	run, err := s.live(id, attempt)
	if err != nil {
		return nil, err
	}
	return run.lose(cause), nil
}

// RequestCancel asks a run to stop. A live attempt finishes it as cancelled; a
// run without one ends at once.
func (s State) RequestCancel(id domain.ID, cause string) ([]domain.Decision, error) {
	run, err := s.find(id)
	if err != nil {
		return nil, err
	}
	switch {
	case cause != CancelPerson && cause != CancelPeopleCame,
		cause == CancelPeopleCame && run.Work != Digest:
		return nil, ErrCause.With(nil, "a %s is not cancelled by %q", run.Work, cause)
	case run.Cancel != "":
		return nil, nil
	}
	asked := CancelRequested{Run: id, Cause: cause}
	if run.Live {
		return []domain.Decision{asked}, nil
	}
	ending := *run
	ending.Cancel = cause
	return []domain.Decision{asked, ending.cancelled()}, nil
}

// Finish ends a run on behalf of its live attempt. Summary is cut to what can be
// stored rather than refused: a worker has nowhere else to go.
func (s State) Finish(f Finished) ([]domain.Decision, error) {
	run, err := s.live(f.Run, f.Attempt)
	if err != nil {
		return nil, err
	}
	if !f.Outcome.fits(f.Reason) {
		return nil, ErrReason.With(nil, "a run does not end as %s by %s", f.Outcome, f.Reason)
	}
	if f.Outcome == Cancelled && reasonOf(run.Cancel) != f.Reason {
		return nil, ErrReason.With(nil, "nobody asked this run to end by %s", f.Reason)
	}
	if f.Cost < 0 {
		return nil, ErrReason.With(nil, "a run cannot cost %g yuan", f.Cost.Yuan())
	}
	for _, product := range f.Products {
		if err := product.Check(); err != nil {
			return nil, err
		}
	}
	f.Summary = domain.Clip(f.Summary, domain.MaxMessageRunes)
	return []domain.Decision{f}, nil
}

// EndImported ends every open run of a history that was imported: its workers
// are elsewhere, and history starts no work. A retry is a person's to ask for.
func (s State) EndImported() []domain.Decision {
	var events []domain.Decision
	for _, run := range s.open {
		if run.Live {
			events = append(events, AttemptLost{Run: run.ID, Attempt: run.Attempt, Cause: WorkerLost})
		}
		events = append(events, Finished{Run: run.ID, Outcome: Cancelled, Reason: ReasonImported})
	}
	return events
}

// live refuses everything but the run's live attempt: with ErrFinished for the
// one that finished it, with ErrStaleAttempt for any other.
func (s State) live(id domain.ID, attempt int) (*Run, error) {
	run, known := s.Runs[id]
	if !known {
		return nil, ErrUnknown
	}
	stale := attempt != run.Attempt || !run.Live && run.Finished == nil
	if run.Finished != nil && run.Finished.Attempt != attempt {
		stale = true
	}
	if stale {
		return nil, ErrStaleAttempt.With(map[string]any{"run": id, "attempt": run.Attempt, "live": run.Live},
			"attempt %d is over", attempt)
	}
	return s.find(id)
}

func (r *Run) start(slot uint64, version int) Started {
	return Started{Run: r.ID, Attempt: r.Attempt + 1, Slot: slot, GeneVersion: version}
}

func (r *Run) lose(cause string) []domain.Decision {
	events := []domain.Decision{AttemptLost{Run: r.ID, Attempt: r.Attempt, Cause: cause}}
	switch {
	case r.Cancel != "":
		return append(events, r.cancelled())
	case cause == WorkerLost && r.Lost+1 >= domain.MaxAttempts:
		return append(events, Finished{Run: r.ID, Outcome: Failed, Reason: ReasonWorkerLost})
	}
	return events
}

func (r *Run) cancelled() Finished {
	return Finished{Run: r.ID, Outcome: Cancelled, Reason: reasonOf(r.Cancel)}
}

func reasonOf(cancel string) Reason {
	switch cancel {
	case CancelPerson:
		return ReasonCancelled
	case CancelPeopleCame:
		return ReasonPeopleCame
	}
	return ""
}

// Capped says that the run stopped at a cap and could go on with more.
func (r Reason) Capped() bool {
	return r == ReasonRounds || r == ReasonTokens || r == ReasonCost || r == ReasonTime
}

// Known says that the reason is one of the fixed list.
func (r Reason) Known() bool {
	switch r {
	case ReasonFinished, ReasonRounds, ReasonTokens, ReasonCost, ReasonTime, ReasonStuck, ReasonModel,
		ReasonSource, ReasonInput, ReasonWorkerLost, ReasonCancelled, ReasonPeopleCame, ReasonInternal, ReasonImported:
		return true
	}
	return false
}

// fits tells which reasons an attempt may give for an outcome. Work that ended
// at a cap, stuck, or by a failing source or model may still have been done in
// part; what was never understood or is a defect has failed. WorkerLost and
// Imported are not for an attempt to say.
func (o Outcome) fits(r Reason) bool {
	switch r {
	case ReasonFinished:
		return o == Done
	case ReasonRounds, ReasonTokens, ReasonCost, ReasonTime, ReasonStuck, ReasonModel, ReasonSource:
		return o == Done || o == Failed
	case ReasonInput, ReasonInternal:
		return o == Failed
	case ReasonCancelled, ReasonPeopleCame:
		return o == Cancelled
	}
	return false
}
