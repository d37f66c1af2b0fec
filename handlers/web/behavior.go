package web

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sozai/domain"
	"sozai/domain/behavior"
)

// beaconLimit is what a browser's sendBeacon accepts.
const beaconLimit = 64 << 10

type beacon struct {
	// Beacon is a fresh ULID; it makes repeats harmless, as sendBeacon can set no
	// header.
	Beacon       string        `json:"beacon"`
	Observations []observation `json:"observations"`
}

type observation struct {
	ID     string        `json:"id"`
	Type   behavior.Type `json:"type"`
	Object domain.Ref    `json:"object"`
	At     time.Time     `json:"at"`
}

type observed struct {
	Seq      uint64           `json:"seq,omitempty"`
	Recorded int              `json:"recorded"`
	Refused  []refusedGlimpse `json:"refused"`
}

type refusedGlimpse struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// observe stamps each observation with the run and gene version that made its
// object. What is not this agent's is refused, named in the answer and counted.
func (s *Server) observe(c *fiber.Ctx, r *request) error {
	data, err := io.ReadAll(newUploadReader(c, beaconLimit))
	if err != nil {
		return uploadError(err)
	}
	var b beacon
	if err := decode(data, &b); err != nil {
		return domain.Errorf(domain.Invalid, "the beacon is not JSON of the right form")
	}
	now := time.Now()
	cmd, err := command(b.Beacon, r.caller, r.c.Path(), now)
	if err != nil {
		return domain.Rule(domain.Invalid, "beacon", "the beacon needs a fresh ULID as its id")
	}
	if n := len(b.Observations); n > domain.MaxObservations {
		return behavior.ErrFull.With(nil, "%d observations, at most %d are allowed", n, domain.MaxObservations)
	}
	if err := s.active(r.ctx, r); err != nil {
		return err
	}
	refs := make([]domain.Ref, len(b.Observations))
	for i, o := range b.Observations {
		refs[i] = bare(o.Object)
	}
	known, err := s.deps.Store.Objects(r.ctx, r.key, refs)
	if err != nil {
		return err
	}
	out := observed{Refused: []refusedGlimpse{}}
	event := behavior.Observed{Beacon: domain.ID(strings.ToUpper(b.Beacon))}
	for i, o := range b.Observations {
		object, ok := known[refs[i]]
		if !ok {
			out.Refused = append(out.Refused, refusedGlimpse{ID: o.ID, Reason: errForeign.Reason})
			continue
		}
		id, err := domain.ParseID(o.ID)
		if err != nil {
			out.Refused = append(out.Refused, refusedGlimpse{ID: o.ID, Reason: "bad_id"})
			continue
		}
		event.Observations = append(event.Observations, behavior.Observation{
			ID: id, Type: o.Type, Object: o.Object, Run: object.Run, GeneVersion: object.GeneVersion,
			At: seenAt(o.At, now),
		})
	}
	s.refusals.add("observation", len(out.Refused))
	if len(event.Observations) > 0 {
		if err := event.Check(cmd.Actor); err != nil {
			return err
		}
		events, err := s.deps.Log.Record(r.ctx, r.key, cmd, event)
		if err != nil {
			return err
		}
		out.Seq, out.Recorded = events[0].Seq, len(event.Observations)
	}
	return c.JSON(out)
}

// seenAt distrusts the sender's clock: a time ahead of ours, or one that no page
// stays open for, becomes now.
func seenAt(t, now time.Time) time.Time {
	if t.After(now) || now.Sub(t) > domain.CommandLifetime {
		t = now
	}
	return t.UTC()
}

// uploadError tells an upload that is too large from one that broke off.
func uploadError(err error) error {
	var e *domain.Error
	if errors.As(err, &e) {
		return err
	}
	return domain.Rule(domain.Invalid, "upload_broken", "the request's body broke off or is malformed")
}
