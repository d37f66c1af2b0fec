package agent_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/domaintest"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Each row: at a time (any offset), the day that is due and the next time.
func TestRule8_OnceADayInItsZone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		zone, at, set, now string
		day, next          string
	}{
		"before its time":           {"Asia/Shanghai", "08:30", "2026-03-01T00:00:00Z", "2026-03-02T08:29:59+08:00", "", "2026-03-02T08:30:00+08:00"},
		"at its time":               {"Asia/Shanghai", "08:30", "2026-03-01T00:00:00Z", "2026-03-02T08:30:00+08:00", "2026-03-02", "2026-03-03T08:30:00+08:00"},
		"missed, the same day":      {"Asia/Shanghai", "08:30", "2026-03-01T00:00:00Z", "2026-03-02T23:59:59+08:00", "2026-03-02", "2026-03-03T08:30:00+08:00"},
		"missed, the next day":      {"Asia/Shanghai", "08:30", "2026-03-01T00:00:00Z", "2026-03-03T00:00:00+08:00", "", "2026-03-03T08:30:00+08:00"},
		"the zone's day, not UTC's": {"Asia/Shanghai", "06:00", "2026-03-01T00:00:00Z", "2026-03-02T22:30:00Z", "2026-03-03", "2026-03-03T22:00:00Z"},
		"set after its time":        {"Asia/Shanghai", "08:30", "2026-03-02T09:00:00+08:00", "2026-03-02T09:00:00+08:00", "", "2026-03-03T08:30:00+08:00"},
		"set at its time":           {"Asia/Shanghai", "08:30", "2026-03-02T08:30:00+08:00", "2026-03-02T08:30:00+08:00", "2026-03-02", "2026-03-03T08:30:00+08:00"},
		"end of the year":           {"UTC", "23:59", "2026-03-01T00:00:00Z", "2026-12-31T23:59:00Z", "2026-12-31", "2027-01-01T23:59:00Z"},

		"clocks skip it: before the gap": {"Europe/Berlin", "02:30", "2026-03-01T00:00:00Z", "2026-03-29T01:59:59+01:00", "", "2026-03-29T03:00:00+02:00"},
		"clocks skip it: after the gap":  {"Europe/Berlin", "02:30", "2026-03-01T00:00:00Z", "2026-03-29T03:00:00+02:00", "2026-03-29", "2026-03-30T02:30:00+02:00"},
		"it comes twice: the first":      {"Europe/Berlin", "02:30", "2026-03-01T00:00:00Z", "2026-10-25T02:30:00+02:00", "2026-10-25", "2026-10-26T02:30:00+01:00"},
		"it comes twice: before it":      {"Europe/Berlin", "02:30", "2026-03-01T00:00:00Z", "2026-10-25T02:29:00+02:00", "", "2026-10-25T02:30:00+02:00"},
		"it comes twice: the second":     {"Europe/Berlin", "02:30", "2026-03-01T00:00:00Z", "2026-10-25T02:30:00+01:00", "2026-10-25", "2026-10-26T02:30:00+01:00"},
		"west: clocks skip it":           {"America/New_York", "02:30", "2026-03-01T00:00:00Z", "2026-03-08T00:00:00-05:00", "", "2026-03-08T03:00:00-04:00"},
		"west: it comes twice":           {"America/New_York", "01:30", "2026-03-01T00:00:00Z", "2026-11-01T00:00:00-04:00", "", "2026-11-01T01:30:00-04:00"},
		"half an hour is skipped":        {"Australia/Lord_Howe", "02:15", "2026-03-01T00:00:00Z", "2026-10-04T01:00:00+10:30", "", "2026-10-04T02:30:00+11:00"},
		"half an hour comes twice":       {"Australia/Lord_Howe", "01:45", "2026-03-01T00:00:00Z", "2026-04-05T01:00:00+11:00", "", "2026-04-05T01:45:00+11:00"},
		"midnight is skipped":            {"Africa/Cairo", "00:30", "2026-04-23T12:00:00Z", "2026-04-23T23:00:00+02:00", "", "2026-04-24T01:00:00+03:00"},
		"a whole day is skipped":         {"Pacific/Apia", "12:00", "2011-12-01T00:00:00Z", "2011-12-29T13:00:00-10:00", "2011-12-29", "2011-12-31T12:00:00+14:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := domaintest.Fold(t, agent.Evolve, created(),
				domaintest.At(instant(t, c.set), agent.ScheduleSet{Daily: true, At: c.at, Zone: c.zone}))
			day, next := s.DailySearch(instant(t, c.now), zone(t, c.zone))
			if day != c.day || !next.Equal(instant(t, c.next)) {
				t.Fatalf("got %q and %s, want %q and %s", day, next.In(zone(t, c.zone)), c.day, c.next)
			}
		})
	}
}

// Whoever looks whenever, each day of a year with both changes of the clock
// comes up, once, at a time within it.
func TestRule8_EveryDayOfAYear(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "Africa/Cairo"} {
		for _, at := range []string{"00:00", "00:30", "01:30", "02:00", "02:30", "03:00", "23:59"} {
			loc := zone(t, name)
			s := agent.State{Exists: true, Daily: true, At: at, Zone: name}
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, loc).Add(-time.Second)
			for n := range 365 {
				_, next := s.DailySearch(now, loc)
				want := time.Date(2026, 1, 1+n, 12, 0, 0, 0, loc).Format(time.DateOnly)
				if day, _ := s.DailySearch(next, loc); day != want {
					t.Fatalf("%s %s: day %d is %q, want %q", name, at, n, day, want)
				}
				now = next
			}
		}
	}
}

func TestRule8_NoScheduleNothingIsDue(t *testing.T) {
	t.Parallel()
	on := agent.ScheduleSet{Daily: true, At: "08:30", Zone: "UTC"}
	for name, events := range map[string][]domain.Event{
		"never set":    {created()},
		"switched off": {created(), on, agent.ScheduleSet{At: "08:30", Zone: "UTC"}},
		"archived":     {created(), on, agent.Archived{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := domaintest.Fold(t, agent.Evolve, events...)
			if day, next := s.DailySearch(domaintest.Now().Add(24*time.Hour), time.UTC); day != "" || !next.IsZero() {
				t.Fatalf("got %q, %s", day, next)
			}
		})
	}
}

func TestRule9_ImportingSwitchesTheScheduleOff(t *testing.T) {
	t.Parallel()
	imported := agent.Imported{From: "EVENTS 2026-01-01T00:00:00Z", Events: 7, Digest: "sha256:00"}
	do := func(i agent.Imported) func(agent.State) ([]domain.Decision, error) {
		return func(s agent.State) ([]domain.Decision, error) { return s.Import(i) }
	}
	on := agent.ScheduleSet{Daily: true, At: "08:30", Zone: "UTC"}
	off := agent.ScheduleSet{At: "08:30", Zone: "UTC"}
	if after := given(t, created(), on).When(do(imported)).Then(off, imported); after.Daily || after.At != "08:30" {
		t.Fatalf("after the import: %+v", after)
	}
	given(t, created()).When(do(imported)).Then(imported)
	given(t, created(), off).When(do(imported)).Then(imported)
	given(t, created(), on, agent.Archived{}).When(do(imported)).Then(imported)
	given(t, created(), imported).When(do(imported)).Then(imported)
	given(t).When(do(imported)).ThenError(agent.ErrUnknown)
	given(t, created()).When(do(agent.Imported{Events: 7, Digest: "x"})).ThenError(agent.ErrImported)
	given(t, created()).When(do(agent.Imported{From: "x", Digest: "x"})).ThenError(agent.ErrImported)
}
