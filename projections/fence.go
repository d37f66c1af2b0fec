package projections

import (
	"strconv"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/turn"
)

// fence keeps the open attempt of each run and turn in the read model's own table
// fences, so that facts of an attempt that was closed before them can be told.
func fence(b *Batch, r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.Started:
		openFence(b, e.Run, e.Attempt)
	case run.AttemptLost:
		closeFence(b, e.Run, e.Attempt)
	case run.Finished:
		endFence(b, e.Run)
	case turn.Started:
		openFence(b, e.Turn, e.Attempt)
	case turn.AttemptLost:
		closeFence(b, e.Turn, e.Attempt)
	case turn.Finished:
		endFence(b, e.Turn)
	}
}

func openFence(b *Batch, subject domain.ID, attempt int) {
	b.do(`INSERT INTO {s}.fences (product, agent, subject, attempt) VALUES ($1, $2, $3, $4)
		ON CONFLICT (product, agent, subject) DO UPDATE SET attempt = excluded.attempt`, subject, attempt)
}

func closeFence(b *Batch, subject domain.ID, attempt int) {
	b.do(`DELETE FROM {s}.fences WHERE product = $1 AND agent = $2 AND subject = $3 AND attempt = $4`, subject, attempt)
}

func endFence(b *Batch, subject domain.ID) {
	b.do(`DELETE FROM {s}.fences WHERE product = $1 AND agent = $2 AND subject = $3`, subject)
}

// Why something was refused.
const (
	refusedLate      = "late_attempt"   // its attempt had been closed
	refusedDuplicate = "duplicate"      // it is there already
	refusedUnknown   = "unknown_object" // its object is not the agent's
)

// alive begins a statement with the common table expression "alive", which has a
// row if the fact's attempt ($3 subject, $4 attempt) is open. A fact without a
// run or turn has no attempt and always passes.
const alive = `WITH alive AS (
	SELECT 1 WHERE $3 = '' OR EXISTS (
		SELECT 1 FROM {s}.fences WHERE product = $1 AND agent = $2 AND subject = $3 AND attempt = $4)
	)`

// unlessDone ends a statement that began with alive and did its work in the
// common table expression "done" (one row if something was written): it counts
// the refusal. $5 is the event's type, $6 its sequence.
const unlessDone = refuse + ` SELECT $1, $2, $5, CASE WHEN EXISTS (SELECT 1 FROM alive) THEN '` + refusedDuplicate + `' ELSE '` + refusedLate + `' END, 1, $6
	WHERE NOT EXISTS (SELECT 1 FROM done)` + refuseMore

// unlessKnown is unlessDone for facts about an object that must exist.
const unlessKnown = refuse + ` SELECT $1, $2, $5, CASE WHEN EXISTS (SELECT 1 FROM alive) THEN '` + refusedUnknown + `' ELSE '` + refusedLate + `' END, 1, $6
	WHERE NOT EXISTS (SELECT 1 FROM done)` + refuseMore

const (
	refuse     = ` INSERT INTO {s}.refused AS refused (product, agent, type, reason, count, last)`
	refuseMore = ` ON CONFLICT (product, agent, type, reason)
		DO UPDATE SET count = refused.count + excluded.count, last = excluded.last`
)

// refuseAs begins a statement that counts refusals of one reason: one for each
// row of what follows. The parameters are the numbers of the event's type and
// sequence. Without rows count(*) is 0; "HAVING count(*) > 0" then keeps it away.
func refuseAs(reason string, kind, seq int) string {
	return refuse + ` SELECT $1, $2, $` + strconv.Itoa(kind) + `, '` + reason + `', count(*), $` + strconv.Itoa(seq)
}

// unlessKnownAt counts a fact about an object that is not the agent's, after a
// statement that did its work in "done"; parameters as in refuseAs.
func unlessKnownAt(kind, seq int) string {
	return refuse + ` SELECT $1, $2, $` + strconv.Itoa(kind) + `, '` + refusedUnknown + `', 1, $` + strconv.Itoa(seq) + `
		WHERE NOT EXISTS (SELECT 1 FROM done)` + refuseMore
}
