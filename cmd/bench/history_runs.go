package main

import (
	"strconv"
	"time"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
)

// worker plays every run of a history.
const worker domain.Actor = "worker:host-1-abcdef"

// searchRun is a whole search, asked for by hand.
func (l *life) searchRun(trigger run.Trigger, by domain.Actor, target int) {
	if by == "" {
		by = l.person()
	}
	id := l.id()
	l.decide(by, run.Requested{Run: id, Work: run.Search, Trigger: trigger, Request: run.Request{What: l.text(30), Source: "fast", Target: target}})
	l.playSearch(id, target)
}

// search4 is the small search that checks a new version.
func (l *life) search4(id domain.ID) { l.playSearch(id, 4) }

func (l *life) playSearch(id domain.ID, target int) {
	attempt := l.begin(id)
	var products []domain.Ref
	round := 0
	for saved := 0; saved < target; {
		round++
		l.step(id, "", attempt, round)
		for range min(3, target-saved) {
			m := l.id()
			l.record(worker, l.analysis(id, attempt, l.save(id, attempt, m))...)
			l.materials = append(l.materials, m)
			products = append(products, domain.Ref{Type: domain.Material, ID: m})
			saved++
		}
		l.pass(2*time.Second, 20*time.Second)
		l.record(worker, step.Progressed{Run: id, Attempt: attempt, Done: saved, Target: target, Unit: "materials", Page: round, Pages: domain.FastSourcePages})
	}
	l.step(id, "", attempt, round+1)
	l.finish(id, attempt, products)
}

// begin starts a run; one in twenty loses its first worker.
func (l *life) begin(id domain.ID) (attempt int) {
	l.slot++
	l.decide(worker, run.Started{Run: id, Attempt: 1, Slot: l.slot, GeneVersion: l.version})
	if l.rng.IntN(20) > 0 {
		return 1
	}
	l.step(id, "", 1, 1)
	l.pass(domain.SearchOrderInterval/6, domain.SearchOrderInterval/3)
	l.decide(worker, run.AttemptLost{Run: id, Attempt: 1, Cause: run.WorkerLost},
		run.Started{Run: id, Attempt: 2, Slot: l.slot, GeneVersion: l.version})
	return 2
}

func (l *life) finish(id domain.ID, attempt int, products []domain.Ref) {
	l.decide(worker, run.Finished{
		Run: id, Attempt: attempt, Outcome: run.Done, Reason: run.ReasonFinished, Summary: l.text(60), Products: products,
		Usage: l.usage(), Cost: 60_000,
	})
	l.pass(time.Minute, time.Hour)
}

// save is a material of a run.
func (l *life) save(id domain.ID, attempt int, m domain.ID) library.Saved {
	return library.Saved{
		Material: m, Run: id, Attempt: attempt, GeneVersion: l.version, Source: "fast", External: "x" + string(m),
		Title: l.text(24), Author: l.text(6), Platform: "douyin", URL: "https://video.example.org/" + string(m),
		Tags:      []string{"爆炸", "塔防", "末日"},
		Counts:    library.Counts{Plays: l.rng.Int64N(1e6), Likes: l.rng.Int64N(1e5), Shares: l.rng.Int64N(1e4), Comments: l.rng.Int64N(1e4)},
		Published: l.now.Add(-240 * time.Hour), Media: l.media(12), Why: l.text(40),
	}
}

// analysis is the material and its understanding, which come together: nothing
// is kept before it is analysed.
func (l *life) analysis(id domain.ID, attempt int, m library.Saved) []domain.Fact {
	metrics := library.Metrics{Duration: m.Media.Seconds, AverageShot: 1.1, CutsPerMin: 48, FirstCut: 0.8, CutsFirst3s: 3, Motion: 22.5, BlackRatio: 0.01, Aspect: "9:16"}
	for at := 0.8; at < metrics.Duration; at += 0.5 + l.rng.Float64() {
		metrics.Cuts = append(metrics.Cuts, float64(int(at*100))/100)
	}
	metrics.ShotCount = len(metrics.Cuts) + 1
	rating := pick(l.rng, []library.Rating{library.High, library.Medium, library.Medium, library.Low})
	return []domain.Fact{m, library.Analyzed{
		Material: m.Material, Run: id, Attempt: attempt, Analyser: "local-ffmpeg", Ruleset: 3,
		Digest: library.Digest{
			ShotRhythm: l.text(90), SpokenHook: l.text(70), Captions: l.text(70), Highlight: rating,
			HighlightWhy: l.text(50), Verdict: l.text(30),
		},
		Metrics: &metrics, Report: l.text(500),
	}}
}

// orderBoard is an order that the butler proposes in a turn, and the board that
// comes of it. One in five is declined.
func (l *life) orderBoard() {
	cites := []domain.Ref{{Type: domain.Material, ID: pick(l.rng, l.materials)}, {Type: domain.Material, ID: pick(l.rng, l.materials)}}
	id := l.order(run.Board, run.Request{What: l.text(30), Why: l.text(40), Mode: "remix", Cites: cites, CostHint: 200_000})
	if id == "" {
		return
	}
	attempt := l.begin(id)
	for round := range 3 {
		l.step(id, "", attempt, round+1)
	}
	l.record(worker, step.Progressed{Run: id, Attempt: attempt, Done: 1, Target: 2, Unit: "frames"})
	board := l.id()
	l.record(worker, library.BoardCreated{Board: board, Run: id, Attempt: attempt, GeneVersion: l.version, Title: l.text(16), Panels: l.panels(6)})
	l.boards = append(l.boards, board)
	l.finish(id, attempt, []domain.Ref{{Type: domain.Board, ID: board}})
	if l.rng.IntN(2) == 0 {
		l.record(l.person(), library.BoardEdited{Board: board, Title: l.text(16), Panels: l.panels(6)})
	}
}

// orderFilm is the same for a film, made of the last board.
func (l *life) orderFilm() {
	if len(l.boards) == 0 {
		return
	}
	board := l.boards[len(l.boards)-1]
	id := l.order(run.Film, run.Request{What: l.text(30), Why: l.text(40), Mode: "cut", Board: board,
		Cites: []domain.Ref{{Type: domain.Board, ID: board}}, CostHint: 900_000})
	if id == "" {
		return
	}
	attempt := l.begin(id)
	for done := range 6 {
		l.pass(2*time.Second, 10*time.Second)
		l.record(worker, step.Progressed{Run: id, Attempt: attempt, Done: done * 100, Target: 600, Unit: "frames"})
	}
	film := l.id()
	l.record(worker, library.FilmRendered{Film: film, Board: board, Run: id, Attempt: attempt, GeneVersion: l.version, Media: l.media(25)})
	l.films = append(l.films, film)
	l.finish(id, attempt, []domain.Ref{{Type: domain.Film, ID: film}})
}

// order is the card and a person's word about it; "" if it was no.
func (l *life) order(work run.Work, request run.Request) domain.ID {
	order := l.id()
	l.talk(turn.Order, func(t domain.ID) domain.ID {
		l.decide(domain.Butler(t), run.OrderProposed{Order: order, Work: work, Request: request, Turn: t, Expires: l.now.Add(domain.ProposalLifetime)})
		return order
	})
	if l.rng.IntN(5) == 0 {
		l.decide(l.person(), run.OrderDeclined{Order: order, Reason: l.text(20)})
		return ""
	}
	id := l.id()
	l.decide(l.person(), run.OrderConfirmed{Order: order, Run: id},
		run.Requested{Run: id, Work: work, Trigger: run.Order, Request: request, Order: order})
	return id
}

// digest is the unattended shift: it reads, and proposes a card more often than
// not.
func (l *life) digest() {
	id := l.id()
	l.decide(domain.System("digest"), run.Requested{Run: id, Work: run.Digest, Trigger: run.Threshold})
	attempt := l.begin(id)
	for round := range 3 {
		l.step(id, "", attempt, round+1)
	}
	var products []domain.Ref
	if l.rng.IntN(3) > 0 {
		products = []domain.Ref{{Type: domain.CardObj, ID: l.propose("", id)}}
	}
	l.finish(id, attempt, products)
}

func (l *life) panels(n int) []library.Panel {
	panels := make([]library.Panel, n)
	for i := range panels {
		panels[i] = library.Panel{Number: i + 1, Caption: l.text(30), Seconds: 2.5, Material: pick(l.rng, l.materials), From: 1, To: 3.5}
	}
	return panels
}

func (l *life) media(seconds float64) library.Media {
	hash := ""
	for range 4 {
		hash += strconv.FormatUint(l.rng.Uint64()|1<<63, 16)
	}
	return library.Media{Hash: hash, Type: "video/mp4", Bytes: 2_000_000, Seconds: seconds, Width: 720, Height: 1280, Poster: true, Preview: true, HasSound: true}
}
