package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/anthropic"
	"sozai/agents/searcher"
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/streams"
)

// series is one agent whose searches are played.
type series struct {
	log   *streams.Log
	key   domain.Key
	words *life
	brief string
	gene  gene.Minted

	model  agents.Model
	server *agentstest.AnthropicServer

	mu  sync.Mutex
	now time.Time
}

// clock moves only by answers and between searches.
func (s *series) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// serve starts a contract server whose cache is empty.
func (s *series) serve(b *bench) {
	s.server = agentstest.StartAnthropic(agentstest.Contract{Now: s.clock, Play: func(r agents.Request) agentstest.Scene {
		s.mu.Lock()
		s.now = s.now.Add(answerTime)
		s.mu.Unlock()
		return agentstest.Scene{Reply: searchReply(r)}
	}})
	b.later(s.server.Close)
	// The configuration is a constant one, and known to be right.
	s.model, _ = anthropic.New(anthropic.Config{
		Key: agentstest.ServerKey, BaseURL: s.server.URL, Model: brainModel, Prices: anthropic.DefaultPrices(), YuanPerUSD: 7.2,
	})
}

func (s *series) decide(ctx context.Context, f func(*streams.State, time.Time) ([]domain.Decision, error)) (streams.Result, error) {
	return s.log.Decide(ctx, s.key, newCommand(), f)
}

// populate makes the agent, with a gene of a size that a team has after weeks.
func (s *series) populate(ctx context.Context) error {
	s.brief = s.words.text(900)
	_, err := s.decide(ctx, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		made, err := st.Agent.Create(agent.Created{Name: "末日塔防", Brief: s.brief, Creator: newID(), Sources: []string{"fast"}})
		if err != nil {
			return nil, err
		}
		s.gene = gene.Minted{Version: 1, Search: s.words.lines(110), Steer: s.words.lines(110), Constraints: domain.Constraints{MaxFilmSeconds: 30, Aspect: "9:16"}}
		minted, err := st.Gene.Create(s.gene.Search, s.gene.Steer, s.gene.Constraints)
		return append(made, minted...), err
	})
	return err
}

// edit gives the agent a new version of its gene.
func (s *series) edit(ctx context.Context) error {
	s.gene.Version++
	s.gene.Search += "\n" + s.words.text(30)
	_, err := s.decide(ctx, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		search := s.gene.Search
		return st.Gene.Edit(s.gene.Version-1, gene.Edit{Search: &search}, "", nil, person)
	})
	return err
}

// search is what came of one.
type search struct {
	usages []domain.Usage
	prefix int // tokens of L0 and L1
	cold   int
	folds  int
}

func (s search) sum() domain.Usage {
	sum := domain.Usage{Known: true}
	for _, u := range s.usages {
		sum = sum.Add(u)
	}
	return sum
}

func (s search) prompt() int {
	u := s.sum()
	return u.Input + u.CacheWrite + u.CacheRead
}

// play plays a search as a worker does.
func (s *series) play(ctx context.Context, model agents.Model, caps agents.Caps) (search, error) {
	id, request := newID(), run.Request{What: "再找一批末日塔防的爆炸素材，竖屏，开头三秒要有画面冲击", Target: 12}
	if _, err := s.decide(ctx, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: id, Work: run.Search, Trigger: run.Hand, Request: request}, now)
	}); err != nil {
		return search{}, err
	}
	started, err := s.decide(ctx, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.Start(id, 1, st.Gene.Version)
	})
	if err != nil {
		return search{}, err
	}
	before := len(s.server.Usages())
	f, err := searcher.Run(ctx, searcher.Env{
		Log: s.log, Library: noLibrary{}, Fast: shelf{}, Model: model, Worker: domain.Worker("bench"), Now: s.clock, Caps: caps,
	}, searcher.Task{
		Key: s.key, Run: id, Attempt: 1, Started: started.Seq, Trigger: run.Hand, Request: request,
		Name: "末日塔防", Brief: s.brief, Gene: s.gene,
	})
	if err != nil {
		return search{}, err
	}
	one := search{usages: s.server.Usages()[before:]}
	if f.Reason != run.ReasonFinished || len(one.usages) != brainRounds || len(f.Products) == 0 {
		return one, fmt.Errorf("a search ended by %s after %d rounds: %s", f.Reason, len(one.usages), f.Summary)
	}
	if _, err := s.decide(ctx, func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Run.Finish(f) }); err != nil {
		return one, err
	}
	return one, one.judge(s.server.Requests()[before:])
}

// judge counts the folds and the cold writes: requests of which less was read from
// the cache than was sent before, or, at the start, than L0 and L1 hold.
func (s *search) judge(requests []agents.Request) error {
	if len(requests) != len(s.usages) {
		return errors.New("a request was refused")
	}
	marked := requests[0]
	marked.Messages = nil
	var cache agentstest.Cache
	u := cache.Serve(marked)
	s.prefix = u.CacheWrite + u.Input
	read := s.prefix
	for i, u := range s.usages {
		if u.CacheRead < read {
			s.cold++
		}
		read = u.CacheRead + u.CacheWrite
		if i > 0 && foldedIn(requests[i]) > foldedIn(requests[i-1]) {
			s.folds++
		}
	}
	return nil
}

// foldedIn counts the results of which only a line is left.
func foldedIn(r agents.Request) int {
	n := 0
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Type == agents.ToolResult && strings.HasPrefix(b.Text, "[folded]") {
				n++
			}
		}
	}
	return n
}
