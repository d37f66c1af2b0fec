package searcher_test

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"sozai/agents/catalogue"
	"sozai/agents/effect"
	"sozai/agents/fetch"
	"sozai/agents/searcher"
	"sozai/agents/source"
	"sozai/agents/source/sourcetest"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/migrations"
	"sozai/projections/postgres/postgrestest"
	"sozai/streams"
)

// footage is one short video for all tests.
var footage = sync.OnceValues(func() ([]byte, error) {
	clips, err := sourcetest.Clips(context.Background(), 1, 0.6)
	if err != nil {
		return nil, err
	}
	return clips[0], nil
})

// clock is a clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Now()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// price is what a search costs in these tests.
const price = domain.Money(7_200)

// outside is what a bench has of the world: contract servers, and a ledger that
// outlives attempts.
type outside struct {
	t      *testing.T
	ledger effect.Memory
	keeper func(address string) *source.Keeper
	local  *source.Local
	clock  *clock
}

// newOutside has a catalogue and a clip if media is set; else nothing may be
// examined.
func newOutside(t *testing.T, media bool) *outside {
	t.Helper()
	o := &outside{t: t, clock: newClock(), keeper: func(string) *source.Keeper { return nil }}
	if !media {
		return o
	}
	v, err := video.New(video.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Open(t.Context(), catalogue.Config{
		Pool: postgrestest.Copy(t, "migrated", migrations.Up), Dir: t.TempDir(), Video: v,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	o.local = source.NewLocal(c)
	o.keeper = func(address string) *source.Keeper {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return source.NewKeeper(c, fetch.New(fetch.Config{Allow: []string{u.Host}}))
	}
	return o
}

func (o *outside) clip() []byte {
	o.t.Helper()
	clip, err := footage()
	if err != nil {
		o.t.Fatal(err)
	}
	return clip
}

func (o *outside) service(base, key string) source.ServiceConfig {
	return source.ServiceConfig{Base: base, Key: key, Backoff: time.Millisecond, Timeout: 10 * time.Second, Now: o.clock.Now}
}

func (o *outside) tikhub(s *sourcetest.TikHub, platforms ...string) *source.TikHub {
	o.t.Helper()
	tik, err := source.NewTikHub(source.TikHubConfig{
		ServiceConfig: o.service(s.URL, s.Key), Platforms: platforms, PerSecond: 10_000,
		Prices: source.Prices{YuanPerUSD: 7.2, Other: 0.001}, Ledger: searcher.Metered{Ledger: &o.ledger}, Keeper: o.keeper(s.URL),
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return tik
}

func (o *outside) tasks(s *sourcetest.Tasks) source.TaskConfig {
	return source.TaskConfig{
		ServiceConfig: o.service(s.URL, s.Key), Price: 500_000, PerSecond: 10_000,
		Ledger: searcher.Metered{Ledger: &o.ledger}, Keeper: o.keeper(s.URL),
	}
}

func (o *outside) bridge(s *sourcetest.Tasks) *source.Bridge {
	o.t.Helper()
	bridge, err := source.NewBridge(o.tasks(s))
	if err != nil {
		o.t.Fatal(err)
	}
	return bridge
}

func (o *outside) engine(s *sourcetest.Tasks) *source.Engine {
	o.t.Helper()
	engine, err := source.NewEngine(o.tasks(s))
	if err != nil {
		o.t.Fatal(err)
	}
	return engine
}

// counts are calls and charges at a contract server.
func counts(d *sourcetest.Desk) [2]int { return [2]int{d.Calls(), d.Charges()} }

// stepCost is what the recorded rounds of an attempt cost.
func (b *bench) stepCost(attempt int) domain.Money {
	sum := domain.Money(0)
	for _, e := range b.events(domain.KindStep) {
		if r, ok := e.(step.Recorded); ok && r.Run == b.task.Run && r.Attempt == attempt {
			sum += r.Cost
		}
	}
	return sum
}

// dies cancels the attempt once it has written so many materials, as a worker
// that is killed.
type dies struct {
	searcher.Log
	after int
	kill  context.CancelFunc
	wrote int
}

func (d *dies) Record(ctx context.Context, key domain.Key, cmd streams.Command, facts ...domain.Fact) ([]domain.Recorded, error) {
	r, err := d.Log.Record(ctx, key, cmd, facts...)
	for _, f := range facts {
		if _, ok := f.(library.Saved); ok {
			d.wrote++
		}
	}
	if err == nil && d.wrote >= d.after {
		d.kill()
	}
	return r, err
}

// killed plays the current attempt until it has written so many materials, and
// appends nothing of its end.
func (b *bench) killed(after int) {
	b.t.Helper()
	ctx, kill := context.WithCancel(b.t.Context())
	defer kill()
	env := b.env
	env.Log = &dies{Log: b.log, after: after, kill: kill}
	if f, err := searcher.Run(ctx, env, b.task); err != nil || f.Outcome != run.Cancelled || len(b.saved()) != after {
		b.t.Fatalf("killed: %+v, %v, saved %v", f, err, b.saved())
	}
}
