package planner_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sozai/agents/agentstest"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/library"
	"sozai/domain/run"
)

// baseBoard makes a board of six panels of two seconds.
func (b *bench) baseBoard() library.BoardCreated {
	b.t.Helper()
	var panels []in
	for n := range 6 {
		panels = append(panels, cut(n%2+1, "第 "+string(rune('A'+n)), float64(n/2)*2+0.125, 2))
	}
	b.env.Model = agentstest.Script(round(write(panels...)))
	b.run()
	return b.board()
}

func TestPanelFiveStaysAsItWas(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, clip(1, "爆炸", 8, library.High), clip(2, "丧尸", 7, library.Medium))
	base := b.baseBoard()
	b.says(base.Board, 5, feedback.Like, "这一格很好")
	b.says(base.Board, 2, "", "太慢了，换掉")
	five := base.Panels[4]
	changed := in{"caption": five.Caption, "seconds": five.Seconds, "material": five.Material, "from": five.From, "to": five.To + 0.001}
	copied := in{"number": 5, "caption": five.Caption, "seconds": five.Seconds, "material": five.Material, "from": five.From, "to": five.To}
	script := agentstest.Script(
		round(call("read_board", in{})),
		round(write(cut(1, "新", 0, 1), cut(2, "新", 0, 1), in{"keep": true}, in{"keep": true}, changed)),
		round(write(cut(1, "新", 0, 1), cut(2, "新", 0, 1))),
		round(write(cut(1, "新", 0, 1), cut(2, "新", 0, 1), in{"keep": true}, cut(2, "x", 0, 1), copied)),
	)
	b.env.Model = script
	b.newRun(run.Request{What: "再紧凑一些", Board: base.Board})
	f := b.run()
	got := b.board()
	was, err := json.Marshal(five)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := json.Marshal(got.Panels[4]); err != nil || string(is) != string(was) {
		t.Fatalf("panel 5 was %s, is %s: %v", was, is, err)
	}
	if got.Base != base.Board || got.Panels[2] != base.Panels[2] || !strings.Contains(f.Summary, "第 5 格按大家的意思原样保留") {
		t.Fatalf("board %+v, summary %q", got, f.Summary)
	}
	all := b.outcomes()
	for _, part := range []string{"panel 5: people want it kept: to changed", "panel 5 must be kept, but the board ends with panel 2"} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is missing in:\n%s", part, all)
		}
	}
	opening, shown := script.Requests()[0].Messages[0].Blocks[0].Text, script.Requests()[1].Messages[2].Blocks[0].Text
	if !strings.Contains(opening, `"change":[2]`) || !strings.Contains(opening, `"keep":[{"number":5,`) {
		t.Errorf("opening %s", opening)
	}
	if !strings.Contains(shown, "太慢了，换掉") || strings.Count(shown, `"must_keep":true`) != 1 || strings.Count(shown, `"to_change":true`) != 1 {
		t.Errorf("the board is shown as %s", shown)
	}
}

// What people want kept is dropped by clicks first, and refused where their words
// cannot be met.
func TestKeptPanelsAndTheLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, clip(1, "爆炸", 8, library.High), clip(2, "丧尸", 7, library.Medium))
	base := b.baseBoard()
	for panel := range 6 {
		b.says(base.Board, panel+1, feedback.Like, "")
	}
	b.newRun(run.Request{Board: base.Board})
	b.task.Gene.Constraints.MaxFilmSeconds = 5
	b.env.Model = agentstest.Script(round(write(cut(1, "", 0, 2), cut(2, "", 0, 2))))
	if f := b.run(); f.Outcome != run.Done || !strings.Contains(f.Summary, "第 1、2、3、4、5、6 格没有原样保留") {
		t.Fatalf("finished %+v", f)
	}
	b.newRun(run.Request{What: "前 4 格不要动", Board: base.Board})
	b.task.Gene.Constraints.MaxFilmSeconds = 5
	if f := b.run(); f.Outcome != run.Failed || f.Reason != run.ReasonInput || !strings.Contains(f.Summary, "要保留的第 1、2、3、4 格放不进 5 秒") {
		t.Fatalf("finished %+v", f)
	}
}

// A film's stretch that the request cites means the panels that it shows.
func TestACitedFilmLeadsToItsBoard(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, clip(1, "爆炸", 8, library.High), clip(2, "丧尸", 7, library.Medium))
	base := b.baseBoard()
	b.record(domain.Worker("w1"), library.FilmRendered{
		Film: "01J9ZZZZZZ00000000000F0001", Board: base.Board, Run: b.task.Run, Attempt: 1, GeneVersion: 1,
		Media: library.Media{Hash: strings.Repeat("c", 64), Type: "video/mp4", Seconds: 12},
	})
	b.record(person, feedback.Given{
		Feedback: b.log.NewID(), Words: "这里没看懂", Object: domain.Ref{Type: domain.Film, ID: "01J9ZZZZZZ00000000000F0001", From: 8.5, To: 9},
	})
	script := agentstest.Script(round(call("read_board", in{})), round(write(in{"keep": true}, in{"keep": true}, cut(1, "新", 6, 1.5), in{"keep": true}, in{"keep": true}, in{"keep": true})))
	b.env.Model = script
	b.newRun(run.Request{What: "换成爆炸", Cites: []domain.Ref{{Type: domain.Film, ID: "01J9ZZZZZZ00000000000F0001", From: 4.5, To: 5}}})
	f := b.run()
	if got := b.board(); got.Base != base.Board || got.Panels[2].Caption != "新" || f.Outcome != run.Done {
		t.Fatalf("board %+v", got)
	}
	if text := script.Requests()[0].Messages[0].Blocks[0].Text; !strings.Contains(text, `"change":[3]`) {
		t.Errorf("opening %s", text)
	}
	var shown struct {
		Panels []struct {
			Feedback []struct{ Words string } `json:"feedback"`
		} `json:"panels"`
	}
	if err := json.Unmarshal([]byte(script.Requests()[1].Messages[2].Blocks[0].Text), &shown); err != nil ||
		len(shown.Panels) != 6 || len(shown.Panels[4].Feedback) != 1 {
		t.Errorf("shown %+v: %v", shown, err)
	}
}
