package projections_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/library"
	"sozai/projections"
	"sozai/projections/projectionstest"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// The same on the real log: live events, a message that nobody can decode, a
// rebuild, the check, a retry that cannot help.
func TestOnTheRealLog(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	server := streamstest.Start(t)
	store := projectionstest.Store(t, server.Log)
	runner := projections.NewRunner(store, server.Log, projectionstest.Quiet())
	say := func(k domain.Key, n int) uint64 {
		t.Helper()
		cmd := streams.Command{ID: fmt.Sprintf("test/1/%d/%s", n, k.Agent), Actor: domain.User(lin)}
		events, err := server.Log.Record(ctx, k, cmd, chat.Said{Message: id("msg", n), Text: fmt.Sprint(n)})
		if err != nil {
			t.Fatalf("say: %v", err)
		}
		return events[0].Seq
	}
	for n := range 40 {
		seq := say(key, n)
		if err := store.Wait(ctx, seq, projections.Timeline); err != nil {
			t.Fatalf("wait for %d: %v", seq, err)
		}
		rows := must[[]projections.Row](t)(store.Timeline(ctx, key, projections.Page{Limit: 1}))
		if len(rows) != 1 || rows[0].Seq != seq || rows[0].Time.Location() != time.UTC {
			t.Fatalf("after %d a reader sees %+v", seq, rows)
		}
	}
	bytes := []byte(`{"message":`)
	if err := server.Conn.Publish("evt.demo."+string(other.Agent)+".chat", bytes); err != nil {
		t.Fatalf("publish: %v", err)
	}
	if err := server.Conn.Flush(); err != nil {
		t.Fatalf("publish: %v", err)
	}
	say(other, 100)
	last := say(key, 101)
	if err := store.Wait(ctx, last); err != nil {
		t.Fatalf("wait: %v", err)
	}
	parked := must[[]projections.ParkedAgent](t)(store.Parked(ctx))
	if len(parked) != 4 || parked[0].Key != other || parked[0].Waiting != 1 {
		t.Errorf("parked: %+v, want the other agent in the four that read its chat", parked)
	}
	if err := runner.Retry(ctx, projections.Timeline, other); err == nil {
		t.Errorf("what cannot be decoded was applied")
	}
	if err := runner.Rebuild(ctx, []string{projections.Library, projections.Genes}, nil); err != nil {
		t.Errorf("rebuild of those that do not read it: %v", err)
	}
	if _, err := server.Log.Record(ctx, key, streams.Command{ID: "test/2", Actor: domain.User(lin)},
		library.AssetUploaded{
			Asset: id("asset", 1), Title: "after the flip",
			Media: library.Media{Hash: strings.Repeat("ab", 32), Type: "video/mp4", Seconds: 3},
		}); err != nil {
		t.Fatalf("upload: %v", err)
	}
	eventually(t, "the running runner writes to the new generation", func() bool {
		assets, err := store.Assets(ctx, key, projections.ListPage{})
		return err == nil && len(assets) == 1
	})
	checks, err := runner.Verify(ctx, projections.Library, projections.Genes)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	for _, c := range checks {
		if !c.Equal {
			t.Errorf("%s.%s differs at %s", c.Projection, c.Table, c.FirstKey)
		}
	}
	statuses := map[string]string{}
	for _, st := range must[[]projections.Status](t)(store.Status(ctx)) {
		statuses[st.Name] = fmt.Sprintf("%s %d", st.Status, st.Parked)
	}
	want := map[string]string{
		"timeline": "running 1", "tasks": "running 1", "feedback": "running 1", "directory": "running 1",
		"genes": "running 0", "library": "running 0", "performance": "running 0",
	}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}
