package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/feedback"
)

// reactionWindow is how much of the clock one grouped row covers.
const reactionWindow = 10 * time.Minute

func applyTimelineReaction(b *Batch, r domain.Recorded) {
	switch e := r.Event.(type) {
	case feedback.Given:
		switch {
		case e.OnBehalf != "": // the person's message shows the words, the answer that they were written down
		case e.Words != "":
			b.do(`INSERT INTO {s}.rows (product, agent, seq, rev, side, type, ref, actor, at, body, refs)
				SELECT $1, $2, $3, $3, 'right', 'feedback', $4, $5, $6, $7, $8
				WHERE NOT EXISTS (SELECT 1 FROM {s}.rows WHERE product = $1 AND agent = $2 AND type = 'feedback' AND ref = $4)
				ON CONFLICT DO NOTHING`,
				r.Seq, e.Feedback, r.Actor, r.Time,
				asJSON{FeedbackBody{Object: e.Object, Verdict: string(e.Verdict), Words: e.Words}}, refs([]domain.Ref{e.Object}))
		case e.Verdict != feedback.None:
			click(b, r, e.Feedback, string(e.Verdict), e.Object)
			b.do(recount, e.Feedback, r.Seq)
		}
	case feedback.Withdrawn:
		amendRow(b, r, RowFeedback, e.Feedback, map[string]any{"withdrawn": true})
		b.do(`UPDATE {s}.clicks SET withdrawn = true WHERE product = $1 AND agent = $2 AND click = $3`, e.Feedback)
		b.do(recount, e.Feedback, r.Seq)
	case behavior.Observed:
		for _, o := range e.Observations {
			if o.Type != behavior.Downloaded {
				continue
			}
			b.do(`WITH done AS (SELECT 1 FROM {s}.films WHERE product = $1 AND agent = $2 AND film = $5)`+unlessKnownAt(3, 4),
				string(o.Type), r.Seq, o.Object.ID)
			click(b, r, o.ID, "download", o.Object)
			b.do(recount, o.ID, r.Seq)
		}
	}
}

// click counts one bare reaction in the row of its person, kind of object and
// window, which it makes if it is the first. A click that is there already, and
// a download of a film that is not the agent's, change nothing.
func click(b *Batch, r domain.Recorded, id domain.ID, kind string, object domain.Ref) {
	bucket := r.Time.Unix() / int64(reactionWindow/time.Second)
	b.do(`INSERT INTO {s}.groups (product, agent, person, object, bucket, row_seq)
		SELECT $1, $2, $3, $4, $5, $6
		WHERE NOT EXISTS (SELECT 1 FROM {s}.clicks WHERE product = $1 AND agent = $2 AND click = $7)
			AND ($8 <> 'download' OR EXISTS (SELECT 1 FROM {s}.films WHERE product = $1 AND agent = $2 AND film = $9))
		ON CONFLICT DO NOTHING`,
		r.Actor, object.Type, bucket, r.Seq, id, kind, object.ID)
	b.do(`INSERT INTO {s}.rows (product, agent, seq, rev, side, type, ref, actor, at, body)
		SELECT $1, $2, $3, $3, 'right', 'reactions', '', $4, $7, $8
		FROM {s}.groups WHERE product = $1 AND agent = $2 AND person = $4 AND object = $5 AND bucket = $6 AND row_seq = $3
		ON CONFLICT DO NOTHING`,
		r.Seq, r.Actor, object.Type, bucket, r.Time, asJSON{ReactionsBody{Object: object.Type}})
	b.do(`INSERT INTO {s}.clicks (product, agent, click, row_seq, kind, object)
		SELECT $1, $2, $3, g.row_seq, $4, $5 FROM {s}.groups g
		WHERE product = $1 AND agent = $2 AND person = $6 AND g.object = $7 AND bucket = $8
			AND ($4 <> 'download' OR EXISTS (SELECT 1 FROM {s}.films WHERE product = $1 AND agent = $2 AND film = $5))
		ON CONFLICT DO NOTHING`,
		id, kind, object.ID, r.Actor, object.Type, bucket)
}

// recount writes the counts of the row that holds a click ($3); $4 is the sequence.
const recount = `
	UPDATE {s}.rows r SET rev = $4,
		body = jsonb_build_object('object', r.body -> 'object', 'likes', c.likes, 'dislikes', c.dislikes,
			'downloads', c.downloads, 'objects', c.objects),
		refs = (SELECT coalesce(jsonb_agg(jsonb_build_object('type', r.body -> 'object', 'id', o)), '[]') FROM unnest(c.ids) o)
	FROM (
		SELECT row_seq, count(*) FILTER (WHERE kind = 'like' AND NOT withdrawn) AS likes,
			count(*) FILTER (WHERE kind = 'dislike' AND NOT withdrawn) AS dislikes,
			count(*) FILTER (WHERE kind = 'download') AS downloads,
			count(DISTINCT object) FILTER (WHERE NOT withdrawn) AS objects,
			array_agg(DISTINCT object) FILTER (WHERE NOT withdrawn AND object <> '') AS ids
		FROM {s}.clicks WHERE product = $1 AND agent = $2
			AND row_seq = (SELECT row_seq FROM {s}.clicks WHERE product = $1 AND agent = $2 AND click = $3)
		GROUP BY row_seq) c
	WHERE r.product = $1 AND r.agent = $2 AND r.seq = c.row_seq`
