package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/run"
	"sozai/projections/postgres/postgrestest"
	"sozai/streams"
)

// shop is a data folder of a test with a database of the process's shared
// cluster, and the commands run on it without a process of their own.
type shop struct {
	t  *testing.T
	at place
}

func newShop(t *testing.T) *shop {
	t.Helper()
	return &shop{t: t, at: place{Data: filepath.Join(t.TempDir(), "data"), DatabaseURL: postgrestest.DSN(postgrestest.Pool(t))}}
}

// open opens it as serve does; commands run beside until the returned function
// is called.
func (s *shop) open() (*node, func()) {
	s.t.Helper()
	n, err := open(s.t.Context(), s.at, opening{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(n.close)
	return n, n.close
}

// run runs a command on the shop and returns what it printed and its exit code.
func (s *shop) run(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	return s.runContext(s.t.Context(), nil, args...)
}

func (s *shop) runContext(ctx context.Context, stdin []byte, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	var out, errs bytes.Buffer
	p := process{ctx: ctx, getenv: func(string) string { return "" }, stdin: bytes.NewReader(stdin), stdout: &out, stderr: &errs}
	args = append(args, "--data", s.at.Data)
	for flag, value := range map[string]string{"--database-url": s.at.DatabaseURL, "--nats-url": s.at.NATSURL} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	code = execute(p, args)
	return out.String(), errs.String(), code
}

// must runs a command that has to succeed.
func (s *shop) must(args ...string) string {
	s.t.Helper()
	stdout, stderr, code := s.run(args...)
	if code != 0 {
		s.t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout
}

// refuses runs a command that has to fail with a code and a sentence of words.
func (s *shop) refuses(code int, words []string, args ...string) {
	s.t.Helper()
	stdout, stderr, got := s.run(args...)
	if got != code {
		s.t.Fatalf("%v: exit code %d, want %d\n%s%s", args, got, code, stdout, stderr)
	}
	for _, word := range words {
		if !strings.Contains(stderr, word) {
			s.t.Fatalf("%v does not say %q:\n%s", args, word, stderr)
		}
	}
}

// lines runs `events --json` and decodes what it prints.
func (s *shop) lines(args ...string) []eventLine {
	s.t.Helper()
	return decodeLines[eventLine](s.t, s.must(append([]string{"events", "--json"}, args...)...))
}

func decodeLines[T any](t *testing.T, text string) []T {
	t.Helper()
	var all []T
	dec := json.NewDecoder(strings.NewReader(text))
	for dec.More() {
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		all = append(all, v)
	}
	return all
}

// The agents of a filled shop.
var (
	tower = domain.Key{Product: "games", Agent: "01KBDEM0000000000000000002"}
	pots  = domain.Key{Product: "kitchen", Agent: "01KBDEM0000000000000000003"}
)

// history is what fill left open.
type history struct {
	running, waiting domain.ID // runs of the tower
}

// fill gives the shop two agents. The tower has a daily search, a search that is
// running, one that waits, an order that waits and a message that nobody
// answered; the pots have a search that is over and feedback.
func (s *shop) fill(n *node) history {
	s.t.Helper()
	h := history{running: n.log.NewID(), waiting: n.log.NewID()}
	ada := domain.User("01KBADA0000000000000000001")
	for key, name := range map[domain.Key]string{tower: "末日塔防 Tower", pots: "厨房好物 Pots"} {
		s.decide(n, key, domain.System("test"), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
			created, err := st.Agent.Create(agent.Created{Name: name, Brief: "brief", Creator: ada.ID(), Sources: []string{"fast"}})
			if err != nil {
				return nil, err
			}
			minted, err := st.Gene.Create("looks for: towers", "opens on danger", domain.Constraints{MaxFilmSeconds: 30})
			if err != nil {
				return nil, err
			}
			id := h.running
			if key == pots {
				id = n.log.NewID()
			}
			asked, err := st.Run.Request(run.Requested{Run: id, Work: run.Search, Trigger: run.First}, now)
			return append(append(created, minted...), asked...), err
		})
		s.decide(n, key, domain.Worker("w1"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
			return st.Run.Start(st.Run.Open()[0].ID, 1, 1)
		})
	}
	s.decide(n, pots, domain.Worker("w1"), func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.Finish(run.Finished{Run: st.Run.Open()[0].ID, Attempt: 1, Outcome: run.Done, Reason: run.ReasonFinished})
	})
	s.decide(n, tower, ada, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: h.waiting, Work: run.Search, Trigger: run.Hand, Request: run.Request{What: "more towers"}}, now)
	})
	s.decide(n, tower, ada, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.ProposeOrder(run.OrderProposed{Order: n.log.NewID(), Work: run.Board, Request: run.Request{What: "a board", Why: "asked"}}, now)
	})
	s.decide(n, tower, ada, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Agent.SetSchedule(agent.ScheduleSet{Daily: true, At: "09:00", Zone: "Asia/Shanghai"})
	})
	s.record(n, tower, ada, chat.Said{Message: n.log.NewID(), Text: "还有更快的开场吗？"})
	s.record(n, pots, ada, feedback.Given{Feedback: n.log.NewID(), Object: domain.Ref{Type: domain.Whole}, Words: "less steam"})
	return h
}

func (s *shop) decide(n *node, key domain.Key, by domain.Actor, decide func(*streams.State, time.Time) ([]domain.Decision, error)) {
	s.t.Helper()
	if _, err := n.log.Decide(s.t.Context(), key, streams.Command{ID: string(n.log.NewID()), Actor: by}, decide); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) record(n *node, key domain.Key, by domain.Actor, fact domain.Fact) {
	s.t.Helper()
	if _, err := n.log.Record(s.t.Context(), key, streams.Command{ID: string(n.log.NewID()), Actor: by}, fact); err != nil {
		s.t.Fatal(err)
	}
}

// poison appends an event of a type that this program does not know.
func (s *shop) poison(n *node, key domain.Key, kind domain.Kind) {
	s.t.Helper()
	js, err := jetstream.New(n.conn)
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = js.PublishMsg(s.t.Context(), &nats.Msg{
		Subject: "evt." + key.Product + "." + string(key.Agent) + "." + string(kind), Data: []byte(`{"from":"the future"}`),
		Header: nats.Header{
			"ce-specversion": {"1.0"}, "ce-id": {string(n.log.NewID())}, "ce-type": {string(kind) + ".sung"}, "ce-dataversion": {"1"},
			"ce-time": {time.Now().UTC().Format(time.RFC3339Nano)}, "ce-actor": {"user:x"}, "ce-command": {"c"},
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
}
