package streams_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/gene"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// together runs n callers that start at the same moment.
func together(n int, call func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			call(i)
		})
	}
	close(start)
	wg.Wait()
}

func openLog(t *testing.T, s *streamstest.Server) *streams.Log {
	t.Helper()
	log, err := streams.Open(t.Context(), s.Conn, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// Whatever goes out together, each caller gets the sequences of its own events,
// and its later events stand behind its earlier ones.
func TestManyCallersGetTheirOwnOutcome(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	log := openLog(t, s)
	const callers, each = 80, 6
	got := make([][]domain.Recorded, callers)
	together(callers, func(i int) {
		key := s.Key()
		for n := range each {
			facts := make([]domain.Fact, 1+(i+n)%3)
			for k := range facts {
				facts[k] = chat.Said{Message: log.NewID(), Text: fmt.Sprint(i, n, k)}
			}
			events, err := log.Record(t.Context(), key, s.Command("u"), facts...)
			if err != nil {
				t.Error(err)
				return
			}
			got[i] = append(got[i], events...)
		}
	})
	stored := map[uint64]domain.ID{}
	for _, r := range readAll(t, s.Log, domain.Key{}) {
		stored[r.Seq] = r.ID
	}
	total := 0
	for i, events := range got {
		for n, r := range events {
			if stored[r.Seq] != r.ID {
				t.Fatalf("caller %d was told that its event stands at %d, where another does", i, r.Seq)
			}
			if n > 0 && events[n-1].Seq >= r.Seq {
				t.Fatalf("caller %d: event at %d after one at %d", i, r.Seq, events[n-1].Seq)
			}
		}
		total += len(events)
	}
	if total != len(stored) {
		t.Fatalf("%d events acknowledged, %d stored", total, len(stored))
	}
}

// A repeated fact among others that go out with it is refused alone, and gets
// the sequence of the first.
func TestDuplicateFailsOnlyItself(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	log, key := openLog(t, s), s.Key()
	const callers = 60
	cmd, fact := s.Command("u"), chat.Said{Message: log.NewID(), Text: "twice"}
	seqs := make([]uint64, callers)
	together(callers, func(i int) {
		c, f := s.Command("u"), chat.Said{Message: log.NewID(), Text: fmt.Sprint(i)}
		if i%10 == 0 {
			c, f = cmd, fact
		}
		events, err := log.Record(t.Context(), key, c, f)
		if err != nil {
			t.Error(err)
			return
		}
		seqs[i] = events[0].Seq
	})
	for i := 10; i < callers; i += 10 {
		if seqs[i] != seqs[0] || seqs[i] == 0 {
			t.Fatalf("the repeated fact was told to stand at %d and at %d", seqs[0], seqs[i])
		}
	}
	if all := readAll(t, s.Log, key); len(all) != callers-5 {
		t.Fatalf("%d events, want %d", len(all), callers-5)
	}
}

// Decisions of many agents go out together; those whose guard another process
// has made stale are made again, and hold up nobody else's.
func TestStaleGuardFailsOnlyItself(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	ours, theirs := openLog(t, s), openLog(t, s)
	const agents = 60
	keys := make([]domain.Key, agents)
	for i := range keys {
		keys[i] = s.Key()
		create(t, s, ours, keys[i])
	}
	for i := 0; i < agents; i += 4 { // unseen by ours
		if _, err := theirs.Decide(t.Context(), keys[i], s.Command("v"), edit("theirs")); err != nil {
			t.Fatal(err)
		}
	}
	together(agents, func(i int) {
		result, err := ours.Decide(t.Context(), keys[i], s.Command("u"), edit("ours"))
		if err != nil {
			t.Error(err)
			return
		}
		want := 2
		if i%4 == 0 {
			want = 3
		}
		if m, ok := result.Events[0].Event.(gene.Minted); !ok || m.Version != want {
			t.Errorf("agent %d: got %+v, want version %d", i, result.Events[0].Event, want)
		}
	})
}

// edit appends a line to the search document.
func edit(line string) func(*streams.State, time.Time) ([]domain.Decision, error) {
	return func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
		text := s.Gene.Search + "\n" + line
		return s.Gene.Edit(s.Gene.Version, gene.Edit{Search: &text}, line, nil, domain.User("01HZ0000000000000000000009"))
	}
}

// While the log does not answer, callers wait a bounded time and are told; what
// stood in line behind was not sent, and is told that it was not recorded.
func TestSilentLogTurnsCallersAway(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	nc, proxy := s.ConnectThrough(t)
	log, err := streams.Open(t.Context(), nc, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Hurry(t.Context(), 300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	proxy.LoseAnswers(`"seq":`)
	const callers = 100
	errs := make([]error, callers)
	facts := make([]domain.ID, callers)
	key := s.Key()
	began := time.Now()
	together(callers, func(i int) {
		facts[i] = log.NewID()
		_, errs[i] = log.Record(t.Context(), key, s.Command("u"), chat.Said{Message: facts[i], Text: "?"})
	})
	if took := time.Since(began); took > 5*time.Second {
		t.Fatalf("callers waited %s", took)
	}
	proxy.Cut()
	stored := map[domain.ID]bool{}
	for _, r := range readAll(t, s.Log, key) {
		if said, ok := r.Event.(chat.Said); ok {
			stored[said.Message] = true
		}
	}
	unknown, refused := 0, 0
	for i, err := range errs {
		switch {
		case errors.Is(err, streams.ErrLogUnavailable):
			unknown++
		case errors.Is(err, streams.ErrBusy):
			refused++
			if stored[facts[i]] {
				t.Fatal("a caller was told that nothing was recorded, but it was")
			}
		default:
			t.Fatalf("got %v", err)
		}
	}
	if unknown == 0 || refused == 0 {
		t.Fatalf("%d unknown outcomes, %d refused", unknown, refused)
	}
	within(t, "the log serves again", func() bool {
		_, err := log.Record(t.Context(), key, s.Command("u"), chat.Said{Message: log.NewID(), Text: "back"})
		return err == nil
	})
}

// What waits is bounded: beyond it callers are refused at once.
func TestTooManyWaitersAreRefused(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	nc, proxy := s.ConnectThrough(t)
	log, err := streams.Open(t.Context(), nc, streams.Config{})
	if err != nil {
		t.Fatal(err)
	}
	key := s.Key()
	proxy.LoseAnswers(`"seq":`)
	var wg sync.WaitGroup
	for range streams.WaitingUnits + streams.BreakEven {
		wg.Go(func() {
			_, _ = log.Record(t.Context(), key, s.Command("u"), chat.Said{Message: log.NewID(), Text: "?"})
		})
	}
	within(t, "the line is full", func() bool { return log.Waiting() == streams.WaitingUnits })
	began := time.Now()
	if _, err := log.Record(t.Context(), key, s.Command("u"), chat.Said{Message: log.NewID(), Text: "?"}); !errors.Is(err, streams.ErrBusy) {
		t.Fatalf("got %v", err)
	}
	if took := time.Since(began); took > time.Second {
		t.Fatalf("refused after %s", took)
	}
	proxy.Cut()
	wg.Wait()
}

// An agent whose decision hangs does not collect waiters for ever.
func TestWaitingForAnAgentIsBounded(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	key := s.Key()
	create(t, s, s.Log, key)
	entered, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := s.Log.Decide(t.Context(), key, s.Command("u"), func(st *streams.State, now time.Time) ([]domain.Decision, error) {
			close(entered)
			<-release
			return rename("slow")(st, now)
		})
		done <- err
	}()
	<-entered
	if _, err := s.Log.Decide(t.Context(), key, s.Command("v"), rename("waits")); !errors.Is(err, streams.ErrBusy) {
		t.Fatalf("got %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestOversizedEventIsRefused(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	text := make([]byte, 5<<20)
	for i := range text {
		text[i] = 'x'
	}
	_, err := s.Log.Record(t.Context(), s.Key(), s.Command("u"), chat.Said{Message: s.Log.NewID(), Text: string(text)})
	if domain.CodeOf(err) != domain.TooLarge {
		t.Fatalf("got %v", err)
	}
}
