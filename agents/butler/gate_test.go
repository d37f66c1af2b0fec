package butler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sozai/agents"
)

// play feeds words in pieces and ends the round with receipts.
func play(g *gate, pieces []string, receipts ...agents.Receipt) (early string, late []agents.Piece) {
	g.Open(1)
	for _, p := range pieces {
		for _, shown := range g.Text(p) {
			early += shown.Text
		}
	}
	return early, g.Close(receipts)
}

func TestGate(t *testing.T) {
	t.Parallel()
	note := agents.Piece{Note: true, Text: withheldNote(1)}
	for _, c := range []struct {
		name     string
		words    []string
		receipts []agents.Receipt
		early    string
		late     []agents.Piece
	}{
		{
			name:  "harmless sentences stream as they are completed",
			words: []string{"好的，", "我来看看。你觉得", "慢在哪里？", "是开头吗？那"},
			early: "好的，我来看看。你觉得慢在哪里？是开头吗？", late: []agents.Piece{{Text: "那"}},
		},
		{
			name:  "a claim waits, and what follows it too",
			words: []string{"看到了。我已经记下你的意见。还有别的吗？"},
			early: "看到了。", receipts: []agents.Receipt{{Kind: "feedback", ID: "F"}},
			late: []agents.Piece{{Text: "我已经记下你的意见。还有别的吗？"}},
		},
		{
			name:  "without its receipt it is withheld and a note stands there",
			words: []string{"看到了。我已经记下你的意见。还有别的吗？"},
			early: "看到了。", late: []agents.Piece{note, {Text: "还有别的吗？"}},
		},
		{
			name:  "the receipt of another kind proves nothing",
			words: []string{"I've placed the order. "}, receipts: []agents.Receipt{{Kind: "feedback"}},
			late: []agents.Piece{note},
		},
		{
			name:  "sentences withheld in a row make one note",
			words: []string{"我更新了规则。", "我也下单了。好吗？"},
			late:  []agents.Piece{{Note: true, Text: withheldNote(2)}, {Text: "好吗？"}},
		},
		{
			name:  "what is listed under a withheld heading goes with it",
			words: []string{"已经全部改好：\n- 第二行：硬切\n- 片长 20 秒\n\n还要别的吗？"},
			late:  []agents.Piece{{Note: true, Text: withheldNote(3)}, {Text: "还要别的吗？"}},
		},
		{
			name:  "a card does not prove that the gene was changed",
			words: []string{"我已经更新了创意规则。"}, receipts: []agents.Receipt{{Kind: "card"}},
			late: []agents.Piece{note},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			early, late := play(newGate(logged{version: 1}, nil), c.words, c.receipts...)
			if early != c.early {
				t.Errorf("shown before the end of the round: %q, want %q", early, c.early)
			}
			if diff := cmp.Diff(c.late, late); diff != "" {
				t.Errorf("at the end of the round (-want +got):\n%s", diff)
			}
		})
	}
}

// Receipts count for the rest of the shift, words given up with a round do not.
func TestGateAcrossRounds(t *testing.T) {
	t.Parallel()
	g := newGate(logged{version: 1}, nil)
	g.Open(1)
	g.Text("我已经记下你的意见。这句没说完")
	if early, late := play(g, []string{"好。"}); early != "好。" || len(late) != 0 {
		t.Fatalf("a round that was given up left something: %q, %v", early, late)
	}
	play(g, []string{"先记下来。"}, agents.Receipt{Kind: "feedback"})
	early, late := play(g, []string{"意见已记录。嗯"})
	if early != "意见已记录。" || len(late) != 1 {
		t.Fatalf("a receipt of an earlier round is not counted: %q, %v", early, late)
	}
	if g.silenced() {
		t.Fatal("the round was not silenced")
	}
	if play(g, []string{"已经下单。"}); !g.silenced() {
		t.Fatal("a round of which all was withheld counts as spoken")
	}
}

// However words are cut into pieces, the same is shown, in order, and only whole
// sentences are missing.
func TestGateDoesNotDependOnPieces(t *testing.T) {
	t.Parallel()
	sentences := []string{"好的。", "我已经更新了规则。", "意见记下了！", "要下单吗？", "I've placed the order. ", "Fine.\n", "V2 有 9 次曝光。"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(sentences)).Draw(t, "sentences"), "")
		var receipts []agents.Receipt
		if rapid.Bool().Draw(t, "noted") {
			receipts = append(receipts, agents.Receipt{Kind: "feedback"})
		}
		whole := shownOf(play(newGate(logged{version: 1}, nil), []string{text}, receipts...))
		var pieces []string
		for rest := []rune(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			pieces, rest = append(pieces, string(rest[:n])), rest[n:]
		}
		cut := shownOf(play(newGate(logged{version: 1}, nil), pieces, receipts...))
		if whole != cut {
			t.Fatalf("at once %q, in pieces %q", whole, cut)
		}
	})
}

func shownOf(early string, late []agents.Piece) string {
	for _, p := range late {
		early += p.Text
	}
	return early
}
