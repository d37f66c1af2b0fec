package work

import (
	"context"
	"fmt"
	"slices"

	"sozai/agents/searcher"
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/streams"
)

// search works on one search run, whichever source it is for.
func (w *Workers) search(ctx context.Context, job *streams.Job) {
	id := domain.ID(job.ID)
	w.runJob(ctx, job, id, func(ctx context.Context, b begun) (run.Finished, error) {
		task := searcher.Task{
			Key: job.Key, Run: id, Attempt: b.attempt, Started: b.seq,
			Trigger: b.run.Requested.Trigger, Request: b.run.Requested.Request,
		}
		err := w.Log.View(ctx, job.Key, func(s *streams.State) error {
			task.Name, task.Brief, task.Sources = s.Agent.Name, s.Agent.Brief, slices.Clone(s.Agent.Sources)
			version, err := versionOf(s, b.run.GeneVersion)
			task.Gene = version
			return err
		})
		if err != nil {
			return run.Finished{}, err
		}
		return searcher.Run(ctx, searcher.Env{
			Log: w.Log, Library: w.Store, Fast: w.Fast, Competitor: w.Competitor, Hot: w.Hot,
			Model: w.Model, Worker: domain.Worker(w.Name), Errors: w.Logger,
		}, task)
	})
}

// versionOf is the gene as it was in a version.
func versionOf(s *streams.State, version int) (gene.Minted, error) {
	for _, m := range s.Gene.Versions {
		if m.Version == version {
			return m, nil
		}
	}
	return gene.Minted{}, fmt.Errorf("gene version %d is not in the log", version)
}
