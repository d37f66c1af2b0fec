package projections

import (
	"slices"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/feedback"
)

// reactionWindow is how much of the clock one grouped row covers.
const reactionWindow = 10 * time.Minute

// download is the kind of a click that is one; the others are verdicts.
const download = "download"

func (t *timelineTables) applyReaction(r domain.Recorded) {
	switch e := r.Event.(type) {
	case feedback.Given:
		switch {
		case e.OnBehalf != "": // the person's message shows the words, the answer that they were written down
		case e.Words != "":
			if t.byRef.first(refKey{r.Key, RowFeedback, e.Feedback}) == nil {
				t.addRow(r, Right, RowFeedback, e.Feedback,
					FeedbackBody{Object: e.Object, Verdict: string(e.Verdict), Words: e.Words}, []domain.Ref{e.Object})
			}
		case e.Verdict != feedback.None:
			t.click(r, e.Feedback, string(e.Verdict), e.Object)
		}
	case feedback.Withdrawn:
		amendRow(t, r, RowFeedback, e.Feedback, func(b *FeedbackBody) { b.Withdrawn = true })
		if c := t.clicks.get(idOf(r, e.Feedback)); c != nil {
			t.clicks.edit(c.idKey, func(c *clickRow) { c.withdrawn = true })
			t.recount(r, rowKey{r.Key, c.rowSeq})
		}
	case behavior.Observed:
		for _, o := range e.Observations {
			switch {
			case o.Type != behavior.Downloaded:
			case t.films.get(idOf(r, o.Object.ID)) == nil:
				t.refuse(r, string(o.Type), refusedUnknown)
			default:
				t.click(r, o.ID, download, o.Object)
			}
		}
	}
}

// click counts one bare reaction in the row of its person, kind of object and
// window, which it makes if it is the first. A click that is there already
// changes nothing.
func (t *timelineTables) click(r domain.Recorded, id domain.ID, kind string, object domain.Ref) {
	if t.clicks.get(idOf(r, id)) != nil {
		return
	}
	group := groupRow{groupKey{r.Key, r.Actor, object.Type, r.Time.Unix() / int64(reactionWindow/time.Second)}, r.Seq}
	if g := t.groups.get(group.groupKey); g != nil {
		group.rowSeq = g.rowSeq
	}
	t.groups.add(group)
	first, refs := counted(ReactionsBody{Object: object.Type}, nil, kind, object.ID)
	if group.rowSeq < r.Seq || !t.addRow(r, Right, RowReactions, "", first, refs) {
		t.rows.edit(rowKey{r.Key, group.rowSeq}, func(row *roomRow) {
			body, refs := as[ReactionsBody](t.m, row.body), as[[]domain.Ref](t.m, row.refs)
			row.rev = r.Seq
			row.body, row.refs = counted(body, refs, kind, object.ID)
		})
	}
	t.clicks.add(clickRow{idKey: idOf(r, id), rowSeq: group.rowSeq, kind: kind, object: object.ID})
}

// counted adds one click to the counts of a row. An object without an id is not
// among the references, but counts as one.
func counted(body ReactionsBody, refs []domain.Ref, kind string, object domain.ID) (ReactionsBody, []domain.Ref) {
	switch kind {
	case string(feedback.Like):
		body.Likes++
	case string(feedback.Dislike):
		body.Dislikes++
	case download:
		body.Downloads++
	}
	unnamed := body.Objects > len(refs) || object == ""
	if object != "" {
		byID := func(a domain.Ref, id domain.ID) int { return strings.Compare(string(a.ID), string(id)) }
		if i, found := slices.BinarySearchFunc(refs, object, byID); !found {
			refs = slices.Insert(slices.Clip(refs), i, domain.Ref{Type: body.Object, ID: object})
		}
	}
	body.Objects = len(refs)
	if unnamed {
		body.Objects++
	}
	return body, refs
}

// recount counts the clicks of a row anew: one was withdrawn.
func (t *timelineTables) recount(r domain.Recorded, k rowKey) {
	clicks := t.clickOf.find(k)
	t.rows.edit(k, func(row *roomRow) {
		body, refs := ReactionsBody{Object: as[ReactionsBody](t.m, row.body).Object}, []domain.Ref{}
		for _, c := range clicks {
			if !c.withdrawn {
				body, refs = counted(body, refs, c.kind, c.object)
			}
		}
		row.rev, row.body, row.refs = r.Seq, body, refs
	})
}
