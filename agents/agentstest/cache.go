package agentstest

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"sozai/agents"
	"sozai/domain"
)

// lookBack is how many blocks before a breakpoint an earlier entry is found.
const lookBack = 20

// Cache is a provider's prompt cache in memory: keyed by the exact prefix, read
// and written at breakpoints only, found at most 20 blocks before one. It never
// forgets. Safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	entries map[[32]byte]bool
}

// Serve counts a request as the provider would, with estimated tokens, and
// remembers its prefixes. Output is not counted.
func (c *Cache) Serve(r agents.Request) domain.Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[[32]byte]bool{}
	}
	blocks := flatten(r)
	hit, last := -1, -1
	for i, b := range blocks {
		if !b.mark {
			continue
		}
		last = i
		for j := i; j >= max(0, i-lookBack); j-- {
			if c.entries[blocks[j].prefix] {
				hit = max(hit, j)
				break
			}
		}
	}
	u := domain.Usage{Known: true}
	for i, b := range blocks {
		switch {
		case i <= hit:
			u.CacheRead += b.tokens
		case i <= last:
			u.CacheWrite += b.tokens
		default:
			u.Input += b.tokens
		}
		if b.mark {
			c.entries[b.prefix] = true
		}
	}
	return u
}

// Prefixes are the hashes of a request's prefix at each of its breakpoints.
func Prefixes(r agents.Request) [][32]byte {
	var out [][32]byte
	for _, b := range flatten(r) {
		if b.mark {
			out = append(out, b.prefix)
		}
	}
	return out
}

type flatBlock struct {
	prefix [32]byte
	tokens int
	mark   bool
}

// flatten lists the blocks of a request in prefix order: tools, system, messages.
func flatten(r agents.Request) []flatBlock {
	var out []flatBlock
	var before [32]byte
	add := func(mark bool, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		before = sha256.Sum256(append(before[:], text...))
		out = append(out, flatBlock{prefix: before, tokens: agents.EstimateTokens(text), mark: mark})
	}
	for _, t := range r.Tools {
		add(false, "tool %s %s %s", t.Name, t.Description, t.Schema)
	}
	for _, s := range r.System {
		add(s.Breakpoint, "system %s", s.Text)
	}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			add(b.Breakpoint, "%s %s %s %s %s %s %t %s", m.Role, b.Type, b.ID, b.Name, b.Text, b.Input, b.IsError, b.Signature)
		}
	}
	return out
}
