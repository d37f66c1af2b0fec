package searcher_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/searcher"
	"sozai/agents/source"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// shelf is a source in memory: a word of the query in a title or tag is a hit.
type shelf struct {
	items []source.Candidate
	fail  func(q source.Query) error // what every search answers, if not nil
	empty bool                       // always an empty page of many

	platforms []string // nil = local

	mu       sync.Mutex
	asked    []source.Query
	analysed []string
}

const perPage = 12

func (s *shelf) Name() string { return "fast" }

func (s *shelf) Platforms() []string {
	if s.platforms != nil {
		return s.platforms
	}
	return []string{"local"}
}

func (s *shelf) Search(_ context.Context, q source.Query) (source.Page, error) {
	s.mu.Lock()
	s.asked = append(s.asked, q)
	s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(q); err != nil {
			return source.Page{}, err
		}
	}
	if s.empty {
		return source.Page{Platform: "local", Page: q.Page, Pages: 40, Total: 480, More: q.Page < 40}, nil
	}
	var hits []source.Candidate
	for _, c := range s.items {
		text := strings.ToLower(c.Title + " " + strings.Join(c.Tags, " "))
		for _, w := range strings.Fields(strings.ToLower(q.Text)) {
			if strings.Contains(text, w) && (q.Platform != "tiktok" || q.Platform == c.Platform) {
				hits = append(hits, c)
				break
			}
		}
	}
	page := source.Page{Platform: cmp.Or(q.Platform, "local"), Page: q.Page, Pages: (len(hits) + perPage - 1) / perPage, Total: len(hits)}
	from := min((q.Page-1)*perPage, len(hits))
	page.Items = hits[from:min(from+perPage, len(hits))]
	page.More = q.Page < page.Pages
	return page, nil
}

func (s *shelf) Examine(_ context.Context, who source.Who, c source.Candidate) (source.Candidate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.analysed = append(s.analysed, c.ID)
	name := c.ID[strings.LastIndex(c.ID, ":")+1:]
	if who.Product != "test" || who.Run == "" || who.Agent == "" || who.Attempt == 0 {
		return c, fmt.Errorf("asked by %+v", who)
	}
	if strings.HasPrefix(name, "broken") {
		return c, domain.Errorf(domain.Unprocessable, "the file has no video")
	}
	rating := library.Medium
	if strings.HasPrefix(name, "high") {
		rating = library.High
	}
	c.Analysis = &video.Analysis{Analyser: "local-ffmpeg", Ruleset: 1, Digest: library.Digest{
		ShotRhythm: "6 个镜头，平均 1.5 秒", SpokenHook: "无", Captions: "无", Highlight: rating, HighlightWhy: "前 3 秒 2 次切换", Verdict: "快",
	}}
	return c, nil
}

// clip is a candidate with media; an id that begins with "bare" has none.
func clip(id, title string, tags ...string) source.Candidate {
	c := source.Candidate{ID: id, Title: title, Author: "a", Platform: "tiktok", Tags: tags, Counts: library.Counts{Plays: 1000}}
	if !strings.HasPrefix(id, "bare") {
		c.Media = library.Media{Hash: strings.Repeat("a", 64), Type: "video/mp4", Seconds: 8.04}
	}
	return c
}

// books is the library as a fold of the real log, without a database.
type books struct {
	t   *testing.T
	log *streams.Log
	err error // what Wait answers, once
}

func (b *books) Wait(context.Context, uint64, ...string) error {
	err := b.err
	b.err = nil
	return err
}

func (b *books) saved(key domain.Key) []library.Saved {
	var out []library.Saved
	seen := map[domain.ID]bool{}
	err := b.log.Read(context.Background(), 0, 0, key, []domain.Kind{domain.KindLibrary}, func(events []domain.Recorded) error {
		for _, e := range events {
			if s, ok := e.Event.(library.Saved); ok && !seen[s.Material] {
				seen[s.Material] = true
				out = append(out, s)
			}
		}
		return nil
	})
	if err != nil {
		b.t.Error(err)
	}
	return out
}

func (b *books) Materials(_ context.Context, key domain.Key, f projections.MaterialFilter) ([]projections.Material, error) {
	var out []projections.Material
	for _, s := range b.saved(key) {
		if s.Run == f.Run {
			out = append([]projections.Material{{Material: s.Material, Run: s.Run, Source: s.Source, External: s.External}}, out...)
		}
	}
	return out, nil
}

func (b *books) MaterialsByExternal(_ context.Context, key domain.Key, from string, external []string) (map[string]domain.ID, error) {
	out := map[string]domain.ID{}
	for _, s := range b.saved(key) {
		for _, e := range external {
			if s.Source == from && s.External == e {
				out[e] = s.Material
			}
		}
	}
	return out, nil
}

func (b *books) Objects(_ context.Context, _ domain.Key, refs []domain.Ref) (map[domain.Ref]projections.Object, error) {
	out := map[domain.Ref]projections.Object{}
	for _, r := range refs {
		out[domain.Ref{Type: r.Type, ID: r.ID}] = projections.Object{Ref: r, Title: "cited title"}
	}
	return out, nil
}

// bench is one agent with a started search run.
type bench struct {
	t     *testing.T
	log   *streams.Log
	shelf *shelf
	books *books
	key   domain.Key
	env   searcher.Env
	task  searcher.Task
}

const searchDoc = "末日塔防，要有爆炸\n丧尸成群\n不要真人口播"

func newBench(t *testing.T, model agents.Model, items ...source.Candidate) *bench {
	t.Helper()
	s := streamstest.Start(t)
	b := &bench{t: t, log: s.Log, shelf: &shelf{items: items}, books: &books{t: t, log: s.Log}, key: s.Key()}
	b.env = searcher.Env{
		Log: s.Log, Library: b.books, Fast: b.shelf, Model: model, Worker: domain.Worker("w1"), Now: time.Now,
	}
	b.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		made, err := st.Agent.Create(agent.Created{Name: "末日塔防", Brief: "手游买量", Creator: "01J9ZZZZZZ00000000000000AA", Sources: []string{"fast"}})
		if err != nil {
			return nil, err
		}
		minted, err := st.Gene.Create(searchDoc, "竖屏", domain.Constraints{})
		return append(made, minted...), err
	})
	b.newRun(run.Request{})
	return b
}

func (b *bench) decide(f func(*streams.State, time.Time) ([]domain.Decision, error)) streams.Result {
	b.t.Helper()
	r, err := b.log.Decide(b.t.Context(), b.key, streams.Command{ID: string(b.log.NewID()), Actor: domain.User("01J9ZZZZZZ00000000000000AA")}, f)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// newRun asks for another search and starts it.
func (b *bench) newRun(request run.Request) {
	b.t.Helper()
	id := b.log.NewID()
	b.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: id, Work: run.Search, Trigger: run.Hand, Request: request}, now)
	})
	b.task = searcher.Task{
		Key: b.key, Run: id, Trigger: run.Hand, Request: request, Name: "末日塔防", Brief: "手游买量",
		Gene: gene.Minted{Version: 1, Search: searchDoc, Steer: "竖屏"},
	}
	b.start()
}

// start begins the next attempt of the run.
func (b *bench) start() {
	b.t.Helper()
	r := b.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.Start(b.task.Run, 1, st.Gene.Version)
	})
	b.task.Started = r.Seq
	b.task.Attempt++
}

// run plays the current attempt and appends how it ended.
func (b *bench) run() run.Finished {
	b.t.Helper()
	f, err := searcher.Run(b.t.Context(), b.env, b.task)
	if err != nil {
		b.t.Fatal(err)
	}
	b.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Run.Finish(f) })
	return f
}

// events reads an agent's facts of one kind.
func (b *bench) events(kind domain.Kind) []domain.Event {
	b.t.Helper()
	var out []domain.Event
	err := b.log.Read(b.t.Context(), 0, 0, b.key, []domain.Kind{kind}, func(events []domain.Recorded) error {
		for _, e := range events {
			out = append(out, e.Event)
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// saved lists the external ids of all material.saved, in log order.
func (b *bench) saved() []string {
	var out []string
	for _, e := range b.events(domain.KindLibrary) {
		if s, ok := e.(library.Saved); ok {
			out = append(out, s.External)
		}
	}
	return out
}

// outcomes lists "tool outcome output" of every recorded call.
func (b *bench) outcomes() []string {
	var out []string
	for _, e := range b.events(domain.KindStep) {
		if r, ok := e.(step.Recorded); ok {
			for _, c := range r.Calls {
				out = append(out, c.Tool+" "+c.Outcome+" "+c.Output)
			}
		}
	}
	return out
}
