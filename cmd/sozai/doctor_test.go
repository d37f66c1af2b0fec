package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"sozai/projections"
)

// findings runs doctor and returns its checks by name, the worst of each.
func (s *shop) findings(code int) map[string]check {
	s.t.Helper()
	stdout, stderr, got := s.run("doctor", "--json")
	if got != code {
		s.t.Fatalf("exit code %d, want %d\n%s%s", got, code, stdout, stderr)
	}
	var report struct {
		OK     bool    `json:"ok"`
		Served bool    `json:"served"`
		Checks []check `json:"checks"`
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		s.t.Fatalf("%v\n%s", err, stdout)
	}
	if report.OK != (code == 0) {
		s.t.Fatalf("ok is %v, the exit code %d", report.OK, code)
	}
	worst := map[string]check{}
	for _, c := range report.Checks {
		if worst[c.Name].Status != checkFail {
			worst[c.Name] = c
		}
	}
	return worst
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	missing := s.findings(1)
	if c := missing["open"]; c.Status != checkFail || !strings.Contains(c.Says, "--data") {
		t.Fatalf("of no folder: %+v", missing)
	}
	if exists(s.at.Data) {
		t.Fatal("looking made a folder")
	}
	n, done := s.open()
	s.fill(n)
	if err := projections.NewRunner(n.store, n.log, discard()).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	beside := s.findings(0)
	for name, word := range map[string]string{
		"folder": "free", "disk": "fsync", "programs": "ffmpeg", "config": "embedded", "model": "rehearsal", "server": "beside it",
		"log": "14 events", "timers": "none armed", "database": "PostgreSQL", "schema": "the newest", "clock": "agree",
		"projections": "7 of 7", "parked": "no event", "builds": "none", "work": "2 runs and 1 room open", "backup": "export",
	} {
		if c := beside[name]; c.Status == checkFail || !strings.Contains(c.Says, word) {
			t.Errorf("%s: %+v, want %q", name, c, word)
		}
	}
	for _, c := range beside {
		if strings.Contains(c.Says+c.Do, s.at.DatabaseURL) && s.at.DatabaseURL != "" {
			t.Errorf("the database's password is shown: %+v", c)
		}
	}
	done()
	stopped := s.findings(0)
	if c := stopped["server"]; !strings.Contains(c.Says, "stopped") {
		t.Errorf("stopped: %+v", c)
	}
	if c := stopped["work"]; !strings.Contains(c.Says, "next start") {
		t.Errorf("stopped: %+v", c)
	}

	if err := os.Chmod(s.at.Data, 0o755); err != nil { //nolint:gosec // what doctor is to find
		t.Fatal(err)
	}
	write(t, importMark(s.at.Data), nil)
	n, done = s.open()
	if _, err := n.pool.Exec(t.Context(), `UPDATE control.projections SET status = 'failed', error = 'out of luck' WHERE projection = 'genes'`); err != nil {
		t.Fatal(err)
	}
	done()
	ill := s.findings(1)
	for name, want := range map[string]check{
		"projections": {Status: checkFail, Says: "out of luck", Do: "sozai rebuild genes"},
		"import":      {Status: checkFail, Says: "half-way", Do: "jetstream"},
	} {
		if c := ill[name]; c.Status != want.Status || !strings.Contains(c.Says, want.Says) || !strings.Contains(c.Do, want.Do) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	text, stderr, code := s.run("doctor")
	if code != 1 || !strings.Contains(text, "mode 755") || !strings.Contains(text, "fail  projections") || !strings.Contains(stderr, "failed") {
		t.Errorf("code %d\n%s%s", code, text, stderr)
	}
}
