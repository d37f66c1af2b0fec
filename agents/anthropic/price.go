package anthropic

import (
	"math"
	"regexp"
	"strings"

	"sozai/domain"
)

// Price is in USD per million tokens.
type Price struct {
	Input      float64
	CacheWrite float64 // entries that live five minutes
	CacheRead  float64
	Output     float64
}

func (p Price) valid() bool {
	return p.Input > 0 && p.Output > 0 && p.CacheRead >= 0 && p.CacheWrite >= 0
}

// cost rounds up to a whole micro-yuan: USD per million tokens times tokens is
// micro-USD.
func (p Price) cost(u domain.Usage, yuanPerUSD float64) domain.Money {
	usd := p.Input*float64(u.Input) + p.CacheWrite*float64(u.CacheWrite) +
		p.CacheRead*float64(u.CacheRead) + p.Output*float64(u.Output)
	return domain.Money(math.Ceil(usd*yuanPerUSD - 1e-6))
}

// lookUp finds a model by its name or its plain name.
func lookUp(prices map[string]Price, model string) (Price, bool) {
	p, ok := prices[model]
	if !ok {
		p, ok = prices[PlainName(model)]
	}
	return p, ok
}

// DefaultPrices are list prices by plain model name, to be overridden by
// configuration where an endpoint charges otherwise. A model that is not among
// them needs a configured price.
func DefaultPrices() map[string]Price {
	return map[string]Price{
		"claude-opus-4":     listPrice(15, 75),
		"claude-opus-4-1":   listPrice(15, 75),
		"claude-opus-4-5":   listPrice(5, 25),
		"claude-opus-4-6":   listPrice(5, 25),
		"claude-opus-4-7":   listPrice(5, 25),
		"claude-opus-4-8":   listPrice(5, 25),
		"claude-opus-5":     listPrice(5, 25),
		"claude-sonnet-4":   listPrice(3, 15),
		"claude-sonnet-4-5": listPrice(3, 15),
		"claude-sonnet-4-6": listPrice(3, 15),
		"claude-sonnet-5":   listPrice(3, 15),
		"claude-fable-5":    listPrice(10, 50),
		"claude-mythos-5":   listPrice(10, 50),
		"claude-haiku-4-5":  listPrice(1, 5),
		"claude-haiku-3-5":  listPrice(0.8, 4),
		"claude-3-5-haiku":  listPrice(0.8, 4),
	}
}

// listPrice derives the cache prices as the vendor does.
func listPrice(input, output float64) Price {
	return Price{Input: input, CacheWrite: 1.25 * input, CacheRead: 0.1 * input, Output: output}
}

var dated = regexp.MustCompile(`-(\d{8}|latest)$`)

// PlainName is a model's name without the gateway's provider prefix and routing
// suffix and without the date of a snapshot: anthropic/claude-sonnet-4.5:anthropic
// and claude-sonnet-4-5-20250929 are claude-sonnet-4-5.
func PlainName(model string) string {
	_, name, found := strings.Cut(model, "/")
	if !found {
		name = model
	}
	name, _, _ = strings.Cut(name, ":")
	return dated.ReplaceAllString(strings.ReplaceAll(name, ".", "-"), "")
}
