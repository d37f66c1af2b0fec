package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// PositionCheck tells whether a projection stands at the log's end, and whether
// its rows are true of this log.
type PositionCheck struct {
	Projection string `json:"projection"`
	Version    int    `json:"version"`
	Generation int    `json:"generation"`
	Status     string `json:"status"` // as in Status
	Error      string `json:"error,omitempty"`
	Parked     int    `json:"parked"` // agents parked
	Seq        uint64 `json:"seq"`    // where it stands
	End        uint64 `json:"end"`    // where the log ended when the check began
	AtEnd      bool   `json:"at_end"`
	Identity   bool   `json:"identity"`          // of this stream, and by this event
	Problem    string `json:"problem,omitempty"` // what is wrong and what helps; "": nothing
}

// OK reports whether nothing is wrong.
func (c PositionCheck) OK() bool { return c.Problem == "" }

// Positions checks every projection of this version: whether it has come to where
// the log ended when it was asked (a runner gets WaitLimit for that), and whether
// stream and event of its position are the log's.
func (r *Runner) Positions(ctx context.Context) ([]PositionCheck, error) {
	end, err := r.log.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("end of the log: %w", err)
	}
	var refused *domain.Error
	if err := r.store.Wait(ctx, end); err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	list, err := r.store.Status(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]PositionCheck, len(list))
	for i, st := range list {
		c := PositionCheck{
			Projection: st.Name, Version: st.Version, Generation: st.Generation, Status: st.Status, Error: st.Error,
			Parked: st.Parked, Seq: st.Position, End: end, AtEnd: st.Position >= end,
		}
		diverged, err := r.positionError(ctx, r.store.list[i], end)
		if err != nil {
			return nil, err
		}
		c.Identity = diverged == ""
		c.Problem = c.problem(diverged)
		out[i] = c
	}
	return out, nil
}

// positionError says why a position cannot be true of the log, "" if it can.
func (r *Runner) positionError(ctx context.Context, p Projection, end uint64) (string, error) {
	c, err := r.store.control(ctx, p)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	err = c.check(ctx, r.log, end)
	var diverged *divergedError
	if errors.As(err, &diverged) {
		return diverged.Error(), nil
	}
	return "", err
}

// problem says what is wrong first and what helps.
func (c PositionCheck) problem(diverged string) string {
	switch {
	case diverged != "":
		return diverged + "; run `sozai rebuild " + c.Projection + "`"
	case c.Status == "building":
		return fmt.Sprintf("it is being built and stands at %d of %d; start `sozai serve` or run `sozai rebuild %s`", c.Seq, c.End, c.Projection)
	case c.Status != statusRunning:
		return "it has stopped: " + c.Error
	case c.Parked > 0:
		return fmt.Sprintf("%d agents are parked: their later events wait for a retry", c.Parked)
	case !c.AtEnd:
		return fmt.Sprintf("it stands at %d, the log ends at %d; is a projector running?", c.Seq, c.End)
	}
	return ""
}
