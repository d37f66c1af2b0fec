package anthropic_test

import (
	"testing"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/anthropic"
	"sozai/domain"
)

type fields = map[string]any

// Usage comes in many dialects; whatever cannot be what was used is unknown.
func TestUsageDialects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		says func(u domain.Usage) (start, end map[string]any)
		want func(u domain.Usage) domain.Usage
	}{
		{"totals at the end too", func(u domain.Usage) (fields, fields) {
			all := fields{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": u.Output}
			return fields{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": 1}, all
		}, same},
		{"zeros at first, the truth at the end", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": 0, "output_tokens": 0},
				fields{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": u.Output}
		}, same},
		{"the truth at first, zeros at the end", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead},
				fields{"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": u.Output}
		}, same},
		{"a guess at the whole prompt, the truth at the end", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": whole(u) + 500},
				fields{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": u.Output}
		}, same},
		{"the writes by their life only", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead,
				"cache_creation": fields{"ephemeral_5m_input_tokens": u.CacheWrite, "ephemeral_1h_input_tokens": 0}}, fields{"output_tokens": u.Output}
		}, same},
		{"as Bedrock names them", func(u domain.Usage) (fields, fields) {
			return nil, fields{"inputTokens": u.Input, "cacheWriteInputTokens": u.CacheWrite, "cacheReadInputTokens": u.CacheRead, "outputTokens": u.Output}
		}, same},
		{"as OpenAI names them, the cached ones included", func(u domain.Usage) (fields, fields) {
			return nil, fields{"prompt_tokens": whole(u), "completion_tokens": u.Output,
				"prompt_tokens_details": fields{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite}}
		}, same},
		{"hits and misses", func(u domain.Usage) (fields, fields) {
			return nil, fields{"prompt_tokens": whole(u), "prompt_cache_hit_tokens": u.CacheRead, "completion_tokens": u.Output}
		}, func(u domain.Usage) domain.Usage {
			u.Input, u.CacheWrite = u.Input+u.CacheWrite, 0
			return u
		}},
		{"floats and strings", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": float64(u.Input), "cache_creation_input_tokens": float64(u.CacheWrite), "cache_read_input_tokens": float64(u.CacheRead)},
				fields{"output_tokens": "12"}
		}, func(u domain.Usage) domain.Usage { u.Output = 12; return u }},
		{"no word on the cache, all of it as input", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": whole(u)}, fields{"output_tokens": u.Output}
		}, func(u domain.Usage) domain.Usage {
			return domain.Usage{Known: true, Input: whole(u), Output: u.Output}
		}},
		{"no word on the cache, and only the rest as input", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": u.Input + 1}, fields{"output_tokens": u.Output}
		}, unknown},
		{"nulls for the cache, and only the rest as input", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": u.Input + 1, "cache_creation_input_tokens": nil, "cache_read_input_tokens": nil}, fields{"output_tokens": u.Output}
		}, unknown},
		{"nothing at all", func(domain.Usage) (fields, fields) { return nil, nil }, unknown},
		{"no prompt", func(u domain.Usage) (fields, fields) { return nil, fields{"output_tokens": u.Output} }, unknown},
		{"a prompt of nothing", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}, fields{"output_tokens": u.Output}
		}, unknown},
		{"no answer", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": whole(u), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}, nil
		}, unknown},
		{"an answer of nothing", func(u domain.Usage) (fields, fields) {
			return fields{"input_tokens": whole(u), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}, fields{"output_tokens": 0}
		}, unknown},
		{"nonsense", func(domain.Usage) (fields, fields) {
			return fields{"input_tokens": -4, "cache_read_input_tokens": "many"}, fields{"output_tokens": 1e30}
		}, unknown},
		{"objects for numbers", func(domain.Usage) (fields, fields) {
			return fields{"input_tokens": fields{"n": 1}, "cache_creation": 7}, fields{"output_tokens": []int{1}}
		}, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, server := model(t, false, always(agentstest.Scene{Reply: agentstest.Reply{Text: words, Says: c.says}}))
			req := say("hello")
			req.System[1].Text = long
			for i := range 2 { // cold and warm
				resp, err := m.Stream(t.Context(), req, func(agents.Delta) {})
				if err != nil {
					t.Fatal(err)
				}
				counted := server.Usages()[i]
				if counted.CacheWrite == 0 && counted.CacheRead == 0 {
					t.Fatalf("the server cached nothing: %+v", counted)
				}
				if want := c.want(counted); resp.Usage != want {
					t.Fatalf("answer %d: usage %+v, want %+v", i+1, resp.Usage, want)
				}
				if resp.Usage.Known != (resp.Cost > 0) {
					t.Fatalf("answer %d: cost %d of usage %+v", i+1, resp.Cost, resp.Usage)
				}
			}
		})
	}
}

func whole(u domain.Usage) int                 { return u.Input + u.CacheWrite + u.CacheRead }
func same(u domain.Usage) domain.Usage         { return u }
func unknown(domain.Usage) (none domain.Usage) { return none }

func TestConfiguration(t *testing.T) {
	t.Parallel()
	good := anthropic.Config{Key: "k", Model: "claude-sonnet-4-5", Prices: anthropic.DefaultPrices(), YuanPerUSD: 7}
	for name, change := range map[string]func(*anthropic.Config){
		"no key":           func(c *anthropic.Config) { c.Key = "" },
		"no model":         func(c *anthropic.Config) { c.Model = "" },
		"no price":         func(c *anthropic.Config) { c.Model = "claude-unknown-9" },
		"a price of 0":     func(c *anthropic.Config) { c.Prices = map[string]anthropic.Price{c.Model: {}} },
		"no rate":          func(c *anthropic.Config) { c.YuanPerUSD = 0 },
		"strange thinking": func(c *anthropic.Config) { c.Thinking = "hard" },
	} {
		c := good
		change(&c)
		if _, err := anthropic.New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, name := range []string{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5:anthropic", "claude-3-5-haiku-latest"} {
		c := good
		c.Model = name
		if _, err := anthropic.New(c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := good
	c.Model, c.Prices = "house/model-x", map[string]anthropic.Price{"house/model-x": {Input: 1, CacheWrite: 1, CacheRead: 1, Output: 1}}
	if _, err := anthropic.New(c); err != nil {
		t.Errorf("a configured price: %v", err)
	}
}

// A gateway that has another model answer is charged by that one's price.
func TestCostOfTheModelThatAnswered(t *testing.T) {
	t.Parallel()
	for answering, dollars := range map[string]float64{
		"": 15, "anthropic/claude-opus-4.5": 25, "claude-haiku-4-5-20251001": 5, "somebody-elses": 15,
	} {
		m, server := model(t, false, always(agentstest.Scene{Reply: agentstest.Reply{Text: words, Model: answering}}))
		resp, err := m.Stream(t.Context(), say("hello"), func(agents.Delta) {})
		if err != nil {
			t.Fatal(err)
		}
		u := server.Usages()[0]
		want := domain.Money((float64(u.Input)*dollars/5 + float64(u.Output)*dollars) * 7)
		if diff := resp.Cost - want; diff < 0 || diff > 1 {
			t.Errorf("%s: cost %d, want %d", answering, resp.Cost, want)
		}
		if answering != "" && resp.Model != answering {
			t.Errorf("answered by %q, want %q", resp.Model, answering)
		}
	}
}
