package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/run"
	"sozai/streams"
)

// bodies are the event lines of an exported log without their sequences.
func bodies(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var out []string
	for _, line := range lines[1 : len(lines)-1] {
		_, rest, found := strings.Cut(line, `,"subject"`)
		if !found {
			t.Fatalf("line %s", line)
		}
		out = append(out, rest)
	}
	return out
}

// A whole log goes through a file into an empty shop: every event as it was, what
// was open ended as imported, the tables those of the log. A second file of it
// begins with the same lines.
func TestLogGoesThroughAFile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	h := s.fill(n)
	file := filepath.Join(t.TempDir(), "whole.jsonl")
	if out := s.must("export", "-o", file); !strings.Contains(out, "14 events written") {
		t.Fatal(out)
	}
	done()
	if out := s.must("import-log", "--check", file); !strings.Contains(out, "14 events of 2 agents") {
		t.Fatal(out)
	}

	into := newShop(t)
	var report importReport
	if err := json.Unmarshal([]byte(into.must("import-log", "--json", file)), &report); err != nil {
		t.Fatal(err)
	}
	want := importReport{
		From: report.From, Digest: report.Digest, Seconds: report.Seconds,
		Events: 14, Agents: 2, Products: []string{"games", "kitchen"}, Runs: 2, Turns: 1, Schedules: 1,
	}
	if diff := cmp.Diff(want, report); diff != "" || !strings.HasPrefix(report.From, "EVENTS 20") || len(report.Digest) != 64 {
		t.Fatalf("report %+v (-want +got):\n%s", report, diff)
	}
	again := filepath.Join(t.TempDir(), "again.jsonl")
	into.must("export", "-o", again)
	before, after := bodies(t, file), bodies(t, again)
	if diff := cmp.Diff(before, after[:len(before)]); diff != "" {
		t.Fatalf("the imported events (-want +got):\n%s", diff)
	}
	for _, line := range after[len(before):] {
		if !strings.Contains(line, `"system:import"`) {
			t.Fatalf("an event that the import did not make: %s", line)
		}
	}
	if exists(importMark(into.at.Data)) {
		t.Fatal("the mark of an unfinished import stayed")
	}

	n, done = into.open()
	for key, count := range map[domain.Key]int{tower: 8, pots: 6} {
		err := n.log.View(t.Context(), key, func(st *streams.State) error {
			if len(st.Run.Open()) > 0 || st.Turn.Current != nil || len(st.Chat.After(st.Turn.Settled)) > 0 || st.Agent.Daily {
				t.Errorf("agent %s still has something open: %+v", key.Agent, st.Run.Open())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		last := into.lines("--agent", string(key.Agent), "-n", "1")[0]
		var imported agent.Imported
		if err := json.Unmarshal(last.Data, &imported); err != nil || last.Type != "agent.imported" {
			t.Fatalf("the last event of %s is %+v", key.Agent, last)
		}
		if diff := cmp.Diff(agent.Imported{From: report.From, Events: count, Digest: "sha256:" + report.Digest}, imported); diff != "" {
			t.Fatalf("agent.imported (-want +got):\n%s", diff)
		}
	}
	err := n.log.View(t.Context(), tower, func(st *streams.State) error {
		for _, id := range []domain.ID{h.running, h.waiting} {
			if r := st.Run.Runs[id]; r == nil || r.Finished == nil || r.Finished.Reason != run.ReasonImported {
				t.Errorf("run %s did not end as imported: %+v", id, r)
			}
		}
		if len(st.Run.Orders) != 1 {
			t.Error("the order that waited for a person is gone")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	done()
	into.must("verify")
	into.refuses(1, []string{"holds", "already", "--data"}, "import-log", file)
}

// One agent of a log goes into a shop of its own.
func TestOneAgentGoesThroughAFile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	done()
	file := filepath.Join(t.TempDir(), "pots.jsonl")
	s.must("export", "--agent", "Pots", "-o", file)
	into := newShop(t)
	into.must("import-log", file)
	lines := into.lines()
	if len(lines) != 7 || lines[6].Type != "agent.imported" {
		t.Fatalf("%d events: %+v", len(lines), lines)
	}
	for i, e := range lines {
		if e.Agent != pots.Agent || e.Seq != uint64(i+1) {
			t.Fatalf("event %+v", e)
		}
	}
	if diff := cmp.Diff(bodies(t, file), bodies(t, func() string {
		path := filepath.Join(t.TempDir(), "again.jsonl")
		into.must("export", "-o", path)
		return path
	}())[:6]); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

// What is not a whole readable log is refused before anything is made.
func TestImportRefusesBeforeItTouchesAnything(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	s.poison(n, pots, domain.KindFeedback)
	s.poison(n, tower, domain.KindFeedback)
	done()
	whole := s.must("export") // to standard output, nothing but the file
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, []byte(text))
		return path
	}
	cut := whole[:strings.LastIndex(strings.TrimSpace(whole), "\n")+1]
	into := newShop(t)
	for _, c := range []struct {
		file  string
		words []string
	}{
		{file("unknown.jsonl", whole), []string{"does not know", "feedback.sung (2)", "nothing was changed"}},
		{file("cut.jsonl", cut), []string{"cut short", "16 events"}},
		{file("altered.jsonl", strings.Replace(whole, "more towers", "more flowers", 1)), []string{"digest", "altered"}},
		{file("empty.jsonl", ""), []string{"empty"}},
		{file("other.jsonl", "{\"hello\":1}\n"), []string{"not an exported log"}},
		{filepath.Join(dir, "missing.jsonl"), []string{"missing.jsonl"}},
	} {
		into.refuses(1, c.words, "import-log", c.file)
		into.refuses(1, c.words, "import-log", "--check", c.file)
	}
	if exists(into.at.Data) {
		t.Fatal("a refused file has made a data folder")
	}
	// From a pipe it is kept until it has been checked.
	_, stderr, code := into.runContext(t.Context(), []byte(cut), "import-log", "-")
	if code != 1 || !strings.Contains(stderr, "cut short") {
		t.Fatalf("code %d: %s", code, stderr)
	}
}

// A log that somebody holds is not imported into; an import that stopped half-way
// says what to do, and serve refuses what it left.
func TestImportIntoTheWrongFolder(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	text := s.must("export")
	file := filepath.Join(t.TempDir(), "log.jsonl")
	write(t, file, []byte(text))
	s.refuses(1, []string{"in use"}, "import-log", file)
	done()
	write(t, importMark(s.at.Data), []byte("log.jsonl\n"))
	s.refuses(1, []string{"half-way", "14 events", "jetstream"}, "import-log", file)
	sentence := refused(t, "--data", s.at.Data, "--database-url", s.at.DatabaseURL, "--listen", "127.0.0.1:0")
	wants(t, sentence, "half-way", "paid work", "jetstream")
	if err := os.RemoveAll(filepath.Join(s.at.Data, "jetstream")); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := s.runContext(t.Context(), []byte(text), "import-log", "-"); code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
}

// Into a log of the operator's own NATS nothing is imported while a server reads it.
func TestImportIntoAnExternalLog(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	text := []byte(s.must("export"))
	done()

	dir := t.TempDir()
	embedded, err := streams.Embed(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(embedded.Stop)
	data, err := os.ReadFile(filepath.Join(dir, "nats.json"))
	if err != nil {
		t.Fatal(err)
	}
	var access struct{ URL, User, Password string }
	if err := json.Unmarshal(data, &access); err != nil {
		t.Fatal(err)
	}
	into := newShop(t)
	into.at.NATSURL = strings.Replace(access.URL, "://", "://"+access.User+":"+access.Password+"@", 1)
	n, done = into.open()
	defer done()
	queue, err := streams.OpenQueue(n.conn, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	worker := make(chan struct{})
	go func() {
		defer close(worker)
		_ = queue.Consume(ctx, "other", streams.Search, nil, 1, func(context.Context, *streams.Job) {})
	}()
	defer func() { stop(); <-worker }()
	if _, err := streams.OpenAlive(t.Context(), n.conn, streams.Config{}); err != nil {
		t.Fatal(err)
	}
	until(t, "a worker waits for work", func() bool {
		all, err := n.log.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		consumers := all[slices.IndexFunc(all, func(s streams.StreamStatus) bool { return s.Name == streams.WorkStream })].Consumers
		return len(consumers) > 0 && consumers[0].Waiting > 0
	})
	into.at.Data = filepath.Join(dir, "client") // another machine
	_, stderr, code := into.runContext(t.Context(), text, "import-log", "-")
	if code != 1 || !strings.Contains(stderr, "other-search") || !strings.Contains(stderr, "stop all servers") || strings.Contains(stderr, access.Password) {
		t.Fatalf("code %d: %s", code, stderr)
	}
	if checks := into.findings(0); !strings.Contains(checks["server"].Says, "external") {
		t.Errorf("doctor: %+v", checks["server"])
	} else if c := checks["writes"]; c.Status != checkOK || !strings.Contains(c.Says, "take writes") {
		t.Errorf("doctor: %+v", c)
	}
}

// A server on an imported log starts nothing of it: no run, no answer, no call of
// a model.
func TestImportedHistoryStartsNoWork(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	text := s.must("export")
	done()
	into := newShop(t)
	if _, stderr, code := into.runContext(t.Context(), []byte(text), "import-log", "-"); code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	before := into.lines()

	var calls atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(model.Close)
	srv := newServer(t, "--no-demo", "--database-url", into.at.DatabaseURL, "--model-key=secret", "--model-url="+model.URL)
	srv.data = into.at.Data
	srv.start()
	until(t, "the dispatcher has been through the history", func() bool {
		var report struct {
			Checks []struct {
				Check   string `json:"check"`
				Details any    `json:"details"`
			} `json:"checks"`
		}
		out, _, _ := into.run("doctor", "--json")
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatal(err)
		}
		for _, c := range report.Checks {
			if c.Check == "dispatch" {
				return through(t, c.Details)
			}
		}
		return false
	})
	if diff := cmp.Diff(before, into.lines()); diff != "" {
		t.Errorf("the server added to the history:\n%s", diff)
	}
	var v verdict
	if err := json.Unmarshal([]byte(into.must("verify", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	if v.Work.Runs+v.Work.Rooms+v.Work.Slots != 0 {
		t.Errorf("work after an import: %+v", v.Work)
	}
	if err := srv.interrupt(); err != nil {
		t.Fatalf("%v\n%s", err, srv.printed())
	}
	if calls.Load() != 0 {
		t.Errorf("%d calls of the model", calls.Load())
	}
}

// through reports whether the dispatcher has answered for every event.
func through(t *testing.T, details any) bool {
	t.Helper()
	data, err := json.Marshal(details)
	if err != nil {
		t.Fatal(err)
	}
	var consumers []streams.ConsumerStatus
	if err := json.Unmarshal(data, &consumers); err != nil {
		return false // none yet
	}
	for _, c := range consumers {
		if strings.HasSuffix(c.Name, "-dispatch") {
			return c.Pending == 0 && c.AckPending == 0
		}
	}
	return false
}

func TestWriteWholeLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "out.jsonl")
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	done()
	s.must("export", "-o", path)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.at.Data = filepath.Join(dir, "nowhere")
	s.refuses(1, []string{"no log"}, "export", "-o", path)
	now, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(good, now) {
		t.Fatalf("a failed export touched the file: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("left behind: %v, %v", entries, err)
	}
}
