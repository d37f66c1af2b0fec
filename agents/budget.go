package agents

import (
	"fmt"
	"strings"

	"sozai/domain"
	"sozai/domain/run"
)

const (
	minOutput  = 512 // an answer shorter than this is not worth its request
	nearShare  = 0.8 // of a cap: from here the model is told to end
	nearRounds = 3   // rounds left
)

// budget counts what a run has used. Where the provider does not say, an
// estimate counts against the caps (it never enters the record).
type budget struct {
	caps   Caps
	price  func(domain.Usage) domain.Money // nil = judged by the rounds so far
	tokens float64
	cost   domain.Money
	cached int // prompt tokens that the provider holds in its cache
}

// newBudget uses the model's own price table if it has one.
func newBudget(caps Caps, m Model) budget {
	b := budget{caps: caps}
	if p, ok := m.(interface {
		Price(domain.Usage) domain.Money
	}); ok {
		b.price = p.Price
	}
	return b
}

func (b *budget) spend(resp Response, estimate domain.Usage) {
	if resp.Usage.Known {
		b.tokens += resp.Usage.Billed()
		b.cost += resp.Cost
		return
	}
	b.tokens += estimate.Billed()
	b.cost += b.charge(estimate)
}

func (b *budget) charge(u domain.Usage) domain.Money {
	switch {
	case b.price != nil:
		return b.price(u)
	case b.tokens > 0:
		return domain.Money(float64(b.cost) / b.tokens * u.Billed())
	}
	return 0
}

// observe remembers how much of the last prompt is cached now.
func (b *budget) observe(u domain.Usage) {
	b.cached = 0
	if u.Known && u.CacheRead+u.CacheWrite > 0 {
		b.cached = u.CacheRead + u.CacheWrite
	}
}

// cold says that the cached prefix is lost.
func (b *budget) cold() { b.cached = 0 }

// forecast estimates what the next request will use at least.
func (b *budget) forecast(a *Assembler) domain.Usage {
	all := a.Tokens()
	read := min(b.cached, all)
	u := domain.Usage{Known: true, CacheRead: read, Output: minOutput}
	if read > 0 {
		u.CacheWrite = all - read
	} else {
		u.Input = all
	}
	return u
}

// output is how many tokens the model may write so that no cap is passed.
func (b *budget) output(most int, next domain.Usage) int {
	left := float64(b.caps.Tokens) - b.tokens - next.Billed()
	most = min(most, max(int(left), 0)+minOutput)
	if unit := b.charge(domain.Usage{Output: 1000}); unit > 0 && b.caps.Cost > 0 {
		rest := b.caps.Cost - b.cost - b.charge(next)
		most = min(most, max(int(rest*1000/unit), 0)+minOutput)
	}
	return most
}

// over is the cap that forbids another request, if any.
func (s *session) over() run.Reason {
	next := s.budget.forecast(s.asm)
	switch c := s.caps; {
	case s.result.Rounds >= c.Rounds:
		return run.ReasonRounds
	case s.budget.tokens+next.Billed() > float64(c.Tokens):
		return run.ReasonTokens
	case c.Cost > 0 && s.budget.cost+s.budget.charge(next) > c.Cost:
		return run.ReasonCost
	case s.result.Folds >= c.Folds && s.asm.Tokens() >= 2*c.FoldAt-c.FoldTo:
		return run.ReasonTokens
	}
	return ""
}

// near names the cap that is close, "" if none is.
func (s *session) near() string {
	next := s.budget.forecast(s.asm)
	c, spent := s.caps, s.Now().Sub(s.started)
	switch {
	case c.Rounds-s.result.Rounds <= nearRounds:
		return fmt.Sprintf("%d rounds are left", c.Rounds-s.result.Rounds)
	case s.budget.tokens >= nearShare*float64(c.Tokens), s.budget.tokens+3*next.Billed() >= float64(c.Tokens):
		return "the token budget is nearly used up"
	case c.Cost > 0 && (float64(s.budget.cost) >= nearShare*float64(c.Cost) || s.budget.cost+3*s.budget.charge(next) >= c.Cost):
		return "the cost limit is near"
	case c.Soft > 0 && spent >= c.Soft, c.Hard > 0 && float64(spent) >= nearShare*float64(c.Hard):
		return "the time for this is nearly over"
	case s.result.Folds >= c.Folds && s.asm.Tokens() >= c.FoldAt:
		return "the context is full"
	}
	return ""
}

func (s *session) finishNow(why string) string {
	if len(s.finish) == 0 {
		return "[loop] " + upper(why) + ". Start nothing new; answer the people now with what is known."
	}
	return "[loop] " + upper(why) + ". Start nothing new; keep what is worth keeping and end now with " + s.finishers() + ", saying why."
}

func (s *session) finishers() string { return strings.Join(s.finish, " or ") }

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
