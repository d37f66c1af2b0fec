package run

import (
	"time"

	"sozai/domain"
)

// Limits of one request.
const (
	MaxCites  = 50
	MaxTarget = 200
)

// Request asks for background work. Trigger Order is refused: ConfirmOrder
// requests those.
func (s State) Request(r Requested, now time.Time) ([]domain.Decision, error) {
	if r.Trigger == Order || r.Order != "" {
		return nil, ErrTrigger.With(nil, "an order is confirmed, not requested")
	}
	r, err := s.request(r)
	if err != nil {
		return nil, err
	}
	return []domain.Decision{r}, nil
}

// request checks r and completes what follows from the state: the request of
// the run that it repeats.
func (s State) request(r Requested) (Requested, error) {
	if r.Run == "" {
		return r, domain.Missing("run")
	}
	if _, known := s.Runs[r.Run]; known {
		return r, ErrExists
	}
	if !r.Trigger.starts(r.Work) {
		return r, ErrTrigger.With(nil, "%q does not start %q", r.Trigger, r.Work)
	}
	if r.GeneVersion < 0 {
		return r, ErrRequest.With(nil, "there is no gene version %d", r.GeneVersion)
	}
	if err := s.checkOrigin(r); err != nil {
		return r, err
	}
	if old := s.Runs[r.RetryOf+r.Continues]; old != nil {
		r.Request = old.Request
	}
	return r, r.Request.check(r.Work)
}

// checkOrigin checks what each trigger names, and that nothing names more.
func (s State) checkOrigin(r Requested) error {
	named := func(t Trigger, field string) error {
		if (r.Trigger == t) != (field != "") {
			return ErrTrigger.With(nil, "trigger %q does not fit the origin that is named", r.Trigger)
		}
		return nil
	}
	for t, field := range map[Trigger]string{
		Order: string(r.Order), GeneCheck: string(r.Card), Retry: string(r.RetryOf),
		Budget: string(r.Continues), Daily: r.Day,
	} {
		if err := named(t, field); err != nil {
			return err
		}
	}
	switch r.Trigger {
	case Retry, Budget:
		if err := s.checkRepeat(r); err != nil {
			return err
		}
	case Daily:
		if _, err := time.Parse(time.DateOnly, r.Day); err != nil {
			return ErrRequest.With(nil, "%q is no day", r.Day)
		}
		if done, known := s.days[r.Day]; known {
			return ErrDailyDone.With(map[string]any{"run": done, "day": r.Day}, "the search of %s was requested already", r.Day)
		}
	}
	if r.Work == Digest {
		for _, run := range s.open {
			if run.Work == Digest {
				return ErrDigestOpen.With(map[string]any{"run": run.ID}, "a digest is open already")
			}
		}
	}
	return nil
}

func (s State) checkRepeat(r Requested) error {
	old, known := s.Runs[r.RetryOf+r.Continues]
	switch {
	case !known:
		return ErrUnknown
	case old.Finished == nil:
		return ErrNotEnded.With(map[string]any{"run": old.ID}, "the run has not finished yet")
	case old.Work != r.Work:
		return ErrRequest.With(nil, "a %s is not repeated by a %s", old.Work, r.Work)
	case r.Trigger == Budget && !old.Finished.Reason.Capped():
		return ErrNoCap.With(map[string]any{"run": old.ID, "reason": old.Finished.Reason},
			"the run ended by %s, more budget would not help", old.Finished.Reason)
	}
	for _, run := range s.open {
		if run.RetryOf+run.Continues == old.ID {
			return ErrRepeated.With(map[string]any{"run": run.ID}, "the run is being repeated already")
		}
	}
	return nil
}

// starts is the table of which trigger starts which work.
func (t Trigger) starts(w Work) bool {
	switch w {
	case Digest:
		return t == Hand || t == Threshold || t == Retry || t == Budget
	case Search:
		return t == First || t == Hand || t == Order || t == Daily || t == GeneCheck || t == Retry || t == Budget
	case Board, Film:
		return t == Hand || t == Order || t == Retry || t == Budget
	case Analyze:
		return t == Hand || t == Retry || t == Budget
	}
	return false
}

func (q Request) check(w Work) error {
	for field, text := range map[string]string{"what": q.What, "why": q.Why} {
		if err := domain.CheckText(field, text, domain.MaxMessageRunes); err != nil {
			return err
		}
	}
	if err := domain.CheckText("mode", q.Mode, domain.MaxNameRunes); err != nil {
		return err
	}
	switch {
	case q.Source == "":
	case !domain.IsSource(q.Source):
		return ErrRequest.With(nil, "%q is no source", q.Source)
	case w != Search:
		return ErrRequest.With(nil, "only a search has a source")
	}
	if q.Target < 0 || q.Target > MaxTarget {
		return ErrRequest.With(nil, "a target of %d is not between 0 and %d", q.Target, MaxTarget)
	}
	if q.CostHint < 0 {
		return ErrRequest.With(nil, "an expected cost cannot be below nothing")
	}
	if w == Film && !q.hasBoard() {
		return ErrRequest.With(nil, "a film needs a board")
	}
	return domain.CheckRefs(q.Cites, MaxCites)
}

func (q Request) hasBoard() bool {
	for _, cite := range q.Cites {
		if cite.Type == domain.Board {
			return true
		}
	}
	return q.Board != ""
}
