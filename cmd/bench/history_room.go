package main

import (
	"time"

	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/notice"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
)

// talk is a message, or sometimes two or one that is taken back, and the butler's
// answer. during happens while the turn goes on; block introduces it.
func (l *life) talk(block turn.BlockType, during func(t domain.ID) domain.ID) {
	l.say()
	switch l.rng.IntN(20) {
	case 0:
		by := l.person()
		message := l.id()
		l.record(by, chat.Said{Message: message, Text: l.text(30)})
		l.record(by, chat.TakenBack{Message: message})
	case 1, 2:
		l.say()
	}
	l.slot++
	t := l.id()
	butler := domain.Butler(t)
	l.decide(butler, turn.Started{
		Turn: t, Attempt: 1, Slot: l.slot, Messages: l.waiting, Upto: l.waiting[len(l.waiting)-1], GeneVersion: l.version,
	})
	upto := l.waiting[len(l.waiting)-1]
	l.waiting = nil
	rounds := 1 + l.rng.IntN(3)
	for round := range rounds {
		l.step("", t, 1, round+1)
	}
	blocks := []turn.Block{
		{Type: turn.Tool, Call: "c1", Tool: "view_object", Object: l.text(12), Outcome: "ok", Seconds: 0.4},
		{Type: turn.Text, Text: l.text(320)},
	}
	if during != nil {
		blocks = append(blocks, turn.Block{Type: block, Ref: during(t)})
	}
	l.decide(butler, turn.Finished{
		Turn: t, Attempt: 1, Upto: upto, Reason: string(run.ReasonFinished), Blocks: blocks,
		Usage: l.usage(), Cost: domain.Money(rounds * 12_000),
	})
	l.pass(time.Minute, 10*time.Minute)
}

func (l *life) say() {
	message := chat.Said{Message: l.id(), Text: l.text(60)}
	if len(l.materials) > 0 && l.rng.IntN(4) == 0 {
		message.Refs = []domain.Ref{{Type: domain.Material, ID: pick(l.rng, l.materials)}}
	}
	l.record(l.person(), message)
	l.waiting = append(l.waiting, message.Message)
}

// step is one model round of a run or a turn.
func (l *life) step(r, t domain.ID, attempt, round int) {
	by := domain.Butler(t)
	if r != "" {
		by = worker
	}
	calls := []step.Call{{ID: "c1", Tool: "view_object", Input: l.text(40), Output: l.text(200), Outcome: "ok", Seconds: 0.4}}
	if l.rng.IntN(2) == 0 {
		calls = append(calls, step.Call{ID: "c2", Tool: "read_behavior", Input: "{}", Output: l.text(150), Outcome: "ok", Seconds: 0.1})
	}
	l.record(by, step.Recorded{
		Run: r, Turn: t, Attempt: attempt, Round: round, Model: "claude-sonnet-4-6", Prompt: "7", Stop: "tool_use",
		Usage: l.usage(), Cost: 12_000, Why: l.text(60), Calls: calls,
	})
}

// browse is beacons of somebody who looks through the library.
func (l *life) browse(beacons int) {
	for range beacons {
		by := l.person()
		seen := behavior.Observed{Beacon: l.id()}
		for range 1 + l.rng.IntN(11) {
			o := behavior.Observation{ID: l.id(), Type: behavior.Viewed, GeneVersion: l.version, At: l.now,
				Object: domain.Ref{Type: domain.Material, ID: pick(l.rng, l.materials)}}
			switch {
			case len(l.films) > 0 && l.rng.IntN(40) == 0:
				o.Type, o.Object = behavior.Downloaded, domain.Ref{Type: domain.Film, ID: pick(l.rng, l.films)}
			case l.rng.IntN(3) == 0:
				o.Type = behavior.Ignored
			}
			seen.Observations = append(seen.Observations, o)
		}
		l.record(by, seen)
		l.pass(2*time.Second, 20*time.Second)
	}
}

// react is likes, dislikes and words about what there is; one in twenty is taken
// back.
func (l *life) react(n int) {
	for range n {
		by := l.person()
		f := feedback.Given{Feedback: l.id(), Object: domain.Ref{Type: domain.Material, ID: pick(l.rng, l.materials)}, Verdict: feedback.Like}
		switch l.rng.IntN(6) {
		case 0:
			f.Verdict = feedback.Dislike
		case 1:
			f.Verdict, f.Words = feedback.None, l.text(50)
		case 2:
			f.Verdict, f.Words = feedback.Dislike, l.text(30)
			if len(l.boards) > 0 {
				f.Object = domain.Ref{Type: domain.Board, ID: pick(l.rng, l.boards), Panel: 1}
			}
		}
		l.record(by, f)
		if l.rng.IntN(20) == 0 {
			l.record(by, feedback.Withdrawn{Feedback: f.Feedback})
		} else {
			l.open = append(l.open, f.Feedback)
		}
		l.pass(5*time.Second, 2*time.Minute)
	}
}

// cardInTurn is a card that the butler proposes while it answers.
func (l *life) cardInTurn() {
	l.talk(turn.Card, func(t domain.ID) domain.ID { return l.propose(t, "") })
}

func (l *life) propose(t, r domain.ID) domain.ID {
	text := l.search + "\n" + l.text(24)
	p := gene.Proposed{
		Card: l.id(), BaseVersion: l.version, Search: &text, Summary: l.text(20), Reason: l.text(120), Turn: t, Run: r,
		Expires: l.now.Add(domain.ProposalLifetime),
	}
	for _, f := range l.open[max(0, len(l.open)-3):] {
		p.Feedback = append(p.Feedback, gene.Citation{Feedback: f, Document: domain.Search})
	}
	l.cards = append(l.cards, p)
	l.decide(domain.Butler(t+r), p)
	return p.Card
}

// closeCards is a person's word about the cards: the last is applied, which
// expires the others and asks for a check, or all are rejected.
func (l *life) closeCards() {
	by := l.person()
	if l.rng.IntN(3) == 0 {
		for _, c := range l.cards {
			l.decide(by, gene.Rejected{Card: c.Card, Reason: l.text(20), Chips: []string{"方向不对"}})
		}
		l.cards = nil
		return
	}
	last := l.cards[len(l.cards)-1]
	l.version++
	l.search = *last.Search
	applied := gene.Applied{Card: last.Card, Version: l.version, Documents: []string{"search"}}
	for _, c := range last.Feedback {
		applied.Settled = append(applied.Settled, c.Feedback)
	}
	decisions := []domain.Decision{applied, gene.Minted{
		Version: l.version, BaseVersion: l.version - 1, Search: l.search, Steer: l.steer, Origin: gene.OriginCard, Card: last.Card,
		Constraints: domain.Constraints{MaxFilmSeconds: 30, Aspect: "9:16"}, Summary: last.Summary,
		Previous: &gene.Score{Version: l.version - 1, Found: 12, Shown: 10, Adopted: 2, Likes: 4, CostYuan: 0.8},
	}}
	for _, c := range l.cards[:len(l.cards)-1] {
		decisions = append(decisions, gene.Expired{Card: c.Card, Cause: gene.CauseBaseMoved, MovedTo: l.version})
	}
	check := l.id()
	decisions = append(decisions, run.Requested{Run: check, Work: run.Search, Trigger: run.GeneCheck, Card: last.Card, GeneVersion: l.version,
		Request: run.Request{Target: 4}})
	l.cards, l.open = nil, l.open[:max(0, len(l.open)-3)]
	l.decide(by, decisions...)
	l.search4(check)
}

// note is notices that went out.
func (l *life) note(n int) {
	for range n {
		l.record(domain.System("notices"), notice.Sent{Notice: l.id(), About: domain.Ref{Type: domain.Material, ID: pick(l.rng, l.materials)},
			Channel: "feishu", To: pick(l.rng, l.people)})
	}
}
