package projections

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	watchInterval = 500 * time.Millisecond // look for stopped projections that may go on
	checkInterval = 5 * time.Second        // look whether the log is still the same
	sweepInterval = time.Minute
)

// watch ends the session when a stopped projection may go on or the log was put
// in place of another, says that this version is in use, and drops what nobody
// needs any more.
func (s *session) watch(ctx context.Context, restart context.CancelCauseFunc) {
	look, check, sweep := time.NewTicker(watchInterval), time.NewTicker(checkInterval), time.NewTicker(sweepInterval)
	defer look.Stop()
	defer check.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			if err := errors.Join(s.store.touch(ctx), s.store.sweep(ctx, grace)); err != nil && ctx.Err() == nil {
				s.logger.Warn("projections: sweep", "error", err)
			}
		case <-check.C:
			if s.replaced(ctx) {
				restart(errRestart)
				return
			}
		case <-look.C:
			if s.mayGoOn(ctx) {
				restart(errRestart)
				return
			}
		}
	}
}

// replaced reports whether what was applied last is not in the log any more: a
// reader of such a log would wait for ever for the next event.
func (s *session) replaced(ctx context.Context) bool {
	s.turn.Lock()
	at := stamp(s.log.Identity())
	at.seq, at.event = s.cursor, s.event
	s.turn.Unlock()
	if at.event == "" {
		return false
	}
	last, err := s.log.Last(ctx)
	if err != nil {
		return false
	}
	var diverged *divergedError
	return errors.As(at.check(ctx, s.log, last), &diverged)
}

// mayGoOn reports whether a stopped projection should be tried again: it failed a
// while ago, or a rebuild has given it another generation.
func (s *session) mayGoOn(ctx context.Context) bool {
	for _, st := range s.states {
		st.mu.Lock()
		stopped, since, generation := st.stopped, st.since, st.generation
		st.mu.Unlock()
		if stopped == nil {
			continue
		}
		if stopReason(stopped) == statusFailed && time.Since(since) > failedPause {
			return true
		}
		var serving int
		err := s.store.pool.QueryRow(ctx, `SELECT generation FROM control.projections WHERE projection = $1 AND version = $2`,
			st.Name, st.Version).Scan(&serving)
		if err == nil && serving != generation {
			return true
		}
	}
	return false
}

// touch says that runners of this version exist.
func (s *Store) touch(ctx context.Context) error {
	for _, p := range s.list {
		if _, err := s.pool.Exec(ctx, `UPDATE control.projections SET seen_at = now() WHERE projection = $1 AND version = $2`,
			p.Name, p.Version); err != nil {
			return fmt.Errorf("touch %s: %w", p.Name, err)
		}
	}
	return nil
}
