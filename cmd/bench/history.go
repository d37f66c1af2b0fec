package main

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/oklog/ulid/v2"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/streams"
)

// deed is what one command leaves in the log: decisions of one atomic batch, or
// facts.
type deed struct {
	key       domain.Key
	at        time.Time
	actor     domain.Actor
	decisions []domain.Decision
	facts     []domain.Fact
}

func (d deed) events() []domain.Event {
	var all []domain.Event
	for _, e := range d.decisions {
		all = append(all, e)
	}
	for _, e := range d.facts {
		all = append(all, e)
	}
	return all
}

// product is the one that every agent of a benchmark belongs to.
const product = "bench"

// life tells the history of one agent, in business time. What it tells folds
// without an error, and no projection refuses any of it as late, foreign or
// double.
//
// Its events are spread over the kinds like this, in percent (a test holds the
// code to it), with bodies of 960 bytes on average:
//
//	step     28  model rounds of runs and turns, progress
//	library  19  materials with their analyses, boards, films, uploads
//	turn     14  answers, with their blocks
//	run      10  runs and their attempts (one in twenty is lost), orders
//	behavior  9  beacons of 1 to 11 observations, 6 on average
//	feedback  9  likes, dislikes, words; one in twenty is taken back
//	chat      8  people's messages
//	gene      2  cards proposed, applied (two of three), rejected, expired; versions
//	notice    1
//	agent     0  created, members
type life struct {
	rng    *rand.Rand
	key    domain.Key
	now    time.Time
	people []domain.ID
	deeds  []deed

	version   int // of the gene
	search    string
	steer     string
	cards     []gene.Proposed // pending
	waiting   []domain.ID     // messages
	materials []domain.ID
	boards    []domain.ID
	films     []domain.ID
	open      []domain.ID // feedback that no card has settled
	slot      uint64
}

// newLife creates an agent with its gene and asks for its first search. seed
// decides everything.
func newLife(seed uint64, start time.Time) *life {
	l := &life{rng: rand.New(rand.NewPCG(seed, 0x50a1)), now: start, version: 1} //nolint:gosec // repeatable on purpose
	l.key = domain.Key{Product: product, Agent: l.id()}
	for range 4 {
		l.people = append(l.people, l.id())
	}
	l.search, l.steer = l.lines(8), l.lines(10)
	l.decide(l.person(),
		agent.Created{Name: "末日塔防 " + strconv.FormatUint(seed, 10), Brief: l.text(300), Creator: l.people[0], Sources: []string{"fast"}},
		gene.Minted{Version: 1, Search: l.search, Steer: l.steer, Constraints: domain.Constraints{MaxFilmSeconds: 30, Aspect: "9:16"}, Origin: gene.OriginCreated},
	)
	for _, user := range l.people[1:] {
		l.decide(l.person(), agent.MemberAdded{User: user, Role: agent.Member})
	}
	return l
}

// wheel is one turn of the wheel: a search, looks, talk, feedback, an order for a
// board and one for a film, a digest, and what came of its card.
func (l *life) wheel() {
	l.searchRun(run.Hand, "", 12)
	l.browse(8)
	for range 6 {
		l.talk("", nil)
	}
	l.react(10)
	l.orderBoard()
	l.browse(4)
	l.orderFilm()
	l.react(4)
	l.digest()
	for range 3 {
		l.talk("", nil)
	}
	l.cardInTurn()
	l.closeCards()
	l.browse(3)
	l.note(2)
	if l.rng.IntN(3) == 0 {
		l.upload()
	}
}

// id is a fresh ULID of the moment.
func (l *life) id() domain.ID {
	var id ulid.ULID
	_ = id.SetTime(uint64(l.now.UnixMilli())) //nolint:gosec // after 1970
	for i := 6; i < len(id); i += 2 {
		n := l.rng.Uint32()
		id[i], id[i+1] = byte(n), byte(n>>8)
	}
	return domain.ID(id.String())
}

// pass lets time go by.
func (l *life) pass(least, most time.Duration) {
	l.now = l.now.Add(least + time.Duration(l.rng.Int64N(int64(most-least)+1)))
}

func (l *life) decide(by domain.Actor, decisions ...domain.Decision) {
	l.pass(50*time.Millisecond, time.Second)
	l.deeds = append(l.deeds, deed{key: l.key, at: l.now, actor: by, decisions: decisions})
}

func (l *life) record(by domain.Actor, facts ...domain.Fact) {
	l.pass(50*time.Millisecond, time.Second)
	l.deeds = append(l.deeds, deed{key: l.key, at: l.now, actor: by, facts: facts})
}

func (l *life) person() domain.Actor { return domain.User(pick(l.rng, l.people)) }

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// upload is a member's own video.
func (l *life) upload() {
	l.record(l.person(), library.AssetUploaded{Asset: l.id(), Title: l.text(20), File: "clip.mp4", Media: l.media(15)})
}

// tale tells the lives of agents without an end, in the order of time: agents take
// turns as they would in a log. What was told is let go.
func tale(agents int, tell func(l *life)) iter.Seq[deed] {
	return func(yield func(deed) bool) {
		start := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
		lives := make([]*life, agents)
		for i := range lives {
			lives[i] = newLife(uint64(i+1), start.Add(time.Duration(i)*time.Second)) //nolint:gosec // not negative
		}
		for {
			l := slices.MinFunc(lives, func(a, b *life) int { return a.deeds[0].at.Compare(b.deeds[0].at) })
			d := l.deeds[0]
			l.deeds[0] = deed{}
			if l.deeds = l.deeds[1:]; len(l.deeds) == 0 {
				l.deeds = nil
				tell(l)
			}
			if !yield(d) {
				return
			}
		}
	}
}

// chronicle is the beginning of the tale that has so many events.
func chronicle(agents, events int, tell func(l *life)) []deed {
	var all []deed
	told := 0
	for d := range tale(agents, tell) {
		if told >= events {
			break
		}
		told += len(d.decisions) + len(d.facts)
		all = append(all, d)
	}
	return all
}

// export turns deeds into events as an export of a log would hold them.
func export(deeds []deed) ([]streams.Stored, error) {
	enc := newEncoder()
	var all []streams.Stored
	for n, d := range deeds {
		command := "bench/" + strconv.Itoa(n)
		for i, e := range d.events() {
			r := domain.Recorded{Event: e, Meta: domain.Meta{
				ID:   domain.ID(ulid.MustNew(uint64(d.at.UnixMilli()), ulid.DefaultEntropy()).String()), //nolint:gosec // after 1970
				Type: e.EventType(), Version: 1, Key: d.key, Time: d.at.Add(time.Duration(i) * time.Microsecond),
				Actor: d.actor, Command: command,
			}}
			s, err := enc.stored(r)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// each yields events as Import takes them.
func each(events []streams.Stored) func(yield func(streams.Stored, error) bool) {
	return func(yield func(streams.Stored, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}
