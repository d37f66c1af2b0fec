package agentstest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"sozai/agents"
	"sozai/domain"
)

// The rules of the prompt cache, as documented.
const (
	// CacheLife is how long an entry lives after the start of the last request
	// that wrote or read it.
	CacheLife = 5 * time.Minute
	// MaxBreakpoints is how many marks a request may carry.
	MaxBreakpoints = 4
	// lookBack is how many positions a mark is looked up at, its own included. The
	// vendor counts a run of calls or of results as one position, gateways and
	// other hosts need not: here each block counts.
	lookBack = 20
)

// MinimumTokens is the shortest prefix that a model caches; nothing shorter is an
// error, it is just not cached. Where sources disagree it is the greatest of what
// they say, and so it is for a model that is not known.
func MinimumTokens(model string) int {
	_, name, found := strings.Cut(model, "/")
	if !found {
		name = model
	}
	name, _, _ = strings.Cut(strings.ReplaceAll(name, ".", "-"), ":")
	for _, m := range []struct {
		name   string
		tokens int
	}{
		{"claude-opus-5", 512}, {"claude-mythos-5", 512}, {"claude-fable-5", 2048},
		{"claude-opus-4-1", 1024}, {"claude-opus-4-2", 1024}, // a snapshot of 2025
		{"claude-sonnet-5", 1024}, {"claude-sonnet-4-6", 2048}, {"claude-sonnet-4", 1024},
		{"claude-haiku-3-5", 2048}, {"claude-3-5-haiku", 2048},
	} {
		if strings.HasPrefix(name, m.name) {
			return m.tokens
		}
	}
	if name == "claude-opus-4" {
		return 1024
	}
	return 4096
}

// Cache is a provider's prompt cache in memory: keyed by the exact prefix, read
// and written at breakpoints only, found at most 20 positions back. The zero Cache
// never forgets and caches prefixes of any length. Safe for concurrent use.
type Cache struct {
	// Now is its clock; nil = entries live for ever.
	Now func() time.Time

	mu      sync.Mutex
	entries map[[32]byte]time.Time // when it was last used
}

// Serve counts a request as the provider would, with estimated tokens, and
// remembers its prefixes. Output is not counted.
func (c *Cache) Serve(r agents.Request) domain.Usage {
	u, begin := c.count(flatten(r), 0)
	begin()
	return u
}

// count counts a request whose prefixes can be read by others once begin was
// called: when its answer begins to arrive. Two equal requests at the same time
// both write.
func (c *Cache) count(blocks []flatBlock, minimum int) (u domain.Usage, begin func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var now time.Time
	if c.Now != nil {
		now = c.Now()
	}
	alive := func(key [32]byte) bool {
		used, ok := c.entries[key]
		return ok && now.Sub(used) <= CacheLife
	}
	hit, last, before := -1, -1, 0
	var touched [][32]byte
	for i, b := range blocks {
		before += b.tokens
		if !b.mark || before < minimum {
			continue
		}
		last = i
		touched = append(touched, b.prefix)
		for j := i; j > max(-1, i-lookBack); j-- {
			if alive(blocks[j].prefix) {
				hit = max(hit, j)
				touched = append(touched, blocks[j].prefix) // used again: it lives on
				break
			}
		}
	}
	u.Known = true
	for i, b := range blocks {
		switch {
		case i <= hit:
			u.CacheRead += b.tokens
		case i <= last:
			u.CacheWrite += b.tokens
		default:
			u.Input += b.tokens
		}
	}
	return u, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.entries == nil {
			c.entries = map[[32]byte]time.Time{}
		}
		for _, key := range touched {
			c.entries[key] = now
		}
	}
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

// flatBlock is a block in prefix order: tools, system, messages.
type flatBlock struct {
	prefix [32]byte // of everything up to its end
	tokens int
	mark   bool
}

// flattener lists the blocks of a request; what is no block itself but part of the
// key (the model, say) is only hashed.
type flattener struct {
	blocks []flatBlock
	before [32]byte
}

func (f *flattener) hash(text string) {
	f.before = sha256.Sum256(append(f.before[:], text...))
}

func (f *flattener) add(mark bool, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	f.hash(text)
	f.blocks = append(f.blocks, flatBlock{prefix: f.before, tokens: agents.EstimateTokens(text), mark: mark})
}

func (f *flattener) tool(mark bool, name, description string, schema json.RawMessage) {
	f.add(mark, "tool %s %s %s", name, description, schema)
}

func (f *flattener) rest(r agents.Request, between string) []flatBlock {
	for _, s := range r.System {
		f.add(s.Breakpoint, "system %s", s.Text)
	}
	f.hash(between)
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			name := b.Name
			if b.Type == agents.ToolResult {
				name = "" // it is not on the wire
			}
			f.add(b.Breakpoint, "%s %s %s %s %s %s %t %s", m.Role, b.Type, b.ID, name, b.Text, b.Input, b.IsError, b.Signature)
		}
	}
	return f.blocks
}

func flatten(r agents.Request) []flatBlock {
	var f flattener
	for _, t := range r.Tools {
		f.tool(false, t.Name, t.Description, t.Schema)
	}
	return f.rest(r, "")
}
