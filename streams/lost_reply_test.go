package streams_test

import (
	"errors"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/chat"
	"sozai/domain/gene"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// J4: a publish is stored, its reply is lost, the command is repeated with the
// same key, also after a restart of the server: one event, and no silent success.
func TestLostReplyOfAFact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := streamstest.StartIn(t, dir)
	nc, proxy := s.ConnectThrough(t)
	far, err := streams.Open(t.Context(), nc, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	key, cmd := s.Key(), s.Command("u")
	fact := chat.Said{Message: s.Log.NewID(), Text: "爆炸感不够"}
	proxy.LoseAnswers(`"seq":`)
	done := make(chan error, 1)
	go func() {
		_, err := far.Record(t.Context(), key, cmd, fact)
		done <- err
	}()
	within(t, "the event is stored", func() bool { last, err := s.Log.Last(t.Context()); return err == nil && last == 1 })
	proxy.Cut()
	if err := <-done; !errors.Is(err, streams.ErrLogUnavailable) {
		t.Fatalf("the lost reply was reported as %v", err)
	}
	again, err := far.Record(t.Context(), key, cmd, fact)
	if err != nil || again[0].Seq != 1 {
		t.Fatalf("repeated: %v at %v", err, again)
	}
	s.Embedded.Stop()
	restarted := streamstest.StartIn(t, dir)
	again, err = restarted.Log.Record(t.Context(), key, cmd, fact)
	if err != nil || again[0].Seq != 1 {
		t.Fatalf("repeated after a restart: %v at %v", err, again)
	}
	if all := readAll(t, restarted.Log, key); len(all) != 1 {
		t.Fatalf("%d events", len(all))
	}
}

// The same for decisions, single and several at once: the log itself says that
// the command was carried out.
func TestLostReplyOfADecision(t *testing.T) {
	t.Parallel()
	user := domain.User("01HZ0000000000000000000009")
	for name, decide := range map[string]func(*streams.State, time.Time) ([]domain.Decision, error){
		"one event": rename("new"),
		"several events": func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
			name, text := "new", "新的检索需求"
			first, err := st.Agent.Edit(agent.Edited{Name: &name})
			if err != nil {
				return nil, err
			}
			second, err := st.Gene.Edit(1, gene.Edit{Search: &text}, "edited", nil, user)
			return append(first, second...), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := streamstest.Start(t)
			key, cmd := s.Key(), s.Command("u")
			created := create(t, s, s.Log, key)
			nc, proxy := s.ConnectThrough(t)
			far, err := streams.Open(t.Context(), nc, streams.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if err := far.View(t.Context(), key, func(*streams.State) error { return nil }); err != nil {
				t.Fatal(err)
			}
			lost := make(chan struct{})
			type outcome struct {
				result streams.Result
				err    error
			}
			done := make(chan outcome, 1)
			go func() {
				result, err := far.Decide(t.Context(), key, cmd, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
					select {
					case <-lost:
					default:
						close(lost)
						// The answer to a batch's last message counts its messages.
						proxy.LoseAnswers(map[string]string{"one event": `"seq":`, "several events": `"count":2`}[name])
					}
					return decide(st, now)
				})
				done <- outcome{result, err}
			}()
			<-lost
			within(t, "the decision is stored", func() bool {
				last, err := s.Log.Last(t.Context())
				return err == nil && last > created.Seq
			})
			proxy.Cut()
			got := <-done
			if got.err != nil {
				t.Fatal(got.err)
			}
			again, err := far.Decide(t.Context(), key, cmd, decide)
			if err != nil || !again.Replayed || again.Seq != got.result.Seq {
				t.Fatalf("repeated: %+v, %v; first %+v", again, err, got.result)
			}
			if all := readAll(t, s.Log, key); all[len(all)-1].Seq != got.result.Seq {
				t.Fatalf("the log goes on after the decision: %v", all)
			}
		})
	}
}

// The same for many callers whose facts went out as one batch: none is told that
// all is well, the batch is in the log once, and each gets its own sequence when
// it tries again, also after a restart.
func TestLostReplyOfManyCallers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := streamstest.StartIn(t, dir)
	nc, proxy := s.ConnectThrough(t)
	far, err := streams.Open(t.Context(), nc, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := far.Hurry(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	const callers = 40
	key, agents := s.Key(), make([]domain.Key, callers)
	for i := range agents {
		if i%2 == 0 {
			agents[i] = s.Key()
			create(t, s, far, agents[i])
		}
	}
	before, err := s.Log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmds, facts := make([]streams.Command, callers), make([]chat.Said, callers)
	for i := range callers {
		cmds[i], facts[i] = s.Command("u"), chat.Said{Message: s.Log.NewID(), Text: "爆炸感不够"}
	}
	// Every other caller makes a decision.
	call := func(log *streams.Log, i int) (uint64, error) {
		if i%2 == 0 {
			result, err := log.Decide(t.Context(), agents[i], cmds[i], rename("new"))
			return result.Seq, err
		}
		events, err := log.Record(t.Context(), key, cmds[i], facts[i])
		if err != nil {
			return 0, err
		}
		return events[0].Seq, nil
	}
	proxy.LoseAnswers(`"count":`) // the first batch, and everything after it
	first, errs := make([]uint64, callers), make([]error, callers)
	done := make(chan struct{})
	go func() {
		defer close(done)
		together(callers, func(i int) { first[i], errs[i] = call(far, i) })
	}()
	within(t, "a batch is stored", func() bool {
		last, err := s.Log.Last(t.Context())
		return err == nil && last > before+streams.BreakEven
	})
	proxy.Cut()
	<-done
	unknown := 0
	for i, err := range errs {
		switch {
		case errors.Is(err, streams.ErrLogUnavailable):
			unknown++
		case err != nil && !errors.Is(err, streams.ErrBusy):
			t.Fatalf("caller %d: %v", i, err)
		}
	}
	if unknown == 0 {
		t.Fatal("no outcome is unknown: no batch was lost")
	}
	again := make([]uint64, callers)
	check := func(log *streams.Log) {
		t.Helper()
		together(callers, func(i int) {
			seq, err := call(log, i)
			switch {
			case err != nil:
				t.Errorf("caller %d again: %v", i, err)
			case first[i] != 0 && seq != first[i], again[i] != 0 && seq != again[i]:
				t.Errorf("caller %d is now told %d, before %d and %d", i, seq, first[i], again[i])
			}
			again[i] = seq
		})
		if all := readAll(t, log, domain.Key{}); uint64(len(all)) != before+callers {
			t.Fatalf("%d events, want %d", len(all), before+callers)
		}
	}
	check(far)
	s.Embedded.Stop()
	check(streamstest.StartIn(t, dir).Log)
}
