package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/streams"
)

// serving is the schema of the generation of a projection that serves.
func serving(t *testing.T, n *node, projection string) string {
	t.Helper()
	var generation int
	err := n.pool.QueryRow(t.Context(), `SELECT generation FROM control.projections WHERE projection = $1`, projection).Scan(&generation)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s_g%d", projection, generation)
}

func (s *shop) verdict(code int, args ...string) verdict {
	s.t.Helper()
	stdout, stderr, got := s.run(append([]string{"verify", "--json"}, args...)...)
	if got != code {
		s.t.Fatalf("exit code %d, want %d\n%s%s", got, code, stdout, stderr)
	}
	var v verdict
	if err := json.Unmarshal([]byte(stdout), &v); err != nil {
		s.t.Fatalf("%v\n%s", err, stdout)
	}
	return v
}

// Verify finds a row that is not as the log says, names it, and is content again
// after a rebuild.
func TestVerifyFindsAWrongRow(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	h := s.fill(n)
	done()
	v := s.verdict(0)
	if !v.OK || len(v.Tables) < 20 || len(v.Positions) != len(projections.All()) || v.Folds == nil || v.Folds.Seq != 14 || v.Work == nil || v.Work.Runs != 2 {
		t.Fatalf("got %+v", v)
	}

	n, done = s.open()
	if _, err := n.pool.Exec(t.Context(), `UPDATE `+serving(t, n, projections.Tasks)+`.runs SET trigger = 'daily' WHERE run = $1`, string(h.running)); err != nil {
		t.Fatal(err)
	}
	done()
	v = s.verdict(1)
	wrong := 0
	for _, table := range v.Tables {
		if !table.Equal {
			wrong++
			if table.Projection != projections.Tasks || table.Table != "runs" || !strings.Contains(table.FirstKey, string(h.running)) {
				t.Errorf("found %+v", table)
			}
		}
	}
	if v.OK || wrong != 1 {
		t.Fatalf("%d wrong tables in %+v", wrong, v)
	}
	text, stderr, code := s.run("verify", "tasks")
	if code != 1 || !strings.Contains(text, "DIFFERS at") || !strings.Contains(text, "NOT as the log says") || !strings.Contains(stderr, "sozai:") {
		t.Fatalf("code %d\n%s%s", code, text, stderr)
	}
	s.verdict(0, "genes")
	if out := s.must("rebuild", "tasks"); !strings.Contains(out, "rebuilt tasks: 14 events") {
		t.Fatal(out)
	}
	s.verdict(0)
}

// Work that the log asks for and the queue does not hold is a finding once it has
// outlasted the reconciler; so is a slot of work that nobody asked for.
func TestVerifyComparesWorkAndQueue(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	h := s.fill(n)
	if err := projections.NewRunner(n.store, n.log, discard()).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	queue, err := streams.OpenQueue(n.conn, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	offer := func(slot streams.Slot) {
		t.Helper()
		if _, err := queue.Offer(t.Context(), slot); err != nil {
			t.Fatal(err)
		}
	}
	stranger := n.log.NewID()
	offer(streams.Slot{Key: tower, Work: streams.Search, ID: string(h.running)})
	offer(streams.Slot{Key: tower, Work: streams.Search, ID: string(stranger)})
	v := s.verdict(1) // attached: this process holds the folder
	what := map[string]string{}
	for _, m := range v.Work.Mismatches {
		what[m.Run] = m.What
	}
	if len(what) != 3 || what[string(h.waiting)] != withoutSlot || what["-"] != withoutSlot || what[string(stranger)] != withoutWork {
		t.Fatalf("got %+v", v.Work)
	}
	offer(streams.Slot{Key: tower, Work: streams.Search, ID: string(h.waiting)})
	offer(streams.Slot{Key: tower, Work: streams.Butler, ID: "-"})
	s.decide(n, tower, domain.System("test"), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: stranger, Work: run.Search, Trigger: run.Hand}, now)
	})
	if err := projections.NewRunner(n.store, n.log, discard()).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := s.verdict(0); v.Work.Slots != 4 {
		t.Fatalf("got %+v", v.Work)
	}
	done()
	// Stopped, the next start offers what is missing; only the unknown is wrong.
	s.verdict(0)
}

// An agent whose decisions do not fold is named with the event.
func TestVerifyFindsWhatDoesNotFold(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	s.poison(n, tower, domain.KindRun)
	done()
	v := s.verdict(1)
	if v.Folds.OK || len(v.Folds.Problems) != 1 {
		t.Fatalf("got %+v", v.Folds)
	}
	if f := v.Folds.Problems[0]; f.Key != tower || f.Seq != 15 || f.Type != "run.sung" || !strings.Contains(f.Error, "unknown type") {
		t.Fatalf("got %+v", f)
	}
}

// What cannot be found out is neither right nor wrong.
func TestVerifyThatCannot(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.refuses(exitUnchecked, []string{"could not verify", "no log"}, "verify")
	n, done := s.open()
	s.fill(n)
	done()
	s.refuses(exitUnchecked, []string{"could not verify", `no projection "films"`}, "verify", "films")
}
