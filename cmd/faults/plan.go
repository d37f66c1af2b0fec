package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"sozai/streams/fault"
)

// plan is a round as its seed decides it.
type plan struct {
	Seed     uint64
	Scenario string
	Servers  int
	Embedded bool // the log runs inside the one server
	Small    bool // the log's disk is a few megabytes
	Clock    bool // the time of day can be moved
	Steps    []armed
	Faults   []event
	Clients  []script
}

// armed is a fault point of one server's n-th start.
type armed struct {
	Server int
	Spec   string
}

// event is something that goes wrong once so many commands were answered and a
// moment has passed.
type event struct {
	After  int
	Wait   time.Duration
	Kind   string
	Server int
	For    time.Duration
	Text   string
}

func (e event) String() string {
	s := fmt.Sprintf("%s@%d", e.Kind, e.After)
	if e.Text != "" {
		s += "(" + e.Text + ")"
	}
	return s
}

// script is one client: what it does follows from its seed and from what it sees.
type script struct {
	Seed     uint64
	Commands int
}

// The kinds of events.
const (
	killServer   = "kill"       // kill -9 of a server
	killLog      = "kill-log"   // kill -9 of the log's server, and a start after a while
	crashDB      = "crash-db"   // the database goes down without a checkpoint
	loseAnswers  = "lose-acks"  // what the log answers is lost, then the connection
	loseRequests = "lose-sends" // what is sent to the log is lost, then the connection
	partition    = "partition"  // both
	cutAppend    = "cut-append" // an append arrives, its answer does not
	cutCommit    = "cut-commit" // the same with a commit
	slowNet      = "slow-net"   // everything between server and log is late
	freeze       = "freeze"     // a server stands still for longer than a worker may
	slowDisk     = "slow-disk"  // the log's server stands still again and again
	fullDisk     = "full-disk"  // the log's disk is full for a while
	drainServer  = "drain"      // SIGTERM and a fresh start
	moveClock    = "clock"      // the time of day jumps
	rebuild      = "rebuild"    // an operator rebuilds every projection
	cutDB        = "cut-db"     // the connections to the database break
)

// steps are the fault points that people's work passes, with how often it does
// so in a round, about.
var steps = map[string]int{
	"append.before": 40, "append.after": 40,
	"apply.locked": 90, "apply.rows": 90, "apply.committed": 90,
	"offer.before": 8, "offer.after": 8, "job.taken": 6,
	"run.started": 3, "run.saved": 4, "run.finishing": 2, "run.finished": 2,
	"turn.started": 4, "turn.round": 8, "turn.finishing": 3, "turn.finished": 3,
	"command.before": 16, "command.after": 16,
}

// stepNames is steps in a fixed order.
func stepNames() []string {
	var names []string
	for _, name := range fault.Names {
		if steps[name] > 0 {
			names = append(names, name)
		}
	}
	return names
}

// scenarios in a fixed order, each with its weight.
var scenarios = []struct {
	name   string
	weight int
	fill   func(*plan, *rand.Rand)
}{
	{"step", 30, planStep},
	{"kill", 8, planKill},
	{"log-restart", 8, planLogRestart},
	{"db-restart", 7, planDBRestart},
	{"lost-replies", 10, planLostReplies},
	{"late", 8, planLate},
	{"zombie", 6, planZombie},
	{"drain", 5, planDrain},
	{"full-disk", 4, planFullDisk},
	{"slow-disk", 4, planSlowDisk},
	{"clock", 5, planClock},
	{"rebuild", 5, planRebuild},
	{"mixed", 10, planMixed},
}

// draw is the round of a seed.
func draw(seed uint64) plan {
	r := rand.New(rand.NewPCG(seed, 0x50_5a_a1)) //nolint:gosec // a round must be repeatable
	p := plan{Seed: seed, Servers: 1 + r.IntN(2)}
	total := 0
	for _, s := range scenarios {
		total += s.weight
	}
	for i := range 2 + r.IntN(2) {
		p.Clients = append(p.Clients, script{Seed: seed<<8 | uint64(i), Commands: 5 + r.IntN(8)}) //nolint:gosec // small
	}
	at := r.IntN(total)
	for _, s := range scenarios {
		if at -= s.weight; at < 0 {
			p.Scenario = s.name
			s.fill(&p, r)
			return p
		}
	}
	panic("unreachable: the weights sum to total")
}

// commands is how many the clients will give.
func (p *plan) commands() int {
	n := 0
	for _, c := range p.Clients {
		n += c.Commands
	}
	return n
}

// moment draws when something happens.
func (p *plan) moment(r *rand.Rand) event {
	return event{After: r.IntN(p.commands()), Wait: time.Duration(r.IntN(120)) * time.Millisecond, Server: r.IntN(p.Servers)}
}

// add draws an event of a kind that lasts between two times.
func (p *plan) add(r *rand.Rand, kind string, least, most time.Duration) *event {
	e := p.moment(r)
	e.Kind = kind
	if most > least {
		least += time.Duration(r.Int64N(int64(most - least)))
	}
	e.For = least
	p.Faults = append(p.Faults, e)
	return &p.Faults[len(p.Faults)-1]
}

func planStep(p *plan, r *rand.Rand) {
	names := stepNames()
	// Every step gets its share whatever the order in which seeds are played.
	for range 1 + r.IntN(2) {
		name := names[r.IntN(len(names))]
		p.Steps = append(p.Steps, armed{r.IntN(p.Servers), fmt.Sprintf("%s:%d", name, 1+r.IntN(steps[name]))})
	}
}

func planKill(p *plan, r *rand.Rand) {
	p.Embedded = p.Servers == 1 && r.IntN(2) == 0
	for range 1 + r.IntN(3) {
		p.add(r, killServer, 0, 0)
	}
}

func planLogRestart(p *plan, r *rand.Rand) {
	for range 1 + r.IntN(2) {
		p.add(r, killLog, 0, 1500*time.Millisecond)
	}
}

func planDBRestart(p *plan, r *rand.Rand) {
	p.add(r, crashDB, 0, time.Second)
	if r.IntN(2) == 0 {
		p.add(r, cutDB, 0, 0)
	}
}

func planLostReplies(p *plan, r *rand.Rand) {
	for range 1 + r.IntN(3) {
		switch r.IntN(4) {
		case 0:
			p.add(r, loseAnswers, 50*time.Millisecond, 1200*time.Millisecond)
		case 1:
			// An append, an acknowledgement of work, a heartbeat.
			p.add(r, cutAppend, 0, 0).Text = []string{"PUB evt.", "+ACK", "Nats-Batch-Commit", "PUB work.", "+WPI"}[r.IntN(5)]
		case 2:
			p.add(r, cutCommit, 0, 0).Text = "commit"
		case 3:
			p.add(r, loseRequests, 50*time.Millisecond, 1200*time.Millisecond)
		}
	}
}

func planLate(p *plan, r *rand.Rand) {
	p.Servers = 2
	for range 1 + r.IntN(2) {
		e := p.add(r, slowNet, time.Second, 4*time.Second)
		e.Text = []string{"20ms", "150ms", "900ms", "2500ms"}[r.IntN(4)]
		e.Server = r.IntN(p.Servers)
	}
	if r.IntN(2) == 0 {
		p.add(r, partition, 500*time.Millisecond, 3*time.Second)
	}
}

func planZombie(p *plan, r *rand.Rand) {
	p.Servers = 2
	for range 1 + r.IntN(2) {
		e := p.add(r, freeze, 2500*time.Millisecond, 4*time.Second)
		e.Server = r.IntN(p.Servers)
	}
}

func planDrain(p *plan, r *rand.Rand) {
	for range 1 + r.IntN(2) {
		p.add(r, drainServer, 0, 0)
	}
	if r.IntN(3) == 0 {
		p.Steps = append(p.Steps, armed{r.IntN(p.Servers), "handed.over:1"})
	}
}

func planFullDisk(p *plan, r *rand.Rand) {
	p.Small = true
	p.Embedded = r.IntN(2) == 0
	if p.Embedded {
		p.Servers = 1
	}
	p.add(r, fullDisk, time.Second, 2500*time.Millisecond)
}

func planSlowDisk(p *plan, r *rand.Rand) {
	for range 1 + r.IntN(2) {
		p.add(r, slowDisk, time.Second, 3*time.Second)
	}
}

func planClock(p *plan, r *rand.Rand) {
	p.Clock = true
	jumps := []string{"1h", "-40m", "30s", "-30s", "11m", "25h", "-3h"}
	if r.IntN(2) == 0 {
		for range 1 + r.IntN(3) {
			p.add(r, moveClock, 0, 0).Text = jumps[r.IntN(len(jumps))]
		}
		return
	}
	// Cards and orders expire, the command keys of before with them.
	p.add(r, moveClock, 0, 0).Text = "192h"
	if r.IntN(3) > 0 {
		p.Steps = append(p.Steps, armed{r.IntN(p.Servers), fmt.Sprintf("timer.due:%d", 1+r.IntN(2))})
	}
}

func planRebuild(p *plan, r *rand.Rand) {
	e := p.add(r, rebuild, 0, 0)
	if r.IntN(4) > 0 {
		name := []string{"build.chunk", "flip.before", "flip.after"}[r.IntN(3)]
		e.Text = fmt.Sprintf("%s:%d", name, 1+r.IntN(9))
	}
	if r.IntN(2) == 0 {
		p.add(r, killServer, 0, 0)
	}
}

// planMixed lets two or three things go wrong in one round.
func planMixed(p *plan, r *rand.Rand) {
	for range 2 + r.IntN(2) {
		switch r.IntN(8) {
		case 0:
			planStep(p, r)
		case 1:
			p.add(r, killServer, 0, 0)
		case 2:
			planLogRestart(p, r)
		case 3:
			planDBRestart(p, r)
		case 4:
			planLostReplies(p, r)
		case 5:
			p.add(r, freeze, 2500*time.Millisecond, 3500*time.Millisecond)
		case 6:
			planSlowDisk(p, r)
		case 7:
			p.add(r, rebuild, 0, 0)
		}
	}
}

// String says what the round will suffer.
func (p *plan) String() string {
	var parts []string
	for _, s := range p.Steps {
		parts = append(parts, s.Spec)
	}
	for _, e := range p.Faults {
		parts = append(parts, e.String())
	}
	where := ""
	if p.Embedded {
		where = " embedded"
	}
	return fmt.Sprintf("%s ×%d%s: %s", p.Scenario, p.Servers, where, strings.Join(parts, " "))
}
