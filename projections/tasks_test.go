package projections_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
	"sozai/projections"
	"sozai/projections/projectionstest"
)

func (b *bundle) task(n int) projections.TaskDetail {
	b.t.Helper()
	b.catchUp()
	return must[projections.TaskDetail](b.t)(b.store.Task(context.Background(), key, id("run", n)))
}

func TestTaskStates(t *testing.T) {
	b := setup(t)
	worker := domain.Worker("w1")
	r1 := id("run", 1)
	for _, c := range []struct {
		event   domain.Event
		state   projections.TaskState
		attempt int
		lost    int
	}{
		{run.Requested{Run: r1, Work: run.Search, Trigger: run.Hand}, projections.TaskRequested, 0, 0},
		{run.Started{Run: r1, Attempt: 1, Slot: 5, GeneVersion: 3}, projections.TaskRunning, 1, 0},
		{run.AttemptLost{Run: r1, Attempt: 1, Cause: run.WorkerLost}, projections.TaskWorkerLost, 1, 1},
		{run.Started{Run: r1, Attempt: 2, Slot: 5, GeneVersion: 3}, projections.TaskRunning, 2, 1},
		{run.AttemptLost{Run: r1, Attempt: 2, Cause: run.HandedOver}, projections.TaskRequested, 2, 1},
		{run.Started{Run: r1, Attempt: 3, Slot: 5, GeneVersion: 3}, projections.TaskRunning, 3, 1},
		{run.CancelRequested{Run: r1, Cause: "person"}, projections.TaskStopping, 3, 1},
		{run.AttemptLost{Run: r1, Attempt: 3, Cause: run.WorkerLost}, projections.TaskStopping, 3, 2},
		{run.Finished{Run: r1, Outcome: run.Cancelled, Reason: run.ReasonCancelled}, projections.TaskCancelled, 3, 2},
		{run.AttemptLost{Run: r1, Attempt: 3, Cause: run.WorkerLost}, projections.TaskCancelled, 3, 2},
	} {
		b.log.Add(key, worker, c.event)
		got := b.task(1)
		if got.State != c.state || got.Attempt != c.attempt || got.Lost != c.lost {
			t.Errorf("after %s: %s, attempt %d, %d lost; want %s, %d, %d", c.event.EventType(), got.State, got.Attempt, got.Lost, c.state, c.attempt, c.lost)
		}
	}
	got := b.task(1)
	if got.GeneVersion != 3 || got.FinishedAt.IsZero() || got.StartedAt.IsZero() || len(got.Attempts) != 3 || got.Attempts[1].End != run.HandedOver {
		t.Errorf("the run at its end: %+v", got)
	}
}

func TestTaskLateFactsAreCountedNotShown(t *testing.T) {
	b := setup(t)
	wheel(b.log, key)
	got := b.task(1)
	if len(got.Steps) != 2 || got.Steps[0].Why != "look" || got.Steps[0].Calls[0].Tool != "search_fast" {
		t.Errorf("rounds: %+v, want the two of live attempts", got.Steps)
	}
	if got.Progress != nil {
		t.Errorf("progress of the lost attempt still shows: %+v", got.Progress)
	}
	if got.Cost != 3500 || got.Usage != (domain.Usage{Known: true, Input: 33, Output: 13}) {
		t.Errorf("cost %d usage %+v, want those of every attempt, the late round too", got.Cost, got.Usage)
	}
	if got := b.task(3); got.Cost != 50_000 {
		t.Errorf("a run without rounds cost %d, want what its end says", got.Cost)
	}
	b.log.Add(key, domain.Worker("w1"), step.Progressed{Run: id("run", 1), Attempt: 2, Done: 9, Unit: "materials"})
	b.catchUp()
	want := map[string]int{"step.recorded late_attempt": 1, "run.progressed late_attempt": 1}
	if diff := cmp.Diff(want, b.refused(projections.Tasks)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func TestTaskRoundsCountOnce(t *testing.T) {
	b := setup(t)
	round := step.Recorded{Run: id("run", 1), Attempt: 1, Round: 1, Cost: 40}
	b.log.Add(key, domain.Worker("w1"),
		run.Requested{Run: id("run", 1), Work: run.Search, Trigger: run.Hand},
		run.Started{Run: id("run", 1), Attempt: 1, GeneVersion: 1}, round, round)
	if got := b.task(1); got.Cost != 40 || got.Rounds != 1 || got.Usage.Known {
		t.Errorf("a round recorded twice: cost %d, %d rounds, known %v; want 40, 1, false", got.Cost, got.Rounds, got.Usage.Known)
	}
}

func TestTasksListing(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	wheel(b.log, other)
	b.catchUp()
	list := func(f projections.TaskFilter) []domain.ID {
		t.Helper()
		f.Product = "demo"
		var out []domain.ID
		for _, task := range must[[]projections.Task](t)(b.store.Tasks(ctx, f)) {
			out = append(out, task.Run)
		}
		return out
	}
	mine := []domain.ID{key.Agent}
	for name, c := range map[string]struct {
		filter projections.TaskFilter
		want   []domain.ID
	}{
		"an agent's":  {projections.TaskFilter{Agents: mine}, []domain.ID{id("run", 6), id("run", 5), id("run", 4), id("run", 3), id("run", 2), id("run", 1)}},
		"cancelled":   {projections.TaskFilter{Agents: mine, States: []projections.TaskState{projections.TaskCancelled}}, []domain.ID{id("run", 6)}},
		"works":       {projections.TaskFilter{Agents: mine, Works: []run.Work{run.Board, run.Film}}, []domain.ID{id("run", 4), id("run", 3)}},
		"version":     {projections.TaskFilter{Agents: mine, Version: 1}, []domain.ID{id("run", 1)}},
		"trigger":     {projections.TaskFilter{Agents: mine, Trigger: run.GeneCheck}, []domain.ID{id("run", 2)}},
		"before":      {projections.TaskFilter{Agents: mine, Before: 43, Limit: 1}, []domain.ID{id("run", 3)}},
		"nobody's":    {projections.TaskFilter{Agents: []domain.ID{}}, nil},
		"the product": {projections.TaskFilter{Works: []run.Work{run.Digest}}, []domain.ID{id("run", 5), id("run", 5)}},
	} {
		if diff := cmp.Diff(c.want, list(c.filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := must[[]projections.Task](t)(b.store.RunOutcomes(ctx, key, 41, 0)); len(got) != 3 || got[0].Run != id("run", 4) {
		t.Errorf("outcomes after 41: %+v, want runs 4, 5, 6", got)
	}
	_, err := b.store.Task(ctx, key, id("run", 99))
	if domain.CodeOf(err) != domain.NotFound {
		t.Errorf("an unknown run: %v, want not_found", err)
	}
	if _, err := b.store.Task(ctx, domain.Key{Product: "else", Agent: key.Agent}, id("run", 1)); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("another product's run: %v, want not_found", err)
	}
}

func TestOpenWork(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	msg := func(n int) chat.Said { return chat.Said{Message: id("msg", n), Text: "hello"} }
	room := func() projections.OpenRoom {
		t.Helper()
		b.catchUp()
		_, rooms, err := b.store.OpenWork(ctx)
		if err != nil {
			t.Fatalf("open work: %v", err)
		}
		one := must[projections.OpenRoom](t)(b.store.Room(ctx, key))
		switch {
		case len(rooms) == 0:
			rooms = []projections.OpenRoom{{Key: key}}
		case len(rooms) > 1:
			t.Fatalf("%d open rooms, want one", len(rooms))
		}
		if diff := cmp.Diff(rooms[0], one); diff != "" {
			t.Errorf("Room and OpenWork differ:\n%s", diff)
		}
		return one
	}
	if got := room(); got.Turn != "" || len(got.Waiting) != 0 {
		t.Errorf("an empty room: %+v", got)
	}
	b.log.Add(key, domain.User(lin), msg(1), msg(2), chat.TakenBack{Message: id("msg", 2)})
	if got := room(); got.Turn != "" || !cmp.Equal(got.Waiting, []domain.ID{id("msg", 1)}) || got.Oldest.IsZero() {
		t.Errorf("a message waits, one was taken back: %+v", got)
	}
	b.log.Add(key, domain.Butler(id("turn", 1)), turn.Started{Turn: id("turn", 1), Attempt: 1, Messages: []domain.ID{id("msg", 1)}, Upto: id("msg", 1)})
	b.log.Add(key, domain.User(wang), msg(3))
	if got := room(); got.Turn != id("turn", 1) || got.State != "answering" || !cmp.Equal(got.Waiting, []domain.ID{id("msg", 3)}) {
		t.Errorf("a message came during the turn: %+v", got)
	}
	b.log.Add(key, domain.User(wang), turn.StopRequested{Turn: id("turn", 1)})
	if got := room(); got.State != "stopping" {
		t.Errorf("stop was asked: %+v", got)
	}
	b.log.Add(key, domain.Butler(id("turn", 1)), turn.Finished{Turn: id("turn", 1), Attempt: 1, Upto: id("msg", 1), Reason: "stopped"})
	if got := room(); got.Turn != "" || !cmp.Equal(got.Waiting, []domain.ID{id("msg", 3)}) {
		t.Errorf("the turn settled only what it had read: %+v", got)
	}
	b.log.Add(key, domain.Butler(id("turn", 2)),
		turn.Started{Turn: id("turn", 2), Attempt: 1, Messages: []domain.ID{id("msg", 3)}, Upto: id("msg", 3), GeneVersion: 4},
		step.Recorded{Turn: id("turn", 2), Attempt: 1, Round: 1, Cost: 11},
		turn.AttemptLost{Turn: id("turn", 2), Attempt: 1, Cause: run.WorkerLost})
	if got := room(); got.State != "worker_lost" || got.Turn != id("turn", 2) {
		t.Errorf("the turn's worker is gone: %+v", got)
	}
	detail := must[projections.TurnDetail](t)(b.store.Turn(ctx, key, id("turn", 2)))
	if detail.Version != 4 || len(detail.Attempts) != 1 || len(detail.Steps) != 1 || detail.CostYuan != 0.000011 {
		t.Errorf("the turn: %+v", detail)
	}
	b.log.Add(key, domain.Butler(id("turn", 2)), turn.Finished{Turn: id("turn", 2), Upto: id("msg", 3), Reason: "worker_lost"})
	if got := room(); got.Turn != "" || len(got.Waiting) != 0 {
		t.Errorf("everything is settled: %+v", got)
	}
	b.log.Add(key, domain.User(lin), run.Requested{Run: id("run", 1), Work: run.Search, Trigger: run.Hand})
	b.catchUp()
	runs, _, err := b.store.OpenWork(ctx)
	if err != nil || len(runs) != 1 || runs[0].Run != id("run", 1) || runs[0].State != projections.TaskRequested {
		t.Errorf("open runs: %+v, %v", runs, err)
	}
}

func TestReadsBeforeAnythingWasAppliedAreRefused(t *testing.T) {
	t.Parallel()
	_, err := projections.NewStore(projectionstest.Migrated(t)).Room(context.Background(), key)
	if !errors.Is(err, projections.ErrBuilding) {
		t.Errorf("a read without a generation: %v, want projection_building", err)
	}
}

// What turns have settled stays so, whatever ends later or is said twice.
func TestSettledMessagesStaySettled(t *testing.T) {
	b := setup(t)
	said := func(n int) chat.Said { return chat.Said{Message: id("msg", n), Text: "hello"} }
	ended := func(n, upto int) turn.Finished {
		return turn.Finished{Turn: id("turn", n), Attempt: 1, Upto: id("msg", upto), Reason: "finished"}
	}
	for _, c := range []struct {
		what    string
		event   domain.Event
		waiting []domain.ID
	}{
		{"the first message", said(1), []domain.ID{id("msg", 1)}},
		{"the second", said(2), []domain.ID{id("msg", 1), id("msg", 2)}},
		{"an end with a message that nobody said", ended(1, 9), []domain.ID{id("msg", 1), id("msg", 2)}},
		{"an end with both", ended(2, 2), []domain.ID{}},
		{"an older end", ended(3, 1), []domain.ID{}},
		{"the first once more", said(1), []domain.ID{}},
		{"the third", said(3), []domain.ID{id("msg", 3)}},
		{"the third taken back", chat.TakenBack{Message: id("msg", 3)}, []domain.ID{}},
	} {
		b.log.Add(key, domain.User(lin), c.event)
		b.catchUp()
		room := must[projections.OpenRoom](t)(b.store.Room(context.Background(), key))
		if diff := cmp.Diff(c.waiting, append([]domain.ID{}, room.Waiting...)); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", c.what, diff)
		}
	}
	b.same()
}

func TestARunThatEndsInNoKnownWayIsPoison(t *testing.T) {
	b := setup(t)
	b.log.Add(key, domain.User(lin), run.Requested{Run: id("run", 1), Work: run.Search, Trigger: run.Hand})
	bad := b.log.Add(key, domain.Worker("w1"), run.Finished{Run: id("run", 1), Outcome: "requested"})
	b.catchUp()
	at := slices.IndexFunc(must[[]projections.ParkedAgent](t)(b.store.Parked(context.Background())), func(p projections.ParkedAgent) bool {
		return p.Projection == projections.Tasks && p.Key == key && p.Seq == bad
	})
	if got := b.task(1); at < 0 || got.State != projections.TaskRequested {
		t.Errorf("the run is %s; want it as it was and its agent parked in tasks", got.State)
	}
}
