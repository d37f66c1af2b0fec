package agentstest_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/anthropic"
	"sozai/domain"
)

// grown is a request of n text blocks, the last of them marked.
func grown(n int) agents.Request {
	blocks := make([]agents.Block, n)
	for i := range blocks {
		blocks[i] = block(agents.TextBlock, "")
		blocks[i].Text = strings.Repeat("word ", i+1)
	}
	blocks[n-1].Breakpoint = true
	return request(blocks)
}

// A mark is looked up at twenty positions, its own the first.
func TestCacheLooksBack(t *testing.T) {
	t.Parallel()
	var cache agentstest.Cache
	if u := cache.Serve(grown(1)); u.CacheRead != 0 || u.CacheWrite == 0 || u.Input != 0 {
		t.Fatalf("cold: %+v", u)
	}
	if u := cache.Serve(grown(20)); u.CacheRead == 0 || u.CacheWrite == 0 {
		t.Fatalf("19 blocks on: %+v", u)
	}
	if u := cache.Serve(grown(40)); u.CacheRead != 0 {
		t.Fatalf("20 blocks on: %+v", u)
	}
	// A second mark begins a search of its own.
	both := grown(60)
	both.Messages[0].Blocks[39].Breakpoint = true
	if u := cache.Serve(both); u.CacheRead == 0 || u.CacheWrite == 0 {
		t.Fatalf("with the older mark again: %+v", u)
	}
	// Only marks are written: the blocks before one cannot be found.
	var other agentstest.Cache
	other.Serve(grown(10))
	if u := other.Serve(grown(5)); u.CacheRead != 0 {
		t.Fatalf("a prefix that was never marked: %+v", u)
	}
}

func TestCacheForgetsAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	cache := agentstest.Cache{Now: func() time.Time { return now }}
	r := grown(3)
	cache.Serve(r)
	for range 3 { // each use keeps it for five minutes more
		now = now.Add(agentstest.CacheLife)
		if u := cache.Serve(r); u.CacheRead == 0 || u.CacheWrite != 0 {
			t.Fatalf("used in time: %+v", u)
		}
	}
	// Reading the shorter prefix only lets the longer one die.
	now = now.Add(4 * time.Minute)
	longer := grown(8)
	cache.Serve(longer)
	now = now.Add(4 * time.Minute)
	if u := cache.Serve(r); u.CacheRead == 0 {
		t.Fatalf("read four minutes ago: %+v", u)
	}
	now = now.Add(2 * time.Minute)
	if u := cache.Serve(longer); u.CacheRead == 0 || u.CacheWrite == 0 {
		t.Fatalf("the longer prefix after six minutes: %+v", u)
	}
	now = now.Add(agentstest.CacheLife + time.Second)
	if u := cache.Serve(r); u.CacheRead != 0 || u.CacheWrite == 0 {
		t.Fatalf("used too late: %+v", u)
	}
}

func TestMinimumTokens(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"claude-sonnet-4-6": 2048, "anthropic/claude-sonnet-4.5:anthropic": 1024, "claude-sonnet-4-5-20250929": 1024,
		"claude-opus-4-1-20250805": 1024, "claude-opus-4-7": 4096, "claude-opus-5": 512, "something-else": 4096,
	} {
		if got := agentstest.MinimumTokens(model); got != want {
			t.Errorf("%s: %d, want %d", model, got, want)
		}
	}
}

// counted is a server that counts, a model at it and a prompt of n tokens or more.
type counted struct {
	now    time.Time
	scene  func(agents.Request) agentstest.Scene
	server *agentstest.AnthropicServer
}

func count(t *testing.T, c agentstest.Contract) *counted {
	t.Helper()
	k := &counted{now: time.Unix(1_000_000, 0)}
	k.scene = func(agents.Request) agentstest.Scene { return agentstest.Scene{Reply: agentstest.Reply{Text: "Yes."}} }
	c.Now = func() time.Time { return k.now }
	c.Play = func(r agents.Request) agentstest.Scene { return k.scene(r) }
	k.server = agentstest.StartAnthropic(c)
	t.Cleanup(k.server.Close)
	return k
}

func (k *counted) ask(t *testing.T, model string, r agents.Request) (domain.Usage, error) {
	t.Helper()
	m, err := anthropic.New(anthropic.Config{Key: agentstest.ServerKey, BaseURL: k.server.URL, Model: model,
		Prices: map[string]anthropic.Price{model: {Input: 3, Output: 15}}, YuanPerUSD: 7})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Stream(t.Context(), r, func(agents.Delta) {})
	return resp.Usage, err
}

func long(tokens int) agents.Request {
	r := grown(1)
	r.System = []agents.Segment{{Text: strings.Repeat("four", tokens), Breakpoint: true}}
	return r
}

// The server's cache is the model's own, needs its shortest prefix, and lives
// five minutes.
func TestServerCountsByTheRules(t *testing.T) {
	t.Parallel()
	k := count(t, agentstest.Contract{})
	for _, step := range []struct {
		name        string
		model       string
		tokens      int
		later       time.Duration
		write, read bool
	}{
		{"too short for this model", "claude-sonnet-4-6", 2000, 0, false, false},
		{"still too short", "claude-sonnet-4-6", 2000, 0, false, false},
		{"long enough for another", "claude-sonnet-4-5", 2000, 0, true, false},
		{"read back", "claude-sonnet-4-5", 2000, 0, false, true},
		{"another model has its own cache", "claude-sonnet-5", 2000, 0, true, false},
		{"within five minutes", "claude-sonnet-4-5", 2000, 4 * time.Minute, false, true},
		{"it was used again", "claude-sonnet-4-5", 2000, 4 * time.Minute, false, true},
		{"over", "claude-sonnet-4-5", 2000, 6 * time.Minute, true, false},
	} {
		k.now = k.now.Add(step.later)
		u, err := k.ask(t, step.model, long(step.tokens))
		if err != nil || !u.Known || (u.CacheWrite > 0) != step.write || (u.CacheRead > 0) != step.read {
			t.Fatalf("%s: %+v, %v", step.name, u, err)
		}
		if total := u.Input + u.CacheWrite + u.CacheRead; total < step.tokens || total > step.tokens+50 {
			t.Fatalf("%s: %d tokens in all", step.name, total)
		}
	}
	if got := k.server.Usages(); len(got) != 8 || got[7].CacheWrite == 0 || got[7].Output == 0 {
		t.Fatalf("counted %+v", got)
	}
}

func TestServerForgetsWhatItRefused(t *testing.T) {
	t.Parallel()
	k := count(t, agentstest.Contract{})
	fine := k.scene
	k.scene = func(agents.Request) agentstest.Scene { return agentstest.Scene{Status: 529, Type: "overloaded_error"} }
	if _, err := k.ask(t, "claude-sonnet-4-5", long(2000)); err == nil {
		t.Fatal("not refused")
	}
	k.scene = fine
	if u, err := k.ask(t, "claude-sonnet-4-5", long(2000)); err != nil || u.CacheWrite == 0 {
		t.Fatalf("a refused request was cached: %+v, %v", u, err)
	}
}

// An entry can be read once the answer to the request that wrote it begins.
func TestServerLetsEqualRequestsBothWrite(t *testing.T) {
	t.Parallel()
	k := count(t, agentstest.Contract{})
	var both sync.WaitGroup
	both.Add(2)
	k.scene = func(agents.Request) agentstest.Scene {
		both.Done()
		both.Wait()
		return agentstest.Scene{Reply: agentstest.Reply{Text: "Yes."}}
	}
	var asked sync.WaitGroup
	for range 2 {
		asked.Go(func() {
			if u, err := k.ask(t, "claude-sonnet-4-5", long(2000)); err != nil || u.CacheWrite == 0 || u.CacheRead != 0 {
				t.Errorf("%+v, %v", u, err)
			}
		})
	}
	asked.Wait()
}

func TestServerThatDropsTheMarks(t *testing.T) {
	t.Parallel()
	k := count(t, agentstest.Contract{Unmarked: true})
	for range 2 {
		if u, err := k.ask(t, "claude-sonnet-4-5", long(2000)); err != nil || u.Input < 2000 || u.CacheWrite+u.CacheRead > 0 {
			t.Fatalf("%+v, %v", u, err)
		}
	}
	marks := 0
	for _, s := range k.server.Requests()[0].System {
		if s.Breakpoint {
			marks++
		}
	}
	if marks != 1 || !slices.ContainsFunc(k.server.Bodies(), func(b []byte) bool { return strings.Contains(string(b), "cache_control") }) {
		t.Fatal("the marks did not arrive")
	}
}
