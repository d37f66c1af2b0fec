package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/run"
)

// tasksTables are the task center's tables in memory.
type tasksTables struct {
	attempts
	runs     *table[idKey, taskRow]
	turns    *table[idKey, taskTurn]
	tries    *table[tryKey, tryRow] // its table attempts
	steps    *table[stepKey, stepRow]
	messages *table[idKey, taskMessage]
	rooms    *table[domain.Key, taskRoom]
}

type taskRow struct {
	idKey
	seq, rev      uint64
	work          run.Work
	trigger       run.Trigger
	state         TaskState
	request       any // run.Request
	requester     domain.Actor
	requestedAt   time.Time
	startedAt     time.Time
	finishedAt    time.Time
	finishedSeq   uint64
	lastSign      time.Time
	version       int
	attempt, lost int
	progress      any // Progress
	cancel        string
	outcome       run.Outcome
	reason        run.Reason
	summary       string
	products      any // []domain.Ref
	order, card   domain.ID
	retryOf       domain.ID
	continues     domain.ID
	day           string
}

// The states of turns.
const (
	turnAnswering  = "answering"
	turnStopping   = "stopping"
	turnWorkerLost = "worker_lost"
	turnFinished   = "finished"
)

type taskTurn struct {
	idKey
	seq        uint64
	state      string
	startedAt  time.Time
	finishedAt time.Time
	version    int
	attempt    int
	messages   []domain.ID
	upto       domain.ID
	reason     string
}

type taskMessage struct {
	idKey
	seq       uint64
	at        time.Time
	takenBack bool
}

// taskRoom is up to where an agent's messages go, and up to where turns have
// settled them.
type taskRoom struct {
	domain.Key
	said, settled uint64
}

func newTasksTables(m *memory) *tasksTables {
	return &tasksTables{
		attempts: newAttempts(m), runs: newTaskRuns(m), turns: newTaskTurns(m), tries: newTries(m), steps: newSteps(m),
		messages: newTable(m, layout[idKey, taskMessage]{
			name:  "messages",
			owner: func(r *taskMessage) *domain.Key { return &r.Key },
			key:   func(r *taskMessage) *idKey { return &r.idKey },
			id:    []column[taskMessage]{text("message", func(r *taskMessage) *domain.ID { return &r.ID })},
			rest: []column[taskMessage]{
				bigint("seq", func(r *taskMessage) *uint64 { return &r.seq }),
				moment("at", func(r *taskMessage) *time.Time { return &r.at }),
				flag("taken_back", func(r *taskMessage) *bool { return &r.takenBack }),
			},
		}),
		rooms: newTable(m, layout[domain.Key, taskRoom]{
			name:  "rooms",
			owner: func(r *taskRoom) *domain.Key { return &r.Key },
			key:   func(r *taskRoom) *domain.Key { return &r.Key },
			rest: []column[taskRoom]{
				bigint("said", func(r *taskRoom) *uint64 { return &r.said }),
				bigint("settled", func(r *taskRoom) *uint64 { return &r.settled }),
			},
		}),
	}
}

func newTaskRuns(m *memory) *table[idKey, taskRow] {
	return newTable(m, layout[idKey, taskRow]{
		name:  "runs",
		owner: func(r *taskRow) *domain.Key { return &r.Key },
		key:   func(r *taskRow) *idKey { return &r.idKey },
		id:    []column[taskRow]{text("run", func(r *taskRow) *domain.ID { return &r.ID })},
		rest: []column[taskRow]{
			bigint("seq", func(r *taskRow) *uint64 { return &r.seq }),
			bigint("rev", func(r *taskRow) *uint64 { return &r.rev }),
			text("work", func(r *taskRow) *run.Work { return &r.work }),
			text("trigger", func(r *taskRow) *run.Trigger { return &r.trigger }),
			text("state", func(r *taskRow) *TaskState { return &r.state }),
			document("request", func(r *taskRow) *any { return &r.request }),
			text("requester", func(r *taskRow) *domain.Actor { return &r.requester }),
			moment("requested_at", func(r *taskRow) *time.Time { return &r.requestedAt }),
			moment("started_at", func(r *taskRow) *time.Time { return &r.startedAt }),
			moment("finished_at", func(r *taskRow) *time.Time { return &r.finishedAt }),
			optionalBigint("finished_seq", func(r *taskRow) *uint64 { return &r.finishedSeq }),
			moment("last_sign", func(r *taskRow) *time.Time { return &r.lastSign }),
			integer("gene_version", func(r *taskRow) *int { return &r.version }),
			integer("attempt", func(r *taskRow) *int { return &r.attempt }),
			integer("lost", func(r *taskRow) *int { return &r.lost }),
			document("progress", func(r *taskRow) *any { return &r.progress }),
			text("cancel", func(r *taskRow) *string { return &r.cancel }),
			text("outcome", func(r *taskRow) *run.Outcome { return &r.outcome }),
			text("reason", func(r *taskRow) *run.Reason { return &r.reason }),
			text("summary", func(r *taskRow) *string { return &r.summary }),
			document("products", func(r *taskRow) *any { return &r.products }),
			text("order_id", func(r *taskRow) *domain.ID { return &r.order }),
			text("card", func(r *taskRow) *domain.ID { return &r.card }),
			text("retry_of", func(r *taskRow) *domain.ID { return &r.retryOf }),
			text("continues", func(r *taskRow) *domain.ID { return &r.continues }),
			text("day", func(r *taskRow) *string { return &r.day }),
		},
	})
}

func newTaskTurns(m *memory) *table[idKey, taskTurn] {
	return newTable(m, layout[idKey, taskTurn]{
		name:  "turns",
		owner: func(r *taskTurn) *domain.Key { return &r.Key },
		key:   func(r *taskTurn) *idKey { return &r.idKey },
		id:    []column[taskTurn]{text("turn", func(r *taskTurn) *domain.ID { return &r.ID })},
		rest: []column[taskTurn]{
			bigint("seq", func(r *taskTurn) *uint64 { return &r.seq }),
			text("state", func(r *taskTurn) *string { return &r.state }),
			moment("started_at", func(r *taskTurn) *time.Time { return &r.startedAt }),
			moment("finished_at", func(r *taskTurn) *time.Time { return &r.finishedAt }),
			integer("gene_version", func(r *taskTurn) *int { return &r.version }),
			integer("attempt", func(r *taskTurn) *int { return &r.attempt }),
			list("messages", func(r *taskTurn) *[]domain.ID { return &r.messages }),
			text("upto", func(r *taskTurn) *domain.ID { return &r.upto }),
			text("reason", func(r *taskTurn) *string { return &r.reason }),
		},
	})
}
