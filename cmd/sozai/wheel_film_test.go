package main

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/projections"
)

// filmSeconds is the agent's hard limit: a short film is drawn quickly.
const filmSeconds = 4

// ask starts a run as a page's button does.
func (w *wheel) ask(t *testing.T, request map[string]any) (run string) {
	t.Helper()
	var asked struct {
		Run string `json:"run"`
		Seq uint64 `json:"seq"`
	}
	w.bo.must(http.MethodPost, w.path("/runs"), request, &asked)
	var shown projections.TaskDetail
	w.bo.get(fmt.Sprintf("%s?min_seq=%d", w.path("/runs/"+asked.Run), asked.Seq), &shown)
	return asked.Run
}

func (w *wheel) task(run string) (r projections.TaskDetail) {
	w.bo.get(w.path("/runs/"+run), &r)
	return r
}

// ended waits for a run and returns what it made.
func (w *wheel) ended(t *testing.T, run string) projections.TaskDetail {
	t.Helper()
	var r projections.TaskDetail
	until(t, "the run ends", func() bool { r = w.task(run); return !r.State.Open() })
	ok(t, r.State == projections.TaskDone && len(r.Products) > 0, "the %s ended as %s (%s): %s", r.Work, r.State, r.Reason, r.Summary)
	return r
}

// boardView is a board as its page shows it.
type boardView struct {
	projections.Board
	Seconds   float64                    `json:"seconds"`
	Materials map[string]any             `json:"materials"`
	Feedback  []projections.FeedbackItem `json:"feedback"`
	Versions  []struct {
		Board string `json:"board"`
	} `json:"versions"`
}

func (w *wheel) boardOf(run projections.TaskDetail) (b boardView) {
	w.bo.get(w.path("/boards/"+string(run.Products[0].ID)), &b)
	return b
}

// drawn asks for a board, and for another that keeps its second panel.
func (w *wheel) drawn(t *testing.T) {
	w.bo.t = t
	run := w.ask(t, map[string]any{"work": "board", "what": "做一版方案，节奏快"})
	if w.kills {
		until(t, "an attempt has started", func() bool { r := w.task(run); return r.Attempt > 0 || !r.State.Open() })
		w.kill("in the middle of a board")
	}
	first := w.boardOf(w.ended(t, run))
	ok(t, len(first.Panels) >= 2 && first.Seconds > 0 && first.Seconds <= filmSeconds+0.01, "the board: %+v", first)
	for _, p := range first.Panels {
		ok(t, p.Material == "" || w.has(p.Material, first.Materials), "panel %d shows a clip that does not come along", p.Number)
	}
	w.bo.must(http.MethodPost, w.path("/feedback"), map[string]any{
		"object": map[string]any{"type": "board", "id": first.Board.Board, "panel": 2}, "verdict": "like", "words": "保留第 2 格",
	}, nil)
	until(t, "the reaction stands at the board", func() bool {
		b := w.boardOf(projections.TaskDetail{Task: projections.Task{Products: w.task(run).Products}})
		return len(b.Feedback) == 1 && b.Feedback[0].Object.Panel == 2
	})
	again := w.boardOf(w.ended(t, w.ask(t, map[string]any{"work": "board", "what": "按反馈再出一版", "board": first.Board.Board})))
	ok(t, again.Base == first.Board.Board && len(again.Versions) == 2, "the new board: base %s, versions %v", again.Base, again.Versions)
	if diff := cmp.Diff(first.Panels[1], again.Panels[1]); diff != "" {
		t.Fatalf("panel 2 was not kept (-first +again):\n%s", diff)
	}
	w.board, w.length = string(again.Board.Board), again.Seconds
}

func (w *wheel) has(id any, clips map[string]any) bool { return clips[fmt.Sprint(id)] != nil }

// filmed makes the film, which plays and has the promised length.
func (w *wheel) filmed(t *testing.T) {
	w.bo.t = t
	run := w.ask(t, map[string]any{"work": "film", "board": w.board})
	if w.kills {
		until(t, "pictures are drawn", func() bool {
			r := w.task(run)
			return r.Progress != nil && r.Progress.Unit == "frames" || !r.State.Open()
		})
		w.kill("in the middle of a film")
	}
	r := w.ended(t, run)
	var film struct {
		projections.Film
		MadeFrom *projections.Board `json:"made_from"`
	}
	w.bo.get(w.path("/films/"+string(r.Products[0].ID)), &film)
	ok(t, film.MadeFrom != nil && string(film.Film.Board) == w.board, "made from %s", film.Film.Board)
	ok(t, math.Abs(film.Media.Seconds-w.length) <= 0.1, "the film lasts %.2f s, the board promised %.2f s", film.Media.Seconds, w.length)
	part, err := w.bo.once(http.MethodGet, "/api/media/"+film.Media.Hash, "", map[string]string{"Range": "bytes=0-99"}, nil)
	ok(t, err == nil && part.status == http.StatusPartialContent && part.header.Get("Content-Type") == "video/mp4", "the file: %v %d", err, part.status)
	ok(t, strings.Contains(string(part.body), "ftyp"), "no mp4: %q", part.body)
	var list struct {
		Films []projections.Film `json:"films"`
	}
	w.bo.get(w.path("/films"), &list)
	ok(t, len(list.Films) == 1, "%d films, want 1", len(list.Films))
}
