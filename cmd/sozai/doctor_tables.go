package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sozai/domain"
	"sozai/migrations"
	"sozai/projections"
	"sozai/streams"
)

// database looks at PostgreSQL; false means that there is nothing to look at in it.
func (d *checkup) database() bool {
	var server string
	var bytes int64
	var used, most int
	var at time.Time
	err := d.n.pool.QueryRow(d.ctx, `
		SELECT split_part(current_setting('server_version'), ' ', 1), pg_database_size(current_database()),
			(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
			current_setting('max_connections')::int, clock_timestamp()`).Scan(&server, &bytes, &used, &most, &at)
	d.now = time.Now()
	if err != nil {
		d.fail("database", "see docs/operations.md, “When it does not start”", nil, "%s", sentence(err))
		return false
	}
	text := fmt.Sprintf("PostgreSQL %s, %s, %d of %d connections", server, size(uint64(max(bytes, 0))), used, most)
	if used*5 > most*4 {
		d.warn("database", "raise max_connections, or run fewer processes", nil, "%s: nearly all are in use", text)
	} else {
		d.ok("database", nil, "%s", text)
	}
	var schema int64
	err = d.n.pool.QueryRow(d.ctx, `SELECT coalesce(max(version_id), 0) FROM public.sozai_migrations WHERE is_applied`).Scan(&schema)
	if err != nil {
		d.fail("schema", "start `sozai serve` once: it makes the tables", nil, "the database has no tables of Sozai (%s)", sentence(err))
		return false
	}
	d.schema(schema)
	if d.n.log != nil {
		d.clocks(at, d.newest())
	}
	return true
}

// schema compares the tables with what this program knows.
func (d *checkup) schema(applied int64) {
	newest, err := migrations.Newest()
	switch {
	case err != nil:
		d.fail("schema", "", applied, "%s", sentence(err))
	case applied > newest:
		d.fail("schema", "use the newer Sozai that made them: this one may misread them", applied,
			"the tables are at migration %d, made by a newer Sozai; this one knows %d", applied, newest)
	case applied < newest:
		d.warn("schema", "start `sozai serve` of this version: it brings them up to date", applied,
			"the tables are at migration %d, and this Sozai brings %d", applied, newest)
	default:
		d.ok("schema", applied, "at migration %d, the newest", applied)
	}
}

// tables looks at the projections and, through them, at the work.
func (d *checkup) tables() {
	list, err := d.n.store.Status(d.ctx)
	if err != nil {
		d.fail("projections", "the tables may be of another version: start `sozai serve` of this one, it brings them up to date", nil, "%s", sentence(err))
		return
	}
	var last uint64
	if d.n.log != nil {
		if last, err = d.n.log.Last(d.ctx); err != nil {
			d.fail("projections", "", nil, "%s", sentence(err))
			return
		}
	}
	fine, lag := 0, uint64(0)
	for _, st := range list {
		behind := last - min(last, st.Position)
		lag = max(lag, behind)
		switch {
		case st.Status == "diverged" || st.Status == "failed":
			d.fail("projections", "sozai rebuild "+st.Name, st, "%s has stopped (%s): %s", st.Name, st.Status, st.Error)
		case st.Status == "building" && !d.n.own:
			d.warn("projections", "wait; `sozai rebuild --list` shows how far it is", st,
				"%s is being built, %s to go", st.Name, plural(behind, "event"))
		default:
			fine++
		}
	}
	switch {
	case fine == 0:
	case lag > lagMuch && !d.n.own:
		d.warn("projections", "pages are late: look at the process with the role projector", list,
			"%d of %d serve, up to %s behind", fine, len(list), plural(lag, "event"))
	case lag > 0 && d.n.own:
		d.ok("projections", list, "%d of %d; %s to apply at the next start", fine, len(list), plural(lag, "event"))
	case lag > 0:
		d.ok("projections", list, "%d of %d serve, up to %s behind", fine, len(list), plural(lag, "event"))
	default:
		d.ok("projections", list, "%d of %d serve, all at the log's end", fine, len(list))
	}
	d.parked()
	d.builds()
	if d.n.log != nil && fine == len(list) {
		d.work()
	}
}

func (d *checkup) parked() {
	list, err := d.n.store.Parked(d.ctx)
	switch {
	case err != nil:
		d.fail("parked", "", nil, "%s", sentence(err))
	case len(list) > 0:
		waiting := 0
		for _, a := range list {
			waiting += a.Waiting
		}
		d.fail("parked", "`sozai parked` says why; `sozai parked retry` after the cause is gone", list,
			"%s could not be applied, and %s wait behind", plural(len(list), "event"), plural(waiting, "event"))
	default:
		d.ok("parked", nil, "no event waits")
	}
}

func (d *checkup) builds() {
	list, err := d.n.store.Builds(d.ctx)
	if err != nil {
		d.fail("builds", "", nil, "%s", sentence(err))
		return
	}
	var stopped, running []string
	for _, b := range list {
		if b.Running {
			running = append(running, b.Projection)
			continue
		}
		stopped = append(stopped, b.Projection)
	}
	switch {
	case len(stopped) > 0:
		names := strings.Join(stopped, " ")
		d.warn("builds", "sozai rebuild "+names+" goes on; with --cancel it is dropped", list, "a build of %s has stopped", strings.Join(stopped, ", "))
	case len(running) > 0:
		d.ok("builds", list, "under way: %s (`sozai rebuild --list`)", strings.Join(running, ", "))
	default:
		d.ok("builds", nil, "none under way")
	}
}

// waitLong is how long a slot may wait for a worker before doctor says so.
const waitLong = time.Minute

// work looks at what is asked for, what is being worked on and by whom.
func (d *checkup) work() {
	runs, rooms, err := d.n.store.OpenWork(d.ctx)
	if err != nil {
		d.fail("work", "", nil, "%s", sentence(err))
		return
	}
	queue, err := streams.OpenQueue(d.n.conn, streams.Config{})
	if err != nil {
		d.fail("work", "", nil, "%s", sentence(err))
		return
	}
	slots, err := queue.Slots(d.ctx)
	if err != nil {
		d.fail("work", "", nil, "%s", sentence(err))
		return
	}
	beats, err := d.alive.List(d.ctx)
	if err != nil {
		d.fail("work", "", nil, "%s", sentence(err))
		return
	}
	workers := map[string]int{}
	for _, beat := range beats {
		workers[beat.Worker]++
	}
	waiting, oldest := 0, d.now
	for _, s := range slots {
		if s.Taken {
			continue
		}
		waiting++
		if s.Since.Before(oldest) {
			oldest = s.Since
		}
	}
	text := fmt.Sprintf("%s and %s open", plural(len(runs), "run"), plural(len(rooms), "room"))
	if len(workers) > 0 {
		text += fmt.Sprintf(", %d at work in %s", len(beats), plural(len(workers), "process"))
	}
	if waiting > 0 {
		text += fmt.Sprintf(", %d wait, the oldest for %s", waiting, ago(oldest, d.now))
	}
	switch {
	case d.n.own:
		if len(runs)+len(rooms) > 0 {
			text += "; all go on at the next start"
		}
		d.ok("work", workers, "%s", text)
	case d.now.Sub(oldest) > waitLong:
		d.warn("work", "more workers: --butlers, --searches, or another process with --roles worker", workers, "%s", text)
	default:
		d.ok("work", workers, "%s", text)
	}
	d.lost(runs, beats)
}

// lost names runs that should be worked on but show no sign of life.
func (d *checkup) lost(runs []projections.OpenRun, beats map[domain.ID]streams.Beat) {
	if d.n.own {
		return
	}
	var silent []string
	for _, r := range runs {
		if _, alive := beats[r.Run]; alive || r.State == "requested" || d.now.Sub(r.LastSign) < 2*streams.AckWait {
			continue
		}
		silent = append(silent, string(r.Run))
	}
	if len(silent) > 0 {
		d.warn("workers", "`sozai run show <id>`; the queue gives it to another worker within 10 s, and ends it after the third", silent,
			"%s without a sign of life: %s", plural(len(silent), "running run"), strings.Join(silent[:min(3, len(silent))], ", "))
	}
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
