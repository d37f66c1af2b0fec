package web

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"sozai/domain"
	"sozai/projections"
)

// everything stands for all projections in the address of a rebuild.
const everything = "all"

// beginsWithin is how long a rebuild has to be refused before its request is
// answered.
const beginsWithin = time.Second

var errStillParked = domain.Rule(domain.Conflict, "still_parked", "the event still cannot be applied")

// rebuild starts a rebuild in this process; it goes on after the request, and
// after a restart when it is asked for again.
func (s *Server) rebuild(ctx context.Context, _ *request, in *struct {
	Name string `path:"projection" doc:"A projection, or all"`
}) (none, error) {
	names, err := rebuildNames(in.Name)
	if err != nil {
		return none{}, err
	}
	if !s.rooms.begin() {
		return none{}, errBusy
	}
	began, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		defer s.rooms.running.Done()
		err := s.runner.Rebuild(s.ctx, names, func(projections.RebuildProgress) {
			select {
			case began <- struct{}{}:
			default:
			}
		})
		ended <- err
		if err != nil && s.ctx.Err() == nil && !errors.Is(err, projections.ErrBuildCancelled) {
			s.deps.Logger.LogAttrs(s.ctx, slog.LevelWarn, "rebuild", slog.String("projection", in.Name), slog.Any("error", err))
		}
	}()
	wait := time.NewTimer(beginsWithin)
	defer wait.Stop()
	select {
	case err = <-ended:
	case <-began:
	case <-wait.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	var poison *projections.PoisonError
	if errors.As(err, &poison) || errors.Is(err, projections.ErrBuildCancelled) {
		err = nil // it began; the list of builds says how it ended
	}
	return none{}, err
}

func rebuildNames(name string) ([]string, error) {
	if name == everything {
		return nil, nil
	}
	for _, p := range projections.All() {
		if p.Name == name {
			return []string{name}, nil
		}
	}
	return nil, domain.Errorf(domain.NotFound, "there is no projection %q", name)
}

// cancelRebuild stops what is being built of a projection, in whichever process,
// and drops it.
func (s *Server) cancelRebuild(ctx context.Context, _ *request, in *struct {
	Name string `path:"projection" doc:"A projection, or all"`
}) (none, error) {
	names, err := rebuildNames(in.Name)
	if err != nil {
		return none{}, err
	}
	if names != nil {
		return none{}, s.deps.Store.CancelBuild(ctx, in.Name)
	}
	cancelled := false
	for _, p := range projections.All() {
		err := s.deps.Store.CancelBuild(ctx, p.Name)
		if err != nil && !errors.Is(err, projections.ErrNoBuild) {
			return none{}, err
		}
		cancelled = cancelled || err == nil
	}
	if !cancelled {
		return none{}, projections.ErrNoBuild
	}
	return none{}, nil
}

// retryParked replays an agent's waiting events in one projection.
func (s *Server) retryParked(ctx context.Context, _ *request, in *struct {
	Body struct {
		Projection string    `json:"projection"`
		Product    string    `json:"product"`
		Agent      domain.ID `json:"agent"`
	}
}) (none, error) {
	b := in.Body
	err := s.runner.Retry(ctx, b.Projection, domain.Key{Product: b.Product, Agent: b.Agent})
	var poison *projections.PoisonError
	if errors.As(err, &poison) {
		return none{}, errStillParked.With(map[string]any{
			"projection": poison.Projection, "seq": poison.Seq, "event": poison.Event, "type": poison.Type,
		}, "%s", poison.Error())
	}
	return none{}, err
}
