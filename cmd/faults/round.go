package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"

	"sozai/streams"
	"sozai/streams/fault"
)

// Deadlines of a round's parts.
const (
	readyLimit = 40 * time.Second
	quietLimit = 40 * time.Second
	drainLimit = 14 * time.Second // ten seconds to hand over, and a busy machine
	roundLimit = 4 * time.Minute
)

// result is how a round went.
type result struct {
	plan     plan
	took     time.Duration
	phases   string
	commands int
	fired    []string
	notes    map[string]int
	findings []string
	kept     string
	skipped  string
}

// line is the round in one line, findings below it.
func (r result) line() string {
	state := "ok"
	switch {
	case r.skipped != "":
		state = "not run: " + r.skipped
	case len(r.findings) > 0:
		state = fmt.Sprintf("%d FINDINGS", len(r.findings))
	}
	line := fmt.Sprintf("seed %-5d %5.1fs (%s) %3d commands  %s  %s", r.plan.Seed, r.took.Seconds(), r.phases, r.commands, state, r.plan.String())
	if r.kept != "" {
		line += "\n      kept in " + r.kept
	}
	for _, f := range r.findings {
		line += "\n      " + strings.ReplaceAll(f, "\n", "\n        ")
	}
	return line
}

// round is one in progress.
type round struct {
	*lane
	plan     plan
	dir      string
	database string
	clock    *clock     // of the servers; nil: the machine's
	logClock *clock     // of the log's server
	log      *logServer // nil: embedded
	servers  []*server
	world    *world
	watchers sync.Map // agent → *watcher
	unmount  func()
	logDisk  string // the folder of the log, on a disk of its own if that is small

	rebuilding sync.Mutex

	since  time.Time
	phases []string

	mu    sync.Mutex
	fired []string
}

// play plays the round of a plan from an empty log to a verified one.
func (l *lane) play(ctx context.Context, p plan) result {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	r := &round{
		lane: l, plan: p, dir: filepath.Join(l.dir, fmt.Sprintf("round-%d", p.Seed)), database: fmt.Sprintf("round_%d", p.Seed),
		since: began,
		world: &world{notes: map[string]int{}, turns: map[string]string{}},
	}
	err := r.open(ctx)
	if err == nil {
		r.perform(ctx)
	}
	r.shut()
	res := result{
		plan: p, took: time.Since(began), phases: strings.Join(r.phases, " "), commands: len(r.world.commands), notes: r.world.notes, findings: r.world.findings,
		fired: append(r.fired, fired(r.serverLogs()...)...),
	}
	var cannot *cannotError
	switch {
	case errors.As(err, &cannot):
		res.skipped = cannot.Error()
	case err != nil:
		res.findings = append(res.findings, "start: "+err.Error())
	}
	if len(res.findings) > 0 {
		res.kept = r.preserve()
	} else {
		_ = os.RemoveAll(r.dir)
	}
	if err := l.dropDatabase(context.WithoutCancel(ctx), r.database); err != nil {
		res.findings = append(res.findings, "harness: "+err.Error())
	}
	return res
}

// cannotError says that this machine cannot play the round.
type cannotError struct{ err error }

func (e *cannotError) Error() string { return e.err.Error() }

func (r *round) open(ctx context.Context) error {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	if r.plan.Clock {
		var err error
		if r.clock, err = newClock(); err == nil {
			r.logClock, err = newClock()
		}
		if err != nil {
			return &cannotError{err}
		}
	}
	r.world.clock = r.clock
	r.logDisk = filepath.Join(r.dir, "log")
	if r.plan.Embedded {
		r.logDisk = filepath.Join(r.dir, "server0")
	}
	if r.plan.Small {
		if err := os.MkdirAll(r.logDisk, 0o700); err != nil {
			return err
		}
		size := 48
		if r.plan.Embedded {
			size = 320 // a data folder needs 256 MB at its start
		}
		unmount, err := mountSmall(r.logDisk, size)
		if err != nil {
			return &cannotError{err}
		}
		r.unmount = unmount
	}
	if err := r.createDatabase(ctx, r.database); err != nil {
		return err
	}
	if !r.plan.Embedded {
		var err error
		if r.log, err = startLogServer(ctx, r.logDisk, r.logClock); err != nil {
			return err
		}
	}
	for i := range r.plan.Servers {
		if err := r.addServer(i); err != nil {
			return err
		}
	}
	for _, s := range r.servers {
		s.supervise(ctx)
	}
	return nil
}

// addServer prepares one server; its log and database are reached through
// networks of its own.
func (r *round) addServer(i int) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	name := fmt.Sprintf("server%d", i)
	s := &server{
		process: &process{name: name, log: filepath.Join(r.dir, name+".out"), clock: r.clock},
		binary:  r.binary, addr: fmt.Sprintf("127.0.0.1:%d", port),
	}
	data := filepath.Join(r.dir, name)
	if err := seedData(r.seedDir(), data); err != nil {
		return err
	}
	if s.toDB, err = newProxy(r.dial); err != nil {
		return err
	}
	dsn, err := r.dsnAt(r.database, s.toDB.address())
	if err != nil {
		return err
	}
	s.args = []string{"serve", "--data", data, "--listen", s.addr, "--no-demo", "--log-level", "info", "--database-url", dsn}
	if r.log != nil {
		if s.toLog, err = newProxy(r.log.dial); err != nil {
			return err
		}
		s.args = append(s.args, "--nats-url", "nats://"+s.toLog.address())
	}
	for _, step := range r.plan.Steps {
		if step.Server == i {
			s.steps = append(s.steps, step.Spec)
		}
	}
	r.servers = append(r.servers, s)
	r.world.addrs = append(r.world.addrs, s.addr)
	return nil
}

// perform lets people work while things go wrong, mends everything, and checks.
func (r *round) perform(ctx context.Context) {
	// The first start may be one that a fault point ends; people wait for it anyway.
	ready, cancel := context.WithTimeout(ctx, readyLimit)
	for _, s := range r.servers {
		if err := s.ready(ready); err != nil {
			r.world.find("start: %v", err)
			cancel()
			return
		}
	}
	cancel()
	r.phase("start")
	working, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	trouble, calm := context.WithCancel(ctx)
	var people, faults sync.WaitGroup
	for _, e := range r.plan.Faults {
		faults.Go(func() { r.happen(trouble, e) })
	}
	for i, script := range r.plan.Clients {
		c := newClient(r.world, r.people[i%len(r.people)], script.Seed)
		people.Go(func() { c.work(working, script.Commands) })
	}
	looking, looked := context.WithCancel(working)
	var look sync.WaitGroup
	look.Go(func() { r.watchRooms(looking, working) })
	people.Wait()
	looked()
	look.Wait()
	calm()
	faults.Wait()
	r.phase("work")
	r.mend(ctx)
	r.settle(ctx)
	stopWatching()
	r.phase("quiet")
	r.conclude(ctx)
	r.phase("check")
}

// phase notes how long a part of the round took.
func (r *round) phase(name string) {
	r.phases = append(r.phases, fmt.Sprintf("%s %.1f", name, time.Since(r.since).Seconds()))
	r.since = time.Now()
}

// watchRooms looks at each room as it is opened, until people have given their
// commands; who looks goes on until the end of working.
func (r *round) watchRooms(ctx, working context.Context) {
	for ctx.Err() == nil {
		for i, agent := range r.world.rooms() {
			if _, known := r.watchers.Load(agent); !known {
				c := newClient(r.world, r.people[i%len(r.people)], r.plan.Seed<<16|uint64(i)) //nolint:gosec // small
				r.watchers.Store(agent, c.watch(working, agent))
			}
		}
		pause(ctx, 30*time.Millisecond)
	}
}

// mend ends everything that is still wrong and waits until all answer.
func (r *round) mend(ctx context.Context) {
	for _, s := range r.servers {
		s.disarm()
		s.signal(syscall.SIGCONT)
		s.toDB.heal()
		if s.toLog != nil {
			s.toLog.heal()
		}
	}
	r.await(ctx)
}

// await waits until all servers answer.
func (r *round) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	for _, s := range r.servers {
		if err := s.ready(ctx); err != nil {
			r.world.find("recovery: %v", err)
		}
	}
}

// settle waits until all work is done, everybody was shown everything, and the
// materials that people see are those that count.
func (r *round) settle(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, quietLimit)
	defer cancel()
	err := poll(limited, "quiet", func() error {
		nc, err := r.connect()
		if err != nil {
			return err
		}
		defer nc.Close()
		last, err := waiting(limited, nc)
		if err != nil {
			return err
		}
		return r.applied(limited, last)
	})
	if err != nil {
		r.world.find("%v", err)
	}
	reader := newClient(r.world, r.people[0], r.plan.Seed)
	r.watchers.Range(func(_, v any) bool {
		w, ok := v.(*watcher)
		if !ok {
			return true
		}
		short, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := poll(short, "rooms", func() error { return w.differs(reader.timeline(short, w.agent)) }); err != nil {
			r.world.find("%v", err)
		}
		return true
	})
}

// applied waits for no projection: it says which one has not reached a sequence.
func (r *round) applied(ctx context.Context, last uint64) error {
	conn, err := r.tables(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var behind string
	err = conn.QueryRow(ctx, `SELECT COALESCE(string_agg(projection || ' at ' || seq || ' ' || status, ', '), '') FROM control.projections WHERE seq < $1`,
		int64(last)).Scan(&behind) //nolint:gosec // small
	if err == nil && behind != "" {
		err = fmt.Errorf("the log ends at %d, projections are behind: %s", last, behind)
	}
	return err
}

// tables connects the checker to the round's database.
func (r *round) tables(ctx context.Context) (*pgx.Conn, error) {
	dsn, err := r.dsn(r.database)
	if err != nil {
		return nil, err
	}
	return pgx.Connect(ctx, dsn)
}

// connect opens a connection of the checker's own.
func (r *round) connect() (*nats.Conn, error) {
	if r.log == nil {
		return streams.ConnectFolder(r.logDisk, "faults")
	}
	return r.log.connect()
}

// conclude holds the tables against the log while everything serves, stops the
// servers, and holds the log against what people were told.
func (r *round) conclude(ctx context.Context) {
	r.verify(ctx)
	r.await(ctx) // a late fault point may have ended one
	if r.log == nil {
		r.checkLog(ctx) // it is inside the server
	}
	for _, s := range r.servers {
		before := len(fired(s.log))
		if err := s.end(false, drainLimit); err != nil && len(fired(s.log)) == before {
			r.world.find("shutdown: %v", err)
		}
		for _, death := range s.deaths() {
			r.world.find("death: %s", death)
		}
	}
	if r.log != nil {
		r.checkLog(ctx)
	}
}

func (r *round) checkLog(ctx context.Context) {
	nc, err := r.connect()
	if err != nil {
		r.world.find("read the log: %v", err)
		return
	}
	defer nc.Close()
	h, log, err := readLog(ctx, nc)
	if err != nil {
		r.world.find("read the log: %v", err)
		return
	}
	problems, err := log.FoldAll(ctx, nil)
	if err != nil {
		r.world.find("fold: %v", err)
	}
	for _, p := range problems {
		r.world.find("fold: event %d (%s) of %s: %v", p.Seq, p.Type, p.Key.Agent, p.Err)
	}
	c := &checker{history: h, commands: r.world.commands, repeats: r.plan.Clock}
	r.world.findings = append(r.world.findings, c.check()...)
	if err := r.checkTables(ctx, h); err != nil {
		r.world.find("%v", err)
	}
	r.record(h)
}

// checkTables compares what people are shown of materials with what counts.
func (r *round) checkTables(ctx context.Context, h *history) error {
	conn, err := r.tables(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	kept, _, late := h.kept()
	materials := map[string]bool{}
	for _, m := range kept {
		materials[string(m.Material)] = true
	}
	var shownCount, refusedLate int
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM library.materials`).Scan(&shownCount); err != nil {
		return fmt.Errorf("library: %w", err)
	}
	if err := conn.QueryRow(ctx, `SELECT COALESCE(sum(count), 0)::int FROM library.refused WHERE type = 'material.saved' AND reason = 'late_attempt'`).Scan(&refusedLate); err != nil {
		return fmt.Errorf("library: %w", err)
	}
	if shownCount != len(materials) {
		return fmt.Errorf("library: %d materials are shown, %d count", shownCount, len(materials))
	}
	if refusedLate != late {
		return fmt.Errorf("library: %d late facts are counted, there are %d", refusedLate, late)
	}
	if late > 0 {
		r.world.note("late facts refused")
	}
	return nil
}

// verify asks the program itself whether the tables are what the log makes.
func (r *round) verify(ctx context.Context) {
	out, err := r.tool(ctx, "", "verify", "--json")
	if err != nil {
		r.world.find("verify: %v\n%s", err, out)
	}
}

// tool runs one of the operator's commands, perhaps with a fault point armed.
func (r *round) tool(ctx context.Context, step string, args ...string) (string, error) {
	dsn, err := r.dsn(r.database)
	if err != nil {
		return "", err
	}
	args = append(args, "--database-url", dsn, "--data", filepath.Join(r.dir, "server0"))
	if r.log != nil {
		args = append(args, "--nats-url", r.log.url())
	}
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.binary, args...) //nolint:gosec // our own program
	if step != "" {
		cmd.Env = append(os.Environ(), fault.Variable+"="+step)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w", args[0], err)
	}
	return string(out), nil
}

// shut ends all that the round started.
func (r *round) shut() {
	for _, s := range r.servers {
		s.signal(syscall.SIGCONT)
		_ = s.end(true, 0)
		s.toDB.close()
		if s.toLog != nil {
			s.toLog.close()
		}
	}
	if r.log != nil {
		r.log.signal(syscall.SIGCONT)
		r.log.kill()
	}
	if r.unmount != nil {
		if len(r.world.findings) > 0 {
			_ = os.CopyFS(r.logDisk+"-kept", os.DirFS(r.logDisk))
		}
		r.unmount()
	}
}

func (r *round) serverLogs() []string {
	var logs []string
	for _, s := range r.servers {
		logs = append(logs, s.log)
	}
	return logs
}

// record writes what people did and what the log holds, for whoever reads a
// finding.
func (r *round) record(h *history) {
	for name, v := range map[string]any{"commands.json": r.world.commands, "plan.json": r.plan} {
		if data, err := json.MarshalIndent(v, "", " "); err == nil {
			_ = os.WriteFile(filepath.Join(r.dir, name), data, 0o600)
		}
	}
	r.watchers.Range(func(agent, v any) bool {
		if w, ok := v.(*watcher); ok {
			_ = os.WriteFile(filepath.Join(r.dir, fmt.Sprintf("room-%s.txt", agent)), []byte(strings.Join(w.heard, "\n")), 0o600)
		}
		return true
	})
	file, err := os.Create(filepath.Join(r.dir, "events.jsonl"))
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	out := json.NewEncoder(file)
	for _, e := range h.events {
		_ = out.Encode(e)
	}
}

// preserve moves what a round with findings left out of the lane.
func (r *round) preserve() string {
	to := filepath.Join(r.keep, filepath.Base(r.dir))
	_ = os.RemoveAll(to)
	if err := os.MkdirAll(r.keep, 0o700); err != nil {
		return r.dir
	}
	if err := os.Rename(r.dir, to); err != nil {
		return r.dir
	}
	return to
}
