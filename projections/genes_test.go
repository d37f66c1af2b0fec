package projections_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/projections/projectionstest"
)

func TestGenes(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.catchUp()
	versions := must[[]projections.GeneVersion](t)(b.store.GeneVersions(ctx, key, 0))
	if len(versions) != 3 || versions[0].Version != 3 || versions[0].Origin != gene.OriginEdit || versions[0].By != domain.User(wang) {
		t.Fatalf("versions: %+v", versions)
	}
	two := versions[1]
	if two.ProposedBy != domain.Butler(id("turn", 1)) || two.Card != id("card", 1) || two.Search != "爆炸\nzombies\nmore explosions" || two.Score == nil {
		t.Errorf("version 2: %+v, want the card's, with its score from version 3's event", two)
	}
	if one := versions[2]; one.Score == nil || one.Score.Found != 3 {
		t.Errorf("version 1's score: %+v", one.Score)
	}
	if current := must[projections.GeneVersion](t)(b.store.GeneVersion(ctx, key, 0)); current.Version != 3 {
		t.Errorf("the current version is %d, want 3", current.Version)
	}
	if _, err := b.store.GeneVersion(ctx, key, 9); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("version 9: %v, want not_found", err)
	}
	card := must[projections.Card](t)(b.store.Card(ctx, key, id("card", 1)))
	if card.State != "applied" || card.Steer != nil || *card.Search == "" || !cmp.Equal(card.Settled, []domain.ID{id("fb", 1)}) || card.ClosedBy != domain.User(lin) {
		t.Errorf("card 1: %+v", card)
	}
	if got := must[[]projections.Card](t)(b.store.Cards(ctx, key, "expired", id("run", 5), 0)); len(got) != 1 || got[0].Card != id("card", 2) {
		t.Errorf("expired cards of run 5: %+v", got)
	}
	order := must[projections.Order](t)(b.store.Order(ctx, key, id("order", 1)))
	if order.State != "confirmed" || order.Run != id("run", 3) || order.Request.What != "a board" {
		t.Errorf("order 1: %+v", order)
	}
}

func TestPendingExpiry(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	at := projectionstest.Start().Add(time.Hour)
	b.log.Add(key, domain.Butler("x"),
		gene.Proposed{Card: id("card", 1), BaseVersion: 1, Summary: "s", Reason: "r", Expires: at},
		run.OrderProposed{Order: id("order", 1), Work: run.Search, Expires: at.Add(time.Hour)},
		run.OrderProposed{Order: id("order", 2), Work: run.Search, Expires: at})
	b.log.Add(key, domain.User(lin), run.OrderDeclined{Order: id("order", 2), Reason: "no"})
	b.catchUp()
	if got := must[[]projections.Expiring](t)(b.store.PendingExpiry(ctx, at.Add(time.Minute))); len(got) != 1 || got[0].ID != id("card", 1) || got[0].Type != domain.CardObj {
		t.Errorf("due within the hour: %+v, want the card", got)
	}
	if got := must[[]projections.Order](t)(b.store.Orders(ctx, key, "declined", "", 0)); len(got) != 1 || got[0].Why != "no" {
		t.Errorf("declined orders: %+v", got)
	}
}

func TestAVersionBelowTheFirstIsPoison(t *testing.T) {
	b := setup(t)
	create(b.log, key)
	bad := b.log.Add(key, domain.User(lin), gene.Minted{Version: 0, Previous: &gene.Score{Version: 1, Found: 9}})
	b.catchUp()
	var parked []uint64
	for _, p := range must[[]projections.ParkedAgent](t)(b.store.Parked(context.Background())) {
		if p.Projection == projections.Genes {
			parked = append(parked, p.Seq)
		}
	}
	if one := must[projections.GeneVersion](t)(b.store.GeneVersion(context.Background(), key, 0)); !cmp.Equal(parked, []uint64{bad}) || one.Version != 1 || one.Score != nil {
		t.Errorf("parked at %v with version %+v current; want at %d, and version 1 as it was", parked, one, bad)
	}
}

func TestFeedbackIsSettledOnlyByAnAppliedCard(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.catchUp()
	states := map[domain.ID]string{}
	for _, f := range must[[]projections.FeedbackItem](t)(b.store.Feedback(ctx, key, projections.FeedbackFilter{})) {
		states[f.Feedback] = f.State
	}
	want := map[domain.ID]string{id("fb", 1): "settled", id("fb", 2): "open", id("fb", 3): "withdrawn", id("fb", 4): "open"}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	one := must[projections.FeedbackItem](t)(b.store.FeedbackItem(ctx, key, id("fb", 1)))
	if one.SettledIn != 2 || one.SettledBy != id("card", 1) || !one.Strong || one.Document != domain.Search || one.By != lin {
		t.Errorf("the settled item: %+v", one)
	}
	b.log.Add(key, domain.Butler(id("turn", 9)), feedback.Given{
		Feedback: id("fb", 5), Object: domain.Ref{Type: domain.Whole}, Words: "calmer", OnBehalf: wang, Turn: id("turn", 9), Document: domain.Steer,
	})
	b.catchUp()
	open := must[[]projections.FeedbackItem](t)(b.store.Unsettled(ctx, key))
	if len(open) != 3 || open[2].By != wang || open[2].WrittenBy != domain.Butler(id("turn", 9)) || open[2].Document != domain.Steer {
		t.Errorf("unsettled: %+v", open)
	}
	films := projections.FeedbackFilter{Object: domain.Ref{Type: domain.Film, ID: id("film", 1)}}
	if got := must[[]projections.FeedbackItem](t)(b.store.Feedback(ctx, key, films)); len(got) != 1 || got[0].Document != domain.Steer {
		t.Errorf("feedback on the film: %+v, want one for the steer document", got)
	}
}

func TestDigestInputs(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	give := func(n int) feedback.Given {
		return feedback.Given{Feedback: id("fb", n), Object: domain.Ref{Type: domain.Whole}, Words: "w"}
	}
	get := func() projections.DigestInputs {
		t.Helper()
		b.catchUp()
		return must[projections.DigestInputs](t)(b.store.DigestInputs(ctx, key))
	}
	digest := func(n int, reason run.Reason, outcome run.Outcome, between ...domain.Event) {
		b.log.Add(key, domain.System("digest"), run.Requested{Run: id("run", n), Work: run.Digest, Trigger: run.Threshold})
		if got := get(); got.Running != id("run", n) {
			t.Errorf("running is %q, want run %d", got.Running, n)
		}
		b.log.Add(key, domain.Butler(id("run", n)), run.Started{Run: id("run", n), Attempt: 1, GeneVersion: 1})
		b.log.Add(key, domain.User(lin), between...)
		b.log.Add(key, domain.Butler(id("run", n)), run.Finished{Run: id("run", n), Attempt: 1, Outcome: outcome, Reason: reason})
	}
	b.log.Add(key, domain.User(lin), give(1), give(2), chat.Said{Message: id("msg", 1), Text: "x"})
	if got := get(); got.Fresh != 2 || !got.Oldest.Equal(projectionstest.Start().Add(time.Second)) || !got.LastSpoke.Equal(projectionstest.Start().Add(3*time.Second)) {
		t.Errorf("two items and a message: %+v", got)
	}
	digest(1, run.ReasonPeopleCame, run.Cancelled)
	if got := get(); got.Fresh != 2 || got.Running != "" {
		t.Errorf("a digest that made way does not count: %+v", got)
	}
	digest(2, run.ReasonFinished, run.Done, give(3))
	if got := get(); got.Fresh != 1 || got.LastDigest == 0 {
		t.Errorf("what came during the digest is fresh: %+v", got)
	}
	b.log.Add(key, domain.Butler(id("run", 2)), gene.Proposed{Card: id("card", 1), BaseVersion: 1, Summary: "s", Reason: "r", Run: id("run", 2), Expires: time.Now()})
	if got := get(); got.PendingCard != id("card", 1) {
		t.Errorf("its card waits: %+v", got)
	}
	b.log.Add(key, domain.User(lin), gene.Rejected{Card: id("card", 1)})
	if got := get(); got.PendingCard != "" {
		t.Errorf("its card was answered: %+v", got)
	}
	if all := must[[]projections.DigestInputs](t)(b.store.DigestDue(ctx)); len(all) != 1 || all[0].Key != key {
		t.Errorf("agents with fresh items: %+v", all)
	}
	digest(3, run.ReasonModel, run.Failed)
	b.catchUp()
	if all := must[[]projections.DigestInputs](t)(b.store.DigestDue(ctx)); len(all) != 0 {
		t.Errorf("a failed digest is not run again for the same items: %+v", all)
	}
}
