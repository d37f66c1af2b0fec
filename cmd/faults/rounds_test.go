package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// seeds are the rounds of the short form: one or more of each scenario, and those
// that have found something, with what that was.
var seeds = []struct {
	seed uint64
	what string
}{
	{1, "a worker stands still for longer than it may, and goes on"},
	{7, "the database crashes, connections to it break"},
	{13, "kill -9 of a server with its log inside"},
	{17, "a room that could not be read at first was never shown the rows of that moment; a lost answer held an agent up for twenty seconds"},
	{36, "work is handed over at SIGTERM, and the process killed in it"},
	{38, "the network is slow, then gone: rows were never shown"},
	{39, "the log's server is killed: readers left consumers behind until none could be made"},
	{47, "the disk of an embedded log was full for a moment, and the log stayed frozen"},
	{53, "a rebuild is killed after its flip, a server beside it"},
	{117, "an answer was lost while a server started: it stood still for ninety seconds"},
	{126, "eight days pass at once: cards and orders expire, old keys are refused"},
	{161, "two upgrades of one server come at once"},
	{351, "the database is away just when a server makes its first link: it ended"},
	{406, "the database crashes and loses a commit, and nothing happens that would show it"},
}

// TestRounds is the suite's short form.
func TestRounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "sozai")
	if err := buildSozai(t.Context(), binary); err != nil {
		t.Fatal(err)
	}
	keep, err := os.MkdirTemp("", "sozai-findings-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(keep) }() // only if nothing was kept
	queue := make(chan uint64, len(seeds))
	for _, s := range seeds {
		queue <- s.seed
	}
	close(queue)
	var lanes sync.WaitGroup
	for i := range 3 {
		lanes.Go(func() {
			l, err := openLane(t.Context(), filepath.Join(dir, fmt.Sprintf("lane%d", i)), binary, keep)
			if err != nil {
				t.Error(err)
				return
			}
			defer l.close()
			for seed := range queue {
				r := l.play(t.Context(), draw(seed))
				if len(r.findings) > 0 {
					t.Error(r.line())
				} else {
					t.Log(r.line())
				}
			}
		})
	}
	lanes.Wait()
}

// A round follows from its seed, whoever draws it.
func TestDraw(t *testing.T) {
	t.Parallel()
	drawn, stepped := map[string]int{}, map[string]int{}
	for seed := range uint64(500) {
		p := draw(seed)
		if again := draw(seed); fmt.Sprintf("%+v", p) != fmt.Sprintf("%+v", again) {
			t.Fatalf("seed %d draws\n%+v and\n%+v", seed, p, again)
		}
		drawn[p.Scenario]++
		for _, s := range p.steps() {
			stepped[s]++
		}
		for _, e := range p.Faults {
			if e.Server >= p.Servers || e.After >= p.commands() {
				t.Fatalf("seed %d: %+v cannot happen", seed, e)
			}
		}
	}
	for _, s := range scenarios {
		if drawn[s.name] == 0 {
			t.Errorf("no seed below 500 draws %s", s.name)
		}
	}
	for _, name := range faultNames() {
		if stepped[name] == 0 {
			t.Errorf("no seed below 500 kills at %s", name)
		}
	}
}

func TestShortenFindsEveryWait(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	replace, err := shorten(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range replace {
		old, err := os.ReadFile(from) //nolint:gosec // our own source
		if err != nil {
			t.Fatal(err)
		}
		short, err := os.ReadFile(to) //nolint:gosec // its copy
		if err != nil || string(old) == string(short) {
			t.Errorf("%s was not shortened (%v)", from, err)
		}
	}
}
