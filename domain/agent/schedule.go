package agent

import "time"

// DailySearch says what the schedule asks for at a time: the day whose search is
// due ("" for none), and when it is next to be looked at (zero without a
// schedule). zone is the schedule's, looked up by the caller. Whether the day's
// search was requested already is for package run to say.
//
// A day's time that the clocks skip is the first instant after the gap; one that
// comes twice is the first of the two; a day that the zone's calendar skips has
// none.
func (s State) DailySearch(now time.Time, zone *time.Location) (day string, next time.Time) {
	at, err := time.Parse("15:04", s.At)
	if !s.Daily || s.Archived || err != nil {
		return "", time.Time{}
	}
	today := now.In(zone)
	// Tomorrow, or the day after it where a day is skipped.
	for ahead := 0; next.IsZero() && ahead < 4; ahead++ {
		date, when, exists := occurrence(today.Year(), today.Month(), today.Day()+ahead, at.Hour(), at.Minute(), zone)
		switch {
		case !exists:
		case when.After(now):
			next = when
		case ahead == 0 && !when.Before(s.SetAt):
			day = date
		}
	}
	return day, next
}

// occurrence is when a zone's clocks show a time of a day, in UTC.
func occurrence(year int, month time.Month, day, hour, minute int, zone *time.Location) (date string, when time.Time, exists bool) {
	want := time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
	t := time.Date(year, month, day, hour, minute, 0, 0, zone)
	begins, ends := t.ZoneBounds()
	switch shown := onTheWall(t); {
	case shown.After(want): // counted with the offset before the gap
		t = begins
	case shown.Before(want): // with the one after it
		t = ends
	default:
		if begins.IsZero() {
			break
		}
		_, offset := t.Zone()
		_, before := begins.Add(-time.Second).Zone()
		if first := t.Add(time.Duration(offset-before) * time.Second); first.Before(begins) && onTheWall(first.In(zone)).Equal(want) {
			t = first
		}
	}
	date = want.Format(time.DateOnly)
	return date, t.UTC(), t.In(zone).Format(time.DateOnly) == date
}

// onTheWall is what the clocks of t's zone show, as if they were UTC's.
func onTheWall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}
