package main

import (
	"math"
	"testing"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/chat"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/streams"
)

// The mix that is measured is the one that its comment promises.
func TestHistoryHasItsShares(t *testing.T) {
	t.Parallel()
	count := map[domain.Kind]int{}
	all := 0
	for _, d := range chronicle(20, 20_000, (*life).wheel) {
		for _, e := range d.decisions {
			count[e.Decision()]++
			all++
		}
		for _, e := range d.facts {
			count[e.Fact()]++
			all++
		}
	}
	for kind, want := range map[domain.Kind]float64{
		domain.KindStep: 28, domain.KindLibrary: 19, domain.KindTurn: 14, domain.KindRun: 10, domain.KindBehavior: 9,
		domain.KindFeedback: 9, domain.KindChat: 8, domain.KindGene: 2, domain.KindNotice: 1, domain.KindAgent: 0,
	} {
		if got := 100 * float64(count[kind]) / float64(all); math.Abs(got-want) > 1 {
			t.Errorf("%s: %.1f %% of the events, want %.0f", kind, got, want)
		}
	}
}

// What is told about each agent folds, as a log would.
func TestHistoryFolds(t *testing.T) {
	t.Parallel()
	for name, tell := range map[string]func(l *life){"wheel": (*life).wheel, "chat": (*life).chat, "first day": (*life).firstDay} {
		states := map[domain.Key]*streams.State{}
		var seq uint64
		for _, d := range chronicle(3, 3_000, tell) {
			s := states[d.key]
			if s == nil {
				s = &streams.State{}
				states[d.key] = s
			}
			for _, e := range d.events() {
				seq++
				r := domain.Recorded{Event: e, Meta: domain.Meta{Key: d.key, Seq: seq, Time: d.at, Actor: d.actor, Type: e.EventType()}}
				if err := evolve(s, r); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
}

func evolve(s *streams.State, r domain.Recorded) (err error) {
	switch e := r.Event.(type) {
	case domain.Decision:
		switch e.Decision() {
		case domain.KindAgent:
			s.Agent, err = agent.Evolve(s.Agent, r)
		case domain.KindGene:
			s.Gene, err = gene.Evolve(s.Gene, r)
		case domain.KindRun:
			s.Run, err = run.Evolve(s.Run, r)
		case domain.KindTurn:
			s.Turn, err = turn.Evolve(s.Turn, r)
		}
	case domain.Fact:
		if e.Fact() == domain.KindChat {
			s.Chat, err = chat.Evolve(s.Chat, r)
		}
	}
	return err
}

// Every event of it may stand in a log.
func TestHistoryCanBeImported(t *testing.T) {
	t.Parallel()
	events, err := export(chronicle(3, 2_000, (*life).wheel))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i, e := range events {
		if err := e.Check(); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
		if id := e.Header["ce-id"][0]; ids[id] {
			t.Fatalf("event %d repeats the id %s", i, id)
		} else {
			ids[id] = true
		}
	}
}
