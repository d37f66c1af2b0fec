package anthropic

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"sozai/agents"
	"sozai/domain"
)

// ProbeReport is what two equal requests showed of an endpoint.
type ProbeReport struct {
	Model  string // as the endpoint names the one that answered
	Prompt int    // tokens of the prompt, estimated; all of it is marked

	First, Again Answer
	Cost         domain.Money // of both; 0 if usage is unknown

	// Usage: every answer was counted; without it no cap on tokens and money is
	// exact. Counters: the usage speaks of the cache at all. Writes, Reads: the
	// first request wrote the prompt to the cache, the second read most of it.
	Usage, Counters, Writes, Reads bool
}

// Caches says that breakpoints are passed through.
func (r ProbeReport) Caches() bool { return r.Usage && r.Reads }

// Answer is one answer to a probe.
type Answer struct {
	Usage   domain.Usage
	Began   time.Duration // until the first sign of life
	Latency time.Duration // until it was complete
}

// probeLines make a prompt of about 6,000 tokens: every model caches 4,096, and an
// estimate may be too high by a third.
const probeLines = 375

// Probe asks the endpoint twice the same and reports what it counts and caches. It
// costs about 1.4 times the prompt. The prompt is new every time, so that the
// first answer shows a write. An error is a *agents.ModelError if the endpoint
// did not answer, else one of the configuration or the context.
func Probe(ctx context.Context, c Config) (ProbeReport, error) {
	m, err := New(c)
	if err != nil {
		return ProbeReport{}, err
	}
	asm, err := agents.NewAssembler(agents.Prompt{
		Constitution: probeText(rand.Text()), Output: 16,
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: "Say only: ok"}}}},
	})
	if err != nil {
		return ProbeReport{}, err
	}
	req, err := asm.Request()
	if err != nil {
		return ProbeReport{}, err
	}
	r := ProbeReport{Prompt: agents.EstimateRequest(req), Usage: true}
	for _, answer := range []*Answer{&r.First, &r.Again} {
		began := time.Now()
		resp, counters, err := m.stream(ctx, req, func(agents.Delta) {
			if answer.Began == 0 {
				answer.Began = time.Since(began)
			}
		})
		if err != nil {
			return r, err
		}
		answer.Latency, answer.Usage = time.Since(began), resp.Usage
		r.Model, r.Cost = resp.Model, r.Cost+resp.Cost
		r.Usage = r.Usage && resp.Usage.Known
		r.Counters = r.Counters || counters
	}
	first, again := r.First.Usage, r.Again.Usage
	r.Writes = first.CacheWrite > 0
	r.Reads = again.CacheRead > 0 && again.CacheRead*2 > again.Input+again.CacheWrite+again.CacheRead
	return r, nil
}

// probeText begins with a word that was never sent before.
func probeText(word string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This is a test %s of a connection. The lines below only fill it.\n", word)
	for i := range probeLines {
		fmt.Fprintf(&b, "Line %d of the filling says nothing that matters to the answer.\n", i)
	}
	return b.String()
}
