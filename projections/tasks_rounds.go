package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/step"
)

type tryKey struct {
	domain.Key
	subject domain.ID
	attempt int
}

type tryRow struct {
	tryKey
	slot      uint64
	worker    domain.Actor
	startedAt time.Time
	endedAt   time.Time
	ended     string
	rounds    int
	usage     domain.Usage
	stepCost  domain.Money
	endCost   domain.Money
}

type stepKey struct {
	tryKey
	round int
}

type stepRow struct {
	stepKey
	seq  uint64
	at   time.Time
	late bool
	body any // step.Recorded
}

func newTries(m *memory) *table[tryKey, tryRow] {
	return newTable(m, layout[tryKey, tryRow]{
		name:  "attempts",
		owner: func(r *tryRow) *domain.Key { return &r.Key },
		key:   func(r *tryRow) *tryKey { return &r.tryKey },
		id: []column[tryRow]{
			text("subject", func(r *tryRow) *domain.ID { return &r.subject }),
			integer("attempt", func(r *tryRow) *int { return &r.attempt }),
		},
		rest: []column[tryRow]{
			bigint("slot", func(r *tryRow) *uint64 { return &r.slot }),
			text("worker", func(r *tryRow) *domain.Actor { return &r.worker }),
			moment("started_at", func(r *tryRow) *time.Time { return &r.startedAt }),
			moment("ended_at", func(r *tryRow) *time.Time { return &r.endedAt }),
			text("ended", func(r *tryRow) *string { return &r.ended }),
			integer("rounds", func(r *tryRow) *int { return &r.rounds }),
			flag("known", func(r *tryRow) *bool { return &r.usage.Known }),
			bigint("input", func(r *tryRow) *int { return &r.usage.Input }),
			bigint("cache_write", func(r *tryRow) *int { return &r.usage.CacheWrite }),
			bigint("cache_read", func(r *tryRow) *int { return &r.usage.CacheRead }),
			bigint("output", func(r *tryRow) *int { return &r.usage.Output }),
			bigint("step_cost", func(r *tryRow) *domain.Money { return &r.stepCost }),
			bigint("end_cost", func(r *tryRow) *domain.Money { return &r.endCost }),
		},
	})
}

func newSteps(m *memory) *table[stepKey, stepRow] {
	return newTable(m, layout[stepKey, stepRow]{
		name:  "steps",
		owner: func(r *stepRow) *domain.Key { return &r.Key },
		key:   func(r *stepRow) *stepKey { return &r.stepKey },
		id: []column[stepRow]{
			text("subject", func(r *stepRow) *domain.ID { return &r.subject }),
			integer("attempt", func(r *stepRow) *int { return &r.attempt }),
			integer("round", func(r *stepRow) *int { return &r.round }),
		},
		rest: []column[stepRow]{
			bigint("seq", func(r *stepRow) *uint64 { return &r.seq }),
			moment("at", func(r *stepRow) *time.Time { return &r.at }),
			flag("late", func(r *stepRow) *bool { return &r.late }),
			document("body", func(r *stepRow) *any { return &r.body }),
		},
	})
}

// try begins an attempt.
func (t *tasksTables) try(r domain.Recorded, subject domain.ID, attempt int, slot uint64) {
	t.tries.add(tryRow{
		tryKey: tryKey{r.Key, subject, attempt}, slot: slot, worker: r.Actor, startedAt: r.Time, usage: domain.Usage{Known: true},
	})
}

// endTry ends an attempt that has not ended.
func (t *tasksTables) endTry(r domain.Recorded, subject domain.ID, attempt int, how string, cost domain.Money) {
	t.tries.edit(tryKey{r.Key, subject, attempt}, func(row *tryRow) {
		if row.ended == "" {
			row.endedAt, row.ended, row.endCost = r.Time, how, cost
		}
	})
}

// applyRound keeps one model round and adds its tokens and cost to its attempt,
// once however often it is recorded. A round of a closed attempt is kept as late:
// it is not shown, but counted and paid for.
func (t *tasksTables) applyRound(r domain.Recorded, e step.Recorded) {
	subject := e.Run
	if subject == "" {
		subject = e.Turn
	}
	ran := t.runs.get(idOf(r, e.Run))
	e.Run, e.Turn = "", ""
	k := tryKey{r.Key, subject, e.Attempt}
	late := !t.alive(r, subject, e.Attempt)
	added := t.steps.add(stepRow{stepKey: stepKey{k, e.Round}, seq: r.Seq, at: r.Time, late: late, body: e})
	if added {
		t.tries.edit(k, func(row *tryRow) {
			if !late {
				row.rounds++
			}
			row.usage, row.stepCost = row.usage.Add(e.Usage), row.stepCost+e.Cost
		})
	}
	switch {
	case late:
		t.refuse(r, r.Type, refusedLate)
	case !added:
		t.refuse(r, r.Type, refusedDuplicate)
	case ran != nil:
		t.runs.edit(ran.idKey, func(row *taskRow) { row.lastSign, row.rev = r.Time, r.Seq })
	}
}

func (t *tasksTables) applyProgress(r domain.Recorded, e step.Progressed) {
	known := t.runs.get(idOf(r, e.Run)) != nil
	switch {
	case !t.alive(r, e.Run, e.Attempt):
		t.refuse(r, r.Type, refusedLate)
	case !known:
		t.refuse(r, r.Type, refusedDuplicate)
	default:
		t.runs.edit(idOf(r, e.Run), func(row *taskRow) {
			row.progress = Progress{Done: e.Done, Target: e.Target, Unit: e.Unit, Page: e.Page, Pages: e.Pages}
			row.lastSign, row.rev = r.Time, r.Seq
		})
	}
}
