// Package work turns the log into work and works on it: the dispatcher and the
// reconciler offer slots, workers take them under a fence, run an agent and
// append how it ended. One file a work kind.
//
// A worker owns a run or turn only as long as the log says that its attempt is
// the live one. A worker that lost it sends nothing any more: no event, no
// heartbeat, no ack.
//
// It may import domain, streams, projections and agents; no HTTP.
package work

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/agents"
	"sozai/agents/catalogue"
	"sozai/agents/renderer"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/projections"
	"sozai/streams"
)

// Workers runs the background of one process. All fields are required unless
// they say otherwise.
type Workers struct {
	Log    *streams.Log
	Queue  *streams.Queue
	Alive  *streams.Alive
	Timers *streams.Timers
	Live   *streams.Live
	Hub    *streams.Hub
	Store  *projections.Store

	Model     agents.Model
	Catalogue *catalogue.Catalogue
	Fast      source.Source
	// Competitor and Hot are nil where they are not configured.
	Competitor source.Competitor
	Hot        source.Hot
	Renderer   renderer.Renderer // nil: a film run ends as failed
	// Names gives people's display names, for the model's context.
	Names func(ctx context.Context, people []domain.ID) (map[domain.ID]string, error)

	// Name is unique a process; Deployment names the durable consumers;
	// Products are those served (none: all).
	Name       string
	Deployment string
	Products   []string
	// How many of each run at once, 0 = 1. They do not share, so a long run never
	// holds up an answer.
	Butlers  int
	Searches int
	Boards   int
	Films    int
	Analyses int
	// PlainDigest has digests ask the model once, without tools.
	PlainDigest bool

	Logger *slog.Logger

	here  people
	clock func() time.Time // nil: time.Now; tests set it
}

func (w *Workers) now() time.Time {
	if w.clock != nil {
		return w.clock().UTC()
	}
	return time.Now().UTC()
}

// reconcileEvery is how often lost slots are looked for.
const reconcileEvery = 10 * time.Second

// Run works until ctx ends, then hands over what is running and returns, within
// ten seconds.
func (w *Workers) Run(ctx context.Context) error {
	leave, err := w.here.watch(w.Live)
	if err != nil {
		return err
	}
	defer leave()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.dispatch(ctx) })
	group.Go(func() error { return w.reconcile(ctx) })
	group.Go(func() error { return w.wake(ctx) })
	for _, kind := range []struct {
		work   streams.Work
		atOnce int
		do     func(context.Context, *streams.Job)
	}{
		{streams.Butler, w.Butlers, w.butler},
		{streams.Search, w.Searches, w.search},
		{streams.Board, w.Boards, w.board},
		{streams.Film, w.Films, w.film},
		{streams.Analyze, w.Analyses, w.analyze},
	} {
		group.Go(func() error {
			return w.Queue.Consume(ctx, w.Deployment, kind.work, w.Products, kind.atOnce, w.safely(kind.do))
		})
	}
	err = group.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
