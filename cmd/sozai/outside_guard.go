package main

import (
	"context"
	"errors"
	"time"

	"sozai/agents/renderer"
	"sozai/agents/source"
	"sozai/agents/video"
	"sozai/domain"
)

// guardedRenderer leaves a render service alone that fails again and again, and
// tells how it is.
type guardedRenderer struct {
	renderer.Renderer
	guard *source.Guard
}

// Render implements renderer.Renderer.
func (r *guardedRenderer) Render(ctx context.Context, job renderer.Job, progress func(done, total int)) (renderer.Result, error) {
	return guarded(ctx, r.guard, func(ctx context.Context) (renderer.Result, domain.Money, error) {
		result, err := r.Renderer.Render(ctx, job, progress)
		return result, result.Cost, err
	})
}

// guardedAnalyser does the same for a video worker.
type guardedAnalyser struct {
	video.Analyser
	guard *source.Guard
}

// Analyse implements video.Analyser.
func (a *guardedAnalyser) Analyse(ctx context.Context, ref video.Ref) (video.Analysis, error) {
	return guarded(ctx, a.guard, func(ctx context.Context) (video.Analysis, domain.Money, error) {
		analysis, err := a.Analyser.Analyse(ctx, ref)
		return analysis, analysis.Cost, err
	})
}

// guarded asks a service through its guard. A refusal of the guard itself is
// domain.Unavailable, like that of a service that is down.
func guarded[T any](ctx context.Context, guard *source.Guard, ask func(ctx context.Context) (T, domain.Money, error)) (result T, err error) {
	asked := false
	refusal := guard.Do(ctx, func(ctx context.Context) (cost domain.Money, _ error) {
		asked = true
		result, cost, err = ask(ctx)
		return cost, failing(guard.Status().Name, err)
	})
	if asked || refusal == nil {
		return result, err
	}
	var refused *source.Error
	if !errors.As(refusal, &refused) {
		return result, refusal
	}
	return result, &domain.Error{
		Code: domain.Unavailable, Reason: "service_away", Message: refused.Message, RetryAfter: int(refused.RetryAfter.Seconds()),
	}
}

// failing is an error as a guard takes it; nil for what is no fault of the
// service: a job that cannot be done.
func failing(name string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	failed := &source.Error{Source: name, Kind: source.Down, Message: "it did not do its work", Err: err}
	var said *domain.Error
	if errors.As(err, &said) {
		failed.Message, failed.RetryAfter = said.Message, time.Duration(said.RetryAfter)*time.Second
	}
	switch domain.CodeOf(err) {
	case domain.TooMany:
		failed.Kind = source.Throttled
	case domain.Unavailable, domain.Internal:
	default:
		return nil
	}
	return failed
}
