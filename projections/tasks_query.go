package projections

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// taskColumns and attemptSums read a run with the sums over its attempts. The
// tokens are known only if every round's were.
const taskColumns = `r.product, r.agent, r.run, r.seq, r.rev, r.work, r.trigger, r.state, r.request, r.requester,
	r.requested_at, r.started_at, r.finished_at, r.last_sign, r.gene_version, r.attempt, r.lost, r.progress, r.cancel,
	r.outcome, r.reason, r.summary, r.products, r.order_id, r.card, r.retry_of, r.continues, r.day,
	a.rounds, a.known, a.input, a.cache_write, a.cache_read, a.output, a.cost`

const attemptSums = ` CROSS JOIN LATERAL (
	SELECT coalesce(sum(rounds), 0)::int AS rounds, coalesce(bool_and(known), false) AND coalesce(sum(rounds), 0) > 0 AS known,
		coalesce(sum(input), 0)::bigint AS input, coalesce(sum(cache_write), 0)::bigint AS cache_write,
		coalesce(sum(cache_read), 0)::bigint AS cache_read, coalesce(sum(output), 0)::bigint AS output,
		coalesce(sum(greatest(step_cost, end_cost)), 0)::bigint AS cost
	FROM {s}.attempts t WHERE t.product = r.product AND t.agent = r.agent AND t.subject = `

func scanTask(row pgx.CollectableRow) (Task, error) {
	var t Task
	var seq, rev, cost int64
	var started, finished *time.Time
	err := row.Scan(&t.Product, &t.Agent, &t.Run, &seq, &rev, &t.Work, &t.Trigger, &t.State, &t.Request, &t.Requester,
		&t.RequestedAt, &started, &finished, &t.LastSign, &t.GeneVersion, &t.Attempt, &t.Lost, &t.Progress, &t.Cancel,
		&t.Outcome, &t.Reason, &t.Summary, &t.Products, &t.Order, &t.Card, &t.RetryOf, &t.Continues, &t.Day,
		&t.Rounds, &t.Usage.Known, &t.Usage.Input, &t.Usage.CacheWrite, &t.Usage.CacheRead, &t.Usage.Output, &cost)
	t.Seq, t.Rev = uint64(seq), uint64(rev)
	t.StartedAt, t.FinishedAt = utc(started), utc(finished)
	t.RequestedAt, t.LastSign = t.RequestedAt.UTC(), t.LastSign.UTC()
	t.Cost = domain.Money(cost)
	t.CostYuan = t.Cost.Yuan()
	return t, err
}

// Tasks lists runs, newest first.
func (s *Store) Tasks(ctx context.Context, f TaskFilter) ([]Task, error) {
	var out []Task
	err := s.read(ctx, Tasks, func(q query) (err error) {
		out, err = collect(ctx, q, scanTask, `
			SELECT `+taskColumns+` FROM {s}.runs r`+attemptSums+`r.run) a
			WHERE r.product = $1 AND ($2::text[] IS NULL OR r.agent = ANY ($2)) AND ($3::text[] IS NULL OR r.state = ANY ($3))
				AND ($4::text[] IS NULL OR r.work = ANY ($4)) AND ($5 = '' OR r.trigger = $5)
				AND ($6 = 0 OR r.gene_version = $6) AND r.seq < $7
			ORDER BY r.seq DESC LIMIT $8`,
			f.Product, texts(f.Agents), texts(f.States), texts(f.Works), string(f.Trigger), f.Version, before(f.Before),
			limit(f.Limit, 50, 200))
		return err
	})
	return out, err
}

// texts passes a list as text[]; nil stays NULL.
func texts[T ~string](list []T) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// Task is one run with everything known about it.
func (s *Store) Task(ctx context.Context, key domain.Key, id domain.ID) (TaskDetail, error) {
	var d TaskDetail
	err := s.read(ctx, Tasks, func(q query) (err error) {
		d.Task, err = one(ctx, q, "run", scanTask, `
			SELECT `+taskColumns+` FROM {s}.runs r`+attemptSums+`r.run) a
			WHERE r.product = $1 AND r.agent = $2 AND r.run = $3`, key.Product, key.Agent, id)
		if err != nil {
			return err
		}
		d.Attempts, d.Steps, err = tries(ctx, q, key, id)
		return err
	})
	return d, err
}

// RunOutcomes lists an agent's runs that ended after a sequence, oldest first.
func (s *Store) RunOutcomes(ctx context.Context, key domain.Key, after uint64, most int) ([]Task, error) {
	var out []Task
	err := s.read(ctx, Tasks, func(q query) (err error) {
		out, err = collect(ctx, q, scanTask, `
			SELECT `+taskColumns+` FROM {s}.runs r`+attemptSums+`r.run) a
			WHERE r.product = $1 AND r.agent = $2 AND NOT r.open AND r.finished_seq > $3
			ORDER BY r.finished_seq LIMIT $4`, key.Product, key.Agent, int64(after), limit(most, 50, 500))
		return err
	})
	return out, err
}

// tries reads the attempts and rounds of a run or turn.
func tries(ctx context.Context, q query, key domain.Key, subject domain.ID) ([]Attempt, []Step, error) {
	attempts, err := collect(ctx, q, scanAttempt, `
		SELECT attempt, slot, worker, started_at, ended_at, ended, rounds, known AND rounds > 0, input, cache_write, cache_read,
			output, greatest(step_cost, end_cost)
		FROM {s}.attempts WHERE product = $1 AND agent = $2 AND subject = $3 ORDER BY attempt`, key.Product, key.Agent, subject)
	if err != nil {
		return nil, nil, err
	}
	steps, err := collect(ctx, q, func(row pgx.CollectableRow) (Step, error) {
		var st Step
		var seq int64
		err := row.Scan(&seq, &st.At, &st.Recorded)
		st.Seq, st.At = uint64(seq), st.At.UTC()
		return st, err
	}, `SELECT seq, at, body FROM {s}.steps WHERE product = $1 AND agent = $2 AND subject = $3 AND NOT late
		ORDER BY attempt, round`, key.Product, key.Agent, subject)
	return attempts, steps, err
}

func scanAttempt(row pgx.CollectableRow) (Attempt, error) {
	var a Attempt
	var slot, cost int64
	var ended *time.Time
	err := row.Scan(&a.Attempt, &slot, &a.Worker, &a.StartedAt, &ended, &a.End, &a.Rounds, &a.Usage.Known, &a.Usage.Input,
		&a.Usage.CacheWrite, &a.Usage.CacheRead, &a.Usage.Output, &cost)
	a.Slot, a.StartedAt, a.EndedAt = uint64(slot), a.StartedAt.UTC(), utc(ended)
	a.CostYuan = domain.Money(cost).Yuan()
	return a, err
}

// Turn is one turn with everything known about it.
func (s *Store) Turn(ctx context.Context, key domain.Key, id domain.ID) (TurnDetail, error) {
	var d TurnDetail
	err := s.read(ctx, Tasks, func(q query) (err error) {
		d, err = one(ctx, q, "turn", func(row pgx.CollectableRow) (TurnDetail, error) {
			var t TurnDetail
			var finished *time.Time
			var cost int64
			err := row.Scan(&t.Turn, &t.State, &t.Started, &finished, &t.Version, &t.Messages, &t.Upto, &t.Reason,
				&t.Rounds, &t.Usage.Known, &t.Usage.Input, &t.Usage.CacheWrite, &t.Usage.CacheRead, &t.Usage.Output, &cost)
			t.Started, t.Finished, t.CostYuan = t.Started.UTC(), utc(finished), domain.Money(cost).Yuan()
			return t, err
		}, `SELECT r.turn, r.state, r.started_at, r.finished_at, r.gene_version, r.messages, r.upto, r.reason,
				a.rounds, a.known, a.input, a.cache_write, a.cache_read, a.output, a.cost
			FROM {s}.turns r`+attemptSums+`r.turn) a WHERE r.product = $1 AND r.agent = $2 AND r.turn = $3`,
			key.Product, key.Agent, id)
		if err != nil {
			return err
		}
		d.Attempts, d.Steps, err = tries(ctx, q, key, id)
		return err
	})
	return d, err
}

// OpenWork is everything that should have a slot, over all agents.
func (s *Store) OpenWork(ctx context.Context) ([]OpenRun, []OpenRoom, error) {
	var runs []OpenRun
	var rooms []OpenRoom
	err := s.read(ctx, Tasks, func(q query) (err error) {
		runs, err = collect(ctx, q, func(row pgx.CollectableRow) (OpenRun, error) {
			var r OpenRun
			err := row.Scan(&r.Product, &r.Agent, &r.Run, &r.Work, &r.State, &r.Attempt, &r.RequestedAt, &r.LastSign)
			r.RequestedAt, r.LastSign = r.RequestedAt.UTC(), r.LastSign.UTC()
			return r, err
		}, `SELECT product, agent, run, work, state, attempt, requested_at, last_sign FROM {s}.runs WHERE open ORDER BY seq`)
		if err != nil {
			return err
		}
		rooms, err = openRooms(ctx, q, domain.Key{})
		return err
	})
	return runs, rooms, err
}

// Room is the status of one room: the open turn and the messages that wait.
func (s *Store) Room(ctx context.Context, key domain.Key) (OpenRoom, error) {
	room := OpenRoom{Key: key}
	err := s.read(ctx, Tasks, func(q query) error {
		rooms, err := openRooms(ctx, q, key)
		if err == nil && len(rooms) > 0 {
			room = rooms[0]
		}
		return err
	})
	return room, err
}

// openRooms reads the rooms with an open turn or waiting messages: those that no
// turn has settled, that were not taken back, and that come after what the open
// turn has read. A zero key means all rooms.
func openRooms(ctx context.Context, q query, key domain.Key) ([]OpenRoom, error) {
	return collect(ctx, q, func(row pgx.CollectableRow) (OpenRoom, error) {
		var r OpenRoom
		var oldest *time.Time
		err := row.Scan(&r.Product, &r.Agent, &r.Turn, &r.Attempt, &r.State, &r.Waiting, &oldest)
		r.Oldest = utc(oldest)
		return r, err
	}, `
		WITH open AS (
			SELECT t.product, t.agent, t.turn, t.attempt, t.state,
				coalesce((SELECT m.seq FROM {s}.messages m WHERE m.product = t.product AND m.agent = t.agent AND m.message = t.upto), 0) AS upto
			FROM {s}.turns t WHERE t.state <> 'finished' AND ($1 = '' OR t.product = $1 AND t.agent = $2)),
		unread AS (
			SELECT r.product, r.agent, w.waiting, w.oldest
			FROM {s}.rooms r
			LEFT JOIN (SELECT product, agent, max(upto) AS upto FROM open GROUP BY 1, 2) o ON o.product = r.product AND o.agent = r.agent
			CROSS JOIN LATERAL (
				SELECT array_agg(m.message ORDER BY m.seq) AS waiting, min(m.at) AS oldest FROM {s}.messages m
				WHERE m.product = r.product AND m.agent = r.agent AND NOT m.taken_back AND m.seq > greatest(r.settled, o.upto)) w
			WHERE r.open AND w.waiting IS NOT NULL AND ($1 = '' OR r.product = $1 AND r.agent = $2))
		SELECT coalesce(o.product, u.product), coalesce(o.agent, u.agent), coalesce(o.turn, ''), coalesce(o.attempt, 0),
			coalesce(o.state, ''), coalesce(u.waiting, '{}'), u.oldest
		FROM open o FULL JOIN unread u ON u.product = o.product AND u.agent = o.agent
		ORDER BY 1, 2`, key.Product, string(key.Agent))
}
