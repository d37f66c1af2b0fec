package projections_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/projections"
	"sozai/projections/projectionstest"
)

// contents reads whole schemas as text, one entry a table. where narrows the rows.
func (b *bundle) contents(schemas map[string]string, where string) map[string][]string {
	b.t.Helper()
	ctx := context.Background()
	out := map[string][]string{}
	for projection, schema := range schemas {
		var tables []string
		if err := b.store.Pool().QueryRow(ctx, `SELECT array_agg(relname::text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE nspname = $1 AND relkind = 'r'`, schema).Scan(&tables); err != nil {
			b.t.Fatalf("tables of %s: %v", schema, err)
		}
		for _, table := range tables {
			var rows []string
			if err := b.store.Pool().QueryRow(ctx, `SELECT coalesce(array_agg(t::text ORDER BY t::text), '{}') FROM `+schema+`.`+table+` t `+where).Scan(&rows); err != nil {
				b.t.Fatalf("%s.%s: %v", schema, table, err)
			}
			out[projection+"."+table] = rows
		}
	}
	return out
}

// serving names the schemas that serve.
func (b *bundle) serving() map[string]string {
	b.t.Helper()
	out := map[string]string{}
	for _, st := range must[[]projections.Status](b.t)(b.store.Status(context.Background())) {
		out[st.Name] = fmt.Sprintf("%s_g%d", st.Name, st.Generation)
	}
	return out
}

func TestThePastEqualsWhatWasLiveThen(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	wheel(b.log, other)
	events := b.log.Events()
	type moment struct {
		seq      uint64
		all, one map[string][]string
	}
	var moments []moment
	ours := "WHERE agent = '" + string(key.Agent) + "'"
	for _, seq := range []uint64{30, 90, uint64(len(events))} {
		for _, p := range projections.All() {
			if err := b.runner.ApplyBatch(ctx, p.Name, 0, events[:seq]); err != nil {
				t.Fatalf("apply: %v", err)
			}
		}
		moments = append(moments, moment{seq, b.contents(b.serving(), ""), b.contents(b.serving(), ours)})
	}
	b.catchUp()
	for _, m := range moments {
		schemas := must[map[string]string](t)(b.runner.BuildAt(ctx, nil, m.seq, nil))
		if want := fmt.Sprintf("timeline_at_%d", m.seq); schemas[projections.Timeline] != want || len(schemas) != len(projections.All()) {
			t.Errorf("schemas %v, want %s and all others", schemas, want)
		}
		if diff := cmp.Diff(m.all, b.contents(schemas, "")); diff != "" {
			t.Errorf("as of %d (-live then +built):\n%s", m.seq, diff)
		}
		view, release, err := b.runner.AsOf(ctx, key, m.seq)
		if err != nil {
			t.Fatalf("as of %d: %v", m.seq, err)
		}
		if diff := cmp.Diff(m.one, b.contents(projections.SchemasOf(view), "")); diff != "" {
			t.Errorf("one agent as of %d (-live then +built):\n%s", m.seq, diff)
		}
		release()
		release()
	}
	if n := b.schemas("%\\_g%"); n != len(projections.All()) {
		t.Errorf("%d generations are left, want the serving ones", n)
	}
	b.same()
}

func TestPastsStayUntilDropped(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.catchUp()
	reports := 0
	report := func(p projections.RebuildProgress) { reports++ }
	must[map[string]string](t)(b.runner.BuildAt(ctx, []string{projections.Genes, projections.Tasks}, 20, report))
	if reports == 0 {
		t.Errorf("nothing was reported")
	}
	reports = 0
	must[map[string]string](t)(b.runner.BuildAt(ctx, []string{projections.Genes}, 20, report))
	if reports != 0 {
		t.Errorf("what was there was built again")
	}
	list := must[[]projections.AtStatus](t)(b.store.ListAt(ctx))
	if len(list) != 2 || list[0].Seq != 20 || list[0].Schema != "genes_at_20" && list[0].Schema != "tasks_at_20" || list[0].Bytes == 0 {
		t.Errorf("list: %+v", list)
	}
	for _, seq := range []uint64{0, 1000} {
		if _, err := b.runner.BuildAt(ctx, nil, seq, nil); !errors.Is(err, projections.ErrNotYet) {
			t.Errorf("as of %d: %v, want not_yet", seq, err)
		}
	}
	if err := b.store.Sweep(ctx, 0); err != nil {
		t.Fatalf("sweep: %v", err)
	}
	if err := b.store.DropAt(ctx, projections.Genes, 20); err != nil {
		t.Errorf("drop: %v", err)
	}
	if err := b.store.DropAt(ctx, projections.Genes, 20); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("a second drop: %v, want not_found", err)
	}
	if n := b.schemas("%\\_at\\_%"); n != 1 {
		t.Errorf("%d schemas are left, want one", n)
	}
}

func TestAnInterruptedPastGoesOn(t *testing.T) {
	b := setup(t)
	b.history(10)
	ctx, cancel := context.WithCancel(context.Background())
	half := interrupted{Log: b.log, upto: 400, cancel: cancel}
	cli := projections.NewRunner(b.store, half, projectionstest.Quiet()).Chunked(100)
	if _, err := cli.BuildAt(ctx, []string{projections.Tasks}, 500, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	list := b.builds()
	// Of the four chunks that were read two may have been waiting to be applied.
	if len(list) != 1 || list[0].Purpose != "at" || list[0].Seq < 200 || list[0].Seq > 400 || list[0].Target != 500 {
		t.Errorf("builds: %+v", list)
	}
	var first uint64
	schemas, err := b.runner.Chunked(50).BuildAt(context.Background(), []string{projections.Tasks}, 500, func(p projections.RebuildProgress) { first = p.Seq })
	if err != nil || first != 500 {
		t.Fatalf("it ends at %d, %v", first, err)
	}
	fresh := must[map[string]string](t)(b.runner.BuildAt(context.Background(), []string{projections.Tasks}, 499, nil))
	if n := len(b.builds()); n != 0 || schemas[projections.Tasks] == fresh[projections.Tasks] {
		t.Errorf("%d builds are left, schemas %v %v", n, schemas, fresh)
	}
}

func TestALookAtThePastAnswersAndIsBounded(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	wheel(b.log, other)
	b.catchUp()
	view, release, err := b.runner.AsOf(ctx, key, 30, projections.Timeline, projections.Genes)
	if err != nil {
		t.Fatalf("as of: %v", err)
	}
	defer release()
	rows := must[[]projections.Row](t)(view.Timeline(ctx, key, projections.Page{}))
	if len(rows) == 0 || rows[0].Seq > 30 {
		t.Errorf("the room as of 30 shows %d rows, the newest %+v", len(rows), rows)
	}
	if err := view.Wait(ctx, 30); err != nil {
		t.Errorf("wait: %v", err)
	}
	if _, err := view.LibraryCounts(ctx, key); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("a read model that was not asked for: %v, want not_found", err)
	}
	if n := len(b.builds()); n != 0 {
		t.Errorf("%d builds are shown", n)
	}
	if _, _, err := b.runner.AsOf(ctx, other, 30); !errors.Is(err, projections.ErrNoAgentYet) {
		t.Errorf("before the agent's first event: %v, want not_yet_there", err)
	}
	if _, _, err := b.runner.AsOf(ctx, key, 1000); !errors.Is(err, projections.ErrNotYet) {
		t.Errorf("beyond the end: %v, want not_yet", err)
	}
	if n := b.schemas("%\\_g%"); n != len(projections.All())+2 {
		t.Errorf("%d generations, want the serving ones and two of the view", n)
	}
	var more []func()
	for {
		_, release, err := b.runner.AsOf(ctx, key, 30)
		if err != nil {
			if !errors.Is(err, projections.ErrPastsFull) || len(more) == 0 {
				t.Errorf("the %dth look: %v, want pasts_full", len(more), err)
			}
			break
		}
		more = append(more, release)
	}
	for _, release := range more[1:] {
		release()
	}
	// The first one's owner has died.
	if _, err := b.store.Pool().Exec(ctx, `UPDATE control.builds SET started_at = $1`, time.Now().Add(-time.Hour)); err != nil {
		t.Fatalf("age: %v", err)
	}
	if err := b.store.Sweep(ctx, time.Hour); err != nil {
		t.Fatalf("sweep: %v", err)
	}
	if n := b.schemas("%\\_g%"); n != len(projections.All()) {
		t.Errorf("%d generations are left, want the serving ones", n)
	}
}

func TestALongHistoryIsRefused(t *testing.T) {
	b := setup(t)
	for n := range 50 {
		b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", n), Text: "x"})
	}
	b.catchUp()
	long := repeated{b.log, projections.AsOfEvents/50 + 1}
	_, _, err := projections.NewRunner(b.store, long, projectionstest.Quiet()).Chunked(110_000).AsOf(context.Background(), key, 50, projections.Genes)
	if !errors.Is(err, projections.ErrTooLong) {
		t.Errorf("a long history: %v, want past_too_long", err)
	}
	if n := b.schemas("genes\\_g%"); n != 1 {
		t.Errorf("%d generations are left", n)
	}
}

// repeated is a log that says everything many times.
type repeated struct {
	projections.Log
	times int
}

func (l repeated) Read(ctx context.Context, after, upto uint64, k domain.Key, kinds []domain.Kind, each func([]domain.Recorded) error) error {
	for range l.times {
		if err := l.Log.Read(ctx, after, upto, k, kinds, each); err != nil {
			return err
		}
	}
	return nil
}
