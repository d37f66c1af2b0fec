package main

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/feedback"
)

func TestEventsAreListedAndFiltered(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	defer done()

	all := s.lines()
	if len(all) != 14 {
		t.Fatalf("%d events:\n%s", len(all), s.must("events"))
	}
	for i, e := range all {
		if e.Seq != uint64(i+1) || e.ID == "" || e.Type == "" || e.Time.IsZero() || e.Actor == "" || e.Command == "" || len(e.Data) == 0 {
			t.Fatalf("event %d is not whole: %+v", i, e)
		}
	}
	together := 0 // the events of one decision have one time
	for _, e := range all {
		if e.Time.Equal(all[5].Time) {
			together++
		}
	}
	count := func(args ...string) int { t.Helper(); return len(s.lines(args...)) }
	byKind := 0
	for _, kind := range domain.Kinds() {
		byKind += count("--kind", string(kind))
	}
	for what, pair := range map[string][2]int{
		"kinds add up":            {byKind, 14},
		"an agent by id":          {count("--agent", strings.ToLower(string(pots.Agent))), 6},
		"an agent by part of it":  {count("--agent", "塔防"), 8},
		"a product":               {count("--product", "kitchen"), 6},
		"a type":                  {count("--type", "run.requested"), 3},
		"a pattern":               {count("--type", "run.*", "--agent", "Pots"), 3},
		"two kinds":               {count("--kind", "chat,feedback"), 2},
		"a role":                  {count("--actor", "worker"), 3},
		"one actor":               {count("--actor", "user:01KBADA0000000000000000001"), 5},
		"the newest":              {count("-n", "4"), 4},
		"the newest of a kind":    {count("-n", "2", "--kind", "run"), 2},
		"after":                   {count("--after", "12"), 2},
		"the first after":         {count("--after", "3", "-n", "5"), 5},
		"since long ago":          {count("--since", "2h"), 14},
		"since today":             {count("--since", time.Now().Add(-time.Hour).Format(time.RFC3339)), 14},
		"until long ago":          {count("--until", "2h"), 0},
		"until the end of today":  {count("--until", time.Now().Format(time.DateOnly)), 14},
		"until after the last":    {count("--until", all[13].Time.Add(time.Nanosecond).Format(time.RFC3339Nano)), 14},
		"since the sixth, to the": {count("--since", all[5].Time.Format(time.RFC3339Nano), "--until", all[5].Time.Add(time.Nanosecond).Format(time.RFC3339Nano)), together},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %d events, want %d", what, pair[0], pair[1])
		}
	}
	if diff := cmp.Diff(all[10:], s.lines("-n", "4")); diff != "" {
		t.Errorf("the newest four (-want +got):\n%s", diff)
	}
	if first := s.lines("--after", "3", "-n", "5"); first[0].Seq != 4 || first[4].Seq != 8 {
		t.Errorf("paging forward gave %d to %d", first[0].Seq, first[4].Seq)
	}

	text := s.must("events", "--kind", "run", "--agent", "Tower")
	for _, word := range []string{"SEQ", "run.requested", "末日塔防 Tower", "worker:w1", "work=search"} {
		if !strings.Contains(text, word) {
			t.Errorf("the table does not show %q:\n%s", word, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("colour in a pipe")
	}
	s.refuses(1, []string{"nobody"}, "events", "--agent", "nobody")
	s.refuses(1, []string{"agents are called", string(tower.Agent), string(pots.Agent)}, "events", "--agent", "o")
	s.refuses(1, []string{"--kind", "library"}, "events", "--kind", "films")
	s.refuses(1, []string{"--since", "2h"}, "events", "--since", "tomorrow-ish")
}

// An event that cannot be decoded is shown with the reason, whatever the filter
// of times says about the one it claims.
func TestEventsShowWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	s.poison(n, tower, domain.KindFeedback)
	done()
	last := s.lines("-n", "1")[0]
	if last.Type != "feedback.sung" || !strings.Contains(last.Error, "unknown type") || string(last.Data) != `{"from":"the future"}` {
		t.Fatalf("got %+v", last)
	}
	if text := s.must("events", "-n", "1"); !strings.Contains(text, "CANNOT BE READ") || !strings.Contains(text, "feedback.sung") {
		t.Fatalf("got:\n%s", text)
	}
	s.at.Data = t.TempDir()
	s.refuses(1, []string{"there is no log", "--data"}, "events")
}

// Following shows what is appended by others, filtered, until it is interrupted.
func TestEventsFollow(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		p := process{ctx: ctx, getenv: func(string) string { return "" }, stdin: strings.NewReader(""), stdout: write, stderr: io.Discard}
		ended <- execute(p, []string{"events", "-f", "--json", "--kind", "feedback", "--agent", "Pots", "--data", s.at.Data})
	}()
	lines := make(chan string)
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := read.Read(buf)
			if err != nil {
				return
			}
			lines <- string(buf[:n])
		}
	}()
	next := func() string {
		select {
		case line := <-lines:
			return line
		case <-time.After(20 * time.Second):
			t.Fatal("nothing was shown")
			return ""
		}
	}
	if line := next(); !strings.Contains(line, "less steam") {
		t.Fatalf("the past: %s", line)
	}
	words := feedback.Given{Feedback: n.log.NewID(), Object: domain.Ref{Type: domain.Whole}, Words: "not this one"}
	s.record(n, tower, domain.User("01KBADA0000000000000000001"), words)
	words.Feedback, words.Words = n.log.NewID(), "but this one"
	s.record(n, pots, domain.User("01KBADA0000000000000000001"), words)
	if line := next(); !strings.Contains(line, "but this one") || strings.Contains(line, "not this one") {
		t.Fatalf("the present: %s", line)
	}
	cancel()
	if code := <-ended; code != 0 {
		t.Fatalf("Ctrl-C ended with code %d", code)
	}
	done()
	if _, stderr, code := s.run("events", "-f"); code != 0 || !strings.Contains(stderr, "no server runs") {
		t.Fatalf("on a stopped folder: code %d, %s", code, stderr)
	}
}

// `events | head -1` ends quietly.
func TestEventsIntoAClosedPipe(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n, done := s.open()
	s.fill(n)
	big := feedback.Given{Object: domain.Ref{Type: domain.Whole}, Words: strings.Repeat("steam ", 300)}
	for range 100 { // more than a pipe holds
		big.Feedback = n.log.NewID()
		s.record(n, pots, domain.User("01KBADA0000000000000000001"), big)
	}
	done()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", binary(t)+" events --json --data "+s.at.Data+" | head -1") //nolint:gosec // our own binary
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 || strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("%v, stderr %q, %d lines", err, errs.String(), strings.Count(out.String(), "\n"))
	}
	if got := len(s.lines()); got != 114 {
		t.Fatalf("%d events after it", got)
	}
}

func TestParseMoment(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 8*3600)
	now := time.Date(2026, 7, 3, 12, 0, 0, 0, zone)
	for text, want := range map[string]time.Time{
		"2h":                        now.Add(-2 * time.Hour),
		"1.5d":                      now.Add(-36 * time.Hour),
		"2026-07-01":                time.Date(2026, 7, 1, 0, 0, 0, 0, zone),
		"2026-07-01 08:30":          time.Date(2026, 7, 1, 8, 30, 0, 0, zone),
		"2026-07-01T08:30:00Z":      time.Date(2026, 7, 1, 8, 30, 0, 0, time.UTC),
		"2026-07-01T08:30:00+02:00": time.Date(2026, 7, 1, 6, 30, 0, 0, time.UTC),
		"":                          {},
	} {
		if got, err := parseMoment("--since", text, now, false); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got, err := parseMoment("--until", "2026-07-01", now, true); err != nil || !got.Equal(time.Date(2026, 7, 2, 0, 0, 0, 0, zone)) {
		t.Errorf("the end of a day: %v, %v", got, err)
	}
	for _, text := range []string{"-2h", "soon", "2026-13-01", "12"} {
		if _, err := parseMoment("--since", text, now, false); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{}`: ``,
		`{"run":"01KBDEM0000000000000000002","attempt":1,"live":true,"gone":null}`:                   `run=…000002 attempt=1 live=true gone=null`,
		`{"text":"两行\n字","empty":"","kinds":["fast"],"many":[1,2],"none":[],"in":{"a":{"b":"c d"}}}`: `text=“两行 字” empty=“” kinds=[fast] many=[2] none=[0] in={a={b=“c d”}}`,
		`{"a" : 1 , "b":  "x"}`: `a=1 b=x`,
		`[1,2]`:                 `[1,2]`,
		`"cut`:                  `"cut`,
		`{"a":1,"b`:             `a=1`,
	} {
		if got := brief([]byte(data), true); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
	if got := brief([]byte(`{"run":"01KBDEM0000000000000000002"}`), false); got != `run=01KBDEM0000000000000000002` {
		t.Errorf("not short: %q", got)
	}
	if got := fit("末日塔防 Tower", 9); got != "末日塔防…" {
		t.Errorf("fit: %q", got)
	}
}
