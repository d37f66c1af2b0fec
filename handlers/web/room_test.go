package web

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"

	"sozai/domain"
	"sozai/domain/turn"
	"sozai/projections"
	"sozai/streams"
)

func (c *client) rows(path string, minSeq uint64) timelineView {
	c.t.Helper()
	var v timelineView
	c.get(fmt.Sprintf("%s/timeline?limit=200&min_seq=%d", path, minSeq)).want(200).into(&v)
	return v
}

func (c *client) say(path, text string) said {
	c.t.Helper()
	var m said
	c.post(path+"/messages", body{"text": text}).want(200).into(&m)
	return m
}

func TestCreateAgent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := newKey()
	in := body{"name": "Tower", "brief": "末日塔防", "search": "爆炸\nzombies", "constraints": body{"aspect": "9:16"}}
	var first, again createdAgent
	b.boss.with(key).post("/api/agents?product=demo", in).want(200).into(&first)
	b.boss.with(key).post("/api/agents?product=demo", in).want(200).into(&again)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Fatalf("a repeated command: %s", diff)
	}
	path := "/api/agents/" + string(first.Agent)
	var list agentsView
	b.boss.get(fmt.Sprintf("/api/agents?product=demo&min_seq=%d", first.Seq)).want(200).into(&list)
	if len(list.Agents) != 1 || list.Agents[0].Name != "Tower" || list.Agents[0].GeneVersion != 1 || list.Agents[0].RunningTasks != 1 {
		t.Fatalf("agents %+v", list)
	}
	var v agentView
	b.boss.get(path).want(200).into(&v)
	if v.Role != "creator" || v.People[b.boss.id] != "boss" {
		t.Fatalf("agent %+v", v)
	}
	var run projections.TaskDetail
	b.boss.get(fmt.Sprintf("%s/runs/%s?min_seq=%d", path, first.Run, first.Seq)).want(200).into(&run)
	if run.State != "requested" || run.Trigger != "first" || run.Work != "search" {
		t.Fatalf("first search %+v", run)
	}
	var g geneView
	b.boss.get(path + "/gene").want(200).into(&g)
	if g.Version != 1 || len(g.Search.Lines) != 2 || g.Search.Lines[0].Role != "person" || g.People[b.boss.id] != "boss" || g.Constraints.Aspect != "9:16" {
		t.Fatalf("gene %+v", g)
	}

	b.boss.post("/api/agents?product=nope", in).problem(404, "")
	b.boss.post("/api/agents", in).problem(400, "missing")
	b.boss.post("/api/agents?product=demo", body{"name": "", "search": "x"}).problem(400, "missing")
	for _, bad := range []string{"not a ulid", "01ARZ3NDEKTSV4RRFFQ69G5FA", ulid.MustNew(ulid.Timestamp(time.Now().Add(-8*24*time.Hour)), nil).String()} {
		b.boss.with(bad).post("/api/agents?product=demo", in).problem(400, "")
	}
	ahead := ulid.MustNew(ulid.Timestamp(time.Now().Add(48*time.Hour)), nil).String()
	b.boss.with(ahead).post("/api/agents?product=demo", in).problem(400, "command_from_future")
	b.boss.get("/api/agents/nonsense").problem(404, "")
	b.boss.get("/api/agents/"+newKey()).problem(404, "")
}

// T4: two users in two tabs each send at the same moment, one clock is off; every
// view shows one order, the log's.
func TestMessageOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	ann := b.person("ann")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seqs := map[uint64]string{}
	for i := range 20 {
		for _, who := range []*client{b.boss, ann} {
			skew := time.Duration(0)
			if who == ann {
				skew = -5 * time.Minute // its clock is behind
			}
			key := ulid.MustNew(ulid.Timestamp(time.Now().Add(skew)), ulid.DefaultEntropy()).String()
			text := fmt.Sprintf("%s %d", who.name, i)
			wg.Go(func() {
				var m said
				who.with(key).post(path+"/messages", body{"text": text}).want(200).into(&m)
				mu.Lock()
				seqs[m.Seq] = text
				mu.Unlock()
			})
		}
	}
	wg.Wait()
	b.settle()
	var views [2][]string
	for i, who := range []*client{b.boss, ann} {
		last := uint64(0)
		for _, r := range who.rows(path, created.Seq).Rows {
			if r.Seq <= last {
				t.Fatalf("row %d after %d", r.Seq, last)
			}
			last = r.Seq
			if r.Type != projections.RowChat {
				continue
			}
			var cb projections.ChatBody
			if err := json.Unmarshal(r.Body, &cb); err != nil {
				t.Fatal(err)
			}
			if seqs[r.Seq] != cb.Text {
				t.Fatalf("row %d says %q, the sender was told %q", r.Seq, cb.Text, seqs[r.Seq])
			}
			views[i] = append(views[i], cb.Text)
		}
	}
	if diff := cmp.Diff(views[0], views[1]); diff != "" || len(views[0]) != 40 {
		t.Fatalf("%d messages; %s", len(views[0]), diff)
	}
}

func TestSayAndTakeBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	ann := b.person("ann")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	key := newKey()
	var m, again said
	b.boss.with(key).post(path+"/messages", body{"text": " 你好 \n"}).want(200).into(&m)
	b.boss.with(key).post(path+"/messages", body{"text": " 你好 \n"}).want(200).into(&again)
	if m != again {
		t.Fatalf("%+v, then %+v", m, again)
	}
	b.boss.with(key).post(path+"/messages", body{"text": "something else"}).problem(409, "message_exists")
	// Another person's same key is another command.
	var other said
	ann.with(key).post(path+"/messages", body{"text": "hi"}).want(200).into(&other)
	if other.Message == m.Message {
		t.Fatal("two people's messages share an id")
	}
	b.boss.post(path+"/messages", body{"text": "  "}).problem(400, "missing")
	b.boss.post(path+"/messages", body{"refs": []body{{"type": "material", "id": newKey()}}}).problem(422, "foreign_object")
	b.boss.post(path+"/messages", body{"refs": []body{{"type": "material"}}}).problem(400, "bad_reference")
	b.boss.post(path+"/messages", body{"refs": []body{{"type": "version", "id": "v1"}, {"type": "run", "id": created.Run}}}).want(200)
	b.boss.post(path+"/messages", body{"refs": []body{{"type": "version", "id": "v2"}}}).problem(422, "foreign_object")
	var sys systemView
	b.boss.get("/api/system").want(200).into(&sys)
	if sys.Refused["foreign_object"] != 2 || len(sys.Projections) == 0 || sys.Log.Last == 0 {
		t.Fatalf("system %+v", sys)
	}

	ann.del(path+"/messages/"+string(m.Message)).problem(403, "message_not_own")
	var d done
	b.boss.del(path + "/messages/" + string(m.Message)).want(200).into(&d)
	b.boss.del(path+"/messages/"+string(m.Message)).problem(409, "message_taken_back")
	b.boss.del(path+"/messages/"+newKey()).problem(404, "message_unknown")
	v := b.boss.rows(path, d.Seq)
	for _, r := range v.Rows {
		if r.Ref == m.Message && !hasAll(string(r.Body), `"taken_back":true`) {
			t.Fatalf("row %s", r.Body)
		}
	}
	if v.People[ann.id] != "ann" || v.People[b.boss.id] != "boss" {
		t.Fatalf("people %v", v.People)
	}

	b.boss.post(path+"/archive", body{}).want(200)
	b.boss.post(path+"/messages", body{"text": "anybody?"}).problem(409, "agent_archived")
	b.boss.post(path+"/feedback", body{"object": body{"type": "whole"}, "verdict": "like"}).problem(409, "agent_archived")
}

// T5 at the API: the turn is named, so a late stop leaves the next one alone.
func TestStopTurn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	start := func() (domain.ID, streams.Result) {
		m := b.boss.say(path, "answer me")
		id := domain.ID(newKey())
		return id, b.decide(key, domain.Worker("w"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
			return st.Turn.Start(turn.Started{Turn: id, Slot: 1, Messages: []domain.ID{m.Message}, GeneVersion: 1})
		})
	}
	first, _ := start()
	b.boss.del(path+"/messages/"+string(first)).problem(404, "")
	b.boss.post(path+"/turns/"+string(first)+"/stop", nil).want(200)
	b.boss.post(path+"/turns/"+string(first)+"/stop", nil).want(200) // twice is harmless
	b.decide(key, domain.Worker("w"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Turn.Finish(turn.Finished{Turn: first, Attempt: 1, Reason: turn.Stopped, Blocks: []turn.Block{{Type: turn.Text, Text: "part"}}})
	})
	second, res := start()
	b.boss.post(path+"/turns/"+string(first)+"/stop", nil).problem(409, "turn_over")
	var d projections.TurnDetail
	b.boss.get(fmt.Sprintf("%s/turns/%s?min_seq=%d", path, second, res.Seq)).want(200).into(&d)
	if d.State != "answering" {
		t.Fatalf("the running turn %+v", d)
	}
}

func TestReadMarks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	b.settle()
	var v readView
	b.boss.get(path + "/read").want(200).into(&v)
	if v.Seq != 0 || v.Unread != 1 { // the first search was asked for
		t.Fatalf("%+v", v)
	}
	b.boss.put(path+"/read", body{"seq": created.Seq}).want(200).into(&v)
	if v.Seq != created.Seq || v.Unread != 0 {
		t.Fatalf("%+v", v)
	}
	b.boss.put(path+"/read", body{"seq": 1}).want(200).into(&v)
	if v.Seq != created.Seq {
		t.Fatalf("the mark moved back: %+v", v)
	}
	last, err := b.nats.Log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.boss.put(path+"/read", body{"seq": 1 << 40}).want(200).into(&v)
	if v.Seq != last {
		t.Fatalf("read beyond the log's end: %+v", v)
	}
}

func TestMinSeqTimesOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("room")
	p := b.boss.get(path+"/timeline?min_seq=100000").problem(503, "projection_behind")
	if p.Code != domain.Unavailable {
		t.Fatalf("%+v", p)
	}
	b.boss.get(path+"/timeline?min_seq=x").problem(400, "")
	b.boss.get(path+"/timeline?before=3&after=2").problem(400, "")
	b.boss.get(path+"/timeline?limit=0").problem(400, "validation")
}
