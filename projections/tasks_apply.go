package projections

import (
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
		Name: Tasks, Version: 1, Apply: applyTasks,
		Kinds: []domain.Kind{domain.KindRun, domain.KindTurn, domain.KindChat, domain.KindStep},
	}
}

func applyTasks(b *Batch, r domain.Recorded) error {
	fence(b, r)
	switch e := r.Event.(type) {
	case run.Requested, run.Started, run.AttemptLost, run.CancelRequested, run.Finished:
		applyTasksRun(b, r)
	case turn.Started, turn.AttemptLost, turn.StopRequested, turn.Finished:
		applyTasksTurn(b, r)
	case chat.Said:
		b.do(`INSERT INTO {s}.messages (product, agent, message, seq, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			e.Message, r.Seq, r.Time)
	case chat.TakenBack:
		b.do(`UPDATE {s}.messages SET taken_back = true WHERE product = $1 AND agent = $2 AND message = $3`, e.Message)
	case step.Recorded:
		applyRound(b, r, e)
	case step.Progressed:
		b.do(alive+`, done AS (
				UPDATE {s}.runs SET progress = $7, last_sign = $8, rev = $6
				WHERE product = $1 AND agent = $2 AND run = $3 AND EXISTS (SELECT 1 FROM alive) RETURNING 1)`+unlessDone,
			e.Run, e.Attempt, r.Type, r.Seq,
			asJSON{Progress{Done: e.Done, Target: e.Target, Unit: e.Unit, Page: e.Page, Pages: e.Pages}}, r.Time)
	}
	return nil
}

func applyTasksRun(b *Batch, r domain.Recorded) {
	switch e := r.Event.(type) {
	case run.Requested:
		b.do(`INSERT INTO {s}.runs (product, agent, run, seq, rev, work, trigger, state, request, requester, requested_at,
				last_sign, gene_version, order_id, card, retry_of, continues, day)
			VALUES ($1, $2, $3, $4, $4, $5, $6, 'requested', $7, $8, $9, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING`,
			e.Run, r.Seq, e.Work, e.Trigger, asJSON{e.Request}, r.Actor, r.Time, e.GeneVersion, e.Order, e.Card,
			e.RetryOf, e.Continues, e.Day)
	case run.Started:
		b.do(`UPDATE {s}.runs SET state = CASE WHEN cancel <> '' THEN 'stopping' ELSE 'running' END, attempt = $4,
				gene_version = $5, started_at = coalesce(started_at, $6), last_sign = $6, progress = NULL, rev = $7
			WHERE product = $1 AND agent = $2 AND run = $3 AND open`, e.Run, e.Attempt, e.GeneVersion, r.Time, r.Seq)
		beginAttempt(b, r, e.Run, e.Attempt, e.Slot)
	case run.AttemptLost:
		b.do(`UPDATE {s}.runs SET state = CASE WHEN cancel <> '' THEN 'stopping' WHEN $4 = 'handed_over' THEN 'requested' ELSE 'worker_lost' END,
				lost = lost + CASE WHEN $4 = 'handed_over' THEN 0 ELSE 1 END, progress = NULL, rev = $5
			WHERE product = $1 AND agent = $2 AND run = $3 AND open`, e.Run, e.Cause, r.Seq)
		endAttempt(b, r, e.Run, e.Attempt, e.Cause, 0)
	case run.CancelRequested:
		b.do(`UPDATE {s}.runs SET state = 'stopping', cancel = $4, rev = $5
			WHERE product = $1 AND agent = $2 AND run = $3 AND open`, e.Run, e.Cause, r.Seq)
	case run.Finished:
		b.do(`UPDATE {s}.runs SET state = $4, outcome = $4, reason = $5, summary = $6, products = $7, finished_at = $8,
				finished_seq = $9, last_sign = $8, rev = $9
			WHERE product = $1 AND agent = $2 AND run = $3 AND open`,
			e.Run, e.Outcome, e.Reason, e.Summary, refs(e.Products), r.Time, r.Seq)
		endAttempt(b, r, e.Run, e.Attempt, "finished", e.Cost)
	}
}

func applyTasksTurn(b *Batch, r domain.Recorded) {
	switch e := r.Event.(type) {
	case turn.Started:
		b.do(`INSERT INTO {s}.turns AS t (product, agent, turn, seq, state, started_at, gene_version, attempt, messages, upto)
			VALUES ($1, $2, $3, $4, 'answering', $5, $6, $7, $8, $9)
			ON CONFLICT (product, agent, turn) DO UPDATE SET attempt = excluded.attempt,
				state = CASE WHEN t.state = 'stopping' THEN 'stopping' ELSE 'answering' END`,
			e.Turn, r.Seq, r.Time, e.GeneVersion, e.Attempt, append([]domain.ID{}, e.Messages...), e.Upto)
		beginAttempt(b, r, e.Turn, e.Attempt, e.Slot)
	case turn.AttemptLost:
		b.do(`UPDATE {s}.turns SET state = CASE WHEN state = 'stopping' THEN 'stopping' ELSE 'worker_lost' END
			WHERE product = $1 AND agent = $2 AND turn = $3 AND state <> 'finished'`, e.Turn)
		endAttempt(b, r, e.Turn, e.Attempt, e.Cause, 0)
	case turn.StopRequested:
		b.do(`UPDATE {s}.turns SET state = 'stopping' WHERE product = $1 AND agent = $2 AND turn = $3 AND state <> 'finished'`, e.Turn)
	case turn.Finished:
		b.do(`UPDATE {s}.turns SET state = 'finished', finished_at = $4, reason = $5, upto = $6
			WHERE product = $1 AND agent = $2 AND turn = $3`, e.Turn, r.Time, e.Reason, e.Upto)
		endAttempt(b, r, e.Turn, e.Attempt, "finished", e.Cost)
		b.do(`UPDATE {s}.messages SET settled = true WHERE product = $1 AND agent = $2 AND NOT settled
			AND seq <= (SELECT seq FROM {s}.messages WHERE product = $1 AND agent = $2 AND message = $3)`, e.Upto)
	}
}

func beginAttempt(b *Batch, r domain.Recorded, subject domain.ID, attempt int, slot uint64) {
	b.do(`INSERT INTO {s}.attempts (product, agent, subject, attempt, slot, worker, started_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`, subject, attempt, slot, r.Actor, r.Time)
}

func endAttempt(b *Batch, r domain.Recorded, subject domain.ID, attempt int, how string, cost domain.Money) {
	b.do(`UPDATE {s}.attempts SET ended_at = $5, ended = $6, end_cost = $7
		WHERE product = $1 AND agent = $2 AND subject = $3 AND attempt = $4 AND ended = ''`,
		subject, attempt, r.Time, how, int64(cost))
}

// applyRound keeps one model round and adds its tokens and cost to its attempt,
// once however often it is recorded. A round of a closed attempt is kept as late:
// it is not shown, but counted and paid for.
func applyRound(b *Batch, r domain.Recorded, e step.Recorded) {
	subject := e.Run
	if subject == "" {
		subject = e.Turn
	}
	e.Run, e.Turn = "", ""
	b.do(alive+`, kept AS (
			INSERT INTO {s}.steps (product, agent, subject, attempt, round, seq, at, late, body)
			SELECT $1, $2, $3, $4, $7, $6, $8, NOT EXISTS (SELECT 1 FROM alive), $9
			ON CONFLICT DO NOTHING RETURNING late),
		paid AS (
			UPDATE {s}.attempts SET rounds = rounds + CASE WHEN kept.late THEN 0 ELSE 1 END, known = known AND $10,
				input = input + $11, cache_write = cache_write + $12, cache_read = cache_read + $13, output = output + $14,
				step_cost = step_cost + $15
			FROM kept WHERE product = $1 AND agent = $2 AND subject = $3 AND attempt = $4),
		sign AS (
			UPDATE {s}.runs SET last_sign = $8, rev = $6 FROM kept
			WHERE product = $1 AND agent = $2 AND run = $3 AND NOT kept.late),
		done AS (SELECT 1 FROM kept WHERE NOT late)`+unlessDone,
		subject, e.Attempt, r.Type, r.Seq, e.Round, r.Time, asJSON{e}, e.Usage.Known,
		int64(e.Usage.Input), int64(e.Usage.CacheWrite), int64(e.Usage.CacheRead), int64(e.Usage.Output), int64(e.Cost))
}
