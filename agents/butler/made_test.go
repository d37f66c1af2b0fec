package butler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sozai/agents/agentstest"
	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/streams"
)

// board is a board of these panels, each over the clip.
func (w *world) board(title string, clip domain.ID, seconds ...float64) domain.Ref {
	w.t.Helper()
	id := w.log.NewID()
	of := w.running(run.Board, run.Request{})
	made := library.BoardCreated{Board: id, Run: of, Attempt: 1, GeneVersion: 1, Title: title}
	for i, s := range seconds {
		made.Panels = append(made.Panels, library.Panel{Number: i + 1, Caption: "第 N 格", Seconds: s, Material: clip, To: s})
	}
	w.record(domain.Worker("w"), made)
	return domain.Ref{Type: domain.Board, ID: id}
}

func (w *world) film(board domain.Ref, seconds float64) domain.Ref {
	w.t.Helper()
	id := w.log.NewID()
	of := w.running(run.Film, run.Request{Board: board.ID})
	w.record(domain.Worker("w"), library.FilmRendered{
		Film: id, Board: board.ID, Run: of, Attempt: 1, GeneVersion: 1,
		Media: library.Media{Hash: strings.Repeat("ef", 32), Type: "video/mp4", Seconds: seconds, Width: 720, Height: 1280},
	})
	return domain.Ref{Type: domain.Film, ID: id}
}

// running is a run that a person asked for and a worker started.
func (w *world) running(work run.Work, request run.Request) domain.ID {
	w.t.Helper()
	of := w.log.NewID()
	w.decide(domain.User(wang), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.Request(run.Requested{Run: of, Work: work, Trigger: run.Hand, Request: request}, now)
	})
	w.decide(domain.Worker("w"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.Start(of, 1, s.Gene.Version)
	})
	return of
}

func view(id string, of domain.Ref) agentstest.Call {
	return call(id, "view_object", m{"type": of.Type, "id": of.ID})
}

// A board is shown panel by panel with what was said of each, a film by its
// stretches, each with the panels that it shows.
func TestViewBoardAndFilm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clip := w.material("峡谷石桥", true)
	board := w.board("爆炸开场", clip.ID, 2, 3, 4)
	film := w.film(board, 9)
	second := board
	second.Panel = 2
	w.feedback(anna, second, feedback.Dislike, "太慢")
	w.feedback(wang, board, feedback.Like, "整体不错")
	stretch := film
	stretch.From, stretch.To = 2.5, 6
	w.feedback(wang, stretch, feedback.Dislike, "这段拖沓")
	w.say(wang, "看看方案和成片")
	end, _, script := w.chat(w.turn(),
		agentstest.Round{Calls: []agentstest.Call{view("b", board), view("f", film), view("m", clip)}},
		agentstest.Round{Text: "好。"},
	)
	w.finish(end)
	got := results(script)
	b := decodeInto[boardOutput](t, got["b"])
	if len(b.Panels) != 3 || b.Seconds != 9 || b.MaxSeconds != 30 || b.Films != 1 || len(b.MadeInto) != 1 || b.MadeInto[0] != film.ID {
		t.Fatalf("%+v", b)
	}
	if p := b.Panels[1]; p.Number != 2 || p.Starts != 2 || p.Shows != "峡谷石桥" || p.NoVideo ||
		len(p.Feedback) != 1 || p.Feedback[0].Words != "太慢" || p.Feedback[0].By != "Anna" || p.Feedback[0].State != "open" {
		t.Fatalf("panel 2: %+v", p)
	}
	if len(b.Panels[0].Feedback)+len(b.Panels[2].Feedback) != 0 || len(b.Feedback) != 1 || b.Feedback[0].By != "小王" {
		t.Fatalf("the board's feedback is mixed up: %+v", b)
	}
	f := decodeInto[filmOutput](t, got["f"])
	if len(f.Panels) != 3 || len(f.Feedback) != 1 || f.Feedback[0].From != 2.5 || !slices.Equal(f.Feedback[0].Panels, []int{2, 3}) {
		t.Fatalf("%+v", f)
	}
	if !slices.Contains(b.QuotedFields, "panels.shows") || !slices.Contains(f.QuotedFields, "panels.shows") {
		t.Fatal("titles of clips are not marked as outside text")
	}
	w.say(wang, "这个方案怎么样？", board)
	ended, err := Chat(w.ctx, w.env(rehearsal.New(0)), w.turn(), nil)
	if err != nil || !slices.ContainsFunc(ended.Blocks, func(b turn.Block) bool { return strings.Contains(b.Text, "第 2 格：Anna说「太慢」") }) {
		t.Fatalf("what was said of panel 2 is not told: %+v, %v", ended.Blocks, err)
	}
	if c := decodeInto[materialOutput](t, got["m"]); c.Boards != 1 || c.Films != 1 || len(c.MadeInto) != 1 || c.MadeInto[0].Films != 1 {
		t.Fatalf("the counts of what was made from it: %+v", c)
	}
}

// An edit after the film was made: what it shows is not known any more.
func TestFilmOfAnEditedBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	board := w.board("方案", w.material("峡谷", true).ID, 2, 3)
	film := w.film(board, 5)
	w.record(domain.User(anna), library.BoardEdited{Board: board.ID, Title: "方案", Panels: []library.Panel{{Number: 1, Caption: "x", Seconds: 4}}})
	w.say(wang, "看看成片")
	_, _, script := w.chat(w.turn(), agentstest.Round{Calls: []agentstest.Call{view("f", film), view("b", board)}}, agentstest.Round{Text: "好。"})
	got := results(script)
	if f := decodeInto[filmOutput](t, got["f"]); len(f.Panels) != 0 || !slices.Contains(f.Missing, "panels") {
		t.Fatalf("%+v", f)
	}
	if b := decodeInto[boardOutput](t, got["b"]); b.EditedBy != "Anna" || len(b.Panels) != 1 || !b.Panels[0].NoVideo {
		t.Fatalf("%+v", b)
	}
}

// What an order asks for can be carried out by the planner and the renderer: it
// points at panels that exist, and what they would refuse is refused before a nod.
func TestOrdersCanBeCarriedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clip := w.material("峡谷石桥", true)
	board, long := w.board("方案", clip.ID, 2, 3), w.board("太长的方案", clip.ID, 20, 20)
	film := w.film(board, 5)
	bare := w.log.NewID()
	w.record(domain.Worker("w"), library.Saved{
		Material: bare, Run: w.running(run.Search, run.Request{}), Attempt: 1, GeneVersion: 1, Source: "fast", External: "x", Title: "没有视频",
	})
	ref := func(r domain.Ref) m { return m{"type": r.Type, "id": r.ID} }
	panel := func(n int) m { return m{"type": "board", "id": board.ID, "panel": n} }
	order := func(work string, more m) m {
		in := m{"work": work, "what": "第 2 格换成爆炸，其余保留", "why": "小王要"}
		for k, v := range more {
			in[k] = v
		}
		return in
	}
	looks := []agentstest.Call{
		view("v1", board), view("v2", long), view("v3", film), view("v4", clip), view("v5", domain.Ref{Type: domain.Material, ID: bare}),
	}
	for _, c := range []struct {
		name, refusal string
		in            m
	}{
		{"a panel that is not there", "no_such_panel", order("board", m{"board": board.ID, "cites": []m{panel(3)}})},
		{"a stretch that is not there", "no_such_stretch", order("board", m{"cites": []m{{"type": "film", "id": film.ID, "from": 7, "to": 9}}})},
		{"videos without files", "no_video", order("board", m{"cites": []m{{"type": "material", "id": bare}}})},
		{"a board from nothing", "needs_cites", order("board", nil)},
		{"a film from nothing", "needs_board", order("film", m{"cites": []m{ref(clip)}})},
		{"a film that the gene forbids", "board_too_long", order("film", m{"board": long.ID})},
		{"several at once", "one_each", order("board", m{"board": board.ID, "target": 3})},
		{"a panel of a material", "a material cannot be", order("board", m{"cites": []m{{"type": "material", "id": clip.ID, "panel": 1}}})},
	} {
		refuses(t, w.try("propose_order", c.in, "第 2 格换成爆炸", looks...), c.refusal)
	}
	if n := len(w.orders()); n != 0 {
		t.Fatalf("%d orders came of refusals", n)
	}
	made := decodeInto[orderOutput](t, w.try("propose_order", order("board", m{"cites": []m{panel(2), ref(clip), {"type": "material", "id": bare}}}), "第 2 格换成爆炸", looks...))
	o := w.orders()[0]
	if o.Request.Board != board.ID || o.Request.Target != 1 || len(o.Request.Cites) != 3 || o.Request.Cites[0] != (domain.Ref{Type: domain.Board, ID: board.ID, Panel: 2}) {
		t.Fatalf("%+v", o.Request)
	}
	if !strings.Contains(made.Note, string(bare)) || !strings.Contains(made.Note, "cost is not known") {
		t.Fatalf("what is left out, or that no cost is known, is not told: %+v", made)
	}
	// A film's board may be cited instead of named.
	if b := w.try("propose_order", order("film", m{"cites": []m{ref(board)}}), "做成片", looks...); b.IsError {
		t.Fatal(b.Text)
	}
	if b := w.try("order_search", m{"what": "像这条的", "why": "小王要", "cites": []m{ref(clip)}}, "找像这条的", looks...); b.IsError {
		t.Fatal(b.Text)
	}
	for _, o := range w.orders() {
		switch o.Work {
		case run.Film:
			if o.Request.Board != board.ID {
				t.Fatalf("the film order names no board: %+v", o.Request)
			}
		case run.Search:
			if len(o.Request.Cites) != 1 || o.Request.Cites[0] != clip {
				t.Fatalf("the search order does not cite: %+v", o.Request)
			}
		}
	}
	refuses(t, w.try("order_search", m{"what": "像这条的", "why": "小王要", "cites": []m{ref(clip)}}, "再找"), "not_viewed")
}

// T10: a card of a digest waits, people go on talking, the digest is cancelled,
// the card and an order expire. No turn waits for anything; the model is told that
// nobody refused, and the feedback is still there to be cited.
func TestNothingWaitsForACard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fb := w.feedback(anna, domain.Ref{Type: domain.Whole}, feedback.None, "转场太花")
	digest := w.digest()
	end, _ := w.runDigest(digest,
		agentstest.Round{Calls: []agentstest.Call{call("f", "read_feedback", m{})}},
		agentstest.Round{Calls: []agentstest.Call{call("p", "propose_update", m{
			"steer": w.gene[1] + "\n转场只用硬切", "summary": "收紧转场", "reason": "Anna", "evidence": []m{}, "feedback": []m{{"id": fb, "document": "steer"}},
		})}},
	)
	w.decide(domain.User(wang), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.RequestCancel(digest.Run, "person")
	})
	end.Outcome, end.Reason = run.Cancelled, run.ReasonCancelled
	w.decide(domain.Worker("w"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) { return s.Run.Finish(end) })

	answered := func(text string, rounds ...agentstest.Round) *agentstest.Scripted {
		w.say(wang, text)
		ended, _, script := w.chat(w.turn(), rounds...)
		if ended.Reason != string(run.ReasonFinished) {
			t.Fatalf("%q was answered with %s", text, ended.Reason)
		}
		w.finish(ended)
		return script
	}
	waiting := answered("在吗", agentstest.Round{Calls: []agentstest.Call{call("o", "order_search", m{"what": "硬切", "why": "小王要"})}}, agentstest.Round{Text: "在。"})
	if text := opening(waiting); !strings.Contains(text, "收紧转场 —— 等待人确认") {
		t.Fatalf("the card that waits is not told:\n%s", text)
	}
	if text := opening(answered("还在等吗", agentstest.Round{Text: "在。"})); !strings.Contains(text, "硬切 —— 等待人确认") {
		t.Fatalf("the order that waits is not told:\n%s", text)
	}
	w.decide(domain.System("timers"), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		card, err := s.Gene.Expire(w.cardID(s), now.Add(domain.ProposalLifetime))
		if err != nil {
			return nil, err
		}
		order, err := s.Run.ExpireOrder(w.orderID(s), now.Add(domain.ProposalLifetime))
		return append(card, order...), err
	})
	text := opening(answered("后来呢", agentstest.Round{Text: "那张卡到期了，没有人拒绝它。"}))
	for _, want := range []string{
		"收紧转场 —— 按规则过期（到期没有人处理），没有人拒绝它；引用的反馈仍然待处理", "硬切 —— 按规则过期（到期没有人处理），没有人拒绝它",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, never := range []string{"驳回", "谢绝"} {
		if strings.Contains(text, never) {
			t.Errorf("an expiry reads like a refusal (%s):\n%s", never, text)
		}
	}
	// The same may be proposed again, on the same feedback.
	again := answered("那再提一次", agentstest.Round{Calls: []agentstest.Call{call("c", "propose_gene_card", m{
		"steer": w.gene[1] + "\n转场只用硬切", "summary": "收紧转场", "reason": "Anna", "evidence": []m{}, "feedback": []m{{"id": fb, "document": "steer"}},
	})}}, agentstest.Round{Text: "好。"})
	if made := decodeInto[cardOutput](t, results(again)["c"]); made.State != gene.StatePending {
		t.Fatalf("%+v", made)
	}
}

func (w *world) cardID(s *streams.State) domain.ID {
	for id := range s.Gene.Cards {
		return id
	}
	w.t.Fatal("no card")
	return ""
}

func (w *world) orderID(s *streams.State) domain.ID {
	for id := range s.Run.Orders {
		return id
	}
	w.t.Fatal("no order")
	return ""
}
