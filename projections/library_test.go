package projections_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/behavior"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/projections"
)

func (b *bundle) materials(f projections.MaterialFilter) []domain.ID {
	b.t.Helper()
	var out []domain.ID
	for _, m := range must[[]projections.Material](b.t)(b.store.Materials(context.Background(), key, f)) {
		out = append(out, m.Material)
	}
	return out
}

func TestLibraryAfterTheWheel(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.catchUp()
	for name, c := range map[string]struct {
		filter projections.MaterialFilter
		want   []domain.ID
	}{
		"all, newest first": {projections.MaterialFilter{}, []domain.ID{id("mat", 4), id("mat", 3), id("mat", 2), id("mat", 1)}},
		"run":               {projections.MaterialFilter{Run: id("run", 2)}, []domain.ID{id("mat", 4)}},
		"version":           {projections.MaterialFilter{Version: 1, Limit: 2}, []domain.ID{id("mat", 3), id("mat", 2)}},
		"source":            {projections.MaterialFilter{Source: "hot"}, nil},
		"rating":            {projections.MaterialFilter{Rating: library.High}, []domain.ID{id("mat", 1)}},
		"new":               {projections.MaterialFilter{State: projections.MaterialNew}, []domain.ID{id("mat", 4)}},
		"ignored":           {projections.MaterialFilter{State: projections.MaterialIgnored}, []domain.ID{id("mat", 2)}},
		"adopted":           {projections.MaterialFilter{State: projections.MaterialAdopted}, []domain.ID{id("mat", 3), id("mat", 1)}},
		"Chinese text":      {projections.MaterialFilter{Text: "爆炸", Before: 17}, []domain.ID{id("mat", 3), id("mat", 2), id("mat", 1)}},
		"any case":          {projections.MaterialFilter{Text: "CLIP B"}, []domain.ID{id("mat", 1)}},
		"a wildcard":        {projections.MaterialFilter{Text: "%"}, nil},
		"not analysed":      {projections.MaterialFilter{NoDigest: true}, []domain.ID{id("mat", 4)}},
	} {
		if diff := cmp.Diff(c.want, b.materials(c.filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	one := must[projections.Material](t)(b.store.Material(ctx, key, id("mat", 1)))
	if one.Analysis == nil || one.Analysis.Report != "the whole report" || one.Boards != 1 || one.Films != 1 || one.Likes != 1 || one.Run != id("run", 1) {
		t.Errorf("material 1: %+v", one)
	}
	use := must[projections.MaterialUse](t)(b.store.MaterialUse(ctx, key, id("mat", 3)))
	if len(use.Boards) != 1 || len(use.Films) != 1 || use.Boards[0].EditedBy != domain.User(wang) || use.Boards[0].Films != 1 || use.Films[0].Downloads != 1 {
		t.Errorf("use of material 3: %+v", use)
	}
	if use := must[projections.MaterialUse](t)(b.store.MaterialUse(ctx, key, id("mat", 2))); len(use.Boards) != 0 {
		t.Errorf("material 2 was edited out of the board: %+v", use)
	}
	want := map[string]int{
		"material.saved late_attempt": 1, "material.saved duplicate": 1, "material_viewed unknown_object": 1,
		"delivery_downloaded unknown_object": 1, "board.created unknown_object": 1,
	}
	if diff := cmp.Diff(want, b.refused(projections.Library)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if got := must[projections.LibraryCounts](t)(b.store.LibraryCounts(ctx, key)); got != (projections.LibraryCounts{Materials: 4, New: 1, Boards: 1, Films: 1, Assets: 1}) {
		t.Errorf("counts: %+v", got)
	}
	behaved := must[projections.Behavior](t)(b.store.Behavior(ctx, key, 3))
	if behaved.Viewed != 2 || behaved.Ignored != 1 || behaved.Downloaded != 1 || len(behaved.Rows) != 3 || behaved.Rows[2].Type != projections.RowRunOrdered {
		t.Errorf("behavior: %+v", behaved)
	}
}

// A panel may show a member's own asset: it is the agent's, and nobody adopts it.
func TestBoardsMayUseAssets(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	create(b.log, key)
	b.log.Add(key, domain.User(lin), library.AssetUploaded{Asset: id("asset", 1), Title: "our own"})
	b.log.Add(other, domain.User(lin), library.AssetUploaded{Asset: id("asset", 2), Title: "another agent's"})
	b.log.Add(key, domain.Worker("w"),
		run.Started{Run: id("run", 1), Attempt: 1, GeneVersion: 1}, saved(1, 1, 1, 1),
		library.BoardCreated{Board: id("board", 1), Run: id("run", 1), Attempt: 1, GeneVersion: 1, Panels: []library.Panel{
			{Number: 1, Material: id("mat", 1)}, {Number: 2, Material: id("asset", 1)}, {Number: 3, Material: id("asset", 2)}, {Number: 4},
		}})
	b.catchUp()
	used := func() (materials, adopted int) {
		t.Helper()
		for _, projection := range []string{projections.Library, projections.Performance} {
			if diff := cmp.Diff(map[string]int{"board.created unknown_object": 1}, b.refused(projection)); diff != "" {
				t.Errorf("%s refused (-want +got):\n%s", projection, diff)
			}
		}
		adoptions := must[projections.Scores](t)(b.store.Scores(ctx, key, 0)).Versions[0].Adopted
		return len(b.materials(projections.MaterialFilter{State: projections.MaterialAdopted})), adoptions
	}
	if materials, adopted := used(); materials != 1 || adopted != 1 {
		t.Errorf("%d materials are adopted, the score says %d; want only the material", materials, adopted)
	}
	b.log.Add(key, domain.User(lin), library.BoardEdited{Board: id("board", 1), Panels: []library.Panel{{Number: 1, Material: id("asset", 1)}}})
	b.catchUp()
	if materials, adopted := used(); materials != 0 || adopted != 0 {
		t.Errorf("%d materials are adopted, the score says %d; want none by a board of assets", materials, adopted)
	}
	if use := must[projections.MaterialUse](t)(b.store.MaterialUse(ctx, key, id("asset", 1))); len(use.Boards) != 0 {
		t.Errorf("the asset counts as a material that a board uses: %+v", use)
	}
	b.same()
}

func TestLibraryLookups(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	b.catchUp()
	saved := must[map[string]domain.ID](t)(b.store.MaterialsByExternal(ctx, key, "fast", []string{string(id("ext", 2)), "nowhere"}))
	if diff := cmp.Diff(map[string]domain.ID{string(id("ext", 2)): id("mat", 2)}, saved); diff != "" {
		t.Errorf("saved already (-want +got):\n%s", diff)
	}
	film := domain.Ref{Type: domain.Film, ID: id("film", 1)}
	wrong := domain.Ref{Type: domain.Board, ID: id("film", 1)}
	objects := must[map[domain.Ref]projections.Object](t)(b.store.Objects(ctx, key, []domain.Ref{{Type: domain.Film, ID: id("film", 1), From: 3}, wrong}))
	if diff := cmp.Diff(map[domain.Ref]projections.Object{film: {Ref: film, Title: "board 2", Run: id("run", 4), GeneVersion: 2}}, objects); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if got := must[map[domain.Ref]projections.Object](t)(b.store.Objects(ctx, other, []domain.Ref{film})); len(got) != 0 {
		t.Errorf("another agent's film: %+v", got)
	}
	if got := must[[]domain.Key](t)(b.store.MediaOwners(ctx, "asset1")); len(got) != 1 || got[0] != key {
		t.Errorf("owners of the asset's file: %v", got)
	}
	if _, err := b.store.Film(ctx, other, id("film", 1)); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("another agent's film: %v, want not_found", err)
	}
}

func TestLibraryLastLookCounts(t *testing.T) {
	b := setup(t)
	wheel(b.log, key)
	b.log.Add(key, domain.User(lin), behavior.Observed{Beacon: id("beacon", 9), Observations: []behavior.Observation{
		{ID: id("obs", 9), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: id("mat", 2)}},
	}}, library.BoardEdited{Board: id("board", 1), Title: "none"})
	b.log.Add(key, domain.Butler(id("turn", 1)), library.Analyzed{Material: id("asset", 1), Analyser: "a", Digest: library.Digest{Verdict: "ok"}})
	b.catchUp()
	for n, want := range map[int]projections.MaterialState{1: projections.MaterialSeen, 2: projections.MaterialSeen, 3: projections.MaterialSeen, 4: projections.MaterialNew} {
		if got := must[projections.Material](t)(b.store.Material(context.Background(), key, id("mat", n))); got.State != want || got.Boards != 0 {
			t.Errorf("material %d is %s on %d boards, want %s on none", n, got.State, got.Boards, want)
		}
	}
	if got := must[projections.Asset](t)(b.store.Asset(context.Background(), key, id("asset", 1))); got.Analysis == nil || got.Analysis.Digest.Verdict != "ok" {
		t.Errorf("the asset's analysis: %+v", got.Analysis)
	}
}

func TestDirectory(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	wheel(b.log, key)
	create(b.log, other)
	b.log.Add(other, domain.User(lin), agent.Edited{Name: ptr("renamed"), Sources: []string{"fast", "hot"}}, agent.Archived{})
	b.catchUp()
	got := must[projections.Agent](t)(b.store.Agent(ctx, key))
	if got.GeneVersion != 3 || got.RunningTasks != 0 || got.WaitingCards != 0 || got.WaitingOrders != 0 || got.Role(wang) != "member" || got.Role(lin) != "creator" || got.Role("x") != "" {
		t.Errorf("the agent: %+v", got)
	}
	two := must[projections.Agent](t)(b.store.FindAgent(ctx, other.Agent))
	if two.Name != "renamed" || two.Brief != "tower defence" || !two.Archived || two.RunningTasks != 1 || !cmp.Equal(two.Sources, []string{"fast", "hot"}) {
		t.Errorf("the other agent: %+v", two)
	}
	list := func(user domain.ID) int { return len(must[[]projections.Agent](t)(b.store.Agents(ctx, "demo", user))) }
	if all, his, hers, none := list(""), list(wang), list(lin), list("x"); all != 2 || his != 1 || hers != 2 || none != 0 {
		t.Errorf("agents: %d, wang's %d, lin's %d, a stranger's %d; want 2, 1, 2, 0", all, his, hers, none)
	}
	access := must[projections.Access](t)(b.store.Access(ctx, key))
	if access.Creator != lin || access.Members[wang] != "member" || access.Archived {
		t.Errorf("access: %+v", access)
	}
	schedules := must[[]projections.Schedule](t)(b.store.Schedules(ctx))
	if len(schedules) != 1 || schedules[0].At != "09:00" || schedules[0].Zone != "Asia/Shanghai" {
		t.Errorf("schedules: %+v", schedules)
	}
	b.log.Add(key, domain.User(lin), agent.MemberRemoved{User: wang})
	b.catchUp()
	if got := must[projections.Access](t)(b.store.Access(ctx, key)); len(got.Members) != 0 {
		t.Errorf("members after the removal: %v", got.Members)
	}
}
