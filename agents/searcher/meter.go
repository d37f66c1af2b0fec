package searcher

import (
	"cmp"
	"context"
	"sync"

	"sozai/agents"
	"sozai/agents/effect"
	"sozai/domain"
)

// Metered is a ledger that tells a run what the calls made for it cost. What was
// remembered costs nothing.
type Metered struct{ effect.Ledger }

type billKey struct{}

// Once implements effect.Ledger.
func (m Metered) Once(ctx context.Context, c effect.Call, do func(ctx context.Context) (effect.Done, error)) (effect.Done, bool, error) {
	d, again, err := m.Ledger.Once(ctx, c, do)
	if charge, ok := ctx.Value(billKey{}).(func(domain.Money)); ok && err == nil && !again {
		charge(d.Cost)
	}
	return d, again, err
}

// meter is a run's model that adds to each answer what sources and analyses have
// charged since the one before: that is how the loop counts it against its cap.
type meter struct {
	agents.Model
	most domain.Money // that a run may cost; below 0 = any

	mu         sync.Mutex
	words      domain.Money // what the model's answers cost by themselves
	tokens     float64
	outside    domain.Money // what was charged elsewhere
	pending    domain.Money // of that, not yet on an answer
	carried    domain.Money // of that, on the answer that is played now
	unrecorded domain.Money // of that, not yet in a recorded round
}

func newMeter(m agents.Model, most domain.Money) *meter {
	return &meter{Model: m, most: cmp.Or(most, domain.MaxRunCost)}
}

// billed is a context whose charges are the run's.
func (m *meter) billed(ctx context.Context) context.Context {
	return context.WithValue(ctx, billKey{}, m.charge)
}

func (m *meter) charge(cost domain.Money) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outside += cost
	m.pending += cost
	m.unrecorded += cost
}

// Stream implements agents.Model.
func (m *meter) Stream(ctx context.Context, req agents.Request, emit func(agents.Delta)) (agents.Response, error) {
	resp, err := m.Model.Stream(ctx, req, emit)
	if err != nil {
		return resp, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.words += resp.Cost
	m.tokens += resp.Usage.Billed()
	resp.Cost += m.pending
	m.carried += m.pending
	m.pending = 0
	return resp, nil
}

// Price is the model's own price of a usage, so that what sources charge is not
// taken for the price of its tokens.
func (m *meter) Price(u domain.Usage) domain.Money {
	if p, ok := m.Model.(interface {
		Price(domain.Usage) domain.Money
	}); ok {
		return p.Price(u)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tokens == 0 {
		return 0
	}
	return domain.Money(float64(m.words) / m.tokens * u.Billed())
}

// round is the cost of a round that has ended: what its answer cost, as the loop
// has it, and what its calls were charged.
func (m *meter) round(cost domain.Money) domain.Money {
	m.mu.Lock()
	defer m.mu.Unlock()
	cost += m.unrecorded - m.carried
	m.unrecorded, m.carried = 0, 0
	return cost
}

// rest is what was charged after the last answer.
func (m *meter) rest() domain.Money {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pending
}

// spent is what was charged outside.
func (m *meter) spent() domain.Money {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.outside
}

// over says that nothing more may be charged in this run.
func (m *meter) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.most > 0 && m.words+m.outside >= m.most
}
