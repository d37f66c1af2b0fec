package work

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/projections/postgres/postgrestest"
	"sozai/projections/projectionstest"
	"sozai/streams"
	"sozai/streams/streamstest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

// parrot answers every request with the same words, a piece at a time, and can
// be held in the middle of an answer.
type parrot struct {
	hold    chan struct{} // nil: not held
	playing atomic.Int32
	most    atomic.Int32
	asked   atomic.Int32
	mu      sync.Mutex
	seen    []string // the last message of each request
}

func (p *parrot) Name() string { return "parrot" }

func (p *parrot) Stream(ctx context.Context, req agents.Request, emit func(agents.Delta)) (agents.Response, error) {
	now := p.playing.Add(1)
	defer p.playing.Add(-1)
	for {
		most := p.most.Load()
		if now <= most || p.most.CompareAndSwap(most, now) {
			break
		}
	}
	p.asked.Add(1)
	last := req.Messages[len(req.Messages)-1]
	p.mu.Lock()
	p.seen = append(p.seen, last.Blocks[len(last.Blocks)-1].Text)
	p.mu.Unlock()
	words := []string{"你好。", "这条", "素材", "的节奏", "偏慢。"}
	for i, word := range words {
		if err := ctx.Err(); err != nil {
			return agents.Response{}, err
		}
		emit(agents.Delta{Text: word})
		if i == 2 && p.hold != nil {
			select {
			case <-p.hold:
			case <-ctx.Done():
				return agents.Response{}, ctx.Err()
			}
		}
	}
	return agents.Response{
		Model: "parrot", Stop: agents.EndTurn, Usage: domain.Usage{Known: true, Output: 5},
		Blocks: []agents.Block{{Type: agents.TextBlock, Text: strings.Join(words, "")}},
	}, nil
}

// room is one agent with a whole background: dispatcher, butlers, read models.
type room struct {
	t   *testing.T
	s   *streamstest.Server
	w   *Workers
	key domain.Key
}

func openTestRoom(t *testing.T, model agents.Model) *room {
	t.Helper()
	return openTestRoomWith(t, model, streamstest.AckWait)
}

func openTestRoomWith(t *testing.T, model agents.Model, ackWait time.Duration) *room {
	t.Helper()
	s := streamstest.Start(t)
	key, search := askSearch(t, s)
	w, _ := newWorkersWith(t, s, "w", ackWait)
	w.Store = projectionstest.Store(t, s.Log)
	w.Model, w.Butlers, w.Searches = model, 3, 1
	r := &room{t: t, s: s, w: w, key: key}
	r.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.RequestCancel(search, "person")
	})
	return r
}

// start runs the dispatcher and the butlers.
func (r *room) start() (stop func()) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.w.dispatch(ctx) })
	wg.Go(func() {
		_ = r.w.Queue.Consume(ctx, r.w.Deployment, streams.Butler, nil, r.w.Butlers, r.w.butler)
	})
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	r.t.Cleanup(stop)
	return stop
}

func (r *room) decide(decide func(*streams.State, time.Time) ([]domain.Decision, error)) {
	r.t.Helper()
	if _, err := r.s.Log.Decide(r.t.Context(), r.key, streams.Command{ID: string(r.s.Log.NewID()), Actor: person}, decide); err != nil {
		r.t.Fatal(err)
	}
}

// folded folds the agent up to the log's end, messages included: a decision
// that is accepted does not look for them.
func (r *room) folded() {
	r.t.Helper()
	if err := r.s.Log.View(r.t.Context(), r.key, func(*streams.State) error { return nil }); err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) say(user, text string) domain.ID {
	r.t.Helper()
	id := r.s.Log.NewID()
	cmd := streams.Command{ID: string(r.s.Log.NewID()), Actor: domain.User(domain.ID(user))}
	if _, err := r.s.Log.Record(context.WithoutCancel(r.t.Context()), r.key, cmd, chat.Said{Message: id, Text: text}); err != nil {
		r.t.Error(err)
	}
	return id
}

// turns lists started and finished turns in log order.
func (r *room) turns() (started []turn.Started, finished []turn.Finished) {
	r.t.Helper()
	err := r.s.Log.Read(r.t.Context(), 0, 0, r.key, []domain.Kind{domain.KindTurn}, func(events []domain.Recorded) error {
		for _, e := range events {
			switch e := e.Event.(type) {
			case turn.Started:
				started = append(started, e)
			case turn.Finished:
				finished = append(finished, e)
			}
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return started, finished
}

// T6: three people send five messages during a turn, the last just before its
// end, while a digest is asked for. None is lost, none doubled, one merged turn
// follows that names each speaker, and exactly one turn at a time runs.
func TestMessagesDuringATurnAreMerged(t *testing.T) {
	t.Parallel()
	model := &parrot{hold: make(chan struct{})}
	r := openTestRoom(t, model)
	names := map[domain.ID]string{"A": "安娜", "B": "王工", "C": "Cy"}
	r.w.Names = func(context.Context, []domain.ID) (map[domain.ID]string, error) { return names, nil }
	r.start()
	first := r.say("A", "先说第一句")
	within(t, "the first answer is being written", func() bool { return model.playing.Load() == 1 })

	var during []domain.ID
	for i, user := range []string{"A", "B", "C", "B"} {
		during = append(during, r.say(user, "第"+string(rune('1'+i))+"条"))
	}
	r.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: r.s.Log.NewID(), Work: run.Digest, Trigger: run.Hand}, now)
	})
	var last domain.ID
	var wg sync.WaitGroup
	wg.Go(func() { close(model.hold) })
	wg.Go(func() { last = r.say("C", "最后一条") })
	wg.Wait()
	during = append(during, last)

	within(t, "every message is answered", func() bool {
		settled := false
		_ = r.s.Log.View(t.Context(), r.key, func(s *streams.State) error {
			settled = s.Turn.Current == nil && len(s.Chat.After(s.Turn.Settled)) == 0
			return nil
		})
		return settled
	})
	started, finished := r.turns()
	covered := map[domain.ID]int{}
	for _, s := range started {
		for _, m := range s.Messages {
			covered[m]++
		}
	}
	for _, m := range append(during, first) {
		if covered[m] != 1 {
			t.Errorf("message %s is covered %d times", m, covered[m])
		}
	}
	// The last one may have come after the second turn's start by a hair.
	if len(started) < 2 || len(started) > 3 || len(finished) != len(started) {
		t.Fatalf("%d turns started, %d finished", len(started), len(finished))
	}
	if len(started[1].Messages) < 4 {
		t.Errorf("the second turn covers %d messages, want the merged ones", len(started[1].Messages))
	}
	model.mu.Lock()
	merged := strings.Join(model.seen, "\n")
	model.mu.Unlock()
	for _, name := range names {
		if !strings.Contains(merged, name) {
			t.Errorf("the model was not told who %s is", name)
		}
	}
	if model.most.Load() != 1 {
		t.Errorf("%d turns at once", model.most.Load())
	}
}

// A person's message asks a running digest to make way; the turn starts within 2 s.
func TestPeopleComeBeforeTheDigest(t *testing.T) {
	t.Parallel()
	model := &parrot{hold: make(chan struct{})}
	r := openTestRoom(t, model)
	r.start()
	digest := r.s.Log.NewID()
	r.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: digest, Work: run.Digest, Trigger: run.Hand}, now)
	})
	within(t, "the digest is being played", func() bool { return model.playing.Load() == 1 })
	said := time.Now()
	r.say("A", "在吗")
	within(t, "the turn starts", func() bool { started, _ := r.turns(); return len(started) == 1 })
	if took := time.Since(said); took > 2*time.Second {
		t.Errorf("the turn started after %s", took)
	}
	if f := finishedOf(t, r.s, r.key, digest); f == nil || f.Outcome != run.Cancelled || f.Reason != run.ReasonPeopleCame {
		t.Errorf("the digest ended as %+v", f)
	}
	close(model.hold)
	within(t, "the answer ends", func() bool { _, finished := r.turns(); return len(finished) == 1 })
}

// T5 at the worker: a stop ends the model call, the partial text is kept and
// marked, a late stop does nothing to the next turn.
func TestStopKeepsThePartialText(t *testing.T) {
	t.Parallel()
	model := &parrot{hold: make(chan struct{})}
	r := openTestRoom(t, model)
	r.start()
	r.say("A", "说说看")
	within(t, "the answer is being written", func() bool { return model.playing.Load() == 1 })
	started, _ := r.turns()
	stop := func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Turn.RequestStop(started[0].Turn)
	}
	r.decide(stop)
	within(t, "the turn ends", func() bool { _, finished := r.turns(); return len(finished) == 1 })
	_, finished := r.turns()
	if f := finished[0]; f.Reason != turn.Stopped || len(f.Blocks) == 0 || !strings.HasPrefix(f.Blocks[0].Text, "你好。") {
		t.Fatalf("got %+v", f)
	}
	r.say("A", "再说一次")
	within(t, "the next answer is being written", func() bool { return model.asked.Load() == 2 })
	_, err := r.s.Log.Decide(t.Context(), r.key, streams.Command{ID: string(r.s.Log.NewID()), Actor: person}, stop)
	if domain.CodeOf(err) != domain.Conflict {
		t.Fatalf("a late stop: %v", err)
	}
	close(model.hold)
	within(t, "it ends by itself", func() bool { _, finished := r.turns(); return len(finished) == 2 })
	if _, finished = r.turns(); finished[1].Reason != "finished" {
		t.Fatalf("got %+v", finished[1])
	}
}

// A butler that dies in the middle of an answer: the next one resumes the turn
// under a new attempt, and it ends once.
func TestAnswerSurvivesItsWorker(t *testing.T) {
	t.Parallel()
	held := &parrot{hold: make(chan struct{})}
	r := openTestRoom(t, held)
	dead, kill := newWorkers(t, r.s, "dead")
	dead.Store, dead.Model, dead.Butlers = r.w.Store, held, 1
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = dead.Queue.Consume(ctx, dead.Deployment, streams.Butler, nil, 1, dead.butler)
	}()
	t.Cleanup(func() { cancel(); <-done })
	message := r.say("A", "说说看")
	if _, err := r.w.offerChat(t.Context(), r.key, message); err != nil {
		t.Fatal(err)
	}
	within(t, "the answer is being written", func() bool { return held.playing.Load() == 1 })
	kill()
	r.w.Model = &parrot{}
	r.start()
	within(t, "the answer ends", func() bool { _, finished := r.turns(); return len(finished) == 1 })
	started, finished := r.turns()
	if len(started) != 2 || started[1].Turn != started[0].Turn || started[1].Attempt != 2 || finished[0].Attempt != 2 {
		t.Fatalf("started %+v, finished %+v", started, finished)
	}
	if !slices.Contains(started[1].Messages, message) {
		t.Fatalf("the second attempt answers %v", started[1].Messages)
	}
}

// The rehearsal model plays a digest to its end: words of a person become a card.
func TestDigestEndsWithACardOrAReason(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	r.start()
	digest := r.s.Log.NewID()
	r.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: digest, Work: run.Digest, Trigger: run.Hand}, now)
	})
	within(t, "the digest ends", func() bool { return finishedOf(t, r.s, r.key, digest) != nil })
	if f := finishedOf(t, r.s, r.key, digest); f.Outcome != run.Done || f.Reason != run.ReasonFinished || f.Summary == "" {
		t.Fatalf("got %+v", f)
	}
}
