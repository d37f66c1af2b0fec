package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sozai/agents"
	"sozai/domain"
)

const (
	searchCostName  = "search of 30 rounds, uncached"
	firstCostName   = "search of 30 rounds, uncached, the first"
	searchShareName = "search of 30 rounds, read from the cache"
	coldWritesName  = "search of 30 rounds, cold writes of four"
)

const (
	brainModel  = "claude-sonnet-4-6"
	brainRounds = 30
	answerTime  = 12 * time.Second // of a request and the calls that follow it
)

// brains plays the searcher, with its own constitution, tools and loop, over the
// wire at a contract server that counts a prompt cache by the vendor's rules; the
// words of the model are scripted. An agent's four searches follow one another
// within minutes: its first, one by hand, one with a new gene, and one whose
// context is folded. The limit is the same search with no breakpoint sent.
// Everything is counted, nothing measured, so that one round is enough.
func brains(ctx context.Context, b *bench) error {
	p, _, err := b.openLog(ctx)
	if err != nil {
		return err
	}
	s := &series{log: p.log, key: domain.Key{Product: product, Agent: newID()}, now: time.Now(), words: newLife(7, time.Now())}
	if err := s.populate(ctx); err != nil {
		return err
	}
	s.serve(b)
	young := s.gene
	var played []search
	for _, c := range []struct {
		edit bool
		fold agents.Caps
	}{{}, {}, {edit: true}, {fold: agents.Caps{FoldAt: 22_000, FoldTo: 16_000}}} {
		if c.edit {
			if err := s.edit(ctx); err != nil {
				return err
			}
		}
		one, err := s.play(ctx, s.model, c.fold)
		if err != nil {
			return err
		}
		played = append(played, one)
		s.now = s.now.Add(time.Minute)
	}
	first, hand := played[0], played[1]
	s.serve(b)
	s.gene = young
	bare, err := s.play(ctx, unmarked{s.model}, agents.Caps{Tokens: 10_000_000, Cost: -1})
	if err != nil {
		return err
	}
	if bare.prompt() != first.prompt() || bare.prompt() != hand.prompt() {
		return fmt.Errorf("the searches differ: %d and %d tokens sent with breakpoints, %d without", first.prompt(), hand.prompt(), bare.prompt())
	}
	fmt.Fprintf(b.stderr, "  a prefix of %d tokens grows to %d; sent in all %d, answered %d\n",
		hand.prefix, hand.usages[brainRounds-1].CacheWrite+hand.usages[brainRounds-1].CacheRead, hand.prompt(), hand.sum().Output)
	b.add(searchCostName, bare.sum().Billed(), hand.sum().Billed())
	b.add(firstCostName, bare.sum().Billed(), first.sum().Billed())
	b.alone(searchShareName, 100*float64(first.sum().CacheRead)/float64(first.prompt()))
	cold, folds := 0, 0
	for i, one := range played {
		folds += one.folds
		cold += one.cold
		if i == 1 && one.cold > 0 || one.folds > 0 != (i == 3) {
			return fmt.Errorf("search %d: %d cold writes, %d folds", i+1, one.cold, one.folds)
		}
	}
	b.add(coldWritesName, float64(cold), float64(1+1+folds))
	return nil
}

// unmarked sends no breakpoint.
type unmarked struct{ agents.Model }

func (u unmarked) Stream(ctx context.Context, r agents.Request, emit func(agents.Delta)) (agents.Response, error) {
	r.System, r.Messages = slices.Clone(r.System), slices.Clone(r.Messages)
	for i := range r.System {
		r.System[i].Breakpoint = false
	}
	for i, m := range r.Messages {
		r.Messages[i].Blocks = slices.Clone(m.Blocks)
		for j := range m.Blocks {
			r.Messages[i].Blocks[j].Breakpoint = false
		}
	}
	return u.Model.Stream(ctx, r, emit)
}
