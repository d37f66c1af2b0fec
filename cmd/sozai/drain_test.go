package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sozai/domain/run"
	"sozai/domain/turn"
)

// drainLimit is how long a server that was told to stop may take to hand over
// what it works on and end.
const drainLimit = 10 * time.Second

// A server that is told to stop in the middle of a run and an answer, with people
// in the room, hands both over and ends within ten seconds; the next one goes on
// with both, without a lost attempt.
func TestStoppingHandsOver(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // only then is the end of the caller noticed
		<-r.Context().Done()               // a model that never answers
	}))
	t.Cleanup(model.Close) // after the server, which keeps its connections
	s := newServer(t, "--no-demo", "--model-key=secret", "--model-url="+model.URL)
	s.start()
	ada := newPerson(t, s.url())
	until(t, "a link is printed", func() bool { return s.firstLink() != "" })
	ada.useLink(s.firstLink(), "ada", "correct horse battery")
	ada.must(http.MethodPost, "/api/products", map[string]string{"id": "games", "name": "游戏"}, nil)
	var created struct {
		Agent string `json:"agent"`
	}
	ada.must(http.MethodPost, "/api/agents?product=games", map[string]any{
		"name": "Tower", "brief": "brief", "search": "towers", "steer": "danger", "sources": []string{"fast"},
	}, &created)
	ada.enter(t, created.Agent).connected(t)
	ada.must(http.MethodPost, "/api/agents/"+created.Agent+"/messages", map[string]string{"text": "还有更快的开场吗？"}, nil)

	of := func(kinds string) (all []eventLine) {
		t.Helper()
		stdout, stderr, err := sozai(t.Context(), t, nil, nil, "events", "--json", "--kind", kinds, "--data", s.data)
		ok(t, err == nil, "%v %s", err, stderr)
		return decodeLines[eventLine](t, stdout)
	}
	count := func(all []eventLine, types string) (n int) {
		for _, e := range all {
			if e.Type == types {
				n++
			}
		}
		return n
	}
	until(t, "the run and the answer are with the model", func() bool { return calls.Load() >= 2 })

	begun := time.Now()
	err := s.signal(syscall.SIGTERM)
	took := time.Since(begun)
	ok(t, err == nil, "it ended with %v\n%s", err, s.printed())
	ok(t, took < drainLimit, "it took %s to stop", took)
	t.Logf("stopped in %s", took.Round(time.Millisecond))
	events := of("run,turn")
	ok(t, count(events, "run.finished")+count(events, "turn.finished") == 0, "something was ended instead of handed over")
	for _, e := range events {
		var lost struct {
			Cause string `json:"cause"`
		}
		if err := json.Unmarshal(e.Data, &lost); err != nil {
			t.Fatal(err)
		}
		if e.Type == (run.AttemptLost{}).EventType() || e.Type == (turn.AttemptLost{}).EventType() {
			ok(t, lost.Cause == run.HandedOver, "%s of cause %s", e.Type, lost.Cause)
		}
	}
	ok(t, count(events, "run.attempt_lost") == 1 && count(events, "turn.attempt_lost") == 1, "handed over: %+v", events)

	before := calls.Load()
	s.start()
	until(t, "the next server goes on with both", func() bool { return calls.Load() >= before+2 })
	events = of("run,turn")
	ok(t, count(events, "run.started") == 2 && count(events, "turn.started") == 2, "started: %+v", events)
}
