package work

import (
	"context"
	"errors"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/run"
	"sozai/streams"
)

// dailyTimer is the name of an agent's timer for its next daily search.
const dailyTimer = "daily"

// daily requests the daily search if it is due, then sets the timer for the
// next; without a schedule it takes the timer back. The day is decided by the
// clock in the schedule's zone, and the domain refuses a second search of a day:
// a timer that comes twice, early or late changes nothing. The timer of the next
// day is set only after this day's was decided, so one that stands says that
// nothing was missed.
func (w *Workers) daily(ctx context.Context, key domain.Key) error {
	var state agent.State
	err := w.Log.View(ctx, key, func(s *streams.State) error {
		state = s.Agent
		return nil
	})
	if err != nil {
		return gone(err)
	}
	zone, err := time.LoadLocation(state.Zone)
	if err != nil {
		// It was known where it was set; here it will not be known the next second either.
		w.Logger.Error("daily search", "agent", key.Agent, "error", err)
		return nil
	}
	day, next := state.DailySearch(w.now(), zone)
	if day != "" {
		_, err := w.Log.Decide(ctx, key, streams.Command{ID: dailyTimer + "/" + day, Actor: domain.System("timers")},
			func(s *streams.State, now time.Time) ([]domain.Decision, error) {
				if s.Agent.Archived || !s.Agent.Daily {
					return nil, nil
				}
				return s.Run.Request(run.Requested{Run: w.Log.NewID(), Work: run.Search, Trigger: run.Daily, Day: day}, now)
			})
		if err != nil && !errors.Is(err, run.ErrDailyDone) {
			return err
		}
	}
	if next.IsZero() {
		return w.Timers.Disarm(ctx, key, dailyTimer)
	}
	return w.Timers.Arm(ctx, key, dailyTimer, next)
}
