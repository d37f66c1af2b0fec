package streams_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// Over loopback the client parses an event's headers, inside the process the log.
func TestAnEventReadsTheSameOverEveryConnection(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	history(t, s.Log, key)
	for header, body := range map[string]string{"": "NATS/1.0\r\n\r\nno event", "ce-id": "NATS/1.0\r\nce-id: 2\r\n\r\nneither"} {
		msg := nats.NewMsg("evt." + key.Product + "." + string(key.Agent) + ".chat")
		msg.Data = []byte(body)
		if header != "" {
			msg.Header[header] = []string{"1"}
		}
		if _, err := s.Conn.RequestMsg(msg, deadline); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := s.Embedded.ConnectTCP("other")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	other, err := streams.Open(t.Context(), conn, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(export(t, other, domain.Key{})), string(export(t, s.Log, domain.Key{}))); diff != "" {
		t.Fatalf("the log differs (-loopback +inside):\n%s", diff)
	}
	if diff := cmp.Diff(readAll(t, other, key, domain.KindRun, domain.KindGene), readAll(t, s.Log, key, domain.KindRun, domain.KindGene)); diff != "" {
		t.Fatalf("the events differ (-loopback +inside):\n%s", diff)
	}
}

// A log goes from one system to another and is the same there, poison and facts
// that stand in it twice included.
func TestImportMakesTheSameLog(t *testing.T) {
	t.Parallel()
	from, into := streamstest.Start(t), streamstest.Start(t)
	key := from.Key()
	history(t, from.Log, key)
	history(t, from.Log, from.Key())
	subject := "evt." + key.Product + "." + string(key.Agent) + ".chat"
	msg := storedChat(t, from.Log, key)
	for range 2 { // more than the dedupe window apart, in life
		if _, err := from.Conn.RequestMsg(msg, deadline); err != nil {
			t.Fatal(err)
		}
	}
	msg.Data = []byte("not <JSON>")
	if _, err := from.Conn.RequestMsg(msg, deadline); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Conn.Request(subject, []byte("no envelope at all"), deadline); err != nil {
		t.Fatal(err)
	}
	exported := export(t, from.Log, domain.Key{})
	var told []int
	n, err := into.Log.Import(t.Context(), lines(exported), func(n int) { told = append(told, n) })
	if err != nil {
		t.Fatal(err)
	}
	if want := bytes.Count(exported, []byte("\n")); n != want || told[len(told)-1] != want {
		t.Fatalf("imported %d events and told of %v, want %d", n, told, want)
	}
	if diff := cmp.Diff(string(exported), string(export(t, into.Log, domain.Key{}))); diff != "" {
		t.Fatalf("the imported log differs (-source +imported):\n%s", diff)
	}
	if diff := cmp.Diff(readAll(t, from.Log, key, domain.KindGene), readAll(t, into.Log, key, domain.KindGene)); diff != "" {
		t.Fatalf("its events differ (-source +imported):\n%s", diff)
	}
	if !bytes.Contains(exported, []byte(subject)) || !bytes.Contains(exported, []byte(`"data":"`)) {
		t.Fatal("the poison was not exported")
	}
	// One agent alone.
	alone := streamstest.Start(t)
	if _, err := alone.Log.Import(t.Context(), lines(export(t, from.Log, key)), nil); err != nil {
		t.Fatal(err)
	}
	if got, want := len(readAll(t, alone.Log, domain.Key{})), len(readAll(t, from.Log, key)); got != want {
		t.Fatalf("%d events of the agent, want %d", got, want)
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	good := func(s *streamstest.Server) streams.Stored {
		return streams.Stored{
			Subject: "evt.test." + string(s.Log.NewID()) + ".chat",
			Header:  map[string][]string{"ce-id": {"x"}, "ce-type": {"chat.said"}, "ce-time": {"2026-07-16T09:30:00Z"}},
			Data:    []byte(`{}`),
		}
	}
	for name, spoil := range map[string]func(*streams.Stored){
		"a foreign subject":         func(e *streams.Stored) { e.Subject = "work.test.x.chat" },
		"a wildcard":                func(e *streams.Stored) { e.Subject = "evt.*.01HZ0000000000000000000000.chat" },
		"no ULID":                   func(e *streams.Stored) { e.Subject = "evt.test.1.chat" },
		"an unknown kind":           func(e *streams.Stored) { e.Subject += "s" },
		"a guard":                   func(e *streams.Stored) { e.Header["Nats-Expected-Last-Sequence"] = []string{"7"} },
		"a rollup":                  func(e *streams.Stored) { e.Header["nats-rollup"] = []string{"all"} },
		"a header in two lines":     func(e *streams.Stored) { e.Header["ce-actor"] = []string{"user:x\r\nNats-Rollup: all"} },
		"a header name with a line": func(e *streams.Stored) { e.Header["a\r\nNats-Rollup"] = []string{"all"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := streamstest.Start(t)
			bad := good(s)
			spoil(&bad)
			n, err := s.Log.Import(t.Context(), seqOf(good(s), bad), nil)
			if domain.CodeOf(err) != domain.Invalid || n != 0 {
				t.Fatalf("imported %d events: %v", n, err)
			}
		})
	}
	t.Run("a log with events", func(t *testing.T) {
		t.Parallel()
		s := streamstest.Start(t)
		say(t, s, s.Key(), "hi")
		if _, err := s.Log.Import(t.Context(), seqOf(good(s)), nil); !errors.Is(err, streams.ErrNotEmpty) {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("others who append meanwhile", func(t *testing.T) {
		t.Parallel()
		s := streamstest.Start(t)
		events := func(yield func(streams.Stored, error) bool) {
			for i := range 3 * streams.BatchEvents {
				if i == 2*streams.BatchEvents {
					say(t, s, s.Key(), "in between")
				}
				if !yield(good(s), nil) {
					return
				}
			}
		}
		n, err := s.Log.Import(t.Context(), events, nil)
		if err == nil || n != streams.BatchEvents { // the second was not committed yet
			t.Fatalf("imported %d events beside others', %v", n, err)
		}
	})
	t.Run("a source that fails", func(t *testing.T) {
		t.Parallel()
		s := streamstest.Start(t)
		torn := errors.New("torn")
		_, err := s.Log.Import(t.Context(), func(yield func(streams.Stored, error) bool) {
			_ = yield(good(s), nil) && yield(streams.Stored{}, torn)
		}, nil)
		if !errors.Is(err, torn) {
			t.Fatalf("got %v", err)
		}
	})
}

func seqOf(events ...streams.Stored) iter.Seq2[streams.Stored, error] {
	return func(yield func(streams.Stored, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func FuzzStoredLine(f *testing.F) {
	f.Add([]byte(`{"seq":1,"subject":"evt.test.01HZ0000000000000000000000.chat","header":{"ce-id":["x"],"ce-type":["chat.said"],"ce-time":["2026-07-16T09:30:00Z"]},"body":{"a":"\u003c"}}`))
	f.Add([]byte(`{"subject":"evt.a.b.c","data":"AAE="}`))
	f.Add([]byte(`{"body":1,"data":"AAE="}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var e streams.Stored
		if json.Unmarshal(line, &e) != nil || e.Check() != nil {
			return
		}
		again, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back streams.Stored
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatal(err)
		}
		if len(e.Data) == 0 {
			e.Data, back.Data = nil, nil
		}
		if diff := cmp.Diff(e, back); diff != "" {
			t.Fatalf("another event after it was written and read:\n%s", diff)
		}
	})
}

func TestSeqAt(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	at := func(seconds int) time.Time { return time.Date(2026, 7, 16, 9, 0, seconds, 0, time.UTC) }
	// Two clocks: events 4 and 5 stand the wrong way round.
	var events []streams.Stored
	for i, seconds := range []int{1, 2, 3, 6, 5, 8, 9} {
		events = append(events, streams.Stored{
			Subject: "evt.test." + string(key.Agent) + ".chat", Data: []byte(`{}`),
			Header: map[string][]string{"ce-id": {fmt.Sprint(i)}, "ce-type": {"chat.said"}, "ce-time": {at(seconds).Format(time.RFC3339Nano)}},
		})
	}
	if got, err := s.Log.SeqAt(t.Context(), at(9)); err != nil || got != 0 {
		t.Fatalf("an empty log was at %d, %v", got, err)
	}
	if _, err := s.Log.Import(t.Context(), seqOf(events...), nil); err != nil {
		t.Fatal(err)
	}
	for seconds, want := range map[int]uint64{0: 0, 1: 1, 2: 2, 4: 3, 5: 5, 6: 5, 7: 5, 8: 6, 9: 7, 60: 7} {
		if got, err := s.Log.SeqAt(t.Context(), at(seconds)); err != nil || got != want {
			t.Errorf("at second %d the log was at %d, %v; want %d", seconds, got, err, want)
		}
	}
}

// FoldAll reads the log, not the cache, names what does not fold, and goes on
// with the others.
func TestFoldAllNamesWhatDoesNotFold(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	good, bad, poisoned := s.Key(), s.Key(), s.Key()
	for _, key := range []domain.Key{good, bad, poisoned} {
		history(t, s.Log, key)
	}
	var told uint64
	problems, err := s.Log.FoldAll(t.Context(), func(seq, last uint64) { told = seq })
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, %+v", err, problems)
	}
	if last, _ := s.Log.Last(t.Context()); told != last {
		t.Fatalf("told to be at %d of %d", told, last)
	}
	// The agent is created a second time, behind the log's back.
	first := readAll(t, s.Log, bad, domain.KindAgent)[0]
	msg, err := streams.NewCodec().Encode(first, 0)
	if err != nil {
		t.Fatal(err)
	}
	msg.Header.Del("Nats-Msg-Id")
	if _, err := s.Conn.RequestMsg(msg, deadline); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Conn.Request("evt.test."+string(poisoned.Agent)+".run", []byte("{"), deadline); err != nil {
		t.Fatal(err)
	}
	problems, err = s.Log.FoldAll(t.Context(), nil)
	if err != nil || len(problems) != 2 {
		t.Fatalf("%v, %+v", err, problems)
	}
	if p := problems[0]; p.Key != bad || p.Seq != told+1 || p.Event != first.ID || p.Type != "agent.created" || p.Err == nil {
		t.Errorf("got %+v", p)
	}
	if p := problems[1]; p.Key != poisoned || p.Seq != told+2 || p.Err == nil {
		t.Errorf("got %+v", p)
	}
}

func TestStatusShowsStreamsAndConsumers(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	say(t, s, s.Key(), "hi")
	var status []streams.StreamStatus
	within(t, "the hub's consumer", func() bool {
		var err error
		if status, err = s.Log.Status(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(status) > 0 && len(status[0].Consumers) > 0
	})
	names := []string{}
	for _, stream := range status {
		names = append(names, stream.Name)
	}
	if diff := cmp.Diff([]string{"EVENTS", "WORK", "TIMERS", "KV_ALIVE"}, names); diff != "" {
		t.Fatal(diff)
	}
	events := status[0]
	if events.Messages != 1 || events.First != 1 || events.Last != 1 || events.Bytes == 0 || events.Replicas != 1 || events.Created.IsZero() {
		t.Fatalf("got %+v", events)
	}
	if len(events.Consumers) != 1 { // the hub's
		t.Fatalf("got %+v", events.Consumers)
	}
}

// storedChat is a message as it stands in the log, without the publish's headers.
func storedChat(t *testing.T, log *streams.Log, key domain.Key) *nats.Msg {
	t.Helper()
	msg, err := streams.NewCodec().Encode(domain.Recorded{Event: chat.Said{Message: log.NewID(), Text: "<hi>"}, Meta: domain.Meta{
		ID: log.NewID(), Key: key, Time: time.Date(2026, 7, 16, 9, 30, 0, 0, time.UTC), Actor: "user:u", Command: string(log.NewID()),
	}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	msg.Header.Del("Nats-Msg-Id")
	return msg
}
