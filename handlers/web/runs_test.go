package web

import (
	"fmt"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// order proposes an order as a turn would.
func (b *bench) order(key domain.Key, work run.Work) domain.ID {
	b.t.Helper()
	id, turn := domain.ID(newKey()), domain.ID(newKey())
	b.decide(key, domain.Butler(turn), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.ProposeOrder(run.OrderProposed{
			Order: id, Work: work, Turn: turn, Request: run.Request{What: "more towers", Why: "asked for", Target: 5},
		}, now)
	})
	return id
}

func (b *bench) start(key domain.Key, id domain.ID) int {
	b.t.Helper()
	attempt := 0
	b.decide(key, domain.Worker("w"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		events, err := st.Run.Start(id, 1, st.Gene.Version)
		if err == nil {
			attempt = events[len(events)-1].(run.Started).Attempt
		}
		return events, err
	})
	return attempt
}

func (b *bench) finish(key domain.Key, id domain.ID, reason run.Reason) uint64 {
	b.t.Helper()
	return b.decide(key, domain.Worker("w"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		outcome := run.Done
		return st.Run.Finish(run.Finished{Run: id, Attempt: st.Run.Runs[id].Attempt, Outcome: outcome, Reason: reason})
	}).Seq
}

// material saves one as a search run would.
func (b *bench) material(key domain.Key, runID domain.ID, attempt int, title string, media library.Media) domain.ID {
	b.t.Helper()
	id := domain.ID(newKey())
	b.record(key, domain.Worker("w"), library.Saved{
		Material: id, Run: runID, Attempt: attempt, GeneVersion: 1, Source: "fast", External: newKey(), Title: title, Media: media,
	})
	return id
}

func TestOrders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	id := b.order(key, run.Search)
	other := b.order(key, run.Board)
	idem := newKey()
	var a, again asked
	b.boss.with(idem).post(path+"/orders/"+string(id)+"/confirm", nil).want(200).into(&a)
	b.boss.with(idem).post(path+"/orders/"+string(id)+"/confirm", nil).want(200).into(&again)
	if a != again {
		t.Fatalf("%+v, then %+v", a, again)
	}
	p := b.boss.post(path+"/orders/"+string(id)+"/decline", body{}).problem(409, "order_closed")
	if p.Details["state"] != "confirmed" || p.Details["by"] != string(domain.User(b.boss.id)) {
		t.Fatalf("%+v", p)
	}
	b.boss.post(path+"/orders/"+string(other)+"/decline", body{"reason": "later"}).want(200)
	b.boss.with(idem).post(path+"/orders/"+string(other)+"/confirm", nil).problem(409, "order_closed") // another command
	b.settle()
	var list ordersView
	b.boss.get(path + "/orders").want(200).into(&list)
	if len(list.Orders) != 2 || list.Orders[0].State != "declined" || list.Orders[1].State != "confirmed" || list.Orders[1].Run != a.Run {
		t.Fatalf("%+v", list)
	}
	b.boss.get(path + "/orders/" + string(id)).want(200)
	var d projections.TaskDetail
	b.boss.get(path + "/runs/" + string(a.Run)).want(200).into(&d)
	if d.Order != id || d.Request.Target != 5 {
		t.Fatalf("%+v", d)
	}
}

func TestRunsByHand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	var a asked
	b.boss.post(path+"/runs", body{"work": "search", "what": "再找一批", "target": 3}).want(200).into(&a)
	b.boss.post(path+"/runs", body{"work": "dance"}).problem(400, "validation")
	b.boss.post(path+"/runs", body{"work": "search", "target": 100000}).problem(400, "run_request")
	b.boss.post(path+"/runs", body{"work": "board", "cites": []body{{"type": "material", "id": newKey()}}}).problem(422, "foreign_object")
	b.boss.post(path+"/runs", body{"work": "film", "board": newKey()}).problem(422, "foreign_object")

	b.boss.post(path+"/runs/"+string(a.Run)+"/retry", body{}).problem(409, "run_not_finished")
	b.start(key, a.Run)
	var c cancelled
	b.boss.post(path+"/runs/"+string(a.Run)+"/cancel", nil).want(200).into(&c)
	if c.Ended {
		t.Fatal("a live run is ended by its worker")
	}
	b.boss.post(path+"/runs/"+string(a.Run)+"/cancel", nil).want(200) // T22: twice is harmless
	b.decide(key, domain.Worker("w"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.Finish(run.Finished{Run: a.Run, Attempt: 1, Outcome: run.Cancelled, Reason: run.ReasonCancelled})
	})
	b.boss.post(path+"/runs/"+string(a.Run)+"/cancel", nil).problem(409, "run_finished")
	var r asked
	b.boss.post(path+"/runs/"+string(a.Run)+"/retry", body{"same_gene": true}).want(200).into(&r)
	var d projections.TaskDetail
	b.boss.get(fmt.Sprintf("%s/runs/%s?min_seq=%d", path, r.Run, r.Seq)).want(200).into(&d)
	if d.RetryOf != a.Run || d.GeneVersion != 1 || d.Request.What != "再找一批" || d.Trigger != run.Retry {
		t.Fatalf("%+v", d)
	}
	b.boss.post(path+"/runs/"+string(r.Run)+"/cancel", nil).want(200).into(&c)
	if !c.Ended {
		t.Fatal("a run that never started ends at once")
	}
	b.boss.post(path+"/runs/"+string(a.Run)+"/continue", nil).problem(409, "run_not_capped")
	b.start(key, created.Run)
	b.finish(key, created.Run, run.ReasonTokens)
	b.boss.post(path+"/runs/"+string(created.Run)+"/continue", nil).want(200)
	var list runsView
	b.settle()
	b.boss.get(path + "/runs?state=cancelled&state=done&work=search").want(200).into(&list)
	if len(list.Runs) != 3 {
		t.Fatalf("%+v", list.Runs)
	}
}

func TestFeedbackAndBehavior(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	attempt := b.start(key, created.Run)
	m := b.material(key, created.Run, attempt, "tower", library.Media{})
	elsewhere, else2 := b.boss.agent("another")
	elseAttempt := b.start(b.key(else2.Agent), else2.Run)
	foreign := b.material(b.key(else2.Agent), else2.Run, elseAttempt, "zombie", library.Media{})
	b.settle()

	idem := newKey()
	var g, again given
	in := body{"object": body{"type": "material", "id": m}, "verdict": "dislike", "words": "爆炸感不够"}
	b.boss.with(idem).post(path+"/feedback", in).want(200).into(&g)
	b.boss.with(idem).post(path+"/feedback", in).want(200).into(&again)
	if g.Feedback != again.Feedback {
		t.Fatal("a repeated command made another reaction")
	}
	b.settle()
	b.boss.with(idem).post(path+"/feedback", body{"object": in["object"], "verdict": "like"}).problem(409, "key_reused")
	b.boss.post(path+"/feedback", body{"object": body{"type": "material", "id": foreign}, "verdict": "like"}).problem(422, "foreign_object")
	b.boss.post(path+"/feedback", body{"object": body{"type": "material", "id": m}}).problem(400, "feedback_empty")
	b.boss.post(path+"/feedback", body{"object": body{"type": "card", "id": newKey()}, "verdict": "like"}).problem(400, "feedback_object")
	ann := b.person("ann")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	b.settle()
	var list feedbackView
	b.boss.get(path + "/feedback?state=open").want(200).into(&list)
	if len(list.Items) != 1 || list.Items[0].Document != domain.Search || !list.Items[0].Strong || list.People[b.boss.id] != "boss" {
		t.Fatalf("%+v", list)
	}
	ann.del(path+"/feedback/"+string(g.Feedback)).problem(403, "feedback_not_own")
	var d done
	b.boss.del(path + "/feedback/" + string(g.Feedback)).want(200).into(&d)
	b.boss.get(fmt.Sprintf("%s/feedback?state=withdrawn&min_seq=%d", path, d.Seq)).want(200).into(&list)
	if len(list.Items) != 1 {
		t.Fatalf("%+v", list)
	}

	beacon := body{"beacon": newKey(), "observations": []body{
		{"id": newKey(), "type": "material_viewed", "object": body{"type": "material", "id": m}, "at": time.Now().Add(time.Hour)},
		{"id": newKey(), "type": "material_ignored", "object": body{"type": "material", "id": foreign}, "at": time.Now()},
		{"id": "x", "type": "material_viewed", "object": body{"type": "material", "id": m}, "at": time.Now()},
	}}
	var o observed
	b.boss.post(path+"/behavior", beacon).want(200).into(&o)
	b.boss.post(path+"/behavior", beacon).want(200)
	if o.Recorded != 1 || len(o.Refused) != 2 || o.Refused[0].Reason != "foreign_object" {
		t.Fatalf("%+v", o)
	}
	var mv materialView
	b.boss.get(fmt.Sprintf("%s/materials/%s?min_seq=%d", path, m, o.Seq)).want(200).into(&mv)
	if mv.State != projections.MaterialSeen || mv.Use.Boards == nil && mv.Boards != 0 {
		t.Fatalf("%+v", mv)
	}
	b.boss.get(elsewhere+"/materials/"+string(m)).problem(404, "")
	var ml materialsView
	b.boss.get(path + "/materials?state=seen&q=TOWER").want(200).into(&ml)
	if len(ml.Materials) != 1 {
		t.Fatalf("%+v", ml)
	}
	many := make([]body, domain.MaxObservations+1)
	for i := range many {
		many[i] = body{"id": newKey(), "type": "material_viewed", "object": body{"type": "material", "id": m}}
	}
	b.boss.post(path+"/behavior", body{"beacon": newKey(), "observations": many}).problem(413, "beacon_full")
	b.boss.post(path+"/behavior", body{"beacon": newKey(), "observations": []body{}}).want(200)
	b.boss.post(path+"/behavior", body{"beacon": "x"}).problem(400, "beacon")
	b.boss.post(path+"/behavior", []byte("{")).problem(400, "")
	b.boss.post(path+"/behavior", make([]byte, beaconLimit+1)).problem(413, "")
	plain := []byte(fmt.Sprintf(`{"beacon":%q,"observations":[{"id":%q,"type":"material_viewed","object":{"type":"material","id":%q}}]}`, newKey(), newKey(), m))
	b.boss.do("POST", path+"/behavior", plain, textPlain).want(200).into(&o)
	if o.Recorded != 1 {
		t.Fatalf("%+v", o)
	}
	for _, list := range []string{"boards", "films", "assets"} {
		b.boss.get(path + "/" + list).want(200)
		b.boss.get(path + "/" + list[:len(list)-1] + "s/" + newKey()).want(404)
	}
}
