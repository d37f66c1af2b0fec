package streams_test

import (
	"strings"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/behavior"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/notice"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
	"sozai/streams"
)

// writer records a history as several people and workers would.
type writer struct {
	t     *testing.T
	log   *streams.Log
	key   domain.Key
	owner domain.ID
}

func (w writer) id() domain.ID { return w.log.NewID() }

func (w writer) command(by domain.Actor) streams.Command {
	return streams.Command{ID: string(w.id()), Actor: by}
}

// decide carries out one command of an actor.
func (w writer) decide(by domain.Actor, decide func(s *streams.State, now time.Time) ([]domain.Decision, error)) {
	w.t.Helper()
	result, err := w.log.Decide(w.t.Context(), w.key, w.command(by), decide)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(result.Events) == 0 {
		w.t.Fatal("the command changed nothing")
	}
}

func (w writer) record(by domain.Actor, facts ...domain.Fact) {
	w.t.Helper()
	if _, err := w.log.Record(w.t.Context(), w.key, w.command(by), facts...); err != nil {
		w.t.Fatal(err)
	}
}

// history records one agent's life, with at least one event of every type.
func history(t *testing.T, log *streams.Log, key domain.Key) {
	w := writer{t: t, log: log, key: key, owner: log.NewID()}
	person, worker := domain.User(w.owner), domain.Worker("w1")
	first := w.begin(person)
	w.search(first, worker, person)
	settled := w.talk(person, worker)
	w.cards(person, settled)
	w.orders(person, worker)
	w.end(person, worker)
}

func (w writer) begin(person domain.Actor) (first domain.ID) {
	first = w.id()
	w.decide(person, func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		created, err := s.Agent.Create(agent.Created{Name: "塔防", Brief: "塔防手游，重度玩家", Creator: w.owner, Sources: []string{"fast", "competitor"}})
		if err != nil {
			return nil, err
		}
		minted, err := s.Gene.Create("爆炸、连击\n真人口播 <3 秒", "开头 3 秒见到塔", domain.Constraints{MaxFilmSeconds: 30, Aspect: "9:16"})
		if err != nil {
			return nil, err
		}
		asked, err := s.Run.Request(run.Requested{Run: first, Work: run.Search, Trigger: run.First, Request: run.Request{What: "第一批", Source: "fast", Target: 8}}, now)
		return append(append(created, minted...), asked...), err
	})
	name, colleague := "塔防大师", w.id()
	w.decide(person, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Agent.Edit(agent.Edited{Name: &name})
	})
	w.decide(person, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Agent.AddMember(colleague, agent.Member)
	})
	w.decide(person, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Agent.RemoveMember(colleague)
	})
	w.decide(person, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Agent.SetSchedule(agent.ScheduleSet{Daily: true, At: "08:30", Zone: "Asia/Shanghai"})
	})
	return first
}

// search carries out the first search: an attempt is lost, the next one finishes.
func (w writer) search(id domain.ID, worker, person domain.Actor) {
	start := func(slot uint64) {
		w.decide(worker, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
			return s.Run.Start(id, slot, s.Gene.Version)
		})
	}
	start(1)
	start(1)
	material := w.id()
	sound := -14.5
	w.record(worker,
		library.Saved{
			Material: material, Run: id, Attempt: 2, GeneVersion: 1, Source: "fast", External: "v-778", Title: "塔被打爆 & 反杀",
			Platform: "douyin", URL: "https://example.com/v/778", Tags: []string{"塔防", "反杀"},
			Counts: library.Counts{Plays: 120_000, Likes: 3400}, Published: time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC),
			Media: library.Media{Hash: strings.Repeat("ab", 32), Type: "video/mp4", Bytes: 900_000, Seconds: 21.5, Width: 720, Height: 1280, HasSound: true},
		},
		library.Analyzed{
			Material: material, Run: id, Attempt: 2, Analyser: "local", Ruleset: 3,
			Digest:  library.Digest{ShotRhythm: "快切", SpokenHook: "无", Captions: "大字", Highlight: library.High, Verdict: "开头抓人", Missing: []string{"spoken_hook"}},
			Metrics: &library.Metrics{Duration: 21.5, Cuts: []float64{1.2, 2.4}, ShotCount: 3, Aspect: "9:16", LoudnessLUFS: &sound},
		})
	w.record(worker, step.Recorded{Run: id, Attempt: 2, Round: 1, Model: "rehearsal", Prompt: "7", Stop: "tool_use", Usage: domain.Usage{Known: true, Input: 900, Output: 80}, Cost: 1200, Why: "换词再搜",
		Calls: []step.Call{{ID: "c1", Tool: "search_fast", Input: "塔防 爆炸", Output: "12", Outcome: "ok", Seconds: 0.4}}})
	w.record(worker, step.Progressed{Run: id, Attempt: 2, Done: 1, Target: 8, Unit: "materials", Page: 1, Pages: 12})
	w.decide(worker, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.Finish(run.Finished{Run: id, Attempt: 2, Outcome: run.Done, Reason: run.ReasonFinished, Summary: "找到 1 条", Products: []domain.Ref{{Type: domain.Material, ID: material}}})
	})
	w.record(person, behavior.Observed{Beacon: w.id(), Observations: []behavior.Observation{
		{ID: w.id(), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: material}, Run: id, GeneVersion: 1, At: time.Date(2026, 7, 16, 9, 0, 0, 0, time.UTC)},
	}})
	w.record(person, library.AssetUploaded{Asset: w.id(), Title: "自拍素材", File: "clip.mp4", Media: library.Media{Hash: strings.Repeat("cd", 32), Type: "video/mp4", Bytes: 10, Seconds: 4, Width: 720, Height: 1280}})
}

// talk is two messages, one taken back, and an answer that a person stops.
func (w writer) talk(person, worker domain.Actor) (settled domain.ID) {
	said, taken, answer := w.id(), w.id(), w.id()
	w.record(person, chat.Said{Message: said, Text: "爆炸感不够，@1 那条好"})
	w.record(person, chat.Said{Message: taken, Text: "发错了"})
	w.record(person, chat.TakenBack{Message: taken})
	w.decide(worker, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Turn.Start(turn.Started{Turn: answer, Slot: 9, Messages: []domain.ID{said}, GeneVersion: s.Gene.Version})
	})
	w.decide(worker, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Turn.Lose(answer, 1, run.HandedOver)
	})
	w.decide(worker, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Turn.Resume(9)
	})
	given, withdrawn := w.id(), w.id()
	w.record(domain.Butler(answer), feedback.Given{Feedback: given, Object: domain.Ref{Type: domain.Whole}, Words: "爆炸感不够", OnBehalf: w.owner, Turn: answer, Document: domain.Search})
	w.record(person, feedback.Given{Feedback: withdrawn, Object: domain.Ref{Type: domain.Whole}, Verdict: feedback.Like})
	w.record(person, feedback.Withdrawn{Feedback: withdrawn})
	w.decide(person, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Turn.RequestStop(answer)
	})
	w.decide(worker, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Turn.Finish(turn.Finished{Turn: answer, Attempt: 2, Reason: turn.Stopped, Cost: 800, Blocks: []turn.Block{
			{Type: turn.Text, Text: "我记下了"}, {Type: turn.Tool, Call: "c2", Tool: "record_feedback", Outcome: "ok", Seconds: 0.1},
		}})
	})
	return given
}

// cards are four: one rejected, one applied, one that moved with it, one too old.
func (w writer) cards(person domain.Actor, settled domain.ID) {
	butler := domain.Butler(w.id())
	propose := func(search string, cites ...gene.Citation) domain.ID {
		id := w.id()
		w.decide(butler, func(s *streams.State, now time.Time) ([]domain.Decision, error) {
			text := s.Gene.Search + "\n" + search
			return s.Gene.Propose(gene.Proposed{Card: id, BaseVersion: s.Gene.Version, Search: &text, Summary: "加一条", Reason: "大家都说不够炸", Feedback: cites}, butler, now)
		})
		return id
	}
	rejected, applied := propose("慢镜头"), propose("更炸", gene.Citation{Feedback: settled, Document: domain.Search})
	propose("夜景") // its base moves
	w.decide(person, func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Gene.Reject(rejected, "不要慢镜头", []string{"off_brief"}, person, now)
	})
	w.decide(person, func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		events, err := s.Gene.Apply(gene.ApplyCard{Card: applied, Previous: &gene.Score{Version: 1, AsOf: 9, Found: 1, Shown: 1}}, person, now)
		if err != nil {
			return nil, err
		}
		check, err := s.Run.Request(run.Requested{Run: w.id(), Work: run.Search, Trigger: run.GeneCheck, Card: applied, GeneVersion: 2, Request: run.Request{Source: "fast", Target: 4}}, now)
		return append(events, check...), err
	})
	old := propose("雨天")
	w.decide(domain.System("timers"), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Gene.Expire(old, now.Add(domain.ProposalLifetime+time.Hour))
	})
}

// orders are three: confirmed and cancelled, declined, expired.
func (w writer) orders(person, worker domain.Actor) {
	propose := func(work run.Work, request run.Request) domain.ID {
		id := w.id()
		request.What, request.Why = "做一版", "有好素材了"
		w.decide(domain.Butler(w.id()), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
			return s.Run.ProposeOrder(run.OrderProposed{Order: id, Work: work, Request: request}, now)
		})
		return id
	}
	board, id, making := propose(run.Board, run.Request{Mode: "remix", Target: 1}), w.id(), w.id()
	w.decide(person, func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.ConfirmOrder(board, making, person, now)
	})
	w.decide(worker, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.Start(making, 20, s.Gene.Version)
	})
	panels := []library.Panel{{Number: 1, Caption: "塔亮相", Seconds: 3}, {Number: 2, Caption: "爆炸", Seconds: 2}}
	w.record(worker, library.BoardCreated{Board: id, Run: making, Attempt: 1, GeneVersion: 2, Title: "第一版", Panels: panels})
	w.record(person, library.BoardEdited{Board: id, Title: "第一版（改）", Panels: panels[:1]})
	w.record(worker, library.FilmRendered{Film: w.id(), Board: id, Run: making, Attempt: 1, GeneVersion: 2, Media: library.Media{Hash: strings.Repeat("ef", 32), Type: "video/mp4", Bytes: 5, Seconds: 5, Width: 720, Height: 1280}})
	w.decide(person, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.RequestCancel(making, run.CancelPerson)
	})
	w.decide(worker, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Run.Finish(run.Finished{Run: making, Attempt: 1, Outcome: run.Cancelled, Reason: run.ReasonCancelled})
	})
	declined, old := propose(run.Film, run.Request{Mode: "cut", Board: id, Target: 1}), propose(run.Search, run.Request{Source: "fast", Target: 5})
	w.decide(person, func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.DeclineOrder(declined, "先不做", person, now)
	})
	w.decide(domain.System("timers"), func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.ExpireOrder(old, now.Add(domain.ProposalLifetime+time.Hour))
	})
	about := domain.Ref{Type: domain.Board, ID: id}
	w.record(domain.System("notices"), notice.Sent{Notice: w.id(), About: about, Channel: "feishu", To: w.owner},
		notice.Failed{Notice: w.id(), About: about, Channel: "mail", To: w.owner, Error: "550 no such user"})
}

// end is what an import leaves behind, and the last word.
func (w writer) end(person, worker domain.Actor) {
	w.decide(domain.System("import"), func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		ends := s.Run.EndImported()
		imported, err := s.Agent.Import(agent.Imported{From: "EVENTS 2026-07-01T00:00:00Z", Events: 60, Digest: strings.Repeat("0f", 32)})
		return append(ends, imported...), err
	})
	w.decide(person, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Agent.Archive("项目结束")
	})
}
