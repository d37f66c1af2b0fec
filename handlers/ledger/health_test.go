package ledger

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/source"
)

// Two processes report one source: the newest state, the sums of both.
func TestHealth(t *testing.T) {
	t.Parallel()
	pool := database(t)
	first, second := process(t, pool, "first"), process(t, pool, "second")
	at := func(second int) time.Time { return time.Date(2026, 3, 2, 9, 0, second, 0, time.UTC) }
	first.Report(t.Context(), source.Status{
		Name: "tiktok", Kind: "tikhub", State: source.OK, Since: at(0), LastOK: at(1), Calls: 1, Cost: 7200,
	})
	second.Report(t.Context(), source.Status{
		Name: "tiktok", Kind: "tikhub", State: source.Limited, Since: at(5), Until: at(35), LastOK: at(0),
		LastError: "slow down \x00\xff", LastErrorAt: at(5), Calls: 1, Failures: 1,
	})
	first.Report(t.Context(), source.Status{
		Name: "tiktok", Kind: "tikhub", State: source.Limited, Since: at(6), Until: at(36), LastOK: at(1),
		LastError: "older", LastErrorAt: at(4), Calls: 1, Failures: 1,
	})
	second.Report(t.Context(), source.Status{Name: "hot", Kind: "hot", State: source.OK, Since: at(2), LastOK: at(2), Calls: 1})
	got, err := second.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Status{
		{Name: "hot", Kind: "hot", State: source.OK, Since: at(2), LastOK: at(2), Calls: 1},
		{
			Name: "tiktok", Kind: "tikhub", State: source.Limited, Since: at(5), Until: at(36), LastOK: at(1),
			LastError: "slow down ��", LastErrorAt: at(5), Calls: 3, Failures: 2, Cost: 7200,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
}
