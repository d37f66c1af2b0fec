package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"sozai/agents/source/sourcetest"
	"sozai/projections"
)

// requests remembers what a service was asked, media apart.
type requests struct {
	next http.Handler
	mu   sync.Mutex
	seen map[string]int
}

func (q *requests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/media/") {
		q.mu.Lock()
		q.seen[r.Method+" "+r.URL.RequestURI()]++
		q.mu.Unlock()
	}
	q.next.ServeHTTP(w, r)
}

func (q *requests) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.seen)
}

// Searches outside, the fast one and the deep one, survive a killed worker: what
// was paid is not paid again, nothing is saved twice, and the System page knows
// how the services are.
func TestSearchesOutsideSurviveAKill(t *testing.T) {
	t.Parallel()
	clips, err := sourcetest.Clips(t.Context(), 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	videos := sourcetest.Videos(6, "tower explosion")
	for i := range videos {
		videos[i].Seconds = 2
	}
	tikhub := sourcetest.MakeTikHub("tk", map[string][]sourcetest.Video{"tiktok": videos}, clips...)
	asked := &requests{next: tikhub, seen: map[string]int{}}
	door := httptest.NewServer(asked)
	t.Cleanup(door.Close)
	tikhub.URL = door.URL
	others := sourcetest.Videos(4, "tower raid")
	for i := range others {
		others[i].ID, others[i].Seconds = fmt.Sprintf("h%d", i), 2
	}
	hot := sourcetest.NewHot(t, others, clips...)
	hot.Polls = 6

	host := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u.Host
	}
	s := newServer(t, "--no-demo", "--tikhub-url", tikhub.URL, "--tikhub-key", tikhub.Key, "--tikhub-platforms", "tiktok",
		"--hot-url", hot.URL, "--hot-key", hot.Key, "--hot-price", "0.5", "--media-hosts", host(tikhub.URL)+","+host(hot.URL))
	w := &wheel{t: t, server: s, kills: true}
	s.start()
	until(t, "a link is printed", func() bool { return s.firstLink() != "" })
	w.bo = newPerson(t, s.url())
	w.bo.useLink(s.firstLink(), "bo", "correct horse battery")
	w.bo.must(http.MethodPost, "/api/products", map[string]string{"id": "games", "name": "Games"}, nil)
	var made struct{ Agent, Run string }
	w.bo.must(http.MethodPost, "/api/agents?product=games", map[string]any{
		"name": "Tower", "brief": "tower defense", "search": "tower explosion", "steer": "fast", "sources": []string{"fast", "hot"},
	}, &made)
	w.agent = made.Agent

	until(t, "something is saved, or it is over", func() bool { return len(w.materials(t, "")) > 0 || tikhub.Calls() > 0 && asked.count() > 2 })
	w.kill("in the middle of a search outside")
	first := w.task(made.Run)
	until(t, "the search ends", func() bool { first = w.task(made.Run); return !first.State.Open() })
	found := w.materials(t, "&run="+made.Run)
	ok(t, first.State == projections.TaskDone && len(found) > 0, "it ended as %s (%s) with %d: %s", first.State, first.Reason, len(found), first.Summary)
	for _, m := range found {
		ok(t, m.Platform == "tiktok" && strings.HasPrefix(m.External, "tiktok:") && m.Analysis != nil && m.Media.Hash != "", "%+v", m)
	}
	asked.mu.Lock()
	for address, n := range asked.seen {
		ok(t, n == 1 || !strings.Contains(address, "search"), "%d times paid: %s", n, address)
	}
	asked.mu.Unlock()

	run := w.ask(t, map[string]any{"work": "search", "source": "hot", "what": "tower raid"})
	until(t, "the engine has it", func() bool { return hot.Charges() > 0 || !w.task(run).State.Open() })
	w.kill("while the engine searched")
	deep := w.task(run)
	until(t, "the deep search ends", func() bool { deep = w.task(run); return !deep.State.Open() })
	imported := w.materials(t, "&run="+run)
	ok(t, deep.State == projections.TaskDone && len(imported) > 0, "it ended as %s (%s) with %d: %s", deep.State, deep.Reason, len(imported), deep.Summary)
	ok(t, hot.Charges() == 1, "the engine charged %d times", hot.Charges())
	w.noDuplicates(t)

	var system struct {
		Sources []struct {
			Name, State string
			Calls       int
			Cost        float64 `json:"cost_yuan"`
		}
	}
	w.bo.get("/api/system/sources", &system)
	for _, one := range system.Sources {
		switch one.Name {
		case "tiktok", "hot":
			ok(t, one.State == "ok" && one.Calls > 0 && one.Cost > 0, "%+v", one)
		default:
			ok(t, one.State == "off", "%+v", one)
		}
	}
	ok(t, len(system.Sources) == 5, "%+v", system.Sources)
}
