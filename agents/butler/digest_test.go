package butler

import (
	"context"
	"strings"
	"testing"
	"time"

	"sozai/agents/agentstest"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/streams"
)

func (w *world) runDigest(r Run, rounds ...agentstest.Round) (run.Finished, *agentstest.Scripted) {
	w.t.Helper()
	script := agentstest.Script(rounds...)
	end, err := Digest(w.ctx, w.env(script), r)
	if err != nil {
		w.t.Fatalf("digest: %v", err)
	}
	return end, script
}

// A digest reads, looks, and ends with one card that cites words; applying it
// settles them.
func TestDigestProposes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clip := w.material("峡谷石桥", true)
	fb := w.feedback(anna, clip, feedback.Dislike, "too slow")
	w.say(anna, "I said it before: too slow")
	r := w.digest()
	end, script := w.runDigest(r,
		agentstest.Round{Calls: []agentstest.Call{call("g", "read_gene", m{}), call("f", "read_feedback", m{})}},
		agentstest.Round{Calls: []agentstest.Call{call("v", "view_object", m{"type": "material", "id": clip.ID})}},
		agentstest.Round{Calls: []agentstest.Call{call("p", "propose_update", m{
			"search": w.gene[0] + "\n节奏快", "summary": "检索偏快节奏", "reason": "Anna 说慢",
			"evidence": []m{{"type": "material", "id": clip.ID}}, "feedback": []m{{"id": fb, "document": "search"}},
		})}},
	)
	cards := w.cards()
	if end.Outcome != run.Done || end.Reason != run.ReasonFinished || end.Summary != "检索偏快节奏" || len(cards) != 1 ||
		len(end.Products) != 1 || end.Products[0].ID != cards[0].ID || cards[0].Run != r.Run {
		t.Fatalf("%+v, cards %+v", end, cards)
	}
	if text := opening(script); !strings.Contains(text, "I said it before") {
		t.Fatalf("the chat since the last digest is missing:\n%s", text)
	}
	w.decide(domain.Worker("w"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) { return s.Run.Finish(end) })
	w.decide(domain.User(wang), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Gene.Apply(gene.ApplyCard{Card: cards[0].ID}, domain.User(wang), now)
	})
	w.sync()
	if items, err := w.store.Unsettled(w.ctx, w.key); err != nil || len(items) != 0 {
		t.Fatalf("%d unsettled, %v", len(items), err)
	}
	// What was said before that digest is not told to the next one again.
	w.say(wang, "新的一句")
	_, script = w.runDigest(w.digest(), agentstest.Round{Calls: []agentstest.Call{call("n", "no_update", m{"reason": "没有新的反馈"})}})
	if text := opening(script); strings.Contains(text, "I said it before") || !strings.Contains(text, "新的一句") {
		t.Fatalf("the next digest's room:\n%s", text)
	}
}

// Clicks never outvote words: a card from clicks alone is refused, and the digest
// ends with a reason.
func TestDigestOfClicks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clip := w.material("峡谷石桥", true)
	fb := w.feedback(anna, clip, feedback.Dislike, "")
	end, script := w.runDigest(w.digest(),
		agentstest.Round{Calls: []agentstest.Call{call("v", "view_object", m{"type": "material", "id": clip.ID})}},
		agentstest.Round{Calls: []agentstest.Call{call("p", "propose_update", m{
			"search": w.gene[0] + "\n换题材", "summary": "s", "reason": "r", "evidence": []m{}, "feedback": []m{{"id": fb, "document": "search"}},
		})}},
		agentstest.Round{Calls: []agentstest.Call{call("n", "no_update", m{"reason": "只有一次点踩"})}},
	)
	refuses(t, results(script)["p"], "no_words")
	if end.Outcome != run.Done || end.Summary != "只有一次点踩" || len(end.Products) != 0 || len(w.cards()) != 0 {
		t.Fatalf("%+v", end)
	}
}

// A digest that talks and does nothing ends stuck, not done.
func TestDigestWithoutAnEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end, _ := w.runDigest(w.digest(), agentstest.Round{Text: "我想想。"}, agentstest.Round{Text: "还在想。"})
	if end.Outcome != run.Failed || end.Reason != run.ReasonStuck || end.Summary == "" {
		t.Fatalf("%+v", end)
	}
}

// People came: the digest makes way at once and proposes nothing any more.
func TestDigestMakesWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fb := w.feedback(anna, domain.Ref{Type: domain.Whole}, feedback.None, "要快")
	r := w.digest()
	script := agentstest.Script(agentstest.Round{Calls: []agentstest.Call{call("p", "propose_update", m{
		"steer": w.gene[1] + "\n快", "summary": "s", "reason": "r", "evidence": []m{}, "feedback": []m{{"id": fb, "document": "steer"}},
	})}}, agentstest.Round{Hang: true})
	ctx, cancel := context.WithTimeout(w.ctx, 30*time.Second)
	defer cancel()
	w.decide(domain.System("dispatcher"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.RequestCancel(r.Run, string(run.ReasonPeopleCame))
	})
	if _, err := Digest(ctx, w.env(script), r); err == nil {
		t.Fatal("a digest that was asked to stop was played")
	}
	if len(w.cards()) != 0 {
		t.Fatal("it proposed a card")
	}
}
