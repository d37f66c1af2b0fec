package web

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"sozai/domain"
	"sozai/streams"
)

// presenceBook is who is in a room: our own sockets, and what other gateways said
// last of theirs.
type presenceBook struct {
	gateway string
	own     map[*socket]time.Time // typing until; zero: not
	others  map[string]gatewayPresence
	told    []presence // what our sockets know
	next    time.Time  // when the other gateways must hear again
}

// gatewayPresence is the live frame in which a gateway says who is with it.
type gatewayPresence struct {
	Gateway string     `json:"gateway"`
	People  []presence `json:"people"`
	heard   time.Time
}

func newPresenceBook(gateway string) presenceBook {
	return presenceBook{gateway: gateway, own: map[*socket]time.Time{}, others: map[string]gatewayPresence{}}
}

func (b *presenceBook) set(sk *socket)    { b.own[sk] = time.Time{} }
func (b *presenceBook) remove(sk *socket) { delete(b.own, sk) }

func (b *presenceBook) typed(sk *socket, until time.Time) {
	if _, here := b.own[sk]; !here {
		return
	}
	if !sk.isTyping.Load() {
		until = time.Time{}
	}
	b.own[sk] = until
}

func (b *presenceBook) mine(now time.Time) []presence {
	var list []presence
	for sk, until := range b.own {
		list = append(list, presence{ID: sk.caller.User, Name: sk.caller.Name, Typing: now.Before(until)})
	}
	return merge(list)
}

// people is everybody, one entry a person.
func (b *presenceBook) people(now time.Time) []presence {
	list := b.mine(now)
	for _, g := range b.others {
		list = append(list, g.People...)
	}
	return merge(list)
}

func merge(list []presence) []presence {
	slices.SortFunc(list, func(x, y presence) int { return strings.Compare(string(x.ID), string(y.ID)) })
	merged := []presence{}
	for _, p := range list {
		if n := len(merged); n > 0 && merged[n-1].ID == p.ID {
			merged[n-1].Typing = merged[n-1].Typing || p.Typing
			continue
		}
		merged = append(merged, p)
	}
	return merged
}

// heard takes another gateway's word and says whether anything changed by it.
func (b *presenceBook) heard(body []byte, now time.Time) bool {
	var g gatewayPresence
	if json.Unmarshal(body, &g) != nil || g.Gateway == b.gateway || g.Gateway == "" {
		return false
	}
	g.heard = now
	if len(g.People) == 0 {
		delete(b.others, g.Gateway)
	} else {
		b.others[g.Gateway] = g
	}
	_, changed := b.changed(now)
	return changed
}

// changed compares with what our sockets know, and takes it as told.
func (b *presenceBook) changed(now time.Time) ([]presence, bool) {
	people := b.people(now)
	if reflect.DeepEqual(people, b.told) {
		return people, false
	}
	b.told = people
	return people, true
}

// due says whether time alone changed something: typing that ended, a gateway
// that fell silent, or our turn to speak.
func (b *presenceBook) due(now time.Time) bool {
	for name, g := range b.others {
		if now.Sub(g.heard) > presenceLife {
			delete(b.others, name)
		}
	}
	return !now.Before(b.next) || !reflect.DeepEqual(b.people(now), b.told)
}

// publish tells the other gateways. It is fire and forget: the next one heals.
func (b *presenceBook) publish(live *streams.Live, key domain.Key, now time.Time) {
	b.next = now.Add(presenceEvery)
	_ = live.Publish(key, presenceLiveFrame, gatewayPresence{Gateway: b.gateway, People: b.mine(now)})
}

func (b *presenceBook) leave(live *streams.Live, key domain.Key) {
	_ = live.Publish(key, presenceLiveFrame, gatewayPresence{Gateway: b.gateway, People: []presence{}})
}
