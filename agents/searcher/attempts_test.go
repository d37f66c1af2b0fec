package searcher_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/agentstest"
	"sozai/agents/rehearsal"
	"sozai/agents/source"
	"sozai/agents/source/sourcetest"
	"sozai/domain/library"
	"sozai/domain/run"
)

// T17 at the contract server: the worker dies after it saved 3 of 7 that it paid
// for and fetched; the next attempt asks, pays and fetches nothing again.
func TestTakeoverPaysNothingTwice(t *testing.T) {
	t.Parallel()
	o := newOutside(t, true)
	server := sourcetest.NewTikHub(t, map[string][]sourcetest.Video{"tiktok": sourcetest.Videos(7, "tower")}, o.clip())
	ids := make([]string, 7)
	for i, v := range sourcetest.Videos(7, "") {
		ids[i] = "tiktok:" + v.ID
	}
	b := newBench(t, agentstest.Script(
		round(search("tower", "tiktok", 1)), round(analyse(ids[:5]...)...), round(keep(ids[:3]...)), round(end),
	))
	b.newRun(run.Request{Target: 7})
	b.env.Fast, b.env.Now = source.NewFast(o.local, o.tikhub(server, "tiktok")), o.clock.Now
	b.killed(3)
	if b.stepCost(1) != price || server.Fetches() != 5 {
		t.Fatalf("the first attempt: cost %d, %d files fetched", b.stepCost(1), server.Fetches())
	}

	b.start()
	b.env.Model = agentstest.Script(
		round(search("tower", "tiktok", 1)), round(analyse(ids[3:]...)...), round(keep(ids...), end),
	)
	f := b.run()
	if diff := cmp.Diff(ids, b.saved()); diff != "" || len(f.Products) != 7 {
		t.Fatalf("%s finished %+v", diff, f)
	}
	if counts(&server.Desk) != [2]int{1, 1} || server.Fetches() != 7 || f.Cost != 0 || b.stepCost(2) != 0 {
		t.Fatalf("%v calls and charges, %d files fetched, cost %d", counts(&server.Desk), server.Fetches(), f.Cost)
	}
	// Another run, another day: what is there is found in the catalogue too, and
	// nowhere offered as new.
	b.newRun(run.Request{})
	b.env.Model = agentstest.Script(round(search("tower", "tiktok", 1), search("tower", "local", 1)), round(end))
	b.run()
	all := b.outcomes()
	for _, page := range all[len(all)-3 : len(all)-1] {
		if !strings.Contains(page, `"new":0`) || !strings.Contains(page, `"items":[]`) {
			t.Errorf("offered again: %s", page)
		}
	}
}

// One video on two platforms is one material, and its analysis says so.
func TestTheSameVideoOnTwoPlatforms(t *testing.T) {
	t.Parallel()
	o := newOutside(t, true)
	videos := sourcetest.Videos(3, "tower")
	videos[1].State, videos[2].State = sourcetest.Fake, sourcetest.Missing
	server := sourcetest.NewTikHub(t, map[string][]sourcetest.Video{"tiktok": videos[:1], "douyin": videos}, o.clip())
	one, two := "tiktok:"+videos[0].ID, "douyin:"+videos[0].ID
	b := newBench(t, agentstest.Script(
		round(search("tower", "tiktok", 1), search("tower", "douyin", 1)),
		round(keep(one, two)),
		round(analyse(one)...), round(analyse(two, "douyin:"+videos[1].ID, "douyin:"+videos[2].ID)...),
		round(keep(two, one, "douyin:"+videos[1].ID, "douyin:"+videos[2].ID)), round(keep(one), end),
	))
	b.env.Fast = source.NewFast(o.local, o.tikhub(server, "tiktok", "douyin"))
	b.run()
	if diff := cmp.Diff([]string{one}, b.saved()); diff != "" {
		t.Fatal(diff)
	}
	all := strings.Join(b.outcomes(), "\n")
	for _, part := range []string{"not analysed yet", `"same_as":"` + one + `"`, "named twice", "already saved", "[video_lost]", "not analysed: "} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is missing in:\n%s", part, all)
		}
	}
	saved, _ := b.events("library")[0].(library.Saved)
	if saved.Source != "fast" || saved.Media.Hash == "" || strings.Contains(all, server.URL) {
		t.Errorf("saved %+v", saved)
	}
}

// The rehearsal model uses each platform that is configured, the free one first,
// and pays once though its attempt is repeated.
func TestRehearsalOnSeveralPlatforms(t *testing.T) {
	t.Parallel()
	o := newOutside(t, true)
	videos := platformsOf(1, "zombie tower explosion")
	server := sourcetest.NewTikHub(t, videos, o.clip())
	b := newBench(t, rehearsal.New(0))
	b.newRun(run.Request{Target: 3})
	b.task.Gene.Search = "Zombie tower defence with explosions."
	b.env.Fast, b.env.Now = source.NewFast(o.local, o.tikhub(server)), o.clock.Now
	b.killed(1)
	charged := server.Charges()
	b.start()
	f := b.run()
	if len(f.Products) != 3 || len(b.saved()) != 3 || f.Reason != run.ReasonFinished {
		t.Fatalf("saved %v, finished %+v", b.saved(), f)
	}
	if server.Charges() != 3 || charged == 0 || server.Fetches() != 3 || f.Cost+b.stepCost(1) != 3*price {
		t.Fatalf("%d then %d charges, %d files, cost %d and %d", charged, server.Charges(), server.Fetches(), b.stepCost(1), f.Cost)
	}
	if first := b.outcomes()[0]; !strings.Contains(first, `"platform":"local"`) {
		t.Errorf("it begins with %s", first)
	}
}
