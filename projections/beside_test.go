package projections_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/domain/library"
	"sozai/projections"
	"sozai/projections/projectionstest"
	"sozai/streams"
)

// newer is a store of the same read models in later versions.
func (b *bundle) newer() *projections.Store {
	list := projections.All()
	for i := range list {
		list[i].Version++
	}
	return projections.NewStoreOf(b.store.Pool(), list)
}

// One projection that lies far behind is filled beside the others, which go on.
func TestOneFarBehindHoldsNobodyUp(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	var but []projections.Projection
	for _, p := range projections.All() {
		if p.Name != projections.Library {
			but = append(but, p)
		}
	}
	for i := range 30 { // more than is near enough
		wheel(b.log, domain.Key{Product: "demo", Agent: id("agent", i)})
	}
	if err := projections.NewRunner(projections.NewStoreOf(b.store.Pool(), but), b.log, projectionstest.Quiet()).CatchUp(ctx); err != nil {
		t.Fatalf("catch up without the library: %v", err)
	}
	log := gate(b.log, 1000)
	b.run(projections.NewRunner(b.store, log, projectionstest.Quiet()).Chunked(100))
	<-log.reached
	last := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 1), Text: "meanwhile"})
	if err := b.store.Wait(ctx, last, projections.Timeline, projections.Tasks, projections.Genes, projections.Directory); err != nil {
		t.Errorf("the others wait for the one that is behind: %v", err)
	}
	if got := b.positions()[projections.Library]; got >= 1000 {
		t.Errorf("the library stands at %d already", got)
	}
	close(log.open)
	last = b.log.Add(key, domain.User(lin), library.AssetUploaded{Asset: id("asset", 7), Title: "later"})
	eventually(t, "the library has joined", func() bool { return b.store.Wait(ctx, last) == nil })
	b.same()
}

// J9: the new binary builds its generations beside the old one, which serves and
// applies meanwhile; both run on one database.
func TestTwoVersionsRunBesideEachOther(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	b.history(10)
	b.run(b.runner)
	newer := b.newer()
	log := gate(b.log, 300)
	b.run(projections.NewRunner(newer, log, projectionstest.Quiet()).Chunked(100))
	<-log.reached
	last := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 90), Text: "meanwhile"})
	if err := b.store.Wait(ctx, last); err != nil {
		t.Errorf("the old version does not go on: %v", err)
	}
	if err := newer.Ready(ctx); !errors.Is(err, projections.ErrBuilding) {
		t.Errorf("the new version is ready before it has built: %v", err)
	}
	if err := b.store.Ready(ctx); err != nil {
		t.Errorf("the old version is not ready: %v", err)
	}
	statuses := must[[]projections.Status](t)(newer.Status(ctx))
	for _, st := range statuses {
		if st.Status != "building" || st.Generation != 2 {
			t.Errorf("the new version's %s is %s, generation %d", st.Name, st.Status, st.Generation)
		}
	}
	close(log.open)
	eventually(t, "the new version is ready", func() bool { return newer.Ready(ctx) == nil })
	last = b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 91), Text: "for both"})
	for _, s := range []*projections.Store{b.store, newer} {
		eventually(t, "both have it", func() bool { return s.Wait(ctx, last) == nil })
		rows := must[[]projections.Row](t)(s.Timeline(ctx, key, projections.Page{Limit: 2}))
		if len(rows) != 2 || rows[1].Seq != last {
			t.Errorf("rows: %+v", rows)
		}
	}
	b.same()
	(&bundle{t, b.log, newer, projections.NewRunner(newer, b.log, projectionstest.Quiet())}).same()
}

// An event that only the new version cannot apply stops its first build, with the
// event named; the old version goes on serving. What the old one has parked as
// well does not hold an upgrade up.
func TestANewVersionStopsAtNewPoisonOnly(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	old := poisoned(b.log) // parks one agent in the old version
	b.catchUp()
	list := projections.All()
	for i := range list {
		list[i].Version++
	}
	newer := projections.NewStoreOf(b.store.Pool(), list)
	runner := projections.NewRunner(newer, b.log, projectionstest.Quiet())
	b.log.Add(other, domain.User(lin), chat.Said{Message: id("msg", 50), Text: "fine"})
	b.catchUp()
	bad := b.log.Add(other, domain.Worker("w"), streams.Poison{Err: errors.New("not for me"), Raw: []byte("{")})
	err := runner.CatchUp(ctx)
	var poison *projections.PoisonError
	if !errors.As(err, &poison) || poison.Seq != bad {
		t.Fatalf("the new version: %v, want event %d named", err, bad)
	}
	if err := newer.Ready(ctx); !errors.Is(err, projections.ErrBuilding) {
		t.Errorf("the new version is ready: %v", err)
	}
	for _, st := range must[[]projections.Status](t)(newer.Status(ctx)) {
		reads := slices.Contains([]string{"timeline", "library", "directory", "performance"}, st.Name)
		if reads && (st.Status != "failed" || !strings.Contains(st.Error, "not for me")) || !reads && st.Status != "running" {
			t.Errorf("%s is %s (%s)", st.Name, st.Status, st.Error)
		}
	}
	if err := b.store.Ready(ctx); err != nil {
		t.Errorf("the old version: %v", err)
	}
	b.catchUp() // now it is parked in the old version too
	if err := runner.CatchUp(ctx); err != nil {
		t.Fatalf("the new version, with what was known: %v", err)
	}
	if err := newer.Ready(ctx); err != nil {
		t.Errorf("the new version is not ready: %v", err)
	}
	parked := must[[]projections.ParkedAgent](t)(newer.Parked(ctx))
	if diff := len(parked) - len(must[[]projections.ParkedAgent](t)(b.store.Parked(ctx))); diff != 0 || parked[0].Seq != old || parked[0].Waiting != 2 {
		t.Errorf("parked: %+v, want as in the old version", parked)
	}
	for seq, title := range map[uint64]string{old: "one", bad: "two"} {
		b.log.Replace(seq, library.AssetUploaded{Asset: id("asset", int(seq)), Title: title})
	}
	for _, p := range parked {
		if err := runner.Retry(ctx, p.Projection, p.Key); err != nil {
			t.Errorf("retry %s: %v", p.Projection, err)
		}
	}
	(&bundle{t, b.log, newer, runner}).same()
}

// A fresh system over a log with a poison event (an import, lost tables) has
// nothing else that could serve: it parks the agent.
func TestAFirstBuildOfAllParks(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	log := projectionstest.NewLog()
	bad := poisoned(log)
	store := projections.NewStore(projectionstest.Migrated(t))
	b := &bundle{t, log, store, projections.NewRunner(store, log, projectionstest.Quiet())}
	b.catchUp()
	if err := store.Ready(ctx); err != nil {
		t.Errorf("not ready: %v", err)
	}
	parked := must[[]projections.ParkedAgent](t)(store.Parked(ctx))
	if len(parked) != 4 || parked[0].Seq != bad || parked[0].Error != "truncated" || parked[0].Waiting != 2 {
		t.Errorf("parked: %+v, want one agent in four read models", parked)
	}
}
