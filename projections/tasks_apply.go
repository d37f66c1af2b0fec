package projections

import (
	"fmt"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
)

// tasksProjection is the task center. Progress of a closed attempt is refused and
// counted; so are its rounds, but what they cost was spent and is added.
func tasksProjection() Projection {
	return Projection{
		Name: Tasks, Version: 2,
		Kinds: []domain.Kind{domain.KindRun, domain.KindTurn, domain.KindChat, domain.KindStep},
		open:  func(m *memory) func(domain.Recorded) error { return newTasksTables(m).apply },
	}
}

func (t *tasksTables) apply(r domain.Recorded) error {
	t.follow(r)
	switch e := r.Event.(type) {
	case run.Requested, run.Started, run.AttemptLost, run.CancelRequested, run.Finished:
		return t.applyRun(r)
	case turn.Started, turn.AttemptLost, turn.StopRequested, turn.Finished:
		t.applyTurn(r)
	case chat.Said:
		if t.messages.add(taskMessage{idKey: idOf(r, e.Message), seq: r.Seq, at: r.Time}) &&
			!t.rooms.edit(r.Key, func(room *taskRoom) { room.said = r.Seq }) {
			t.rooms.add(taskRoom{Key: r.Key, said: r.Seq})
		}
	case chat.TakenBack:
		t.messages.edit(idOf(r, e.Message), func(row *taskMessage) { row.takenBack = true })
	case step.Recorded:
		t.applyRound(r, e)
	case step.Progressed:
		t.applyProgress(r, e)
	}
	return nil
}

func (t *tasksTables) applyRun(r domain.Recorded) error {
	switch e := r.Event.(type) {
	case run.Requested:
		t.runs.add(taskRow{
			idKey: idOf(r, e.Run), seq: r.Seq, rev: r.Seq, work: e.Work, trigger: e.Trigger, state: TaskRequested,
			request: e.Request, requester: r.Actor, requestedAt: r.Time, lastSign: r.Time, version: e.GeneVersion,
			products: []domain.Ref{}, order: e.Order, card: e.Card, retryOf: e.RetryOf, continues: e.Continues, day: e.Day,
		})
	case run.Started:
		t.goOn(r, e.Run, func(row *taskRow) {
			row.state = unlessCancelled(row, TaskRunning)
			if row.startedAt.IsZero() {
				row.startedAt = r.Time
			}
			row.attempt, row.version, row.lastSign, row.progress = e.Attempt, e.GeneVersion, r.Time, nil
		})
		t.try(r, e.Run, e.Attempt, e.Slot)
	case run.AttemptLost:
		t.goOn(r, e.Run, func(row *taskRow) {
			row.progress = nil
			if e.Cause == run.HandedOver {
				row.state = unlessCancelled(row, TaskRequested)
				return
			}
			row.state = unlessCancelled(row, TaskWorkerLost)
			row.lost++
		})
		t.endTry(r, e.Run, e.Attempt, e.Cause, 0)
	case run.CancelRequested:
		t.goOn(r, e.Run, func(row *taskRow) { row.state, row.cancel = TaskStopping, e.Cause })
	case run.Finished:
		state := TaskState(e.Outcome)
		if state != TaskDone && state != TaskFailed && state != TaskCancelled {
			return fmt.Errorf("a run cannot end as %q", e.Outcome)
		}
		t.goOn(r, e.Run, func(row *taskRow) {
			row.state, row.outcome, row.reason, row.summary = state, e.Outcome, e.Reason, e.Summary
			row.products = append([]domain.Ref{}, e.Products...)
			row.finishedAt, row.finishedSeq, row.lastSign = r.Time, r.Seq, r.Time
		})
		t.endTry(r, e.Run, e.Attempt, "finished", e.Cost)
	}
	return nil
}

// goOn changes a run that has not ended.
func (t *tasksTables) goOn(r domain.Recorded, id domain.ID, change func(row *taskRow)) {
	t.runs.edit(idOf(r, id), func(row *taskRow) {
		if row.state.Open() {
			row.rev = r.Seq
			change(row)
		}
	})
}

// unlessCancelled is the next state of a run, which stays stopping once it was
// asked to stop.
func unlessCancelled(row *taskRow, next TaskState) TaskState {
	if row.cancel != "" {
		return TaskStopping
	}
	return next
}

func (t *tasksTables) applyTurn(r domain.Recorded) {
	switch e := r.Event.(type) {
	case turn.Started:
		again := t.turns.edit(idOf(r, e.Turn), func(row *taskTurn) {
			row.attempt, row.state = e.Attempt, unlessStopping(row, turnAnswering)
		})
		if !again {
			t.turns.add(taskTurn{
				idKey: idOf(r, e.Turn), seq: r.Seq, state: turnAnswering, startedAt: r.Time, version: e.GeneVersion,
				attempt: e.Attempt, messages: e.Messages, upto: e.Upto,
			})
		}
		t.try(r, e.Turn, e.Attempt, e.Slot)
	case turn.AttemptLost:
		t.answer(r, e.Turn, func(row *taskTurn) { row.state = unlessStopping(row, turnWorkerLost) })
		t.endTry(r, e.Turn, e.Attempt, e.Cause, 0)
	case turn.StopRequested:
		t.answer(r, e.Turn, func(row *taskTurn) { row.state = turnStopping })
	case turn.Finished:
		t.turns.edit(idOf(r, e.Turn), func(row *taskTurn) {
			row.state, row.finishedAt, row.reason, row.upto = turnFinished, r.Time, e.Reason, e.Upto
		})
		t.endTry(r, e.Turn, e.Attempt, "finished", e.Cost)
		t.settle(r, e.Upto)
	}
}

// answer changes a turn that has not ended.
func (t *tasksTables) answer(r domain.Recorded, id domain.ID, change func(row *taskTurn)) {
	t.turns.edit(idOf(r, id), func(row *taskTurn) {
		if row.state != turnFinished {
			change(row)
		}
	})
}

func unlessStopping(row *taskTurn, next string) string {
	if row.state == turnStopping {
		return turnStopping
	}
	return next
}

// settle notes that all messages up to one have been answered. Every message that
// was said has its room.
func (t *tasksTables) settle(r domain.Recorded, upto domain.ID) {
	last, room := t.messages.get(idOf(r, upto)), t.rooms.get(r.Key)
	if last != nil && room != nil && last.seq > room.settled {
		t.rooms.edit(r.Key, func(room *taskRoom) { room.settled = last.seq })
	}
}
