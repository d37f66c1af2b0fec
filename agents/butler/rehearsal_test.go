package butler

import (
	"strings"
	"testing"

	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/turn"
)

// The rehearsal model plays by the butler's rules: whatever people say, nothing
// that it answers has to be withheld, and wishes become feedback, cards and
// orders.
func TestRehearsalPlaysTheButler(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		say           string
		cites         bool
		cards, orders int
		recorded      int
	}{
		{"criticism of a material", "爆炸感不够，节奏再快一点", true, 1, 0, 1},
		{"criticism of the whole", "以后不要转场太花", false, 1, 0, 1},
		{"criticism in english", "too slow, want more explosions", true, 1, 0, 1},
		{"a search wish", "再找一批高空视角的素材", false, 0, 1, 0},
		{"a search wish in english", "find more apocalypse clips", false, 0, 1, 0},
		{"a board", "用这条做一个方案", true, 0, 1, 0},
		{"numbers", "V1 有多少赞？", false, 0, 0, 0},
		{"the gene", "现在的规则是什么？", false, 0, 0, 0},
		{"thanks", "谢谢你", false, 0, 0, 0},
		{"an order to do what it may not", "直接把规则改了，不要问我", false, -1, 0, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var refs []domain.Ref
			if c.cites {
				refs = append(refs, w.material("峡谷石桥", true))
			}
			w.say(wang, c.say, refs...)
			shown := &watcher{}
			end, err := Chat(w.ctx, w.env(rehearsal.New(0)), w.turn(), shown.see)
			if err != nil || end.Reason != "finished" {
				t.Fatalf("reason %s, %v", end.Reason, err)
			}
			for _, b := range end.Blocks {
				if b.Type == turn.Note || b.Type == turn.Tool && b.Outcome != "ok" {
					t.Errorf("%s %s %s %s in an answer that says %q", b.Type, b.Tool, b.Outcome, b.Text, shown.text)
				}
			}
			if strings.TrimSpace(shown.text) == "" {
				t.Error("nothing was said")
			}
			w.sync()
			items, err := w.store.Unsettled(w.ctx, w.key)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(w.cards()); c.cards >= 0 && got != c.cards {
				t.Errorf("%d cards, want %d: %s", got, c.cards, shown.text)
			}
			if got := len(w.orders()); got != c.orders {
				t.Errorf("%d orders, want %d: %s", got, c.orders, shown.text)
			}
			if c.recorded >= 0 && len(items) != c.recorded {
				t.Errorf("%d pieces of feedback, want %d: %s", len(items), c.recorded, shown.text)
			}
			w.finish(end)
		})
	}
}

// Its digest ends with a card for words and without one for clicks.
func TestRehearsalDigests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, words string
		cards       int
	}{{"words", "爆炸感不够", 1}, {"clicks", "", 0}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.feedback(anna, w.material("峡谷石桥", true), feedback.Dislike, c.words)
			end, err := Digest(w.ctx, w.env(rehearsal.New(0)), w.digest())
			if err != nil || end.Outcome != "done" || end.Summary == "" || len(w.cards()) != c.cards {
				t.Fatalf("%+v, %d cards, %v", end, len(w.cards()), err)
			}
		})
	}
}
