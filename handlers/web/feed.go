package web

import (
	"cmp"
	"context"
	"slices"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// feed turns a room's events into frames. Rows are read back from the timeline
// once it has applied the events, so that live rows and rows read later are the
// same by construction; what no row shows comes from the events themselves.
//
// Frames up to upto are built from a timeline that has applied at least that
// much, and rows that changed later wait for their own event: so nothing is sent
// twice, and a frame never says more than its sequence.
type feed struct {
	s    *Server
	key  domain.Key
	sent uint64 // frames up to here are out
	runs map[domain.ID]int
}

// frame is one encoded frame and the sequence up to which it is true.
type frame struct {
	seq  uint64
	data []byte
}

// update is what one batch of events comes to.
type update struct {
	upto    uint64
	frames  []frame
	status  roomStatus
	members bool // roles changed: sockets must be looked at again
}

// rowPage bounds one query of changed rows.
const rowPage = 200

// turnOver reads events, which are consecutive for the room, into an update.
func (f *feed) turnOver(ctx context.Context, events []domain.Recorded) (update, error) {
	u := update{upto: events[len(events)-1].Seq}
	if err := f.s.deps.Store.Wait(ctx, u.upto, projections.Timeline); err != nil {
		return u, err
	}
	if err := f.rows(ctx, &u); err != nil {
		return u, err
	}
	touched := map[domain.ID]uint64{}
	for _, e := range events {
		switch v := e.Event.(type) {
		case gene.Proposed:
			touched[v.Card] = e.Seq
		case gene.Applied:
			touched[v.Card] = e.Seq
		case gene.Rejected:
			touched[v.Card] = e.Seq
		case gene.Expired:
			touched[v.Card] = e.Seq
		case agent.MemberAdded, agent.MemberRemoved:
			u.members = true
		}
	}
	if err := f.cards(ctx, &u, touched); err != nil {
		return u, err
	}
	if err := f.orders(ctx, &u, events); err != nil {
		return u, err
	}
	for _, e := range events {
		if p, ok := f.progress(e); ok {
			u.frames = append(u.frames, frame{e.Seq, encode(p)})
		}
	}
	slices.SortStableFunc(u.frames, func(a, b frame) int { return cmp.Compare(a.seq, b.seq) })
	var err error
	if u.status, err = f.status(ctx); err != nil {
		return u, err // the same events come again, and their rows with them
	}
	f.sent = u.upto
	return u, nil
}

func (f *feed) rows(ctx context.Context, u *update) error {
	since := f.sent
	for {
		rows, err := f.s.deps.Store.TimelineChanged(ctx, f.key, since, rowPage)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Rev > u.upto {
				return nil
			}
			people, err := f.s.peopleIn(ctx, []projections.Row{row})
			if err != nil {
				return err
			}
			kind := frameEntry
			if row.Type == projections.RowChat {
				kind = frameUser
			}
			u.frames = append(u.frames, frame{row.Rev, encode(rowFrame{Type: kind, Seq: row.Rev, Row: row, People: people})})
			since = row.Rev
		}
		if len(rows) < rowPage {
			return nil
		}
	}
}

func (f *feed) cards(ctx context.Context, u *update, touched map[domain.ID]uint64) error {
	if len(touched) == 0 {
		return nil
	}
	if err := f.s.deps.Store.Wait(ctx, u.upto, projections.Genes); err != nil {
		return err
	}
	for id, seq := range touched {
		c, err := f.s.deps.Store.Card(ctx, f.key, id)
		if domain.CodeOf(err) == domain.NotFound {
			continue // refused where it was applied
		}
		if err != nil {
			return err
		}
		people, err := f.s.nameOf(ctx, c.By, c.ClosedBy)
		if err != nil {
			return err
		}
		kind := frameCardClosed
		if c.State == gene.StatePending {
			kind = frameCard
		}
		u.frames = append(u.frames, frame{seq, encode(cardFrame{Type: kind, Seq: seq, Card: c, People: people})})
	}
	return nil
}

func (f *feed) orders(ctx context.Context, u *update, events []domain.Recorded) error {
	touched := map[domain.ID]uint64{}
	for _, e := range events {
		switch v := e.Event.(type) {
		case run.OrderProposed:
			touched[v.Order] = e.Seq
		case run.OrderConfirmed:
			touched[v.Order] = e.Seq
		case run.OrderDeclined:
			touched[v.Order] = e.Seq
		case run.OrderExpired:
			touched[v.Order] = e.Seq
		}
	}
	if len(touched) == 0 {
		return nil
	}
	if err := f.s.deps.Store.Wait(ctx, u.upto, projections.Genes); err != nil {
		return err
	}
	for id, seq := range touched {
		o, err := f.s.deps.Store.Order(ctx, f.key, id)
		if domain.CodeOf(err) == domain.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		people, err := f.s.nameOf(ctx, o.ClosedBy)
		if err != nil {
			return err
		}
		kind := frameOrderClosed
		if o.State == run.StatePending {
			kind = frameOrder
		}
		u.frames = append(u.frames, frame{seq, encode(orderFrame{Type: kind, Seq: seq, Order: o, People: people})})
	}
	return nil
}

// progress says what an event changed about a run. Facts of an attempt that is
// not the live one never show.
func (f *feed) progress(e domain.Recorded) (progressFrame, bool) {
	p := progressFrame{Type: frameProgress, Seq: e.Seq}
	switch v := e.Event.(type) {
	case run.Requested:
		p.Run, p.State, p.Work = v.Run, projections.TaskRequested, v.Work
		f.runs[v.Run] = 0
	case run.Started:
		p.Run, p.State, p.Attempt = v.Run, projections.TaskRunning, v.Attempt
		f.runs[v.Run] = v.Attempt
	case run.AttemptLost:
		p.Run, p.State, p.Attempt = v.Run, projections.TaskWorkerLost, v.Attempt
		if v.Cause == run.HandedOver {
			p.State = projections.TaskRequested
		}
		f.runs[v.Run] = 0
	case run.CancelRequested:
		p.Run, p.State = v.Run, projections.TaskStopping
	case run.Finished:
		p.Run, p.State = v.Run, projections.TaskState(v.Outcome)
		p.Attempt, p.Reason, p.Products = v.Attempt, v.Reason, v.Products
		delete(f.runs, v.Run)
	case step.Progressed:
		if attempt, open := f.runs[v.Run]; !open || attempt == 0 || attempt != v.Attempt {
			return p, false
		}
		p.Run, p.State, p.Attempt = v.Run, projections.TaskRunning, v.Attempt
		p.Progress = &projections.Progress{Done: v.Done, Target: v.Target, Unit: v.Unit, Page: v.Page, Pages: v.Pages}
	default:
		return p, false
	}
	return p, true
}

// status folds the log's end: what it says may be newer than the batch, never
// older.
func (f *feed) status(ctx context.Context) (roomStatus, error) {
	var v roomStatus
	err := f.s.deps.Log.View(ctx, f.key, func(st *streams.State) error {
		for _, c := range st.Gene.Cards {
			if c.State == gene.StatePending {
				v.Cards++
			}
		}
		for _, o := range st.Run.Orders {
			if o.State == run.StatePending {
				v.Orders++
			}
		}
		v.Runs = len(st.Run.Open())
		v.State = "idle"
		if v.Cards+v.Orders > 0 {
			v.State = "waiting"
		}
		settled := st.Turn.Settled
		if t := st.Turn.Current; t != nil {
			v.State, v.Turn, v.Attempt = "answering", t.ID, t.Attempt
			v.Reads = slices.Clone(t.Messages)
			settled = t.Upto
			if t.Stop {
				v.State = "stopping"
			}
		}
		for _, m := range st.Chat.After(settled) {
			v.Waiting = append(v.Waiting, m.ID)
		}
		return nil
	})
	return v, err
}

// open reads where the room stands when the gateway begins to watch it.
func (f *feed) open(ctx context.Context, answer *answer) (roomStatus, error) {
	f.runs = map[domain.ID]int{}
	err := f.s.deps.Log.View(ctx, f.key, func(st *streams.State) error {
		for _, r := range st.Run.Open() {
			f.runs[r.ID] = 0
			if r.Live {
				f.runs[r.ID] = r.Attempt
			}
		}
		if t := st.Turn.Current; t != nil {
			answer.begin(t.ID, t.Attempt)
		}
		return nil
	})
	if err != nil {
		return roomStatus{}, err
	}
	if err := f.s.deps.Store.Wait(ctx, f.sent, projections.Timeline); err != nil {
		return roomStatus{}, err
	}
	return f.status(ctx)
}
