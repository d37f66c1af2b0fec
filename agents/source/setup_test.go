package source_test

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"sozai/agents/catalogue"
	"sozai/agents/effect"
	"sozai/agents/fetch"
	"sozai/agents/source"
	"sozai/agents/source/sourcetest"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/migrations"
	"sozai/projections/postgres/postgrestest"
)

var (
	_ source.Source     = (*source.Local)(nil)
	_ source.Source     = (*source.TikHub)(nil)
	_ source.Source     = (*source.Fast)(nil)
	_ source.Competitor = (*source.Bridge)(nil)
	_ source.Hot        = (*source.Engine)(nil)
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

// clip is one short video for all tests.
var clip = sync.OnceValues(func() ([]byte, error) {
	clips, err := sourcetest.Clips(context.Background(), 1, 1)
	if err != nil {
		return nil, err
	}
	return clips[0], nil
})

const (
	runA  = domain.ID("01KDVDP0000000000000000RN1") // 2026-01-01
	runB  = domain.ID("01KDVDP0000000000000000RN2")
	agent = domain.ID("01KDVDP0000000000000000AG1")
)

// bundle is what a test's sources stand on.
type bundle struct {
	catalogue *catalogue.Catalogue
	local     *source.Local
	clip      []byte
}

func setup(t *testing.T) *bundle {
	t.Helper()
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
	b := &bundle{catalogue: c, local: source.NewLocal(c)}
	if b.clip, err = clip(); err != nil {
		t.Fatal(err)
	}
	return b
}

// keeper fetches from the server at address although it is a private one.
func (b *bundle) keeper(t *testing.T, address string) *source.Keeper {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return source.NewKeeper(b.catalogue, fetch.New(fetch.Config{Allow: []string{u.Host}}))
}

// quick is how tests use a service: failures are tried again at once.
func quick(base, key string) source.ServiceConfig {
	return source.ServiceConfig{Base: base, Key: key, Backoff: time.Millisecond, Timeout: 10 * time.Second}
}

func who(product string) source.Who {
	return source.Who{Product: product, Agent: agent, Run: runA, Attempt: 1}
}

func query(w source.Who, platform, text string, page int) source.Query {
	return source.Query{Product: w.Product, Agent: w.Agent, Run: w.Run, Attempt: w.Attempt, Text: text, Platform: platform, Page: page}
}

func (b *bundle) tikhub(t *testing.T, s *sourcetest.TikHub, l effect.Ledger, change ...func(c *source.TikHubConfig)) *source.TikHub {
	t.Helper()
	c := source.TikHubConfig{
		ServiceConfig: quick(s.URL, s.Key), PerSecond: 10_000, Parallel: 4, Ledger: l, Keeper: b.keeper(t, s.URL),
	}
	for _, f := range change {
		f(&c)
	}
	tik, err := source.NewTikHub(c)
	if err != nil {
		t.Fatal(err)
	}
	return tik
}

func (b *bundle) tasks(t *testing.T, s *sourcetest.Tasks, l effect.Ledger) source.TaskConfig {
	t.Helper()
	return source.TaskConfig{ServiceConfig: quick(s.URL, s.Key), Price: 500_000, PerSecond: 10_000, Ledger: l, Keeper: b.keeper(t, s.URL)}
}

// must(f())(t) is f's value, or the end of the test.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
