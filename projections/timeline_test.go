package projections_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/projections"
)

// short writes a row as "seq side type ref".
func short(rows []projections.Row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%d %s %s %s", r.Seq, r.Side, r.Type, r.Ref))
	}
	return out
}

func (b *bundle) timeline() []projections.Row {
	b.t.Helper()
	b.catchUp()
	return must[[]projections.Row](b.t)(b.store.Timeline(context.Background(), key, projections.Page{Limit: 200}))
}

// rowOf finds the newest row of a type.
func (b *bundle) rowOf(kind string) projections.Row {
	b.t.Helper()
	rows := b.timeline()
	for _, r := range slices.Backward(rows) {
		if r.Type == kind {
			return r
		}
	}
	b.t.Fatalf("there is no row of type %s in\n%v", kind, short(rows))
	return projections.Row{}
}

func body[T any](t *testing.T, r projections.Row) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		t.Fatalf("body of row %d: %v", r.Seq, err)
	}
	return v
}

func TestTimelineShowsTheWheel(t *testing.T) {
	b := setup(t)
	wheel(b.log, key)
	want := []string{
		fmt.Sprintf("3 centre run_asked %s", id("run", 1)),
		fmt.Sprintf("18 centre run_finished %s", id("run", 1)),
		fmt.Sprintf("20 right feedback %s", id("fb", 1)),
		"21 right reactions ",
		fmt.Sprintf("23 right chat %s", id("msg", 1)),
		fmt.Sprintf("24 right chat %s", id("msg", 2)),
		fmt.Sprintf("29 left turn %s", id("turn", 1)),
		fmt.Sprintf("30 right card_applied %s", id("card", 1)), // shows the gene check, run 2
		fmt.Sprintf("33 right order_confirmed %s", id("order", 1)),
		fmt.Sprintf("38 centre run_finished %s", id("run", 2)),
		fmt.Sprintf("41 centre run_finished %s", id("run", 3)),
		fmt.Sprintf("42 right board_edited %s", id("board", 1)),
		fmt.Sprintf("43 right run_ordered %s", id("run", 4)),
		fmt.Sprintf("46 centre run_finished %s", id("run", 4)),
		"47 right reactions ",
		fmt.Sprintf("50 right asset_uploaded %s", id("asset", 1)),
		fmt.Sprintf("55 left card %s", id("card", 2)), // a digest's card is a row of its own
		fmt.Sprintf("56 centre run_finished %s", id("run", 5)),
		"57 right gene_edited ",
		fmt.Sprintf("59 right chat %s", id("msg", 3)),
		fmt.Sprintf("60 right run_ordered %s", id("run", 6)),
		fmt.Sprintf("62 centre run_finished %s", id("run", 6)),
	}
	rows := b.timeline()
	if diff := cmp.Diff(want, short(rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	turnRow := rows[6]
	if got := turnRow.Cards[0]; got.State != "applied" || got.ClosedBy != domain.User(lin) || got.Version != 2 {
		t.Errorf("the card in its answer is %+v, want applied by lin as version 2", got)
	}
	if got := turnRow.Orders[0]; got.State != "confirmed" || got.Run != id("run", 3) {
		t.Errorf("the order in its answer is %+v, want confirmed", got)
	}
	if got := rows[16].Cards[0]; got.State != "expired" || got.Cause != gene.CauseBaseMoved || got.MovedTo != 3 {
		t.Errorf("the digest's card is %+v, want expired by the moved base", got)
	}
	end := body[projections.RunEndBody](t, rows[1])
	if end.Work != run.Search || end.Trigger != run.First || end.GeneVersion != 1 || end.Counts[domain.Material] != 3 {
		t.Errorf("the closing row says %+v", end)
	}
	perRun := map[domain.ID]int{}
	for _, r := range rows {
		if r.Type == projections.RowRunAsked || r.Type == projections.RowRunOrdered || r.Type == projections.RowRunFinished {
			perRun[r.Ref]++
		}
	}
	for id, n := range perRun {
		if n > 2 {
			t.Errorf("run %s left %d rows", id, n)
		}
	}
}

func TestTimelineWhoAskedForARun(t *testing.T) {
	b := setup(t)
	cases := []struct {
		trigger run.Trigger
		actor   domain.Actor
		want    string
	}{
		{run.First, domain.User(lin), "centre run_asked"},
		{run.Daily, domain.System("timer"), "centre run_asked"},
		{run.Hand, domain.User(lin), "right run_ordered"},
		{run.Retry, domain.User(lin), "right run_ordered"},
		{run.Budget, domain.User(lin), "right run_ordered"},
		{run.Retry, domain.System("policy"), "centre run_asked"},
		{run.Order, domain.User(lin), ""},
		{run.GeneCheck, domain.User(lin), ""},
		{run.Threshold, domain.System("digest"), ""},
	}
	agentOf := func(i int) domain.Key { return domain.Key{Product: "demo", Agent: id("agent", i)} }
	for i, c := range cases {
		b.log.Add(agentOf(i), c.actor, run.Requested{Run: id("run", 1), Work: run.Search, Trigger: c.trigger})
	}
	b.catchUp()
	for i, c := range cases {
		got := ""
		for _, r := range must[[]projections.Row](t)(b.store.Timeline(context.Background(), agentOf(i), projections.Page{})) {
			got += string(r.Side) + " " + r.Type
		}
		if got != c.want {
			t.Errorf("%s by %s leaves %q, want %q", c.trigger, c.actor, got, c.want)
		}
	}
}

func TestTimelineGroupsBareReactions(t *testing.T) {
	b := setup(t)
	like := func(n, material int) feedback.Given {
		return feedback.Given{Feedback: id("fb", n), Object: domain.Ref{Type: domain.Material, ID: id("mat", material)}, Verdict: feedback.Like}
	}
	b.log.Add(key, domain.User(lin), like(1, 1), like(2, 2), like(2, 2)) // the third is a repetition
	b.log.Add(key, domain.User(wang), like(3, 1))                        // another person
	b.log.Add(key, domain.User(lin),
		feedback.Given{Feedback: id("fb", 4), Object: domain.Ref{Type: domain.Board, ID: id("board", 1)}, Verdict: feedback.Dislike}, // another kind
		feedback.Withdrawn{Feedback: id("fb", 1)})
	b.log.Pass(10 * time.Minute)
	b.log.Add(key, domain.User(lin), like(5, 3)) // another window
	type group struct {
		Seq  uint64
		Who  domain.Actor
		Body projections.ReactionsBody
	}
	var got []group
	for _, r := range b.timeline() {
		got = append(got, group{r.Seq, r.Actor, body[projections.ReactionsBody](t, r)})
	}
	want := []group{
		{1, domain.User(lin), projections.ReactionsBody{Object: domain.Material, Likes: 1, Objects: 1}},
		{4, domain.User(wang), projections.ReactionsBody{Object: domain.Material, Likes: 1, Objects: 1}},
		{5, domain.User(lin), projections.ReactionsBody{Object: domain.Board, Dislikes: 1, Objects: 1}},
		{7, domain.User(lin), projections.ReactionsBody{Object: domain.Material, Likes: 1, Objects: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

func TestTimelineLooksLeaveNoRow(t *testing.T) {
	b := setup(t)
	b.log.Add(key, domain.User(lin), behavior.Observed{Beacon: id("beacon", 1), Observations: []behavior.Observation{
		{ID: id("obs", 1), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: id("mat", 1)}},
		{ID: id("obs", 2), Type: behavior.Ignored, Object: domain.Ref{Type: domain.Material, ID: id("mat", 1)}},
		{ID: id("obs", 3), Type: behavior.Downloaded, Object: domain.Ref{Type: domain.Film, ID: "01NOTOURS00000000000000000"}},
	}}, feedback.Given{Feedback: id("fb", 1), Object: domain.Ref{Type: domain.Whole}, Words: "faster", OnBehalf: lin, Turn: id("turn", 1)})
	if rows := b.timeline(); len(rows) != 0 {
		t.Errorf("looks, a foreign download and feedback that the butler wrote down left %v", short(rows))
	}
	if got := b.refused(projections.Timeline); got["delivery_downloaded unknown_object"] != 1 {
		t.Errorf("refused: %v, want the foreign download", got)
	}
}

func TestTimelineChatFollowsItsTurn(t *testing.T) {
	b := setup(t)
	b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 1), Text: "nul\x00led"}, chat.Said{Message: id("msg", 1), Text: "again"})
	row := b.rowOf(projections.RowChat)
	if got := body[projections.ChatBody](t, row); row.Seq != 1 || got.Text != "nul\uFFFDled" || got.Turn != "" {
		t.Errorf("the message is row %d %+v, want the first one, waiting", row.Seq, got)
	}
	b.log.Add(key, domain.Butler(id("turn", 1)), turn.Started{Turn: id("turn", 1), Attempt: 1, Messages: []domain.ID{id("msg", 1)}, Upto: id("msg", 1)})
	if got := body[projections.ChatBody](t, b.rowOf(projections.RowChat)); got.Turn != id("turn", 1) {
		t.Errorf("the message is %+v, want it read by the turn", got)
	}
}

func TestTimelineCardsOfALostAttemptStillStand(t *testing.T) {
	b := setup(t)
	butler := domain.Butler(id("turn", 1))
	propose := func(n int) gene.Proposed {
		return gene.Proposed{Card: id("card", n), BaseVersion: 1, Search: ptr("x"), Summary: "s", Reason: "r", Turn: id("turn", 1), Expires: time.Now()}
	}
	b.log.Add(key, butler,
		turn.Started{Turn: id("turn", 1), Attempt: 1, Upto: id("msg", 1)},
		propose(1),
		turn.AttemptLost{Turn: id("turn", 1), Attempt: 1, Cause: run.WorkerLost},
		turn.Started{Turn: id("turn", 1), Attempt: 2, Upto: id("msg", 1)},
		turn.Finished{Turn: id("turn", 1), Attempt: 2, Upto: id("msg", 1), Reason: "finished"},
		propose(2), // by the lost worker, after the end
	)
	row := b.rowOf(projections.RowTurn)
	blocks := body[projections.TurnBody](t, row).Blocks
	want := []turn.Block{{Type: turn.Card, Ref: id("card", 1)}, {Type: turn.Card, Ref: id("card", 2)}}
	if diff := cmp.Diff(want, blocks); diff != "" || len(row.Cards) != 2 {
		t.Errorf("%d cards, blocks (-want +got):\n%s", len(row.Cards), diff)
	}
}

func TestTimelinePages(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	wheel(b.log, other)
	all := b.timeline()
	get := func(p projections.Page) []projections.Row {
		t.Helper()
		return must[[]projections.Row](t)(b.store.Timeline(ctx, key, p))
	}
	var up, down []projections.Row
	for after := uint64(0); ; {
		page := get(projections.Page{After: max(after, 1), Limit: 5})
		if len(page) == 0 {
			break
		}
		up = append(up, page...)
		after = page[len(page)-1].Seq
	}
	for before := uint64(0); ; {
		page := get(projections.Page{Before: before, Limit: 7})
		if len(page) == 0 {
			break
		}
		down = append(page, down...)
		before = page[0].Seq
	}
	if diff := cmp.Diff(all, up); diff != "" {
		t.Errorf("pages upwards (-all +pages):\n%s", diff)
	}
	if diff := cmp.Diff(all, down); diff != "" {
		t.Errorf("pages downwards (-all +pages):\n%s", diff)
	}
	if n := must[int](t)(b.store.Unread(ctx, key, 29)); n != 6 {
		t.Errorf("unread after 29: %d, want the 6 rows of butler and system", n)
	}
}

func TestTimelineChangedFeedsALiveView(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	all := b.timeline()
	view, since := map[uint64]projections.Row{}, uint64(0)
	for {
		page := must[[]projections.Row](t)(b.store.TimelineChanged(ctx, key, since, 3))
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			if r.Rev <= since {
				t.Fatalf("row %d at revision %d came again after %d", r.Seq, r.Rev, since)
			}
			view[r.Seq] = r
		}
		since = page[len(page)-1].Rev
	}
	if len(view) != len(all) {
		t.Errorf("the view has %d rows, want %d", len(view), len(all))
	}
	b.log.Add(key, domain.User(lin), gene.Rejected{Card: id("card", 2), Reason: "no"})
	b.catchUp()
	page := must[[]projections.Row](t)(b.store.TimelineChanged(ctx, key, since, 0))
	if got := short(page); len(got) != 2 {
		t.Errorf("a rejection changed %v, want the card's row and its own", got)
	}
}

// refused reads a projection's refusals as "type reason" → count.
func (b *bundle) refused(name string) map[string]int {
	b.t.Helper()
	rows, err := b.store.Pool().Query(context.Background(), `SELECT type || ' ' || reason, count FROM `+name+`.refused`)
	if err != nil {
		b.t.Fatalf("refused: %v", err)
	}
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var what string
		var n int
		if err := rows.Scan(&what, &n); err != nil {
			b.t.Fatalf("refused: %v", err)
		}
		out[what] = n
	}
	return out
}
