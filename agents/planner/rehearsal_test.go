package planner_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/projections"
)

// stock is a library with favourites: 1 is liked, 2 rated high, 5 disliked.
func stock() []projections.Material {
	out := []projections.Material{
		clip(1, "末日塔防：一炮清场", 8.04, library.Medium), clip(2, "丧尸围城大爆炸", 6.5, library.High),
		clip(3, "废土求生实录", 5, library.Low), clip(4, "没有文件", 0, library.Unrated),
		clip(5, "爆炸集锦", 9, library.High), clip(6, "真人口播讲塔防", 9, library.High),
		clip(7, "僵尸成群", 4.2, library.Medium),
	}
	out[0].Reactions.Likes, out[4].Reactions.Dislikes = 2, 1
	return out
}

func usedBy(b library.BoardCreated) map[domain.ID]int {
	out := map[domain.ID]int{}
	for _, p := range b.Panels {
		out[p.Material]++
	}
	return out
}

func length(b library.BoardCreated) float64 {
	total := 0.0
	for _, p := range b.Panels {
		total += p.Seconds
	}
	return math.Round(total*1000) / 1000
}

func TestRehearsalWritesABoard(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0), stock()...)
	f := b.run()
	got := b.board()
	if f.Outcome != run.Done || f.Reason != run.ReasonFinished {
		t.Fatalf("finished %+v\n%s", f, b.outcomes())
	}
	used := usedBy(got)
	for _, n := range []int{1, 2} {
		if used[clipID(n)] == 0 {
			t.Errorf("clip %d, which people or the analyser like, is not used: %v", n, used)
		}
	}
	for _, n := range []int{4, 5, 6} {
		if used[clipID(n)] > 0 {
			t.Errorf("clip %d is used, though it has no file, is disliked or is to be avoided", n)
		}
	}
	if n := length(got); n > 15 || n < 12 || len(got.Panels) < 5 {
		t.Errorf("%d panels of %g s", len(got.Panels), n)
	}
	if got.Panels[0].Material != clipID(1) && got.Panels[0].Material != clipID(2) {
		t.Errorf("it opens with %s", got.Panels[0].Material)
	}
	captions := map[string]bool{}
	for i, p := range got.Panels {
		captions[p.Caption] = true
		for _, q := range got.Panels[:i] {
			if p.Material == q.Material && p.From < q.To && q.From < p.To {
				t.Errorf("panels %d and %d show the same", q.Number, p.Number)
			}
		}
	}
	if len(captions) < 4 || !strings.Contains(got.Panels[0].Caption, "爆炸") || !strings.Contains(f.Summary, "开场、节奏") {
		t.Errorf("captions %v, summary %q", captions, f.Summary)
	}
	if f.Usage.Billed() > domain.MaxBilledTokens/2 || f.Cost != 0 {
		t.Errorf("it used %.0f tokens and ¥%.2f", f.Usage.Billed(), f.Cost.Yuan())
	}
	rounds, progress := b.steps()
	if len(rounds) > 8 || len(progress) == 0 {
		t.Errorf("%d rounds, progress %v", len(rounds), progress)
	}
}

func TestRehearsalSameLibrarySameBoard(t *testing.T) {
	t.Parallel()
	panels := func() []library.Panel {
		b := newBench(t, rehearsal.New(0), stock()...)
		b.run()
		return b.board().Panels
	}
	if diff := cmp.Diff(panels(), panels()); diff != "" {
		t.Fatal(diff)
	}
}

func TestRehearsalKeepsAndChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0), stock()...)
	b.newRun(run.Request{What: "15 秒，开场爆炸"})
	b.run()
	base := b.board()
	if len(base.Panels) < 5 {
		t.Fatalf("only %d panels", len(base.Panels))
	}
	b.says(base.Board, 5, feedback.Like, "这一格保留")
	b.says(base.Board, 2, feedback.Dislike, "")

	// What nobody spoke about stays; what is disliked changes.
	b.newRun(run.Request{Board: base.Board})
	if f := b.run(); f.Outcome != run.Done || !strings.Contains(f.Summary, "改了第 2 格") {
		t.Fatalf("finished %+v\n%s", f, b.outcomes())
	}
	got := b.board()
	for i, p := range got.Panels {
		if changed := p != base.Panels[i]; changed != (i == 1) {
			t.Errorf("panel %d changed: %t: %+v", i+1, changed, p)
		}
	}
	if got.Panels[1].Material == base.Panels[1].Material {
		t.Error("the disliked panel shows the same clip again")
	}

	// Everything but what people keep is planned anew when the order says so, with
	// what it cites in it.
	b.newRun(run.Request{What: "整体快一点，10 秒", Board: base.Board, Cites: []domain.Ref{{Type: domain.Material, ID: clipID(5)}}})
	if f := b.run(); f.Outcome != run.Done {
		t.Fatalf("finished %+v\n%s", f, b.outcomes())
	}
	got = b.board()
	five, err := json.Marshal(got.Panels[4])
	if was, _ := json.Marshal(base.Panels[4]); err != nil || string(five) != string(was) {
		t.Fatalf("panel 5 was %s, is %s", was, five)
	}
	if n := length(got); n > 10 || usedBy(got)[clipID(5)] == 0 || got.Panels[0] == base.Panels[0] {
		t.Errorf("%g s, %v, opens with %+v", n, usedBy(got), got.Panels[0])
	}

	// A tighter limit than the base board's makes room without touching panel 5.
	b.newRun(run.Request{What: "只改第 1 格", Board: base.Board})
	b.task.Gene.Constraints.MaxFilmSeconds = int(length(base))
	if f := b.run(); f.Outcome != run.Done {
		t.Fatalf("finished %+v\n%s", f, b.outcomes())
	}
	if got := b.board(); got.Panels[0] == base.Panels[0] || got.Panels[3] != base.Panels[3] || length(got) > length(base) {
		t.Errorf("board %+v", got)
	}
}

func TestRehearsalWithinAnyLimit(t *testing.T) {
	t.Parallel()
	for _, seconds := range []int{1, 3, 7, 30, 0} {
		t.Run(fmt.Sprint(seconds), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, rehearsal.New(0), stock()...)
			b.task.Gene.Constraints.MaxFilmSeconds = 15
			b.newRun(run.Request{Cites: []domain.Ref{{Type: domain.Material, ID: clipID(3)}}})
			b.task.Gene.Constraints.MaxFilmSeconds = seconds
			if f := b.run(); f.Outcome != run.Done {
				t.Fatalf("finished %+v\n%s", f, b.outcomes())
			}
			base := b.board()
			if n := length(base); seconds > 0 && n > float64(seconds) || n < min(float64(seconds), 1) || usedBy(base)[clipID(3)] == 0 {
				t.Errorf("%g s, %v", n, usedBy(base))
			}
			b.newRun(run.Request{Board: base.Board, What: "换一版"})
			b.task.Gene.Constraints.MaxFilmSeconds = max(seconds/2, 1)
			if f := b.run(); f.Outcome != run.Done {
				t.Fatalf("worked over: %+v\n%s", f, b.outcomes())
			}
			if n := length(b.board()); n > float64(max(seconds/2, 1)) {
				t.Errorf("worked over: %g s", n)
			}
		})
	}
}

func TestRehearsalInEnglish(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0), stock()...)
	b.newRun(run.Request{What: "A vertical 12 second ad with explosions, no captions in the middle"})
	b.task.Gene.Steer = "Restrain captions: first and last panel only"
	f := b.run()
	got := b.board()
	if !strings.HasPrefix(f.Summary, "Board “") || length(got) > 12 {
		t.Fatalf("summary %q, %g s", f.Summary, length(got))
	}
	for _, p := range got.Panels {
		if strings.ContainsFunc(p.Caption, func(r rune) bool { return r > 0x2E80 }) {
			t.Errorf("a caption in Chinese: %q", p.Caption)
		}
	}
}

// One short clip makes a short board; nothing is shown twice to fill it up.
func TestRehearsalDoesNotPad(t *testing.T) {
	t.Parallel()
	b := newBench(t, rehearsal.New(0), clip(1, "爆炸", 4, library.High))
	if f := b.run(); f.Outcome != run.Done || length(b.board()) > 4 {
		t.Fatalf("finished %+v, %g s", f, length(b.board()))
	}
}

// Told that a cap is near, the model writes with what it knows.
func TestRehearsalEndsInTime(t *testing.T) {
	t.Parallel()
	var many []projections.Material
	for n := 1; n <= 60; n++ {
		many = append(many, clip(n, "塔防爆炸", 8, library.High))
	}
	b := newBench(t, rehearsal.New(0), many...)
	b.env.Caps = agents.Caps{Rounds: 4}
	if f := b.run(); f.Outcome != run.Done || f.Reason != run.ReasonFinished {
		t.Fatalf("finished %+v\n%s", f, b.outcomes())
	}
}
