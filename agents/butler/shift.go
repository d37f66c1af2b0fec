package butler

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// errFenced ends a shift whose attempt is not the live one any more.
var errFenced = domain.Rule(domain.Conflict, "stale_attempt", "this attempt is over; nothing was done")

// shift is one attempt of a turn (chat) or run (digest). Exactly one of turn and
// run is set. Tools of a round execute at the same time: mu guards what follows it.
type shift struct {
	env     Env
	key     domain.Key
	turn    domain.ID
	run     domain.ID
	attempt int
	started uint64 // sequence of the attempt's start: reads see at least that
	gate    *gate
	names   map[domain.ID]string
	people  []said // what people said, the newest last

	mu       sync.Mutex
	seq      uint64                // of the last event this shift appended
	base     int                   // the gene version the model has read
	viewed   map[domain.Ref]bool   // objects looked at, without panel and time range
	full     map[int]int           // full views by round
	outside  []string              // texts from outside that the model has seen
	known    map[domain.ID]citable // feedback that may be cited
	words    []string              // of that feedback: people's own
	orders   []run.OrderCard       // earlier attempts' orders that were not met again yet
	card     domain.ID             // the card of this attempt
	analyses int                   // videos analysed by this shift
}

func newShift(env Env, key domain.Key) *shift {
	return &shift{
		env: env, key: key, names: map[domain.ID]string{},
		viewed: map[domain.Ref]bool{}, full: map[int]int{}, known: map[domain.ID]citable{},
	}
}

// said is a message of a person that the model can see.
type said struct {
	message domain.ID
	by      domain.ID
	text    string
	open    bool // it waits for this turn's answer
}

// citable is what a citation needs to know about a piece of feedback.
type citable struct {
	object domain.Ref
	strong bool
}

// id is the turn or run.
func (s *shift) id() domain.ID { return s.turn + s.run }

// actor is the butler on this shift.
func (s *shift) actor() domain.Actor { return domain.Butler(s.id()) }

// command is an idempotency key: one for each call of each attempt.
func (s *shift) command(part string) string {
	return fmt.Sprintf("%s/%d/%s", s.id(), s.attempt, part)
}

// derive makes an object's id from the shift and a name: the same thing done
// again by a later attempt is the same object.
func (s *shift) derive(name string) domain.ID {
	return deriveID(s.id(), name)
}

func deriveID(parent domain.ID, name string) domain.ID {
	sum := sha256.Sum256([]byte(string(parent) + "\x00" + name))
	var id ulid.ULID
	copy(id[:], sum[:16])
	_ = id.SetTime(uint64(max(parent.Time().UnixMilli(), 0))) // a ULID's own time fits into one
	return domain.ID(id.String())
}

// The wall clock of one shift, beside the product's limits of a loop: people wait
// for an answer, and the next message waits for a digest.
const (
	softLimit = 4 * time.Minute
	hardLimit = 6 * time.Minute
)

func (s *shift) caps() agents.Caps {
	c := s.env.Caps
	if c.Soft == 0 {
		c.Soft = softLimit
	}
	if c.Hard == 0 {
		c.Hard = hardLimit
	}
	return c
}

// check refuses when the attempt is not the live one; to be called inside a
// decision, where nothing can come between.
func (s *shift) check(st *streams.State) error {
	if s.turn != "" {
		if t := st.Turn.Current; t == nil || t.ID != s.turn || !t.Live || t.Attempt != s.attempt || t.Stop {
			return errFenced
		}
		return nil
	}
	if r := st.Run.Runs[s.run]; r == nil || r.Finished != nil || !r.Live || r.Attempt != s.attempt || r.Cancel != "" {
		return errFenced
	}
	return nil
}

// decide appends under the fence, as the butler.
func (s *shift) decide(ctx context.Context, call string, decide func(st *streams.State, now time.Time) ([]domain.Decision, error)) (streams.Result, error) {
	result, err := s.env.Log.Decide(ctx, s.key, streams.Command{ID: s.command(call), Actor: s.actor()},
		func(st *streams.State, now time.Time) ([]domain.Decision, error) {
			if err := s.check(st); err != nil {
				return nil, err
			}
			return decide(st, now)
		})
	if err == nil && len(result.Events) > 0 {
		s.appended(result.Seq)
	}
	return result, err
}

// record appends facts as the butler. The fence is asked first; a fact of a
// stale attempt that slips through is told by its attempt or its own id.
func (s *shift) record(ctx context.Context, call string, facts ...domain.Fact) error {
	if err := s.env.Log.View(ctx, s.key, s.check); err != nil {
		return err
	}
	events, err := s.env.Log.Record(ctx, s.key, streams.Command{ID: s.command(call), Actor: s.actor()}, facts...)
	if err == nil && len(events) > 0 {
		s.appended(events[len(events)-1].Seq)
	}
	return err
}

func (s *shift) appended(seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq = max(s.seq, seq)
}

// fresh waits until projections show all that this shift has to see: its own
// start and what it appended.
func (s *shift) fresh(ctx context.Context, projection ...string) error {
	s.mu.Lock()
	seq := max(s.started, s.seq)
	s.mu.Unlock()
	return s.env.Store.Wait(ctx, seq, projection...)
}

// name is how a person is called in the room.
func (s *shift) name(id domain.ID) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.names[id]; n != "" {
		return n
	}
	return string(id)
}

// learn resolves the names of people who were not in the room.
func (s *shift) learn(ctx context.Context, people []domain.ID) error {
	if len(people) == 0 {
		return nil
	}
	names, err := s.env.names(ctx, people)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, name := range names {
		s.names[id] = name
	}
	return nil
}

// nameOf is how an actor is called.
func (s *shift) nameOf(a domain.Actor) string {
	switch {
	case a.IsPerson():
		return s.name(a.ID())
	case a.IsButler():
		return "butler"
	}
	return "system"
}

// bare is a reference to the object as a whole.
func bare(r domain.Ref) domain.Ref { return domain.Ref{Type: r.Type, ID: r.ID} }

// see remembers that an object was looked at.
func (s *shift) see(r domain.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewed[bare(r)] = true
}

// unseen lists those of the objects that nobody has looked at in this
// conversation. The whole needs no look; cards, orders and runs neither.
func (s *shift) unseen(refs []domain.Ref) []domain.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []domain.Ref
	for _, r := range refs {
		switch r.Type {
		case domain.Material, domain.Board, domain.Film, domain.Asset:
			if b := bare(r); !s.viewed[b] && !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
	}
	return out
}

// predecessors is what earlier attempts of the same turn or run have proposed.
type predecessors struct {
	cards    []gene.Card
	orders   []run.OrderCard
	feedback []projections.FeedbackItem
}

func (p predecessors) empty() bool { return len(p.cards)+len(p.orders)+len(p.feedback) == 0 }

// earlier reads what earlier attempts left.
func (s *shift) earlier(ctx context.Context) (predecessors, error) {
	var p predecessors
	if s.attempt <= 1 {
		return p, nil
	}
	err := s.env.Log.View(ctx, s.key, func(st *streams.State) error {
		for _, c := range st.Gene.Cards {
			if c.Turn+c.Run == s.id() {
				p.cards = append(p.cards, *c)
			}
		}
		for _, o := range st.Run.Orders {
			if s.turn != "" && o.Turn == s.turn {
				p.orders = append(p.orders, *o)
			}
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	slices.SortFunc(p.cards, func(a, b gene.Card) int { return cmp.Compare(a.Seq, b.Seq) })
	slices.SortFunc(p.orders, func(a, b run.OrderCard) int { return cmp.Compare(a.Seq, b.Seq) })
	s.orders = slices.Clone(p.orders)
	if s.turn == "" {
		return p, nil
	}
	if err := s.fresh(ctx, "feedback"); err != nil {
		return p, err
	}
	p.feedback, err = s.env.Store.Feedback(ctx, s.key, projections.FeedbackFilter{Turn: s.turn, Limit: 500})
	for _, f := range p.feedback {
		s.known[f.Feedback] = citable{object: f.Object, strong: f.Strong}
	}
	return p, err
}

// object turns a tool's result into its output.
func object(v any, about, fold string) (agents.Output, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return agents.Output{}, fmt.Errorf("tool result: %w", err)
	}
	return agents.Output{Text: string(raw), Object: about, Fold: fold}, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
