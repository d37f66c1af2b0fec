package web

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/projections"
)

// pastLife is how long a look at the past stays after it was last used: whoever
// reads one page of it mostly reads the next.
const pastLife = time.Minute

var errAsOf = domain.Rule(domain.Invalid, "as_of", "as_of is a gene version (V5), a sequence, or a time (RFC 3339)")

// AsOf is embedded in queries that can be asked of the past.
type AsOf struct {
	AsOf string `query:"as_of" doc:"As it was when a gene version (V5) was made, after a sequence, or at a time (RFC 3339)"`
}

// pasts keeps the looks at the past that are in use.
type pasts struct {
	mu   sync.Mutex
	list map[pastKey]*past
}

type pastKey struct {
	key  domain.Key
	seq  uint64
	name string
}

type past struct {
	ready   chan struct{} // closed when the rest is set
	view    *projections.Store
	err     error
	release func()
	users   int
	idle    int // how often the last user went
}

// at gives the store to ask for one projection of the request's agent: the
// serving one, or as as_of says, and then up to which sequence. done must be
// called after the last question.
func (s *Server) at(ctx context.Context, r *request, asOf, name string) (view *projections.Store, seq uint64, done func(), err error) {
	if asOf == "" {
		return s.deps.Store, 0, func() {}, nil
	}
	if seq, err = s.seqOf(ctx, r.key, asOf); err != nil {
		return nil, 0, nil, err
	}
	key := pastKey{r.key, seq, name}
	p := s.enterPast(key)
	leave := func() { s.leavePast(key, p) }
	select {
	case <-p.ready:
	case <-ctx.Done():
		leave()
		return nil, 0, nil, ctx.Err()
	}
	if p.err != nil {
		leave()
		return nil, 0, nil, p.err
	}
	return p.view, seq, leave, nil
}

// moment is what as_of means: one of a gene version, a sequence and a time.
type moment struct {
	version int
	seq     uint64
	at      time.Time
}

func parseMoment(asOf string) (moment, error) {
	if strings.HasPrefix(asOf, "V") || strings.HasPrefix(asOf, "v") {
		n, err := versionOf(asOf[1:])
		return moment{version: n}, err
	}
	if seq, err := strconv.ParseUint(asOf, 10, 63); err == nil {
		return moment{seq: seq}, nil
	}
	at, err := time.Parse(time.RFC3339, asOf)
	if err != nil {
		return moment{}, errAsOf
	}
	return moment{at: at}, nil
}

// seqOf finds the event that as_of means.
func (s *Server) seqOf(ctx context.Context, key domain.Key, asOf string) (uint64, error) {
	m, err := parseMoment(asOf)
	switch {
	case err != nil:
		return 0, err
	case m.version > 0:
		v, err := s.deps.Store.GeneVersion(ctx, key, m.version)
		if domain.CodeOf(err) == domain.NotFound {
			return 0, gene.ErrNoVersion
		}
		return v.Seq, err
	case m.at.IsZero():
		return m.seq, nil
	}
	seq, err := s.deps.Log.SeqAt(ctx, m.at)
	if err == nil && seq == 0 {
		err = projections.ErrNoAgentYet
	}
	return seq, err
}

func (s *Server) enterPast(key pastKey) *past {
	s.pasts.mu.Lock()
	defer s.pasts.mu.Unlock()
	p := s.pasts.list[key]
	if p != nil {
		p.users++
		return p
	}
	p = &past{ready: make(chan struct{}), users: 1}
	if s.pasts.list == nil {
		s.pasts.list = map[pastKey]*past{}
	}
	s.pasts.list[key] = p
	// Others may wait for it too: it does not end with the request that was first.
	go func() {
		defer close(p.ready)
		ctx, cancel := context.WithTimeout(s.ctx, requestTimeout)
		defer cancel()
		p.view, p.release, p.err = s.runner.AsOf(ctx, key.key, key.seq, key.name)
	}()
	return p
}

// leavePast keeps a look at the past for a while after the last user, a failed one
// not at all.
func (s *Server) leavePast(key pastKey, p *past) {
	s.pasts.mu.Lock()
	defer s.pasts.mu.Unlock()
	if p.users--; p.users > 0 {
		return
	}
	select {
	case <-p.ready:
		if p.err != nil {
			if s.pasts.list[key] == p {
				delete(s.pasts.list, key)
			}
			return
		}
	default: // everybody went while it was being made
	}
	p.idle++
	idle := p.idle
	time.AfterFunc(pastLife, func() { s.dropPast(key, p, idle) })
}

// dropPast drops what nobody has used since it was left for the idle-th time.
func (s *Server) dropPast(key pastKey, p *past, idle int) {
	s.pasts.mu.Lock()
	due := s.pasts.list[key] == p && p.users == 0 && p.idle == idle
	if due {
		delete(s.pasts.list, key)
	}
	s.pasts.mu.Unlock()
	if due {
		p.drop()
	}
}

// dropPasts is for the end of the server.
func (s *Server) dropPasts() {
	s.pasts.mu.Lock()
	list := s.pasts.list
	s.pasts.list = nil
	s.pasts.mu.Unlock()
	for _, p := range list {
		p.drop()
	}
}

func (p *past) drop() {
	<-p.ready
	if p.err == nil {
		p.release()
	}
}
