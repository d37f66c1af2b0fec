package work

import (
	"strings"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/streams"
)

// T10: a digest is cancelled after it proposed a card. The card stays, people go
// on talking and are answered; its timer wakes nobody too early; once it is old it
// expires, and the next answer is told that nobody refused it.
func TestAPendingCardHoldsUpNothing(t *testing.T) {
	t.Parallel()
	model := &parrot{hold: make(chan struct{})}
	r := openTestRoom(t, model)
	r.start()
	digest, card := r.s.Log.NewID(), r.s.Log.NewID()
	r.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: digest, Work: run.Digest, Trigger: run.Hand}, now)
	})
	within(t, "the digest is being played", func() bool { return model.playing.Load() == 1 })
	cmd := streams.Command{ID: string(r.s.Log.NewID()), Actor: domain.Butler(digest)}
	_, err := r.s.Log.Decide(t.Context(), r.key, cmd, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		steer := st.Gene.Steer + "\n转场只用硬切"
		return st.Gene.Propose(gene.Proposed{
			Card: card, Run: digest, BaseVersion: st.Gene.Version, Steer: &steer, Summary: "收紧转场", Reason: "安娜说转场太花",
		}, domain.Butler(digest), now)
	})
	if err != nil {
		t.Fatal(err)
	}
	r.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.RequestCancel(digest, "person")
	})
	within(t, "the digest ends", func() bool { return finishedOf(t, r.s, r.key, digest) != nil })
	if f := finishedOf(t, r.s, r.key, digest); f.Outcome != run.Cancelled || f.Reason != run.ReasonCancelled {
		t.Fatalf("the digest ended as %+v", f)
	}
	close(model.hold)
	answered := func(text string) (seen string) {
		before, _ := r.turns()
		r.say("A", text)
		within(t, "the answer to "+text, func() bool { _, finished := r.turns(); return len(finished) > len(before) })
		model.mu.Lock()
		defer model.mu.Unlock()
		return model.seen[len(model.seen)-1]
	}
	if seen := answered("在吗"); !strings.Contains(seen, "收紧转场 —— 等待人确认") {
		t.Fatalf("the card that waits is not told:\n%s", seen)
	}
	if err := r.w.due(t.Context(), streams.Due{Key: r.key, Name: expiry(domain.CardObj, card)}); err != nil {
		t.Fatal(err)
	}
	if seen := answered("还在等吗"); !strings.Contains(seen, "等待人确认") {
		t.Fatalf("the card expired before its time:\n%s", seen)
	}
	r.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Gene.Expire(card, now.Add(domain.ProposalLifetime))
	})
	seen := answered("后来呢")
	if !strings.Contains(seen, "没有人拒绝它") || strings.Contains(seen, "驳回") {
		t.Fatalf("the expiry reads like a refusal:\n%s", seen)
	}
}
