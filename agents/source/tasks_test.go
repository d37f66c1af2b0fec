package source_test

import (
	"errors"
	"testing"
	"time"

	"sozai/agents/effect"
	"sozai/agents/source"
	"sozai/agents/source/sourcetest"
	"sozai/domain"
)

func bridge(t *testing.T, s *sourcetest.Tasks, l effect.Ledger) *source.Bridge {
	t.Helper()
	return must(source.NewBridge((&bundle{}).tasks(t, s, l)))(t)
}

// One search an agent a day for the same words, whatever the run.
func TestCompetitorSearchIsPaidOnceADay(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewBridge(t, sourcetest.Videos(3, words))
	ledger := &effect.Memory{}
	nextDay := domain.ID("01KE03DP0000000000000000RN1")
	for _, c := range []struct {
		name    string
		run     domain.ID
		agent   domain.ID
		query   string
		charges int
	}{
		{"the first", runA, agent, "Last Tower ads", 1},
		{"a second attempt", runA, agent, "Last Tower ads", 1},
		{"another run, other case, spacing and width", runB, agent, " last  ＴＯＷＥＲ ads", 1},
		{"other words", runB, agent, "tower ads", 2},
		{"another agent", runA, "01KDVDP0000000000000000AG2", "Last Tower ads", 3},
		{"the next day", nextDay, agent, "Last Tower ads", 4},
	} {
		w := source.Who{Product: "p", Agent: c.agent, Run: c.run, Attempt: 1}
		if _, err := bridge(t, server, ledger).Submit(t.Context(), w, c.query); err != nil || server.Charges() != c.charges {
			t.Fatalf("%s: %d charges, want %d, %v", c.name, server.Charges(), c.charges, err)
		}
	}
}

// The answer to a submission is lost: the same key is sent again, and is one task.
func TestTaskIsSubmittedOnceThoughItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]sourcetest.Fault{
		"cut":     {Odd: sourcetest.Cut, Times: 2},
		"garbage": {Odd: sourcetest.Garbage, Times: 1},
	} {
		server := sourcetest.NewHot(t, sourcetest.Videos(3, words))
		server.Break(f)
		ledger := &effect.Memory{}
		start := func(attempt int) (string, error) {
			engine := must(source.NewEngine((&bundle{}).tasks(t, server, ledger)))(t)
			w := who("p")
			w.Attempt = attempt
			return engine.Start(t.Context(), w, source.HotRequest{What: "tower"})
		}
		task, err := start(1)
		if name == "garbage" {
			var failed *source.Error
			if !errors.As(err, &failed) || failed.Kind != source.Down {
				t.Fatalf("%s: %v", name, err)
			}
			task, err = start(2)
		}
		if err != nil || task == "" || server.Charges() != 1 {
			t.Fatalf("%s: task %q, %d charges, %v", name, task, server.Charges(), err)
		}
	}
}

func TestTaskSaysWhenToAskAgain(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewHot(t, sourcetest.Videos(3, words))
	server.Wait, server.Polls = 7, 1
	engine := must(source.NewEngine((&bundle{}).tasks(t, server, &effect.Memory{})))(t)
	task, err := engine.Start(t.Context(), who("p"), source.HotRequest{Search: "tower"})
	if err != nil {
		t.Fatal(err)
	}
	r, done, wait, err := engine.Check(t.Context(), who("p"), task)
	if err != nil || done || wait != 7*time.Second || r.Done != 1 || r.Total != 2 || len(r.Items) != 0 {
		t.Fatalf("%+v, done %t, wait %s, %v", r, done, wait, err)
	}
	for range 3 { // then it is finished, and is not asked for again
		if r, done, _, err = engine.Check(t.Context(), who("p"), task); err != nil || !done || len(r.Items) != 3 || r.Summary != "3 found" {
			t.Fatalf("%+v, done %t, %v", r, done, err)
		}
	}
	if n := server.CallsTo("/searches/" + task); n != 2 {
		t.Fatalf("asked %d times", n)
	}
}

func TestTaskThatFailsOrIsUnknown(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewBridge(t, sourcetest.Videos(3, words))
	server.Polls, server.Fails = 0, "no budget\nleft"
	b := bridge(t, server, &effect.Memory{})
	task, err := b.Submit(t.Context(), who("p"), "tower")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{task, task, "tasks-99", "../admin", ""} {
		_, _, _, err := b.Check(t.Context(), who("p"), id)
		var failed *source.Error
		if !errors.As(err, &failed) || failed.Kind != source.Refused {
			t.Fatalf("%q: %v", id, err)
		}
	}
	if server.Calls() != 3 { // submitted, failed, not there
		t.Fatalf("%d calls", server.Calls())
	}
}

func TestEmptyTasksAreNotHandedOver(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewHot(t, nil)
	engine := must(source.NewEngine((&bundle{}).tasks(t, server, &effect.Memory{})))(t)
	for _, c := range []struct {
		who source.Who
		r   source.HotRequest
	}{
		{who("p"), source.HotRequest{What: " \n", Why: "because"}},
		{source.Who{Product: "p"}, source.HotRequest{What: "tower"}},
	} {
		var failed *source.Error
		if _, err := engine.Start(t.Context(), c.who, c.r); !errors.As(err, &failed) || failed.Kind != source.Refused {
			t.Fatalf("got %v", err)
		}
	}
	if server.Calls() != 0 {
		t.Fatalf("%d calls", server.Calls())
	}
}
