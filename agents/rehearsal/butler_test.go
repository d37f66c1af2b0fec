package rehearsal_test

import (
	"strings"
	"testing"
	"time"

	"sozai/agents/butler"
	"sozai/agents/rehearsal"
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

// house is a real room: log, read models and the butler's own tools.
type house struct {
	t     *testing.T
	log   *streams.Log
	store *projections.Store
	key   domain.Key
	lin   domain.ID
	run   domain.ID
}

func newHouse(t *testing.T) *house {
	t.Helper()
	s := streamstest.Start(t)
	h := &house{t: t, log: s.Log, store: projectionstest.Store(t, s.Log), key: s.Key(), lin: s.Log.NewID(), run: s.Log.NewID()}
	h.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		made, err := st.Agent.Create(agent.Created{Name: "末日塔防", Brief: "手游买量", Creator: h.lin, Sources: []string{"fast"}})
		if err != nil {
			return nil, err
		}
		minted, err := st.Gene.Create("末日塔防\n要有丧尸", "竖屏\n前 3 秒出现敌人", domain.Constraints{})
		if err != nil {
			return nil, err
		}
		asked, err := st.Run.Request(run.Requested{Run: h.run, Work: run.Search, Trigger: run.Hand, GeneVersion: 1}, now)
		return append(append(made, minted...), asked...), err
	})
	h.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Run.Start(h.run, 1, 1) })
	return h
}

func (h *house) decide(f func(*streams.State, time.Time) ([]domain.Decision, error)) streams.Result {
	h.t.Helper()
	r, err := h.log.Decide(h.t.Context(), h.key, streams.Command{ID: string(h.log.NewID()), Actor: domain.User(h.lin)}, f)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *house) record(facts ...domain.Fact) {
	h.t.Helper()
	if _, err := h.log.Record(h.t.Context(), h.key, streams.Command{ID: string(h.log.NewID()), Actor: domain.User(h.lin)}, facts...); err != nil {
		h.t.Fatal(err)
	}
}

// material saves an analysed material and returns its id.
func (h *house) material(title string) domain.ID {
	h.t.Helper()
	id := h.log.NewID()
	h.record(library.Saved{
		Material: id, Run: h.run, Attempt: 1, GeneVersion: 1, Source: "fast", External: string(id), Title: title,
		Media: library.Media{Hash: strings.Repeat("a", 64), Type: "video/mp4", Bytes: 1, Seconds: 8, Width: 540, Height: 960},
	}, library.Analyzed{
		Material: id, Run: h.run, Attempt: 1, Analyser: "local-ffmpeg", Ruleset: 1,
		Digest: library.Digest{ShotRhythm: "平均 4 秒一镜", SpokenHook: "无", Captions: "无", Highlight: library.Medium, HighlightWhy: "2 次切换", Verdict: "节奏平"},
	})
	return id
}

// says plays one turn and appends how it ended; it returns what the room sees.
func (h *house) says(text string, refs ...domain.Ref) turn.Finished {
	h.t.Helper()
	message := h.log.NewID()
	h.record(chat.Said{Message: message, Text: text, Refs: refs})
	id := h.log.NewID()
	started := h.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Turn.Start(turn.Started{Turn: id, Attempt: 1, Slot: 1, Messages: []domain.ID{message}, Upto: message, GeneVersion: st.Gene.Version})
	})
	f, err := butler.Chat(h.t.Context(), butler.Env{
		Log: h.log, Store: h.store, Model: rehearsal.New(0), Worker: domain.Worker("w1"), Now: time.Now,
	}, butler.Turn{Key: h.key, Turn: id, Attempt: 1, Started: started.Seq, Messages: []domain.ID{message}, GeneVersion: 1}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	f.Upto = message
	h.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Turn.Finish(f) })
	return f
}

// shown is the text of an answer; a withheld sentence fails the test.
func (h *house) shown(f turn.Finished) string {
	h.t.Helper()
	var text []string
	for _, b := range f.Blocks {
		switch b.Type {
		case turn.Text:
			text = append(text, b.Text)
		case turn.Note:
			h.t.Errorf("the room got a note: %s", b.Text)
		case turn.Tool:
			if b.Outcome != "ok" {
				h.t.Errorf("%s on %s ended %s", b.Tool, b.Object, b.Outcome)
			}
		}
	}
	if f.Reason != string(run.ReasonFinished) {
		h.t.Errorf("the turn ended by %s", f.Reason)
	}
	return strings.Join(text, "")
}

func (h *house) cards() (out []gene.Card) {
	h.t.Helper()
	err := h.log.View(h.t.Context(), h.key, func(st *streams.State) error {
		for _, c := range st.Gene.Cards {
			out = append(out, *c)
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// The wheel's middle part with the real butler: a dislike with words on the page,
// criticism in the room, a card that cites both, and none of what the rehearsal
// model says is withheld by the claim gate.
func TestInARealRoom(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.material("塔防爆炸"), h.material("丧尸围城")
	h.record(feedback.Given{Feedback: h.log.NewID(), Object: domain.Ref{Type: domain.Material, ID: b}, Verdict: feedback.Dislike, Words: "炸得不够"})
	text := h.shown(h.says("爆炸感不够，节奏也慢", domain.Ref{Type: domain.Material, ID: a}))
	for _, part := range []string{"演练模型", "意见已记下", "应用"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
	cards := h.cards()
	if len(cards) != 1 || cards[0].Proposed.Steer != nil || cards[0].Proposed.Search == nil || len(cards[0].Feedback) != 2 || len(cards[0].Evidence) != 2 {
		t.Fatalf("cards %+v", cards)
	}
	if s := *cards[0].Proposed.Search; !strings.HasPrefix(s, "末日塔防\n要有丧尸\n") || !strings.Contains(s, "爆炸") {
		t.Fatalf("search document %q", s)
	}
	// The same again: the card waits already, and the room is told so.
	again := h.says("爆炸感不够，节奏也慢", domain.Ref{Type: domain.Material, ID: a})
	if len(h.cards()) > 2 {
		t.Fatalf("%d cards", len(h.cards()))
	}
	if text := textOf(again); strings.Contains(text, "演练模型") || !strings.Contains(text, "卡") {
		t.Errorf("the second answer: %q", text)
	}
}

func textOf(f turn.Finished) string {
	var out []string
	for _, b := range f.Blocks {
		if b.Type == turn.Text {
			out = append(out, b.Text)
		}
	}
	return strings.Join(out, "")
}

// Whatever people ask, what the rehearsal model says stands the claim gate, and
// no call of it is refused.
func TestNothingIsWithheld(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := domain.Ref{Type: domain.Material, ID: h.material("塔防爆炸")}
	for _, tc := range []struct {
		text string
		refs []domain.Ref
		part string
	}{
		{"你好", nil, "你好"},
		{"谢谢", nil, "不客气"},
		{"V2 比 V1 好吗？", nil, "V1"},
		{"How many likes did V1 get?", nil, "V1: likes 0"},
		{"现在的检索需求是什么？", nil, "要有丧尸"},
		{"What does the gene say?", nil, "V1"},
		{"大家最近做了什么？", nil, "最近的操作"},
		{"这条怎么样？", []domain.Ref{m}, "平均 4 秒一镜"},
		{"what do you think of this?", []domain.Ref{m}, "Shot rhythm"},
		{"再找一批丧尸素材", nil, "确认"},
		{"根据这条出个方案", []domain.Ref{m}, "确认"},
		{"I like the music", []domain.Ref{m}, "recorded"},
		{"too much text, want more explosions", []domain.Ref{m}, "card"},
		{"希望多一点雨夜霓虹的感觉", nil, "卡片"},
		{"成片控制在 15 秒以内", nil, "卡片"},
		{"应用这张卡", nil, "不能代点"},
		{"roll back to V1", nil, "versions page"},
		{"根据大家的反馈改一下基因", nil, "卡"},
	} {
		f := h.says(tc.text, tc.refs...)
		if text := h.shown(f); !strings.Contains(text, tc.part) {
			t.Errorf("%q was answered %q, which lacks %q", tc.text, text, tc.part)
		}
	}
}

// The unattended shift with the real tools: words make a card, clicks do not.
func TestARealDigest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, words string
		cards       int
	}{{"words", "爆炸感不够", 1}, {"clicks", "", 0}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			m := domain.Ref{Type: domain.Material, ID: h.material("塔防爆炸")}
			h.record(feedback.Given{Feedback: h.log.NewID(), Object: m, Verdict: feedback.Dislike, Words: tc.words})
			id := h.log.NewID()
			h.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
				return st.Run.Request(run.Requested{Run: id, Work: run.Digest, Trigger: run.Hand}, now)
			})
			started := h.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Run.Start(id, 1, 1) })
			f, err := butler.Digest(t.Context(), butler.Env{
				Log: h.log, Store: h.store, Model: rehearsal.New(0), Worker: domain.Worker("w1"), Now: time.Now,
			}, butler.Run{Key: h.key, Run: id, Attempt: 1, Started: started.Seq, GeneVersion: 1})
			if err != nil {
				t.Fatal(err)
			}
			if f.Outcome != run.Done || f.Reason != run.ReasonFinished || f.Summary == "" || len(h.cards()) != tc.cards {
				t.Fatalf("finished %+v with %d cards", f, len(h.cards()))
			}
			h.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Run.Finish(f) })
		})
	}
}
