package butler

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/projections"
	"sozai/projections/postgres/postgrestest"
	"sozai/projections/projectionstest"
	"sozai/streams"
	"sozai/streams/streamstest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

// The people of the room.
const (
	wang = domain.ID("01J0000000000000000000WANG")
	anna = domain.ID("01J0000000000000000000ANNA")
)

// world is one agent on a real log with real read models.
type world struct {
	t     *testing.T
	ctx   context.Context
	log   *streams.Log
	store *projections.Store
	key   domain.Key
	gene  [2]string // search, steer
}

// newWorld creates an agent with a gene of two documents, written by wang.
func newWorld(t *testing.T) *world {
	t.Helper()
	server := streamstest.Start(t)
	return create(&world{t: t, ctx: t.Context(), log: server.Log, store: projectionstest.Store(t, server.Log), key: server.Key()})
}

// newWorldOn is another agent on the same log.
func newWorldOn(t *testing.T, w *world) *world {
	t.Helper()
	return create(&world{t: t, ctx: w.ctx, log: w.log, store: w.store, key: domain.Key{Product: w.key.Product, Agent: w.log.NewID()}})
}

func create(w *world) *world {
	w.t.Helper()
	w.gene = [2]string{"高空视角的集体混战\n不要慢动作", "前三秒必须有爆炸\n结尾露出产品"}
	w.decide(domain.User(wang), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		made, err := s.Agent.Create(agent.Created{Name: "末日塔防", Brief: "买量素材", Creator: wang, Sources: []string{"fast"}})
		if err != nil {
			return nil, err
		}
		minted, err := s.Gene.Create(w.gene[0], w.gene[1], domain.Constraints{MaxFilmSeconds: 30})
		return append(made, minted...), err
	})
	return w
}

func (w *world) decide(by domain.Actor, decide func(s *streams.State, now time.Time) ([]domain.Decision, error)) streams.Result {
	w.t.Helper()
	r, err := w.log.Decide(w.ctx, w.key, streams.Command{ID: string(w.log.NewID()), Actor: by}, decide)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) record(by domain.Actor, facts ...domain.Fact) uint64 {
	w.t.Helper()
	r, err := w.log.Record(w.ctx, w.key, streams.Command{ID: string(w.log.NewID()), Actor: by}, facts...)
	if err != nil {
		w.t.Fatal(err)
	}
	return r[len(r)-1].Seq
}

// say is a message of a person.
func (w *world) say(by domain.ID, text string, refs ...domain.Ref) domain.ID {
	w.t.Helper()
	id := w.log.NewID()
	w.record(domain.User(by), chat.Said{Message: id, Text: text, Refs: refs})
	return id
}

// sync waits until the read models show the whole log.
func (w *world) sync() {
	w.t.Helper()
	last, err := w.log.Last(w.ctx)
	if err == nil {
		err = w.store.Wait(w.ctx, last)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// material saves a material, analysed unless told otherwise.
func (w *world) material(title string, analysed bool) domain.Ref {
	w.t.Helper()
	id, of := w.log.NewID(), w.log.NewID()
	w.decide(domain.User(wang), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: of, Work: run.Search, Trigger: run.Hand}, now)
	})
	w.decide(domain.Worker("w"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.Start(of, 1, s.Gene.Version)
	})
	w.record(domain.Worker("w"), library.Saved{
		Material: id, Run: of, Attempt: 1, GeneVersion: 1, Source: "fast", External: string(id), Title: title,
		Media: library.Media{Hash: strings.Repeat("ab", 32), Type: "video/mp4", Seconds: 8},
	})
	if analysed {
		w.record(domain.Worker("w"), library.Analyzed{
			Material: id, Run: of, Attempt: 1, Analyser: "local-ffmpeg", Ruleset: 1,
			Digest: library.Digest{ShotRhythm: "3 个镜头", SpokenHook: "无", Captions: "无", Highlight: library.High, Verdict: "无", Missing: []string{"spoken_hook", "verdict"}},
		})
	}
	return domain.Ref{Type: domain.Material, ID: id}
}

// feedback is a person's reaction.
func (w *world) feedback(by domain.ID, on domain.Ref, verdict feedback.Verdict, words string) domain.ID {
	w.t.Helper()
	id := w.log.NewID()
	w.record(domain.User(by), feedback.Given{Feedback: id, Object: on, Verdict: verdict, Words: words})
	return id
}

// turn starts the turn that answers everything that waits.
func (w *world) turn() Turn {
	w.t.Helper()
	id := w.log.NewID()
	r := w.decide(domain.Worker("w"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		started := turn.Started{Turn: id, Slot: 1, GeneVersion: s.Gene.Version}
		for _, m := range s.Chat.After(s.Turn.Settled) {
			started.Messages = append(started.Messages, m.ID)
		}
		return s.Turn.Start(started)
	})
	return w.turnOf(r)
}

// resume hands the running turn to the next attempt.
func (w *world) resume() Turn {
	w.t.Helper()
	return w.turnOf(w.decide(domain.Worker("v"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Turn.Resume(2)
	}))
}

func (w *world) turnOf(r streams.Result) Turn {
	w.t.Helper()
	for _, e := range r.Events {
		if s, ok := e.Event.(turn.Started); ok {
			return Turn{Key: w.key, Turn: s.Turn, Attempt: s.Attempt, Started: e.Seq, Messages: s.Messages, GeneVersion: s.GeneVersion}
		}
	}
	w.t.Fatalf("no turn was started: %v", r.Events)
	return Turn{}
}

// digest starts a digest run.
func (w *world) digest() Run {
	w.t.Helper()
	id := w.log.NewID()
	w.decide(domain.User(wang), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: id, Work: run.Digest, Trigger: run.Hand}, now)
	})
	r := w.decide(domain.Worker("w"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.Start(id, 1, s.Gene.Version)
	})
	return Run{Key: w.key, Run: id, Attempt: 1, Started: r.Seq, GeneVersion: 1}
}

func (w *world) finish(f turn.Finished) {
	w.t.Helper()
	w.decide(domain.Butler(f.Turn), func(s *streams.State, _ time.Time) ([]domain.Decision, error) { return s.Turn.Finish(f) })
}

func (w *world) env(m agents.Model) Env {
	return Env{
		Log: w.log, Store: w.store, Analyzer: fixedAnalyzer{}, Model: m, Worker: domain.Worker("w"),
		Names: func(context.Context, []domain.ID) (map[domain.ID]string, error) {
			return map[domain.ID]string{wang: "小王", anna: "Anna"}, nil
		},
		Caps: agents.Caps{RetryDelay: time.Millisecond},
	}
}

// fixedAnalyzer finds the same in every file.
type fixedAnalyzer struct{}

func (fixedAnalyzer) AnalyseMedia(context.Context, library.Media, video.Text) (video.Analysis, error) {
	return video.Analysis{Analyser: "fixed", Ruleset: 1, Digest: library.Digest{ShotRhythm: "1 个镜头", SpokenHook: "无", Captions: "无", Verdict: "无"}}, nil
}

// chat plays a turn with a script and returns how it ended and what was shown.
func (w *world) chat(t Turn, rounds ...agentstest.Round) (turn.Finished, *watcher, *agentstest.Scripted) {
	w.t.Helper()
	script, shown := agentstest.Script(rounds...), &watcher{}
	end, err := Chat(w.ctx, w.env(script), t, shown.see)
	if err != nil {
		w.t.Fatalf("chat: %v", err)
	}
	return end, shown, script
}

// watcher is a sink that checks that offsets add up.
type watcher struct {
	mu     sync.Mutex
	text   string
	events []agents.Event
	holes  []string
}

func (v *watcher) see(e agents.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.events = append(v.events, e)
	if e.Type == agents.EventText {
		if e.Offset != len(v.text) {
			v.holes = append(v.holes, e.Text)
		}
		v.text += e.Text
	}
}

// results are the tool results that the last request of a script carried, by call.
func results(script *agentstest.Scripted) map[string]agents.Block {
	out := map[string]agents.Block{}
	requests := script.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		for _, b := range m.Blocks {
			if b.Type == agents.ToolResult {
				out[b.ID] = b
			}
		}
	}
	return out
}

// cards lists the agent's cards.
func (w *world) cards() []gene.Card {
	w.t.Helper()
	var out []gene.Card
	err := w.log.View(w.ctx, w.key, func(s *streams.State) error {
		for _, c := range s.Gene.Cards {
			out = append(out, *c)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) orders() []run.OrderCard {
	w.t.Helper()
	var out []run.OrderCard
	err := w.log.View(w.ctx, w.key, func(s *streams.State) error {
		for _, o := range s.Run.Orders {
			out = append(out, *o)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func call(id, tool string, in any) agentstest.Call {
	return agentstest.Call{ID: id, Tool: tool, Input: in}
}

type m map[string]any

// opening is the text that the model was asked with.
func opening(script *agentstest.Scripted) string {
	return script.Requests()[0].Messages[0].Blocks[0].Text
}

func decodeInto[T any](t *testing.T, b agents.Block) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(b.Text), &v); err != nil || b.IsError {
		t.Fatalf("tool result %q (error %v): %v", b.Text, b.IsError, err)
	}
	return v
}
