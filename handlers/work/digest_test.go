package work

import (
	"encoding/json"
	"testing"
	"time"

	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

func TestDigestAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	ago := func(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }
	for name, c := range map[string]struct {
		in    projections.DigestInputs
		empty bool
		at    time.Time // zero: at once
		none  bool
	}{
		"nothing new":                 {in: projections.DigestInputs{LastSpoke: ago(60)}, none: true},
		"five, quiet":                 {in: projections.DigestInputs{Fresh: 5, Oldest: ago(1), LastSpoke: ago(10)}, at: now},
		"five, somebody spoke":        {in: projections.DigestInputs{Fresh: 5, Oldest: ago(1), LastSpoke: ago(4)}, at: now.Add(6 * time.Minute)},
		"five, nobody here":           {in: projections.DigestInputs{Fresh: 5, Oldest: ago(1), LastSpoke: ago(0)}, empty: true},
		"four, nobody here":           {in: projections.DigestInputs{Fresh: 4, Oldest: ago(1), LastSpoke: ago(60)}, empty: true, at: now.Add(29 * time.Minute)},
		"one, old enough, quiet":      {in: projections.DigestInputs{Fresh: 1, Oldest: ago(30), LastSpoke: ago(31)}, at: now},
		"one, old enough, talk":       {in: projections.DigestInputs{Fresh: 1, Oldest: ago(45), LastSpoke: ago(0)}, at: now.Add(10 * time.Minute)},
		"one, not yet":                {in: projections.DigestInputs{Fresh: 1, Oldest: ago(12), LastSpoke: ago(12)}, at: now.Add(18 * time.Minute)},
		"five, its last card waits":   {in: projections.DigestInputs{Fresh: 5, Oldest: ago(60), LastSpoke: ago(60), PendingCard: "c"}, none: true},
		"five, one is being digested": {in: projections.DigestInputs{Fresh: 5, Oldest: ago(60), LastSpoke: ago(60), Running: "r"}, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, ok := digestAt(c.in, c.empty)
			if ok == c.none || ok && !at.Equal(c.at) && (at.After(now) || c.at.After(now)) {
				t.Fatalf("got %s, %v; want %s, %v", at, ok, c.at, !c.none)
			}
		})
	}
}

func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	after := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	key := domain.Key{Product: "p", Agent: "a"}
	p := &people{since: begun, seen: map[domain.Key]time.Time{}}
	somebody, gone := []byte(`{"gateway":"g","people":[{"id":"ann"}]}`), []byte(`{"gateway":"g","people":[]}`)
	for _, step := range []struct {
		at    int
		hears []byte
		want  bool
	}{
		{at: 24, want: false}, // has not listened long enough to know
		{at: 25, want: true},
		{at: 30, hears: somebody, want: false},
		{at: 40, hears: somebody, want: false},
		{at: 41, hears: gone, want: false}, // a reload of the page is no absence
		{at: 64, want: false},
		{at: 65, want: true},
		{at: 70, hears: []byte("{"), want: true},
	} {
		if step.hears != nil {
			p.heard(key, step.hears, after(step.at))
		}
		if got := p.nobody(key, after(step.at)); got != step.want {
			t.Fatalf("after %d s: nobody is there: %v, want %v", step.at, got, step.want)
		}
	}
	if (&people{}).nobody(key, begun) {
		t.Fatal("who does not listen cannot know")
	}
}

// likes records feedback on the whole.
func (r *room) likes(n int) {
	r.t.Helper()
	for range n {
		cmd := streams.Command{ID: string(r.s.Log.NewID()), Actor: person}
		given := feedback.Given{Feedback: r.s.Log.NewID(), Object: domain.Ref{Type: domain.Whole}, Words: "节奏太慢"}
		if _, err := r.s.Log.Record(r.t.Context(), r.key, cmd, given); err != nil {
			r.t.Fatal(err)
		}
	}
	r.caughtUp()
}

func (r *room) digests() (n int) {
	r.t.Helper()
	_, all := types(r.t, r.s, r.key)
	for _, e := range all {
		if q, ok := e.Event.(run.Requested); ok && q.Work == run.Digest {
			n++
		}
	}
	return n
}

// While somebody is in the room the digest waits for ten quiet minutes and its
// timer is armed for their end; once nobody is, it starts. It starts once.
func TestDigestStartsWhenNobodyIsThere(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	leave, err := r.w.here.watch(r.w.Live)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	r.say("A", "在吗") // the room is not quiet
	r.folded()
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) { // nobody has to answer it here
		return s.Turn.EndImported([]domain.ID{s.Chat.Messages[0].ID}, r.s.Log.NewID(), 1, "n")
	})
	r.likes(domain.DigestMinItems)
	present := map[string]any{"gateway": "g", "people": []map[string]string{{"id": "A"}}}
	if err := r.w.Live.Publish(r.key, framePresence, present); err != nil {
		t.Fatal(err)
	}
	within(t, "the worker hears of the person", func() bool {
		r.w.here.mu.Lock()
		defer r.w.here.mu.Unlock()
		return !r.w.here.seen[r.key].IsZero()
	})
	armed := map[domain.Key]time.Time{}
	if err := r.w.reconcileOnce(t.Context(), armed); err != nil {
		t.Fatal(err)
	}
	if n := r.digests(); n != 0 {
		t.Fatalf("%d digests while somebody is talking", n)
	}
	at := r.timer(digestTimer)
	if wait := time.Until(at); wait < domain.DigestQuiet-time.Minute || wait > domain.DigestQuiet+time.Second {
		t.Fatalf("the timer fires in %s", wait)
	}
	// Talk goes on: the timer stays, and looks again when it fires.
	if err := r.w.reconcileOnce(t.Context(), armed); err != nil {
		t.Fatal(err)
	}
	if again := r.timer(digestTimer); !again.Equal(at) {
		t.Fatalf("the timer was moved from %s to %s", at, again)
	}
	// Half a minute later nobody has been heard of.
	r.w.clock = func() time.Time { return time.Now().Add(presenceLife + 5*time.Second) }
	for range 2 {
		if err := r.w.due(t.Context(), streams.Due{Key: r.key, Name: digestTimer, At: at}); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.digests(); n != 1 {
		t.Fatalf("%d digests, want 1", n)
	}
}

// The gateway's frame, as handlers/web writes it, is understood here.
func TestPresenceFrameOfTheGateway(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(map[string]any{
		"gateway": "g1", "people": []map[string]any{{"id": "01HZ0000000000000000000009", "name": "林", "typing": true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	key := domain.Key{Product: "p", Agent: "a"}
	p := &people{since: time.Unix(0, 0), seen: map[domain.Key]time.Time{}}
	p.heard(key, body, time.Unix(100, 0))
	if p.nobody(key, time.Unix(101, 0)) {
		t.Fatal("a person who types is taken for nobody")
	}
}
