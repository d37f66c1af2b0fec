package projections_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/projections"
	"sozai/projections/projectionstest"
	"sozai/streams"
)

// poisoned plays a message, an event that cannot be decoded, another message and
// a material, and the wheel of another agent; it returns the bad sequence.
func poisoned(l *projectionstest.Log) uint64 {
	l.Add(key, domain.User(lin), chat.Said{Message: id("msg", 1), Text: "before"})
	bad := l.Add(key, domain.Worker("w"), streams.Poison{Err: errors.New("truncated"), Raw: []byte("{")})
	l.Add(key, domain.User(lin), chat.Said{Message: id("msg", 2), Text: "after"},
		library.AssetUploaded{Asset: id("asset", 1), Title: "after"})
	wheel(l, other)
	return bad
}

func (b *bundle) said() []string {
	b.t.Helper()
	var out []string
	for _, r := range must[[]projections.Row](b.t)(b.store.Timeline(context.Background(), key, projections.Page{})) {
		if r.Type == projections.RowChat {
			out = append(out, body[projections.ChatBody](b.t, r).Text)
		}
	}
	return out
}

func TestPoisonParksOneAgentInTheProjectionsThatWouldReadIt(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	bad := poisoned(b.log)
	b.catchUp()
	parked := must[[]projections.ParkedAgent](t)(b.store.Parked(ctx))
	var names []string
	for _, p := range parked {
		names = append(names, p.Projection)
		if p.Key != key || p.Seq != bad || p.Error != "truncated" || p.Waiting != 2 {
			t.Errorf("parked: %+v, want agent 1 at %d with two events behind it", p, bad)
		}
	}
	// The others do not read events of its kind.
	if want := []string{"timeline", "library", "directory", "performance"}; !slices.Equal(names, want) {
		t.Errorf("parked in %v, want %v", names, want)
	}
	if got := b.said(); !slices.Equal(got, []string{"before"}) {
		t.Errorf("the timeline shows %v, want only what came before", got)
	}
	if rows := must[[]projections.Row](t)(b.store.Timeline(ctx, other, projections.Page{})); len(rows) != 22 {
		t.Errorf("the other agent has %d rows, want all 22", len(rows))
	}
	if room := must[projections.OpenRoom](t)(b.store.Room(ctx, key)); len(room.Waiting) != 2 {
		t.Errorf("tasks sees %d messages, want both", len(room.Waiting))
	}
	if _, err := b.runner.Verify(ctx, projections.Timeline); err == nil {
		t.Errorf("a projection with parked agents was verified")
	}
}

func TestRetryReplaysInOrder(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	bad := poisoned(b.log)
	b.catchUp()
	var poison *projections.PoisonError
	if err := b.runner.Retry(ctx, projections.Timeline, key); !errors.As(err, &poison) || poison.Seq != bad {
		t.Errorf("a retry without a cure: %v, want the event named", err)
	}
	b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 3), Text: "later"})
	b.catchUp()
	b.log.Replace(bad, library.AssetUploaded{Asset: id("asset", 9), Title: "readable now"})
	for _, p := range must[[]projections.ParkedAgent](t)(b.store.Parked(ctx)) {
		if err := b.runner.Retry(ctx, p.Projection, key); err != nil {
			t.Errorf("retry %s: %v", p.Projection, err)
		}
	}
	if got := b.said(); !slices.Equal(got, []string{"before", "after", "later"}) {
		t.Errorf("the timeline shows %v", got)
	}
	if err := b.runner.Retry(ctx, projections.Timeline, key); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("a second retry: %v, want not_found", err)
	}
	b.same()
}

// J9: one undecodable event in the middle stops the rebuild with the event named,
// the old generation keeps serving.
func TestPoisonStopsARebuild(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	bad := poisoned(b.log)
	b.catchUp()
	before := b.positions()
	var poison *projections.PoisonError
	err := b.runner.Rebuild(ctx, []string{projections.Library}, nil)
	if !errors.As(err, &poison) || poison.Seq != bad || poison.Key != key {
		t.Fatalf("rebuild: %v, want the poison event named", err)
	}
	if got := b.positions(); got[projections.Library] != before[projections.Library] {
		t.Errorf("the serving position moved from %d to %d", before[projections.Library], got[projections.Library])
	}
	if counts := must[projections.LibraryCounts](t)(b.store.LibraryCounts(ctx, other)); counts.Materials != 4 {
		t.Errorf("the old generation serves %+v", counts)
	}
	b.log.Replace(bad, library.AssetUploaded{Asset: id("asset", 9), Title: "readable now"})
	if err := b.runner.Rebuild(ctx, []string{projections.Library}, nil); err != nil {
		t.Fatalf("rebuild after the cure: %v", err)
	}
	if counts := must[projections.LibraryCounts](t)(b.store.LibraryCounts(ctx, key)); counts.Assets != 2 {
		t.Errorf("after the rebuild: %+v, want both assets", counts)
	}
	for _, p := range must[[]projections.ParkedAgent](t)(b.store.Parked(ctx)) {
		if p.Projection == projections.Library {
			t.Errorf("the rebuilt projection still has %+v", p)
		}
	}
}

// An event that the database refuses (a number that no column holds) is as bad as
// one that cannot be decoded.
func TestAnEventThatDoesNotFitIsPoison(t *testing.T) {
	b := setup(t)
	b.log.Add(key, domain.Worker("w"), library.BoardEdited{Board: id("board", 1)}, library.BoardCreated{Board: id("board", 1), GeneVersion: 1 << 40})
	last := b.log.Add(other, domain.User(lin), chat.Said{Message: id("msg", 1), Text: "x"})
	b.catchUp()
	var names []string
	for _, p := range must[[]projections.ParkedAgent](t)(b.store.Parked(context.Background())) {
		names = append(names, p.Projection)
	}
	if want := []string{"library", "performance"}; !slices.Equal(names, want) {
		t.Errorf("parked in %v, want %v", names, want)
	}
	for name, seq := range b.positions() {
		if seq != last {
			t.Errorf("%s stands at %d, want %d", name, seq, last)
		}
	}
}

// Ids at a source are whatever the source likes, longer than an index entry too;
// an object's id that long is refused.
func TestLongIdsParkNobodyElse(t *testing.T) {
	b := setup(t)
	long := ""
	for len(long) < 20_000 {
		long += rand.Text()
	}
	create(b.log, key)
	b.log.Add(key, domain.Worker("w"), run.Started{Run: id("run", 1), Attempt: 1, GeneVersion: 1})
	material := saved(1, 1, 1, 1)
	material.External = long
	b.log.Add(key, domain.Worker("w"), material)
	material.Material = id("mat", 2)
	b.log.Add(key, domain.Worker("w"), material)
	b.catchUp()
	found := must[map[string]domain.ID](t)(b.store.MaterialsByExternal(context.Background(), key, "fast", []string{long}))
	if len(found) != 1 || found[long] != id("mat", 1) {
		t.Errorf("found %d materials, want the first", len(found))
	}
	b.log.Add(other, domain.User(lin), chat.Said{Message: domain.ID(long), Text: "x"})
	last := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 1), Text: "x"})
	b.catchUp()
	for name, seq := range b.positions() {
		if seq != last {
			t.Errorf("%s stands at %d, want %d", name, seq, last)
		}
	}
	if parked := must[[]projections.ParkedAgent](t)(b.store.Parked(context.Background())); len(parked) != 2 || parked[0].Key != other {
		t.Errorf("parked: %+v, want the other agent in timeline and tasks", parked)
	}
}
