package streams_test

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/gene"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// operation is one command of one caller in the model: facts of an agent, or an
// edit of its gene.
type operation struct {
	far   bool // sent by the process whose answers may get lost
	agent int
	cmd   streams.Command
	facts []domain.Fact // none: an edit
}

// outcome is what a caller was told.
type outcome struct {
	operation
	events []domain.Recorded
	err    error
}

func (o operation) run(t *testing.T, log *streams.Log, key domain.Key) outcome {
	if o.facts == nil {
		result, err := log.Decide(t.Context(), key, o.cmd, edit(o.cmd.ID))
		return outcome{operation: o, events: result.Events, err: err}
	}
	events, err := log.Record(t.Context(), key, o.cmd, o.facts...)
	return outcome{operation: o, events: events, err: err}
}

// Group commit against a model: callers of two processes append facts and
// decisions side by side, some commands twice, and in some rounds one process
// hears no answers from some moment on. Then
//   - what was acknowledged stands in the log where the caller was told;
//   - what was refused does not, and what is unknown does at most once, and once
//     when it was repeated;
//   - a caller's events stand in the order of its calls;
//   - each version of an agent's gene has one winner.
func TestGroupCommitAgainstAModel(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	near := openLog(t, s)
	nc, proxy := s.ConnectThrough(t)
	far, err := streams.Open(t.Context(), nc, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := far.Hurry(t.Context(), 150*time.Millisecond); err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	rapid.Check(t, func(r *rapid.T) {
		if time.Since(began) > 20*time.Second {
			return // enough for one run on a busy machine
		}
		keys := make([]domain.Key, rapid.IntRange(1, 8).Draw(r, "agents"))
		for i := range keys {
			keys[i] = s.Key()
			create(t, s, near, keys[i])
		}
		callers := rapid.IntRange(1, 30).Draw(r, "callers")
		calls := rapid.IntRange(1, 2).Draw(r, "calls each")
		script := make([][]operation, callers)
		for i := range script {
			for range calls {
				o := operation{
					far: rapid.Bool().Draw(r, "far"), agent: rapid.IntRange(0, len(keys)-1).Draw(r, "agent"),
					cmd: s.Command("01HZ0000000000000000000009"),
				}
				for range rapid.IntRange(0, 3).Draw(r, "facts") {
					o.facts = append(o.facts, chat.Said{Message: s.Log.NewID(), Text: "hi"})
				}
				if i > 0 && rapid.IntRange(0, 9).Draw(r, "twice") == 0 {
					o = script[i-1][len(script[i])] // what the neighbour sends, at the same time
				}
				script[i] = append(script[i], o)
			}
		}
		if rapid.IntRange(0, 9).Draw(r, "lose answers") == 0 {
			proxy.LoseAnswers(rapid.SampledFrom([]string{`"seq":`, `"count":`, `"error":`}).Draw(r, "from"))
			cut := time.AfterFunc(150*time.Millisecond, proxy.Cut)
			defer cut.Stop()
		}
		got := make([][]outcome, callers)
		together(callers, func(i int) {
			for _, o := range script[i] {
				log := near
				if o.far {
					log = far
				}
				got[i] = append(got[i], o.run(t, log, keys[o.agent]))
			}
		})
		proxy.Cut()
		check(t, r, s, near, keys, got)
	})
}

func check(t *testing.T, r *rapid.T, s *streamstest.Server, near *streams.Log, keys []domain.Key, got [][]outcome) {
	stored := func() (bySeq map[uint64]domain.Recorded, times map[string]int) {
		bySeq, times = map[uint64]domain.Recorded{}, map[string]int{}
		for _, key := range keys {
			version := 0
			for _, e := range readAll(t, s.Log, key) {
				bySeq[e.Seq] = e
				times[e.Command]++
				if m, ok := e.Event.(gene.Minted); ok {
					if version++; m.Version != version {
						r.Fatalf("agent %s has version %d where %d belongs", key.Agent, m.Version, version)
					}
				}
			}
		}
		return bySeq, times
	}
	bySeq, times := stored()
	acknowledged, callers := map[string]bool{}, map[string]int{}
	for _, outcomes := range got {
		for _, o := range outcomes {
			callers[o.cmd.ID]++
		}
	}
	for _, outcomes := range got {
		var newest uint64
		for _, o := range outcomes {
			size := max(len(o.facts), 1)
			switch {
			case o.err == nil:
				acknowledged[o.cmd.ID] = true
				if len(o.events) != size || times[o.cmd.ID] != size {
					r.Fatalf("command %s: %d events told, %d stored, want %d", o.cmd.ID, len(o.events), times[o.cmd.ID], size)
				}
				for _, e := range o.events {
					if e.Seq != 0 && bySeq[e.Seq].Command != o.cmd.ID {
						r.Fatalf("command %s was told %d, where %+v stands", o.cmd.ID, e.Seq, bySeq[e.Seq])
					}
				}
				if last := o.events[size-1].Seq; callers[o.cmd.ID] == 1 {
					if last <= newest {
						r.Fatalf("command %s stands at %d, an earlier one of its caller at %d", o.cmd.ID, last, newest)
					}
					newest = last
				}
			case errors.Is(o.err, streams.ErrLogUnavailable):
				if n := times[o.cmd.ID]; n != 0 && n != size {
					r.Fatalf("command %s of unknown outcome: %d events stored, want none or %d", o.cmd.ID, n, size)
				}
			case errors.Is(o.err, streams.ErrBusy), errors.Is(o.err, streams.ErrContended):
			default:
				r.Fatalf("command %s: %v", o.cmd.ID, o.err)
			}
		}
	}
	// Everything is tried again, and is there once.
	var again sync.Map
	together(len(got), func(i int) {
		for _, o := range got[i] {
			if second := o.run(t, near, keys[o.agent]); second.err != nil {
				again.Store(o.cmd.ID, second.err)
			}
		}
	})
	again.Range(func(id, err any) bool {
		r.Fatalf("command %s again: %v", id, err)
		return true
	})
	_, after := stored()
	for _, outcomes := range got {
		for _, o := range outcomes {
			if size := max(len(o.facts), 1); after[o.cmd.ID] != size {
				r.Fatalf("command %s stands %d times in the log, want %d", o.cmd.ID, after[o.cmd.ID], size)
			}
		}
	}
	for id, n := range times {
		if acknowledged[id] && after[id] != n {
			r.Fatalf("command %s: %d events, then %d", id, n, after[id])
		}
	}
}

// A fold is the same whether it is read at once, event by event, or in pieces
// between which others append.
func TestFoldIsTheSameHoweverItIsRead(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	rapid.Check(t, func(r *rapid.T) {
		key := s.Key()
		create(t, s, s.Log, key)
		pieces := openLog(t, s)
		for i := range rapid.IntRange(1, 12).Draw(r, "steps") {
			switch rapid.IntRange(0, 2).Draw(r, "step") {
			case 0:
				if _, err := s.Log.Decide(t.Context(), key, s.Command("01HZ0000000000000000000009"), edit(fmt.Sprint(i))); err != nil {
					r.Fatal(err)
				}
			case 1:
				say(t, s, key, fmt.Sprint(i))
			default:
				see(t, pieces, key)
			}
		}
		want := see(t, s.Log, key)
		if got := see(t, pieces, key); !maps.Equal(got, want) {
			r.Fatalf("read in pieces %v, written %v", got, want)
		}
		s.Log.Forget()
		if got := see(t, s.Log, key); !maps.Equal(got, want) {
			r.Fatalf("read anew %v, written %v", got, want)
		}
		whole := openLog(t, s)
		if got := see(t, whole, key); !maps.Equal(got, want) {
			r.Fatalf("read by another %v, written %v", got, want)
		}
	})
}

// see describes a fold.
func see(t *testing.T, log *streams.Log, key domain.Key) map[string]string {
	t.Helper()
	seen := map[string]string{}
	err := log.View(t.Context(), key, func(st *streams.State) error {
		seen["agent"] = fmt.Sprintf("%+v", st.Agent)
		seen["gene"] = fmt.Sprintf("%d %q %v", st.Gene.Version, st.Gene.Search, st.Gene.Lines(domain.Search))
		seen["chat"] = fmt.Sprintf("%+v", st.Chat.After(""))
		seen["runs"] = fmt.Sprint(len(st.Run.Open()))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}
