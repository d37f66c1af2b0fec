package main

import (
	"net/http"
	"strings"
	"testing"
)

// The terminal asks for runs as the pages' buttons do, and waits for their end.
func TestRunsAreStartedFromTheTerminal(t *testing.T) {
	t.Parallel()
	s := newServer(t, "--no-demo")
	s.start()
	until(t, "a link is printed", func() bool { return s.firstLink() != "" })
	ada := newPerson(t, s.url())
	ada.useLink(s.firstLink(), "ada", "correct horse battery")
	ada.must(http.MethodPost, "/api/products", map[string]string{"id": "games", "name": "游戏"}, nil)
	ada.must(http.MethodPost, "/api/agents?product=games", map[string]any{"name": "塔防", "brief": "塔防", "search": "爆炸", "steer": "快节奏"}, nil)
	env := []string{"XDG_CONFIG_HOME=" + t.TempDir()}
	_, stderr, err := sozai(t.Context(), t, env, strings.NewReader("correct horse battery\n"), "login", s.url(), "-n", "ada", "--password-stdin")
	ok(t, err == nil, "login: %v %s", err, stderr)
	run := func(args ...string) (string, bool) {
		stdout, stderr, err := sozai(t.Context(), t, env, nil, append([]string{"run"}, args...)...)
		return stdout + stderr, err == nil
	}

	said, done := run("start", "search", "塔防", "--what", "再找一批", "--count", "3", "--wait")
	ok(t, done && strings.Contains(said, "done") && strings.Contains(said, "¥0"), "a search: %s", said)
	said, done = run("list", "塔防")
	ok(t, done && strings.Count(said, "search") == 2, "the list: %s", said)
	said, done = run("start", "board", "塔防", "--what", "做一版", "--wait")
	ok(t, !done && strings.Contains(said, "failed"), "a board of nothing: %s", said)
	for states, want := range map[string][2]int{ // how many searches and boards
		"done": {2, 0}, "failed": {0, 1}, "failed,done": {2, 1}, "running": {0, 0},
	} {
		said, done = run("list", "塔防", "--state", states)
		ok(t, done && strings.Count(said, " search ") == want[0] && strings.Count(said, " board ") == want[1], "those %s: %s", states, said)
	}
	for args, want := range map[string]string{
		"start film 塔防": "needs a board", "start dance 塔防": "dance", "start film 塔防 --board x": "--board",
		"start board 塔防 --cite film": "--cite", "start search nobody": "nobody", "continue 01KDVDP0000000000000000AS1": "no run",
	} {
		if said, done = run(strings.Fields(args)...); done || !strings.Contains(said, want) {
			t.Errorf("run %s: %s", args, said)
		}
	}
}
