package main

import (
	"errors"
	"fmt"

	"sozai/agents"
	"sozai/agents/anthropic"
)

// model looks at the model's settings and asks it twice the same: whether the
// gateway passes cache breakpoints through decides what a run costs, and whether
// it reports usage, whether its caps hold.
func (d *checkup) model() {
	if d.Model.Key == "" {
		d.warn("model", "set SOZAI_MODEL_KEY where `serve` is started, unless a rehearsal is wanted", d.Model,
			"no key in this environment: a server started here plays the rehearsal model")
		return
	}
	config, err := d.Model.anthropic()
	if err != nil {
		d.fail("model", "mend the SOZAI_MODEL settings", d.Model, "%s", sentence(err))
		return
	}
	at := fmt.Sprintf("%s at %s", d.Model.Model, redact(d.Model.BaseURL, ""))
	if !d.Probe {
		d.ok("model", d.Model, "%s, key set, not asked", at)
		return
	}
	report, err := anthropic.Probe(d.ctx, config)
	var failed *agents.ModelError
	switch {
	case errors.As(err, &failed):
		d.refusedBy(at, failed)
		return
	case err != nil:
		d.fail("model", "mend the SOZAI_MODEL settings", d.Model, "%s", sentence(err))
		return
	}
	d.probed(at, report)
}

// probed tells what two equal requests showed.
func (d *checkup) probed(at string, r anthropic.ProbeReport) {
	again := r.Again.Usage
	prompt := again.Input + again.CacheWrite + again.CacheRead
	cost := fmt.Sprintf("(%.1f s, then %.1f s; the look cost ¥%.3f)", r.First.Latency.Seconds(), r.Again.Latency.Seconds(), r.Cost.Yuan())
	switch {
	case !r.Usage:
		d.fail("model", "use a gateway that reports usage: without it the caps on tokens and money cannot hold", r,
			"%s answers, but does not report usage", at)
	case !r.Caches():
		d.warn("model", "use a gateway that passes cache_control through, or runs cost several times as much", r,
			"%s answers and reports usage, but %s of %s tokens of a repeated prompt came from its cache %s",
			at, thousands(uint64(again.CacheRead)), thousands(uint64(prompt)), cost)
	default:
		d.ok("model", r, "%s answers, reports usage and passes cache breakpoints through: %s of %s tokens came from the cache %s",
			at, thousands(uint64(again.CacheRead)), thousands(uint64(prompt)), cost)
	}
}

// refusedBy tells why the model did not answer.
func (d *checkup) refusedBy(at string, failed *agents.ModelError) {
	do := "look at SOZAI_MODEL_URL and at the network"
	switch failed.Kind {
	case agents.Denied:
		do = "set SOZAI_MODEL_KEY to a key that it takes"
	case agents.Spent:
		do = "top the account up"
	case agents.BadRequest:
		do = "look at SOZAI_MODEL: it may not know the model by this name"
	case agents.Overloaded, agents.RateLimited, agents.ServerError:
		do = "try again later"
	}
	d.fail("model", do, nil, "%s does not answer: %s", at, failed)
}
