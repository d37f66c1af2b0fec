package agents_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/turn"
)

// honest holds sentences that begin with "I have" until the receipts are there.
type honest struct {
	open string
	held []string
	any  bool
}

func (g *honest) Open(int) { g.open, g.held = "", nil }

func (g *honest) Text(words string) []agents.Piece {
	g.open += words
	var out []agents.Piece
	for {
		end := strings.IndexByte(g.open, '.')
		if end < 0 {
			return out
		}
		sentence := g.open[:end+1]
		g.open = g.open[end+1:]
		if strings.HasPrefix(strings.TrimSpace(sentence), "I have") && !g.any {
			g.held = append(g.held, sentence)
		} else {
			out = append(out, agents.Piece{Text: sentence})
		}
	}
}

func (g *honest) Close(receipts []agents.Receipt) []agents.Piece {
	g.any = g.any || len(receipts) > 0
	var out []agents.Piece
	for _, s := range g.held {
		if g.any {
			out = append(out, agents.Piece{Text: s})
		} else {
			out = append(out, agents.Piece{Text: "withheld", Note: true})
		}
	}
	if g.open != "" {
		out = append(out, agents.Piece{Text: g.open})
	}
	return out
}

// T16: the model says that it did something.
func TestLoopShowsOnlyWhatTheGateReleases(t *testing.T) {
	t.Parallel()
	fails := true
	order := tool("order", func(context.Context, agents.Call) (agents.Output, error) {
		if fails {
			return agents.Output{}, errors.New("the log is not reachable")
		}
		return agents.Output{Text: "{}", Receipt: agents.Receipt{Kind: "order", ID: "O1"}}, nil
	})
	for _, c := range []struct {
		name   string
		fails  bool
		script []round
		want   []string
	}{
		{
			"without a call the claim is withheld", false,
			[]round{{Text: "Sure. I have ordered it. Bye."}},
			[]string{"text Sure. Bye.", "note withheld"},
		},
		{
			"a failed call proves nothing", true,
			[]round{{Text: "I have ordered it.", Calls: call("order", nil)}, {Text: "I have ordered it. Done."}},
			[]string{"start order", "end order error", "note withheld", "text  Done.", "note withheld"},
		},
		{
			"the claim waits for its receipt", false,
			[]round{{Text: "Sure. I have ordered it.", Calls: call("order", nil)}, {Text: "I have told you."}},
			[]string{"text Sure.", "start order", "end order ok", "text  I have ordered it.\n\nI have told you."},
		},
		{
			"what a given-up request said is dropped", false,
			[]round{
				{Text: "I have ordered it.", Err: &agents.ModelError{Kind: agents.Interrupted, Retry: true}},
				{Text: "Hello."},
			},
			[]string{"text Hello."},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			fails = c.fails
			b := newBench(agentstest.Script(c.script...), order)
			b.loop.Gate = &honest{}
			b.loop.Caps.RetryDelay = 1
			result, err := b.run(t.Context())
			if err != nil || result.Reason != run.ReasonFinished {
				t.Fatalf("ended with %s, %v", result.Reason, err)
			}
			if diff := cmp.Diff(c.want, b.shown()); diff != "" {
				t.Fatalf("shown (-want +got):\n%s", diff)
			}
			streamed := ""
			for _, e := range b.events {
				if e.Type == agents.EventText {
					streamed += e.Text
				}
			}
			if streamed != result.Text() {
				t.Fatalf("streamed %q, kept %q", streamed, result.Text())
			}
			for _, block := range result.Blocks {
				if block.Type == turn.Text && strings.Contains(block.Text, "I have ordered") && len(result.Receipts) == 0 {
					t.Fatalf("an invented success is in the record: %+v", result.Blocks)
				}
			}
			for _, s := range b.steps {
				if strings.Contains(s.Why, "I have ordered") && len(result.Receipts) == 0 {
					t.Fatalf("an invented success is in a step: %q", s.Why)
				}
			}
		})
	}
}

func TestLoopObjectsOnce(t *testing.T) {
	t.Parallel()
	b := newBench(agentstest.Script(round{Text: "I have ordered it."}, round{Text: "I have ordered it."}, round{Text: "Too late."}))
	b.loop.Gate = &honest{}
	asked := 0
	b.loop.Objection = func() string {
		asked++
		return "nothing proves that"
	}
	result, err := b.run(t.Context())
	if err != nil || result.Reason != run.ReasonFinished || result.Rounds != 2 || asked != 1 {
		t.Fatalf("ended with %s, %v after %d rounds, asked %d times", result.Reason, err, result.Rounds, asked)
	}
	if b.lastWords() != "nothing proves that" || result.Text() != "" {
		t.Fatalf("the model was told %q, the people %q", b.lastWords(), result.Text())
	}
}

// T13 in the loop: folded once, valid all along, and an error where nothing is gained.
func TestLoopFolds(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("row of castles ", 1_000) // 3,750 tokens
	look := tool("look", func(_ context.Context, c agents.Call) (agents.Output, error) {
		return agents.Output{Text: fmt.Sprint(c.Round, page), Fold: fmt.Sprint("page ", c.Round)}, nil
	})
	b := newBench(endless(60, round{}), look, finish())
	b.loop.Caps = agents.Caps{Rounds: 18}
	result, err := b.run(t.Context())
	if err != nil || result.Reason != run.ReasonRounds || result.Folds != 1 {
		t.Fatalf("ended with %s, %v after %d folds", result.Reason, err, result.Folds)
	}
	folded := 0
	for i, s := range b.steps {
		if s.Folded {
			folded++
			before, after := agents.EstimateRequest(b.model.Requests()[i-1]), agents.EstimateRequest(b.model.Requests()[i])
			if before > domain.FoldAtTokens || after > domain.FoldToTokens {
				t.Fatalf("the fold went from %d to %d tokens", before, after)
			}
		}
	}
	if folded != 1 {
		t.Fatalf("%d rounds are marked as folded", folded)
	}

	b = newBench(endless(60, round{Text: strings.Repeat("my own words ", 2_000)}), echo("look"), finish())
	result, err = b.run(t.Context())
	if result.Reason != run.ReasonTokens || !errors.Is(err, agents.ErrFold) {
		t.Fatalf("a transcript of words only ended with %s, %v", result.Reason, err)
	}
}

func TestLoopEndsWhenFoldsAreUsedUp(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("row of castles ", 1_000)
	look := tool("look", func(_ context.Context, c agents.Call) (agents.Output, error) {
		return agents.Output{Text: fmt.Sprint(c.Round, page)}, nil
	})
	b := newBench(endless(60, round{}), look, finish())
	b.loop.Caps = agents.Caps{FoldAt: 12_000, FoldTo: 6_000}
	result, err := b.run(t.Context())
	if err != nil || result.Reason != run.ReasonTokens || result.Folds != 2 {
		t.Fatalf("ended with %s, %v after %d folds", result.Reason, err, result.Folds)
	}
	if !strings.Contains(b.lastWords(), "The context is full") {
		t.Fatalf("the model was not told: %q", b.lastWords())
	}
}
