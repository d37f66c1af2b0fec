package work

import (
	"encoding/json"
	"sync"
	"time"

	"sozai/domain"
	"sozai/streams"
)

const (
	// framePresence is the live frame in which a gateway says who is with it in a
	// room: when that changes, and every ten seconds as long as anybody is.
	framePresence = "presence"
	// presenceLife is how long that is believed.
	presenceLife = 25 * time.Second
)

// people remembers when somebody was last known to be in each room. Nothing of
// it is stored: a process that has just begun to listen knows of everybody after
// one presenceLife.
type people struct {
	mu    sync.Mutex
	since time.Time // it has listened; zero: it has not
	seen  map[domain.Key]time.Time
}

// watch listens until leave is called.
func (p *people) watch(live *streams.Live) (leave func(), err error) {
	leave, err = live.SubscribeFrame(framePresence, func(key domain.Key, body []byte) {
		p.heard(key, body, time.Now())
	})
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since, p.seen = time.Now(), map[domain.Key]time.Time{}
	return leave, nil
}

func (p *people) heard(key domain.Key, body []byte, now time.Time) {
	var frame struct {
		People []json.RawMessage `json:"people"`
	}
	if json.Unmarshal(body, &frame) != nil || len(frame.People) == 0 {
		return // a gateway that lost its last person: another may have some
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen != nil {
		p.seen[key] = now
	}
}

// nobody says that no gateway has told of anybody in the room for long enough.
func (p *people) nobody(key domain.Key, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() || now.Sub(p.since) < presenceLife {
		return false
	}
	last, known := p.seen[key]
	if known && now.Sub(last) < presenceLife {
		return false
	}
	delete(p.seen, key)
	return true
}
