package source

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"sozai/agents/effect"
)

// Fast is the fast source of a run: the product's own catalogue and, if they are
// configured, the platforms behind TikHub. One name in events, since a video is
// the same material whichever of them shows it.
type Fast struct {
	local *Local
	tik   *TikHub
}

// NewFast routes between local and tik, which may be nil.
func NewFast(local *Local, tik *TikHub) *Fast { return &Fast{local, tik} }

// Name is the source's name in events.
func (f *Fast) Name() string { return f.local.Name() }

// Platforms are the catalogue, then the remote ones.
func (f *Fast) Platforms() []string { return slices.Concat(f.local.Platforms(), f.remote()) }

func (f *Fast) remote() []string {
	if f.tik == nil {
		return nil
	}
	return f.tik.Platforms()
}

// Search asks the platform named; "" is the catalogue if the product had one when
// the run first left the choice, else the first remote platform. A platform that
// is not configured is looked for in the catalogue, where imports name theirs.
func (f *Fast) Search(ctx context.Context, q Query) (Page, error) {
	if q.Platform == "" && f.tik != nil && q.Run != "" {
		platform, err := f.choose(ctx, q)
		if err != nil {
			return Page{}, err
		}
		q.Platform = platform
	}
	if slices.Contains(f.remote(), q.Platform) {
		return f.tik.Search(ctx, q)
	}
	return f.local.Search(ctx, q)
}

// choose is remembered, since the catalogue grows by what a run keeps, and page 2
// must follow page 1.
func (f *Fast) choose(ctx context.Context, q Query) (string, error) {
	d, _, err := once(ctx, f.tik.conf.Ledger, f.Name(), effect.Call{
		Key: "fast/choice/" + q.Product + "/" + string(q.Run), Kind: "fast",
		Product: q.Product, Agent: q.Agent, Run: q.Run, Attempt: q.Attempt,
	}, func(ctx context.Context) (effect.Done, error) {
		n, err := f.local.catalogue.Count(ctx, q.Product)
		if err != nil {
			return effect.Done{}, f.local.failed(ctx, err)
		}
		platform := localPlatform
		if n == 0 {
			platform = f.tik.Platforms()[0]
		}
		kept, err := json.Marshal(platform)
		return effect.Done{Answer: kept}, err
	})
	if err != nil {
		return "", err
	}
	var platform string
	if err := json.Unmarshal(d.Answer, &platform); err != nil {
		return "", fmt.Errorf("remembered choice of run %s: %w", q.Run, err)
	}
	return platform, nil
}

// Examine looks at a candidate where it was found.
func (f *Fast) Examine(ctx context.Context, who Who, c Candidate) (Candidate, error) {
	if f.tik != nil && c.Play != "" && c.Media.Hash == "" {
		return f.tik.Examine(ctx, who, c)
	}
	return f.local.Examine(ctx, who, c)
}

// Status is how the remote platforms are.
func (f *Fast) Status() []Status {
	if f.tik == nil {
		return nil
	}
	return f.tik.Status()
}
