package web

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// A late joiner's text plus what follows equals the worker's text, whatever live
// frames are lost, doubled or held up, as long as the worker answers in the end.
func TestAnswerIsWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"爆", "boom ", "x", "\n", "🎬"}), 1, 40).Draw(t, "pieces")
		var a answer
		a.begin("T", 1)
		var whole, shown string // the worker's text; what an early socket has
		late, joined := "", false
		see := func(d deltaFrame) {
			if d.Text == "" {
				return
			}
			if d.Offset != len(shown) {
				t.Fatalf("a socket with %d bytes got offset %d", len(shown), d.Offset)
			}
			shown += d.Text
			if joined {
				if d.Offset != len(late) {
					t.Fatalf("the late joiner with %d bytes got offset %d", len(late), d.Offset)
				}
				late += d.Text
			}
		}
		for i, p := range pieces {
			d := deltaFrame{Turn: "T", Attempt: 1, Offset: len(whole), Text: p}
			whole += p
			for range rapid.IntRange(0, 2).Draw(t, "times") { // lost, once, twice
				if a.accepts(d.Turn, d.Attempt) {
					fresh, _ := a.add(d)
					see(fresh)
				}
			}
			if !joined && rapid.Bool().Draw(t, "join") {
				joined = true
				for _, f := range a.soFar() {
					var d deltaFrame
					if json.Unmarshal(f, &d) != nil || d.Offset != 0 {
						t.Fatalf("so far: %s", f)
					}
					late = d.Text
				}
			}
			if i == len(pieces)-1 || rapid.IntRange(0, 4).Draw(t, "ask") == 0 {
				see(a.catchUp(soFar{Turn: "T", Attempt: 1, Text: whole}))
			}
		}
		if shown != whole || joined && late != whole {
			t.Fatalf("worker %q, early %q, late %q", whole, shown, late)
		}
	})
}

func TestAnswerAttempts(t *testing.T) {
	t.Parallel()
	var a answer
	a.begin("T", 1)
	a.add(deltaFrame{Turn: "T", Attempt: 1, Text: "old"})
	if !a.accepts("T", 2) || len(a.text) != 0 {
		t.Fatal("a new attempt begins with an empty text, even before its event is here")
	}
	a.add(deltaFrame{Turn: "T", Attempt: 2, Text: "new"})
	a.begin("T", 2) // the event comes later
	if string(a.text) != "new" {
		t.Fatalf("text %q", a.text)
	}
	if a.accepts("T", 1) {
		t.Fatal("an old attempt's frame shows")
	}
	if d := a.catchUp(soFar{Turn: "T", Attempt: 1, Text: "older and longer"}); d.Text != "" {
		t.Fatal("an old attempt's text shows")
	}
	if !a.accepts("U", 1) {
		t.Fatal("the next turn's frames may come before its event")
	}
	a.end("T") // and before the last one's end
	if a.turn != "U" || a.accepts("T", 3) {
		t.Fatal("a turn that is over comes back")
	}
	a.end("U")
	if a.accepts("U", 1) || len(a.soFar()) != 0 {
		t.Fatal("a late frame of a finished turn shows")
	}
	if a.accepts("", 1) || a.accepts("V", 0) {
		t.Fatal("nonsense is accepted")
	}
}

func TestAnswerTools(t *testing.T) {
	t.Parallel()
	var a answer
	a.begin("T", 1)
	a.add(deltaFrame{Turn: "T", Attempt: 1, Text: "let me see"})
	a.tool(toolFrame{Turn: "T", Attempt: 1, Offset: 10, Call: "c1", Tool: "read_gene", State: "started"})
	a.tool(toolFrame{Turn: "T", Attempt: 1, Offset: 10, Call: "c1", Tool: "read_gene", State: "ended", Outcome: "ok"})
	frames := a.soFar()
	if len(frames) != 2 || !hasAll(string(frames[0]), frameDelta, "let me see") || !hasAll(string(frames[1]), frameTool, `"state":"ended"`) {
		t.Fatalf("%s", frames)
	}
}
