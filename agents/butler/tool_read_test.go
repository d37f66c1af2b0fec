package butler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/projections"
	"sozai/streams"
)

// What does not fit into a list of feedback are old clicks, then old words.
func TestForemostFeedback(t *testing.T) {
	t.Parallel()
	item := func(id domain.ID, strong bool) projections.FeedbackItem {
		return projections.FeedbackItem{Feedback: id, Strong: strong}
	}
	items := []projections.FeedbackItem{item("w1", true), item("c1", false), item("w2", true), item("c2", false), item("w3", true)}
	for n, want := range map[int]string{9: "w1 c1 w2 c2 w3", 4: "w1 w2 c2 w3", 3: "w1 w2 w3", 2: "w2 w3"} {
		var got []string
		for _, f := range foremost(items, n) {
			got = append(got, string(f.Feedback))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d: %v, want %s", n, got, want)
		}
	}
}

func TestReadingTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clip := w.material("峡谷石桥", true)
	w.feedback(anna, clip, feedback.Like, "")
	w.feedback(wang, clip, feedback.Dislike, "转场太花")
	w.say(wang, "V1 怎么样")
	end, _, script := w.chat(w.turn(),
		agentstest.Round{Calls: []agentstest.Call{
			call("p", "read_performance", m{}), call("b", "read_behavior", m{"limit": 5}), call("f", "read_feedback", m{}),
			call("x", "read_behavior", m{"limit": 1000}),
		}},
		agentstest.Round{Text: "V1 找到 1 条。"},
	)
	w.finish(end)
	got := results(script)
	p := decodeInto[scoresOutput](t, got["p"])
	if len(p.Versions) == 0 || p.Versions[0].Version != 1 || p.Versions[0].Found != 1 || p.MinSample == 0 {
		t.Fatalf("%+v", p)
	}
	b := decodeInto[behaviorOutput](t, got["b"])
	if len(b.Rows) == 0 || !slices.ContainsFunc(b.Rows, func(r behaviorRow) bool { return r.By == "小王" && strings.Contains(r.Text, "转场太花") }) {
		t.Fatalf("%+v", b)
	}
	f := decodeInto[feedbackOutput](t, got["f"])
	if f.Sums != (sumsOutput{Items: 2, Words: 1, Likes: 1, Dislikes: 1}) || f.LeftOut != 0 {
		t.Fatalf("%+v", f.Sums)
	}
	if len(f.Unsettled) != 2 || f.Unsettled[0].Strong || !f.Unsettled[1].Strong || f.Unsettled[1].Document != domain.Search || f.Unsettled[1].By != "小王" {
		t.Fatalf("%+v", f)
	}
	refuses(t, got["x"], "limit")
}

// The base of a card is the version that the model has read: when the gene moves
// in between, it is told to read again.
func TestProposeAfterTheGeneMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say(wang, "转场太花")
	steer := w.gene[1] + "\n不要字幕"
	card := func(id string) agentstest.Call {
		return call(id, "propose_gene_card", m{"steer": steer + "\n硬切", "summary": "s", "reason": "r", "evidence": []m{}, "feedback": []m{}})
	}
	started := w.turn()
	end, _, script := w.chat(started,
		agentstest.Round{Then: func(agents.Request) agentstest.Round {
			w.decide(domain.User(anna), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
				return s.Gene.Edit(1, gene.Edit{Steer: &steer}, "不要字幕", nil, domain.User(anna))
			})
			return agentstest.Round{Calls: []agentstest.Call{card("c1")}}
		}},
		agentstest.Round{Calls: []agentstest.Call{call("g", "read_gene", m{})}},
		agentstest.Round{Calls: []agentstest.Call{card("c2")}},
		agentstest.Round{Calls: []agentstest.Call{call("c3", "propose_gene_card", m{"steer": steer + "\n别的", "summary": "s", "reason": "r", "evidence": []m{}, "feedback": []m{}})}},
		agentstest.Round{Text: "好。"},
	)
	w.finish(end)
	got := results(script)
	refuses(t, got["c1"], "base_moved")
	if made := decodeInto[cardOutput](t, got["c2"]); made.BaseVersion != 2 {
		t.Fatalf("%+v", made)
	}
	refuses(t, got["c3"], "one_card")
}
