package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
	"sozai/projections"
	"sozai/streams"
)

// tab is one browser tab: it folds frames as a client should, and keeps them.
type tab struct {
	t      *testing.T
	conn   *websocket.Conn
	closed chan websocket.StatusCode

	mu     sync.Mutex
	frames []map[string]any
	rows   map[uint64]projections.Row
	last   uint64
	text   map[string]string // turn/attempt → streamed
	status roomStatus
	people []presence
}

// open connects a tab that has everything up to after.
func (c *client) open(path string, after uint64) *tab {
	c.t.Helper()
	tb, err := c.dial(path, nil)
	if err != nil {
		c.t.Fatalf("open %s: %v", path, err)
	}
	tb.send(body{"type": "hello", "after": after})
	tb.wait("hello and sync", func() bool { return tb.has(frameHello) && tb.has(frameSync) })
	return tb
}

func (c *client) dial(path string, header http.Header) (*tab, error) {
	if header == nil {
		header = http.Header{}
	}
	if c.token != "" {
		header.Set("Authorization", "Bearer "+c.token)
	} else if c.cookie != "" {
		header.Set("Cookie", cookieName+"="+c.cookie)
	}
	conn, res, err := websocket.Dial(c.t.Context(), strings.Replace(c.b.url, "http", "ws", 1)+path+"/ws", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		if res != nil {
			return nil, fmt.Errorf("status %d: %w", res.StatusCode, err)
		}
		return nil, err
	}
	conn.SetReadLimit(8 << 20)
	tb := &tab{
		t: c.t, conn: conn, closed: make(chan websocket.StatusCode, 1),
		rows: map[uint64]projections.Row{}, text: map[string]string{},
	}
	go tb.read()
	c.t.Cleanup(func() { _ = conn.CloseNow() })
	return tb, nil
}

func (tb *tab) send(v any) {
	tb.t.Helper()
	if err := tb.conn.Write(tb.t.Context(), websocket.MessageText, encode(v)); err != nil {
		tb.t.Fatal(err)
	}
}

func (tb *tab) read() {
	for {
		_, data, err := tb.conn.Read(context.Background())
		if err != nil {
			tb.closed <- websocket.CloseStatus(err)
			return
		}
		var raw []json.RawMessage
		if err := json.Unmarshal(data, &raw); err != nil {
			tb.t.Errorf("not an array of frames: %s", data)
			return
		}
		for _, f := range raw {
			tb.fold(f)
		}
	}
}

// fold is the client's rule: rows by their place, the newest revision; deltas by
// turn, attempt and offset.
func (tb *tab) fold(raw []byte) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	var f struct {
		Type    string
		Seq     uint64
		Row     projections.Row
		Rows    []projections.Row
		Turn    string
		Attempt int
		Offset  int
		Text    string
		Status  *roomStatus
		People  json.RawMessage
	}
	var generic map[string]any
	if err := errors.Join(json.Unmarshal(raw, &f), json.Unmarshal(raw, &generic)); err != nil {
		tb.t.Errorf("frame %s: %v", raw, err)
		return
	}
	tb.frames = append(tb.frames, generic)
	if f.Seq != 0 {
		if f.Seq < tb.last {
			tb.t.Errorf("frame %s after sequence %d", raw, tb.last)
		}
		tb.last = f.Seq
	}
	switch f.Type {
	case frameSync:
		for _, r := range f.Rows {
			tb.rows[r.Seq] = r
		}
	case frameUser, frameEntry:
		if old, ok := tb.rows[f.Row.Seq]; ok && old.Rev >= f.Row.Rev {
			tb.t.Errorf("row %d revision %d after %d", f.Row.Seq, f.Row.Rev, old.Rev)
		}
		tb.rows[f.Row.Seq] = f.Row
	case frameDelta:
		key := fmt.Sprintf("%s/%d", f.Turn, f.Attempt)
		if f.Offset != len(tb.text[key]) {
			tb.t.Errorf("delta at %d after %d bytes", f.Offset, len(tb.text[key]))
		}
		tb.text[key] += f.Text
	case framePresence, frameHello:
		tb.people = nil
		_ = json.Unmarshal(f.People, &tb.people)
	}
	if f.Status != nil {
		tb.status = *f.Status
	}
}

func (tb *tab) wait(what string, cond func() bool) {
	tb.t.Helper()
	poll(tb.t, what, func() bool {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		return cond()
	})
}

// has is for conditions: the lock is held.
func (tb *tab) has(kind string) bool { return tb.count(kind) > 0 }

func (tb *tab) count(kind string) (n int) {
	for _, f := range tb.frames {
		if f["type"] == kind {
			n++
		}
	}
	return n
}

func (tb *tab) wantClosed(code int) {
	tb.t.Helper()
	select {
	case got := <-tb.closed:
		if int(got) != code {
			tb.t.Fatalf("closed with %d, want %d", got, code)
		}
	case <-time.After(10 * time.Second):
		tb.t.Fatalf("not closed, want %d", code)
	}
}

// sameAs compares a tab's rows with what a page that is opened now reads.
func (tb *tab) sameAs(c *client, path string) {
	tb.t.Helper()
	c.b.settle()
	want := map[uint64]projections.Row{}
	for _, r := range c.rows(path, 0).Rows {
		want[r.Seq] = r
	}
	var diff string
	deadline := time.Now().Add(10 * time.Second)
	poll(tb.t, "the tab shows what a reload shows", func() bool {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		diff = cmp.Diff(want, tb.rows)
		return diff == "" || time.Now().After(deadline)
	})
	if diff != "" {
		tb.t.Fatalf("the tab differs from a reload: %s", diff)
	}
}

// answering starts a turn on a message, as a worker would, and streams.
type answering struct {
	b       *bench
	key     domain.Key
	turn    domain.ID
	attempt int
	mu      sync.Mutex
	text    string
}

func (b *bench) answer(key domain.Key, message domain.ID) *answering {
	b.t.Helper()
	a := &answering{b: b, key: key, turn: domain.ID(newKey()), attempt: 1}
	b.decide(key, domain.Worker("w"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Turn.Start(turn.Started{Turn: a.turn, Slot: 1, Messages: []domain.ID{message}, GeneVersion: 1})
	})
	cancel, err := b.nats.Live.Answer(key, func() any {
		a.mu.Lock()
		defer a.mu.Unlock()
		return soFar{Turn: a.turn, Attempt: a.attempt, Text: a.text}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(cancel)
	return a
}

func (a *answering) stream(pieces ...string) {
	a.b.t.Helper()
	for _, p := range pieces {
		a.mu.Lock()
		d := deltaFrame{Turn: a.turn, Attempt: a.attempt, Offset: len(a.text), Text: p}
		a.text += p
		a.mu.Unlock()
		if err := a.b.nats.Live.Publish(a.key, frameDelta, d); err != nil {
			a.b.t.Fatal(err)
		}
	}
}

func (a *answering) finish(reason string) uint64 {
	a.b.t.Helper()
	return a.b.decide(a.key, domain.Butler(a.turn), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Turn.Finish(turn.Finished{Turn: a.turn, Attempt: a.attempt, Reason: reason, Blocks: []turn.Block{{Type: turn.Text, Text: a.text}}})
	}).Seq
}

// T1: two tabs come in the middle of an answer, one of them twice. Each has one
// text, byte-equal to what is recorded, and stop still works.
func TestResumeInMidAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	early := b.boss.open(path, 0)
	m := b.boss.say(path, "爆炸感不够")
	a := b.answer(b.key(created.Agent), m.Message)
	turnKey := string(a.turn) + "/1"
	a.stream("让我", "看看", "🎬 ")
	early.wait("the first words", func() bool { return early.text[turnKey] == "让我看看🎬 " })
	one := b.boss.open(path, 0)
	two := b.boss.open(path, m.Seq)
	again := b.boss.open(path, m.Seq) // the same tab mounts twice
	_ = again.conn.CloseNow()
	a.stream("这条", "的数据。")
	tabs := []*tab{early, one, two, b.boss.open(path, 0)}
	a.stream("再加一句。")
	for i, tb := range tabs {
		tb.wait(fmt.Sprintf("tab %d has the whole text", i), func() bool { return tb.text[turnKey] == a.text })
		if tb.status.State != "answering" || tb.status.Turn != a.turn {
			t.Fatalf("tab %d: status %+v", i, tb.status)
		}
	}
	two.mu.Lock()
	for _, f := range two.frames {
		if f["type"] == frameDelta {
			if f["offset"] != 0.0 || f["text"] != "让我看看🎬 " {
				t.Errorf("a late joiner's first delta is %v", f)
			}
			break
		}
	}
	two.mu.Unlock()
	// A gateway that opens the room in mid-answer asks the worker.
	deps := b.server.deps
	_, other := serve(t, deps)
	elsewhere := *b.boss
	bench2 := *b
	bench2.url = other
	elsewhere.b = &bench2
	far := elsewhere.open(path, 0)
	far.wait("the text so far over another gateway", func() bool { return far.text[turnKey] == a.text })
	far.wait("one person, though on two gateways", func() bool { return len(far.people) == 1 })

	b.boss.post(path+"/turns/"+string(a.turn)+"/stop", nil).want(200)
	for _, tb := range append(tabs, far) {
		tb.wait("stopping", func() bool { return tb.status.State == "stopping" })
	}
	a.finish(turn.Stopped)
	for _, tb := range append(tabs, far) {
		tb.wait("idle", func() bool { return tb.status.State == "idle" && tb.status.Turn == "" })
	}
	a.stream("a late word") // of a turn that is over
	for i, tb := range append(tabs, far) {
		if tb != two { // which had earlier rows from before
			tb.sameAs(b.boss, path)
		}
		tb.mu.Lock()
		for _, r := range tb.rows {
			if r.Type != projections.RowTurn {
				continue
			}
			var tbody projections.TurnBody
			if err := json.Unmarshal(r.Body, &tbody); err != nil {
				t.Fatal(err)
			}
			if tbody.Blocks[0].Text != tb.text[turnKey] || tbody.Reason != turn.Stopped {
				t.Errorf("tab %d streamed %q, recorded %q", i, tb.text[turnKey], tbody.Blocks[0].Text)
			}
		}
		tb.mu.Unlock()
	}
}

// An attempt that was lost shows nothing any more, whatever its worker still sends.
func TestDeadAttemptIsSilent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	tb := b.boss.open(path, 0)
	m := b.boss.say(path, "hi")
	a := b.answer(key, m.Message)
	a.stream("first try ")
	tb.wait("the first try", func() bool { return tb.text[string(a.turn)+"/1"] == "first try " })
	b.decide(key, domain.Worker("w2"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Turn.Resume(2) })
	tb.wait("attempt 2", func() bool { return tb.status.Attempt == 2 })
	a.stream("from the grave")
	a.mu.Lock()
	a.attempt, a.text = 2, ""
	a.mu.Unlock()
	a.stream("second try")
	tb.wait("the second try", func() bool { return tb.text[string(a.turn)+"/2"] == "second try" })
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if got := tb.text[string(a.turn)+"/1"]; got != "first try " {
		t.Fatalf("the dead attempt went on: %q", got)
	}
}

// T3: away while a colleague writes, a card is applied and a worker finishes; all
// of it is there after coming back, in order, and equal to a reload.
func TestComeBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	ann := b.person("ann")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	away := ann.open(path, 0)
	stayed := b.boss.open(path, 0)
	card, seq := b.propose(key, 1, moreSearch)
	away.wait("the card", func() bool { return away.has(frameCard) && away.last >= seq })
	if away.status.Cards != 1 || away.status.State != "waiting" {
		t.Fatalf("status %+v", away.status)
	}
	_ = away.conn.CloseNow()
	last := away.last
	b.boss.say(path, "meanwhile")
	b.boss.post(path+"/cards/"+string(card)+"/apply", body{}).want(200)
	b.start(key, created.Run)
	end := b.finish(key, created.Run, run.ReasonFinished)
	stayed.wait("everything", func() bool { return stayed.last >= end })
	back := ann.open(path, last)
	back.mu.Lock()
	for seq, r := range away.rows {
		if _, changed := back.rows[seq]; !changed {
			back.rows[seq] = r
		}
	}
	if len(back.rows) <= len(away.rows) || back.status.Cards != 0 {
		t.Errorf("%d rows, then %d; status %+v", len(away.rows), len(back.rows), back.status)
	}
	back.mu.Unlock()
	back.sameAs(ann, path)
	stayed.sameAs(b.boss, path)
	stayed.wait("the card's end and the run's", func() bool { return stayed.has(frameCardClosed) && stayed.has(frameProgress) })
}

func TestRunProgressOfLiveAttemptOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("room")
	key := b.key(created.Agent)
	b.start(key, created.Run)
	tb := b.boss.open(path, 0) // the room opens when attempt 1 is under way
	progress := func(attempt, done int) {
		b.record(key, domain.Worker("w"), step.Progressed{Run: created.Run, Attempt: attempt, Done: done, Target: 12, Unit: "materials"})
	}
	progress(1, 3)
	seen := func(done float64) func() bool {
		return func() bool {
			for _, f := range tb.frames {
				if p, ok := f["progress"].(map[string]any); ok && p["done"] == done {
					return true
				}
			}
			return false
		}
	}
	tb.wait("progress of the live attempt", seen(3))
	b.start(key, created.Run) // another worker takes over
	progress(1, 7)            // the stale one goes on
	progress(2, 4)
	tb.wait("progress of the new attempt", seen(4))
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if seen(7)() {
		t.Fatal("a stale worker's progress shows")
	}
}

func TestSocketsGetIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("room")
	refuse := func(c *client, header http.Header, want string) {
		t.Helper()
		if _, err := c.dial(path, header); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("want %s, got %v", want, err)
		}
	}
	refuse(b.client(), nil, "status 401")
	refuse(b.person("stranger"), nil, "status 404")
	refuse(b.boss, http.Header{"Origin": {"https://evil.example"}}, "status 403")
	b.boss.get(path+"/ws").problem(400, "upgrade_required")

	for _, first := range []string{`{"type":"typing"}`, `hello`, `[]`, `{"type":"hello","after":-1}`} {
		tb, err := b.boss.dial(path, http.Header{"Origin": {b.url}})
		if err != nil {
			t.Fatal(err)
		}
		if err := tb.conn.Write(t.Context(), websocket.MessageText, []byte(first)); err != nil {
			t.Fatal(err)
		}
		tb.wantClosed(closeBadFrame)
	}
	tb := b.boss.open(path, 0)
	tb.send(body{"type": "chat.user", "text": "commands are HTTP"})
	tb.wait("an error frame", func() bool { return tb.has(frameError) })
	for range 30 { // the code must arrive although the message is still being sent
		tb := b.boss.open(path, 0)
		if err := tb.conn.Write(t.Context(), websocket.MessageText, make([]byte, readLimit+1)); err != nil {
			t.Fatal(err)
		}
		tb.wantClosed(int(websocket.StatusMessageTooBig))
	}
	future := b.boss.open(path, 1<<40) // the log was restored to an earlier point
	future.mu.Lock()
	defer future.mu.Unlock()
	if future.frames[1]["reset"] != true {
		t.Fatalf("%v", future.frames[1])
	}
}

func TestPresenceAndTyping(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("room")
	ann := b.person("ann")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "viewer"}).want(200)
	one := b.boss.open(path, 0)
	two := b.boss.open(path, 0)
	her := ann.open(path, 0)
	one.wait("two people in three tabs", func() bool { return len(one.people) == 2 })
	her.send(body{"type": "typing", "on": true})
	typing := func(tb *tab, want bool) func() bool {
		return func() bool {
			for _, p := range tb.people {
				if p.Name == "ann" {
					return p.Typing == want
				}
			}
			return false
		}
	}
	two.wait("ann types", typing(two, true))
	her.send(body{"type": "typing", "on": false})
	two.wait("ann stopped", typing(two, false))
	_ = her.conn.CloseNow()
	one.wait("ann left", func() bool { return len(one.people) == 1 })
}

func TestSocketsAreClosedWithTheirRight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("room")
	ann := b.person("ann")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	tb := ann.open(path, 0)
	b.boss.del(path + "/members/" + string(ann.id)).want(200)
	tb.wantClosed(closeNotAllowed)
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	tb = ann.open(path, 0)
	mine := b.boss.open(path, 0)
	ann.del("/api/session").want(204)
	tb.wantClosed(closeSignedOut)
	mine.send(body{"type": "typing", "on": true})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := b.server.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	mine.wantClosed(closeGoingAway)
}

// A socket that is too far behind is closed as slow; a waiting one is left alone.
func TestSlowSocket(t *testing.T) {
	t.Parallel()
	first := &note{}
	sk, last := &socket{busy: true, at: first}, first
	for range queueFrames {
		last = last.add([]byte("{}"))
	}
	if sk.reach(last); sk.code != 0 {
		t.Fatalf("closed with %d while there was room", sk.code)
	}
	if sk.reach(last.add([]byte("{}"))); sk.code != closeSlow {
		t.Fatalf("code %d", sk.code)
	}
	heavy := &socket{busy: true, at: first}
	if heavy.reach((&note{}).add(make([]byte, queueBytes+1))); heavy.code != closeSlow {
		t.Fatalf("code %d", heavy.code)
	}
	talker := &socket{busy: true, at: first}
	for range ownFrames + 1 {
		talker.push([]byte("{}"))
	}
	if talker.code != closeSlow {
		t.Fatalf("code %d", talker.code)
	}
}
