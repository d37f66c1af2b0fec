package web

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// withWork lets the server see the work queue.
func withWork(s *streams.Queue, a *streams.Alive) func(*Deps) {
	return func(d *Deps) { d.Queue, d.Alive = s, a }
}

func (c *client) system() systemView {
	c.t.Helper()
	var v systemView
	c.get("/api/system").want(200).into(&v)
	return v
}

func (v systemView) projection(name string) positionView {
	for _, p := range v.Projections {
		if p.Name == name {
			return p
		}
	}
	return positionView{}
}

func TestSystemIsForAdministrators(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ann := b.person("ann")
	if v := ann.system(); len(v.Projections) != len(projections.All()) || v.Builds == nil {
		t.Fatalf("what everybody may see: %+v", v)
	}
	for _, path := range []string{"/api/system/streams", "/api/system/work"} {
		ann.get(path).problem(403, "admin_needed")
	}
	ann.post("/api/system/projections/timeline/rebuild", nil).problem(403, "admin_needed")
	ann.del("/api/system/projections/timeline/rebuild").problem(403, "admin_needed")
	ann.post("/api/system/parked/retry", body{"projection": "timeline", "product": "demo", "agent": newKey()}).problem(403, "admin_needed")
}

func TestRebuildOverTheAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("rebuilt")
	b.settle()
	b.boss.post("/api/system/projections/nothing/rebuild", nil).problem(404, "")
	b.boss.del("/api/system/projections/timeline/rebuild").problem(404, "no_build")
	b.boss.del("/api/system/projections/all/rebuild").problem(404, "no_build")

	before := b.boss.system().projection("timeline").Generation
	b.boss.post("/api/system/projections/timeline/rebuild", nil).want(204)
	poll(t, "the new generation serves", func() bool {
		v := b.boss.system()
		return v.projection("timeline").Generation > before && len(v.Builds) == 0
	})
	b.boss.get(path + "/timeline").want(200)

	before = b.boss.system().projection("genes").Generation
	b.boss.post("/api/system/projections/all/rebuild", nil).want(204)
	poll(t, "all are rebuilt", func() bool {
		v := b.boss.system()
		return v.projection("genes").Generation > before && len(v.Builds) == 0
	})
}

// One rebuild at a time; whoever cancels it need not be who runs it.
func TestRebuildInProgress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.boss.agent("busy")
	b.settle()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	held, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		first := true
		ended <- projections.NewRunner(b.store, b.nats.Log, b.server.deps.Logger).Rebuild(ctx, []string{"library"}, func(projections.RebuildProgress) {
			if first {
				first = false
				close(held)
				<-ctx.Done()
			}
		})
	}()
	select {
	case <-held:
	case err := <-ended:
		t.Fatalf("the other process's rebuild ended: %v", err)
	}
	b.boss.post("/api/system/projections/library/rebuild", nil).problem(409, "rebuild_running")
	v := b.boss.system()
	if len(v.Builds) != 1 || v.Builds[0].Projection != "library" || v.Builds[0].State != "running" || v.Builds[0].Process == "" {
		t.Fatalf("builds: %+v", v.Builds)
	}
	if v := b.person("bea").system(); len(v.Builds) != 1 || v.Builds[0].Process != "" {
		t.Fatalf("what others see: %+v", v.Builds)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Fatal("the interrupted rebuild ended as if it were done")
	}
	if n := len(b.boss.system().Builds); n > 0 { // interrupted, it can go on or be dropped
		b.boss.del("/api/system/projections/library/rebuild").want(204)
	}
	poll(t, "nothing is left of it", func() bool { return len(b.boss.system().Builds) == 0 })
}

func TestParkedAgentIsShownAndRetried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, created := b.boss.agent("parked")
	b.settle()
	// Nobody but a broken writer sends this.
	msg := &nats.Msg{Subject: "evt.demo." + string(created.Agent) + ".library", Data: []byte("{"), Header: nats.Header{"ce-id": {newKey()}, "ce-type": {"no.such_thing"}}}
	if _, err := b.nats.Conn.RequestMsg(msg, 5e9); err != nil {
		t.Fatal(err)
	}
	var v systemView
	poll(t, "it is parked", func() bool {
		v = b.boss.system()
		return len(v.Parked) > 0 && v.projection(v.Parked[0].Projection).Parked == 1
	})
	p := v.Parked[0]
	if p.Agent != created.Agent || p.AgentName != "parked" || p.Error == "" || p.Seq == 0 {
		t.Fatalf("parked: %+v", p)
	}
	if len(b.person("cat").system().Parked) != 0 {
		t.Fatal("others see who is parked")
	}
	retry := body{"projection": p.Projection, "product": p.Product, "agent": p.Agent}
	if got := b.boss.post("/api/system/parked/retry", retry).problem(409, "still_parked"); got.Details["seq"] != float64(p.Seq) {
		t.Fatalf("details: %v", got.Details)
	}
	retry["agent"] = newKey()
	b.boss.post("/api/system/parked/retry", retry).problem(404, "")
}

func TestMachinery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.boss.get("/api/system/work").problem(503, "work_unknown")
	deps := b.server.deps
	withWork(b.nats.Queue, b.nats.Alive)(&deps)
	_, url := serve(t, deps)
	at := *b
	at.url = url
	boss := &client{b: &at, t: t, cookie: b.boss.cookie}

	var list streamsView
	boss.get("/api/system/streams").want(200).into(&list)
	byName := map[string]streams.StreamStatus{}
	for _, s := range list.Streams {
		byName[s.Name] = s
	}
	if byName[streams.EventsStream].Messages == 0 && byName[streams.EventsStream].Created.IsZero() || byName[streams.WorkStream].Consumers == nil {
		t.Fatalf("streams: %+v", list.Streams)
	}

	_, created := b.boss.agent("worked on")
	key := b.key(created.Agent)
	b.settle()
	if _, err := b.nats.Queue.Offer(t.Context(), streams.Slot{Key: key, Work: streams.Search, ID: string(created.Run)}); err != nil {
		t.Fatal(err)
	}
	look := func() workView {
		var v workView
		boss.get("/api/system/work").want(200).into(&v)
		return v
	}
	v := look()
	if len(v.Slots) != 1 || v.Waiting != 1 || v.Slots[0].State != "waiting" || v.Slots[0].Run != created.Run || v.Slots[0].AgentName != "worked on" || v.Alive <= 0 {
		t.Fatalf("what waits: %+v", v)
	}

	ctx, cancel := context.WithCancel(t.Context())
	taken, over := make(chan *streams.Job, 1), make(chan struct{})
	go func() {
		defer close(over)
		_ = b.nats.Queue.Consume(ctx, "test", streams.Search, nil, 1, func(ctx context.Context, job *streams.Job) {
			taken <- job
			<-ctx.Done()
		})
	}()
	defer func() { cancel(); <-over }()
	<-taken
	b.start(key, created.Run)
	poll(t, "it is taken, and nobody has given a sign", func() bool {
		v = look()
		return v.Working == 1 && v.Slots[0].State == "silent"
	})
	if err := b.nats.Alive.Set(t.Context(), created.Run, streams.Beat{Attempt: 1, Worker: "w7"}); err != nil {
		t.Fatal(err)
	}
	if v = look(); v.Slots[0].State != "working" || v.Slots[0].Worker != "w7" || v.Slots[0].Attempt != 1 || v.Slots[0].StartedAt == nil {
		t.Fatalf("who works: %+v", v.Slots[0])
	}

	// A room's slot is about a turn, or about a digest.
	if _, err := b.nats.Queue.Offer(t.Context(), streams.Slot{Key: key, Work: streams.Butler, ID: "-"}); err != nil {
		t.Fatal(err)
	}
	var digest domain.ID
	b.decide(key, domain.System("test"), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		digest = domain.ID(newKey())
		return st.Run.Request(run.Requested{Run: digest, Work: run.Digest, Trigger: run.Threshold}, now)
	})
	if v = look(); len(v.Slots) != 2 || v.Slots[1].Run != digest {
		t.Fatalf("the digest's slot: %+v", v.Slots)
	}
}
