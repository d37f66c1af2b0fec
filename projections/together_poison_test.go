package projections_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/projections"
)

// An event that one projection cannot apply stops that one for its agent; the others
// of the transaction apply it, and nobody is warned of trouble that may pass. While
// the agent is parked its projection goes alone, after the retry with the others.
func TestPoisonTogetherStopsOneProjection(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	var said bytes.Buffer
	runner := projections.NewRunner(b.store, b.log, slog.New(slog.NewTextHandler(&said, nil)))
	exec := func(sql string) {
		t.Helper()
		if _, err := b.store.Pool().Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	follow := func(k domain.Key, events ...domain.Event) {
		t.Helper()
		last := b.log.Add(k, domain.User(lin), events...)
		if err := b.store.Wait(ctx, last); err != nil {
			t.Fatalf("wait for %d: %v", last, err)
		}
	}
	exec(`ALTER TABLE library_g1.assets ADD CONSTRAINT fine CHECK (title <> 'bad')`)
	wheel(b.log, other)
	done := make(chan error, 1)
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { done <- runner.Run(following) }()
	follow(key, library.AssetUploaded{Asset: id("asset", 1), Title: "good"})
	follow(key, library.AssetUploaded{Asset: id("asset", 2), Title: "good"})
	if diff := cmp.Diff(two, b.groups()); diff != "" {
		t.Fatalf("before (-want +got):\n%s", diff)
	}

	follow(key, library.AssetUploaded{Asset: id("asset", 3), Title: "bad"}, library.AssetUploaded{Asset: id("asset", 4), Title: "behind"})
	alone := []string{"directory feedback tasks", "genes performance timeline", "library"}
	follow(other, library.AssetUploaded{Asset: id("asset", 5), Title: "another agent's"})
	if diff := cmp.Diff(alone, b.groups()); diff != "" {
		t.Errorf("while an agent is parked (-want +got):\n%s", diff)
	}
	parked := must[[]projections.ParkedAgent](t)(b.store.Parked(ctx))
	if len(parked) != 1 || parked[0].Projection != projections.Library || parked[0].Key != key || parked[0].Waiting != 1 {
		t.Fatalf("parked: %+v, want the agent in the library with one event behind it", parked)
	}
	assets := func(k domain.Key) int {
		return must[projections.LibraryCounts](t)(b.store.LibraryCounts(ctx, k)).Assets
	}
	if ours, theirs := assets(key), assets(other); ours != 2 || theirs != 2 {
		t.Errorf("%d and %d assets, want what came before and all of the other agent's", ours, theirs)
	}

	exec(`ALTER TABLE library_g1.assets DROP CONSTRAINT fine`)
	if err := runner.Retry(ctx, projections.Library, key); err != nil {
		t.Fatalf("retry: %v", err)
	}
	// The rows that the retry made, behind the session's back, are known.
	follow(key, library.AssetUploaded{Asset: id("asset", 4), Title: "a copy"}, library.Analyzed{Material: id("asset", 3), Analyser: "a"})
	if diff := cmp.Diff(two, b.groups()); diff != "" {
		t.Errorf("after the retry (-want +got):\n%s", diff)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
	if said.Len() > 0 {
		t.Errorf("poison is nothing to warn of:\n%s", &said)
	}
	b.same()
}

// A defect of one projection's tables is said once, stops that one and costs the
// others of its transaction nothing.
func TestADefectTogetherStopsOneProjection(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	var said bytes.Buffer
	b.inChunks(func(chunk int) {
		if chunk == 2 {
			if _, err := b.store.Pool().Exec(ctx, `ALTER TABLE tasks_g1.runs RENAME TO gone`); err != nil {
				t.Errorf("break it: %v", err)
			}
		}
	})
	b.runner = b.runner.Saying(slog.New(slog.NewTextHandler(&said, nil)))
	if err := b.runner.CatchUp(ctx); err == nil || !strings.Contains(err.Error(), projections.Tasks) {
		t.Errorf("catch up: %v, want tasks named", err)
	}
	if got := b.positions()[projections.Tasks]; got != 2*stride || !b.allAt(uint64(len(b.log.Events())), projections.Tasks) {
		t.Errorf("positions: %v, want only tasks left at %d", b.positions(), 2*stride)
	}
	if n := strings.Count(said.String(), "each by itself"); n != 1 || strings.Count(said.String(), "projections: stopped") != 1 {
		t.Errorf("it said %d times that each goes by itself, want once, and once that tasks has stopped:\n%s", n, &said)
	}
	b.same(projections.Timeline, projections.Genes, projections.Feedback, projections.Directory, projections.Performance, projections.Library)
}
