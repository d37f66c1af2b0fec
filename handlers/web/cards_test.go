package web

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// propose puts a butler's card in front of people, as a turn would.
func (b *bench) propose(key domain.Key, base int, search string) (domain.ID, uint64) {
	b.t.Helper()
	id := domain.ID(newKey())
	turn := domain.ID(newKey())
	res := b.decide(key, domain.Butler(turn), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Gene.Propose(gene.Proposed{
			Card: id, BaseVersion: base, Search: &search, Summary: "more explosions", Reason: "two people asked", Turn: turn,
		}, domain.Butler(turn), now)
	})
	return id, res.Seq
}

const moreSearch = "爆炸\n僵尸\n近景爆炸"

func TestApplyCard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	card, seq := b.propose(key, 1, moreSearch)
	sibling, _ := b.propose(key, 1, "爆炸\n僵尸\n远景")
	var cv cardView
	b.boss.get(fmt.Sprintf("%s/cards/%s?min_seq=%d", path, card, seq)).want(200).into(&cv)
	if cv.State != "pending" || cv.Base.Search != "爆炸\n僵尸" || *cv.Search != moreSearch {
		t.Fatalf("card %+v", cv)
	}
	idem := newKey()
	var a, again applied
	b.boss.with(idem).post(path+"/cards/"+string(card)+"/apply", body{}).want(200).into(&a)
	b.boss.with(idem).post(path+"/cards/"+string(card)+"/apply", body{}).want(200).into(&again)
	if diff := cmp.Diff(a, again); diff != "" || a.Version != 2 {
		t.Fatalf("%+v; %s", a, diff)
	}
	// Another card, or another decision, under the same key is another command.
	b.boss.with(idem).post(path+"/cards/"+string(sibling)+"/apply", body{}).problem(409, "card_closed")
	b.boss.with(idem).post(path+"/cards/"+string(card)+"/reject", body{}).problem(409, "card_closed")

	var runs runsView
	b.boss.get(fmt.Sprintf("%s/runs?min_seq=%d", path, a.Seq)).want(200).into(&runs)
	if len(runs.Runs) != 2 || runs.Runs[0].Run != a.Run || runs.Runs[0].Trigger != run.GeneCheck || runs.Runs[0].GeneVersion != 2 || runs.Runs[0].Card != card {
		t.Fatalf("runs %+v", runs.Runs)
	}
	var v projections.GeneVersion
	b.boss.get(fmt.Sprintf("%s/gene/versions/v2?min_seq=%d", path, a.Seq)).want(200).into(&v)
	if v.Origin != gene.OriginCard || v.Card != card || v.By != domain.User(b.boss.id) || v.ProposedBy.Role() != "butler" {
		t.Fatalf("version %+v", v)
	}
	var old projections.GeneVersion
	b.boss.get(path + "/gene/versions/1").want(200).into(&old)
	if old.Score == nil || old.Score.Version != 1 || old.Score.AsOf == 0 {
		t.Fatalf("the score that V1 ended with: %+v", old.Score)
	}
	b.boss.get(path + "/cards/" + string(sibling)).want(200).into(&cv)
	if cv.State != "expired" || cv.Cause != gene.CauseBaseMoved || cv.MovedTo != 2 {
		t.Fatalf("sibling %+v", cv.Card)
	}
	p := b.boss.post(path+"/cards/"+string(sibling)+"/apply", body{}).problem(409, "card_closed")
	if p.Details["cause"] != "base_moved" || p.Details["version"] != float64(2) {
		t.Fatalf("%+v", p)
	}
	var d geneDiff
	b.boss.get(path + "/gene/diff?from=1&to=2").want(200).into(&d)
	if diff := cmp.Diff([]Piece{{Same, "爆炸\n僵尸"}, {Added, "\n近景爆炸"}}, d.Search); diff != "" {
		t.Fatal(diff)
	}
	var g geneView
	b.boss.get(path + "/gene").want(200).into(&g)
	if roles := []string{g.Search.Lines[0].Role, g.Search.Lines[2].Role}; roles[0] != "person" || roles[1] != "butler" {
		t.Fatalf("authors %+v", g.Search.Lines)
	}
}

// Of two people who apply at once one wins; the other reads who.
func TestApplyRace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	ann := b.person("ann")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	card, _ := b.propose(b.key(created.Agent), 1, moreSearch)
	answers := make([]*answered, 6)
	var wg sync.WaitGroup
	for i := range answers {
		who := b.boss
		if i%2 == 1 {
			who = ann
		}
		wg.Go(func() { answers[i] = who.post(path+"/cards/"+string(card)+"/apply", body{}) })
	}
	wg.Wait()
	winner := domain.Actor("")
	for i, a := range answers {
		if a.status == 200 {
			if winner != "" {
				t.Fatal("applied twice")
			}
			winner = domain.User([]domain.ID{b.boss.id, ann.id}[i%2])
		}
	}
	for _, a := range answers {
		if a.status == 200 {
			continue
		}
		p := a.problem(409, "card_closed")
		if p.Details["state"] != "applied" || p.Details["by"] != string(winner) || p.Details["at"] == "" {
			t.Fatalf("%+v, winner %s", p.Details, winner)
		}
	}
	b.settle()
	var v versionsView
	b.boss.get(path + "/gene/versions").want(200).into(&v)
	if len(v.Versions) != 2 {
		t.Fatalf("%d versions", len(v.Versions))
	}
}

// T8: a rejected card stays rejected; the click that comes late is told by whom
// and when, and with two cards open the answer lands on the right one.
func TestLateClick(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	ann := b.person("ann")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	key := b.key(created.Agent)
	one, _ := b.propose(key, 1, moreSearch)
	two, seq := b.propose(key, 1, "爆炸\n僵尸\n塔")
	ann.post(path+"/cards/"+string(one)+"/reject", body{"reason": "too loud", "chips": []string{"off_topic"}}).want(200)
	p := b.boss.post(path+"/cards/"+string(one)+"/apply", body{}).problem(409, "card_closed")
	at, err := time.Parse(time.RFC3339, fmt.Sprint(p.Details["at"]))
	if p.Details["by_name"] != "ann" || !hasAll(p.Detail, "rejected by ann") {
		t.Fatalf("%+v", p)
	}
	if p.Details["card"] != string(one) || p.Details["state"] != "rejected" || p.Details["by"] != string(domain.User(ann.id)) || err != nil || time.Since(at) > time.Minute {
		t.Fatalf("%+v", p)
	}
	var cv cardView
	b.boss.get(fmt.Sprintf("%s/cards/%s?min_seq=%d", path, two, seq)).want(200).into(&cv)
	if cv.State != "pending" {
		t.Fatalf("the other card is %s", cv.State)
	}
	var list cardsView
	b.boss.get(path + "/cards?state=pending").want(200).into(&list)
	if len(list.Cards) != 1 || list.Cards[0].Card != two {
		t.Fatalf("%+v", list)
	}
	var g geneView
	b.boss.get(path + "/gene").want(200).into(&g)
	if g.Version != 1 {
		t.Fatal("something was applied")
	}
}

// T7: proposed while nobody was there, read after every service restarted.
func TestCardSurvivesRestart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	card, seq := b.propose(b.key(created.Agent), 1, moreSearch)
	deps := b.server.deps
	log, err := streams.Open(t.Context(), b.nats.Conn, streams.Config{AckWait: streamsAckWait})
	if err != nil {
		t.Fatal(err)
	}
	deps.Log = log // nothing folded yet
	_, b.url = serve(t, deps)
	var list cardsView
	b.boss.get(fmt.Sprintf("%s/cards?state=pending&min_seq=%d", path, seq)).want(200).into(&list)
	if len(list.Cards) != 1 || list.Cards[0].Card != card {
		t.Fatalf("%+v", list)
	}
	var a applied
	b.boss.post(path+"/cards/"+string(card)+"/apply", body{}).want(200).into(&a)
	b.boss.post(path+"/cards/"+string(card)+"/apply", body{}).problem(409, "card_closed")
	if a.Version != 2 {
		t.Fatalf("%+v", a)
	}
}

const streamsAckWait = time.Second

func TestPartialAndEditedApply(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	id, turn := domain.ID(newKey()), domain.ID(newKey())
	search, steer := moreSearch, "节奏快\n字幕少"
	b.decide(key, domain.Butler(turn), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Gene.Propose(gene.Proposed{
			Card: id, BaseVersion: 1, Search: &search, Steer: &steer, Summary: "s", Reason: "r", Turn: turn,
		}, domain.Butler(turn), now)
	})
	b.boss.post(path+"/cards/"+string(id)+"/apply", body{"documents": []string{"constraints"}}).problem(400, "card_document")
	b.boss.post(path+"/cards/"+string(id)+"/apply", body{"documents": []string{"steer"}, "search": "x"}).problem(400, "card_document")
	var a applied
	b.boss.post(path+"/cards/"+string(id)+"/apply", body{"documents": []string{"steer"}, "steer": "节奏快\n字幕更少"}).want(200).into(&a)
	if diff := cmp.Diff([]string{"steer"}, a.Documents); diff != "" {
		t.Fatal(diff)
	}
	var g geneView
	b.boss.get(path + "/gene").want(200).into(&g)
	if g.Search.Text != "爆炸\n僵尸" || g.Steer.Text != "节奏快\n字幕更少" || g.Steer.Lines[1].Role != "person" {
		t.Fatalf("%+v", g)
	}
}

func TestEditAndRollback(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("room")
	var m minted
	b.boss.post(path+"/gene/edit", body{"base_version": 1, "search": "只要塔", "summary": "towers"}).want(200).into(&m)
	if m.Version != 2 {
		t.Fatalf("%+v", m)
	}
	p := b.boss.post(path+"/gene/edit", body{"base_version": 1, "search": "x"}).problem(409, "base_moved")
	if len(p.Details) == 0 {
		t.Fatalf("%+v", p)
	}
	b.boss.post(path+"/gene/edit", body{"base_version": 2, "search": "只要塔"}).problem(409, "nothing_changed")
	b.boss.post(path+"/gene/edit", body{"base_version": 2, "constraints": body{"aspect": "3:2"}}).problem(400, "gene_constraints")
	b.boss.post(path+"/gene/rollback", body{"base_version": 2, "to": 9}).problem(404, "version_unknown")
	b.boss.post(path+"/gene/rollback", body{"base_version": 2, "to": 1}).want(200).into(&m)
	var v projections.GeneVersion
	b.boss.get(fmt.Sprintf("%s/gene/versions/3?min_seq=%d", path, m.Seq)).want(200).into(&v)
	if v.Search != "爆炸\n僵尸" || v.RolledBackTo != 1 || v.Origin != gene.OriginRollback {
		t.Fatalf("%+v", v)
	}
	var s projections.Scores
	b.boss.get(fmt.Sprintf("%s/performance?min_seq=%d", path, m.Seq)).want(200).into(&s)
	if len(s.Versions) < 3 || s.Versions[0].Version != 3 {
		t.Fatalf("%+v", s)
	}
	b.boss.get(path + "/performance/rows?version=1&metric=found").want(200)
	b.boss.get(path+"/performance/rows?version=1&metric=fun").problem(400, "validation")
}
