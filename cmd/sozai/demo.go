package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sozai/agents/catalogue"
	"sozai/agents/demo"
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/run"
	"sozai/handlers/access"
	"sozai/streams"
)

// demoAgent is the demo agent's fixed id, so that an interrupted first start
// goes on where it stopped instead of making a second one.
const demoAgent domain.ID = "01KBDEM0000000000000000001"

// makeDemo makes the demo product on a first start with an empty library: clips,
// an agent, and its first search. It does nothing once any other product exists.
func makeDemo(ctx context.Context, p *process, data string, log *streams.Log, accounts *access.Store, cat *catalogue.Catalogue) error {
	key := domain.Key{Product: demo.Product, Agent: demoAgent}
	err := log.View(ctx, key, func(*streams.State) error { return nil })
	if err == nil {
		return nil
	}
	if !errors.Is(err, streams.ErrNoAgent) {
		return stopped(ctx, err)
	}
	products, err := accounts.Products(ctx, access.Caller{Admin: true})
	if err != nil {
		return stopped(ctx, err)
	}
	for _, product := range products {
		if product.ID != demo.Product {
			return nil
		}
	}
	fmt.Fprintln(p.stdout, "First start: making a demo product with an agent and generated clips …")
	if err := fillDemo(ctx, data, accounts, cat); err != nil {
		// The workshop is useful without its demo; the next start tries again.
		if ctx.Err() == nil {
			fmt.Fprintf(p.stderr, "sozai: the demo product is not complete (%v); the next start goes on with it\n", err)
		}
		return nil
	}
	profile := demo.Agent()
	_, err = log.Decide(ctx, key, streams.Command{ID: "demo/create", Actor: domain.System("demo")},
		func(s *streams.State, now time.Time) ([]domain.Decision, error) {
			created, err := s.Agent.Create(agent.Created{Name: profile.Name, Brief: profile.Brief, Creator: "demo", Sources: []string{"fast"}})
			if err != nil {
				return nil, err
			}
			minted, err := s.Gene.Create(profile.Search, profile.Steer, domain.Constraints{MaxFilmSeconds: 30, Aspect: "9:16"})
			if err != nil {
				return nil, err
			}
			first, err := s.Run.Request(run.Requested{Run: log.NewID(), Work: run.Search, Trigger: run.First}, now)
			return append(append(created, minted...), first...), err
		})
	if err != nil {
		return stopped(ctx, err)
	}
	fmt.Fprintf(p.stdout, "The demo agent %s is ready; its first search runs now.\n", profile.Name)
	return nil
}

func fillDemo(ctx context.Context, data string, accounts *access.Store, cat *catalogue.Catalogue) error {
	err := accounts.CreateProduct(ctx, access.Product{ID: demo.Product, Name: "演示产品 · Demo"}, "")
	if err != nil && domain.CodeOf(err) != domain.Exists {
		return err
	}
	dir := filepath.Join(data, "demo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	clips, err := demo.Generate(ctx, dir, nil)
	if err != nil {
		return err
	}
	for _, clip := range clips {
		if err := importClip(ctx, cat, clip); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir) // the catalogue has its own copies
}

func importClip(ctx context.Context, cat *catalogue.Catalogue, clip demo.Clip) error {
	file, err := os.Open(clip.Path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, err = cat.Import(ctx, demo.Product, clip.Item, file)
	return err
}

// stopped hides errors of a shutdown.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
