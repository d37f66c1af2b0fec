package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"sozai/domain"
	"sozai/domain/turn"
	"sozai/streams"
)

// The tempo of a room.
const (
	liveBuffer    = 1024             // live frames that may wait; more are lost, and asked for
	presenceEvery = 10 * time.Second // other gateways hear of our people this often
	presenceLife  = 25 * time.Second // and forget them after this
	typingLife    = 6 * time.Second  // of one sign of typing
	askTimeout    = 2 * time.Second
	pace          = 5 * time.Microsecond // a socket, between two rounds of messages,
	paceMost      = 8 * time.Millisecond // but no more
	feedTries     = 5                    // of reading a batch back, each up to the store's own wait
)

// room is one agent's room on this gateway. Its goroutine alone knows the
// sockets, the answer and the presence; a second one, the pump, reads rows back,
// so that a slow database never holds up the words of an answer.
type room struct {
	rs     *rooms
	s      *Server
	key    domain.Key
	ctx    context.Context
	cancel context.CancelFunc
	users  int // sockets that entered and did not leave; under rooms.mu

	joining chan joinRequest
	leaving chan *socket
	typing  chan *socket
	live    chan liveFrame
	asked   chan soFar
	batches chan []domain.Recorded
	updates chan pumped
	done    chan struct{}
	endCode int // for sockets that find the room done; set before done closes

	sockets  map[*socket]struct{}
	last     *note // what was broadcast last,
	told     *note // and what the sockets were told of
	toldAt   time.Time
	round    *time.Timer // runs while it is too early for the next round
	feed     feed
	taken    uint64 // events up to here were taken in
	sent     uint64 // frames up to here went to the sockets
	status   roomStatus
	answer   answer
	asking   bool
	waiting  []domain.Recorded // events for the pump
	pumping  bool
	presence presenceBook
}

type liveFrame struct {
	name string
	body []byte
}

type joinRequest struct {
	sk    *socket
	reply chan joined
}

// joined is where a room stands as a socket comes in: frames beyond sent follow.
type joined struct {
	sent   uint64
	status roomStatus
	answer [][]byte
	people []presence
}

type pumped struct {
	update update
	err    error
}

func newRoom(rs *rooms, key domain.Key) *room {
	ctx, cancel := context.WithCancel(rs.s.ctx)
	first := &note{}
	return &room{
		last: first, told: first, round: time.NewTimer(time.Hour),
		rs: rs, s: rs.s, key: key, ctx: ctx, cancel: cancel,
		joining: make(chan joinRequest), leaving: make(chan *socket), typing: make(chan *socket),
		live: make(chan liveFrame, liveBuffer), asked: make(chan soFar, 1),
		batches: make(chan []domain.Recorded, 1), updates: make(chan pumped, 1), done: make(chan struct{}),
		sockets: map[*socket]struct{}{}, presence: newPresenceBook(rs.gateway),
	}
}

func (rm *room) over() bool {
	select {
	case <-rm.done:
		return true
	default:
		return rm.ctx.Err() != nil
	}
}

// run lives until the last socket has left, the server shuts down, or the room
// cannot be read.
func (rm *room) run() {
	rm.endCode = closeBehind
	defer func() {
		rm.cancel()
		if rm.s.ctx.Err() != nil {
			rm.endCode = closeGoingAway
		}
		for sk := range rm.sockets {
			sk.close(rm.endCode)
		}
		rm.presence.leave(rm.s.deps.Live, rm.key)
		close(rm.done)
	}()
	// Registered before anything is read, so that nothing falls in between.
	watch := rm.s.deps.Hub.Watch(rm.key)
	defer func() { watch.Close() }()
	unsubscribe, err := rm.s.deps.Live.Subscribe(rm.key, func(name string, body []byte) {
		select {
		case rm.live <- liveFrame{name, slices.Clone(body)}:
		default: // the hole is noticed by its offset
		}
	})
	if err != nil {
		rm.report("watch the room's live frames", err)
		return
	}
	defer unsubscribe()
	rm.taken, rm.sent = watch.After, watch.After
	rm.feed = feed{s: rm.s, key: rm.key, sent: watch.After}
	if rm.status, err = rm.feed.open(rm.ctx, &rm.answer); err != nil {
		rm.report("open the room", err)
		return
	}
	if rm.answer.turn != "" {
		rm.ask()
	}
	go rm.pump()
	rm.loop(&watch)
}

func (rm *room) loop(watch **streams.Watch) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	rm.round.Stop()
	defer rm.round.Stop()
	for {
		select {
		case <-rm.ctx.Done():
			return
		case events, ok := <-(*watch).C:
			if !ok {
				if events, ok = rm.rewatch(watch); !ok {
					return
				}
			}
			rm.take(events)
		case p := <-rm.updates:
			rm.pumping = false
			if p.err != nil {
				rm.report("read the room's rows", p.err)
				return
			}
			rm.publish(p.update)
			rm.kick()
		case f := <-rm.live:
			rm.hear(f)
			for range min(len(rm.live), joinFrames) {
				rm.hear(<-rm.live)
			}
		case s := <-rm.asked:
			rm.asking = false
			rm.send(rm.answer.catchUp(s))
		case <-rm.round.C:
		case j := <-rm.joining:
			rm.sockets[j.sk] = struct{}{}
			j.sk.joins(rm.last, time.Now())
			rm.presence.set(j.sk)
			j.reply <- joined{sent: rm.sent, status: rm.status, answer: rm.answer.soFar(), people: rm.presence.people(time.Now())}
			rm.tellPresence()
		case sk := <-rm.leaving:
			delete(rm.sockets, sk)
			rm.presence.remove(sk)
			rm.tellPresence()
		case sk := <-rm.typing:
			rm.presence.typed(sk, time.Now().Add(typingLife))
			rm.tellPresence()
		case now := <-tick.C:
			if rm.presence.due(now) {
				rm.tellPresence()
			}
			for sk := range rm.sockets {
				sk.tick(rm.s, now)
			}
		}
		rm.tell(time.Now())
	}
}

// take notes at once which attempt is live, and queues events for the pump.
func (rm *room) take(events []domain.Recorded) {
	for len(events) > 0 && events[0].Seq <= rm.taken {
		events = events[1:]
	}
	for _, e := range events {
		rm.taken = e.Seq
		switch v := e.Event.(type) {
		case turn.Started:
			rm.answer.begin(v.Turn, v.Attempt)
		case turn.Finished:
			rm.answer.end(v.Turn)
		}
	}
	rm.waiting = append(rm.waiting, events...)
	rm.kick()
}

func (rm *room) kick() {
	if rm.pumping || len(rm.waiting) == 0 {
		return
	}
	rm.pumping = true
	rm.batches <- rm.waiting
	rm.waiting = nil
}

// pump reads batches back, one at a time.
func (rm *room) pump() {
	for {
		select {
		case <-rm.ctx.Done():
			return
		case events := <-rm.batches:
			var p pumped
			for range feedTries {
				p.update, p.err = rm.feed.turnOver(rm.ctx, events)
				if p.err == nil || rm.ctx.Err() != nil {
					break
				}
			}
			rm.updates <- p
		}
	}
}

// publish sends an update's frames to every socket.
func (rm *room) publish(u update) {
	for _, f := range u.frames {
		rm.broadcast(f.data)
	}
	rm.sent = u.upto
	if !reflect.DeepEqual(u.status, rm.status) {
		rm.status = u.status
		rm.broadcast(encode(statusFrame{Type: frameStatus, Seq: u.upto, Status: u.status}))
	}
	if u.members {
		for sk := range rm.sockets {
			go sk.recheck(rm.s)
		}
	}
}

// broadcast adds a frame to what the sockets get.
func (rm *room) broadcast(data []byte) { rm.last = rm.last.add(data) }

// tell wakes the sockets if there is something new for them. The next round waits
// about as long as this one takes, so that the frames of a busy room go out joined
// instead of one by one; in a room of few people that is no time at all.
func (rm *room) tell(now time.Time) {
	if rm.last == rm.told {
		return
	}
	if early := rm.toldAt.Add(min(pace*time.Duration(len(rm.sockets)), paceMost)).Sub(now); early > 0 {
		rm.round.Reset(early)
		return
	}
	for sk := range rm.sockets {
		sk.reach(rm.last)
	}
	rm.told, rm.toldAt = rm.last, now
}

// rewatch begins a new watch after the old one was cut off for being too slow,
// and reads what fell in between from the log.
func (rm *room) rewatch(watch **streams.Watch) ([]domain.Recorded, bool) {
	if !(*watch).Lagged() {
		return nil, false // the hub stopped
	}
	*watch = rm.s.deps.Hub.Watch(rm.key)
	if (*watch).After <= rm.taken {
		return nil, true
	}
	var missed []domain.Recorded
	err := rm.s.deps.Log.Read(rm.ctx, rm.taken, (*watch).After, rm.key, nil, func(events []domain.Recorded) error {
		missed = append(missed, events...)
		return nil
	})
	if err != nil {
		rm.report("read what the room missed", err)
		return nil, false
	}
	return missed, true
}

// hear takes a live frame in and passes on what belongs to the live answer.
func (rm *room) hear(f liveFrame) {
	switch f.name {
	case frameDelta:
		var d deltaFrame
		if json.Unmarshal(f.body, &d) != nil || !rm.answer.accepts(d.Turn, d.Attempt) {
			return
		}
		fresh, hole := rm.answer.add(d)
		if hole {
			rm.ask()
		}
		rm.send(fresh)
	case frameTool:
		var t toolFrame
		if json.Unmarshal(f.body, &t) == nil && rm.answer.accepts(t.Turn, t.Attempt) {
			rm.broadcast(encode(rm.answer.tool(t)))
		}
	case frameNote, frameDoing:
		var body map[string]any
		var at struct {
			Turn    domain.ID `json:"turn"`
			Attempt int       `json:"attempt"`
		}
		if json.Unmarshal(f.body, &at) != nil || json.Unmarshal(f.body, &body) != nil || !rm.answer.accepts(at.Turn, at.Attempt) {
			return
		}
		body["type"] = f.name
		rm.broadcast(encode(body))
	case presenceLiveFrame:
		if rm.presence.heard(f.body, time.Now()) {
			rm.broadcast(encode(presenceFrame{Type: framePresence, People: rm.presence.people(time.Now())}))
		}
	}
}

func (rm *room) send(d deltaFrame) {
	if d.Text != "" {
		rm.broadcast(encode(d))
	}
}

// ask gets the text so far from the turn's worker, once at a time.
func (rm *room) ask() {
	if rm.asking {
		return
	}
	rm.asking = true
	go func() {
		ctx, cancel := context.WithTimeout(rm.ctx, askTimeout)
		defer cancel()
		var s soFar
		// NotFound: nobody writes any more, and the finished answer is on its way.
		if err := rm.s.deps.Live.Ask(ctx, rm.key, &s); err != nil && domain.CodeOf(err) != domain.NotFound {
			rm.report("ask for the answer so far", err)
		}
		select {
		case rm.asked <- s:
		case <-rm.ctx.Done():
		}
	}()
}

// tellPresence tells the other gateways and our own sockets who is here.
func (rm *room) tellPresence() {
	now := time.Now()
	rm.presence.publish(rm.s.deps.Live, rm.key, now)
	if people, changed := rm.presence.changed(now); changed {
		rm.broadcast(encode(presenceFrame{Type: framePresence, People: people}))
	}
}

func (rm *room) report(what string, err error) {
	if rm.ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return
	}
	rm.s.deps.Logger.LogAttrs(rm.ctx, slog.LevelWarn, "room", slog.String("agent", string(rm.key.Agent)),
		slog.String("doing", what), slog.Any("error", err))
}
