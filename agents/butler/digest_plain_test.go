package butler

import (
	"strings"
	"testing"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/run"
)

// plain plays a digest that asks once.
func (w *world) plain(answers ...agentstest.Round) (run.Finished, *agentstest.Scripted) {
	w.t.Helper()
	script := agentstest.Script(answers...)
	env := w.env(script)
	env.PlainDigest = true
	end, err := Digest(w.ctx, env, w.digest())
	if err != nil {
		w.t.Fatalf("digest: %v", err)
	}
	return end, script
}

// One request, no tools, everything that the tools would tell in it; its answer
// takes the way of the finishing tools, with their checks.
func TestPlainDigest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		answer  func(w *world, fb domain.ID, clip domain.Ref) string
		outcome run.Outcome
		summary string
		cards   int
	}{
		{"a card", func(w *world, fb domain.ID, clip domain.Ref) string {
			return `好的：{"propose_update":{"search":"` + strings.ReplaceAll(w.gene[0], "\n", `\n`) + `\n节奏快","summary":"检索偏快节奏","reason":"Anna 说慢",` +
				`"evidence":[{"type":"material","id":"` + string(clip.ID) + `"}],"feedback":[{"id":"` + string(fb) + `","document":"search"}]}}`
		}, run.Done, "检索偏快节奏", 1},
		{"a reason", func(*world, domain.ID, domain.Ref) string { return `{"no_update":{"reason":"已经写着了"}}` }, run.Done, "已经写着了", 0},
		{"a person's line is gone", func(_ *world, fb domain.ID, _ domain.Ref) string {
			return `{"propose_update":{"search":"节奏快","summary":"s","reason":"r","evidence":[],"feedback":[{"id":"` + string(fb) + `","document":"search"}]}}`
		}, run.Done, "提案两次都不合规则，没有提卡：人写的行不能删改「", 0},
		{"no words are cited", func(*world, domain.ID, domain.Ref) string {
			return `{"propose_update":{"search":"x","summary":"s","reason":"r","evidence":[],"feedback":[]}}`
		}, run.Done, "提案两次都不合规则，没有提卡", 0},
		{"no reason", func(*world, domain.ID, domain.Ref) string { return `{"no_update":{"reason":" "}}` }, run.Failed, "不是要求的格式", 0},
		{"something else", func(*world, domain.ID, domain.Ref) string { return "我觉得不用改。" }, run.Failed, "不是要求的格式", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			clip := w.material("峡谷石桥", true)
			fb := w.feedback(anna, clip, feedback.Dislike, "too slow")
			w.say(anna, "I said it before")
			answer := agentstest.Round{Text: c.answer(w, fb, clip)}
			end, script := w.plain(answer, answer)
			if end.Outcome != c.outcome || !strings.Contains(end.Summary, c.summary) || len(w.cards()) != c.cards || len(end.Products) != c.cards {
				t.Fatalf("%+v, %d cards", end, len(w.cards()))
			}
			requests := script.Requests()
			refused := strings.Contains(c.summary, "不合规则") || c.name == "no reason"
			if (len(requests) == 2) != refused || len(requests) > 2 || len(requests[0].Tools) != 0 {
				t.Fatalf("%d requests, %d tools", len(requests), len(requests[0].Tools))
			}
			for _, want := range []string{
				`"tool":"read_feedback"`, `"tool":"read_gene"`, `"tool":"read_performance"`, `"tool":"read_behavior"`, `"tool":"view_object"`,
				"too slow", "峡谷石桥", "I said it before", string(fb),
			} {
				if !strings.Contains(opening(script), want) {
					t.Errorf("the request lacks %q", want)
				}
			}
		})
	}
}

// A card that is refused is not the end: the model is told why, and may put it
// right, or say why there is none.
func TestPlainDigestIsToldWhatWasRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		second  func(w *world, fb domain.ID) string
		summary string
		cards   int
	}{
		"put right": {func(w *world, fb domain.ID) string {
			return `{"propose_update":{"search":"` + strings.ReplaceAll(w.gene[0], "\n", `\n`) + `\n节奏快","summary":"检索偏快节奏","reason":"Anna 说慢",` +
				`"evidence":[],"feedback":[{"id":"` + string(fb) + `","document":"search"}]}}`
		}, "检索偏快节奏", 1},
		"given up": {func(*world, domain.ID) string { return `{"no_update":{"reason":"只有整篇重写才行，不提"}}` }, "只有整篇重写才行", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			fb := w.feedback(anna, w.material("峡谷石桥", true), feedback.Dislike, "too slow")
			end, script := w.plain(
				agentstest.Round{Text: `{"propose_update":{"search":"节奏快","summary":"s","reason":"r","evidence":[],"feedback":[{"id":"` + string(fb) + `","document":"search"}]}}`},
				agentstest.Round{Text: c.second(w, fb)},
			)
			if end.Outcome != run.Done || !strings.Contains(end.Summary, c.summary) || len(w.cards()) != c.cards || len(end.Products) != c.cards {
				t.Fatalf("%+v, %d cards", end, len(w.cards()))
			}
			requests := script.Requests()
			if len(requests) != 2 {
				t.Fatalf("%d requests", len(requests))
			}
			messages := requests[1].Messages
			told := messages[len(messages)-1].Blocks
			line, _, _ := strings.Cut(w.gene[0], "\n")
			if text := told[len(told)-1].Text; !strings.Contains(text, "没有收下") || !strings.Contains(text, line) || strings.Contains(text, "[loop]") {
				t.Errorf("told %q", text)
			}
		})
	}
}

// A request that fails is asked again once, as everywhere; then the run fails.
func TestPlainDigestWithoutAModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	down := agentstest.Round{Err: &agents.ModelError{Kind: agents.ServerError, Retry: true}}
	end, script := w.plain(down, down)
	if end.Outcome != run.Failed || end.Reason != run.ReasonModel || len(script.Requests()) != 2 {
		t.Fatalf("%+v after %d requests", end, len(script.Requests()))
	}
}

// The rehearsal model decides as it does with tools.
func TestRehearsalPlaysThePlainDigest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words string
		cards int
	}{{"爆炸感不够", 1}, {"", 0}} {
		w := newWorld(t)
		w.feedback(anna, w.material("峡谷石桥", true), feedback.Dislike, c.words)
		env := w.env(rehearsal.New(0))
		env.PlainDigest = true
		end, err := Digest(w.ctx, env, w.digest())
		if err != nil || end.Outcome != run.Done || end.Summary == "" || len(w.cards()) != c.cards {
			t.Fatalf("%q: %+v, %d cards, %v", c.words, end, len(w.cards()), err)
		}
	}
}
