package work

import (
	"context"

	"sozai/agents/planner"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/streams"
)

// board works on one board run.
func (w *Workers) board(ctx context.Context, job *streams.Job) {
	id := domain.ID(job.ID)
	w.runJob(ctx, job, id, func(ctx context.Context, b begun) (run.Finished, error) {
		return w.plan(ctx, job.Key, id, b)
	})
}

// plan lets the planner play an attempt of a board run.
func (w *Workers) plan(ctx context.Context, key domain.Key, id domain.ID, b begun) (run.Finished, error) {
	task := planner.Task{
		Key: key, Run: id, Attempt: b.attempt, Started: b.seq,
		Trigger: b.run.Requested.Trigger, Request: b.run.Requested.Request,
	}
	err := w.Log.View(ctx, key, func(s *streams.State) error {
		task.Name, task.Brief = s.Agent.Name, s.Agent.Brief
		version, err := versionOf(s, b.run.GeneVersion)
		task.Gene = version
		return err
	})
	if err != nil {
		return run.Finished{}, err
	}
	env := planner.Env{Log: w.Log, Library: w.Store, Model: w.Model, Worker: domain.Worker(w.Name), Errors: w.Logger}
	if w.Catalogue != nil {
		env.Analyzer = w.Catalogue.For(video.Who{Product: key.Product, Agent: key.Agent, Run: id, Attempt: b.attempt})
	}
	return planner.Run(ctx, env, task)
}
