package anthropic_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/anthropic"
	"sozai/domain"
)

func probe(t *testing.T, c agentstest.Contract, key, model string) (anthropic.ProbeReport, *agentstest.AnthropicServer, error) {
	t.Helper()
	server := agentstest.StartAnthropic(c)
	t.Cleanup(server.Close)
	r, err := anthropic.Probe(t.Context(), anthropic.Config{
		Key: key, BaseURL: server.URL, Model: model, Prices: anthropic.DefaultPrices(), YuanPerUSD: 7,
	})
	return r, server, err
}

func TestProbe(t *testing.T) {
	t.Parallel()
	reply := agentstest.Reply{Text: "ok"}
	bare := func(u domain.Usage) (fields, fields) {
		return fields{"input_tokens": whole(u)}, fields{"output_tokens": u.Output}
	}
	for _, c := range []struct {
		name                            string
		contract                        agentstest.Contract
		model                           string
		reply                           agentstest.Reply
		usage, counters, writes, caches bool
	}{
		{"the vendor", agentstest.Contract{}, "claude-opus-4-7", reply, true, true, true, true},
		{"a gateway that passes everything through", agentstest.Contract{Zen: true}, "anthropic/claude-sonnet-4.5:anthropic", reply, true, true, true, true},
		{"a gateway that drops the marks", agentstest.Contract{Unmarked: true}, "claude-sonnet-4-5", reply, true, true, false, false},
		{"a gateway that counts but is silent on the cache", agentstest.Contract{}, "claude-sonnet-4-5", agentstest.Reply{Text: "ok", Says: bare}, true, false, false, false},
		{"a gateway that does not count", agentstest.Contract{}, "claude-sonnet-4-5", agentstest.Reply{Text: "ok", NoUsage: true}, false, false, false, false},
		{"an answer cut at its limit", agentstest.Contract{}, "claude-sonnet-4-5", agentstest.Reply{Text: "ok", Stop: "max_tokens"}, true, true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.contract.Play = always(agentstest.Scene{Reply: c.reply})
			r, server, err := probe(t, c.contract, agentstest.ServerKey, c.model)
			if err != nil {
				t.Fatal(err)
			}
			if r.Usage != c.usage || r.Counters != c.counters || r.Writes != c.writes || r.Caches() != c.caches {
				t.Fatalf("%+v", r)
			}
			if r.Model != c.model || len(server.Requests()) != 2 {
				t.Fatalf("model %q after %d requests", r.Model, len(server.Requests()))
			}
			if u := server.Usages()[0]; whole(u) < 5_500 || r.Prompt < 5_500 || r.Prompt > 8_000 {
				t.Fatalf("a prompt of %d tokens, estimated %d", whole(u), r.Prompt)
			}
			for _, a := range []anthropic.Answer{r.First, r.Again} {
				if a.Began <= 0 || a.Latency < a.Began || a.Latency > time.Minute || a.Usage.Known != c.usage {
					t.Fatalf("answer %+v", a)
				}
			}
			if (r.Cost > 0) != c.usage {
				t.Fatalf("cost %d", r.Cost)
			}
		})
	}
}

// Each probe writes anew, whatever one before has left in the cache.
func TestProbeAgain(t *testing.T) {
	t.Parallel()
	_, server := model(t, false, always(agentstest.Scene{Reply: agentstest.Reply{Text: "ok"}}))
	for range 2 {
		r, err := anthropic.Probe(t.Context(), anthropic.Config{
			Key: agentstest.ServerKey, BaseURL: server.URL, Model: "claude-sonnet-4-5", Prices: anthropic.DefaultPrices(), YuanPerUSD: 7,
		})
		if err != nil || !r.Writes || !r.Reads {
			t.Fatalf("%+v, %v", r, err)
		}
	}
}

func TestProbeOfWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	busy := agentstest.Contract{Play: always(agentstest.Scene{Status: 529, Type: "overloaded_error"})}
	_, server, err := probe(t, busy, agentstest.ServerKey, "claude-sonnet-4-5")
	var failed *agents.ModelError
	if !errors.As(err, &failed) || failed.Kind != agents.Overloaded || len(server.Requests()) != 1 {
		t.Fatalf("%v after %d requests", err, len(server.Requests()))
	}
	if _, _, err = probe(t, busy, "wrong", "claude-sonnet-4-5"); !errors.As(err, &failed) || failed.Kind != agents.Denied {
		t.Fatalf("a wrong key: %v", err)
	}
	if _, server, err = probe(t, busy, agentstest.ServerKey, "claude-unknown-9"); err == nil || len(server.Requests()) != 0 {
		t.Fatalf("a model without a price: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	silent := agentstest.StartAnthropic(agentstest.Contract{Play: always(agentstest.Scene{Reply: agentstest.Reply{Text: "ok"}, HangAfter: 1, Silent: true})})
	defer silent.Close()
	_, err = anthropic.Probe(ctx, anthropic.Config{Key: agentstest.ServerKey, BaseURL: silent.URL, Model: "claude-sonnet-4-5", Prices: anthropic.DefaultPrices(), YuanPerUSD: 7})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("silence: %v", err)
	}
}
