package butler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSplitSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
		rest       string
	}{
		{"a chinese stop ends at once", "好的。我看了！那", []string{"好的。", "我看了！"}, "那"},
		{"so does a latin one behind a word", "Let me look.", []string{"Let me look."}, ""},
		{"a quotation is not cut", "他说「快一点。再快」，然后。", []string{"他说「快一点。再快」，然后。"}, ""},
		{"numbers keep their point", "V2.1 beats V2. It takes 0.5 sec. ok", []string{"V2.1 beats V2.", " It takes 0.5 sec."}, " ok"},
		{"a stop behind a figure waits", "It is V2.", nil, "It is V2."},
		{"list numbers do not end", "1. first\n2. second\n", []string{"1. first\n", "2. second\n"}, ""},
		{"nor do those behind what announces the list", "共两项：1. 甲；2. 乙。", []string{"共两项：1. 甲；2. 乙。"}, ""},
		{"short forms do not end", "Use e.g. cuts. Then", []string{"Use e.g. cuts."}, " Then"},
		{"questions and ellipses", "等等…真的吗？对", []string{"等等…", "真的吗？"}, "对"},
		{"an open bracket ends with its line", "看（这里。\n好。", []string{"看（这里。\n", "好。"}, ""},
		{"half a character waits", "好。\xe5\xa5", []string{"好。"}, "\xe5\xa5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, rest := splitSentences(c.text)
			if diff := cmp.Diff(c.want, got); diff != "" || rest != c.rest {
				t.Fatalf("rest %q, want %q; sentences (-want +got):\n%s", rest, c.rest, diff)
			}
		})
	}
}

// However the text is cut into pieces, the sentences are the same and nothing is
// lost or moved.
func TestSplitSentencesDoesNotDependOnPieces(t *testing.T) {
	t.Parallel()
	parts := []string{"好的", "。", "！", "V2.1", ". ", ".", "\n", "e.g", " ", "1", "…", "「", "」", "ok", "?", ")", "(", "\""}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "text"), "")
		whole, rest := splitSentences(text)
		if strings.Join(whole, "")+rest != text {
			t.Fatalf("bytes changed: %q + %q", whole, rest)
		}
		var stepwise []string
		held := ""
		for i := range len(text) {
			var done []string
			done, held = splitSentences(held + text[i:i+1])
			stepwise = append(stepwise, done...)
		}
		if diff := cmp.Diff(whole, stepwise); diff != "" || held != rest {
			t.Fatalf("rest %q or %q; at once and byte by byte (-whole +stepwise):\n%s", rest, held, diff)
		}
	})
}
