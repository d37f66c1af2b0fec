package projections_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/projections"
	"sozai/projections/projectionstest"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// say appends messages to the real log and returns the last one's sequence.
func say(t *testing.T, log *streams.Log, from, to int, words string) uint64 {
	t.Helper()
	var last uint64
	for n := from; n < to; n++ {
		cmd := streams.Command{ID: fmt.Sprintf("test/%s/%d", words, n), Actor: domain.User(lin)}
		events, err := log.Record(context.Background(), key, cmd, chat.Said{Message: id("msg", n), Text: words})
		if err != nil {
			t.Fatalf("say: %v", err)
		}
		last = events[len(events)-1].Seq
	}
	return last
}

// J10 on a real server: its folder is put back to an earlier copy, with or without
// new events after it; the stream loses its end, its beginning and its end, or is
// made anew. In each case every read model stops, says what to do, keeps its rows,
// and a rebuild is the way out.
func TestARealLogThatIsNotWhatItWas(t *testing.T) {
	for name, c := range map[string]struct {
		copied bool // the folder is put back to where it was after 20 events
		then   func(t *testing.T, s *streamstest.Server)
	}{
		"put back": {copied: true},
		"put back and gone on": {copied: true, then: func(t *testing.T, s *streamstest.Server) {
			say(t, s.Log, 100, 130, "others")
		}},
		"end cut off": {then: func(t *testing.T, s *streamstest.Server) {
			if err := eventsStream(t, s).DeleteMsg(context.Background(), 40); err != nil {
				t.Fatalf("delete: %v", err)
			}
		}},
		"purged": {then: func(t *testing.T, s *streamstest.Server) {
			if err := eventsStream(t, s).Purge(context.Background()); err != nil {
				t.Fatalf("purge: %v", err)
			}
		}},
		"made anew": {then: func(t *testing.T, s *streamstest.Server) {
			remake(t, s)
			say(t, s.Log, 200, 250, "new life")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			dir := t.TempDir()
			server := streamstest.StartIn(t, dir)
			say(t, server.Log, 0, 20, "first")
			if c.copied {
				server.Embedded.Stop()
				if err := os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(filepath.Join(dir, "jetstream"))); err != nil {
					t.Fatalf("copy: %v", err)
				}
				server = streamstest.StartIn(t, dir)
			}
			say(t, server.Log, 20, 40, "second")
			store := projections.NewStore(projectionstest.Pool(t))
			if err := projections.NewRunner(store, server.Log, projectionstest.Quiet()).CatchUp(ctx); err != nil {
				t.Fatalf("catch up: %v", err)
			}
			if c.copied {
				server.Embedded.Stop()
				if err := os.RemoveAll(filepath.Join(dir, "jetstream")); err != nil {
					t.Fatalf("lose the log: %v", err)
				}
				if err := os.Rename(filepath.Join(dir, "copy"), filepath.Join(dir, "jetstream")); err != nil {
					t.Fatalf("put back: %v", err)
				}
				server = streamstest.StartIn(t, dir)
			}
			if c.then != nil {
				c.then(t, server)
			}
			runner := projections.NewRunner(store, server.Log, projectionstest.Quiet())
			if err := runner.CatchUp(ctx); err == nil {
				t.Fatalf("the read models went on")
			}
			for _, st := range must[[]projections.Status](t)(store.Status(ctx)) {
				if st.Status != "diverged" || !strings.Contains(st.Error, "log diverged") || !strings.Contains(st.Error, "sozai rebuild "+st.Name) {
					t.Errorf("%s is %s (%s), want diverged with the way out", st.Name, st.Status, st.Error)
				}
			}
			if err := store.Wait(ctx, 1); !errors.Is(err, projections.ErrDiverged) {
				t.Errorf("a waiting reader gets %v, want log_diverged", err)
			}
			for _, p := range must[[]projections.PositionCheck](t)(runner.Positions(ctx)) {
				if p.Identity || !strings.Contains(p.Problem, "sozai rebuild "+p.Projection) {
					t.Errorf("%+v, want no identity and the way out", p)
				}
			}
			if rows := must[[]projections.Row](t)(store.Timeline(ctx, key, projections.Page{})); len(rows) != 40 {
				t.Errorf("%d rows are left, want the 40 old ones", len(rows))
			}
			if name == "end cut off" || name == "purged" {
				return // there is no whole log to build from
			}
			if err := runner.Rebuild(ctx, nil, nil); err != nil {
				t.Fatalf("rebuild: %v", err)
			}
			say(t, server.Log, 300, 301, "on")
			if err := runner.CatchUp(ctx); err != nil {
				t.Fatalf("catch up after the rebuild: %v", err)
			}
			(&bundle{t, nil, store, runner}).same()
		})
	}
}

// A log that is put in place of another under a running projector is noticed,
// though no event comes that would show it.
func TestALogReplacedUnderARunnerIsNoticed(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.run(b.runner)
	last := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 80), Text: "x"})
	if err := b.store.Wait(ctx, last); err != nil {
		t.Fatalf("wait: %v", err)
	}
	b.log.Restore(20)
	eventually(t, "all have stopped", func() bool {
		for _, st := range must[[]projections.Status](t)(b.store.Status(ctx)) {
			if st.Status != "diverged" {
				return false
			}
		}
		return true
	})
}

func eventsStream(t *testing.T, s *streamstest.Server) jetstream.Stream {
	t.Helper()
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatalf("jetstream: %v", err)
	}
	stream, err := js.Stream(context.Background(), streams.EventsStream)
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	return stream
}

// remake deletes the stream and opens the log anew.
func remake(t *testing.T, s *streamstest.Server) {
	t.Helper()
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatalf("jetstream: %v", err)
	}
	if err := js.DeleteStream(context.Background(), streams.EventsStream); err != nil {
		t.Fatalf("delete: %v", err)
	}
	if s.Log, err = streams.Open(context.Background(), s.Conn, streams.Config{}); err != nil {
		t.Fatalf("open: %v", err)
	}
}
