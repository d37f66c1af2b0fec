package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/agents/effect"
	"sozai/agents/effect/effecttest"
	"sozai/migrations"
	"sozai/projections/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

func database(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return postgrestest.Copy(t, "migrated", migrations.Up)
}

// process is a ledger as one process has it.
func process(t *testing.T, pool *pgxpool.Pool, worker string) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), pool, worker, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func TestConformance(t *testing.T) {
	t.Parallel()
	effecttest.Run(t, func(t *testing.T) effect.Ledger { return process(t, database(t), "w") })
}

func answer(text string) func(context.Context) (effect.Done, error) {
	return func(context.Context) (effect.Done, error) {
		return effect.Done{Answer: json.RawMessage(text), Cost: 7}, nil
	}
}

// begin starts a call in a process and leaves it in the middle, as a kill does:
// its connections end, nothing is recorded.
func begin(t *testing.T, pool *pgxpool.Pool, c effect.Call) (kill func()) {
	t.Helper()
	l := process(t, pool, "killed")
	going, over, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		_, _, _ = l.Once(context.WithoutCancel(t.Context()), c, func(context.Context) (effect.Done, error) {
			close(going)
			<-over
			panic("killed")
		})
	}()
	<-going
	return func() { close(over); <-ended }
}

var paid = effect.Call{Key: "tikhub/a", Kind: "tikhub", Product: "p", Agent: "A", Run: "R", Attempt: 1, Paid: true}

// While one process does it, the call is no matter for a person and another
// process waits; when the first dies, the second does not repeat it.
func TestDeadAttempt(t *testing.T) {
	t.Parallel()
	pool := database(t)
	kill := begin(t, pool, paid)
	second := process(t, pool, "second")
	if list, n, err := second.Unknown(t.Context(), 10); err != nil || n != 0 || len(list) != 0 {
		t.Fatalf("while it is going on: %+v, %v", list, err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := second.Once(short, paid, answer("2")); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("the second did not wait: %v", err)
	}
	kill()
	for range 2 { // before and after somebody tries it again
		list, n, err := second.Unknown(t.Context(), 10)
		if err != nil || n != 1 || list[0].Key != paid.Key || list[0].Run != "R" || list[0].Worker != "killed" || list[0].Error == "" {
			t.Fatalf("what a person sees: %+v, %d, %v", list, n, err)
		}
		if _, _, err := second.Once(t.Context(), paid, answer("2")); !errors.Is(err, effect.ErrUnknown) {
			t.Fatalf("tried again: %v", err)
		}
	}
}

// What is done stays done for other processes and later ones, with its cost.
func TestAcrossProcesses(t *testing.T) {
	t.Parallel()
	pool := database(t)
	if _, _, err := process(t, pool, "first").Once(t.Context(), paid, answer(`{"items":[]}`)); err != nil {
		t.Fatal(err)
	}
	d, again, err := process(t, pool, "second").Once(t.Context(), paid, answer("2"))
	if err != nil || !again || string(d.Answer) != `{"items":[]}` {
		t.Fatalf("%s, %v, %v", d.Answer, again, err)
	}
	var cost int
	var worker string
	if err := pool.QueryRow(t.Context(), `SELECT cost, worker FROM effects.calls`).Scan(&cost, &worker); err != nil || cost != 7 || worker != "first" {
		t.Fatalf("cost %d by %s, %v", cost, worker, err)
	}
}

// A process whose lock was lost while it lives is given up by the next one; when
// it ends all the same, what came of it is known.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	pool := database(t)
	first, second := process(t, pool, "first"), process(t, pool, "second")
	_, _, err := first.Once(t.Context(), paid, func(ctx context.Context) (effect.Done, error) {
		_, err := pool.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'`)
		if err != nil {
			return effect.Done{}, err
		}
		if _, _, err := second.Once(ctx, paid, answer("2")); !errors.Is(err, effect.ErrUnknown) {
			t.Errorf("given up: %v", err)
		}
		return effect.Done{Answer: json.RawMessage(`1`)}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d, again, err := second.Once(t.Context(), paid, answer("2"))
	if err != nil || !again || string(d.Answer) != "1" {
		t.Fatalf("%s, %v, %v", d.Answer, again, err)
	}
}

// Old answers go; what nobody knows, and what is going on, stays.
func TestForget(t *testing.T) {
	t.Parallel()
	pool := database(t)
	l := process(t, pool, "w")
	call := func(key string, err error) {
		c := paid
		c.Key = key
		_, _, _ = l.Once(t.Context(), c, func(context.Context) (effect.Done, error) { return effect.Done{}, err })
	}
	call("done", nil)
	call("failed", effect.ErrNotDone)
	call("unknown", errors.New("reset"))
	_, _, _ = l.Once(t.Context(), paid, func(ctx context.Context) (effect.Done, error) {
		if err := l.forget(ctx, time.Now().Add(-time.Hour)); err != nil {
			t.Error(err)
		}
		var n int
		if err := pool.QueryRow(ctx, `SELECT count(*) FROM effects.calls`).Scan(&n); err != nil || n != 4 {
			t.Errorf("young ones: %d stay, %v", n, err)
		}
		return effect.Done{}, l.forget(ctx, time.Now().Add(time.Hour))
	})
	var left []string
	if err := pool.QueryRow(t.Context(), `SELECT array_agg(key ORDER BY key) FROM effects.calls`).Scan(&left); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{paid.Key, "unknown"}, left); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
}
