package work

import (
	"context"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/streams"
)

// schedule sets the daily search.
func (r *room) schedule(daily bool, at, zone string) {
	r.t.Helper()
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		return s.Agent.SetSchedule(agent.ScheduleSet{Daily: daily, At: at, Zone: zone})
	})
}

// days lists the days of the daily searches that were requested.
func (r *room) days() (days []string) {
	r.t.Helper()
	_, all := types(r.t, r.s, r.key)
	for _, e := range all {
		if q, ok := e.Event.(run.Requested); ok && q.Trigger == run.Daily {
			days = append(days, q.Day)
		}
	}
	return days
}

func (r *room) timer(name string) (at time.Time) {
	r.t.Helper()
	list, err := r.s.Timers.List(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, timer := range list {
		if timer.Key == r.key && timer.Name == name {
			at = timer.At
		}
	}
	return at
}

// caughtUp waits until the read models know everything that was recorded.
func (r *room) caughtUp() {
	r.t.Helper()
	last, err := r.s.Log.Last(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.w.Store.Wait(r.t.Context(), last); err != nil {
		r.t.Fatal(err)
	}
}

// waking runs the timers' side of a process.
func (r *room) waking() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.w.wake(ctx) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	r.t.Cleanup(stop)
	return stop
}

var shanghai = time.FixedZone("CST", 8*3600) // no change of clocks there

// The daily search is asked for once a day, whatever the restarts and however
// often its timer comes; each day after its time.
func TestDailySearchOnceADay(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	r.schedule(true, "08:30", "Asia/Shanghai")
	first := time.Now().In(shanghai)
	at := func(ahead, hour, minute int) time.Time {
		return time.Date(first.Year(), first.Month(), first.Day()+1+ahead, hour, minute, 0, 0, shanghai)
	}
	day := func(ahead int) string { return at(ahead, 0, 0).Format(time.DateOnly) }
	for _, step := range []struct {
		now  time.Time
		days int
		next time.Time
	}{
		{at(0, 8, 29), 0, at(0, 8, 30)},
		{at(0, 8, 30), 1, at(1, 8, 30)},
		{at(0, 23, 59), 1, at(1, 8, 30)}, // later the same day, after a restart
		{at(1, 7, 0), 1, at(1, 8, 30)},
		{at(1, 12, 0), 2, at(2, 8, 30)}, // missed, made good the same day
		{at(3, 0, 1), 2, at(3, 8, 30)},  // a whole day down: that day is skipped
		{at(3, 8, 31), 3, at(4, 8, 30)},
	} {
		r.w.clock = func() time.Time { return step.now }
		for range 3 { // two processes and a redelivery
			if err := r.w.due(t.Context(), streams.Due{Key: r.key, Name: dailyTimer, At: step.now}); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.days(); len(got) != step.days {
			t.Fatalf("at %s: days %v, want %d", step.now, got, step.days)
		}
		if next := r.timer(dailyTimer); !next.Equal(step.next) {
			t.Fatalf("at %s: armed for %s, want %s", step.now, next.In(shanghai), step.next)
		}
	}
	for i, want := range []string{day(0), day(1), day(3)} {
		if got := r.days(); got[i] != want {
			t.Fatalf("days %v, want %s at %d", got, want, i)
		}
	}
}

// Setting the schedule arms its timer, a real one fires, switching it off or
// archiving the agent takes it back.
func TestScheduleArmsAndDisarms(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	r.waking()
	r.schedule(true, "08:30", "Asia/Shanghai")
	within(t, "the timer is armed", func() bool { return !r.timer(dailyTimer).IsZero() })
	r.schedule(true, "09:30", "Asia/Shanghai")
	within(t, "it is moved", func() bool { return r.timer(dailyTimer).In(shanghai).Hour() == 9 })
	r.schedule(false, "", "")
	within(t, "it is taken back", func() bool { return r.timer(dailyTimer).IsZero() })

	r.schedule(true, "09:30", "Asia/Shanghai")
	within(t, "it is armed again", func() bool { return !r.timer(dailyTimer).IsZero() })
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) { return s.Agent.Archive("") })
	within(t, "the archived agent's is taken back", func() bool { return r.timer(dailyTimer).IsZero() })
	// One that fires all the same finds nothing to do.
	r.w.clock = func() time.Time { return time.Now().Add(48 * time.Hour) }
	if err := r.w.due(t.Context(), streams.Due{Key: r.key, Name: dailyTimer}); err != nil {
		t.Fatal(err)
	}
	if days := r.days(); len(days) != 0 {
		t.Fatalf("an archived agent searched on %v", days)
	}
}

// A timer whose time passed while everything was down fires at the start, and
// two processes that hear it make one search of it.
func TestMissedDailyTimerFires(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	r.schedule(true, "08:30", "Asia/Shanghai")
	tomorrow := time.Now().In(shanghai).AddDate(0, 0, 1)
	now := time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day(), 10, 0, 0, 0, shanghai)
	r.w.clock = func() time.Time { return now }
	if err := r.s.Timers.Arm(t.Context(), r.key, dailyTimer, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	r.waking()
	within(t, "the search is asked for", func() bool { return len(r.days()) == 1 })
	within(t, "the next day is armed", func() bool { return r.timer(dailyTimer).After(now) })
	if days := r.days(); len(days) != 1 || days[0] != now.Format(time.DateOnly) {
		t.Fatalf("searched on %v", days)
	}
}

// After TIMERS was lost the reconciler arms everything again, and makes good
// what was due meanwhile; what stands already is left alone.
func TestLostTimersAreArmedAgain(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	r.schedule(true, "08:30", "Asia/Shanghai")
	card, order := r.s.Log.NewID(), r.s.Log.NewID()
	r.decide(func(s *streams.State, now time.Time) ([]domain.Decision, error) {
		return s.Run.ProposeOrder(run.OrderProposed{Order: order, Work: run.Search, Request: run.Request{What: "a", Why: "b"}}, now)
	})
	r.propose(card, time.Now().Add(domain.ProposalLifetime))
	r.caughtUp()
	js, err := jetstream.New(r.s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), streams.TimersStream)
	if err != nil {
		t.Fatal(err)
	}
	tomorrow := time.Now().In(shanghai).AddDate(0, 0, 1)
	now := time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day(), 10, 0, 0, 0, shanghai)
	r.w.clock = func() time.Time { return now }
	for range 2 {
		if err := stream.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := r.w.rearm(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if days := r.days(); len(days) != 1 {
			t.Fatalf("searched on %v, want the missed day", days)
		}
		for _, name := range []string{dailyTimer, "card-" + string(card), "order-" + string(order)} {
			if at := r.timer(name); !at.After(now) {
				t.Fatalf("timer %s is armed for %s", name, at)
			}
		}
		info, err := stream.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.State.Msgs != 3 {
			t.Fatalf("%d timers are pending", info.State.Msgs)
		}
	}
}

// propose records a card as it was proposed some time ago.
func (r *room) propose(card domain.ID, expires time.Time) {
	r.t.Helper()
	r.decide(func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		text := s.Gene.Search + "\n补充：节奏更快"
		return []domain.Decision{gene.Proposed{
			Card: card, BaseVersion: s.Gene.Version, Search: &text, Summary: "s", Reason: "r", Turn: r.s.Log.NewID(), Expires: expires,
		}}, nil
	})
}

// Cards and orders whose age ended while everything was down are closed by the
// first look at the read models, those that have time left are not, and a timer
// that fires too early closes nothing.
func TestExpiryAfterDowntime(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, rehearsal.New(0))
	old, young, order := r.s.Log.NewID(), r.s.Log.NewID(), r.s.Log.NewID()
	r.propose(old, time.Now().Add(-time.Minute))
	r.propose(young, time.Now().Add(time.Hour))
	r.decide(func(*streams.State, time.Time) ([]domain.Decision, error) {
		return []domain.Decision{run.OrderProposed{Order: order, Work: run.Search, Request: run.Request{What: "a", Why: "b"}, Expires: time.Now().Add(-time.Minute)}}, nil
	})
	r.caughtUp()
	for range 2 {
		if err := r.w.reconcileOnce(t.Context(), map[domain.Key]time.Time{}); err != nil {
			t.Fatal(err)
		}
		if err := r.w.due(t.Context(), streams.Due{Key: r.key, Name: expiry(domain.CardObj, young)}); err != nil {
			t.Fatal(err)
		}
	}
	err := r.s.Log.View(t.Context(), r.key, func(s *streams.State) error {
		if a, b, c := s.Gene.Cards[old].State, s.Gene.Cards[young].State, s.Run.Orders[order].State; a != "expired" || b != "pending" || c != "expired" {
			t.Errorf("the old card is %s, the young one %s, the order %s", a, b, c)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
