package web

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"sozai/agents/effect"
	"sozai/agents/source"
	"sozai/handlers/ledger"
)

// An administrator sees every outside service, configured or not, and the paid
// calls of which nobody knows whether they were done.
func TestSources(t *testing.T) {
	t.Parallel()
	b := setup(t)
	book, err := ledger.Open(t.Context(), b.pool, "w", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(book.Close)
	deps := b.server.deps
	deps.Effects = book
	deps.Sources = []Source{{Name: "tiktok", Kind: "search", Configured: true}, {Name: "douyin", Kind: "search", Configured: true}, {Name: "hot", Kind: "hot"}}
	_, at := serve(t, deps)
	here := *b
	here.url = at
	boss := &client{b: &here, t: t, cookie: b.boss.cookie}
	_, created := b.boss.agent("searched for")
	b.settle()

	since := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	book.Report(t.Context(), source.Status{
		Name: "tiktok", Kind: "tikhub", State: source.Limited, Since: since, Until: since.Add(time.Minute), LastOK: since,
		LastError: "slow down", LastErrorAt: since, Calls: 3, Failures: 1, Cost: 14_400,
	})
	book.Report(t.Context(), source.Status{Name: "old", Kind: "tikhub", State: source.OK, Since: since, Calls: 1})
	_, _, err = book.Once(t.Context(), effect.Call{
		Key: "tikhub/tiktok/1", Kind: "tikhub", Product: b.product, Agent: created.Agent, Run: created.Run, Attempt: 1, Paid: true,
	}, func(context.Context) (effect.Done, error) { return effect.Done{}, errors.New("connection reset") })
	if err == nil {
		t.Fatal("it did not fail")
	}

	b.person("ann").get("/api/system/sources").problem(403, "admin_needed")
	var none, v sourcesView
	b.boss.get("/api/system/sources").want(200).into(&none) // a process that knows of nothing
	if len(none.Sources) != 0 || none.Unknown == nil {
		t.Fatalf("%+v", none)
	}
	boss.get("/api/system/sources").want(200).into(&v)
	if len(v.Sources) != 4 {
		t.Fatalf("%+v", v.Sources)
	}
	tik := v.Sources[0]
	if tik.Kind != "search" || tik.State != source.Limited || !tik.Until.Equal(since.Add(time.Minute)) || tik.Calls != 3 || tik.CostYuan != 0.0144 || tik.LastError != "slow down" {
		t.Fatalf("%+v", tik)
	}
	for i, want := range []source.State{source.Limited, unused, source.Off, source.Off} {
		if v.Sources[i].State != want {
			t.Errorf("%s is %s, want %s", v.Sources[i].Name, v.Sources[i].State, want)
		}
	}
	if v.UnknownTotal != 1 || len(v.Unknown) != 1 || v.Unknown[0].Key != "tikhub/tiktok/1" || v.Unknown[0].AgentName != "searched for" ||
		v.Unknown[0].Run != created.Run || v.Unknown[0].Error != "connection reset" {
		t.Fatalf("%+v", v.Unknown)
	}
}
